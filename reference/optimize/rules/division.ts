// Division by a constant as multiplication: the words that rules about it are written in.
//
// Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (1994). With W bits
// and M = floor(2^(W+s) / d) + 1 the quotient is the high half of x * M, shifted right by s more, if
// M * d exceeds 2^(W+s) by little enough: by 2^s for unsigned x, by 2^(s+1) for signed ones, which
// have a bit less; there a negative quotient comes out one too low, so the sign bit is added. The
// least such s gives M. If it has W bits (signed) or W + 1 (unsigned), it is no operand of a
// multiplication: the sequence is then longer by the missing summand x.

import type { Value } from "../../../src/ir/procedure.js";
import { isWide, type Type } from "../../../src/ir/types.js";
import { wordsOf } from "../../../src/ir/words.js";
import { type ConstantWords, signed, unsigned } from "./fold.js";
import type { Computed, Condition, Variable } from "./patterns.js";

interface Magic {
  readonly multiplier: bigint;
  readonly shift: number;
}

const widthOf = (type: Type): number => (isWide(type) ? 64 : 32);

function magicOf(divisor: bigint, width: number, slack: number): Magic {
  for (let shift = 0; ; shift++) {
    const power = 1n << BigInt(width + shift);
    const multiplier = power / divisor + 1n;
    if (multiplier * divisor - power <= 1n << BigInt(shift + slack)) return { multiplier, shift };
  }
}
const signedMagic = (divisor: bigint, bits: number): Magic => magicOf(divisor, bits, 1);
const unsignedMagic = (divisor: bigint, bits: number): Magic => magicOf(divisor, bits, 0);

const isPowerOfTwo = (x: bigint): boolean => x > 0n && (x & (x - 1n)) === 0n;

/**
 * At least 3 as a signed integer, and no power of two: what a multiplier is made for. Of unsigned
 * divisors these are no more than half of the range: the others divide once or not at all.
 */
const isDivisor = (x: bigint): boolean => x >= 3n && !isPowerOfTwo(x);

const fits = ({ multiplier }: Magic, bits: number): boolean => multiplier < 1n << BigInt(bits);

/** Which divisors of so many bits a sequence is for, by the name of the condition. */
export const DIVISOR_CONDITIONS = {
  /** The multiplier is a positive signed integer. */
  hasShortSignedMagic: (divisor: bigint, bits: number) =>
    isDivisor(divisor) && fits(signedMagic(divisor, bits), bits - 1),
  /** It is one only if 2^W is taken away. */
  hasLongSignedMagic: (divisor: bigint, bits: number) =>
    isDivisor(divisor) && !fits(signedMagic(divisor, bits), bits - 1),
  /** The multiplier is an unsigned integer. */
  hasShortUnsignedMagic: (divisor: bigint, bits: number) =>
    isDivisor(divisor) && fits(unsignedMagic(divisor, bits), bits),
  /** It is one only if 2^W is taken away. */
  hasLongUnsignedMagic: (divisor: bigint, bits: number) =>
    isDivisor(divisor) && !fits(unsignedMagic(divisor, bits), bits),
} as const;

/** What is computed of a divisor of so many bits, by the name of the constant. */
export const DIVISOR_CONSTANTS = {
  /** The multiplier, less 2^W if it has more bits than its type. */
  signedMultiplier: (divisor: bigint, bits: number) => signedMagic(divisor, bits).multiplier,
  unsignedMultiplier: (divisor: bigint, bits: number) => unsignedMagic(divisor, bits).multiplier,
  /** What is left to shift behind the high half. */
  signedShift: (divisor: bigint, bits: number) => BigInt(signedMagic(divisor, bits).shift),
  unsignedShift: (divisor: bigint, bits: number) => BigInt(unsignedMagic(divisor, bits).shift),
  /** One less: the sum before it has been halved. */
  unsignedShiftLess1: (divisor: bigint, bits: number) =>
    BigInt(unsignedMagic(divisor, bits).shift - 1),
} as const;

function condition(name: string, on: Variable, holds: (c: Value) => boolean): Condition {
  return { name: `${name}(${on})`, on: [on], holds: (_root, c) => holds(c) };
}

const divisorCondition =
  (name: keyof typeof DIVISOR_CONDITIONS) =>
  (c: Variable): Condition =>
    condition(name, c, (value) => DIVISOR_CONDITIONS[name](signed(value), widthOf(value.type)));

export const hasShortSignedMagic = divisorCondition("hasShortSignedMagic");
export const hasLongSignedMagic = divisorCondition("hasLongSignedMagic");
export const hasShortUnsignedMagic = divisorCondition("hasShortUnsignedMagic");
export const hasLongUnsignedMagic = divisorCondition("hasLongUnsignedMagic");

/** 2, 4, 8 and so on. The least integer has one bit set too, and is negative. */
export const isPositivePowerOfTwo = (c: Variable): Condition =>
  condition(
    "isPositivePowerOfTwo",
    c,
    (value) => signed(value) >= 2n && isPowerOfTwo(signed(value)),
  );

/** -2 or less, and its opposite is an integer. */
export const isNegativeDivisor = (c: Variable): Condition =>
  condition("isNegativeDivisor", c, (value) => {
    const least = -(1n << BigInt(widthOf(value.type) - 1));
    return signed(value) <= -2n && signed(value) !== least;
  });

/** Half of the unsigned range or more. */
export const isNegative = (c: Variable): Condition =>
  condition("isNegative", c, (value) => signed(value) < 0n);

/** Neither 0 nor -1: whatever is divided by it, the quotient is defined. */
export const isSafeDivisor = (c: Variable): Condition =>
  condition("isSafeDivisor", c, (value) => signed(value) !== 0n && signed(value) !== -1n);

const put = (out: ConstantWords, type: Type, x: bigint): void => {
  [out.lo, out.hi] = wordsOf(type, x);
};

function computed(
  name: string,
  from: Variable,
  compute: (type: Type, c: Value, out: ConstantWords) => void,
): Computed {
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
  (c: Variable): Computed =>
    computed(name, c, (type, value, out) =>
      put(out, type, DIVISOR_CONSTANTS[name](signed(value), widthOf(value.type))),
    );

export const signedMultiplier = divisorConstant("signedMultiplier");
export const unsignedMultiplier = divisorConstant("unsignedMultiplier");
export const signedShift = divisorConstant("signedShift");
export const unsignedShift = divisorConstant("unsignedShift");
export const unsignedShiftLess1 = divisorConstant("unsignedShiftLess1");
/** By so much a word of W bits is shifted to leave its log2(c) highest. */
export const highBits = (c: Variable): Computed =>
  computed("highBits", c, (_type, value, out) => {
    out.lo = widthOf(value.type) + 1 - unsigned(value).toString(2).length;
    out.hi = 0;
  });
