// Computes ranges of integers: the transfer function of each opcode. range-analysis.ts applies
// them. The phases narrow and eliminate-bounds-checks rely on the results. A range that is too
// small produces wrong code; a range that is too large only loses an optimization.
//
// bounds.ts describes the representation of bounds. During the computation of a result, a bound may
// lie outside the type or be infinite. The operation then may wrap, or exits if it is checked.
//
// A range whose least value exceeds its greatest is empty: no value is possible.
//
// The functions do not depend on the width of an Int32. src/prove/range-proofs.ts runs them at a
// few bits and compares them with exhaustive enumeration.

import {
  ALL_OPCODES,
  nameOfOpcode,
  Op,
  type Opcode,
  type OpcodeName,
} from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import {
  above,
  below,
  EXACT,
  type IntegerWidth,
  isMarked,
  roundedHigh,
  roundedLow,
  widthOf,
} from "./bounds.js";
import type { TransferRanges } from "./transfer.js";

type TransferFunction = (t: TransferRanges) => void;

// Returns the upper bound of a sum. Limits and marks are symmetric around zero, so the lower bound
// is the mirror image.
function sumHigh(width: IntegerWidth, x: number, y: number): number {
  if (!isMarked(width)) return x + y;
  const { exact, inner, greatest } = width;
  const small = Math.min(x, y);
  const big = Math.max(x, y);
  if (big <= exact) return roundedHigh(width, x + y);
  if (small < 0) return inner;
  if (small === 0) return big;
  return big === inner && small === 1 ? greatest : Number.POSITIVE_INFINITY;
}

function sumLow(width: IntegerWidth, x: number, y: number): number {
  return isMarked(width) ? -sumHigh(width, -x, -y) : x + y;
}

function add(t: TransferRanges): void {
  t.put(sumLow(t.width, t.xMin, t.yMin), sumHigh(t.width, t.xMax, t.yMax));
}

function subtract(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  t.low = sumLow(width, xMin, -yMax);
  if (isMarked(width) && yMax === width.greatest) t.low = lessGreatest(width, xMin);
  // The negation of the least integer overflows.
  if (isMarked(width) && yMin === width.least) {
    t.high = xMax < 0 ? width.greatest : Number.POSITIVE_INFINITY;
  } else t.high = sumHigh(width, xMax, opposite(width, yMin));
}

/** Returns the lower bound of `x - greatest` for values x from `low` on. */
const lessGreatest = (width: IntegerWidth, low: number): number =>
  low >= 0 ? -width.inner : low === -1 ? width.least : Number.NEGATIVE_INFINITY;

/** Returns the upper bound of `-x` for values x from `low` on; `low` is not the least integer. */
const opposite = (width: IntegerWidth, low: number): number =>
  isMarked(width) && low === -width.inner ? width.greatest : 0 - low;

/** Returns the lower bound of `-x` for values x up to `high`. */
const oppositeLow = (width: IntegerWidth, high: number): number =>
  isMarked(width) && high === width.greatest ? -width.inner : 0 - high;

// Returns the product of two represented bounds. Beyond 2^53 it is rounded; the kept bound rounds
// outward at least as far.
function product(width: IntegerWidth, x: number, y: number): number {
  if (x === 0 || y === 0) return 0;
  if (!isMarked(width)) return x * y;
  const isKnown = Math.abs(x) <= width.exact && Math.abs(y) <= width.exact;
  const z = isKnown ? x * y : x < 0 === y < 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  // A product near the limits may be rounded, so it counts as outside.
  if (z >= width.greatest) return Number.POSITIVE_INFINITY;
  return z <= width.least ? Number.NEGATIVE_INFINITY : z;
}

