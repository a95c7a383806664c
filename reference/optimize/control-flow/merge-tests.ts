// Merges two branches that test whether one integer lies in a range.
//
//   if (x >= 48) if (x <= 57) A else B else B      becomes      if (x >= 48 && x <= 57) A else B
//
// Assumes edge form without critical edges. The first branch is the only predecessor of the second
// one. Both lead to one join, with the same inputs for its Phis. The block of the second branch
// contains only values that may be computed without need. Rules must merge the two comparisons into
// one (formOneTest); otherwise two branches are cheaper, because often one is enough. A comparison
// that leads to the join if it holds is inverted first.
//
// It terminates because each application removes a branch.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, isInteger } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { mergeWithSuccessor, removeBlocks } from "../edit/edit-blocks.js";
import { resolve, sweep } from "../edit/sweep.js";
import { areOrdered, beginApart, differInOneBit } from "../rules/conditions.js";
import { inputFrom, isArm, speculatedIn } from "./arms.js";

const NAME = "merge-tests";
/** The maximum number of values in the second block, without constants. */
const VALUES_MAX = 2;

export function mergeTests(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  const gone = new Uint8Array(proc.blocks.length);
  // The second branch comes after the first in the order, and may itself be the first of a pair.
  for (let i = order.length - 1; i >= 0; i--) {
    const merged = gone[order[i].index] === 0 ? mergedAt(order[i]) : null;
    if (merged === null) continue;
    if (!context.claim(NAME, order[i].last)) break;
    for (const { index } of merge(proc, order[i], merged)) gone[index] = 1;
  }
  if (!gone.includes(1)) return false;
  removeBlocks(proc, gone);
  sweep(proc);
  return true;
}

interface MergedBranches {
  readonly second: BasicBlock;
  /** The conditions for the path through `second` to `onward`, in order. */
  readonly conditions: readonly [PathCondition, PathCondition];
  /** The successor if both conditions hold. */
  readonly onward: BasicBlock;
  /** The arms to the join: the first branch's, and the second branch's, which is removed. */
  readonly aside: BasicBlock;
  readonly dropped: BasicBlock;
}

/** A comparison with a constant, inverted if the path requires that it does not hold. */
interface PathCondition {
  readonly comparison: Value;
  readonly opcode: Opcode;
  readonly a: Value;
  readonly b: Value;
}

const INVERTED: ReadonlyMap<Opcode, Opcode> = new Map(
  (
    [
      [Op.GreaterEqual, Op.LessThan],
      [Op.LessEqual, Op.GreaterThan],
      [Op.Above, Op.BelowEqual],
      [Op.NotEqual, Op.Equal],
    ] as const
  ).flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]),
);

function mergedAt(block: BasicBlock): MergedBranches | null {
  if (block.last.opcode !== Op.Branch) return null;
  for (let s = 0; s < 2; s++) {
    const second = block.successors[s];
    const aside = block.successors[1 - s];
    if (second === aside || second === block || !isSecond(second) || !isArm(aside)) continue;
    for (let t = 0; t < 2; t++) {
      const dropped = second.successors[t];
      const onward = second.successors[1 - t];
      if (!isArm(dropped) || dropped === onward || !areSame(aside, dropped)) continue;
      const first = pathCondition(block.last.a, s === 0);
      const then = pathCondition(second.last.a, t === 1);
      if (first === null || then === null || !formOneTest(first, then)) continue;
      return { second, conditions: [first, then], onward, aside, dropped };
    }
  }
  return null;
}

const isSecond = (block: BasicBlock): boolean =>
  block.last.opcode === Op.Branch &&
  block.predecessors.length === 1 &&
  speculatedIn(block, VALUES_MAX) <= VALUES_MAX &&
  !block.values.some(({ opcode }) => opcode === Op.Upsilon);

/** True if both arms only write the same values to the Phis of one join. */
function areSame(one: BasicBlock, other: BasicBlock): boolean {
  const [join] = one.successors;
  if (join !== other.successors[0] || !isEmpty(one) || !isEmpty(other)) return false;
  for (let i = 0; i < join.values.length && join.values[i].opcode === Op.Phi; i++) {
    if (inputFrom(one, join.values[i]) !== inputFrom(other, join.values[i])) return false;
  }
  return true;
}

