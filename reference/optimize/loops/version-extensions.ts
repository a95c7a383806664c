// Tests before a loop whether the sums and products that index memory wrap around in any iteration,
// and enters one of two versions of the loop.
//
// Has the assumptions of version-counted-loops.ts. An index is linear in the 32-bit counter, and
// sign-extended for an address whose base comes from outside. Every iteration computes the address.
// In the original each index takes an operation and an extension in each iteration, because it may
// wrap around.
//
// 1. The exact number of an index, in 64 bits without overflow (MAGNITUDE_MAX), is linear in the
//    counter. So if it fits in 32 bits for the first and for the last iteration, it fits for all
//    between, and the extended index equals it.
// 2. If that holds, and the counter does not overflow, a copy of the loop runs. Its addresses
//    are the row's plus the counter, or variables (linear-addresses.ts). Otherwise the original
//    runs.
//
// A loop is not versioned again if the branch before it tests that.

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import { isInEachIteration } from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { type ExactNumberBuilder, MAGNITUDE_MAX, magnitudeOf } from "./exact-numbers.js";
import { isInFrame, partsOf } from "./linear-addresses.js";
import {
  branchTests,
  type EndIterations,
  type IterationTest,
  type VersionSite,
  versionCountedLoops,
} from "./version-counted-loops.js";

/**
 * The maximum number of indices that are tested together, because each address may take a register.
 */
const INDICES_MAX = 3;

const WRAP_TEST: IterationTest = {
  name: "version-extensions",
  mayApply: (value) => partsOf(value, Op.SExt32) !== null,
  isDone: isTested,
  valuesOf: indicesOf,
  conditionsOf,
  simplifyCopy: (indices) => indices,
  extension: Op.SExt32,
};

export const versionExtensions = (proc: Procedure, context: OptimizeContext): boolean =>
  versionCountedLoops(proc, context, WRAP_TEST);

/**
 * Returns the indices that addresses of each iteration extend, except the counter, which needs only
 * its extension.
 */
function indicesOf({ loops, loop, counter: { phi }, isInvariant }: VersionSite): Value[] {
  const found: Value[] = [];
  for (const block of loop.blocks) {
    if (block === loop.header || !isInEachIteration(loops, loop, block)) continue;
    for (const value of block.values) {
      const parts = partsOf(value, Op.SExt32);
      if (parts === null || found.includes(parts.index)) continue;
      const { base, index } = parts;
      if (!isInvariant(base) || isInFrame(base) || index === phi || isInvariant(index)) continue;
      if (found.length === INDICES_MAX) return found;
      if (magnitudeOf(index, phi, isInvariant) <= MAGNITUDE_MAX) found.push(index);
    }
  }
  return found;
}

/** True if the branch before the loop tests whether an extension changes a number. */
function isTested(preheader: BasicBlock): boolean {
  return branchTests(
    preheader,
    ({ opcode, a, b }) =>
      opcode === Op.NotEqual && [a, b].some((operand) => operand?.opcode === Op.SExt32),
  );
}

function conditionsOf(
  indices: readonly Value[],
  { first, last }: EndIterations,
  exact: ExactNumberBuilder,
): Value[] {
  const conditions: Value[] = [];
  for (const index of indices) {
    for (const at of [first, last]) {
      const number = exact.of(index, at);
      const low = exact.make(Op.Trunc, Int32, number);
      const again = exact.make(Op.SExt32, Int64, low);
      conditions.push(exact.make(Op.NotEqual, Int32, again, number));
    }
  }
  return conditions;
}
