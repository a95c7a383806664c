// Commands of the user's as subjects: three examples of docs/examples agree on seeds, and commands that die, hang,
// lie, or eat all memory have differences with their evidence.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import test from "ava";
import { returnedBy } from "../campaign/program/returned-by.js";
import { programOf } from "../campaign/program/seeds.js";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge, type SubjectResult } from "../compare/judge-program.js";
import { parseModule } from "../ir/text/parse.js";
import { assert } from "../support/assert.js";
import { firstSeedThat } from "../support/first-seed.js";
import { projectRoot } from "../support/project-root.js";
import { quoted } from "../support/shell-word.js";
import { helloOf, questionLine } from "./command-protocol.js";
import { askHello, commandSubject } from "./command-subject.js";

/** As a word of a command line: the project may lie in a folder with a space. */
const example = (name: string): string => quoted(join(projectRoot(), "docs", "examples", name));
const FUEL = 1_000_000;

type Programs = Parameters<Judge["judgeAll"]>[0];

/** Of a machine with much else to do. */
const SECONDS = 60;

async function judged(
  line: string,
  programs: Programs,
  seconds = SECONDS,
): Promise<SubjectResult[]> {
  const command = { line, seconds, memory: 400 };
  const says = await askHello({ ...command, seconds: SECONDS });
  assert(typeof says !== "string", () => `${line}: ${says}`);
  const judge = new Judge({ subjects: [commandSubject({ ...command, says })], fuelMax: FUEL });
  const results = await judge.judgeAll(programs);
  judge.close();
  return results.flatMap((result) => result.results);
}

const kindsOf = (results: readonly SubjectResult[]): string[] =>
  results.flatMap(({ judgements }) => judgements.map(({ verdict }) => verdict.kind));

const COUNT = 6;
/** They follow each other, and some executions return: a command is not asked for exits. */
const RETURNED_MIN = 8;

const seedsFrom = (first: bigint): bigint[] =>
  Array.from({ length: COUNT }, (_, i) => first + BigInt(i));
const SEEDS = seedsFrom(
  firstSeedThat(
    `${RETURNED_MIN} executions that return, in ${COUNT} programs`,
    { from: 720_000n, count: 200n },
    (first) => seedsFrom(first).flatMap(returnedBy).length >= RETURNED_MIN,
  ),
);

for (const [name, line] of [
  ["a shell script around a C compiler", `sh ${example("cc-subject.sh")} {c} {exe}`],
  ["Python over the protocol", `python3 ${example("python_subject.py")}`],
  ["a command that calls an export", `node ${example("call-export.mjs")} {wasm} {export}`],
  ["lines in files", `node ${example("lines-in-files.mjs")} {in} {out}`],
]) {
  test.serial(`${name} agrees on seeds`, async (t) => {
    const programs = SEEDS.map((seed) => programOf(seed));
    const kinds = kindsOf(await judged(line, programs));
    t.false(kinds.includes("different"), kinds.join(" "));
    t.true(kinds.filter((kind) => kind === "equal").length >= 5, kinds.join(" "));
  });
}

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
  ["answers no bits",      `echo '{"answers": [{"runs": [{"result": 9}]}]}'`, /garbage: no result of its type: 9/],
  ["refuses the program",  `echo '{"answers": [{"error": "no such opcode"}]}'`, /compile error: no such opcode/],
  ["hangs",                "sleep 60",                               /hang: no answer within 1000 ms/],
  ["eats memory",          `exec node -e 'const all = []; for (;;) all.push(Buffer.alloc(1 << 24, 1))'`, /crash: took more than 400 MB of memory/],
];

for (const [name, script, evidence] of HOSTILE) {
  test.serial(`a command that ${name} has a difference, and is not the end`, async (t) => {
    const line = `${HELLO}; while read -r line; do ${script}; done`;
    const program = { module: IDENTITY, inputs: [inputOf(9)] };
    const results = await judged(line, [program, program], name === "hangs" ? 1 : SECONDS);
    t.is(results.length, 2);
    for (const { judgements } of results) {
      const [{ verdict }] = judgements;
      if (verdict.kind !== "different") return t.fail(verdict.kind);
      t.regex(describeDifference(verdict.difference), evidence);
    }
  });
}

for (const [name, line, evidence] of [
  ["prints something else", "echo hello", /expected a first line like/],
  ["speaks another version", `echo '{"touchstone": 9}'`, /expected "touchstone": 1/],
  ["is not there", "/nowhere/mycc", /without an answer/],
] as const) {
  test.serial(`a command that ${name} at first is refused with what was expected`, async (t) => {
    const says = await askHello({ line: `${line}; sleep 5`, seconds: SECONDS, memory: 400 });
    if (typeof says !== "string") return t.fail("it was taken");
    t.regex(says, evidence);
  });
}

test.serial("the schema takes what is said, and no other", (t) => {
  const path = join(projectRoot(), "docs", "subject-command.schema.json");
  // Our own file.
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
