// Folds operations on constants, which are represented as two words.
//
// The arithmetic is deliberately independent of the oracle's: a test compares the two at boundary
// values, and a shared mistake would go unnoticed. Floats remain bits. A JavaScript number exists
// only inside one operation, because it would quiet a signalling NaN. An operation that may give an
// open NaN is not folded, so the bits of the NaN remain open.

import {
  ALL_OPCODES,
  EFFECTS,
  nameOfOpcode,
  Op,
  type OpcodeName,
  PARTIAL,
} from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import { Double, Float, Int32, Int64, isWide, sizeOf, type Type } from "../../../src/ir/types.js";
import { bitsOf, wideWords, wordsOf } from "../../../src/ir/words.js";
import { assert } from "../../../src/support/assert.js";

/** The low and the high word; the high word of a 32-bit constant is 0. */
export interface ConstantWords {
  lo: number;
  hi: number;
}

/**
 * Writes the result to `out`; returns false if there is no defined result. The type of the first
 * operand is T. A missing operand is the first one again.
 */
type FoldFunction = (x: Value, y: Value, out: ConstantWords, z: Value) => boolean;
type NumberComparison = (x: number | bigint, y: number | bigint) => boolean;

/**
 * Folds a value whose operands are all constants.
 * @returns false if the opcode has no fold, or the result would be an open NaN; `out` is then
 * unchanged
 */
export function foldValue(value: Value, out: ConstantWords): boolean {
  const fold = FOLD_BY_OPCODE[value.opcode];
  const { a, b, c } = value;
  return fold !== null && a !== null && fold(a, b ?? a, out, c ?? a);
}

/** True if CheckAdd, CheckSub or CheckMul of the two constants exits. */
export function overflows(guard: Value, c: Value, d: Value): boolean {
  const x = signed(c);
  const y = signed(d);
  const exact = guard.opcode === Op.CheckAdd ? x + y : guard.opcode === Op.CheckSub ? x - y : x * y;
  return BigInt.asIntN(8 * sizeOf(c.type), exact) !== exact;
}

export const signed = (c: Value): bigint => bitsOf(c.type, c.constantLow, c.constantHigh);
/** Returns the constant as an unsigned integer. */
export const unsigned = (c: Value): bigint => BigInt.asUintN(8 * sizeOf(c.type), signed(c));

const view = new DataView(new ArrayBuffer(8));

/** Returns the floating constant as a number, which loses the payload of a NaN. */
export function numberOf(c: Pick<Value, "type" | "constantLow" | "constantHigh">): number {
  view.setInt32(0, isWide(c.type) ? c.constantHigh : c.constantLow);
  view.setInt32(4, c.constantLow);
  return isWide(c.type) ? view.getFloat64(0) : view.getFloat32(0);
}

function putNumber(type: Type, x: number, out: ConstantWords): boolean {
  if (Number.isNaN(x)) return false;
  if (type === Float) {
    view.setFloat32(0, x); // rounds to nearest even
    return put(out, view.getInt32(0), 0);
  }
  view.setFloat64(0, x);
  return put(out, view.getInt32(4), view.getInt32(0));
}

function put(out: ConstantWords, lo: number, hi: number): boolean {
  out.lo = lo;
  out.hi = hi;
  return true;
}

const putInt64 = (out: ConstantWords, x: bigint): boolean => put(out, ...wideWords(x));

// Sums, products, quotients and roots of Floats are computed in double precision and rounded again.
// The result is the correctly rounded Float, because 53 bits are at least 2 * 24 + 2 (Figueroa
// 1995).
function arithmetic(
  int32: (x: number, y: number) => number,
  int64: (x: bigint, y: bigint) => bigint,
  float: (x: number, y: number) => number,
): FoldFunction {
  return (x, y, out) => {
    if (x.type === Int32) return put(out, int32(x.constantLow, y.constantLow), 0);
    if (x.type === Int64) return putInt64(out, int64(signed(x), signed(y)));
    return putNumber(x.type, float(numberOf(x), numberOf(y)), out);
  };
}

const floating =
  (float: (x: number, y: number) => number): FoldFunction =>
  (x, y, out) =>
    putNumber(x.type, float(numberOf(x), numberOf(y)), out);

const bitwise =
  (word: (x: number, y: number) => number): FoldFunction =>
  (x, y, out) =>
    put(
      out,
      word(x.constantLow, y.constantLow),
      x.type === Int64 ? word(x.constantHigh, y.constantHigh) : 0,
    );

