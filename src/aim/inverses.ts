// How an operation is inverted: by opcode, what one operand might be so that the result is a wanted one.
// Rows may guess: each guess is evaluated, and only one that gives the result is taken.

import { nameOfOpcode, Op, type Opcode, type OpcodeName } from "../ir/opcodes.js";
import { Double, Float, Int32, Int64, isFloating, type Type } from "../ir/types.js";
import { atRank, type Bits, isSame, rankOf, widthOf, wrap } from "./bits.js";
import { evaluatorOf } from "./evaluate.js";

/** What a row sees: the operation's T, the wanted result, the operand that moves, and the other one. */
interface Sought {
  readonly type: Type;
  readonly wanted: Bits;
  /** The number of the operand that moves, and its bits as they are. */
  readonly moved: number;
  readonly old: Bits;
  /** 0 where there is no other. */
  readonly other: Bits;
}
type Guess = (sought: Sought) => readonly (Bits | null)[];

/** What another operation gives of the wanted result and the other operand. */
const by =
  (name: OpcodeName): Guess =>
  ({ type, wanted, other }) => [apply(name, type, wanted, other)];

function apply(name: OpcodeName, type: Type, ...operands: Bits[]): Bits | null {
  return evaluatorOf(Op[name], type)?.(...operands) ?? null;
}

/** For the first operand one row, for the second another. */
const either =
  (first: Guess, second: Guess): Guess =>
  (sought) =>
    (sought.moved === 0 ? first : second)(sought);

const same: Guess = ({ wanted }) => [wanted];
/** The low bits of what is wanted, the others as they are. */
const lowBits = (count: number): Guess => {
  const mask = (1n << BigInt(count)) - 1n;
  return ({ wanted, old }) => [(old & ~mask) | (wanted & mask)];
};

/** A factor: of floats the quotient; of integers by the inverse of the other's odd part. */
const factor: Guess = ({ type, wanted, other }) => {
  if (isFloating(type)) return [apply("Div", type, wanted, other)];
  if (other === 0n) return [];
  let [odd, left] = [other, wanted];
  for (; (odd & 1n) === 0n; odd >>= 1n) {
    if ((left & 1n) !== 0n) return [];
    left >>= 1n;
  }
  let inverse = odd; // right in three bits; each round doubles them
  for (let bits = 3; bits < widthOf(type); bits *= 2) {
    inverse = wrap(type, inverse * (2n - odd * inverse));
  }
  return [wrap(type, left * inverse)];
};

/** What is divided, or divides. */
const dividend: Guess = ({ type, wanted, other }) => [apply("Mul", type, wanted, other)];
const divisor: Guess = ({ type, wanted, other }) => [apply("Div", type, other, wanted)];
/** The result or the remainder, moved by the divisor. */
const remainder: Guess = ({ wanted, other, old, type }) => {
  const left = other === 0n || isFloating(type) ? 0n : old % other;
  return [wrap(type, old - left + wanted), wanted];
};

/** A comparison or a flag: what makes it one or the other lies at the other operand, or at an end. */
const beside: Guess = ({ type, other }) => {
  const least = -1n << BigInt(widthOf(type) - 1);
  return [other, wrap(type, other - 1n), wrap(type, other + 1n), ~least, least, 0n, 1n];
};

/** A number of bits, from none to the width. */
const counting =
  (make: (count: bigint, width: bigint) => bigint): Guess =>
  ({ type, wanted }) => {
    const width = BigInt(widthOf(type));
    return wanted < 0n || wanted > width ? [] : [make(wanted, width)];
  };

/** A conversion back, at the type of what is wanted. */
const toInteger =
  (name: OpcodeName, from: Type): Guess =>
  ({ wanted }) => [apply(name, from, wanted)];
const toFloat =
  (toDouble: OpcodeName, toFloat: OpcodeName, from: Type): Guess =>
  ({ type, wanted }) => [apply(type === Float ? toFloat : toDouble, from, wanted)];

const sum = either(by("Sub"), by("Sub"));
const difference = either(by("Add"), ({ type, wanted, other }) => [
  apply("Sub", type, other, wanted),
]);
const shifted =
  (back: OpcodeName): Guess =>
  ({ type, wanted, other, moved }) =>
    moved === 0 ? [apply(back, type, wanted, other)] : [];

