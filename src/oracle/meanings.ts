// Defines the result of every computing operation. Read it beside docs/language.md.
//
// A function takes an Int32 as a signed number, an Int64 as a signed bigint, and a Float or Double as its number. It
// performs one arithmetic operation only, because a JavaScript number does not keep the bits of a NaN. Operations that
// the language defines on bits (ON_BITS) take a Float as its 32 bits and a Double as its 64 bits, signed. Operations
// that only move bits (MoveName) have no function: the interpreters copy the bits.
//
// Float arithmetic computes in doubles and rounds the result with Math.fround. This equals the Float operation: double
// rounding is innocuous for + - * / and square root if the wide format has 2p + 2 bits, and 53 >= 2 * 24 + 2 (Figueroa,
// "When is double rounding innocuous?", 1995). If the result is a subnormal Float, sum and product are exact as
// doubles, and a quotient of two Floats is never within 2^-53 of a midpoint unless it is one.

import type { OPCODES, OpcodeName } from "../ir/opcodes.js";
import type { UndefinedRule } from "../ir/outcome.js";
import type { ValueTypeName } from "../ir/types.js";
import { FORMATS, fusedMulAdd } from "./exact-sums.js";

type SpecOf<O extends OpcodeName> = (typeof OPCODES)[O];
type NamesOf<Effect extends string> = {
  [O in OpcodeName]: SpecOf<O>["effect"] extends Effect ? O : never;
}[OpcodeName];
export type PureOpcodeName = NamesOf<"pure" | "partial">;
/** Pure operations that select or copy bits and never use them. */
export const MOVES = ["Nop", "Identity", "Opaque", "BitwiseCast", "Select", "ArgumentReg"] as const;
export type MoveName = (typeof MOVES)[number];
/** Operations that take floats as bits, and their effect on an open NaN. */
export const ON_BITS = {
  Neg: "stays open",
  Abs: "stays open",
  CopySign: "stays open", // reading the sign of an open NaN looks at its bits
  PurifyNaN: "becomes specified",
} as const;

interface NumbersByType {
  Int32: number;
  Int64: bigint;
  Float: number;
  Double: number;
}
interface BitsByType {
  Int32: number;
  Int64: bigint;
  Float: number;
  Double: bigint;
}
type OperandAs<O, K, T extends ValueTypeName> = (O extends keyof typeof ON_BITS
  ? BitsByType
  : NumbersByType)[K extends ValueTypeName ? K : T];
type OperandsOf<O, K extends readonly unknown[], T extends ValueTypeName> = {
  [I in keyof K]: OperandAs<O, K[I], T>;
};
type OpcodeMeaning<O extends OpcodeName, T extends ValueTypeName> = (
  ...operands: OperandsOf<O, SpecOf<O>["args"], T>
) => OperandAs<O, SpecOf<O>["result"], T>;
// One function for each type that T may be; a single function if the row has no T.
type MeaningsByType<O extends OpcodeName> =
  SpecOf<O> extends { over: readonly (infer T extends ValueTypeName)[] }
    ? { readonly [P in T]: OpcodeMeaning<O, P> }
    : OpcodeMeaning<O, ValueTypeName>;

const INT64_MIN = -(1n << 63n);
const INT64_MAX = ~INT64_MIN;
const FLOAT_INFINITY = 0x7f80_0000;
const DOUBLE_INFINITY = 0x7ff0_0000_0000_0000n;
/** The NaN that PurifyNaN gives: positive, quiet, without payload. */
const FLOAT_NAN = 0x7fc0_0000;
const DOUBLE_NAN = 0x7ff8_0000_0000_0000n;

const wrap = (x: bigint): bigint => BigInt.asIntN(64, x);
const unsigned = (x: bigint): bigint => BigInt.asUintN(64, x);
const bit = (claim: boolean): number => (claim ? 1 : 0);
const { fround } = Math;

/** Returns the upper half of a product of two 64-bit integers. */
const highHalf = (product: bigint): bigint => wrap(product >> 64n);
/** Returns the upper half of a product of two 32-bit integers, as a signed number. */
const highWord = (product: bigint): number => Number(BigInt.asIntN(32, product >> 32n));
const unsigned32 = (x: number): bigint => BigInt(x >>> 0);
const isOutside32 = (x: number): number => bit(x !== (x | 0));
const isOutside64 = (x: bigint): number => bit(x !== wrap(x));
const rotate64 = (x: bigint, left: number): bigint => {
  const count = BigInt(left & 63);
  return wrap((unsigned(x) << count) | (unsigned(x) >> (64n - count)));
};