const shift =
  (
    int32: (x: number, count: number) => number,
    int64: (x: Value, count: bigint) => bigint,
  ): FoldFunction =>
  (x, y, out) =>
    x.type === Int32
      ? put(out, int32(x.constantLow, y.constantLow & 31), 0)
      : putInt64(out, int64(x, BigInt(y.constantLow & 63)));

const compare =
  (holds: NumberComparison): FoldFunction =>
  (x, y, out) => {
    const isInteger = x.type === Int32 || x.type === Int64;
    const truth = isInteger ? holds(signed(x), signed(y)) : holds(numberOf(x), numberOf(y));
    return put(out, truth ? 1 : 0, 0);
  };

const compareUnsigned =
  (holds: NumberComparison): FoldFunction =>
  (x, y, out) =>
    put(out, holds(unsigned(x), unsigned(y)) ? 1 : 0, 0);

// Folds an operation on the sign bit, the top bit of the last word. The other bits of a NaN stay
// unchanged.
const signBit =
  (change: (word: number) => number): FoldFunction =>
  (x, _y, out) =>
    x.type === Double
      ? put(out, x.constantLow, change(x.constantHigh))
      : put(out, change(x.constantLow), 0);

const negateSign = signBit((word) => word ^ 0x8000_0000);
const negateInteger = arithmetic(
  (x) => -x | 0,
  (x) => -x,
  (x) => x,
);

// Computes on integers of both widths as bigints, and wraps to the width of the result. Null means
// no result.
const integral =
  (operate: (x: bigint, y: bigint, width: number) => bigint | null): FoldFunction =>
  (x, y, out) => {
    const result = operate(signed(x), signed(y), 8 * sizeOf(x.type));
    return result !== null && putInteger(x.type, result, out);
  };
const integralUnsigned =
  (operate: (x: bigint, y: bigint, width: number) => bigint | null): FoldFunction =>
  (x, y, out) => {
    const result = operate(unsigned(x), unsigned(y), 8 * sizeOf(x.type));
    return result !== null && putInteger(x.type, result, out);
  };
const putInteger = (type: Type, x: bigint, out: ConstantWords): boolean =>
  put(out, ...wordsOf(type, x));

const isLeastByMinusOne = (x: bigint, y: bigint, width: number): boolean =>
  y === -1n && x === -(1n << BigInt(width - 1));

const divide: FoldFunction = (x, y, out, z) =>
  x.type === Float || x.type === Double
    ? putNumber(x.type, numberOf(x) / numberOf(y), out)
    : divideIntegers(x, y, out, z);
const divideIntegers = integral((x, y, width) =>
  y === 0n || isLeastByMinusOne(x, y, width) ? null : x / y,
);

const remainder: FoldFunction = (x, y, out, z) =>
  x.type === Float || x.type === Double
    ? putNumber(x.type, remainderOf(numberOf(x), numberOf(y)), out)
    : remainderOfIntegers(x, y, out, z);
const remainderOfIntegers = integral((x, y, width) =>
  y === 0n || isLeastByMinusOne(x, y, width) ? null : x % y,
);

const floorRemainder = (x: bigint, y: bigint): bigint => {
  const rest = x % y;
  return rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest;
};

// The remainder is a multiple of the smaller of the two units, below the divisor and at most the
// dividend. So the integer remainder is below 2^53, and exact.
function remainderOf(x: number, y: number): number {
  if (!Number.isFinite(x) || Number.isNaN(y) || y === 0) return Number.NaN;
  if (!Number.isFinite(y) || x === 0) return x;
  const [sizeOfX, unitOfX] = decomposed(Math.abs(x));
  const [sizeOfY, unitOfY] = decomposed(Math.abs(y));
  const unit = Math.min(unitOfX, unitOfY);
  const rest = (sizeOfX << BigInt(unitOfX - unit)) % (sizeOfY << BigInt(unitOfY - unit));
  const size = Number(rest) * 2 ** unit;
  return x < 0 ? -size : size;
}

/** Returns a positive number as an integer times a power of two: the integer, and the exponent. */
function decomposed(x: number): [bigint, number] {
  view.setFloat64(0, x);
  const exponent = view.getInt32(0) >>> 20;
  const fraction = view.getBigInt64(0) & ((1n << 52n) - 1n);
  return exponent === 0 ? [fraction, -1074] : [fraction | (1n << 52n), exponent - 1075];
}