const isEmpty = (arm: BasicBlock): boolean => speculatedIn(arm, 0) === 0;

function pathCondition(condition: Value | null, holds: boolean): PathCondition | null {
  const comparison = condition === null ? null : resolve(condition);
  if (comparison === null || comparison.a === null || comparison.b === null) return null;
  const a = resolve(comparison.a);
  const b = resolve(comparison.b);
  const inverted = INVERTED.get(comparison.opcode);
  if (inverted === undefined || !b.isConstant || !isInteger(b.type)) return null;
  return { comparison, opcode: holds ? comparison.opcode : inverted, a, b };
}

// The side conditions under which rules merge two comparisons into one (reference/optimize/rules).
const { holds: isRange } = areOrdered("c", "d");
const { holds: areApart } = beginApart("c", "d", "e");
const { holds: areNear } = differInOneBit("c", "d");

function formOneTest(first: PathCondition, then: PathCondition): boolean {
  const { opcode, a, b } = first;
  if (opcode === Op.GreaterEqual)
    return then.opcode === Op.LessEqual && a === then.a && isRange(a, b, then.b, b);
  if (opcode === Op.LessEqual)
    return then.opcode === Op.GreaterEqual && a === then.a && isRange(a, then.b, b, b);
  if (opcode !== then.opcode) return false;
  if (opcode === Op.NotEqual) return a === then.a && areNear(a, b, then.b, b);
  return opcode === Op.Above && areRangesApart(first, then);
}

/** True if the ranges of x + c > e and x + d > e begin a power of two apart. */
function areRangesApart({ a, b }: PathCondition, { a: other, b: size }: PathCondition): boolean {
  if (
    a.opcode !== Op.Add ||
    other.opcode !== Op.Add ||
    b.constantLow !== size.constantLow ||
    b.constantHigh !== size.constantHigh
  )
    return false;
  if (a.a === null || a.b === null || other.a === null || other.b === null) return false;
  if (resolve(a.a) !== resolve(other.a)) return false;
  const [c, d] = [resolve(a.b), resolve(other.b)];
  if (!c.isConstant || !d.isConstant) return false;
  return areApart(a, c, d, b) || areApart(a, d, c, b);
}

/**
 * Merges two branches into one.
 * @returns the blocks that are no longer needed
 */
function merge(proc: Procedure, block: BasicBlock, merged: MergedBranches): BasicBlock[] {
  const { second, onward, aside, dropped } = merged;
  const { last } = block;
  block.values.pop();
  for (const value of second.values.slice(0, -1)) {
    block.append(value);
  }
  // The merged condition tests that x is inside a range, or that it is outside.
  const isInside = INSIDE.has(merged.conditions[0].opcode);
  const [one, other] = merged.conditions.map((each) => comparisonIn(proc, block, each, isInside));
  const constant = proc.newConstant(Int32, isInside ? 0 : 1, 0);
  const both = proc.newValue(
    Op.Select,
    Int32,
    one,
    isInside ? other : constant,
    isInside ? constant : other,
  );
  for (const value of [constant, both]) value.block = block;
  last.a = both;
  block.values.push(constant, both, last);
  block.successors = isInside ? [onward, aside] : [aside, onward];
  onward.predecessors = onward.predecessors.map((from) => (from === second ? block : from));
  const [join] = aside.successors;
  join.predecessors = join.predecessors.filter((from) => from !== dropped);
  const isJoin = join.predecessors.length > 1 || join.values[0].opcode === Op.Phi;
  if (isJoin) return [second, dropped];
  mergeWithSuccessor(aside);
  return [second, dropped, join];
}

const INSIDE: ReadonlySet<Opcode> = new Set([Op.GreaterEqual, Op.LessEqual]);

/** Returns the comparison, or creates the inverted one. */
function comparisonIn(
  proc: Procedure,
  block: BasicBlock,
  { comparison, opcode, a, b }: PathCondition,
  isAsIs: boolean,
): Value {
  const wanted = isAsIs ? opcode : (INVERTED.get(opcode) ?? opcode);
  if (comparison.opcode === wanted) return comparison;
  return block.append(proc.newValue(wanted, Int32, a, b));
}
