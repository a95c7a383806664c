// Relates values that other makers created independently. Optimizations combine facts from several
// parts of a program, and independent draws rarely relate these parts: a bound next to another one,
// a constant that cancels another one, the same expression on a newer value.
//
// Each row starts from a value that any maker left as an operand. If there is none of its kind, the
// row creates one or uses another relation.

import { isTotal, Op, type Opcode } from "../../ir/opcodes.js";
import { Procedure, type Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, sizeOf, type Type, Void } from "../../ir/types.js";
import { wideBits, wideWords } from "../../ir/words.js";
import { callAgain, callProcedure } from "../maker/calls.js";
import {
  COMPARISONS,
  compare,
  compareBeside,
  drawComparison,
  neighbourOf,
  pickParameter,
} from "../maker/conditions.js";
import { guardAgainst } from "../maker/exits.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { oneOf, runOne, weightedRows } from "../maker/rows.js";
import { drawInteger } from "../maker/swarm.js";

// biome-ignore format: a table
export const RELATIONS: readonly MakerRow[] = [
  { name: "comparison beside another",     weight: 6, make: compareAgain },
  { name: "condition on a loop's counter", weight: 3, make: conditionOnCounter },
  { name: "constants that cancel",         weight: 5, make: cancel },
  { name: "truncation and extension",      weight: 5, make: extendTruncated },
  { name: "one operation on two values",   weight: 4, make: applyToAnother },
  { name: "expression of a newer value",   weight: 4, make: repeatOnPhi },
  { name: "store of the loaded value",     weight: 3, make: storeLoaded },
  { name: "call with other arguments",     weight: 3, make: callWithOthers },
];
const ROWS = weightedRows(RELATIONS);

/** Appends a value that is related to another one. */
export function emitRelation(maker: ProcedureMaker): void {
  runOne(maker, ROWS);
}

/** Returns one of the live values of the type that pass the test; null if there is none. */
function findLive(
  maker: ProcedureMaker,
  type: Type,
  passes: (value: Value) => boolean,
): Value | null {
  const list = maker.live[type];
  if (list.length === 0) return null;
  const first = maker.below(list.length);
  for (let i = 0; i < list.length; i++) {
    const value = list[(first + i) % list.length];
    if (passes(value)) return value;
  }
  return null;
}

/** Returns one of the live values of any type that pass the test; null if there is none. */
function findAny(maker: ProcedureMaker, passes: (value: Value) => boolean): Value | null {
  const { types } = maker.swarm;
  const first = maker.below(types.length);
  for (let i = 0; i < types.length; i++) {
    const value = findLive(maker, types[(first + i) % types.length], passes);
    if (value !== null) return value;
  }
  return null;
}

/** Compares again: with a bound next to another one, or in another order. */
function compareAgain(maker: ProcedureMaker): void {
  guardOrKeep(maker, compareBeside(maker) ?? compare(maker));
}

/** Makes the flag available for branches, or guards it at once. */
function guardOrKeep(maker: ProcedureMaker, flag: Value): void {
  if (maker.dials.guards > 0 && maker.chance(GUARDED)) guardAgainst(maker, flag);
  else if (!maker.flags.includes(flag)) maker.flags.push(flag);
}
/** Percentage: a guard that fails ends the execution. */
const GUARDED = 25;

/** Compares a counter in any order: with a number at the ends of its range, or with a parameter. */
function conditionOnCounter(maker: ProcedureMaker): void {
  const { counters } = maker;
  if (counters.length === 0) {
    compareAgain(maker);
    return;
  }
  const { value, iterations } = oneOf(maker, counters);
  const bounds = [-1, 0, 1, iterations - 1, iterations, iterations + 1];
  const limit = maker.chance(60)
    ? maker.integer(value.type, oneOf(maker, bounds))
    : smallNumber(maker, value.type);
  const [a, b] = maker.chance(25) ? [limit, value] : [value, limit];
  guardOrKeep(maker, maker.emit(drawComparison(maker, value.type), Int32, a, b));
}

/** Returns a parameter, mostly without its high bits, so that a counter reaches it. */
function smallNumber(maker: ProcedureMaker, type: Type): Value {
  const parameter = pickParameter(maker, type);
  if (maker.chance(30)) return parameter;
  return maker.append(Op.BitAnd, type, parameter, maker.integer(type, 7));
}

/** The constant of the undoing operation: the same bits, their negation or their complement. */
type InverseConstant = "same" | "negated" | "inverted";

