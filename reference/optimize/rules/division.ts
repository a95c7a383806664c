// Implements division by a constant as multiplication: the conditions and constants of its rules.
//
// The algorithm is from Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication" (1994). Let W be the number of bits, and M = floor(2^(W+s) / d) + 1. The quotient
// is the high half of x * M, shifted right by s, if M * d exceeds 2^(W+s) by little enough. The
// maximum is 2^s for unsigned x, and 2^(s+1) for signed x, which has one bit less. A negative
// signed quotient is one too low, so the sign bit is added. M uses the least such s. If M has W
// bits (signed) or W + 1 bits (unsigned), it does not fit a multiplication's operand. The sequence
// then adds the missing summand x.

import type { Value } from "../../../src/ir/procedure.js";
import { isWide, type Type } from "../../../src/ir/types.js";
import { wordsOf } from "../../../src/ir/words.js";
import { type ConstantWords, signed, unsigned } from "./fold.js";
import type { ComputedConstant, PatternVariable, SideCondition } from "./patterns.js";

interface MagicNumber {
  readonly multiplier: bigint;
  readonly shift: number;
}

const widthOf = (type: Type): number => (isWide(type) ? 64 : 32);

function magicOf(divisor: bigint, width: number, slack: number): MagicNumber {
  for (let shift = 0; ; shift++) {
    const power = 1n << BigInt(width + shift);
    const multiplier = power / divisor + 1n;
    if (multiplier * divisor - power <= 1n << BigInt(shift + slack)) return { multiplier, shift };
  }
}
const signedMagic = (divisor: bigint, bits: number): MagicNumber => magicOf(divisor, bits, 1);
const unsignedMagic = (divisor: bigint, bits: number): MagicNumber => magicOf(divisor, bits, 0);

const isPowerOfTwo = (x: bigint): boolean => x > 0n && (x & (x - 1n)) === 0n;

/**
 * True for divisors that need a multiplier: at least 3 as a signed integer, and not a power of two.
 * Unsigned divisors of at least half the range are excluded: their quotient is 0 or 1.
 */
const isDivisor = (x: bigint): boolean => x >= 3n && !isPowerOfTwo(x);

const fits = ({ multiplier }: MagicNumber, bits: number): boolean =>
  multiplier < 1n << BigInt(bits);

/** By name of the condition: whether a sequence applies to a divisor of `bits` bits. */
export const DIVISOR_CONDITIONS = {
  /** The multiplier is a positive signed integer. */
  hasShortSignedMagic: (divisor: bigint, bits: number) =>
    isDivisor(divisor) && fits(signedMagic(divisor, bits), bits - 1),
  /** The multiplier is a signed integer only after subtracting 2^W. */
  hasLongSignedMagic: (divisor: bigint, bits: number) =>
    isDivisor(divisor) && !fits(signedMagic(divisor, bits), bits - 1),
  /** The multiplier is an unsigned integer. */
  hasShortUnsignedMagic: (divisor: bigint, bits: number) =>
    isDivisor(divisor) && fits(unsignedMagic(divisor, bits), bits),
  /** The multiplier is an unsigned integer only after subtracting 2^W. */
  hasLongUnsignedMagic: (divisor: bigint, bits: number) =>
    isDivisor(divisor) && !fits(unsignedMagic(divisor, bits), bits),
} as const;

/** By name of the constant: its value for a divisor of `bits` bits. */
export const DIVISOR_CONSTANTS = {
  /** The multiplier, minus 2^W if it does not fit its type. */
  signedMultiplier: (divisor: bigint, bits: number) => signedMagic(divisor, bits).multiplier,
  unsignedMultiplier: (divisor: bigint, bits: number) => unsignedMagic(divisor, bits).multiplier,
  /** The remaining shift after the high half is taken. */
  signedShift: (divisor: bigint, bits: number) => BigInt(signedMagic(divisor, bits).shift),
  unsignedShift: (divisor: bigint, bits: number) => BigInt(unsignedMagic(divisor, bits).shift),
  /** One less than `unsignedShift`, because the sum before it is already halved. */
  unsignedShiftLess1: (divisor: bigint, bits: number) =>
    BigInt(unsignedMagic(divisor, bits).shift - 1),
} as const;

function condition(name: string, on: PatternVariable, holds: (c: Value) => boolean): SideCondition {
  return { name: `${name}(${on})`, on: [on], holds: (_root, c) => holds(c) };
}

const divisorCondition =
  (name: keyof typeof DIVISOR_CONDITIONS) =>
  (c: PatternVariable): SideCondition =>
    condition(name, c, (value) => DIVISOR_CONDITIONS[name](signed(value), widthOf(value.type)));

export const hasShortSignedMagic = divisorCondition("hasShortSignedMagic");
export const hasLongSignedMagic = divisorCondition("hasLongSignedMagic");
export const hasShortUnsignedMagic = divisorCondition("hasShortUnsignedMagic");
export const hasLongUnsignedMagic = divisorCondition("hasLongUnsignedMagic");

/**
 * The constant is 2, 4, 8 and so on. The least integer is excluded: it has one bit set, but is
 * negative.
 */
export const isPositivePowerOfTwo = (c: PatternVariable): SideCondition =>
  condition(
    "isPositivePowerOfTwo",
    c,
    (value) => signed(value) >= 2n && isPowerOfTwo(signed(value)),
  );

/** The constant is -2 or less, and its negation does not overflow. */
export const isNegativeDivisor = (c: PatternVariable): SideCondition =>
  condition("isNegativeDivisor", c, (value) => {
    const least = -(1n << BigInt(widthOf(value.type) - 1));
    return signed(value) <= -2n && signed(value) !== least;
  });

/** The constant is at least half of the unsigned range. */
export const isNegative = (c: PatternVariable): SideCondition =>
  condition("isNegative", c, (value) => signed(value) < 0n);

/** The constant is neither 0 nor -1, so every quotient by it is defined. */
export const isSafeDivisor = (c: PatternVariable): SideCondition =>
  condition("isSafeDivisor", c, (value) => signed(value) !== 0n && signed(value) !== -1n);

const put = (out: ConstantWords, type: Type, x: bigint): void => {
  [out.lo, out.hi] = wordsOf(type, x);
};

function computed(
  name: string,
  from: PatternVariable,
  compute: (type: Type, c: Value, out: ConstantWords) => void,
): ComputedConstant {
  return {
    name,
    from,
    compute: (type, c, out) => {
      if (c !== null) compute(type, c, out);
    },
  };
}

const divisorConstant =
  (name: keyof typeof DIVISOR_CONSTANTS) =>
  (c: PatternVariable): ComputedConstant =>
    computed(name, c, (type, value, out) =>
      put(out, type, DIVISOR_CONSTANTS[name](signed(value), widthOf(value.type))),
    );

export const signedMultiplier = divisorConstant("signedMultiplier");
export const unsignedMultiplier = divisorConstant("unsignedMultiplier");
export const signedShift = divisorConstant("signedShift");
export const unsignedShift = divisorConstant("unsignedShift");
export const unsignedShiftLess1 = divisorConstant("unsignedShiftLess1");
/** The right shift of a word of W bits that leaves its highest log2(c) bits. */
export const highBits = (c: PatternVariable): ComputedConstant =>
  computed("highBits", c, (_type, value, out) => {
    out.lo = widthOf(value.type) + 1 - unsigned(value).toString(2).length;
    out.hi = 0;
  });