function multiply(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  const a = product(width, xMin, yMin);
  const b = product(width, xMin, yMax);
  const c = product(width, xMax, yMin);
  const d = product(width, xMax, yMax);
  const low = Math.min(a, b, c, d);
  const high = Math.max(a, b, c, d);
  t.put(
    low === Number.NEGATIVE_INFINITY ? low : roundedLow(width, low),
    high === Number.POSITIVE_INFINITY ? high : roundedHigh(width, high),
  );
}

function negate(t: TransferRanges): void {
  const { width, xMin, xMax } = t;
  const isLeast = isMarked(width) && xMin === width.least;
  const high = isLeast ? Number.POSITIVE_INFINITY : opposite(width, xMin);
  t.put(oppositeLow(width, xMax), high);
}

/** Wraps the result to `bits` bits. A range whose ends wrap equally stays one range. */
function wrap(t: TransferRanges, bits: number): void {
  const size = 2 ** bits;
  const rounds = Math.floor(t.low / size + 0.5);
  const isOne = rounds === Math.floor(t.high / size + 0.5);
  const exact = Math.min(t.from.exact, EXACT);
  if (!isOne || t.low < -exact || t.high > exact) t.put(-size / 2, size / 2 - 1);
  else if (rounds !== 0) t.put(t.low - rounds * size, t.high - rounds * size);
}

const wrapping =
  (rule: TransferFunction): TransferFunction =>
  (t) => {
    rule(t);
    if (!t.mayOverflow) return;
    if (isMarked(t.width)) t.any();
    else wrap(t, t.width.bits);
  };

// Excludes overflowing results, because the operation exits on them.
const checked =
  (rule: TransferFunction): TransferFunction =>
  (t) => {
    rule(t);
    t.put(Math.max(t.low, t.width.least), Math.min(t.high, t.width.greatest));
  };

// Computes the flag of an overflow. The result overflows where it leaves the type of the operands.
const overflowFlag =
  (rule: TransferFunction): TransferFunction =>
  (t) => {
    const { width } = t;
    t.width = t.from;
    rule(t);
    const isOutside = t.high < t.width.least || t.low > t.width.greatest;
    const isCertain = isOutside && !isMarked(t.width);
    const { mayOverflow } = t;
    t.width = width;
    t.put(isCertain ? 1 : 0, mayOverflow ? 1 : 0);
  };

// Returns the range of the carry flag. With operands of different signs, the sum carries if it is
// not negative. With two negative operands it always carries, with two others never. Zero never
// carries; -1 carries unless zero is added.
function carryFlag(t: TransferRanges): void {
  const { xMin, xMax, yMin, yMax } = t;
  const isZero = (xMin === 0 && xMax === 0) || (yMin === 0 && yMax === 0);
  if (isZero || (xMin >= 0 && yMin >= 0)) t.put(0, 0);
  else if (xMax < 0 && yMax < 0) t.put(1, 1);
  else if ((xMin < 0 && xMax >= 0) || (yMin < 0 && yMax >= 0)) t.put(0, 1);
  else t.put(xMin + yMin >= 0 ? 1 : 0, xMax + yMax >= 0 ? 1 : 0);
}

/** Returns the number with all bits set that numbers up to `high` have; `high` is not negative. */
const bitsUpTo = (width: IntegerWidth, high: number): number =>
  high >= width.exact ? width.greatest : 2 ** bitLength(high) - 1;
/** Returns the least number with no more bits than the numbers from `low` on; `low` is negative. */
const bitsDownTo = (width: IntegerWidth, low: number): number =>
  -1 - low >= width.exact ? width.least : -(2 ** bitLength(-1 - low));
const bitLength = (x: number): number =>
  x < 2 ** 32 ? 32 - Math.clz32(x) : 64 - Math.clz32(x / 2 ** 32);

function and(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  if (xMin >= 0 && yMin >= 0) t.put(0, Math.min(xMax, yMax));
  else if (xMin >= 0) t.put(0, xMax);
  else if (yMin >= 0) t.put(0, yMax);
  else {
    const areNegative = xMax < 0 && yMax < 0;
    const high = areNegative ? Math.min(xMax, yMax) : Math.max(xMax, yMax);
    t.put(bitsDownTo(width, Math.min(xMin, yMin)), high);
  }
}