/** The operations that undo one with a constant, wholly or in part. */
// biome-ignore format: a table
const INVERSES: ReadonlyMap<Opcode, readonly (readonly [Opcode, InverseConstant])[]> = new Map([
  [Op.Add,    [[Op.Sub, "same"], [Op.Add, "negated"], [Op.Sub, "negated"]]],
  [Op.Sub,    [[Op.Add, "same"], [Op.Sub, "negated"]]],
  [Op.Mul,    [[Op.Mul, "negated"], [Op.Mul, "same"]]],
  [Op.BitXor, [[Op.BitXor, "same"], [Op.BitXor, "inverted"], [Op.BitAnd, "inverted"]]],
  [Op.BitAnd, [[Op.BitAnd, "inverted"], [Op.BitOr, "inverted"], [Op.BitXor, "same"]]],
  [Op.BitOr,  [[Op.BitAnd, "inverted"], [Op.BitAnd, "same"], [Op.BitXor, "same"]]],
  [Op.Shl,    [[Op.ZShr, "same"], [Op.SShr, "same"]]],
  [Op.ZShr,   [[Op.Shl, "same"]]],
  [Op.SShr,   [[Op.Shl, "same"], [Op.ZShr, "same"]]],
  [Op.RotL,   [[Op.RotR, "same"], [Op.RotL, "negated"]]],
  [Op.RotR,   [[Op.RotL, "same"], [Op.RotR, "negated"]]],
]);
const STARTS = [Op.Add, Op.Add, Op.Sub, Op.BitXor, Op.BitAnd];

/** Undoes an operation with a constant, or nearly. */
function cancel(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const isOne = ({ opcode, b }: Value): boolean => INVERSES.has(opcode) && b?.isConstant === true;
  const old =
    findLive(maker, type, isOne) ??
    maker.emit(oneOf(maker, STARTS), type, maker.pickValue(type), maker.constant(type));
  const { b: constant } = old;
  const inverses = INVERSES.get(old.opcode);
  if (constant === null || inverses === undefined) return;
  const [opcode, change] = oneOf(maker, inverses);
  const bits = wideBits(constant.constantLow, constant.constantHigh);
  const changed = change === "same" ? bits : change === "negated" ? -bits : ~bits;
  const [low, high] = wideWords(changed);
  const exact = maker.constantOf(constant.type, low, constant.type === Int64 ? high : 0);
  const other = maker.chance(30) ? neighbourOf(maker, exact) : exact;
  // Mostly something happens in between.
  const between = maker.chance(60) ? findLive(maker, type, ({ a }) => a === old) : null;
  maker.emit(opcode, type, between ?? old, other);
}

const TRUNCATIONS = [Op.Trunc, Op.SExt8, Op.SExt16];
const isTruncated = ({ opcode, b }: Value): boolean =>
  TRUNCATIONS.includes(opcode) || (opcode === Op.BitAnd && b?.isConstant === true);

/** Extends a value that was truncated elsewhere, and combines it with the original value. */
function extendTruncated(maker: ProcedureMaker): void {
  const isWide = maker.swarm.hasType[Int64] && maker.chance(70);
  const passes = isWide ? isTruncatedOrPhi : isTruncated;
  const old = findLive(maker, Int32, passes) ?? newTruncation(maker, isWide);
  if (maker.dials.guards > 0 && maker.chance(20)) {
    const zero = maker.integer(Int32, 0);
    guardAgainst(maker, maker.append(oneOf(maker, SIGN_TESTS), Int32, old, zero));
  }
  // At times the value is truncated again, to another width.
  const narrow = maker.chance(35) ? truncateAgain(maker, old) : old;
  const original = old.opcode === Op.Phi ? null : old.a;
  const extended = isWide
    ? maker.emit(maker.chance(50) ? Op.SExt32 : Op.ZExt32, Int64, narrow)
    : truncateAgain(maker, original?.type === Int32 ? original : old);
  if (original?.type === extended.type && maker.chance(60)) combine(maker, original, extended);
}
const SIGN_TESTS = [Op.LessThan, Op.LessEqual, Op.Equal];

const isTruncatedOrPhi = ({ opcode }: Value): boolean => opcode === Op.Trunc || opcode === Op.Phi;

/** Appends a truncation, at times of a value whose sign bit is clear. */
function newTruncation(maker: ProcedureMaker, isWide: boolean): Value {
  const type = isWide ? Int64 : Int32;
  const x = maker.pickValue(type);
  const count = maker.integer(Int32, 1 + maker.below(31));
  const whole = maker.chance(30) ? maker.emit(Op.ZShr, type, x, count) : x;
  return maker.emit(isWide ? Op.Trunc : oneOf(maker, [Op.SExt8, Op.SExt16]), Int32, whole);
}

/** Appends an operation on both values that depends on their difference. */
function combine(maker: ProcedureMaker, a: Value, b: Value): void {
  const opcodes = isFloating(a.type) ? [Op.Sub, Op.Equal, Op.LessThan] : COMBINING;
  const opcode = oneOf(maker, opcodes);
  const isFlag = COMPARISONS.includes(opcode);
  const made = maker.emit(opcode, isFlag ? Int32 : a.type, a, b);
  if (isFlag) maker.flags.push(made);
}
// biome-ignore format: a list
const COMBINING: readonly Opcode[] = [
  Op.Sub, Op.Add, Op.BitXor, Op.BitAnd, Op.BitOr, Op.Min, Op.UMax,
  Op.Equal, Op.NotEqual, Op.LessThan, Op.GreaterEqual, Op.Below, Op.AboveEqual,
];

