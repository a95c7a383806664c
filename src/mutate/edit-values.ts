// Changes one value: its operands, its bits or its type: mutations.

import { drawBoundary } from "../generate/maker/constants.js";
import { EFFECTS, Op, type Opcode, PARTIAL, specOf, typesOver } from "../ir/opcodes.js";
import {
  accessSize,
  isMemoryAccess,
  type Module,
  SwitchCases,
  type Value,
} from "../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type } from "../ir/types.js";
import { bitsOf, type WordPair, wordsOf } from "../ir/words.js";
import type { ChoiceSource } from "../support/source.js";
import {
  InsertionPoint,
  type MutationInput,
  pickBlock,
  pickOne,
  type ReachableBlock,
} from "./mutant.js";
import {
  givesAnyNaN,
  type OperandUse,
  operandAt,
  PinnedOperands,
  setOperand,
  takesAnyNaN,
} from "./operands.js";

/** Replaces an operand by another value of its type, or a new constant. */
export function replaceOperand(mutant: MutationInput): boolean {
  const reached = pickBlock(mutant);
  const pinned = new PinnedOperands(reached.proc, reached.flow);
  const operand = pickOne(mutant.source, pinned.freeOperands(reached.block.values));
  return operand !== undefined && redirect(mutant.source, reached, operand);
}

function redirect(source: ChoiceSource, reached: ReachableBlock, operand: OperandUse): boolean {
  const { user } = operand;
  const old = operandAt(operand);
  if (old === null) return false;
  const spot = new InsertionPoint(reached, reached.block.values.indexOf(user));
  const other = spot.pick(source, old.type);
  if (other === old) return false;
  setOperand(operand, takesAnyNaN(user) ? other : spot.closed(other));
  return true;
}

/** Exchanges two operands of one type. */
export function swapOperands(mutant: MutationInput): boolean {
  const { proc, block, flow } = pickBlock(mutant);
  const pinned = new PinnedOperands(proc, flow);
  const pairs = block.values.flatMap((user) => {
    const free = pinned.freeOperands([user]);
    return free.flatMap((x, i) => free.slice(i + 1).map((y): [OperandUse, OperandUse] => [x, y]));
  });
  const differing = pairs.filter(([x, y]) => {
    const [first, second] = [operandAt(x), operandAt(y)];
    return first !== second && first?.type === second?.type;
  });
  const pair = pickOne(mutant.source, differing);
  if (pair === undefined) return false;
  const [x, y] = pair;
  const [first, second] = [operandAt(x), operandAt(y)];
  if (first === null || second === null) return false;
  setOperand(x, second);
  setOperand(y, first);
  return true;
}

/**
 * Replaces a constant, an offset from the heap base or a key by a neighbour, or a boundary value.
 */
export function perturbConstant(mutant: MutationInput): boolean {
  const { source, module } = mutant;
  const { proc, block, flow } = pickBlock(mutant);
  const pinned = new PinnedOperands(proc, flow);
  const heapBase = pinned.heapBase();
  const candidates = block.values.filter((value) =>
    value.isConstant
      ? pinned.isFreeValue(value)
      : value.opcode === Op.Switch || (isMemoryAccess(value) && value.address === heapBase),
  );
  const value = pickOne(source, candidates);
  if (value === undefined) return false;
  if (value.opcode === Op.Switch) return perturbKey(source, value);
  if (!value.isConstant) return perturbOffset(source, module, value);
  const { constantLow: lo, constantHigh: hi } = value;
  [value.constantLow, value.constantHigh] = neighbour(source, value.type, lo, hi);
  return value.constantLow !== lo || value.constantHigh !== hi;
}

/**
 * Returns a neighbour of a number: one more or less, the other sign, one bit flipped, or a boundary
 * value.
 */
function neighbour(source: ChoiceSource, type: Type, lo: number, hi: number): WordPair {
  const isWide = type === Int64 || type === Double;
  const bits = bitsOf(type, lo, hi);
  const words = (changed: bigint): WordPair => wordsOf(type, changed);
  const top = 1n << (isWide ? 63n : 31n);
  switch (source.below(6)) {
    case 0:
      return words(bits + 1n);
    case 1:
      return words(bits - 1n);
    case 2:
      return words(isFloating(type) ? bits ^ top : -bits);
    case 3:
      return words(bits ^ (1n << BigInt(source.below(isWide ? 64 : 32))));
    default:
      return drawBoundary(source, type);
  }
}

