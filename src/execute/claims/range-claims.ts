// What the range analysis claims of a procedure, held against what was executed: each integer lies in its
// range, each operand in the range that it has where it is read, and two operands are in one of the orders that
// are known of them there. A claim that is false is a bug, whether a phase relies on it or not.

import { type Width, widthOf } from "../../../reference/optimize/analysis/bounds.js";
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
import { isInteger } from "../../ir/types.js";
import type { Trace } from "../../oracle/trace.js";
import { type Claims, eventRead, type FalseClaim, NOT_RECORDED, numberAt } from "./claim.js";

/** What a range is laid to that no operation gave: branches, switches and guards on the way. */
const CONDITIONS = "conditions";

/** What holds at the place of a value. */
interface RangeClaim {
  readonly value: Value;
  /** As the analysis saw it. */
  readonly opcode: Opcode;
  /** Null: it is no integer. */
  readonly own: Range | null;
  readonly operands: readonly { readonly operand: Value; readonly range: Range }[];
  /** Of two operands: the orders that are left (analysis/relations.ts). */
  readonly order: number;
}
interface Range {
  readonly low: number;
  readonly high: number;
}

export function rangeClaims(proc: Procedure, context: OptimizeContext): Claims {
  const claims = claimsOf(proc, context);
  return { firstFalse: (trace, index) => firstFalse(trace, index, claims) };
}

/** By id, of values that may be reached. */
function claimsOf(proc: Procedure, context: OptimizeContext): ReadonlyMap<number, RangeClaim> {
  const analysis = new RangeAnalysis(proc, context);
  const { min, max } = analysis;
  const claims = new Map<number, RangeClaim>();
  const rangeOf = ({ id }: Value): Range => ({ low: min[id], high: max[id] });
  analysis.walk((value) => {
    const { opcode, a, b, c } = value;
    const integers = [a, b, c].flatMap((operand) => operand ?? []).filter(isOfIntegers);
    const own = isOfIntegers(value) ? rangeOf(value) : null;
    if (own === null && integers.length === 0) return;
    const operands = integers.map((operand) => ({ operand, range: rangeOf(operand) }));
    const [x, y] = integers;
    const isPair = integers.length === 2 && x.type === y.type;
    const order = isPair ? analysis.relation(x, y) : ANY_ORDER;
    claims.set(value.id, { value, opcode, own, operands, order });
  });
  return claims;
}

const isOfIntegers = ({ type }: Value): boolean => isInteger(type);

/** Where operands are in their ranges and the result is not, its opcode's function is wrong. */
function firstFalse(
  trace: Trace,
  index: number,
  claims: ReadonlyMap<number, RangeClaim>,
): FalseClaim | null {
  const failed = new Set(trace.exits); // a guard that fails gives nothing
  for (let event = 0; event < trace.length; event++) {
    if (trace.procedures[event] !== index || failed.has(event)) continue;
    const claim = claims.get(trace.ids[event]);
    const wrong = claim === undefined ? null : falseAt(trace, event, claim);
    if (wrong !== null) return wrong;
  }
  return null;
}

function falseAt(trace: Trace, event: number, claim: RangeClaim): FalseClaim | null {
  const { value, opcode, own, operands, order } = claim;
  const read: bigint[] = [];
  // The events of a call are its callee's; a Phi reads nothing where it stands.
  const isRead = (EFFECTS[opcode] & CALLS) === 0 && opcode !== Op.Phi;
  for (let k = 0; isRead && k < operands.length; k++) {
    const { operand, range } = operands[k];
    const from = eventRead(trace, event, operand);
    if (from === NOT_RECORDED) continue;
    const x = numberAt(trace, from, operand);
    read.push(x);
    if (!holds(operand, range, x)) {
      const detail = `where ${printValue(value)} reads it, ${claimed(operand, range, x)}`;
      return falseRange(CONDITIONS, detail);
    }
  }
  const [x, y] = read;
  if (order !== ANY_ORDER && read.length === 2 && (orderOf(x, y) & order) === 0) {
    const detail = `${printValue(value)} reads ${x} and ${y}, which are in no order that is claimed`;
    return falseRange(CONDITIONS, detail);
  }
  if (own === null || opcode === Op.Phi) return null;
  const result = numberAt(trace, event, value);
  if (holds(value, own, result)) return null;
  return falseRange(nameOfOpcode(opcode), `${printValue(value)}: ${claimed(value, own, result)}`);
}

/** What a false range is named after; the opcode, or CONDITIONS, stands behind it. */
export const RANGE_BY = "range by ";

const falseRange = (by: string, detail: string): FalseClaim => ({
  what: RANGE_BY + by,
  by,
  detail,
});

const claimed = ({ id }: Value, { low, high }: Range, x: bigint): string =>
  `@${id} is claimed to lie from ${low} to ${high}, and is ${x}`;

/** As signed numbers, and as unsigned ones. */
function orderOf(x: bigint, y: bigint): number {
  if (x === y) return SAME;
  const isBelow = BigInt.asUintN(64, x) < BigInt.asUintN(64, y);
  return (x < y ? SIGNED_LESS : SIGNED_GREATER) & (isBelow ? UNSIGNED_LESS : ~UNSIGNED_LESS);
}

function holds({ type }: Value, { low, high }: Range, x: bigint): boolean {
  const width = widthOf(type);
  return x >= leastIn(width, low) && x <= -leastIn(width, -high) - BigInt(isTop(width, high));
}

/** The marks of an Int64 are not the numbers that they stand for. */
const leastIn = ({ least, inner }: Width, low: number): bigint =>
  low === -inner ? BigInt(least) + 1n : BigInt(low);
/** The greatest bound is one more than the greatest integer; so is the mark below it. */
const isTop = ({ greatest, inner }: Width, high: number): boolean =>
  !Number.isNaN(inner) && (high === greatest || high === inner);