function truncateAgain(maker: ProcedureMaker, value: Value): Value {
  const roll = maker.below(4);
  if (roll < 2) return maker.emit(roll === 0 ? Op.SExt8 : Op.SExt16, Int32, value);
  return maker.emit(Op.BitAnd, Int32, value, maker.integer(Int32, roll === 2 ? 0xff : 0xffff));
}

/**
 * Repeats an expression with a Phi instead of a value that was written to the Phi. On one path to
 * it, the two expressions are equal.
 */
function repeatOnPhi(maker: ProcedureMaker): void {
  const phi = findAny(maker, ({ opcode }) => opcode === Op.Phi);
  const found = phi === null ? null : oldUser(maker, phi);
  if (phi === null || found === null) {
    cancel(maker);
    return;
  }
  const [before, old] = found;
  const { opcode, type } = old;
  const swap = (operand: Value | null): Value | null => (operand === before ? phi : operand);
  maker.emitClosing(opcode, type, swap(old.a), swap(old.b), swap(old.c));
}

/**
 * Returns a value that is written to the Phi, and a pure operation on it; null if there is none.
 */
function oldUser(maker: ProcedureMaker, phi: Value): readonly [Value, Value] | null {
  for (const before of writtenTo(maker, phi)) {
    const user = findAny(
      maker,
      ({ a, b, c, opcode }) =>
        a !== null && (a === before || b === before || c === before) && isTotal(opcode, a.type),
    );
    if (user !== null) return [before, user];
    const { type } = before;
    if (maker.live[type].includes(before) && maker.chance(50))
      return [before, maker.emit(Op.Add, type, before, maker.pickBeside(type, before))];
  }
  return null;
}

/** Returns the values that Upsilons write to the Phi. */
function writtenTo({ proc }: ProcedureMaker, phi: Value): readonly Value[] {
  const written: Value[] = [];
  proc.forEachValue((value) => {
    if (value.opcode === Op.Upsilon && value.extra === phi && value.a !== null)
      written.push(value.a);
  });
  return written;
}

/** Applies an operation to another first operand, and combines the two results. */
function applyToAnother(maker: ProcedureMaker): void {
  const isOne = ({ opcode, a, b, type }: Value): boolean =>
    a !== null && b !== null && a.type === type && isTotal(opcode, type) && opcode !== Op.Select;
  const old = findAny(maker, isOne);
  if (old === null || old.a === null) {
    cancel(maker);
    return;
  }
  const { opcode, type, b, c } = old;
  const other = maker.emit(opcode, type, maker.pickBeside(type, old.a), b, c);
  const [x, y] = maker.chance(30) ? [other, old] : [old, other];
  combine(maker, x, y);
}

const STORE_OF: ReadonlyMap<Opcode, Opcode> = new Map([
  [Op.Load, Op.Store],
  [Op.Load8S, Op.Store8],
  [Op.Load8Z, Op.Store8],
  [Op.Load16S, Op.Store16],
  [Op.Load16Z, Op.Store16],
]);

/** Stores a loaded value where it was loaded, and mostly loads there again. */
function storeLoaded(maker: ProcedureMaker): void {
  const { heapBase } = maker;
  if (heapBase === null) {
    cancel(maker);
    return;
  }
  const isShared = (value: Value): boolean => isInWindow(maker, heapBase, value);
  let old = findAny(maker, isShared);
  if (old === null) {
    const address = pickAddress(maker, heapBase);
    old = maker.emit(Op.Load, Int32, address.value);
    old.offset = placeIn(maker, address, 4);
  }
  const store = STORE_OF.get(old.opcode);
  if (store === undefined || old.a === null) return;
  const stored = maker.chance(85) ? old : maker.closed(maker.pick(old.type));
  maker.append(store, Void, stored, old.a).offset = old.offset;
  if (!maker.chance(70)) return;
  maker.emit(old.opcode, old.type, old.a).offset = old.offset;
}

/** Returns whether the value was loaded from bytes that any access may write. */
function isInWindow(maker: ProcedureMaker, heapBase: Value, value: Value): boolean {
  if (!STORE_OF.has(value.opcode) || maker.isOpen(value)) return false;
  const base = { value: heapBase, low: 0, high: 0 };
  const address = [base, ...maker.addresses].find((known) => known.value === value.a);
  if (address === undefined) return false;
  const start = value.offset + address.low;
  const end = value.offset + address.high + sizeOf(value.type);
  return maker.context.layout.windows.some(
    (window) => start >= window.start && end <= window.start + window.length,
  );
}

/** Calls a procedure again: some arguments are as before, others constants or other values. */
function callWithOthers(maker: ProcedureMaker): void {
  const isCall = ({ opcode, extra }: Value): boolean =>
    opcode === Op.CCall && extra instanceof Procedure;
  const call = findAny(maker, isCall);
  if (call !== null && callAgain(maker, call)) return;
  if (!callProcedure(maker)) cancel(maker);
}
