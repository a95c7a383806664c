// Tests C, LLVM IR and Lua with the compilers that this machine has. Exported programs keep their
// meaning and have no undefined behaviour. Compilers and executables that fail are differences with
// their evidence.

import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import { Judge } from "../compare/judge-program.js";
import type { RemoteSubject } from "../execute/subject.js";
import { parseModule } from "../ir/text/parse.js";
import { trials } from "../support/trials.js";
import { batchSubject } from "./batch-subject.js";
import { engineTest, type JudgedProgram, judged, programFrom, programsIn } from "./engine-test.js";
import { C_SOURCES } from "./sources.js";

const FUEL = 1_000_000;
const SEEDS = trials(3, 100);
const FIRST_SEED = 730_000n;

const FOUND = programsIn("corpus/regress");
const OTHERS = ["corpus/golden/run", "corpus/golden/opcodes"].flatMap(programsIn);
/** With sanitizers, which take much longer to compile: one program of `EVERY`. */
const EVERY = trials(10, 1);
const SOME = [...FOUND, ...OTHERS].filter((_, p) => p % EVERY === 0);
/** Without them: all earlier findings, and one other program of `EVERY_PLAIN`. */
const EVERY_PLAIN = trials(2, 1);
const MANY = [...FOUND, ...OTHERS.filter((_, p) => p % EVERY_PLAIN === 0)];
const seeds = (): JudgedProgram[] =>
  Array.from({ length: SEEDS }, (_, s) => programOf(FIRST_SEED + BigInt(s)));

for (const [name, programs] of [
  ["gcc-sanitized", () => [...SOME, ...seeds().slice(0, 10)]],
  ["gcc-O2", seeds],
  ["tcc", () => [...MANY, ...seeds()]],
  ["clang-O2", seeds],
  ["llvm-O2", () => [...MANY, ...seeds().slice(0, 10)]],
  ["luajit-hot-wide", () => MANY],
  ["gcc-facts-sanitized", () => [...SOME, ...seeds().slice(0, 10)]],
  ["clang-facts-sanitized", () => [...SOME, ...seeds().slice(0, 10)]],
  ["llvm-facts-O3", () => [...MANY, ...seeds().slice(0, 10)]],
  ["gcc-facts-O3", seeds],
] as const) {
  engineTest(test, name, `${name} agrees`, async (t, engine) => {
    const { different, equal } = await judged(engine, programs());
    t.deepEqual(different, []);
    t.true(equal > 3 * SEEDS, `only ${equal} executions`);
  });
}

/** Returns a compiler that is this shell script; `$1` is the executable to write. */
const compiler = (script: string, path = "/bin/sh"): RemoteSubject =>
  batchSubject({
    name: "fake",
    sources: C_SOURCES,
    compile: (_, executable) => ({ path, args: ["-c", script, "cc", executable] }),
    limits: [],
    missing: () => null,
  });

/** Returns a compiler whose executables are this shell script. */
const making = (script: string): RemoteSubject =>
  compiler(`printf '#!/bin/sh\\n${script}\\n' > "$1"; chmod +x "$1"`);

const RETURNS = parseModule(
  "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Void @1 = Return(@0)\n",
);
const PROGRAM: JudgedProgram = {
  module: RETURNS,
  inputs: [1, 2].map((word) => ({ words: Int32Array.of(word, 0), heapSeed: 0 })),
};

for (const fails of [false, true]) {
  const title = fails
    ? "that does not compile alone is compiled with each batch"
    : "is compiled once";
  test(`a driver ${title}`, async (t) => {
    const counts = { objects: 0, texts: 0 };
    const subject = batchSubject({
      name: "fake",
      sources: () => ({ "program.c": "", "driver.c": "" }),
      compile: (files) => {
        if (files.some((file) => file.endsWith("driver.c"))) counts.texts++;
        return { path: "/bin/false", args: [] };
      },
      compileDriver: (_, object) => {
        counts.objects++;
        return { path: "/bin/sh", args: ["-c", fails ? "exit 1" : `: > '${object}'`] };
      },
      limits: [],
      missing: () => null,
    });
    const judge = new Judge({ subjects: [subject], fuelMax: FUEL });
    for (let batch = 0; batch < 2; batch++) await judge.judgeAll([PROGRAM]);
    judge.close();
    t.is(counts.objects, 1);
    t.is(counts.texts > 0, fails);
  });
}