// An OR loses no bit of an operand, so a negative operand only moves toward -1.
function or(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  if (xMax < 0) t.put(yMax < 0 ? Math.max(xMin, yMin) : xMin, -1);
  else if (yMax < 0) t.put(yMin, -1);
  else {
    const areNatural = xMin >= 0 && yMin >= 0;
    const low = areNatural ? Math.max(xMin, yMin) : Math.min(xMin, yMin);
    t.put(low, bitsUpTo(width, Math.max(xMax, yMax)));
  }
}

function xor(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  const size = Math.max(xMax, yMax, -1 - xMin, -1 - yMin);
  const mayAgree = xMax >= 0 === yMax >= 0 || xMin < 0 === yMin < 0;
  const mayDiffer = (xMin < 0 && yMax >= 0) || (xMax >= 0 && yMin < 0);
  t.put(mayDiffer ? bitsDownTo(width, -1 - size) : 0, mayAgree ? bitsUpTo(width, size) : -1);
}

// If the range of counts does not wrap around, the shift uses the counts from first to last; else
// all counts.
const isOneRound = ({ width: { bits }, yMin, yMax }: TransferRanges): boolean =>
  Math.floor(yMin / bits) === Math.floor(yMax / bits);
const countIn = (bits: number, count: number): number => count - bits * Math.floor(count / bits);
const firstCount = (t: TransferRanges): number =>
  isOneRound(t) ? countIn(t.width.bits, t.yMin) : 0;
const lastCount = (t: TransferRanges): number =>
  isOneRound(t) ? countIn(t.width.bits, t.yMax) : t.width.bits - 1;

function shiftLeft(t: TransferRanges): void {
  const last = lastCount(t);
  const { xMin, xMax } = t;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let count = firstCount(t); count <= last; count++) {
    shiftLeftBy(t, xMin, xMax, count);
    low = Math.min(low, t.low);
    high = Math.max(high, t.high);
  }
  t.put(low, high);
}

function shiftLeftBy(t: TransferRanges, xMin: number, xMax: number, count: number): void {
  const { width } = t;
  const power = 2 ** count;
  if (count === 0) t.put(xMin, xMax);
  else if (isMarked(width)) {
    const low = product(width, xMin, power);
    const high = product(width, xMax, power);
    const isKnown = power <= width.exact && Number.isFinite(low) && Number.isFinite(high);
    if (isKnown) t.put(roundedLow(width, low), roundedHigh(width, high));
    else {
      const most = width.greatest - power;
      t.put(width.least, most <= width.exact ? most : width.inner);
    }
  } else {
    // Exact even beyond 2^53, because the number is a few bits followed by zeroes.
    const size = 2 ** width.bits;
    const rounds = Math.floor((xMin * power) / size + 0.5);
    const isOne = rounds === Math.floor((xMax * power) / size + 0.5);
    if (isOne) t.put(xMin * power - rounds * size, xMax * power - rounds * size);
    else t.put(width.least, width.greatest + 1 - power);
  }
}

function shifted(width: IntegerWidth, bound: number, count: number): number {
  if (Math.abs(bound) <= width.exact) return Math.floor(bound / 2 ** count);
  if (count === 0) return bound;
  const limit = width.greatest / 2 ** count;
  if (limit > width.exact) return bound < 0 ? -width.inner : width.inner;
  return bound < 0 ? -limit : limit - 1;
}

// A right shift moves a value toward zero, or toward -1.
function shiftRightSigned(t: TransferRanges): void {
  const { width, xMin, xMax } = t;
  const first = firstCount(t);
  const last = lastCount(t);
  t.low = shifted(width, xMin, xMin < 0 ? first : last);
  t.high = shifted(width, xMax, xMax < 0 ? last : first);
}

