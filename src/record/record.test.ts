// Tests that a program with traces behaves as without, and that the actions of traces are counted.

import test from "ava";
import { generatedOf } from "../campaign/program/seeds.js";
import { judge } from "../compare/compare.js";
import { describeDifference } from "../compare/describe-difference.js";
import { fuelFor } from "../execute/fuel.js";
import { type Input, isJudged } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { assert } from "../support/assert.js";
import { ProgramFacts } from "./program-facts.js";
import { hotAt, type Thresholds, thresholdsOfSeed } from "./thresholds.js";
import { InterpretedTraces } from "./trace-runner.js";
import { TracingMachine } from "./tracing-machine.js";

type TracingFault = NonNullable<ConstructorParameters<typeof TracingMachine>[1]["fault"]>;

const oracle = new Oracle();

interface Ran {
  /** The difference; null if there is none. */
  readonly difference: string | null;
  readonly machine: TracingMachine;
}

/** Returns null if the execution is not judged. */
function runBoth(
  facts: ProgramFacts,
  input: Input,
  thresholds: Thresholds,
  fault: TracingFault | null = null,
): Ran | null {
  const expected = oracle.run(facts.program, input, DEFAULT_FUEL);
  if (!isJudged(expected)) return null;
  const fuelMax = fuelFor(Math.max(oracle.fuelUsed, oracle.resumedFuel));
  const runner = new InterpretedTraces(fuelMax);
  const machine = new TracingMachine(facts, { thresholds, runner, fault });
  const verdict = judge(expected, machine.run(input, fuelMax));
  const difference = verdict.kind === "different" ? describeDifference(verdict.difference) : null;
  return { difference, machine };
}

const PROGRAMS = 300n;

test("random programs: each trace is valid, and the observable behavior does not change", (t) => {
  const sum = { roots: 0, sides: 0, loops: 0, linked: 0, exits: 0, flushes: 0, failures: 0 };
  for (let seed = 0n; seed < PROGRAMS; seed++) {
    const { module, inputs } = generatedOf(seed);
    const facts = new ProgramFacts(module);
    const thresholds = thresholdsOfSeed(seed);
    for (const input of inputs) {
      const ran = runBoth(facts, input, thresholds);
      if (ran === null) continue;
      t.is(ran.difference, null, `seed ${seed}`);
      const { counts, traces } = ran.machine;
      for (const trace of traces) {
        t.deepEqual(verify(trace.module).map(describeFault), [], `seed ${seed}: ${trace.name}`);
      }
      sum.roots += counts.roots;
      sum.sides += counts.sides;
      sum.loops += counts.loops;
      sum.linked += counts.linked;
      sum.exits += counts.exits;
      sum.flushes += counts.flushes;
      sum.failures += Object.values(counts.failures).reduce((all, n) => all + n, 0);
    }
  }
  for (const [name, count] of Object.entries(sum)) t.true(count >= 3, `${name}: ${count}`);
});

const programOf = (text: string): { facts: ProgramFacts; module: Module; inputs: Input[] } => {
  const module = parseModule(text);
  const inputs = runLines(text, module).map(({ input }) => input);
  return { facts: new ProgramFacts(module), module, inputs };
};

/** Sums the results of a procedure that counts down recursively, from decreasing starts. */
const RECURSION = `touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Int32 @2 = Const32(1)
  Void @3 = Upsilon(@0, ^6)
  Void @4 = Upsilon(@1, ^7)
  Void @5 = Jump(#1)
#1:
  Int32 @6 = Phi()
  Int32 @7 = Phi()
  Int32 @8 = CCall(f, @6, @7)
  Int32 @9 = Sub(@6, @2)
  Void @10 = Upsilon(@9, ^6)
  Void @11 = Upsilon(@8, ^7)
  Void @12 = Branch(@6, #1, #2)
#2:
  Void @13 = Return(@8)
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Const32(1)
  Void @3 = Branch(@0, #1, #2)
#1:
  Int32 @4 = Sub(@0, @2)
  Int32 @5 = Add(@1, @0)
  Int32 @6 = CCall(f, @4, @5)
  Int32 @7 = Mul(@6, @1)
  Int32 @10 = Add(@7, @0)
  Void @8 = Return(@10)
#2:
  Void @9 = Return(@1)
; run: main(9)
; run: main(14)
`;