/** Returns the low 32 bits of a number truncated toward zero. */
function lowWordOf(x: number): number {
  if (!Number.isFinite(x)) return 0;
  const [size, unit] = decomposed(Math.abs(x));
  const whole = unit < 0 ? size >> BigInt(-unit) : size << BigInt(unit);
  return Number(BigInt.asIntN(32, x < 0 ? -whole : whole));
}

const rotate =
  (direction: 1 | -1): FoldFunction =>
  (x, y, out) => {
    const width = 8 * sizeOf(x.type);
    const left = BigInt((direction * y.constantLow) & (width - 1));
    const twice = unsigned(x) * ((1n << BigInt(width)) + 1n);
    return putInteger(x.type, (twice << left) >> BigInt(width), out);
  };

/** Returns the binary digits of the unsigned value, highest first, one for each bit of the type. */
const digitsOf = (x: Value): string =>
  unsigned(x)
    .toString(2)
    .padStart(8 * sizeOf(x.type), "0");
const countDigits =
  (count: (digits: string) => number): FoldFunction =>
  (x, _y, out) =>
    put(out, count(digitsOf(x)), 0);
/** Returns the position of the first 1; the number of digits if there is none. */
const firstOne = (digits: string): number =>
  digits.includes("1") ? digits.indexOf("1") : digits.length;

const swapWord = (word: number): number =>
  (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);

const flag =
  (read: (c: Value) => bigint, wrapTo: (width: number, x: bigint) => bigint) =>
  (operate: (x: bigint, y: bigint) => bigint): FoldFunction =>
  (x, y, out) => {
    const exact = operate(read(x), read(y));
    return put(out, wrapTo(8 * sizeOf(x.type), exact) === exact ? 0 : 1, 0);
  };
const overflowsSigned = flag(signed, BigInt.asIntN);
const overflowsUnsigned = flag(unsigned, BigInt.asUintN);

// Rounds by the distance to the next lower integer, and keeps the sign of a zero result.
function roundToEven(x: number): number {
  const below = Math.floor(x);
  const part = x - below;
  const isUp = part > 0.5 || (part === 0.5 && below % 2 !== 0);
  const whole = isUp ? below + 1 : below;
  return whole === 0 && (x < 0 || Object.is(x, -0)) ? -0 : whole;
}

function lesser(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return Object.is(x, -0) ? x : y;
  return x < y ? x : y;
}

const copySign: FoldFunction = (x, y, out) =>
  x.type === Double
    ? put(out, x.constantLow, (x.constantHigh & SIGN_CLEARED) | (y.constantHigh & ~SIGN_CLEARED))
    : put(out, (x.constantLow & SIGN_CLEARED) | (y.constantLow & ~SIGN_CLEARED), 0);

// The sum is computed in units of the least product of two doubles, so every operand and every
// product is an integer. It is rounded to the precision of the format, but not below the least
// positive number of the format.
const fusedMulAdd: FoldFunction = (x, y, out, z) => {
  const numbers = [x, y, z].map(numberOf);
  const [a, b, c] = numbers;
  if (a === 0 || b === 0) return putNumber(x.type, a * b + c, out);
  if (!numbers.every(Number.isFinite)) return foldInfinite(x.type, a, b, c, out);
  const [p, q, r] = numbers.map(inLeastUnits);
  const sum = p * q + (r << BigInt(LEAST_UNIT));
  const size = sum < 0n ? -sum : sum;
  const digits = size.toString(2).length;
  const [precision, dropped] = x.type === Float ? [24, 2 * LEAST_UNIT - 149] : [53, LEAST_UNIT];
  const half = 1n << BigInt(Math.max(digits - precision, dropped) - 1);
  const odd = (size / (2n * half)) & 1n;
  const whole = (size + half - 1n + odd) / (2n * half);
  const unit = Math.max(digits - precision, dropped) - 2 * LEAST_UNIT;
  return putNumber(x.type, (sum < 0n ? -1 : 1) * Number(whole) * 2 ** unit, out);
};
/** The negated exponent of the least positive Double, 2 ** -1074. */
const LEAST_UNIT = 1074;

const inLeastUnits = (x: number): bigint => {
  const [size, unit] = decomposed(Math.abs(x));
  const whole = size << BigInt(unit + LEAST_UNIT);
  return x < 0 ? -whole : whole;
};

/**
 * A product of finite numbers is finite in exact arithmetic, so a third operand that is infinite or
 * NaN is the result.
 */