// biome-ignore format: a table
const WRONG: readonly (readonly [name: string, subject: RemoteSubject, evidence: RegExp])[] = [
  ["a compiler that fails",        compiler("echo internal compiler error >&2; exit 4"), /compile error: ended with status 4: internal compiler error/],
  ["a compiler that writes nothing", compiler("exit 0"),     /compile error: status 0, but there is no executable/],
  ["a missing compiler",           compiler("", "/nowhere/cc"), /compile error: .*(?:could not be started|nowhere)/],
  ["an executable that dies",      making("kill -SEGV $$"), /crash: was ended by SIGSEGV, without an answer/],
  ["one that ends at once",        making("exit 0"),        /crash: ended with status 0, without an answer/],
  ["one that writes nonsense",     making("printf abcdefghijkl"), /crash: ended with status 0, without an answer/],
];

for (const [name, subject, evidence] of WRONG) {
  test(`${name} is a difference`, async (t) => {
    const { different } = await judged(subject, [PROGRAM, PROGRAM]);
    t.is(different.length, 4);
    for (const detail of different) t.regex(detail, evidence);
  });
}

/** Answers each question with its first word as an Int32 result; `then` may change `answers`. */
const answering = (then: string): RemoteSubject => {
  const text = `#!${process.execPath}
const received = require("node:fs").readFileSync(0);
const answers = [];
for (let at = 0; at < received.length; ) {
  const heap = ${RETURNS.heapSize};
  const answer = Buffer.alloc(20 + heap);
  answer.writeUInt16LE(1, 0); // it has ended
  answer.writeUInt16LE(received.readUInt16LE(at + 2), 2);
  answer.writeUInt32LE(12 + heap, 4);
  answer.writeUInt32LE(4, 8); // by a return
  answer.writeInt32LE(received.readInt32LE(at + 12), 16);
  answers.push(answer);
  at += 12 + 4 * received.readUInt32LE(at + 8);
}
${then}
process.stdout.write(Buffer.concat(answers));
`;
  return batchSubject({
    name: "fake",
    sources: () => ({ "program.c": text }),
    compile: ([file], executable) => ({
      path: "/bin/sh",
      args: ["-c", 'cp "$1" "$2"; chmod +x "$2"', "cc", file, executable],
    }),
    limits: [],
    missing: () => null,
  });
};

test("an executable that answers correctly has equal outcomes", async (t) => {
  t.deepEqual(await judged(answering(""), [PROGRAM, PROGRAM]), { different: [], equal: 4 });
});

// The first run has four executions: only the second is wrong.
for (const [name, then, evidence] of [
  ["runs on into the next", "if (answers.length === 4) answers.splice(1, 1);", /without an answer/],
  [
    "answers twice",
    "if (answers.length === 4) answers.splice(1, 0, answers[1]);",
    /returned two answers/,
  ],
  [
    "leaves too little",
    "if (answers.length === 4) answers[1] = Buffer.from(Int32Array.of(0x10001, 0).buffer);",
    /garbage/,
  ],
] as const) {
  test(`an execution that ${name} alone is different`, async (t) => {
    const { different, equal } = await judged(answering(then), [PROGRAM, PROGRAM]);
    t.is(equal, 3);
    t.is(different.length, 1);
    t.regex(different[0], evidence);
  });
}

engineTest(
  test,
  "luajit-hot",
  "a loop that is too long for LuaJIT is declined",
  async (t, engine) => {
    const lines = Array.from(
      { length: 9000 },
      (_, i) => `  Int32 @${10 + i} = Mul(@${9 + i}, @4)\n`,
    );
    const program = programFrom(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Void @1 = Upsilon(@0, ^4)
  Void @2 = Jump(#1)
#1:
  Int32 @4 = Phi()
  Int32 @9 = Add(@4, @0)
${lines.join("")}  Void @9010 = Upsilon(@9009, ^4)
  Void @9011 = Branch(@9009, #1, #2)
#2:
  Void @9012 = Return(@4)

; run: f(0)
`);
    const judge = new Judge({ subjects: [engine], fuelMax: 100_000 });
    const [{ results }] = await judge.judgeAll([program]);
    judge.close();
    t.is(results[0].declined, "too long");
  },
);
