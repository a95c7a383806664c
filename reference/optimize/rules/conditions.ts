// Defines named side conditions and computed constants of the rules. They read only the values that
// the matcher binds.

import { Op } from "../../../src/ir/opcodes.js";
import { CONSTANT_OPCODES, type Value } from "../../../src/ir/procedure.js";
import { Double, Int32, Int64, isInteger, isWide, type Type } from "../../../src/ir/types.js";
import { foldValue, numberOf, overflows, signed, unsigned } from "./fold.js";
import type { ComputedConstant, PatternVariable, SideCondition } from "./patterns.js";

/** Returns the mask of the low bits that shifts use of their count. */
const countMask = (type: Type): number => (isWide(type) ? 63 : 31);
const lowMask = (c: Value, bits: number): number => c.constantLow & ((1 << bits) - 1);
const isOneBit = (bits: bigint): boolean => bits !== 0n && (bits & (bits - 1n)) === 0n;
const isConstant = (value: Value): boolean => value.opcode === CONSTANT_OPCODES[value.type];

function condition(
  name: string,
  on: readonly PatternVariable[],
  holds: SideCondition["holds"],
): SideCondition {
  return { name: `${name}(${on.join(", ")})`, on, holds };
}

export const isNotConstant = (x: PatternVariable): SideCondition =>
  condition("isNotConstant", [x], (_root, value) => !isConstant(value));

export const isNotZero = (c: PatternVariable): SideCondition =>
  condition("isNotZero", [c], (_root, value) => (value.constantLow | value.constantHigh) !== 0);

/** The operation on constants has a result that is not an open NaN. */
export const folds = (): SideCondition =>
  condition("folds", [], (root) => foldValue(root, { lo: 0, hi: 0 }));

export const isPowerOfTwo = (c: PatternVariable): SideCondition =>
  condition("isPowerOfTwo", [c], (_root, value) => isOneBit(unsigned(value)));

/**
 * A Double or Float whose reciprocal is exact: plus or minus a power of two with a finite
 * reciprocal.
 */
export const hasExactReciprocal = (c: PatternVariable): SideCondition =>
  condition("hasExactReciprocal", [c], (_root, value) => {
    const x = numberOf(value);
    const inverse = value.type === Double ? 1 / x : Math.fround(1 / x);
    return Number.isFinite(x) && Number.isFinite(inverse) && x !== 0 && isPowerOfTwoNumber(x);
  });

// A power of two has no bit set after the leading one, so its product with its inverse is exactly
// 1.
const isPowerOfTwoNumber = (x: number): boolean => {
  const magnitude = Math.abs(x);
  return 2 ** Math.round(Math.log2(magnitude)) === magnitude && (1 / magnitude) * magnitude === 1;
};

/** The count has bits above the low 5 or 6 bits that are used. */
export const isBeyondWidth = (c: PatternVariable): SideCondition =>
  condition(
    "isBeyondWidth",
    [c],
    (root, count) => (count.constantLow & ~countMask(root.type)) !== 0,
  );

/** The mask keeps all bits of a shift count that are used. */
export const keepsCount = (c: PatternVariable): SideCondition =>
  condition("keepsCount", [c], (root, mask) => {
    const used = countMask(root.type);
    return (mask.constantLow & used) === used;
  });

/** The sum of two shift counts is less than the width. */
export const fitsShift = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition("fitsShift", [c, d], (root, first, second) => {
    const mask = countMask(root.type);
    return (first.constantLow & mask) + (second.constantLow & mask) <= mask;
  });

/** Two successive shifts shift every bit out. */
export const shiftsAllOut = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition("shiftsAllOut", [c, d], (root, first, second) => {
    const mask = countMask(root.type);
    return (first.constantLow & mask) + (second.constantLow & mask) > mask;
  });

/** Shifting the integer c left by d loses no bit. */
export const shiftsNoneOut = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition("shiftsNoneOut", [c, d], (_root, bits, count) => {
    const shifted = unsigned(bits) << BigInt(count.constantLow & countMask(bits.type));
    return shifted >> (widthLess1(bits.type) + 1n) === 0n;
  });