const foldInfinite = (type: Type, a: number, b: number, c: number, out: ConstantWords): boolean =>
  putNumber(type, Number.isFinite(a) && Number.isFinite(b) ? c : a * b + c, out);

// Keeps the integer's highest 24 bits, and rounds half to even.
function putAsFloat(x: bigint, out: ConstantWords): boolean {
  const size = x < 0n ? -x : x;
  const shift = Math.max(0, size.toString(2).length - 24);
  const unit = 1n << BigInt(shift);
  let kept = size / unit;
  const twiceRest = 2n * (size % unit);
  if (twiceRest > unit || (twiceRest === unit && (kept & 1n) === 1n)) kept++;
  return putNumber(Float, (x < 0n ? -1 : 1) * Number(kept) * 2 ** shift, out);
}

/** Converts to integers of that width, saturating at the limits. */
const toInteger =
  (type: typeof Int32 | typeof Int64, isSigned: boolean): FoldFunction =>
  (x, _y, out) => {
    const number = Math.trunc(numberOf(x));
    const bits = BigInt(8 * sizeOf(type));
    const [least, greatest] = isSigned
      ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n]
      : [0n, (1n << bits) - 1n];
    if (Number.isNaN(number)) return put(out, 0, 0);
    if (number <= Number(least)) return putInteger(type, least, out);
    // The greatest 64-bit integer is not a double, so the comparison uses its successor.
    if (number >= Number(greatest + 1n)) return putInteger(type, greatest, out);
    return putInteger(type, BigInt(number), out);
  };

const SIGN_CLEARED = 0x7fff_ffff;
const QUIET_FLOAT = 0x7fc0_0000;
const QUIET_DOUBLE_HIGH = 0x7ff8_0000;

