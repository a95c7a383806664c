// Tests commands of the user's as subjects. Examples of docs/examples agree on seeds. Commands that
// die, hang, give wrong answers, or exhaust memory have differences with their evidence.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import test, { type ExecutionContext } from "ava";
import { openBits } from "../campaign/file/open-bits.js";
import { NO_PARENTS } from "../campaign/program/lineage.js";
import { returnedBy } from "../campaign/program/returned-by.js";
import { programOf, USUAL } from "../campaign/program/seeds.js";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge, type SubjectResult } from "../compare/judge-program.js";
import { SubsetRules } from "../ir/subset.js";
import { parseModule } from "../ir/text/parse.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { assert } from "../support/assert.js";
import { firstSeedThat } from "../support/first-seed.js";
import { projectRoot } from "../support/project-root.js";
import { quoted } from "../support/shell-word.js";
import { trials } from "../support/trials.js";
import { helloOf, questionLine } from "./command-protocol.js";
import { commandSubject, readHello } from "./command-subject.js";
import { observations } from "./engines.js";

/** Returns a word of a command line: the project may be in a folder with a space. */
const example = (name: string): string => quoted(join(projectRoot(), "docs", "examples", name));
const FUEL = 1_000_000;

type Programs = Parameters<Judge["judgeAll"]>[0];

/** The limit for a machine with much other work. */
const SECONDS = 60;

async function judged(
  line: string,
  programs: Programs,
  seconds = SECONDS,
): Promise<SubjectResult[]> {
  const command = { line, seconds, memory: 400 };
  const says = await readHello({ ...command, seconds: SECONDS });
  assert(typeof says !== "string", () => `${line}: ${says}`);
  const judge = new Judge({ subjects: [commandSubject({ ...command, says })], fuelMax: FUEL });
  const results = await judge.judgeAll(programs);
  judge.close();
  return results.flatMap((result) => result.results);
}

const kindsOf = (results: readonly SubjectResult[]): string[] =>
  results.flatMap(({ judgements }) => judgements.map(({ verdict }) => verdict.kind));

/** The number of programs in one judgement. */
const COUNT = 6;
/** A command gets no executions that exit, so some executions must return. */
const RETURNED_MIN = 8;

const seedsFrom = (first: bigint): bigint[] =>
  Array.from({ length: COUNT }, (_, i) => first + BigInt(i));
const FIRST = firstSeedThat(
  `${RETURNED_MIN} executions that return, in ${COUNT} programs`,
  { from: 720_000n, count: 200n },
  (first) => seedsFrom(first).flatMap(returnedBy).length >= RETURNED_MIN,
);
const SEEDS = trials(6, 2000);
/** The number of seeds of one test: the runner kills a test that runs too long. */
const PART = trials(6, 120);

/** Its first line lists the part of the language that it supports. */
const SUBSET = "integer_subset.py";
const EXAMPLES = [
  ["a shell script around a C compiler", "cc-subject.sh", (path: string) => `sh ${path} {c} {exe}`],
  ["Python over the protocol", "python_subject.py", (path: string) => `python3 ${path}`],
  [
    "a command that calls an export",
    "call-export.mjs",
    (path: string) => `node ${path} {wasm} {export}`,
  ],
  ["lines in files", "lines-in-files.mjs", (path: string) => `node ${path} {in} {out}`],
] as const;

/** A program that records more than the first memory of an exported module holds. */
const LOUD = parseModule(`touchstone 1
proc f(Int32 @0, Int64 @1) -> Int32
#0:
  Int32 @2 = Const32(1)
  Void @3 = Upsilon(@0, ^5)
  Void @4 = Jump(#1)
#1:
  Int32 @5 = Phi()
  Int64 @6 = CCall(ask, @1)
  Int32 @7 = Sub(@5, @2)
  Void @8 = Upsilon(@7, ^5)
  Void @9 = Branch(@7, #1, #2)
#2:
  Void @10 = Return(@7)
`);
const MANY = { words: Int32Array.of(20_000, 0, 7, 0), heapSeed: 0 };