function shiftRightUnsigned(t: TransferRanges): void {
  const { width, xMin, xMax } = t;
  const first = firstCount(t);
  const last = lastCount(t);
  if (xMin >= 0 || last === 0) shiftRightSigned(t);
  else {
    const shortest = Math.max(1, first);
    const low = xMax >= 0 ? 0 : unsignedShiftedLow(width, xMin, last);
    t.put(first === 0 ? xMin : low, unsignedShiftedHigh(width, Math.min(xMax, -1), shortest));
  }
}

// Both functions take negative bounds and a count other than zero. With marks, only the sign is
// known.

function unsignedShiftedLow(width: IntegerWidth, low: number, count: number): number {
  if (!isMarked(width)) return Math.floor((low + 2 ** width.bits) / 2 ** count);
  return Math.min(width.exact, 2 ** (width.bits - 1 - count));
}

function unsignedShiftedHigh(width: IntegerWidth, high: number, count: number): number {
  if (!isMarked(width)) return Math.floor((high + 2 ** width.bits) / 2 ** count);
  if (count === 1) return width.greatest;
  const most = 2 ** (width.bits - count) - 1;
  return most > width.exact ? width.inner : most;
}

// Divides toward zero. A zero divisor gives zero (Chill) or no result. MIN / -1 gives MIN (Chill)
// or no result.
const dividing =
  (isChill: boolean): TransferFunction =>
  (t) => {
    const { width, xMin, xMax, yMin, yMax } = t;
    t.put(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    if (yMax > 0) {
      const nearest = Math.max(1, yMin);
      const low = quotient(width, xMin, xMin < 0 ? nearest : yMax);
      t.join(low, quotient(width, xMax, xMax < 0 ? yMax : nearest));
    }
    if (yMin < 0) divideByNegative(t, isChill);
    if (isChill && yMin <= 0 && yMax >= 0) t.join(0, 0);
    if (t.low > t.high) t.put(0, 0);
  };

function divideByNegative(t: TransferRanges, isChill: boolean): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  const { least, greatest } = width;
  const nearest = Math.max(1, -yMax);
  const isLeast = xMin === least && nearest === 1;
  if (isLeast && isChill) t.join(least, least);
  if (isLeast && xMax === least) {
    // Only divisors up to -2 give a result, which is exact because the range is one integer.
    if (yMin < -1) t.join(Math.floor(-least / -yMin), -least / 2);
    return;
  }
  const high = isLeast
    ? greatest
    : opposite(width, quotient(width, xMin, xMin < 0 ? nearest : -yMin));
  t.join(oppositeLow(width, quotient(width, xMax, xMax < 0 ? -yMin : nearest)), high);
}

/** Returns the quotient by a positive divisor. */
function quotient(width: IntegerWidth, x: number, y: number): number {
  if (Math.abs(x) <= width.exact) return Math.trunc(x / y) + 0; // never -0
  if (y === 1) return x;
  const limit = Math.ceil(width.greatest / y);
  const size = limit > width.exact ? width.inner : limit;
  return x < 0 ? -size : size;
}