function leadingZeroes(x: bigint): bigint {
  return x === 0n ? 64n : BigInt(64 - unsigned(x).toString(2).length);
}

/** Returns the number of trailing zero bits of 64: x & -x has only the lowest set bit of x. */
function trailingZeroes(x: bigint): bigint {
  return x === 0n ? 64n : 63n - leadingZeroes(wrap(x & -x));
}

function ones(x: bigint): number {
  let count = 0;
  for (let rest = x; rest !== 0n; rest &= rest - 1n) count++;
  return count;
}

/** Reverses the bytes of a number that is not negative. */
function reversed(x: bigint, byteCount: number): bigint {
  let result = 0n;
  let rest = x;
  for (let i = 0; i < byteCount; i++) {
    result = (result << 8n) | (rest & 0xffn);
    rest >>= 8n;
  }
  return result;
}

// Every double from 2^52 on is an integer. Adding 2^52 to a smaller number makes the hardware round it to an integer,
// to nearest even; the subtraction is exact. -0 remains -0, and -0.5 becomes -0.
const TWO_TO_52 = 2 ** 52;
function nearest(x: number): number {
  if (!(Math.abs(x) < TWO_TO_52)) return x;
  const size = Math.abs(x) + TWO_TO_52 - TWO_TO_52;
  return x < 0 || Object.is(x, -0) ? -size : size;
}

// Rounds a bigint of up to 64 bits to a Float, once. A conversion to Double would round first beyond 2^53. The low 11
// bits are far below a Float's last place, so one sticky bit replaces them: then the Double is exact.
function toFloat(x: bigint): number {
  const size = x < 0n ? -x : x;
  const isLarge = size >= 1n << 53n;
  const kept = isLarge ? ((size >> 11n) | ((size & 0x7ffn) === 0n ? 0n : 1n)) << 11n : size;
  return fround(Number(x < 0n ? -kept : kept));
}

/** Truncates toward zero and clamps to [min, max]; a NaN becomes 0. */
function saturate(x: number, min: bigint, max: bigint): bigint {
  if (Number.isNaN(x)) return 0n;
  if (x === Infinity) return max;
  if (x === -Infinity) return min;
  const whole = BigInt(Math.trunc(x));
  return whole < min ? min : whole > max ? max : whole;
}
const toSigned32 = (x: number): number => Number(saturate(x, -(1n << 31n), (1n << 31n) - 1n));
const toUnsigned32 = (x: number): number => Number(saturate(x, 0n, (1n << 32n) - 1n)) | 0;
const toSigned64 = (x: number): bigint => saturate(x, INT64_MIN, INT64_MAX);
const toUnsigned64 = (x: number): bigint => wrap(saturate(x, 0n, (1n << 64n) - 1n));

