// Tests reduction: the properties that it keeps, its limits, and the size of reduced planted bugs.

import test from "ava";
import { CANARIES, plantedBy } from "../campaign/canary/canaries.js";
import type { Canary } from "../campaign/canary/canary.js";
import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import { SUBJECTS } from "../execute/subjects.js";
import { emulatorTest } from "../execute/unicorn-available.js";
import { generateProgram, type Program } from "../generate/generate-program.js";
import { type Input, isJudged, type Outcome } from "../ir/outcome.js";
import { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { printOutcome } from "../ir/text/run-line.js";
import { tidy } from "../ir/tidy.js";
import { verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { InternalError } from "../support/assert.js";
import { SeedSource } from "../support/source.js";
import { trials } from "../support/trials.js";
import { type Candidate, cloneCandidate, valueCount } from "./candidate.js";
import { costOf } from "./cost.js";
import {
  calleesToEntry,
  dropCalledParameters,
  dropResults,
  indirectToDirect,
} from "./drop-calls.js";
import { dropCases, switchesToBranch } from "./drop-control.js";
import { argumentsToParameter, patchpointsToReturn } from "./drop-patchpoints.js";
import { narrowTypes } from "./narrow-types.js";
import { reduceProgram, signatureIn } from "./reduce.js";
import { reducersOf } from "./reducers.js";
import { renumberModule } from "./renumber.js";
import type { CandidateEdit } from "./schedule.js";
import { type ReductionSignature, signatureOfError, signaturesIn } from "./signature.js";

const FUEL = 100_000;
const programOf = (seed: number): Program => generateProgram(new SeedSource(BigInt(seed)));
/** The tests share these programs and must not change them. */
const PROGRAMS = Array.from({ length: 40 }, (_, seed) => programOf(seed));
/** The number of these programs on which edits are tried. */
const EDITED = trials(5, 40);
const TEXTS = PROGRAMS.map(({ module }) => printModule(module));

const oracle = new Oracle();

function outcomesOf({
  module,
  inputs,
}: Readonly<{ module: Module; inputs: readonly Input[] }>): Outcome[] {
  const program = decodeModule(module);
  return inputs.map((input) => oracle.run(program, input, FUEL));
}

/** Returns the oracle's outcomes of a program, on all its inputs, including events and whole heaps. */
function observe(candidate: Candidate): string[] {
  return outcomesOf(candidate).map((outcome) => {
    const { ending } = outcome;
    const heap = "heap" in ending ? Buffer.from(ending.heap.bytes).toString("base64") : "";
    return `${printOutcome(outcome)} ${heap}`;
  });
}

test("tidying and new numbers change nothing that is observed", (t) => {
  for (let seed = 0; seed < trials(40, 400); seed++) {
    const program = programOf(seed);
    const expected = observe(program);
    const tidied = cloneCandidate(program);
    tidy(tidied.module, seed % 2 === 0);
    const { inputs } = tidied;
    const renumbered = { module: renumberModule(tidied.module), inputs };
    for (const changed of [tidied, renumbered]) {
      t.deepEqual(verify(changed.module), [], `seed ${seed}`);
      t.deepEqual(observe(changed), expected, `seed ${seed}`);
    }
  }
});

test("new numbers have no gaps", (t) => {
  const { module, inputs } = programOf(3);
  const tidied = cloneCandidate({ module, inputs });
  tidy(tidied.module, false);
  const renumbered = renumberModule(tidied.module);
  for (const {
    valueIdEnd,
    blocks,
    blockIdEnd,
    snapshots,
    snapshotIdEnd,
  } of renumbered.procedures) {
    t.is(blocks.length, blockIdEnd);
    t.is(snapshots.length, snapshotIdEnd);
    t.true(valueIdEnd > 0);
  }
  t.is(
    valueCount(renumbered),
    renumbered.procedures.reduce((sum, { valueIdEnd }) => sum + valueIdEnd, 0),
  );
});

// Invalid candidates are never run; but no edit may throw, or change another candidate than the one on which it was
// listed.
for (const { name, edits } of reducersOf(new Module())) {
  test(`${name}: edits apply one by one and all together`, (t) => {
    let proposed = 0;
    let valid = 0;
    for (const program of PROGRAMS.slice(0, EDITED)) {
      const count = edits(cloneCandidate(program)).length;
      const step = Math.max(1, count >> 2);
      for (let e = 0; e < count + step; e += step) {
        const clone = cloneCandidate(program);
        const all = edits(clone);
        if (e < count) all[e]();
        else for (let k = count - 1; k >= 0; k--) all[k]();
        tidy(clone.module, false);
        proposed++;
        if (verify(clone.module).length === 0) valid++;
      }
    }
    t.true(proposed > 0, "proposes nothing");
    t.true(valid > 0, "proposes nothing valid");
  });
}

test("edits have changed only the clones on which they were listed", (t) => {
  t.deepEqual(
    PROGRAMS.map(({ module }) => printModule(module)),
    TEXTS,
  );
});

test("a smaller program costs less", (t) => {
  const cost = (body: string): number => {
    const module = parseModule(`touchstone 1\nproc f() -> Int32\n#0:\n${body}`);
    return costOf({ module, inputs: [] });
  };
  const returns = (constant: number): string =>
    `Int32 @0 = Const32(${constant})\nVoid @1 = Return(@0)\n`;
  const costs = [returns(0), returns(1), returns(5), returns(-5), returns(1 << 30)].map(cost);
  t.deepEqual(
    costs,
    [...costs].sort((x, y) => x - y),
  );
  const sum = "Int32 @0 = Const32(0)\nInt32 @1 = Add(@0, @0)\nVoid @2 = Return(@1)\n";
  t.true(cost(sum) > costs[costs.length - 1]);
});

test("patchpoints that return become a Return, registers of arguments become parameters", (t) => {
  const text = (value: string, end: string): string =>
    `touchstone 1\n\nproc f(Double @0, Int64 @1) -> Double\n#0:\n${value}${end}\n`;
  const register = "  Int64 @2 = ArgumentReg(%a0)\n";
  const before = text(
    `${register}  Double @3 = BitwiseCast(@2)\n  Int64 @4 = Const64(0)\n`,
    "  Void @5 = PatchpointReturn(returnMixed, @3, @0, @4)",
  );
  const candidate = { module: parseModule(before), inputs: [] };
  for (const edit of [...patchpointsToReturn(candidate), ...argumentsToParameter(candidate)])
    edit();
  tidy(candidate.module, false);
  t.is(
    printModule(candidate.module),
    text("  Double @3 = BitwiseCast(@1)\n", "  Void @5 = Return(@3)"),
  );
});

const WIDE = `touchstone 1

proc main(Int64 @0, Double @1, Int32 @2) -> Int64
snapshot s0 = exit 0 frames [main@1: @4]
#0:
  Int64 @3 = SExt32(@2)
  Int64 @4 = Add(@0, @3)
  Int32 @5 = TruncHigh(@4)
  Void @6 = Check(@5) s0
  Double @7 = ConstDouble(2.5)
  Double @8 = Mul(@1, @7)
  Int64 @9 = CCall(g, @8)
  Int64 @10 = Load(@9)
  Int64 @11 = Const64(-3)
  Int64 @12 = Sub(@4, @11)
  Void @13 = Store(@10, @9)
  Void @14 = Return(@12)

proc g(Double @0) -> Int64
#0:
  Int64 @1 = TruncS64(@0)
  Void @2 = Return(@1)
`;

const NARROW = `touchstone 1

proc main(Int32 @0, Float @1, Int32 @2) -> Int32
snapshot s0 = exit 0 frames [main@1: @4]
#0:
  Int32 @4 = Add(@0, @2)
  Int32 @5 = Const32(0)
  Void @6 = Check(@5) s0
  Float @7 = ConstFloat(2.5)
  Float @8 = Mul(@1, @7)
  Int64 @9 = CCall(g, @8)
  Int32 @10 = Load(@9)
  Int32 @11 = Const32(-3)
  Int32 @12 = Sub(@4, @11)
  Void @13 = Store(@10, @9)
  Void @14 = Return(@12)

proc g(Float @0) -> Int64
#0:
  Int64 @1 = TruncS64(@0)
  Void @2 = Return(@1)
`;

test("types become narrower, inputs with them, where they are not given from outside", (t) => {
  const words = Int32Array.of(7, 1, 0, 0x3ff8_0000, 9, 0);
  const candidate = { module: parseModule(WIDE), inputs: [{ words, heapSeed: 0 }] };
  const edits = narrowTypes(candidate);
  t.is(edits.length, 3); // the addresses are not changed
  for (const edit of edits) edit();
  tidy(candidate.module, false);
  t.is(printModule(candidate.module), NARROW);
  t.deepEqual([...candidate.inputs[0].words], [7, 0, 0x3fc0_0000, 0, 9, 0]);
});

const CALLS = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(5)
  Int64 @2 = FunctionAddress(g)
  Int64 @3 = FunctionAddress(h)
  Int64 @4 = Select(@0, @2, @3)
  Int32 @5 = CallIndirect(@4, @1, @0)
  Int32 @6 = CCall(g, @1, @5)
  Void @7 = Switch(@6, 0: #1, 7: #2, default: #1)
#1:
  Void @8 = Return(@6)
#2:
  Void @9 = Return(@1)
proc g(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Add(@0, @1)
  Void @3 = Return(@2)
proc h(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Sub(@0, @1)
  Void @3 = Return(@2)
proc k() -> Void
#0:
  Void @0 = CCall(l)
  Void @1 = Return()
proc l() -> Void
#0:
  Void @0 = CCall(k)
  Void @1 = CCall(l)
  Void @2 = Return()
`;

/** Returns the tidied program CALLS after all edits of the reducer, applied from the last to the first. */
function editedCalls(edits: (candidate: Candidate) => readonly CandidateEdit[]): Candidate {
  const inputs = [0, 9].map((x) => ({ words: Int32Array.of(x, 0), heapSeed: 0 }));
  const candidate = { module: parseModule(CALLS), inputs };
  tidy(candidate.module, false);
  for (const edit of edits(candidate).toReversed()) edit();
  tidy(candidate.module, false);
  return candidate;
}

const headsOf = ({ module }: Candidate): string[] =>
  printModule(module)
    .split("\n")
    .filter((line) => line.startsWith("proc "));

// biome-ignore format: a table
const CALL_EDITS = [
  { what: "nothing but tidying", edits: () => [], result: "10", heads: ["f(Int32 @0) -> Int32", "g(Int32 @0, Int32 @1) -> Int32", "h(Int32 @0, Int32 @1) -> Int32"] },
  { what: "arguments into callees", edits: dropCalledParameters("argument"), result: "10", heads: ["f(Int32 @0) -> Int32", "g(Int32 @1) -> Int32", "h(Int32 @1) -> Int32"] },
  { what: "zeroes for parameters", edits: dropCalledParameters("zero"), result: "0", heads: ["f(Int32 @0) -> Int32", "g() -> Int32", "h() -> Int32"] },
  { what: "calls of one callee", edits: indirectToDirect(1), result: "10", heads: ["f(Int32 @0) -> Int32", "g(Int32 @0, Int32 @1) -> Int32"] },
  { what: "the callee as entry", edits: calleesToEntry, result: "5", heads: ["g(Int32 @0, Int32 @1) -> Int32"] },
  { what: "no results", edits: dropResults, result: "void", heads: ["f(Int32 @0) -> Void", "g(Int32 @0, Int32 @1) -> Void", "h(Int32 @0, Int32 @1) -> Void"] },
  { what: "no cases", edits: dropCases, result: "10", heads: ["f(Int32 @0) -> Int32", "g(Int32 @0, Int32 @1) -> Int32", "h(Int32 @0, Int32 @1) -> Int32"] },
];

for (const { what, edits, result, heads } of CALL_EDITS) {
  test(`both sides of calls change together: ${what}`, (t) => {
    const edited = editedCalls(edits);
    t.deepEqual(verify(edited.module), []);
    t.deepEqual(
      headsOf(edited),
      heads.map((head) => `proc ${head}`),
    );
    t.is(observe(edited)[0].split(" ")[0], result);
  });
}

test("a Switch of one case becomes a Branch", (t) => {
  const edited = editedCalls((candidate) => [
    () => {
      for (const edit of switchesToBranch(candidate)) edit();
    },
    dropCases(candidate)[1],
  ]);
  t.deepEqual(verify(edited.module), []);
  t.regex(printModule(edited.module), /Branch\(@6, #1, #1\)/);
});

interface Hit {
  readonly canary: Canary;
  readonly program: Program;
  readonly options: JudgeOptions;
  /** The signature of every difference that the program shows. */
  readonly signatures: readonly ReductionSignature[];
}

let cachedHits: readonly Hit[] | null = null;
/** One planted bug of this many is reduced, and those of REQUIRED. */
const EVERY = trials(6, 1);
/** At least this many planted bugs must be found by some program. */
const SEEN_MIN = trials(5, 14);
/** One found bug of this many is reduced. */
const REDUCED = trials(2, 1);
/** A bug that a test names, and those that show two aspects in few programs. */
const REQUIRED = ["move-order", "guard-ignored", "encoding-width"];
const isRequired = ({ name }: Canary): boolean => REQUIRED.includes(name);

/** Returns one hit for each planted bug that some program shows, and one that shows it with two aspects. */
function hits(): readonly Hit[] {
  cachedHits ??= CANARIES.filter((canary, c) => c % EVERY === 0 || isRequired(canary)).flatMap(
    hitsOf,
  );
  return cachedHits;
}

function hitsOf(canary: Canary): Hit[] {
  const subjects = SUBJECTS.filter(({ name }) => canary.subjects.includes(name)).slice(0, 2);
  const options = { subjects, fuelMax: FUEL, ...plantedBy(canary) };
  const judge = new Judge(options);
  const found: Hit[] = [];
  for (const program of PROGRAMS) {
    const signatures = signaturesOf(judge, program);
    if (signatures.length > 0) found.push({ canary, program, options, signatures });
    if (found.some(showsTwo) || (found.length > 0 && canary.about.length === 1)) break;
  }
  judge.close();
  return found;
}

const showsTwo = ({ signatures }: Hit): boolean => new Set(signatures.map(aspectOf)).size > 1;

/** Returns the first hit of each bug. */
const firstHits = (): Hit[] => hits().filter(({ canary }, h, all) => canary !== all[h - 1]?.canary);

/** Returns all signatures. The checker of allocations finds some bugs, and throws. */
function signaturesOf(judge: Judge, { module, inputs }: Program): ReductionSignature[] {
  try {
    return signaturesIn(judge.judge({ module, inputs }));
  } catch (error) {
    if (error instanceof InternalError) return [signatureOfError(error)];
    throw error;
  }
}

/** Returns options with only the subject that the signature names. */
const onlyItsSubject = (options: JudgeOptions, signature: ReductionSignature): JudgeOptions =>
  signature.kind !== "difference"
    ? options
    : { ...options, subjects: options.subjects.filter(({ name }) => name === signature.subject) };

const aspectOf = (signature: ReductionSignature): string | null =>
  signature.kind === "difference" ? signature.aspect : null;

const withEmulator = emulatorTest(test);

withEmulator("planted bugs are reduced to at most 15 values, and keep their signatures", (t) => {
  const seen = firstHits();
  t.true(seen.length >= SEEN_MIN, `only ${seen.length} canaries were found`);
  const sizes: number[] = [];
  for (const { canary, program, options } of seen.filter((_, h) => h % REDUCED === 0)) {
    const text = printModule(program.module);
    const { module, inputs } = program;
    const reduced = reduceProgram(module, inputs, options);
    t.is(printModule(module), text, `${canary.name}: the original program has changed`);
    if (reduced === null) {
      t.fail(`${canary.name}: not seen again`);
      continue;
    }
    sizes.push(valueCount(reduced.module));
    t.deepEqual(verify(reduced.module), []);
    t.is(reduced.inputs.length, 1, canary.name);
    t.true(outcomesOf(reduced).every(isJudged), canary.name);
    // The program is parsed from text, because the report contains text. It may also show other differences by now, but
    // must show the one for which it was reduced.
    const { signature } = reduced;
    const again = { module: parseModule(printModule(reduced.module)), inputs: reduced.inputs };
    t.deepEqual(signatureIn(again, onlyItsSubject(options, signature)), signature, canary.name);
  }
  sizes.sort((x, y) => x - y);
  t.true(sizes[sizes.length >> 1] <= 15, `values: ${sizes.join(" ")}`);
});

withEmulator("a reduction gives the same program every time, within its tests", (t) => {
  const hit = firstHits().find(({ canary }) => canary.name === "move-order");
  if (hit === undefined) return t.fail("not seen");
  const { module, inputs } = hit.program;
  const first = reduceProgram(module, inputs, hit.options);
  const second = reduceProgram(module, inputs, hit.options);
  t.truthy(first);
  t.is(first && printModule(first.module), second && printModule(second.module));
  const short = reduceProgram(module, inputs, { ...hit.options, testsMax: 20 });
  t.true(short !== null && first !== null && short.tests < 40 && first.tests > 40);
});

withEmulator("the given aspect remains, although another is found first", (t) => {
  const wide = hits().filter((hit) => hit.canary.about.length > 1 && showsTwo(hit));
  t.true(wide.length >= 3, wide.map(({ canary }) => canary.name).join());
  for (const { program, options, signatures } of wide) {
    const first = aspectOf(signatures[0]);
    const aspect = signatures.map(aspectOf).find((other) => other !== first) ?? null;
    const reduced = reduceProgram(program.module, program.inputs, { ...options, aspect });
    t.is(reduced && aspectOf(reduced.signature), aspect);
  }
});

test("a program without a difference is not reduced", (t) => {
  const { module, inputs } = programOf(1);
  const subjects = SUBJECTS.filter(({ name }) => name === "ir-O1");
  t.is(reduceProgram(module, inputs, { subjects, fuelMax: FUEL }), null);
});
