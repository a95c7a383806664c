// Represents bounds of integers: the least and the greatest signed value, as numbers.
//
// Bounds of an Int32 are exact. Bounds of an Int64 are exact up to 2^52 in size, so that the sum of
// two is exact as well. Beyond that, four marks record the distance to the limit of the type:
//
//   least    -2^63 or more                 greatest   2^63 - 1 or less
//   -inner   -2^63 + 1 or more             inner      2^63 - 2 or less
//
// The inner marks represent the fact that `i < n` implies about i if n is unknown: i + 1 does not
// overflow. Marks are numbers that no exact bound has, so bounds compare as numbers. A lower bound
// is never above 2^52, an upper bound never below -2^52, because rounding goes outward.

import { Int64, type Type } from "../../../src/ir/types.js";

/** A width of integers, and the bounds that it represents exactly. */
export interface IntegerWidth {
  readonly bits: number;
  /**
   * The number of bits of an Int32 at this width. Narrow integers and halves have fractions of it.
   */
  readonly word: number;
  readonly least: number;
  readonly greatest: number;
  /** Bounds up to this size are exact, larger ones are marks; Infinity if there are no marks. */
  readonly exact: number;
  /** The mark below the greatest; unused without marks. */
  readonly inner: number;
}

export const EXACT = 2 ** 52;

/** Returns a width at which all bounds are exact. */
export const exactWidth = (bits: number, word: number): IntegerWidth => ({
  ...{ bits, word, least: -(2 ** (bits - 1)), greatest: 2 ** (bits - 1) - 1 },
  ...{ exact: Number.POSITIVE_INFINITY, inner: Number.NaN },
});

/** Returns a width at which bounds are exact up to a size, and marks beyond it. */
export const markedWidth = (
  bits: number,
  word: number,
  exact: number,
  inner: number,
): IntegerWidth => ({
  ...{ bits, word, least: -(2 ** (bits - 1)), greatest: 2 ** (bits - 1), exact, inner },
});

const WIDTH_32 = exactWidth(32, 32);
const WIDTH_64 = markedWidth(64, 32, EXACT, 2 ** 63 - 1024); // the greatest number below 2^63

export const widthOf = (type: Type): IntegerWidth => (type === Int64 ? WIDTH_64 : WIDTH_32);

export const isMarked = ({ exact }: IntegerWidth): boolean => exact !== Number.POSITIVE_INFINITY;

/** Rounds a lower bound outward to one that the width represents. */
export function roundedLow({ exact, least, inner }: IntegerWidth, low: number): number {
  if (low >= -exact && low <= exact) return low;
  if (low > exact) return exact;
  return low === least ? least : -inner;
}
export const roundedHigh = (width: IntegerWidth, high: number): number => -roundedLow(width, -high);

/** Returns the upper bound that excludes `high` itself. The range may become empty. */
export const below = (width: IntegerWidth, high: number): number => {
  if (!isMarked(width)) return high - 1;
  if (high === width.greatest) return width.inner;
  return high === width.inner ? high : roundedHigh(width, high - 1);
};
export const above = (width: IntegerWidth, low: number): number =>
  isMarked(width) ? -below(width, -low) : low + 1;
