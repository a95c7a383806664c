// Tests before a loop whether an index leaves its array in any iteration, and enters one of two
// versions of the loop (loop predication).
//
// Assumes a valid program in any form of Phi. The loop has no inner loop and one back edge. It
// exits at its header unless `k < n` or `k <= n`, signed, for a variable k to which each iteration
// adds a step. A guard exits if `index >= length`, unsigned; n, step and length come from outside,
// and the index is linear in k.
//
// 1. After the header k lies between its start and n - 1 (or n), if the step is not negative and
//    the last sum does not overflow. If that is not certain, the branch tests it.
// 2. The exact number of an index, in 64 bits without overflow (MAGNITUDE_MAX), is linear in k.
//    So if it is below the length, unsigned, for the first and for the last k, it is below for all
//    between, and equals the index.
// 3. If all conditions hold, a copy of the loop without the guards runs; else the original. No
//    guard moves or is evaluated earlier: the values before the loop are total.
// 4. In the copy, if an index is the start of a row plus k, the row's address is computed
//    outside. An address whose index is a multiple of k becomes an induction variable.
//
// A loop is not versioned again if the branch before it tests that length.

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32 } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import type { DuplicateBlocks } from "../edit/duplicate-blocks.js";
import { isNatural } from "./counted-loops.js";
import { type ExactNumberBuilder, MAGNITUDE_MAX, magnitudeOf } from "./exact-numbers.js";
import {
  branchTests,
  type EndIterations,
  type IterationTest,
  type VersionSite,
  versionCountedLoops,
} from "./version-counted-loops.js";

/** The maximum number of guards that are tested together. */
const GUARDS_MAX = 4;

const BOUNDS_TEST: IterationTest = {
  name: "predicate-bounds-checks",
  mayApply: ({ opcode, a }) => opcode === Op.Check && boundOf(a) !== null,
  isDone: () => false, // guards with other lengths may remain
  valuesOf: guardsOf,
  conditionsOf,
  simplifyCopy: withoutGuards,
  extension: Op.ZExt32,
};

export const predicateBoundsChecks = (proc: Procedure, context: OptimizeContext): boolean =>
  versionCountedLoops(proc, context, BOUNDS_TEST);

function guardsOf({ loop, preheader, counter: { phi }, isInvariant }: VersionSite): Value[] {
  const found: Value[] = [];
  for (const block of loop.blocks) {
    if (block === loop.header) continue; // there the counter may have its final value
    for (const value of block.values) {
      const bound = value.opcode === Op.Check ? boundOf(value.a) : null;
      if (bound === null || found.length === GUARDS_MAX) continue;
      const { index, length } = bound;
      if (!isInvariant(length) || isInvariant(index) || isTested(length, preheader)) continue;
      if (magnitudeOf(index, phi, isInvariant) <= MAGNITUDE_MAX) found.push(value);
    }
  }
  return found;
}

interface IndexBound {
  readonly index: Value;
  readonly length: Value;
}

function boundOf(condition: Value | null): IndexBound | null {
  if (condition === null) return null;
  const { opcode, a, b } = condition;
  if (a === null || b === null || a.type !== Int32) return null;
  if (opcode === Op.AboveEqual) return { index: a, length: b };
  return opcode === Op.BelowEqual ? { index: b, length: a } : null;
}

/** True if the branch before the loop compares an index with that length. */
const isTested = (length: Value, preheader: BasicBlock): boolean =>
  branchTests(
    preheader,
    ({ opcode, b }) => opcode === Op.AboveEqual && b?.opcode === Op.ZExt32 && b.a === length,
  );

function conditionsOf(
  guards: readonly Value[],
  { counter, first, last }: EndIterations,
  exact: ExactNumberBuilder,
): Value[] {
  const conditions: Value[] = [];
  for (const guard of guards) {
    const bound = boundOf(guard.a);
    if (bound === null) continue;
    const length = exact.unsigned(bound.length);
    // Whether the index counts up from 0 or more, so that its last value is the greatest.
    const isRising = bound.index === counter.phi && isNatural(counter.start);
    for (const end of isRising ? [last] : [first, last]) {
      conditions.push(exact.make(Op.AboveEqual, Int32, exact.of(bound.index, end), length));
    }
  }
  return conditions;
}

function withoutGuards(guards: readonly Value[], copy: DuplicateBlocks): Value[] {
  for (const guard of guards) copy.values.get(guard)?.becomesNop();
  return guards.flatMap(({ a }) => boundOf(a)?.index ?? []);
}