// biome-ignore format: a table
export const MEANINGS: { readonly [O in Exclude<PureOpcodeName, MoveName>]: MeaningsByType<O> } = {
  Add: {
    Int32:  (x, y) => (x + y) | 0,
    Int64:  (x, y) => wrap(x + y),
    Float:  (x, y) => fround(x + y),
    Double: (x, y) => x + y,
  },
  Sub: {
    Int32:  (x, y) => (x - y) | 0,
    Int64:  (x, y) => wrap(x - y),
    Float:  (x, y) => fround(x - y),
    Double: (x, y) => x - y,
  },
  Mul: {
    Int32:  (x, y) => Math.imul(x, y),
    Int64:  (x, y) => wrap(x * y),
    Float:  (x, y) => fround(x * y),
    Double: (x, y) => x * y,
  },
  // These functions are not evaluated if UNDEFINED_BY has a rule for the operands. A bigint quotient is truncated, as
  // is `| 0`.
  Div: {
    Int32:  (x, y) => (x / y) | 0,
    Int64:  (x, y) => x / y,
    Float:  (x, y) => fround(x / y),
    Double: (x, y) => x / y,
  },
  // JavaScript's % of numbers is C's fmod: it is exact, so the result of two Floats is a Float.
  Mod: {
    Int32:  (x, y) => (x % y) | 0,
    Int64:  (x, y) => x % y,
    Float:  (x, y) => x % y,
    Double: (x, y) => x % y,
  },
  UDiv: { Int32: (x, y) => ((x >>> 0) / (y >>> 0)) | 0, Int64: (x, y) => wrap(unsigned(x) / unsigned(y)) },
  UMod: { Int32: (x, y) => ((x >>> 0) % (y >>> 0)) | 0, Int64: (x, y) => wrap(unsigned(x) % unsigned(y)) },
  // A nonzero remainder whose sign differs from the divisor's needs one divisor added.
  FloorMod: {
    Int32:  (x, y) => ((x % y) + y) % y | 0,
    Int64:  (x, y) => ((x % y) + y) % y,
  },
  ChillDiv: {
    Int32:  (x, y) => (y === 0 ? 0 : (x / y) | 0), // 2^31 | 0 is MIN
    Int64:  (x, y) => (y === 0n ? 0n : wrap(x / y)),
  },
  ChillMod: {
    Int32:  (x, y) => (y === 0 ? 0 : (x % y) | 0),
    Int64:  (x, y) => (y === 0n ? 0n : x % y),
  },
  MulHigh: {
    Int32:  (x, y) => highWord(BigInt(x) * BigInt(y)),
    Int64:  (x, y) => highHalf(x * y),
  },
  UMulHigh: {
    Int32:  (x, y) => highWord(unsigned32(x) * unsigned32(y)),
    Int64:  (x, y) => highHalf(unsigned(x) * unsigned(y)),
  },
  Neg: {
    Int32:  (x) => -x | 0,
    Int64:  (x) => wrap(-x),
    Float:  (bits) => bits ^ 0x8000_0000,
    Double: (bits) => bits ^ INT64_MIN,
  },
  Abs: {
    Float:  (bits) => bits & 0x7fff_ffff,
    Double: (bits) => bits & INT64_MAX,
  },
  PurifyNaN: {
    Float:  (bits) => (bits & 0x7fff_ffff) > FLOAT_INFINITY ? FLOAT_NAN : bits,
    Double: (bits) => (bits & INT64_MAX) > DOUBLE_INFINITY ? DOUBLE_NAN : bits,
  },
  Ceil: { Float: (x) => Math.ceil(x),         Double: (x) => Math.ceil(x) }, // (-1, 0) to -0
  Sqrt: { Float: (x) => fround(Math.sqrt(x)), Double: (x) => Math.sqrt(x) }, // Sqrt(-0) is -0
  Floor:   { Float: (x) => Math.floor(x), Double: (x) => Math.floor(x) },
  FTrunc:  { Float: (x) => Math.trunc(x), Double: (x) => Math.trunc(x) },
  Nearest: { Float: nearest,              Double: nearest }, // a Float's result is a Float
  // Math.min and Math.max return NaN if an operand is NaN, and order -0 below +0.
  FMin: { Float: (x, y) => Math.min(x, y), Double: (x, y) => Math.min(x, y) },
  FMax: { Float: (x, y) => Math.max(x, y), Double: (x, y) => Math.max(x, y) },
  FusedMulAdd: {
    Float:  (x, y, z) => fusedMulAdd(x, y, z, FORMATS.Float),
    Double: (x, y, z) => fusedMulAdd(x, y, z, FORMATS.Double),
  },
  CopySign: {
    Float:  (x, y) => (x & 0x7fff_ffff) | (y & 0x8000_0000),
    Double: (x, y) => (x & INT64_MAX) | (y & INT64_MIN),
  },

  BitAnd: { Int32: (x, y) => x & y,          Int64: (x, y) => x & y },
  BitOr:  { Int32: (x, y) => x | y,          Int64: (x, y) => x | y },
  BitXor: { Int32: (x, y) => x ^ y,          Int64: (x, y) => x ^ y },
  // JavaScript's shifts of numbers use the low 5 bits of the count.
  Shl:    { Int32: (x, count) => x << count,        Int64: (x, count) => wrap(x << BigInt(count & 63)) },
  SShr:   { Int32: (x, count) => x >> count,        Int64: (x, count) => x >> BigInt(count & 63) },
  ZShr:   { Int32: (x, count) => (x >>> count) | 0, Int64: (x, count) => wrap(unsigned(x) >> BigInt(count & 63)) },
  RotL:   { Int32: (x, count) => (x << count) | (x >>> -count), Int64: (x, count) => rotate64(x, count) },
  RotR:   { Int32: (x, count) => (x >>> count) | (x << -count), Int64: (x, count) => rotate64(x, -count) },
  Clz:    { Int32: (x) => Math.clz32(x), Int64: leadingZeroes },
  Ctz:    { Int32: (x) => (x === 0 ? 32 : 31 - Math.clz32(x & -x)), Int64: trailingZeroes },
  PopCnt: { Int32: (x) => ones(unsigned32(x)), Int64: (x) => BigInt(ones(unsigned(x))) },
  ByteSwap: { Int32: (x) => Number(BigInt.asIntN(32, reversed(unsigned32(x), 4))), Int64: (x) => wrap(reversed(unsigned(x), 8)) },
  Depend: { Int32: () => 0, Int64: () => 0n },
  Min:  { Int32: (x, y) => Math.min(x, y),                Int64: (x, y) => (x < y ? x : y) },
  Max:  { Int32: (x, y) => Math.max(x, y),                Int64: (x, y) => (x < y ? y : x) },
  UMin: { Int32: (x, y) => Math.min(x >>> 0, y >>> 0) | 0, Int64: (x, y) => (unsigned(x) < unsigned(y) ? x : y) },
  UMax: { Int32: (x, y) => Math.max(x >>> 0, y >>> 0) | 0, Int64: (x, y) => (unsigned(x) < unsigned(y) ? y : x) },
  // JavaScript may round a product of two Int32, but only far beyond 2^31.
  AddOverflows: { Int32: (x, y) => isOutside32(x + y), Int64: (x, y) => isOutside64(x + y) },
  SubOverflows: { Int32: (x, y) => isOutside32(x - y), Int64: (x, y) => isOutside64(x - y) },
  MulOverflows: { Int32: (x, y) => isOutside32(x * y), Int64: (x, y) => isOutside64(x * y) },
  AddCarries: {
    Int32:  (x, y) => bit((x >>> 0) + (y >>> 0) >= 2 ** 32),
    Int64:  (x, y) => bit(unsigned(x) + unsigned(y) >= 1n << 64n),
  },

  SExt8:         (x) => (x << 24) >> 24,
  SExt16:        (x) => (x << 16) >> 16,
  SExt8To64:     (x) => BigInt((x << 24) >> 24),
  SExt16To64:    (x) => BigInt((x << 16) >> 16),
  SExt32:        (x) => BigInt(x),
  ZExt32:        (x) => BigInt(x >>> 0),
  Trunc:         (x) => Number(BigInt.asIntN(32, x)),
  IToD:          { Int32: (x) => x, Int64: (x) => Number(x) }, // Number(bigint) rounds once, to nearest even
  TruncHigh:     (x) => Number(x >> 32n),
  Stitch:        (high, low) => (BigInt(high) << 32n) | BigInt(low >>> 0),
  IToF:          { Int32: (x) => fround(x),  Int64: toFloat },
  UToD:          { Int32: (x) => x >>> 0,    Int64: (x) => Number(unsigned(x)) },
  UToF:          { Int32: (x) => fround(x >>> 0), Int64: (x) => toFloat(unsigned(x)) },
  TruncS32:      { Float: toSigned32,   Double: toSigned32 },
  TruncU32:      { Float: toUnsigned32, Double: toUnsigned32 },
  TruncS64:      { Float: toSigned64,   Double: toSigned64 },
  TruncU64:      { Float: toUnsigned64, Double: toUnsigned64 },
  ToInt32:       (x) => x | 0, // JavaScript's ToInt32
  FloatToDouble: (x) => x,
  DoubleToFloat: (x) => fround(x),

  // A comparison of JavaScript numbers is false if either is a NaN, and -0 equals 0; `!==` is the negation of `===`.
  Equal: {
    Int32:  (x, y) => bit(x === y),
    Int64:  (x, y) => bit(x === y),
    Float:  (x, y) => bit(x === y),
    Double: (x, y) => bit(x === y),
  },
  NotEqual: {
    Int32:  (x, y) => bit(x !== y),
    Int64:  (x, y) => bit(x !== y),
    Float:  (x, y) => bit(x !== y),
    Double: (x, y) => bit(x !== y),
  },
  LessThan: {
    Int32:  (x, y) => bit(x < y),
    Int64:  (x, y) => bit(x < y),
    Float:  (x, y) => bit(x < y),
    Double: (x, y) => bit(x < y),
  },
  GreaterThan: {
    Int32:  (x, y) => bit(x > y),
    Int64:  (x, y) => bit(x > y),
    Float:  (x, y) => bit(x > y),
    Double: (x, y) => bit(x > y),
  },
  LessEqual: {
    Int32:  (x, y) => bit(x <= y),
    Int64:  (x, y) => bit(x <= y),
    Float:  (x, y) => bit(x <= y),
    Double: (x, y) => bit(x <= y),
  },
  GreaterEqual: {
    Int32:  (x, y) => bit(x >= y),
    Int64:  (x, y) => bit(x >= y),
    Float:  (x, y) => bit(x >= y),
    Double: (x, y) => bit(x >= y),
  },
  Above:      { Int32: (x, y) => bit(x >>> 0 > y >>> 0),  Int64: (x, y) => bit(unsigned(x) > unsigned(y)) },
  Below:      { Int32: (x, y) => bit(x >>> 0 < y >>> 0),  Int64: (x, y) => bit(unsigned(x) < unsigned(y)) },
  AboveEqual: { Int32: (x, y) => bit(x >>> 0 >= y >>> 0), Int64: (x, y) => bit(unsigned(x) >= unsigned(y)) },
  BelowEqual: { Int32: (x, y) => bit(x >>> 0 <= y >>> 0), Int64: (x, y) => bit(unsigned(x) <= unsigned(y)) },
  EqualOrUnordered: {
    Float:  (x, y) => bit(x === y || Number.isNaN(x) || Number.isNaN(y)),
    Double: (x, y) => bit(x === y || Number.isNaN(x) || Number.isNaN(y)),
  },
};

