// Tests that a prepared program does the same, whatever is prepared or run in between.

import test from "ava";
import { PARTS } from "../../reference/parts.js";
import type { Input } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { printOutcome } from "../ir/text/run-line.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { ContinuationRunner } from "./continuations.js";
import { EmulatorCache } from "./emulator/emulators.js";
import { MachineRunners } from "./machine/runners.js";
import { subjectNamed } from "./subjects.js";
import { emulatorTest } from "./unicorn-available.js";
import { CompilationUnit } from "./unit.js";

/** A program that adds a number, and leaves by an exit whose continuation adds it once more. */
const program = (added: number, heapSize: number): CompilationUnit =>
  new CompilationUnit(
    parseModule(`touchstone 1
heap ${heapSize}
exit 0 resumes g

proc f(Int32 @0) -> Int32
snapshot s0 = exit 0 frames [f@0: @2]
#0:
  Int32 @1 = Const32(${added})
  Int32 @2 = Add(@0, @1)
  Void @3 = Check(@0) s0
  Void @4 = Return(@2)

proc g(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(${added})
  Int32 @2 = Add(@0, @1)
  Void @3 = Return(@2)
`),
  );

const INPUT: Input = { words: Int32Array.of(1, 0), heapSeed: 0 };
const FUEL = 1000;

emulatorTest(test)("a prepared program runs after others were prepared and run", (t) => {
  const oracle = new Oracle();
  const emulators = new EmulatorCache();
  // With "allocate", every continuation is LIR of another subject, so the test prepares those as
  // well.
  const runners = new MachineRunners(oracle);
  const continuations = new ContinuationRunner(oracle, runners, PARTS, true, "allocate");
  const shared = { oracle, parts: PARTS, emulators, runners, continuations, agree: () => false };
  const workshop = { ...shared, resumeFilter: null, checkAllocation: true };
  const opened = ["ir-O1", "x64-O0", "x64-O1", "arm64-O2", "lir-x64-O1", "alloc-arm64-O0"].map(
    (name) => subjectNamed(name)?.open(workshop),
  );
  const units = [program(10, 4096), program(20, 8192), program(30, 4096)];
  const prepared = opened.flatMap((open) => units.map((unit) => open?.prepare(unit)));
  const resultOf = (p: number): string => {
    const outcome = prepared[p]?.run(INPUT, 0, 4, FUEL);
    return outcome === undefined ? "nothing" : printOutcome(outcome);
  };
  const order = prepared.map((_, p) => p);
  // Forwards, backwards, and each again after another program.
  for (const p of [...order, ...order.toReversed(), ...order.flatMap((p) => [p, (p * 7) % 18])]) {
    const added = 10 * ((p % 3) + 1);
    const expected = `exit 0 [f@0: Const32(${1 + added})] then (${1 + 2 * added})`;
    t.true(resultOf(p).startsWith(expected), `${p}: ${resultOf(p)}, expected ${expected}`);
  }
  emulators.close();
  continuations.close();
});
