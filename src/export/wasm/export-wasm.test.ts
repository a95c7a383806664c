// Exports programs and runs them with the WebAssembly of this process. The programs are generated
// seeds and the programs of the corpus with expectations, including opcodes at their boundary
// values. The observation must equal the oracle's.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import wabt from "wabt";
import { programOf } from "../../campaign/program/seeds.js";
import { judge, unjudged } from "../../compare/compare.js";
import { describeDifference } from "../../compare/describe-difference.js";
import { heapContents, type Input, type Outcome } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { parseModule } from "../../ir/text/parse.js";
import { checkExpectation, runLines } from "../../ir/text/run-line.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { assert } from "../../support/assert.js";
import { projectRoot } from "../../support/project-root.js";
import { trials } from "../../support/trials.js";
import { type FormName, formsOf, PLAIN_FORM } from "../forms.js";
import { decodeObservation } from "../observation.js";
import { ENDED } from "../status.js";
import { exportWasi, exportWasm, HEAD_BYTES } from "./export-wasm.js";
import { type InstructionsToHide, NOTHING_HIDDEN } from "./hidden.js";
import { RECORD_LIMIT, RECORD_NEXT, STATUS } from "./layout.js";
import { textOfWasm } from "./text-of-wasm.js";

interface Exports {
  readonly run: () => void;
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
}
// The part of WebAssembly's interface that these tests use.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports?: object) => { readonly exports: Exports };
};

const FUEL = 1_000_000;
const PAGES_OF_RECORDS = 64;
const FOLDERS = [
  "corpus/regress",
  "corpus/golden/run",
  "corpus/golden/opcodes",
  "corpus/golden/seeds",
];
const SEEDS = trials(20, 60);
const FORM_SEEDS = trials(4, 60);
/** One in this many programs of a corpus folder runs; in corpus/regress all run. */
const EVERY = trials(2, 1);
const FIRST_SEED = 700_000n;

const oracle = new Oracle();

/** Returns the outcome of the exported module for each input. */
function runHere(
  module: Module,
  inputs: readonly Input[],
  { bytes, layout }: ReturnType<typeof exportWasm>,
): Outcome[] {
  const { run, memory } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  memory.grow(PAGES_OF_RECORDS);
  const words = new Int32Array(memory.buffer);
  return inputs.map((input) => {
    words.set(input.words, layout.arguments / 4);
    heapContents(new Uint8Array(memory.buffer, layout.heap, layout.heapSize), input.heapSeed);
    words[STATUS / 4] = 0;
    words[RECORD_NEXT / 4] = layout.records;
    words[RECORD_LIMIT / 4] = memory.buffer.byteLength;
    let trap = "no trap";
    try {
      run();
    } catch (error) {
      trap = String(error);
    }
    const records = new Uint8Array(memory.buffer).subarray(layout.records, words[RECORD_NEXT / 4]);
    const decoded = decodeObservation(module, records);
    if (words[STATUS / 4] === ENDED && decoded.kind === "outcome") return decoded.outcome;
    const detail = decoded.kind === "garbage" ? decoded.detail : "";
    const message = `status ${words[STATUS / 4]}, ${trap}, ${detail}`;
    return { events: [], ending: { kind: "compile-error", message } };
  });
}

/**
 * Returns the differences from the oracle, one line each, the number of judged executions, and
 * their outcomes by input.
 */
function differences(
  module: Module,
  inputs: readonly Input[],
  exported = exportWasm(module),
): { lines: string[]; judged: number; outcomes: ReadonlyMap<Input, Outcome> } {
  const program = decodeModule(module);
  const expected = inputs.map((input) => oracle.run(program, input, FUEL));
  const judged = inputs.flatMap((_, i) => (unjudged(expected[i]) === null ? [i] : []));
  const actual = runHere(
    module,
    judged.map((i) => inputs[i]),
    exported,
  );
  const lines = judged.flatMap((i, k) => {
    const verdict = judge(expected[i], actual[k]);
    return verdict.kind === "different"
      ? [`input ${i}: ${verdict.aspect}: ${describeDifference(verdict.difference)}`]
      : [];
  });
  const outcomes = new Map(judged.map((i, k) => [inputs[i], actual[k]]));
  return { lines, judged: judged.length, outcomes };
}

