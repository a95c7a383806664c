// Exports programs and runs them with the WebAssembly of this process. The programs are generated
// seeds and the programs of the corpus with expectations, including opcodes at their boundary
// values. The observation must equal the oracle's.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
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
import { decodeObservation } from "../observation.js";
import { ENDED } from "../status.js";
import { exportWasi, exportWasm, HEAD_BYTES } from "./export-wasm.js";
import { type Hidden, NOTHING_HIDDEN } from "./hidden.js";
import { RECORD_LIMIT, RECORD_NEXT, STATUS } from "./layout.js";

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
/** One in this many programs of a corpus folder runs; in corpus/regress all run. */
const EVERY = trials(2, 1);
const FIRST_SEED = 700_000n;

const oracle = new Oracle();

/** Returns the outcome of the exported module for each input. */
function runHere(module: Module, inputs: readonly Input[], hidden = NOTHING_HIDDEN): Outcome[] {
  const { bytes, layout } = exportWasm(module, hidden);
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
  hidden = NOTHING_HIDDEN,
): { lines: string[]; judged: number; outcomes: ReadonlyMap<Input, Outcome> } {
  const program = decodeModule(module);
  const expected = inputs.map((input) => oracle.run(program, input, FUEL));
  const judged = inputs.flatMap((_, i) => (unjudged(expected[i]) === null ? [i] : []));
  const actual = runHere(
    module,
    judged.map((i) => inputs[i]),
    hidden,
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
  const hidden: Hidden = new Set([
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
    t.deepEqual(differences(module, inputs, hidden).lines, [], `seed ${FIRST_SEED + BigInt(s)}`);
  }
});

test("a wrong row is detected", (t) => {
  const text =
    "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Int32 @1 = Neg(@0)\n  Void @2 = Return(@1)\n";
  const right = parseModule(text);
  const wrong = parseModule(text.replace("Neg(@0)", "Opaque(@0)"));
  const input = { words: Int32Array.of(5, 0), heapSeed: 0 };
  const expected = oracle.run(decodeModule(right), input, FUEL);
  t.is(judge(expected, runHere(wrong, [input])[0]).kind, "different");
});
