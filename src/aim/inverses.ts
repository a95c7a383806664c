// Inverts operations: by opcode, candidates for one operand that would give a target result. Rows
// may guess, because each guess is evaluated and only a correct one is used.

import { nameOfOpcode, Op, type Opcode, type OpcodeName } from "../ir/opcodes.js";
import { Double, Float, Int32, Int64, isFloating, type Type } from "../ir/types.js";
import { atRank, isSame, rankOf, type SignedBits, widthOf, wrap } from "./bits.js";
import { evaluatorOf } from "./evaluate.js";

/**
 * The inputs of a row: the operation's T, the target result, the operand to move, and the other
 * one.
 */
interface InverseQuery {
  readonly type: Type;
  readonly wanted: SignedBits;
  /** The index of the operand to move, and its current bits. */
  readonly moved: number;
  readonly old: SignedBits;
  /** The bits of the other operand; 0 if there is none. */
  readonly other: SignedBits;
}
type OperandGuess = (sought: InverseQuery) => readonly (SignedBits | null)[];

/** Guesses the result of another operation on the target result and the other operand. */
const by =
  (name: OpcodeName): OperandGuess =>
  ({ type, wanted, other }) => [apply(name, type, wanted, other)];

function apply(name: OpcodeName, type: Type, ...operands: SignedBits[]): SignedBits | null {
  return evaluatorOf(Op[name], type)?.(...operands) ?? null;
}

/** Uses one row for the first operand, and another for the second. */
const either =
  (first: OperandGuess, second: OperandGuess): OperandGuess =>
  (sought) =>
    (sought.moved === 0 ? first : second)(sought);

const same: OperandGuess = ({ wanted }) => [wanted];
/** Guesses the low bits of the target result, with the other bits unchanged. */
const lowBits = (count: number): OperandGuess => {
  const mask = (1n << BigInt(count)) - 1n;
  return ({ wanted, old }) => [(old & ~mask) | (wanted & mask)];
};

/**
 * Guesses a factor: for floats the quotient; for integers by the inverse of the other's odd part.
 */
const factor: OperandGuess = ({ type, wanted, other }) => {
  if (isFloating(type)) return [apply("Div", type, wanted, other)];
  if (other === 0n) return [];
  let [odd, left] = [other, wanted];
  for (; (odd & 1n) === 0n; odd >>= 1n) {
    if ((left & 1n) !== 0n) return [];
    left >>= 1n;
  }
  let inverse = odd; // correct in three bits; each round doubles them
  for (let bits = 3; bits < widthOf(type); bits *= 2) {
    inverse = wrap(type, inverse * (2n - odd * inverse));
  }
  return [wrap(type, left * inverse)];
};

/** Guesses a dividend, or a divisor. */
const dividend: OperandGuess = ({ type, wanted, other }) => [apply("Mul", type, wanted, other)];
const divisor: OperandGuess = ({ type, wanted, other }) => [apply("Div", type, other, wanted)];
/** Guesses the result or the remainder, shifted by the divisor. */
const remainder: OperandGuess = ({ wanted, other, old, type }) => {
  const left = other === 0n || isFloating(type) ? 0n : old % other;
  return [wrap(type, old - left + wanted), wanted];
};

/**
 * Guesses for a comparison or a flag: the other operand and its neighbours, and the ends of the
 * type.
 */
const beside: OperandGuess = ({ type, other }) => {
  const least = -1n << BigInt(widthOf(type) - 1);
  return [other, wrap(type, other - 1n), wrap(type, other + 1n), ~least, least, 0n, 1n];
};

/** Guesses a number with a given count of bits, from none to the width. */
const counting =
  (make: (count: bigint, width: bigint) => bigint): OperandGuess =>
  ({ type, wanted }) => {
    const width = BigInt(widthOf(type));
    return wanted < 0n || wanted > width ? [] : [make(wanted, width)];
  };

/** Guesses the operand of a conversion by converting the target result back. */
const toInteger =
  (name: OpcodeName, from: Type): OperandGuess =>
  ({ wanted }) => [apply(name, from, wanted)];
const toFloat =
  (toDouble: OpcodeName, toFloat: OpcodeName, from: Type): OperandGuess =>
  ({ type, wanted }) => [apply(type === Float ? toFloat : toDouble, from, wanted)];

const sum = either(by("Sub"), by("Sub"));
const difference = either(by("Add"), ({ type, wanted, other }) => [
  apply("Sub", type, other, wanted),
]);
const shifted =
  (back: OpcodeName): OperandGuess =>
  ({ type, wanted, other, moved }) =>
    moved === 0 ? [apply(back, type, wanted, other)] : [];

// biome-ignore format: a table
const ROWS: { readonly [O in OpcodeName]?: OperandGuess } = {
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
 * The choice among several suitable operands: the found one, or the last one below or above it. A
 * conversion that rounds gives the same result for many, and double rounding is wrong at the ends.
 */
export type OperandChoice = "found" | "below" | "above";

/**
 * Returns operand bits with which the operation gives the target result, together with its other
 * operands; null if none was found.
 */
export function inverseOf(
  opcode: Opcode,
  type: Type,
  { moved, operands, operandType, wanted, resultType, end }: MovedOperand,
): SignedBits | null {
  const evaluate = evaluatorOf(opcode, type);
  if (evaluate === null) return null;
  const guess = ROWS[nameOfOpcode(opcode)] ?? beside;
  const old = operands[moved];
  const sought = { type, wanted, moved, old, other: operands[1 - moved] ?? 0n };
  const given = operands.slice();
  const gives = (bits: SignedBits): boolean => {
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

/**
 * Returns the last value on one side of `bits` up to which `holds` is true, by doubling steps and
 * then bisection.
 */
function lastOf(
  type: Type,
  bits: SignedBits,
  end: OperandChoice,
  holds: (bits: SignedBits) => boolean,
): SignedBits {
  const rank = rankOf(type, bits);
  const at = (distance: bigint): SignedBits =>
    atRank(type, end === "above" ? rank + distance : rank - distance);
  const reaches = (distance: bigint): boolean =>
    wrap(type, at(distance)) === at(distance) && holds(at(distance));
  let [reached, step] = [0n, 1n];
  for (; reaches(reached + step); step *= 2n) reached += step;
  for (; step > 0n; step >>= 1n) if (reaches(reached + step)) reached += step;
  return at(reached);
}

interface MovedOperand {
  readonly moved: number;
  /** The current operands, one or two. */
  readonly operands: readonly SignedBits[];
  readonly operandType: Type;
  readonly wanted: SignedBits;
  readonly resultType: Type;
  readonly end: OperandChoice;
}