// The remainder has the dividend's sign, and is smaller than the divisor. x % 0 gives 0 or no
// result.
function remainder(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  const isNarrow = yMin >= -width.exact && yMax <= width.exact;
  const most = isNarrow ? Math.max(Math.abs(yMin), Math.abs(yMax), 1) - 1 : width.greatest;
  const nearest = yMin > 0 ? yMin : yMax < 0 ? -yMax : 0;
  t.put(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  if (xMin < 0) {
    joinRemainder(t, Math.max(1, -xMax), -xMin, nearest, most);
    t.put(0 - t.high, 0 - t.low);
  }
  if (xMax >= 0) joinRemainder(t, Math.max(0, xMin), xMax, nearest, most);
}

/**
 * Adds the remainders of dividends from `first` to `last` by divisors from `nearest` to `most` + 1.
 */
function joinRemainder(
  t: TransferRanges,
  first: number,
  last: number,
  nearest: number,
  most: number,
): void {
  const isOne = nearest === most + 1 && Math.max(nearest, last) <= t.width.exact;
  const isOneRound = isOne && Math.floor(first / nearest) === Math.floor(last / nearest);
  if (last < nearest) t.join(first, last);
  else if (isOneRound) t.join(first % nearest, last % nearest);
  else t.join(0, Math.min(last, most));
}

function divideUnsigned(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  t.put(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  if (yMin <= 1 && yMax >= 1) t.join(xMin, xMax);
  if (yMax >= 2) joinQuotient(t, Math.max(2, yMin), yMax);
  // As a signed number, a divisor of at least half the unsigned range is negative.
  if (yMin < 0 && isMarked(width)) t.join(0, xMin < 0 ? 1 : 0);
  else if (yMin < 0)
    joinQuotient(t, asUnsigned(width, yMin), asUnsigned(width, Math.min(yMax, -1)));
  if (t.low > t.high) t.put(0, 0);
}

/** Returns the unsigned value of a negative number, at a width without marks. */
const asUnsigned = ({ bits }: IntegerWidth, x: number): number => x + 2 ** bits;

/** Adds the unsigned quotients by divisors from `nearest` on, which is at least 2. */
function joinQuotient(t: TransferRanges, nearest: number, farthest: number): void {
  const { width, xMin, xMax } = t;
  if (xMax >= 0) {
    t.join(Math.floor(Math.max(0, xMin) / farthest), quotient(width, xMax, nearest));
  }
  if (xMin >= 0) return;
  const last = 2 ** width.bits + Math.min(xMax, -1);
  if (isMarked(width)) {
    const most = Math.ceil(last / nearest);
    t.join(0, most <= width.exact ? most : nearest === 2 ? width.greatest : width.inner);
  } else t.join(Math.floor(asUnsigned(width, xMin) / farthest), Math.floor(last / nearest));
}

function remainderUnsigned(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  if (xMin >= 0 && yMin >= 0) remainder(t);
  else if (xMin >= 0) t.put(yMax < 0 ? xMin : 0, xMax);
  else if (yMin >= 0) {
    if (isMarked(width) || yMin < yMax) t.put(0, Math.max(0, below(width, yMax)));
    else {
      t.put(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
      const last = asUnsigned(width, Math.min(xMax, -1));
      joinRemainder(t, asUnsigned(width, xMin), last, yMin, Math.max(1, yMin) - 1);
      if (xMax >= 0) joinRemainder(t, 0, xMax, yMin, Math.max(1, yMin) - 1);
    }
  } else if (xMax < 0 && yMax < 0 && xMax < yMin) t.put(xMin, xMax);
  else t.any();
}

// The remainder has the divisor's sign, and is smaller than it. Dividends already in that range are
// unchanged.
function remainderFloored(t: TransferRanges): void {
  const { width, xMin, xMax, yMin, yMax } = t;
  const high = yMax > 0 ? below(width, yMax) : 0;
  const rounds = yMin === yMax && yMin !== 0 ? roundsOf(t) : Number.NaN;
  if (!Number.isNaN(rounds)) {
    const [first, last] = [xMin - rounds * yMin, xMax - rounds * yMin];
    t.put(first + 0, last + 0);
  } else if (xMin >= 0 && yMin >= 0) remainder(t);
  else if (xMax <= 0 && yMax < 0) remainder(t);
  else t.put(yMin < 0 ? above(width, yMin) : 0, high);
}

/** Returns the floored quotient if it is the same for all dividends; else NaN. */
function roundsOf({ width: { exact }, xMin, xMax, yMin }: TransferRanges): number {
  if (xMin < -exact || xMax > exact || Math.abs(yMin) > exact) return Number.NaN;
  const rounds = Math.floor(xMin / yMin);
  return rounds === Math.floor(xMax / yMin) ? rounds : Number.NaN;
}

const constantly =
  (low: number, high: number): TransferFunction =>
  (t) =>
    t.put(low, high);

const least: TransferFunction = (t) => t.put(Math.min(t.xMin, t.yMin), Math.min(t.xMax, t.yMax));
const greatest: TransferFunction = (t) => t.put(Math.max(t.xMin, t.yMin), Math.max(t.xMax, t.yMax));

// Numbers that are not negative are below negative numbers in unsigned order.
function leastUnsigned(t: TransferRanges): void {
  const { xMin, xMax, yMin, yMax } = t;
  if ((xMin >= 0 && yMin >= 0) || (xMax < 0 && yMax < 0)) least(t);
  else if (xMin >= 0) t.put(yMax < 0 ? xMin : 0, xMax);
  else if (yMin >= 0) t.put(xMax < 0 ? yMin : 0, yMax);
  else t.put(Math.min(xMin, yMin), xMax < 0 ? yMax : yMax < 0 ? xMax : Math.max(xMax, yMax));
}

function greatestUnsigned(t: TransferRanges): void {
  const { xMin, xMax, yMin, yMax } = t;
  if ((xMin >= 0 && yMin >= 0) || (xMax < 0 && yMax < 0)) greatest(t);
  else if (xMax < 0) t.put(xMin, yMin >= 0 ? xMax : -1);
  else if (yMax < 0) t.put(yMin, xMin >= 0 ? yMax : -1);
  else t.put(Math.min(xMin, yMin), Math.max(xMax, yMax));
}

function leadingZeroes(t: TransferRanges): void {
  const { bits, exact } = t.from;
  const most = t.xMin < 0 ? bits : bits - bitLength(t.xMin);
  if (t.xMax < 0) t.put(0, 0);
  else t.put(t.xMin < 0 ? 0 : t.xMax > exact ? 1 : bits - bitLength(t.xMax), most);
}

// For a number other than zero the count is less than its width, because at least one bit is 1.
function trailingZeroes(t: TransferRanges): void {
  const { bits } = t.from;
  const isZero = t.xMin <= 0 && t.xMax >= 0;
  const mayBeOdd = t.xMin < t.xMax || t.xMin % 2 !== 0;
  t.put(mayBeOdd ? 0 : 1, isZero ? bits : bits - 1);
  if (t.xMin > 0 && t.xMax <= t.from.exact) t.high = bitLength(t.xMax) - 1;
}

function countOnes(t: TransferRanges): void {
  const { bits, exact } = t.from;
  const isNatural = t.xMin >= 0;
  const most = isNatural ? (t.xMax > exact ? bits - 1 : bitLength(t.xMax)) : bits;
  t.put(t.xMin <= 0 && t.xMax >= 0 ? 0 : 1, most);
}

/** Keeps a range that fits in this share of a word's bits; else wraps it to them. */
const narrowed =
  (share: number): TransferFunction =>
  (t) => {
    t.put(t.xMin, t.xMax);
    wrap(t, t.width.word * share);
  };

const extendUnsigned: TransferFunction = (t) => {
  const size = 2 ** t.width.word;
  if (t.xMin >= 0) t.put(t.xMin, t.xMax);
  else if (t.xMax < 0) t.put(t.xMin + size, t.xMax + size);
  else t.put(0, size - 1);
};

const highHalf: TransferFunction = (t) => {
  const { word, exact } = t.from;
  const high = t.xMax > exact ? 2 ** (word - 1) - 1 : Math.floor(t.xMax / 2 ** word);
  t.put(t.xMin < -exact ? -(2 ** (word - 1)) : Math.floor(t.xMin / 2 ** word), high);
};

const same: TransferFunction = (t) => t.put(t.xMin, t.xMax);

/** Returns the rules for atomic operations of these kinds, by width. */
function onAtomics(
  kinds: readonly string[],
  rules: Readonly<Record<string, TransferFunction>>,
): { [name: string]: TransferFunction } {
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(rules).map(([width, rule]) => [`Atomic${kind}${width}`, rule]),
    ),
  );
}

// biome-ignore format: a table
const RULES: { readonly [O in OpcodeName]?: TransferFunction } = {
  Identity:     same,
  Add:          wrapping(add),
  Sub:          wrapping(subtract),
  Mul:          wrapping(multiply),
  Neg:          wrapping(negate),
  CheckAdd:     checked(add),
  CheckSub:     checked(subtract),
  CheckMul:     checked(multiply),
  AddOverflows: overflowFlag(add),
  SubOverflows: overflowFlag(subtract),
  MulOverflows: overflowFlag(multiply),
  AddCarries:   carryFlag,
  Div:          dividing(false),
  ChillDiv:     dividing(true),
  Mod:          remainder,
  ChillMod:     remainder,
  UDiv:         divideUnsigned,
  UMod:         remainderUnsigned,
  FloorMod:     remainderFloored,
  BitAnd:       and,
  BitOr:        or,
  BitXor:       xor,
  Shl:          shiftLeft,
  SShr:         shiftRightSigned,
  ZShr:         shiftRightUnsigned,
  Clz:          leadingZeroes,
  Ctz:          trailingZeroes,
  PopCnt:       countOnes,
  Min:          least,
  Max:          greatest,
  UMin:         leastUnsigned,
  UMax:         greatestUnsigned,
  SExt8:        narrowed(1 / 4),
  SExt16:       narrowed(1 / 2),
  SExt8To64:    narrowed(1 / 4),
  SExt16To64:   narrowed(1 / 2),
  SExt32:       same,
  ZExt32:       extendUnsigned,
  Trunc:        narrowed(1),
  TruncHigh:    highHalf,
  Load8Z:       constantly(0, 255),
  Load8S:       constantly(-128, 127),
  Load16Z:      constantly(0, 65535),
  Load16S:      constantly(-32768, 32767),
  ...onAtomics(["Xchg", "XchgAdd", "XchgSub", "XchgAnd", "XchgOr", "XchgXor", "StrongCAS"], {
    8: constantly(0, 255),
    16: constantly(0, 65535),
  }),
  ...onAtomics(["WeakCAS"], { "": constantly(0, 1), 8: constantly(0, 1), 16: constantly(0, 1) }),
  // Comparisons of floats. range-analysis.ts handles comparisons of integers, because it also
  // tracks their order.
  Equal:        constantly(0, 1),
  NotEqual:     constantly(0, 1),
  LessThan:     constantly(0, 1),
  GreaterThan:  constantly(0, 1),
  LessEqual:    constantly(0, 1),
  GreaterEqual: constantly(0, 1),
  EqualOrUnordered: constantly(0, 1),
};

const RULE_OF: readonly (TransferFunction | null)[] = ALL_OPCODES.map(
  (opcode) => RULES[nameOfOpcode(opcode)] ?? null,
);

/**
 * Returns the transfer function of an opcode, at any width that `t` has; null if none is defined.
 */
export const transferOf = (opcode: Opcode): TransferFunction | null => RULE_OF[opcode];

/** Computes the range of a value's result from the ranges of its operands in `t`. */
export function transfer(value: Value, t: TransferRanges): void {
  t.width = widthOf(value.type);
  const rule = RULE_OF[value.opcode];
  if (rule === null) t.any();
  else rule(t);
}

/** True if a checked operation on operands in those ranges may exit. */
export function mayExit(value: Value, t: TransferRanges): boolean {
  t.width = widthOf(value.type);
  if (value.opcode === Op.CheckAdd) add(t);
  else if (value.opcode === Op.CheckSub) subtract(t);
  else multiply(t);
  return t.mayOverflow;
}
