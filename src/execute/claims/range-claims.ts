// Checks the claims of the range analysis about a procedure against executions. Each integer is in
// its range, and each operand is in its range at the position of the read. Two operands are in one
// of the possible orders there. A false claim is a bug even if no phase relies on it.

import { type IntegerWidth, widthOf } from "../../../reference/optimize/analysis/bounds.js";
import { RangeAnalysis } from "../../../reference/optimize/analysis/range-analysis.js";
import {
  ANY_ORDER,
  SAME,
  SIGNED_GREATER,
  SIGNED_LESS,
  UNSIGNED_LESS,
} from "../../../reference/optimize/analysis/relations.js";
import type { OptimizeContext } from "../../../reference/optimize/edit/context.js";
import { CALLS, EFFECTS, nameOfOpcode, Op, type Opcode } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { printValue } from "../../ir/text/print.js";
import { Int32, isInteger } from "../../ir/types.js";
import type { ExecutionTrace } from "../../oracle/fast/trace.js";
import { type ClaimChecker, eventRead, type FalseClaim, NOT_RECORDED, numberAt } from "./claim.js";

/** The source of a range that no operation made: branches, switches and guards on the path. */
const CONDITIONS = "conditions";

/** The claims at the position of a value. */
interface RangeClaim {
  readonly value: Value;
  /** The opcode at the time of the analysis. */
  readonly opcode: Opcode;
  /** The claimed range of the value itself; null if it is no integer. */
  readonly own: ClaimedRange | null;
  readonly operands: readonly OperandRange[];
  /** The possible orders of two operands (analysis/relations.ts). */
  readonly order: number;
}
interface ClaimedRange {
  readonly low: number;
  readonly high: number;
}
interface OperandRange {
  readonly operand: Value;
  readonly range: ClaimedRange;
}

export function rangeClaims(proc: Procedure, context: OptimizeContext): ClaimChecker {
  const claims = claimsOf(proc, context);
  return { firstFalse: (trace, index) => firstFalse(trace, index, claims) };
}

/** Returns the claims by id, for values that may be reached. */
function claimsOf(proc: Procedure, context: OptimizeContext): ReadonlyMap<number, RangeClaim> {
  const analysis = new RangeAnalysis(proc, context);
  const { min, max } = analysis;
  const claims = new Map<number, RangeClaim>();
  const rangeOf = ({ id }: Value): ClaimedRange => ({ low: min[id], high: max[id] });
  analysis.walk((value) => {
    const { opcode, a, b, c } = value;
    const operands: OperandRange[] = [];
    const add = (operand: Value | null): void => {
      if (operand === null || !isInteger(operand.type)) return;
      operands.push({ operand, range: rangeOf(operand) });
    };
    add(a);
    add(b);
    add(c);
    const own = isInteger(value.type) ? rangeOf(value) : null;
    if (own === null && operands.length === 0) return;
    const order = operands.length === 2 ? orderLeft(analysis, operands) : ANY_ORDER;
    claims.set(value.id, { value, opcode, own, operands, order });
  });
  return claims;
}

function orderLeft(analysis: RangeAnalysis, operands: readonly OperandRange[]): number {
  const [{ operand: x }, { operand: y }] = operands;
  return x.type === y.type ? analysis.relation(x, y) : ANY_ORDER;
}

/**
 * If the operands are in their ranges and the result is not, the range function of the opcode is
 * wrong.
 */
function firstFalse(
  trace: ExecutionTrace,
  index: number,
  claims: ReadonlyMap<number, RangeClaim>,
): FalseClaim | null {
  const failed = new Set(trace.exits); // a guard that fails has no result
  for (let event = 0; event < trace.length; event++) {
    if (trace.procedures[event] !== index || failed.has(event)) continue;
    const claim = claims.get(trace.ids[event]);
    const wrong = claim === undefined ? null : falseAt(trace, event, claim);
    if (wrong !== null) return wrong;
  }
  return null;
}

function falseAt(trace: ExecutionTrace, event: number, claim: RangeClaim): FalseClaim | null {
  const { value, opcode, own, operands, order } = claim;
  const read: bigint[] = [];
  // The events of a call are its callee's; a Phi reads nothing at its own position.
  const isRead = (EFFECTS[opcode] & CALLS) === 0 && opcode !== Op.Phi;
  for (let k = 0; isRead && k < operands.length; k++) {
    const { operand, range } = operands[k];
    const from = eventRead(trace, event, operand);
    if (from === NOT_RECORDED) continue;
    if (order !== ANY_ORDER) read.push(numberAt(trace, from, operand));
    if (!holds(trace, from, operand, range)) {
      const is = claimed(trace, from, operand, range);
      return falseRange(CONDITIONS, `where ${printValue(value)} reads it, ${is}`);
    }
  }
  const [x, y] = read;
  if (read.length === 2 && (orderOf(x, y) & order) === 0) {
    const detail = `${printValue(value)} reads ${x} and ${y}, which are in no order that is claimed`;
    return falseRange(CONDITIONS, detail);
  }
  if (own === null || opcode === Op.Phi) return null;
  if (holds(trace, event, value, own)) return null;
  const is = claimed(trace, event, value, own);
  return falseRange(nameOfOpcode(opcode), `${printValue(value)}: ${is}`);
}

/** The name of a false range; the opcode, or CONDITIONS, follows it. */
export const RANGE_BY = "range by ";

const falseRange = (by: string, detail: string): FalseClaim => ({
  what: RANGE_BY + by,
  by,
  detail,
});

const claimed = (
  trace: ExecutionTrace,
  event: number,
  value: Value,
  { low, high }: ClaimedRange,
): string =>
  `@${value.id} is claimed to lie from ${low} to ${high}, and is ${numberAt(trace, event, value)}`;

/** Returns the order as signed numbers and as unsigned ones. */
function orderOf(x: bigint, y: bigint): number {
  if (x === y) return SAME;
  const isBelow = BigInt.asUintN(64, x) < BigInt.asUintN(64, y);
  return (x < y ? SIGNED_LESS : SIGNED_GREATER) & (isBelow ? UNSIGNED_LESS : ~UNSIGNED_LESS);
}

function holds(
  trace: ExecutionTrace,
  event: number,
  value: Value,
  { low, high }: ClaimedRange,
): boolean {
  if (value.type === Int32) {
    const word = trace.results[2 * event]; // nearly all are Int32, which need no big integers
    return word >= low && word <= high;
  }
  const x = numberAt(trace, event, value);
  const width = widthOf(value.type);
  return x >= leastIn(width, low) && x <= -leastIn(width, -high) - BigInt(isTop(width, high));
}

/**
 * Maps the lower mark of an Int64 to its number; the marks are not the numbers that they represent.
 */
const leastIn = ({ least, inner }: IntegerWidth, low: number): bigint =>
  low === -inner ? BigInt(least) + 1n : BigInt(low);
/**
 * Returns true for the greatest bound and for the mark below it; both exceed the integer that they
 * represent by one.
 */
const isTop = ({ greatest, inner }: IntegerWidth, high: number): boolean =>
  !Number.isNaN(inner) && (high === greatest || high === inner);