test("recursion: a trace links to itself, and its exits restore an activation for each call", (t) => {
  const { facts, inputs } = programOf(RECURSION);
  let frames = 0;
  for (const input of inputs) {
    for (const linksCalls of [true, false]) {
      for (const [recursionMax, returnsMax] of [0, 1, 4].flatMap((max) => [
        [max, 0],
        [max, 3],
      ])) {
        const limits = { linksCalls, recursionMax, returnsMax, framesMax: 6 };
        const ran = runBoth(facts, input, { ...hotAt(2), ...limits });
        t.is(ran?.difference, null);
        frames = Math.max(frames, ran?.machine.counts.frames ?? 0);
      }
    }
  }
  t.true(frames >= 5, `at most ${frames} activations were restored`);
});

/**
 * A loop that calls a procedure with a stack slot, which is not recorded, and one without slots.
 */
const CALLS = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Int32 @2 = Const32(1)
  Void @3 = Upsilon(@1, ^6)
  Void @4 = Upsilon(@1, ^7)
  Void @5 = Jump(#1)
#1:
  Int32 @6 = Phi()
  Int32 @7 = Phi()
  Int32 @8 = CCall(g, @6)
  Int32 @9 = CCall(h, @8, @7)
  Int32 @10 = Add(@6, @2)
  Void @11 = Upsilon(@10, ^6)
  Void @12 = Upsilon(@9, ^7)
  Int32 @13 = LessThan(@10, @0)
  Void @14 = Branch(@13, #1, #2)
#2:
  Void @15 = Return(@9)
proc g(Int32 @0) -> Int32
slot stack0 = anonymous 4
#0:
  Int64 @1 = SlotBase(stack0)
  Void @2 = Store(@0, @1)
  Int32 @3 = Load(@1)
  Void @4 = Return(@3)
proc h(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Const32(7)
  Int32 @3 = LessThan(@0, @2)
  Void @4 = Branch(@3, #1, #2)
#1:
  Int32 @5 = Add(@0, @1)
  Void @6 = Return(@5)
#2:
  Int32 @7 = Sub(@1, @0)
  Void @8 = Return(@7)
; run: f(30)
`;

test("calls: a trace calls procedures that are not recorded; an exit restores inlined activations", (t) => {
  const { facts, inputs } = programOf(CALLS);
  const ran = runBoth(facts, inputs[0], { ...hotAt(2), hotCall: 1000 });
  t.is(ran?.difference, null);
  const [trace] = ran?.machine.traces ?? [];
  t.is(trace?.end, "loop");
  const calls = trace?.module.entry.blocks.flatMap(({ values }) =>
    values.flatMap(({ procedure }) => procedure?.name ?? []),
  );
  t.deepEqual(calls, ["g", "g"], "in the first iteration, and in the loop");
  t.is(ran?.machine.counts.frames, 2);
});

test("discarded traces are recorded again, even if their activations are still active", (t) => {
  for (const text of [RECURSION, CALLS]) {
    const { facts, inputs } = programOf(text);
    for (const entriesPerFlush of [1, 2]) {
      const ran = runBoth(facts, inputs[0], { ...hotAt(2), entriesPerFlush, recursionMax: 1 });
      t.is(ran?.difference, null);
      t.true((ran?.machine.counts.flushes ?? 0) > 0);
    }
  }
});

/** Decrements a cell of the heap. */
const VOLATILE = `touchstone 1
proc f(Int64 @0, Int32 @1) -> Void
#0:
  Int32 @2 = Const32(1)
  Void @3 = Store(@1, @0)
  Void @4 = Jump(#1)
#1:
  Int32 @5 = LoadVolatile(@0)
  Int32 @6 = Sub(@5, @2)
  Void @7 = Store(@6, @0)
  Void @8 = Branch(@6, #1, #2)
#2:
  Void @9 = Return()
; run: f(heap, 30)
`;

test("volatile loads of traces are ordered with those of the interpreter", (t) => {
  const { facts, inputs } = programOf(VOLATILE);
  const ran = runBoth(facts, inputs[0], hotAt(2));
  t.is(ran?.difference, null);
  t.true((ran?.machine.counts.entries ?? 0) > 0);
});

/** The heap is not written, and the loaded value is not used. */
const VOLATILE_ALONE = `touchstone 1
proc f(Int64 @0, Int32 @1) -> Void
#0:
  Int32 @2 = Const32(1)
  Void @3 = Upsilon(@1, ^5)
  Void @4 = Jump(#1)
#1:
  Int32 @5 = Phi()
  Int32 @6 = LoadVolatile(@0)
  Int32 @7 = Sub(@5, @2)
  Void @8 = Upsilon(@7, ^5)
  Void @9 = Branch(@7, #1, #2)
#2:
  Void @10 = Return()
; run: f(heap, 30)
`;

test("each iteration of an unrolled trace has its volatile loads", (t) => {
  const { facts, inputs } = programOf(VOLATILE_ALONE);
  const ran = runBoth(facts, inputs[0], { ...hotAt(2), unrolls: true });
  t.is(ran?.difference, null);
  t.true((ran?.machine.counts.entries ?? 0) > 0);
});

/** Every other iteration calls another procedure. */
const ADDRESSES = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(1)
  Int64 @2 = FunctionAddress(more)
  Int64 @3 = FunctionAddress(less)
  Void @4 = Upsilon(@0, ^7)
  Void @5 = Upsilon(@1, ^8)
  Void @6 = Jump(#1)
#1:
  Int32 @7 = Phi()
  Int32 @8 = Phi()
  Int32 @9 = BitAnd(@7, @1)
  Int64 @10 = Select(@9, @2, @3)
  Int32 @11 = CallIndirect(@10, @8)
  Int32 @12 = Sub(@7, @1)
  Void @13 = Upsilon(@12, ^7)
  Void @14 = Upsilon(@11, ^8)
  Void @15 = Branch(@12, #1, #2)
#2:
  Void @16 = Return(@11)

proc more(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(3)
  Int32 @2 = Mul(@0, @1)
  Void @3 = Return(@2)

proc less(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(5)
  Int32 @2 = Sub(@0, @1)
  Void @3 = Return(@2)
; run: f(20)
`;

test("a trace calls the recorded callee, and leaves if the callee is another one", (t) => {
  const { facts, inputs } = programOf(ADDRESSES);
  const ran = runBoth(facts, inputs[0], hotAt(2));
  t.is(ran?.difference, null);
  t.true((ran?.machine.counts.sides ?? 0) > 0);
});

/**
 * A loop that calls g, then f at one of two places in turn; f calls g. So g becomes hot in a call
 * of f. The slot of main outlives the calls.
 */
const CALLERS = `touchstone 1
proc main(Int32 @0) -> Int32
slot stack0 = anonymous 4
#0:
  Int32 @1 = Const32(1)
  Int64 @2 = SlotBase(stack0)
  Void @3 = Store(@0, @2)
  Void @4 = Upsilon(@0, ^7)
  Void @5 = Upsilon(@1, ^8)
  Void @6 = Jump(#1)
#1:
  Int32 @7 = Phi()
  Int32 @8 = Phi()
  Int32 @9 = CCall(g, @7, @8)
  Int32 @10 = BitAnd(@7, @1)
  Void @11 = Branch(@10, #2, #3)
#2:
  Int32 @12 = CCall(f, @7, @9)
  Int32 @13 = Add(@12, @8)
  Void @14 = Upsilon(@13, ^20)
  Void @15 = Jump(#4)
#3:
  Int32 @16 = CCall(f, @9, @7)
  Int32 @17 = Sub(@16, @8)
  Void @18 = Upsilon(@17, ^20)
  Void @19 = Jump(#4)
#4:
  Int32 @20 = Phi()
  Int32 @21 = Sub(@7, @1)
  Void @22 = Upsilon(@21, ^7)
  Void @23 = Upsilon(@20, ^8)
  Void @24 = Branch(@21, #1, #5)
#5:
  Int32 @25 = Load(@2)
  Int32 @26 = Mul(@20, @25)
  Void @27 = Return(@26)
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = CCall(g, @0, @1)
  Int32 @3 = Sub(@2, @0)
  Void @4 = Return(@3)
proc g(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Const32(3)
  Int32 @3 = Mul(@0, @2)
  Int32 @4 = BitXor(@3, @1)
  Void @5 = Return(@4)
; run: main(40)
`;

/** The first trace begins in g, called by f. */
const HOT_CALLEE = { ...hotAt(2), hotLoop: 1000, linksCalls: false };

for (const returnsMax of [0, 1, 2, 3]) {
  test(`a trace returns below its beginning at most ${returnsMax} times, to the recorded calls`, (t) => {
    const { facts, inputs } = programOf(CALLERS);
    const ran = runBoth(facts, inputs[0], { ...HOT_CALLEE, linksCalls: true, returnsMax });
    assert(ran !== null, () => "not judged");
    t.is(ran.difference, null);
    const { counts, traces } = ran.machine;
    const [{ below, exits }] = traces;
    t.deepEqual(
      below.map(({ procedure }) => facts.module.procedures[procedure].name),
      ["f", "main"].slice(0, returnsMax),
    );
    t.is(exits.at(-1)?.replaces, 1 + below.length);
    t.is(exits.filter(({ kind }) => kind === "caller").length, below.length);
    t.is(counts.below > 0, returnsMax > 0);
    t.is(counts.callers > 0, returnsMax > 0);
    const others = traces.filter(({ parent }) => parent?.exit.kind === "caller");
    t.is(others.length > 0, returnsMax > 0, "a side trace returns to another call");
    for (const other of others) t.true(other.below.length > 0);
  });
}

test("a loop that passes through exits to callers does not nest the interpreter", (t) => {
  const { facts, inputs } = programOf(CALLERS.replace("main(40)", "main(10000)"));
  const ran = runBoth(facts, inputs[0], { ...HOT_CALLEE, linksCalls: true, returnsMax: 2 });
  t.is(ran?.difference, null);
  t.true((ran?.machine.counts.below ?? 0) > 10_000);
});

test("a trace does not return to an activation that is being recorded", (t) => {
  // The recording of f ends at the end of main, which then accesses no slot.
  const text = CALLERS.replace("main(40)", "main(3)").replace("Load(@2)", "Add(@7, @1)");
  const { facts, inputs } = programOf(text);
  const ran = runBoth(facts, inputs[0], { ...HOT_CALLEE, framesMax: 0, returnsMax: 1 });
  assert(ran !== null, () => "not judged");
  t.is(ran.difference, null);
  const [inner, outer] = ran.machine.traces;
  t.deepEqual(
    [inner, outer].map(({ points: [{ procedure }] }) => procedure),
    [2, 1],
    "f is recorded after g",
  );
  t.true(inner.exits.some(({ kind, taken }) => kind === "caller" && taken > 0));
});

/** g exits; its continuation calls a procedure that becomes hot. */
const CONTINUED = `touchstone 1
exit 0 resumes inner, outer

proc main(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(1)
  Void @2 = Upsilon(@0, ^5)
  Void @3 = Upsilon(@0, ^6)
  Void @4 = Jump(#1)
#1:
  Int32 @5 = Phi()
  Int32 @6 = Phi()
  Int32 @7 = CCall(g, @5)
  Int32 @8 = Add(@6, @7)
  Int32 @9 = Sub(@5, @1)
  Void @10 = Upsilon(@9, ^5)
  Void @11 = Upsilon(@8, ^6)
  Void @12 = Branch(@9, #1, #2)
#2:
  Void @13 = Return(@8)
proc g(Int32 @0) -> Int32
snapshot s0 = exit 0 frames [g@1: @0 | caller@2: Const32(1000)]
#0:
  Void @1 = Check(@0) s0
  Void @2 = Return(@0)
proc inner(Int32 @0) -> Int32
#0:
  Int32 @1 = CCall(same, @0)
  Int32 @2 = CCall(same, @1)
  Void @3 = Return(@2)
proc outer(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Sub(@0, @1)
  Void @3 = Return(@2)
proc same(Int32 @0) -> Int32
#0:
  Int32 @1 = Mul(@0, @0)
  Void @2 = Return(@1)
; run: main(20)
`;

test("a trace in a continuation does not return to the caller of the exit", (t) => {
  const { facts, inputs } = programOf(CONTINUED);
  const ran = runBoth(facts, inputs[0], { ...HOT_CALLEE, returnsMax: 4 });
  assert(ran !== null, () => "not judged");
  t.is(ran.difference, null);
  const [{ end, below }] = ran.machine.traces;
  t.is(end, "return");
  t.deepEqual(
    below.map(({ procedure }) => facts.module.procedures[procedure].name),
    ["inner"],
  );
});

const FAULTS: readonly TracingFault[] = [
  "exchanged-slots",
  "missing-guard",
  "missing-callee",
  "loop-value",
  "missing-frame",
  "endless-penalty",
];

for (const fault of FAULTS) {
  test(`planted: ${fault}`, (t) => {
    const limits = { attemptsMax: 2, valuesMax: fault === "endless-penalty" ? 3 : 400 };
    let found = 0;
    for (const text of [RECURSION, CALLS, ADDRESSES]) {
      const { facts, inputs } = programOf(text);
      for (const hotCall of [2, 1000]) {
        const ran = runBoth(facts, inputs[0], { ...hotAt(1), ...limits, hotCall }, fault);
        if (ran?.difference !== null) found++;
      }
    }
    t.true(found > 0);
  });
}