for (const folder of FOLDERS) {
  test(`${folder} behaves the same`, (t) => {
    const files = readdirSync(join(projectRoot(), folder)).filter((name) => name.endsWith(".ir"));
    t.true(files.length > 0);
    const every = folder === "corpus/regress" ? 1 : EVERY;
    for (const file of files.filter((_, f) => f % every === 0)) {
      const text = readFileSync(join(projectRoot(), folder, file), "utf8");
      const module = parseModule(text);
      const lines = runLines(text, module);
      const inputs = lines.map(({ input }) => input);
      const { lines: different, outcomes } = differences(module, inputs);
      t.deepEqual(different, [], file);
      // Checks the expectation in the file as well, independently of the oracle.
      lines.forEach(({ input, expected }) => {
        const outcome = outcomes.get(input);
        if (expected === null || outcome === undefined) return;
        t.is(checkExpectation(withoutOpenNaNs(expected), outcome), null, file);
      });
    }
  });
}

/**
 * Returns an expectation without frames, since only the oracle's outcome marks open NaNs in frames.
 */
function withoutOpenNaNs(
  expected: Parameters<typeof checkExpectation>[0],
): Parameters<typeof checkExpectation>[0] {
  const { ending } = expected;
  if (ending.kind !== "exit") return expected;
  return { ...expected, ending: { ...ending, frames: null, resumed: [] } };
}

test(`${SEEDS} seeds behave the same`, (t) => {
  let judged = 0;
  for (let s = 0; s < SEEDS; s++) {
    const { module, inputs } = programOf(FIRST_SEED + BigInt(s));
    const found = differences(module, inputs);
    t.deepEqual(found.lines, [], `seed ${FIRST_SEED + BigInt(s)}`);
    judged += found.judged;
  }
  t.true(judged > 3 * SEEDS, `only ${judged} executions`);
});

const FORMS: readonly (readonly FormName[])[] = [
  ...formsOf("wasm")
    .flat()
    .map((name) => [name]),
  ...[0, 1].map((k) => formsOf("wasm").map((names) => names[Math.min(k, names.length - 1)])),
];

for (const names of FORMS) {
  test(`form ${names.join(", ")}: ${FORM_SEEDS} seeds behave the same`, (t) => {
    const form = new Set(names);
    let changed = 0;
    for (let s = 0; s < FORM_SEEDS; s++) {
      const seed = FIRST_SEED + BigInt(s);
      const { module, inputs } = programOf(seed);
      const exported = exportWasm(module, NOTHING_HIDDEN, form);
      t.deepEqual(differences(module, inputs, exported).lines, [], `seed ${seed}`);
      if (Buffer.compare(exported.bytes, exportWasm(module).bytes) !== 0) changed++;
    }
    t.true(changed > 0, "no program is changed");
  });
}

test("the plain form is that of a program without a form, and copies no memory by itself", async (t) => {
  const { module } = formsProgram();
  const { bytes } = exportWasm(module);
  t.deepEqual(exportWasm(module, NOTHING_HIDDEN, PLAIN_FORM).bytes, bytes);
  t.notRegex((await textOfWasm(bytes)) ?? "", /memory\.(?:copy|fill)/);
});