/** Both are integers, and c is at most d in signed order. */
export const areOrdered = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition("areOrdered", [c, d], (_root, x, y) => isInteger(x.type) && signed(x) <= signed(y));

/**
 * c - d is a power of two greater than e. Two ranges of e + 1 numbers that begin at c and d then
 * differ only by that bit.
 */
export const beginApart = (
  c: PatternVariable,
  d: PatternVariable,
  e: PatternVariable,
): SideCondition =>
  condition("beginApart", [c, d, e], (_root, x, y, size) => {
    const distance = BigInt.asUintN(isWide(x.type) ? 64 : 32, unsigned(x) - unsigned(y));
    return isOneBit(distance) && unsigned(size) < distance;
  });

/** Both are integers, and they differ in exactly one bit. */
export const differInOneBit = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition(
    "differInOneBit",
    [c, d],
    (_root, x, y) => isInteger(x.type) && isOneBit(unsigned(x) ^ unsigned(y)),
  );

/** The sum of two shift counts is the width. */
export const fillWidth = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition("fillWidth", [c, d], (root, first, second) => {
    const mask = countMask(root.type);
    return (first.constantLow & mask) + (second.constantLow & mask) === mask + 1;
  });

/** A 64-bit shift by the count moves the low word out. */
export const isAboveLowWord = (c: PatternVariable): SideCondition =>
  condition("isAboveLowWord", [c], (_root, count) => (count.constantLow & 63) >= 32);

/** No bit is set in both. */
export const areDisjoint = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition(
    "areDisjoint",
    [c, d],
    (_root, x, y) => ((x.constantLow & y.constantLow) | (x.constantHigh & y.constantHigh)) === 0,
  );

/** No bit of c, shifted right by d, is set in e. */
export const areDisjointMoved = (
  c: PatternVariable,
  d: PatternVariable,
  e: PatternVariable,
): SideCondition =>
  condition("areDisjointMoved", [c, d, e], (_root, x, count, mask) => {
    const moved = unsigned(x) >> BigInt(count.constantLow & countMask(x.type));
    return (moved & unsigned(mask)) === 0n;
  });

/** Each bit is set in at least one of them. */
export const areExhaustive = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition("areExhaustive", [c, d], (_root, x, y) => {
    return (
      (x.constantLow | y.constantLow) === -1 &&
      (x.type === Int32 || (x.constantHigh | y.constantHigh) === -1)
    );
  });

/** Each bit of d is set in c. */
export const covers = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition(
    "covers",
    [c, d],
    (_root, x, y) => ((~x.constantLow & y.constantLow) | (~x.constantHigh & y.constantHigh)) === 0,
  );

export const keepsByte = (c: PatternVariable): SideCondition =>
  condition("keepsByte", [c], (_root, mask) => lowMask(mask, 8) === 0xff);

export const keepsHalf = (c: PatternVariable): SideCondition =>
  condition("keepsHalf", [c], (_root, mask) => lowMask(mask, 16) === 0xffff);

export const isWithinByte = (c: PatternVariable): SideCondition =>
  condition("isWithinByte", [c], (_root, mask) => (mask.constantLow & ~0xff) === 0);

export const isWithinHalf = (c: PatternVariable): SideCondition =>
  condition("isWithinHalf", [c], (_root, mask) => (mask.constantLow & ~0xffff) === 0);

export const lowWordIsOnes = (c: PatternVariable): SideCondition =>
  condition("lowWordIsOnes", [c], (_root, mask) => mask.constantLow === -1);

export const lowWordIsZero = (c: PatternVariable): SideCondition =>
  condition("lowWordIsZero", [c], (_root, mask) => mask.constantLow === 0);

/**
 * The value is greater, in unsigned order, than the high word of every Double that is not a NaN,
 * and of the NaN of PurifyNaN.
 */