type PartialOpcodeName = NamesOf<"partial">;
type UndefinedTest<T> = (x: T, y: T) => UndefinedRule | null;

const zero32: UndefinedTest<number> = (_x, y) => (y === 0 ? "division by zero" : null);
const zero64: UndefinedTest<bigint> = (_x, y) => (y === 0n ? "division by zero" : null);
const signed32: UndefinedTest<number> = (x, y) =>
  x === -0x8000_0000 && y === -1 ? "division overflow" : zero32(x, y);
const signed64: UndefinedTest<bigint> = (x, y) =>
  x === INT64_MIN && y === -1n ? "division overflow" : zero64(x, y);

interface UndefinedTestsByType {
  readonly Int32: UndefinedTest<number>;
  readonly Int64: UndefinedTest<bigint>;
}
/** The rule that makes a partial operation on integers undefined for these operands, or null. */
// biome-ignore format: a table
export const UNDEFINED_BY: { readonly [O in PartialOpcodeName]: UndefinedTestsByType } = {
  Div:  { Int32: signed32, Int64: signed64 },
  Mod:  { Int32: signed32, Int64: signed64 },
  UDiv: { Int32: zero32,   Int64: zero64 },
  UMod: { Int32: zero32,   Int64: zero64 },
  FloorMod: { Int32: signed32, Int64: signed64 },
};