for (const [name, file, lineOf] of EXAMPLES) {
  const line = lineOf(example(file));

  for (let from = 0; from < SEEDS; from += PART) {
    test.serial(`${name} agrees on seeds from ${FIRST + BigInt(from)}`, async (t) => {
      const equal: string[] = [];
      for (let at = from; at < from + PART; at += COUNT) {
        const programs = seedsFrom(FIRST + BigInt(at)).map((seed) => programOf(seed));
        const kinds = kindsOf(await judged(line, programs));
        t.false(kinds.includes("different"), `from seed ${FIRST + BigInt(at)}: ${kinds.join(" ")}`);
        equal.push(...kinds.filter((kind) => kind === "equal"));
      }
      t.true(equal.length >= PART - 1, `${equal.length} equal`);
    });
  }

  test.serial(`${name} has room for many records`, async (t) => {
    const kinds = kindsOf(await judged(line, [{ module: LOUD, inputs: [MANY] }]));
    t.deepEqual(kinds, ["equal"]);
  });
}

test.serial(
  "a compiler of a part of the language agrees on all programs within that part",
  async (t) => {
    const line = `python3 ${example(SUBSET)}`;
    const says = await readHello({ line, seconds: SECONDS, memory: 400 });
    if (typeof says === "string") return t.fail(says);
    const rules = new SubsetRules(says.supports ?? {});
    const programs = Array.from({ length: trials(60, 2000) }, (_, s) =>
      programOf(BigInt(s), USUAL, NO_PARENTS, null, rules),
    );
    const kinds = kindsOf(await judged(line, programs));
    t.deepEqual([...new Set(kinds)], ["equal"]);
    t.true(kinds.length > 2 * programs.length);
  },
);

test("each example of the folder is tried", (t) => {
  const files = readdirSync(join(projectRoot(), "docs", "examples"));
  // src/library/library.test.ts runs the second and the third.
  const elsewhere = ["README.md", "in-process.ts", "kinds.mjs", SUBSET];
  t.deepEqual(files.toSorted(), [...EXAMPLES.map(([, file]) => file), ...elsewhere].toSorted());
});

const IDENTITY = parseModule(
  "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Void @1 = Return(@0)\n",
);
const inputOf = (word: number) => ({ words: Int32Array.of(word, 0), heapSeed: 0 });
const HELLO = `echo '{"touchstone": 1, "name": "fake", "format": "text"}'`;
const ANSWER = `echo '{"answers": [{"runs": [{"result": "0x00000007"}]}]}'`;

// biome-ignore format: a table
const HOSTILE: readonly (readonly [name: string, script: string, evidence: RegExp])[] = [
  ["is wrong",             ANSWER,                                   /expected 0x00000009, got 0x00000007/],
  ["dies",                 "kill -SEGV $$",                          /crash: was ended by SIGSEGV/],
  ["ends without an answer", "exit 0",                               /crash: ended with status 0 without an answer/],
  ["writes nonsense",      "echo nonsense",                          /garbage: expected a JSON object, got nonsense/],
  ["answers too little",   `echo '{"answers": []}'`,                 /garbage: expected "answers": a list of 1/],
  ["writes half a line",   `printf '{"answers": [{"ru'; exit 0`,     /crash: .*after half a line/],
  ["answers no bits",      `echo '{"answers": [{"runs": [{"result": 9}]}]}'`, /garbage: the result does not have the type of the entry: 9/],
  ["refuses the program",  `echo '{"answers": [{"error": "no such opcode"}]}'`, /compile error: no such opcode/],
  ["hangs",                "sleep 60",                               /hang: no answer within 1000 ms/],
  ["dies, and leaves a child with its output", "setsid sleep 300 & exit 0", /crash: ended with status 0 without an answer/],
  ["answers endlessly", "exec tr '\\0' 1 < /dev/zero",        /garbage: it wrote a line of more than 67108864/],
  ["eats memory",          `exec node -e 'const all = []; for (;;) all.push(Buffer.alloc(1 << 24, 1))'`, /crash: took more than 400 MB of memory/],
];

for (const [name, script, evidence] of HOSTILE) {
  test.serial(`a command that ${name} has a difference, and the campaign continues`, async (t) => {
    const line = `${HELLO}; while read -r line; do ${script}; done`;
    await isWrongTwice(t, line, evidence, name === "hangs" ? 1 : SECONDS);
  });
}

/** Sends two programs: a command may damage something that the next question needs. */
async function isWrongTwice(
  t: ExecutionContext,
  line: string,
  evidence: RegExp,
  seconds = SECONDS,
) {
  const program = { module: IDENTITY, inputs: [inputOf(9)] };
  const results = await judged(line, [program, program], seconds);
  t.is(results.length, 2);
  for (const { judgements } of results) {
    const [{ verdict }] = judgements;
    if (verdict.kind !== "different") return t.fail(verdict.kind);
    t.regex(describeDifference(verdict.difference), evidence);
  }
}