export const isAboveNumbers = (c: PatternVariable): SideCondition =>
  condition("isAboveNumbers", [c], (_root, value) => value.constantLow >>> 0 > 0xfff0_0000);

/** Its negation does not overflow. */
export const isNotLeast = (c: PatternVariable): SideCondition =>
  condition("isNotLeast", [c], (_root, value) => {
    const isLeast =
      value.type === Int32
        ? value.constantLow === -0x8000_0000
        : value.constantHigh === -0x8000_0000 && value.constantLow === 0;
    return !isLeast;
  });

/** The least or the greatest signed integer of its type. */
export const isLeast = (c: PatternVariable): SideCondition =>
  condition("isLeast", [c], (_root, value) => signed(value) === -(1n << widthLess1(value.type)));
export const isGreatest = (c: PatternVariable): SideCondition =>
  condition("isGreatest", [c], (_root, v) => signed(v) === (1n << widthLess1(v.type)) - 1n);
const widthLess1 = (type: Type): bigint => (type === Int64 ? 63n : 31n);

export const isOfIntegers = (x: PatternVariable): SideCondition =>
  condition("isOfIntegers", [x], (_root, value) => isInteger(value.type));

export const isInt32 = (x: PatternVariable): SideCondition =>
  condition("isInt32", [x], (_root, value) => value.type === Int32);

/** The guard on the two constants exits, or does not exit. */
export const overflow = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition("overflow", [c, d], (root, x, y) => overflows(root, x, y));
export const doNotOverflow = (c: PatternVariable, d: PatternVariable): SideCondition =>
  condition("doNotOverflow", [c, d], (root, x, y) => !overflows(root, x, y));

/** A value other than an Oops follows the guard. */
export const isFollowed = (): SideCondition =>
  condition("isFollowed", [], (root) => {
    const { block } = root;
    if (block === null) return false;
    return block.last.opcode !== Op.Oops || block.values[block.values.length - 2] !== root;
  });

export const goesToOnePlace = (): SideCondition =>
  condition("goesToOnePlace", [], ({ block }) => {
    if (block === null) return false;
    const { successors } = block;
    for (let s = 1; s < successors.length; s++) if (successors[s] !== successors[0]) return false;
    return true;
  });

/** Some case of the Switch has the same target as its default. */
export const hasIdleCase = (): SideCondition =>
  condition("hasIdleCase", [], ({ block }) => {
    if (block === null) return false;
    const { successors } = block;
    const last = successors.length - 1;
    for (let s = 0; s < last; s++) if (successors[s] === successors[last]) return true;
    return false;
  });

/** The sum of the access's offset and c is a signed 32-bit offset. */
export const fitsOffset = (c: PatternVariable): SideCondition =>
  condition("fitsOffset", [c], (root, value) => {
    if (value.constantHigh !== value.constantLow >> 31) return false;
    const offset = root.offset + value.constantLow;
    return (offset | 0) === offset;
  });

/** The position of the only set bit. */
export const log2 = (c: PatternVariable): ComputedConstant => ({
  name: "log2",
  from: c,
  compute: (_type, value, out) => {
    out.lo = value === null ? 0 : unsigned(value).toString(2).length - 1;
    out.hi = 0;
  },
});

/** The high word of an Int64. */
export const highWord = (c: PatternVariable): ComputedConstant => ({
  name: "highWord",
  from: c,
  compute: (_type, value, out) => {
    out.lo = value === null ? 0 : value.constantHigh;
    out.hi = 0;
  },
});

/** The bits of a shift count that are used. */
export const countBits = (c: PatternVariable): ComputedConstant => ({
  name: "countBits",
  from: c,
  compute: (type, value, out) => {
    out.lo = (value === null ? 0 : value.constantLow) & countMask(type);
    out.hi = 0;
  },
});

/** The greatest shift count. A signed shift by it leaves only the sign. */
export const countMax = (): ComputedConstant => ({
  name: "countMax",
  from: null,
  compute: (type, _value, out) => {
    out.lo = countMask(type);
    out.hi = 0;
  },
});