/** The results of guards that convert; null makes the guard exit. `|` converts any number to an integer. */
export const GUARDED_CONVERSIONS = {
  CheckToInt32: (x: number): number | null => ((x | 0) === x ? x | 0 : null), // 0 === -0
  CheckToInt32Exact: (x: number): number | null => (Object.is(x | 0, x) ? x | 0 : null),
};

/** The guards that compute. They exit if the true result does not fit in the type. */
type ArithmeticGuardName = Exclude<
  NamesOf<"exit">,
  "Check" | "PatchpointCheck" | keyof typeof GUARDED_CONVERSIONS
>;

// The true results, before any wrapping. JavaScript may round a product of two Int32, but only far beyond 2^53, where
// it overflows in any case.
export const TRUE_RESULTS: {
  readonly [O in ArithmeticGuardName]: {
    readonly Int32: (x: number, y: number) => number;
    readonly Int64: (x: bigint, y: bigint) => bigint;
  };
} = {
  CheckAdd: { Int32: (x, y) => x + y, Int64: (x, y) => x + y },
  CheckSub: { Int32: (x, y) => x - y, Int64: (x, y) => x - y },
  CheckMul: { Int32: (x, y) => x * y, Int64: (x, y) => x * y },
};

/**
 * The value that an atomic operation writes, from the old value and its operand; by name, without the width. Only the
 * low bits count.
 */
// biome-ignore format: a table
export const EXCHANGES: { readonly [name: string]: (old: bigint, x: bigint) => bigint } = {
  AtomicXchg:    (_, x) => x,
  AtomicXchgAdd: (old, x) => old + x,
  AtomicXchgSub: (old, x) => old - x,
  AtomicXchgAnd: (old, x) => old & x,
  AtomicXchgOr:  (old, x) => old | x,
  AtomicXchgXor: (old, x) => old ^ x,
};
