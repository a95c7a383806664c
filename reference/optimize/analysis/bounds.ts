// Bounds of integers: the least and the greatest signed value, as numbers.
//
// Those of an Int32 are exact. Of an Int64 they are exact up to 2^52 in size, so that sums of two are
// exact as well; beyond, four marks say how near the limit a value may come:
//
//   least    -2^63 or more                 greatest   2^63 - 1 or less
//   -inner   -2^63 + 1 or more             inner      2^63 - 2 or less
//
// The inner marks are what `i < n` implies for i where nothing is known of n: enough for i + 1 not to
// overflow. They are numbers of their own, so bounds compare as numbers. A lower bound never lies
// above 2^52, an upper one never below -2^52: rounding goes outward.

import { Int64, type Type } from "../../../src/ir/types.js";

/** How wide integers are, and which of their bounds are kept. */
export interface Width {
  readonly bits: number;
  /** Bits of an Int32 beside it: what narrow integers and halves are fractions of. */
  readonly word: number;
  readonly least: number;
  readonly greatest: number;
  /** Bounds up to this size are exact, beyond it they are marks; Infinity if there are no marks. */
  readonly exact: number;
  /** The mark below the greatest; of no meaning without marks. */
  readonly inner: number;
}

export const EXACT = 2 ** 52;

/** All bounds are exact. */
export const exactWidth = (bits: number, word: number): Width => ({
  ...{ bits, word, least: -(2 ** (bits - 1)), greatest: 2 ** (bits - 1) - 1 },
  ...{ exact: Number.POSITIVE_INFINITY, inner: Number.NaN },
});

/** Bounds are exact up to a size, and marks beyond it. */
export const markedWidth = (bits: number, word: number, exact: number, inner: number): Width => ({
  ...{ bits, word, least: -(2 ** (bits - 1)), greatest: 2 ** (bits - 1), exact, inner },
});

const WIDTH_32 = exactWidth(32, 32);
const WIDTH_64 = markedWidth(64, 32, EXACT, 2 ** 63 - 1024); // the greatest number below 2^63

/** Of an integer type. */
export const widthOf = (type: Type): Width => (type === Int64 ? WIDTH_64 : WIDTH_32);

export const isMarked = ({ exact }: Width): boolean => exact !== Number.POSITIVE_INFINITY;

/** A lower bound as it is kept. */
export function keptLow({ exact, least, inner }: Width, low: number): number {
  if (low >= -exact && low <= exact) return low;
  if (low > exact) return exact;
  return low === least ? least : -inner;
}
export const keptHigh = (width: Width, high: number): number => -keptLow(width, -high);

/** The bound that excludes `high` itself; it may leave nothing. */
export const below = (width: Width, high: number): number => {
  if (!isMarked(width)) return high - 1;
  if (high === width.greatest) return width.inner;
  return high === width.inner ? high : keptHigh(width, high - 1);
};
export const above = (width: Width, low: number): number =>
  isMarked(width) ? -below(width, -low) : low + 1;
