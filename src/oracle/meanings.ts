// What every operation does: the heart of the oracle, to be read beside docs/language.md.
//
// A function sees an Int32 as a signed number, an Int64 as a signed bigint, and a Float or Double
// as the number that it is: for one arithmetic operation only, since a JavaScript number does not
// keep the bits of a NaN. Operations that the language defines on bits (ON_BITS) see a Float as its
// 32 bits and a Double as its 64 bits, signed. Operations that only move bits (MoveName) need no
// function: steps.ts copies words.
//
// Float arithmetic is done on doubles and rounded once more by Math.fround. That is exactly the
// Float operation: double rounding is innocuous for + - * / and square root if the wide format has
// 2p + 2 bits, and 53 >= 2 * 24 + 2 (Figueroa, "When is double rounding innocuous?", 1995). Where
// the result is a subnormal Float, sum and product are exact as doubles, and a quotient of two
// Floats is never as near to a midpoint as 2^-53 unless it is one.

import type { OPCODES, OpcodeName } from "../ir/opcodes.js";
import type { ValueTypeName } from "../ir/types.js";

type Spec<O extends OpcodeName> = (typeof OPCODES)[O];
type NamesOf<Effect extends string> = {
  [O in OpcodeName]: Spec<O>["effect"] extends Effect ? O : never;
}[OpcodeName];
export type PureOpcodeName = NamesOf<"pure">;
/** Pure operations that choose or copy bits and never look at them. */
export type MoveName = "Nop" | "Identity" | "BitwiseCast" | "Select";
/** Operations that see floats by their bits, and what becomes of an open NaN. */
export const ON_BITS = {
  Neg: "stays open",
  Abs: "stays open",
  PurifyNaN: "becomes specified",
} as const;

interface ByNumber {
  Int32: number;
  Int64: bigint;
  Float: number;
  Double: number;
}
interface ByBits {
  Int32: number;
  Int64: bigint;
  Float: number;
  Double: bigint;
}
type Seen<O, K, T extends ValueTypeName> = (O extends keyof typeof ON_BITS
  ? ByBits
  : ByNumber)[K extends ValueTypeName ? K : T];
type OperandsOf<O, K extends readonly unknown[], T extends ValueTypeName> = {
  [I in keyof K]: Seen<O, K[I], T>;
};
type Meaning<O extends OpcodeName, T extends ValueTypeName> = (
  ...operands: OperandsOf<O, Spec<O>["args"], T>
) => Seen<O, Spec<O>["result"], T>;
// A function per type that T may take; one function where the row has no T.
type Meanings<O extends OpcodeName> =
  Spec<O> extends { over: readonly (infer T extends ValueTypeName)[] }
    ? { readonly [P in T]: Meaning<O, P> }
    : Meaning<O, ValueTypeName>;

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

// biome-ignore format: a table
export const MEANINGS: { readonly [O in Exclude<PureOpcodeName, MoveName>]: Meanings<O> } = {
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
  Div: {
    Float:  (x, y) => fround(x / y),
    Double: (x, y) => x / y,
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
  Ceil: { Float: (x) => Math.ceil(x),         Double: (x) => Math.ceil(x) }, // above -1 and below 0: -0
  Sqrt: { Float: (x) => fround(Math.sqrt(x)), Double: (x) => Math.sqrt(x) }, // of -0: -0

  BitAnd: { Int32: (x, y) => x & y,          Int64: (x, y) => x & y },
  BitOr:  { Int32: (x, y) => x | y,          Int64: (x, y) => x | y },
  BitXor: { Int32: (x, y) => x ^ y,          Int64: (x, y) => x ^ y },
  // JavaScript's shifts of numbers use the low 5 bits of the count.
  Shl:    { Int32: (x, count) => x << count,        Int64: (x, count) => wrap(x << BigInt(count & 63)) },
  SShr:   { Int32: (x, count) => x >> count,        Int64: (x, count) => x >> BigInt(count & 63) },
  ZShr:   { Int32: (x, count) => (x >>> count) | 0, Int64: (x, count) => wrap(unsigned(x) >> BigInt(count & 63)) },

  SExt8:         (x) => (x << 24) >> 24,
  SExt16:        (x) => (x << 16) >> 16,
  SExt32:        (x) => BigInt(x),
  ZExt32:        (x) => BigInt(x >>> 0),
  Trunc:         (x) => Number(BigInt.asIntN(32, x)),
  IToD:          { Int32: (x) => x, Int64: (x) => Number(x) }, // Number(bigint) rounds once, to nearest even
  FloatToDouble: (x) => x,
  DoubleToFloat: (x) => fround(x),

  // A comparison of JavaScript numbers is false if either is a NaN, and -0 equals 0; `!==` is the
  // negation of `===`.
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

/** Guards that compute: they exit where the true result is not one of the type. */
export type ArithmeticGuardName = Exclude<NamesOf<"exit">, "Check">;

// The true result, before any wrapping. A product of two Int32 may be rounded as a number, but only
// far beyond 2^53, where it overflows either way.
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