const IRREGULAR = /garbage: its answer is no regular file/;
// biome-ignore format: a table
const HOSTILE_FILES: readonly (readonly [name: string, script: string, evidence: RegExp])[] = [
  ["answers with a device",        `ln -sf /dev/zero "$2"`,                  IRREGULAR],
  ["answers with a pipe",          `mkfifo "$2"`,                            IRREGULAR],
  ["answers with a folder",        `mkdir "$2"`,                             IRREGULAR],
  ["answers too much",           `truncate -s 65M "$2"`,                   /garbage: its answer has more than 67108864 bytes/],
  ["replaces its question by a pipe", `rm "$1"; mkfifo "$1"`,                  /garbage: ended with status 0 without an answer/],
  ["removes its folder",         `rm -r "\${1%/*}"`,                       /garbage: ended with status 0 without an answer/],
];

for (const [name, script, evidence] of HOSTILE_FILES) {
  test.serial(`a command that ${name} has a difference, and the campaign continues`, async (t) => {
    const whole = `if [ -s "$1" ]; then ${script}; else ${HELLO} > "$2"; fi`;
    await isWrongTwice(t, `sh -c ${quoted(whole)} sh {in} {out}`, evidence);
  });
}

test.serial("a command that prints endlessly has a difference", async (t) => {
  await isWrongTwice(t, "cat /dev/zero; : {wasm} {export}", /garbage: wrote more than 67108864/);
});

test.serial("a command that leaves a child with its output has its answer", async (t) => {
  const line = `setsid sleep 300 & node ${example("call-export.mjs")} {wasm} {export}`;
  const program = { module: IDENTITY, inputs: [inputOf(9)] };
  t.deepEqual(kindsOf(await judged(line, [program])), ["equal"]);
});

test.serial("a command has the environment of the user's shell", async (t) => {
  const path = process.env["PATH"];
  process.env["PATH"] = `/nowhere/node_modules/.bin:${path}`;
  process.env["npm_execpath"] ??= "/nowhere/npx";
  const line = `case "$PATH$npm_execpath" in */nowhere/*) echo 0;; *) echo 9;; esac; : {wasm} {export}`;
  const program = { module: IDENTITY, inputs: [inputOf(9)] };
  t.deepEqual(kindsOf(await judged(line, [program])), ["equal"]);
  process.env["PATH"] = path;
});

test.serial("a compiler that removes its source compiles", async (t) => {
  const line = `cc -w {c} -o {exe} -lm && rm {c}`;
  const program = { module: IDENTITY, inputs: [inputOf(9)] };
  t.deepEqual(kindsOf(await judged(line, [program])), ["equal"]);
});

test.serial("an executable that prints endlessly keeps its complete answers", async (t) => {
  const head = String.raw`\1\0\0\0\14\20\0\0\4\0\0\0\0\0\0\0\7\0\0\0`; // 12 bytes of records before a heap of 4096
  const script = `printf '${head}'; head -c 4096 /dev/zero; tr '\\0' '\\377' < /dev/zero`;
  const line = `: {c}; printf '#!/bin/sh\n%s\n' ${quoted(script)} > {exe}; chmod +x {exe}`;
  const program = { module: IDENTITY, inputs: [inputOf(7), inputOf(7)] };
  t.deepEqual(kindsOf(await judged(line, [program])), ["equal", "equal"]);
});

test.serial(
  "records that do not fit are not judged, unless no correct program has that many",
  async (t) => {
    for (const [bytes, kind] of [
      [4, "unjudged"],
      [1 << 20, "different"],
    ] as const) {
      const line = `${HELLO}; read -r line; head -c ${bytes} /dev/zero | od -An -v -tx1 | tr -d ' \\n' | sed 's/.*/{"answers": [{"runs": [{"status": 2, "records": "&"}]}]}/'; echo; sleep 60`;
      t.deepEqual(kindsOf(await judged(line, [{ module: IDENTITY, inputs: [inputOf(9)] }])), [
        kind,
      ]);
    }
  },
);

/**
 * Returns what the reproducer prints for a command that prints `printed`.
 * @param value the result of the program, of its parameter @0
 */