// biome-ignore format: a table
export const FOLDS: { readonly [O in OpcodeName]?: FoldFunction } = {
  Add:              arithmetic((x, y) => (x + y) | 0, (x, y) => x + y, (x, y) => x + y),
  Sub:              arithmetic((x, y) => (x - y) | 0, (x, y) => x - y, (x, y) => x - y),
  Mul:              arithmetic((x, y) => Math.imul(x, y), (x, y) => x * y, (x, y) => x * y),
  Div:              divide,
  Mod:              remainder,
  UDiv:             integralUnsigned((x, y) => (y === 0n ? null : x / y)),
  UMod:             integralUnsigned((x, y) => (y === 0n ? null : x % y)),
  FloorMod:         integral((x, y, width) => (y === 0n || isLeastByMinusOne(x, y, width) ? null : floorRemainder(x, y))),
  ChillDiv:         integral((x, y) => (y === 0n ? 0n : x / y)),
  ChillMod:         integral((x, y) => (y === 0n ? 0n : x % y)),
  MulHigh:          integral((x, y, width) => (x * y) >> BigInt(width)),
  UMulHigh:         integralUnsigned((x, y, width) => (x * y) >> BigInt(width)),
  Neg:              (x, y, out, z) => (x.type === Float || x.type === Double ? negateSign : negateInteger)(x, y, out, z),
  BitAnd:           bitwise((x, y) => x & y),
  BitOr:            bitwise((x, y) => x | y),
  BitXor:           bitwise((x, y) => x ^ y),
  Shl:              shift((x, n) => x << n, (x, n) => signed(x) << n),
  SShr:             shift((x, n) => x >> n, (x, n) => signed(x) >> n),
  ZShr:             shift((x, n) => (x >>> n) | 0, (x, n) => unsigned(x) >> n),
  RotL:             rotate(1),
  RotR:             rotate(-1),
  Clz:              countDigits(firstOne),
  Ctz:              countDigits((digits) => firstOne([...digits].reverse().join(""))),
  PopCnt:           countDigits((digits) => digits.replaceAll("0", "").length),
  ByteSwap:         (x, _y, out) => x.type === Int32 ? put(out, swapWord(x.constantLow), 0) : put(out, swapWord(x.constantHigh), swapWord(x.constantLow)),
  Min:              integral((x, y) => (x < y ? x : y)),
  Max:              integral((x, y) => (x > y ? x : y)),
  UMin:             integralUnsigned((x, y) => (x < y ? x : y)),
  UMax:             integralUnsigned((x, y) => (x > y ? x : y)),
  AddOverflows:     overflowsSigned((x, y) => x + y),
  SubOverflows:     overflowsSigned((x, y) => x - y),
  MulOverflows:     overflowsSigned((x, y) => x * y),
  AddCarries:       overflowsUnsigned((x, y) => x + y),
  Abs:              signBit((word) => word & SIGN_CLEARED),
  Ceil:             floating(Math.ceil),
  Sqrt:             floating(Math.sqrt),
  Floor:            floating(Math.floor),
  FTrunc:           floating((x) => (x < 0 ? Math.ceil(x) : Math.floor(x))),
  Nearest:          floating(roundToEven),
  FMin:             floating(lesser),
  FMax:             floating((x, y) => -lesser(-x, -y)),
  FusedMulAdd:      fusedMulAdd,
  CopySign:         copySign,
  SExt8:            (x, _y, out) => put(out, (x.constantLow << 24) >> 24, 0),
  SExt16:           (x, _y, out) => put(out, (x.constantLow << 16) >> 16, 0),
  SExt8To64:        (x, _y, out) => put(out, (x.constantLow << 24) >> 24, (x.constantLow << 24) >> 31),
  SExt16To64:       (x, _y, out) => put(out, (x.constantLow << 16) >> 16, (x.constantLow << 16) >> 31),
  SExt32:           (x, _y, out) => put(out, x.constantLow, x.constantLow >> 31),
  ZExt32:           (x, _y, out) => put(out, x.constantLow, 0),
  Trunc:            (x, _y, out) => put(out, x.constantLow, 0),
  IToD:             (x, _y, out) => putNumber(Double, Number(signed(x)), out),
  TruncHigh:        (x, _y, out) => put(out, x.constantHigh, 0),
  Stitch:           (x, y, out) => put(out, y.constantLow, x.constantLow),
  IToF:             (x, _y, out) => putAsFloat(signed(x), out),
  UToD:             (x, _y, out) => putNumber(Double, Number(unsigned(x)), out),
  UToF:             (x, _y, out) => putAsFloat(unsigned(x), out),
  TruncS32:         toInteger(Int32, true),
  TruncU32:         toInteger(Int32, false),
  TruncS64:         toInteger(Int64, true),
  TruncU64:         toInteger(Int64, false),
  ToInt32:          (x, _y, out) => put(out, lowWordOf(numberOf(x)), 0),
  FloatToDouble:    (x, _y, out) => putNumber(Double, numberOf(x), out),
  DoubleToFloat:    (x, _y, out) => putNumber(Float, numberOf(x), out),
  BitwiseCast:      (x, _y, out) => put(out, x.constantLow, x.constantHigh),
  PurifyNaN:        purify,
  Equal:            compare((x, y) => x === y),
  NotEqual:         compare((x, y) => x !== y),
  LessThan:         compare((x, y) => x < y),
  GreaterThan:      compare((x, y) => x > y),
  LessEqual:        compare((x, y) => x <= y),
  GreaterEqual:     compare((x, y) => x >= y),
  Above:            compareUnsigned((x, y) => x > y),
  Below:            compareUnsigned((x, y) => x < y),
  AboveEqual:       compareUnsigned((x, y) => x >= y),
  BelowEqual:       compareUnsigned((x, y) => x <= y),
  EqualOrUnordered: compare((x, y) => !(x < y || x > y)),
};

function purify(x: Value, _y: Value, out: ConstantWords): boolean {
  if (!Number.isNaN(numberOf(x))) return put(out, x.constantLow, x.constantHigh);
  return x.type === Float ? put(out, QUIET_FLOAT, 0) : put(out, 0, QUIET_DOUBLE_HIGH);
}

const FOLD_BY_OPCODE: readonly (FoldFunction | null)[] = ALL_OPCODES.map(
  (opcode) => FOLDS[nameOfOpcode(opcode)] ?? null,
);

// Opcodes without effect that are not folded: Nop, a copy, two barriers that no phase looks
// through, Select (rules handle it without arithmetic), and a parameter.
export const UNFOLDED: readonly OpcodeName[] = [
  "Nop",
  "Identity",
  "Opaque",
  "Depend",
  "Select",
  "ArgumentReg",
];
for (const opcode of ALL_OPCODES) {
  const name = nameOfOpcode(opcode);
  const isFolded = (EFFECTS[opcode] & ~PARTIAL) === 0 && !UNFOLDED.includes(name);
  assert(
    isFolded === (FOLD_BY_OPCODE[opcode] !== null),
    () => `${name} must have a fold if it is pure and not in UNFOLDED, and no fold otherwise`,
  );
}