// biome-ignore format: a table
const ROWS: { readonly [O in OpcodeName]?: Guess } = {
  Add: sum,              CheckAdd: sum,
  Sub: difference,       CheckSub: difference,
  Mul: factor,           CheckMul: factor,
  Div:      either(dividend, divisor),
  ChillDiv: either(dividend, divisor),
  UDiv:     either(dividend, divisor),
  Mod: remainder,        ChillMod: remainder,
  UMod: remainder,       FloorMod: remainder,
  Neg:      by("Neg"),
  BitXor:   by("BitXor"),
  BitAnd:   ({ wanted, other, old }) => [(old & ~other) | (wanted & other)],
  BitOr:    ({ wanted, other, old }) => [(old & other) | (wanted & ~other)],
  Shl:      shifted("ZShr"),
  SShr:     shifted("Shl"),
  ZShr:     shifted("Shl"),
  RotL:     shifted("RotR"),
  RotR:     shifted("RotL"),
  ByteSwap: by("ByteSwap"),
  Clz:      counting((count, width) => (count === width ? 0n : 1n << (width - 1n - count))),
  Ctz:      counting((count, width) => (count === width ? 0n : 1n << count)),
  PopCnt:   counting((count) => (1n << count) - 1n),
  Min: same,             Max: same,
  UMin: same,            UMax: same,
  FMin: same,            FMax: same,
  Abs: same,             PurifyNaN: same,
  Ceil: same,            Floor: same,
  FTrunc: same,          Nearest: same,
  CopySign: either(same, same),
  Sqrt:     ({ type, wanted }) => [apply("Mul", type, wanted, wanted)],

  SExt8: lowBits(8),     SExt8To64: lowBits(8),
  SExt16: lowBits(16),   SExt16To64: lowBits(16),
  SExt32: lowBits(32),   ZExt32: lowBits(32),
  Trunc:         lowBits(32),
  TruncHigh:     ({ wanted, old }) => [(wanted << 32n) | (old & 0xffff_ffffn)],
  Stitch:        either(({ wanted }) => [wanted >> 32n], lowBits(32)),
  IToD:          toInteger("TruncS64", Double),
  IToF:          toInteger("TruncS64", Float),
  UToD:          toInteger("TruncU64", Double),
  UToF:          toInteger("TruncU64", Float),
  TruncS32:      toFloat("IToD", "IToF", Int32),
  TruncU32:      toFloat("UToD", "UToF", Int32),
  TruncS64:      toFloat("IToD", "IToF", Int64),
  TruncU64:      toFloat("UToD", "UToF", Int64),
  ToInt32:       toFloat("IToD", "IToF", Int32),
  CheckToInt32:      toFloat("IToD", "IToF", Int32),
  CheckToInt32Exact: toFloat("IToD", "IToF", Int32),
  FloatToDouble: by("DoubleToFloat"),
  DoubleToFloat: by("FloatToDouble"),
};

/**
 * Which of the operands that give a result: the one that is found, or the last below or above it. A
 * conversion that rounds gives the same of many, and what rounds twice errs at the ends.
 */
export type End = "found" | "below" | "above";

/**
 * Bits of an operand with which the operation gives the wanted result, beside its other operands; null
 * where none was found.
 */
export function inverseOf(
  opcode: Opcode,
  type: Type,
  { moved, operands, operandType, wanted, resultType, end }: Moved,
): Bits | null {
  const evaluate = evaluatorOf(opcode, type);
  if (evaluate === null) return null;
  const guess = ROWS[nameOfOpcode(opcode)] ?? beside;
  const old = operands[moved];
  const sought = { type, wanted, moved, old, other: operands[1 - moved] ?? 0n };
  const given = operands.slice();
  const gives = (bits: Bits): boolean => {
    given[moved] = bits;
    const result = evaluate(...given);
    return result !== null && isSame(resultType, result, wanted);
  };
  for (const guessed of guess(sought)) {
    if (guessed === null) continue;
    const bits = wrap(operandType, guessed);
    if (gives(bits)) return end === "found" ? bits : lastOf(operandType, bits, end, gives);
  }
  return null;
}

/** The last value on one side of `bits` up to which all do: by steps that double, then by halving. */
function lastOf(type: Type, bits: Bits, end: End, holds: (bits: Bits) => boolean): Bits {
  const rank = rankOf(type, bits);
  const at = (distance: bigint): Bits =>
    atRank(type, end === "above" ? rank + distance : rank - distance);
  const reaches = (distance: bigint): boolean =>
    wrap(type, at(distance)) === at(distance) && holds(at(distance));
  let [reached, step] = [0n, 1n];
  for (; reaches(reached + step); step *= 2n) reached += step;
  for (; step > 0n; step >>= 1n) if (reaches(reached + step)) reached += step;
  return at(reached);
}

interface Moved {
  readonly moved: number;
  /** As they are, one or two. */
  readonly operands: readonly Bits[];
  readonly operandType: Type;
  readonly wanted: Bits;
  readonly resultType: Type;
  readonly end: End;
}