async function reproduced(type: string, value: string, bits: string, printed: string) {
  const line = `printf '%s' ${quoted(printed)}; : {wasm} {export}`;
  const module = parseModule(
    `touchstone 1\nproc f(${type} @0) -> ${type}\n#0:\n  ${type} @1 = ${value}\n  Void @2 = Return(@1)\n`,
  );
  const words = new Int32Array(new BigUint64Array([BigInt(bits)]).buffer);
  const input = { words, heapSeed: 0 };
  const says = await readHello({ line, seconds: SECONDS, memory: 400 });
  if (typeof says === "string") throw new Error(says);
  const subject = commandSubject({ line, seconds: SECONDS, memory: 400, says });
  for await (const expected of observations(module, input)) {
    const outcome = new Oracle().run(decodeModule(module), input, 100);
    const open = openBits(module, outcome, expected);
    const folder = mkdtempSync(join(tmpdir(), "touchstone-reproducer-"));
    const files = subject.reproducer({ module, input, expected, open });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const { status, stdout } = spawnSync("sh", [join(folder, "reproduce.sh")], {
      encoding: "utf8",
    });
    rmSync(folder, { recursive: true });
    return { status, stdout };
  }
  throw new Error("no implementation answers");
}

for (const [type, value, bits, printed, isRight] of [
  ["Int32", "Identity(@0)", "0xfffffffe", "-2", true],
  ["Int32", "Identity(@0)", "0xfffffffe", "result: 4294967294\n", true],
  ["Int32", "Identity(@0)", "0xfffffffe", "0xFFFFFFFE\r\n", true],
  ["Int32", "Identity(@0)", "0xfffffffe", "18446744073709551614", true],
  ["Int32", "Identity(@0)", "0x24", "7", false],
  ["Int32", "Identity(@0)", "0x24", "f returns", false],
  ["Int64", "Identity(@0)", "0x8000000000000001", "-9223372036854775807", true],
  ["Int64", "Identity(@0)", "0x8000000000000001", "9223372036854775809", true],
  ["Int64", "Identity(@0)", "0x8000000000000001", "9223372036854775808", false],
  ["Double", "Sub(@0, @0)", "0x7ff0000000000000", "0x7ff0000000000001", true], // any NaN
  ["Double", "Sub(@0, @0)", "0x7ff0000000000000", "0x3ff0000000000000", false],
  ["Double", "Identity(@0)", "0x7ff8000000000000", "0x7ff0000000000001", false],
] as const) {
  test.serial(
    `a reproducer ${isRight ? "accepts" : "refuses"} ${quoted(printed)} for ${value}, ${bits}`,
    async (t) => {
      const { status, stdout } = await reproduced(type, value, bits, printed);
      t.is(status, isRight ? 0 : 1, stdout);
      if (!isRight) t.regex(stdout, /^< 0x[\da-f]+$[^<]*^> (?:0x[\da-f]+|no integer: f returns)$/m);
    },
  );
}

for (const [name, line, evidence] of [
  ["prints something else", "echo hello", /expected a first line like/],
  ["speaks another version", `echo '{"touchstone": 9}'`, /expected "touchstone": 1/],
  ["is not there", "/nowhere/mycc", /without an answer/],
] as const) {
  test.serial(`a command that ${name} at first is refused with the expected form`, async (t) => {
    const says = await readHello({ line: `${line}; sleep 5`, seconds: SECONDS, memory: 400 });
    if (typeof says !== "string") return t.fail("the first line was accepted");
    t.regex(says, evidence);
  });
}

test.serial("the schema accepts the lines of the protocol, and no others", (t) => {
  const path = join(projectRoot(), "docs", "subject-command.schema.json");
  // The file is part of the project.
  const schema = JSON.parse(readFileSync(path, "utf8")) as object;
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  ajv.addSchema(schema, "lines");
  const isOf = (kind: string, value: unknown): boolean =>
    ajv.validate({ $ref: `lines#/definitions/${kind}` }, value) === true;
  const hello = { touchstone: 1, name: "mycc", format: "c", shows: ["results"], batch: 2 };
  t.true(isOf("hello", hello));
  t.is(typeof helloOf(JSON.stringify(hello)), "object");
  t.false(isOf("hello", { ...hello, format: "lua" }));
  for (const format of ["text", "wasm", "c"] as const) {
    const question = questionLine([{ module: IDENTITY, inputs: [inputOf(9)] }], format);
    t.true(isOf("question", JSON.parse(question)), format);
  }
  t.true(isOf("answer", { answers: [{ runs: [{ result: "0x00000007" }] }, { error: "no" }] }));
  t.true(isOf("answer", { answers: [{ runs: [{ status: 1, records: "04" }] }] }));
  t.false(isOf("answer", { answers: [{ ran: [] }] }));
});