function perturbKey(source: ChoiceSource, value: Value): boolean {
  const { lo, hi } = value.cases;
  if (lo.length === 0) return false;
  const k = source.below(lo.length);
  const [newLo, newHi] = neighbour(source, value.a?.type ?? Int32, lo[k], hi[k]);
  if (lo.some((other, i) => other === newLo && hi[i] === newHi)) return false;
  value.extra = new SwitchCases(lo.with(k, newLo), hi.with(k, newHi));
  return true;
}

function perturbOffset(source: ChoiceSource, { heapSize }: Module, value: Value): boolean {
  const old = value.offset;
  const end = heapSize - accessSize(value);
  value.offset = Math.max(0, Math.min(end, old + source.below(17) - 8));
  value.memoryClass = 0; // it may belong to another class of memory there
  return value.offset !== old;
}

interface RoundTripConversion {
  readonly from: Type;
  readonly to: Type;
  readonly there: readonly Opcode[];
  readonly back: readonly Opcode[];
}

// biome-ignore format: a table
const CONVERSIONS: readonly RoundTripConversion[] = [
  { from: Int32,  to: Int64,  there: [Op.SExt32, Op.ZExt32], back: [Op.Trunc, Op.TruncHigh] },
  { from: Int64,  to: Int32,  there: [Op.Trunc, Op.TruncHigh], back: [Op.SExt32, Op.ZExt32] },
  { from: Float,  to: Double, there: [Op.FloatToDouble],     back: [Op.DoubleToFloat] },
  { from: Double, to: Float,  there: [Op.DoubleToFloat],     back: [Op.FloatToDouble] },
  { from: Int32,  to: Double, there: [Op.IToD, Op.UToD],     back: [Op.TruncS32, Op.TruncU32] },
  { from: Int64,  to: Double, there: [Op.IToD, Op.UToD],     back: [Op.TruncS64, Op.TruncU64] },
  { from: Int32,  to: Float,  there: [Op.IToF, Op.UToF],     back: [Op.TruncS32, Op.TruncU32] },
  { from: Double, to: Int64,  there: [Op.TruncS64, Op.TruncU64], back: [Op.IToD, Op.UToD] },
  { from: Float,  to: Int32,  there: [Op.TruncS32, Op.TruncU32], back: [Op.IToF, Op.UToF] },
];

/** Computes a value in another type, between conversions. */
export function changeType(mutant: MutationInput): boolean {
  const { source } = mutant;
  const reached = pickBlock(mutant);
  const pinned = new PinnedOperands(reached.proc, reached.flow);
  const rows = reached.block.values.flatMap((value) =>
    pinned.isFreeValue(value) ? conversionsOf(value).map((row) => ({ value, row })) : [],
  );
  const chosen = pickOne(source, rows);
  if (chosen === undefined) return false;
  const { value, row } = chosen;
  const spot = new InsertionPoint(reached, reached.block.values.indexOf(value));
  const there = row.there[source.below(row.there.length)];
  const back = row.back[source.below(row.back.length)];
  const { args, result } = specOf(value.opcode);
  const operands = [value.a, value.b, value.c].flatMap((operand, i) => {
    if (operand === null) return [];
    return args[i] === "T" ? spot.emit(there, row.to, operand) : operand;
  });
  const isClosed = isFloating(value.type) && !givesAnyNaN(value);
  const computed = spot.emit(value.opcode, result === "T" ? row.to : value.type, ...operands);
  value.b = null;
  value.c = null;
  value.opcode = result !== "T" ? Op.Identity : isClosed ? Op.PurifyNaN : back;
  value.a = isClosed && result === "T" ? spot.emit(back, value.type, computed) : computed;
  return true;
}

function conversionsOf({ opcode, a, b, type }: Value): RoundTripConversion[] {
  const { args, result } = specOf(opcode);
  const isPlain = args.every((arg) => arg === "T" || arg === "U" || arg === "Int32");
  const isPure = (EFFECTS[opcode] & ~PARTIAL) === 0;
  if (!isPlain || !isPure || !args.includes("T") || (result !== "T" && result !== "Int32"))
    return [];
  const from = result === "T" ? type : args[0] === "T" ? a?.type : b?.type;
  return CONVERSIONS.filter(
    (row) =>
      row.from === from &&
      typesOver(opcode).includes(row.to) &&
      (EFFECTS[opcode] === 0 || isFloating(row.to)),
  );
}