const FORMS_TEXT = `touchstone 1
heap 4096
proc f(Int32 @0, Int32 @1) -> Int64
#0:
  Int32 @3 = Const32(3)
  Int32 @4 = Const32(35)
  Int32 @5 = Const32(1)
  Int32 @6 = Const32(7)
  Int64 @7 = Const64(75161927680)
  Int32 @8 = Add(@0, @1)
  Int32 @9 = BitXor(@8, @0)
  Int32 @10 = Mul(@9, @8)
  Void @11 = Store(@8, @7, offset=4)
  Int32 @12 = Load(@7, offset=4)
  Int32 @13 = Add(@12, @6)
  Void @14 = Store(@13, @7, offset=8)
  Void @15 = Store(@10, @7, offset=4)
  Void @16 = Upsilon(@0, ^20)
  Void @17 = Upsilon(@1, ^21)
  Void @18 = Jump(#1)
#1:
  Int32 @20 = Phi()
  Int32 @21 = Phi()
  Int32 @22 = Sub(@20, @5)
  Int32 @23 = Add(@21, @20)
  Void @24 = Upsilon(@22, ^20)
  Void @25 = Upsilon(@23, ^21)
  Int32 @26 = Above(@22, @3)
  Void @27 = Branch(@26, #1, #2)
#2:
  Int32 @30 = LessThan(@23, @6)
  Void @31 = Branch(@30, #3, #4)
#3:
  Int32 @32 = Sub(@23, @10)
  Void @33 = Upsilon(@32, ^40)
  Void @34 = Jump(#5)
#4:
  Int32 @35 = BitXor(@23, @6)
  Void @36 = Upsilon(@35, ^40)
  Void @37 = Jump(#5)
#5:
  Int32 @40 = Phi()
  Int32 @41 = Add(@40, @8)
  Int64 @42 = ZExt32(@41)
  Int64 @43 = Shl(@42, @4)
  Int64 @44 = Add(@43, @42)
  Void @45 = Return(@44)
; run: f(9, 100)
; run: f(6, -30)
`;
function formsProgram(): { readonly module: Module; readonly inputs: readonly Input[] } {
  const module = parseModule(FORMS_TEXT);
  return { module, inputs: runLines(FORMS_TEXT, module).map(({ input }) => input) };
}

/** Edits of the module as text, with which the form is used wrongly. */
// biome-ignore format: a table
const MISUSES: readonly (readonly [FormName, RegExp, string])[] = [
  ["flat", /local\.set 3\b/, "local.set 2"], // two values share a local
  ["nested-loads", /(local\.get 2\s+i32\.store offset=4096)([\s\S]*)(i32\.load offset=)4096/, "$1$2$34100"],
  ["block-results", /(i32\.const 7\s+)i32\.xor/, "$1i32.or"], // another result on one way
  ["block-params", /local\.set 8\s+local\.set 6/, "local.set 6 local.set 8"], // the order
  ["kept-on-stack", /local\.get 2(\s+block)/, "local.get 3$1"], // another value
  ["tees", /local\.tee 2/, "local.tee 3"],
  ["fall-through", /else([\s\S]*?)end/, "end$1"], // the end of the first arm is not that of both
  ["wide-counts", /i64\.const 35/, "i64.const 3"],
  ["hot-entry", /(loop[\s\S]*?)local\.get 14([\s\S]*?)local\.tee 14/, "$1local.get 1$2local.tee 1"],
  ["word-pairs", /i32\.lt_u(\s+i32\.add\s+i64\.extend_i32_u)/, "i32.gt_u$1"], // the carry
  ["late-constants", /(\(mut i32\) \(i32\.const )3\)/, "$14)"],
];

for (const [name, pattern, by] of MISUSES) {
  test(`form ${name}: wrong use of ${pattern} is found`, async (t) => {
    const { module, inputs } = formsProgram();
    const exported = exportWasm(module, NOTHING_HIDDEN, new Set([name]));
    t.deepEqual(differences(module, inputs, exported).lines, []);
    const text = (await textOfWasm(exported.bytes)) ?? "";
    t.regex(text, pattern);
    const wrong = (await wabt()).parseWat("wrong", text.replace(pattern, by), {
      multi_value: true,
    });
    const bytes = new Uint8Array(wrong.toBinary({}).buffer);
    t.not(differences(module, inputs, { ...exported, bytes }).lines.length, 0);
  });
}

test("each form of WebAssembly has a control", (t) => {
  t.deepEqual(MISUSES.map(([name]) => name).sort(), formsOf("wasm").flat().sort());
});

/** The most bytes that one call of the WASI stub writes: records need several calls. */
const WRITTEN_MAX = 100;

