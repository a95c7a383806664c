// Questions about values that many detectors share.

import { COMPARISONS } from "../../generate/maker/conditions.js";
import {
  CALLS_ADDRESS,
  EFFECTS,
  Op,
  type Opcode,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import { accessSize, forEachOperand, type Value } from "../../ir/procedure.js";
import { Int64, isInteger } from "../../ir/types.js";
import {
  type Execution,
  floatOf,
  integerOf,
  type Loop,
  type Run,
  type Study,
  type View,
} from "./study.js";

/** Sums over all values of the procedures that are compiled. */
export function sum(study: Study, count: (value: Value, view: View) => number): number {
  let total = 0;
  for (const view of study.views) for (const value of view.values) total += count(value, view);
  return total;
}

/** The same of values in loops, once for each loop around them. */
export function sumInLoops(
  study: Study,
  count: (value: Value, loop: Loop, view: View) => number,
): number {
  let total = 0;
  for (const view of study.views) {
    for (const loop of view.loops) {
      for (const { values } of loop.blocks) {
        for (const value of values) total += count(value, loop, view);
      }
    }
  }
  return total;
}

/** True of a value that is there before the loop. */
export const isOutside = ({ blocks }: Loop, { block }: Value): boolean =>
  block === null || !blocks.has(block);

/** It is there before the loop, or could be: what it is made of is, with no effects. */
export function isInvariant(loop: Loop, value: Value, depth = 4): boolean {
  if (isOutside(loop, value) || value.isConstant) return true;
  if (depth === 0 || EFFECTS[value.opcode] !== 0 || value.a === null) return false;
  return [value.a, value.b, value.c].every(
    (operand) => operand === null || isInvariant(loop, operand, depth - 1),
  );
}

/**
 * What an integer was last in a run, or, if it was never computed, would have been: of sums and
 * extensions. Null if that cannot be said.
 */
export function lastInteger(view: View, run: Run, value: Value | null): bigint | null {
  if (value === null) return null;
  const known = constantInteger(value) ?? view.last(value, run)?.result(value.type);
  if (known !== undefined) return known;
  const x = lastInteger(view, run, value.a);
  if (x === null) return null;
  if (value.opcode === Op.SExt32) return x;
  if (value.opcode === Op.ZExt32) return BigInt.asUintN(32, x);
  const y = lastInteger(view, run, value.b);
  if (y === null || (value.opcode !== Op.Add && value.opcode !== Op.Sub)) return null;
  return BigInt.asIntN(widthOf(value), value.opcode === Op.Add ? x + y : x - y);
}

/** Narrow operations on integers of 32 bits count as 32. */
export const widthOf = ({ type }: Value): number => (type === Int64 ? 64 : 32);
export const leastOf = (value: Value): bigint => -(1n << BigInt(widthOf(value) - 1));
export const greatestOf = (value: Value): bigint => (1n << BigInt(widthOf(value) - 1)) - 1n;
export const unsigned = (value: Value, number: bigint): bigint =>
  BigInt.asUintN(widthOf(value), number);

/** The integer of a constant; null for what is none. */
export const constantInteger = (value: Value | null): bigint | null =>
  value?.isConstant && isInteger(value.type) ? integerOf(value.type, value.lo, value.hi) : null;

/** The number of a floating constant; null for what is none. */
export const constantFloat = (value: Value | null): number | null =>
  value?.isConstant && !isInteger(value.type) ? floatOf(value.type, value.lo, value.hi) : null;

/**
 * The other operand of a constant that stands on either side; null where there is no such constant.
 */
export function besideConstant(
  { a, b }: Value,
  isRight: (constant: Value) => boolean,
): { readonly constant: Value; readonly other: Value } | null {
  if (a === null || b === null) return null;
  if (b.isConstant && isRight(b)) return { constant: b, other: a };
  return a.isConstant && isRight(a) ? { constant: a, other: b } : null;
}

const ALL_COMPARISONS: ReadonlySet<Opcode> = new Set([...COMPARISONS, Op.EqualOrUnordered]);
const UNSIGNED: ReadonlySet<Opcode> = new Set([Op.Above, Op.Below, Op.AboveEqual, Op.BelowEqual]);
const ORDERED: ReadonlySet<Opcode> = new Set([
  Op.LessThan,
  Op.GreaterThan,
  Op.LessEqual,
  Op.GreaterEqual,
]);
export const isEquality = ({ opcode }: Value): boolean =>
  opcode === Op.Equal || opcode === Op.NotEqual;
export const isComparison = ({ opcode }: Value): boolean => ALL_COMPARISONS.has(opcode);
export const isUnsignedComparison = ({ opcode }: Value): boolean => UNSIGNED.has(opcode);
/** Signed, by order. */
export const isOrderedComparison = ({ opcode }: Value): boolean => ORDERED.has(opcode);

export const isLoad = ({ opcode }: Value): boolean => (EFFECTS[opcode] & READS_MEMORY) !== 0;
export const isStore = ({ opcode }: Value): boolean => (EFFECTS[opcode] & WRITES_MEMORY) !== 0;

/** Both operands of a sum or difference as they are without a limit of width; null if not read. */
function exactSum(value: Value, event: Execution | null): bigint | null {
  if (event === null || value.a === null || value.b === null) return null;
  const [x, y] = [event.integer(value.a), event.integer(value.b)];
  if (x === null || y === null) return null;
  return value.opcode === Op.Sub ? x - y : x + y;
}

/** The sum or difference is not what its type can hold, as a signed number. */
export function overflows(value: Value, event: Execution | null): boolean {
  const exact = exactSum(value, event);
  return exact !== null && (exact < leastOf(value) || exact > greatestOf(value));
}

/** Where an access begins; null if its address was not read. */
export function addressIn(access: Value, event: Execution): bigint | null {
  const base = event.integer(access.address);
  return base === null ? null : BigInt.asUintN(64, base + BigInt(access.lo));
}

/** Both name their address by the same value, and have bytes in common. */
export function meet(x: Value, y: Value): boolean {
  if (x.address !== y.address) return false;
  return x.lo < y.lo + accessSize(y) && y.lo < x.lo + accessSize(x);
}

/** The second writes all that the first does. */
export const covers = (later: Value, earlier: Value): boolean =>
  later.address === earlier.address &&
  later.lo <= earlier.lo &&
  later.lo + accessSize(later) >= earlier.lo + accessSize(earlier);

/** The second writes some of what the first does, not all. */
export const coversSome = (later: Value, earlier: Value): boolean =>
  later.address === earlier.address &&
  later.lo < earlier.lo + accessSize(earlier) &&
  earlier.lo < later.lo + accessSize(later) &&
  !covers(later, earlier);

/** Calls and patchpoints that read memory. */
export function readsByCall(value: Value): boolean {
  const { opcode, host, patchpoint } = value;
  if (patchpoint !== null) return patchpoint.effect !== "pure";
  if (CALLS_ADDRESS[opcode] === 1) return true;
  return opcode === Op.CCall && (host === null || host.class !== "pure");
}

/** It is the value, or comes from it by so many operations at most. */
export function comesFrom(value: Value, source: Value, steps: number): boolean {
  if (value === source) return true;
  if (steps === 0) return false;
  let comes = false;
  forEachOperand(value, (operand) => {
    comes ||= comesFrom(operand, source, steps - 1);
  });
  return comes;
}

/** What the Upsilons of a Phi write. */
export const writersOf = (view: View, phi: Value): readonly Value[] =>
  view.values.filter((value) => value.opcode === Op.Upsilon && value.extra === phi);

/** The first is computed on each way to the second. */
export function isBefore(view: View, first: Value, second: Value): boolean {
  if (first.block === null || second.block === null) return false;
  return first.block === second.block
    ? view.placeOf(first) < view.placeOf(second)
    : view.dominates(first.block, second.block);
}