/** Runs a module of `exportWasi` in this process, with a stub of WASI that writes to memory. */
function runWasi(module: Module, input: Input): Outcome {
  const { bytes, layout } = exportWasi(module, input, PAGES_OF_RECORDS);
  const output: number[] = [];
  let memory: Exports["memory"] | null = null;
  const fd_write = (_fd: number, buffers: number, _count: number, written: number): number => {
    assert(memory !== null, () => "the module runs before its memory exists");
    const words = new Int32Array(memory.buffer);
    const [at, length] = [words[buffers / 4], words[buffers / 4 + 1]];
    const count = Math.min(length, WRITTEN_MAX);
    output.push(...new Uint8Array(memory.buffer, at, count));
    words[written / 4] = count;
    return 0;
  };
  const imports = { wasi_snapshot_preview1: { fd_write } };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
  memory = exports.memory;
  try {
    exports.run();
  } catch {
    // An exit traps after the records are written.
  }
  const shown = Uint8Array.from(output);
  const [status, next] = new Int32Array(shown.buffer.slice(0, 8));
  const records = shown.subarray(HEAD_BYTES);
  assert(next - layout.records === records.length, () => `${records.length} bytes, to ${next}`);
  const decoded = decodeObservation(module, records);
  if (status === ENDED && decoded.kind === "outcome") return decoded.outcome;
  return { events: [], ending: { kind: "compile-error", message: `status ${status}` } };
}

test("modules that write their records with WASI behave the same", (t) => {
  let [exits, judged] = [0, 0];
  for (let s = 0; s < SEEDS; s++) {
    const { module, inputs } = programOf(FIRST_SEED + BigInt(s));
    const program = decodeModule(module);
    for (const input of inputs) {
      const expected = oracle.run(program, input, FUEL);
      if (unjudged(expected) !== null) continue;
      judged++;
      if (expected.ending.kind === "exit") exits++;
      const verdict = judge(expected, runWasi(module, input));
      t.is(verdict.kind, "equal", `seed ${FIRST_SEED + BigInt(s)}`);
    }
  }
  t.true(judged > 3 * SEEDS && exits > SEEDS, `${judged} executions, ${exits} exits`);
});

// A loop with two entries, one of them also the target of a back edge.
const IRREDUCIBLE = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Int32 @2 = Const32(1)
  Void @3 = Upsilon(@1, ^10)
  Void @4 = Upsilon(@1, ^20)
  Void @5 = Branch(@0, #1, #2)
#1:
  Int32 @10 = Phi()
  Int32 @11 = Add(@10, @2)
  Void @12 = Upsilon(@11, ^20)
  Void @13 = Jump(#2)
#2:
  Int32 @20 = Phi()
  Int32 @21 = Const32(5)
  Int32 @22 = Add(@20, @21)
  Void @23 = Upsilon(@22, ^10)
  Int32 @24 = Const32(40)
  Int32 @25 = LessThan(@22, @24)
  Void @26 = Branch(@25, #1, #3)
#3:
  Void @30 = Return(@22)
`;

test("a loop with two entries computes the right sum", (t) => {
  const module = parseModule(IRREDUCIBLE);
  const inputs = [0, 1].map((word) => ({ words: Int32Array.of(word, 0), heapSeed: 0 }));
  const { lines, judged } = differences(module, inputs);
  t.deepEqual({ lines, judged }, { lines: [], judged: 2 });
});

test("instructions without visible constants behave the same", (t) => {
  const hidden: InstructionsToHide = new Set([
    ...([
      "i32.add",
      "i32.xor",
      "i32.shr_u",
      "i32.rem_u",
      "i32.lt_s",
      "i64.sub",
      "i64.xor",
    ] as const),
    ...(["i64.shr_u", "i64.eq", "f32.copysign", "f32.mul", "f64.copysign", "f64.add"] as const),
  ]);
  for (let s = 0; s < 4; s++) {
    const { module, inputs } = programOf(FIRST_SEED + BigInt(s));
    t.true(exportWasm(module, hidden).bytes.length > exportWasm(module).bytes.length);
    t.deepEqual(
      differences(module, inputs, exportWasm(module, hidden)).lines,
      [],
      `seed ${FIRST_SEED + BigInt(s)}`,
    );
  }
});

test("a wrong row is detected", (t) => {
  const text =
    "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Int32 @1 = Neg(@0)\n  Void @2 = Return(@1)\n";
  const right = parseModule(text);
  const wrong = parseModule(text.replace("Neg(@0)", "Opaque(@0)"));
  const input = { words: Int32Array.of(5, 0), heapSeed: 0 };
  const expected = oracle.run(decodeModule(right), input, FUEL);
  t.is(judge(expected, runHere(wrong, [input], exportWasm(wrong))[0]).kind, "different");
});
