// Ranges of integers: the least and the greatest signed value, and the transfer function of each
// opcode. range-analysis.ts applies them; narrow and eliminate-bounds-checks rely on the result: a
// range that is too small makes wrong code, one that is too large only loses an optimization.
//
// Bounds are numbers. Those of an Int32 are exact. Of an Int64 they are exact up to 2^52 in size, so
// that sums of two are exact as well; beyond, four marks say how near the limit a value may come:
//
//   BOTTOM        -2^63 or more                TOP        2^63 - 1 or less
//   ABOVE_BOTTOM  -2^63 + 1 or more            BELOW_TOP  2^63 - 2 or less
//
// The inner marks are what `i < n` implies for i where nothing is known of n: enough for i + 1 not to
// overflow. They are numbers of their own, so bounds compare as numbers. A lower bound never lies
// above 2^52, an upper one never below -2^52: rounding goes outward. While a result is computed an
// infinite bound means that it may be beyond the type, so that it wraps or, checked, exits.
//
// A range whose least value exceeds its greatest is empty: nothing arrives there.

import { ALL_OPCODES, nameOfOpcode, Op, type OpcodeName } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import { Int32, Int64, sizeOf, type Type } from "../../../src/ir/types.js";

export const EXACT = 2 ** 52;
const TOP = 2 ** 63;
export const BELOW_TOP = TOP - 1024; // the greatest number below
const BOTTOM = -TOP;
export const ABOVE_BOTTOM = -BELOW_TOP;

export const leastOf = (type: Type): number => (type === Int64 ? BOTTOM : -(2 ** 31));
export const greatestOf = (type: Type): number => (type === Int64 ? TOP : 2 ** 31 - 1);

/** A lower bound as it is kept. */
export const keptLow = (type: Type, low: number): number =>
  type !== Int64 || (low >= -EXACT && low <= EXACT)
    ? low
    : low > EXACT
      ? EXACT
      : low === BOTTOM
        ? BOTTOM
        : ABOVE_BOTTOM;
export const keptHigh = (type: Type, high: number): number => -keptLow(type, -high);

/** The bound that excludes `high` itself; it may leave nothing. */
export const below = (type: Type, high: number): number =>
  high === TOP ? BELOW_TOP : high === BELOW_TOP ? high : keptHigh(type, high - 1);
export const above = (type: Type, low: number): number => -below(type, -low);

/** The ranges of a value's operands, and the range of its result as far as it is computed. */
export class Transfer {
  /** The type of the result. */
  type: Type = Int32;
  /** The type of the first operand. */
  from: Type = Int32;
  xMin = 0;
  xMax = 0;
  yMin = 0;
  yMax = 0;
  low = 0;
  high = 0;

  /** The result may be any of its type. */
  any(): void {
    this.low = leastOf(this.type);
    this.high = greatestOf(this.type);
  }

  put(low: number, high: number): void {
    this.low = low;
    this.high = high;
  }

  /** True if the bounds just computed leave the type: the operation may wrap, or exit. */
  get mayOverflow(): boolean {
    return this.low === Number.NEGATIVE_INFINITY || this.high === Number.POSITIVE_INFINITY;
  }
}

type Rule = (t: Transfer) => void;

// The upper bound of a sum. Limits and marks are as far from zero on both sides, so the lower bound
// is the mirror image.
function sumHigh(type: Type, x: number, y: number): number {
  if (type !== Int64) return x + y > greatestOf(type) ? Number.POSITIVE_INFINITY : x + y;
  const small = Math.min(x, y);
  const big = Math.max(x, y);
  if (big <= EXACT) return keptHigh(type, x + y);
  if (small <= 0) return big;
  return big === BELOW_TOP && small === 1 ? TOP : Number.POSITIVE_INFINITY;
}

function sumLow(type: Type, x: number, y: number): number {
  if (type !== Int64) return x + y < leastOf(type) ? Number.NEGATIVE_INFINITY : x + y;
  return -sumHigh(type, -x, -y);
}

function add(t: Transfer): void {
  t.put(sumLow(t.type, t.xMin, t.yMin), sumHigh(t.type, t.xMax, t.yMax));
}

function subtract(t: Transfer): void {
  const { type, xMin, xMax, yMin, yMax } = t;
  t.low = sumLow(type, xMin, -yMax);
  // The least integer has no opposite.
  if (type === Int64 && yMin === BOTTOM) t.high = xMax < 0 ? TOP : Number.POSITIVE_INFINITY;
  else t.high = sumHigh(type, xMax, opposite(yMin));
}

/** The upper bound of what is opposite to values from `low` on, which is not the least integer. */
const opposite = (low: number): number => (low === ABOVE_BOTTOM ? TOP : -low);

// A product of kept bounds is rounded where it is beyond 2^53, and then as far outside as before.
function product(type: Type, x: number, y: number): number {
  if (x === 0 || y === 0) return 0;
  const isKnown = Math.abs(x) <= EXACT && Math.abs(y) <= EXACT;
  const z = isKnown ? x * y : x < 0 === y < 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (type === Int64) {
    // At the limits it may have been rounded.
    if (z >= TOP) return Number.POSITIVE_INFINITY;
    return z <= BOTTOM ? Number.NEGATIVE_INFINITY : z;
  }
  if (z > greatestOf(type)) return Number.POSITIVE_INFINITY;
  return z < leastOf(type) ? Number.NEGATIVE_INFINITY : z;
}

function multiply(t: Transfer): void {
  const { type, xMin, xMax, yMin, yMax } = t;
  const a = product(type, xMin, yMin);
  const b = product(type, xMin, yMax);
  const c = product(type, xMax, yMin);
  const d = product(type, xMax, yMax);
  const low = Math.min(a, b, c, d);
  const high = Math.max(a, b, c, d);
  t.put(
    low === Number.NEGATIVE_INFINITY ? low : keptLow(type, low),
    high === Number.POSITIVE_INFINITY ? high : keptHigh(type, high),
  );
}

function negate(t: Transfer): void {
  const isLeast = t.xMin === leastOf(t.type);
  t.put(-t.xMax, isLeast ? Number.POSITIVE_INFINITY : opposite(t.xMin));
  if (t.low === BOTTOM) t.low = ABOVE_BOTTOM; // the opposite of the greatest
}

const wrapping =
  (rule: Rule): Rule =>
  (t) => {
    rule(t);
    if (t.mayOverflow) t.any();
  };

// What overflows has exited.
const checked =
  (rule: Rule): Rule =>
  (t) => {
    rule(t);
    if (t.low === Number.NEGATIVE_INFINITY) t.low = leastOf(t.type);
    if (t.high === Number.POSITIVE_INFINITY) t.high = greatestOf(t.type);
  };

// The flag of an overflow: the operands' type is what may be left.
const overflowFlag =
  (rule: Rule): Rule =>
  (t) => {
    t.type = t.from;
    rule(t);
    t.type = Int32;
    t.put(0, t.mayOverflow ? 1 : 0);
  };

// Two operands that are not negative do not carry unless their sum is; it cannot be as unsigned.
function carryFlag(t: Transfer): void {
  t.put(0, t.xMin >= 0 && t.yMin >= 0 ? 0 : 1);
}

/** All bits of numbers up to `high`, which is not negative. */
const bitsUpTo = (high: number): number => (high >= EXACT ? TOP : 2 ** bitLength(high) - 1);
const bitLength = (x: number): number =>
  x < 2 ** 32 ? 32 - Math.clz32(x) : 64 - Math.clz32(x / 2 ** 32);

function and(t: Transfer): void {
  const { xMin, xMax, yMin, yMax } = t;
  if (xMin >= 0 && yMin >= 0) t.put(0, Math.min(xMax, yMax));
  else if (xMin >= 0) t.put(0, xMax);
  else if (yMin >= 0) t.put(0, yMax);
  else t.put(leastOf(t.type), Math.max(xMax, yMax));
}

function or(t: Transfer): void {
  const { xMin, xMax, yMin, yMax } = t;
  if (xMin >= 0 && yMin >= 0) t.put(Math.max(xMin, yMin), bitsUpTo(Math.max(xMax, yMax)));
  else t.put(Math.min(xMin, yMin), xMax < 0 || yMax < 0 ? -1 : greatestOf(t.type));
}

function xor(t: Transfer): void {
  if (t.xMin >= 0 && t.yMin >= 0) t.put(0, bitsUpTo(Math.max(t.xMax, t.yMax)));
  else t.any();
}

const widthOf = (type: Type): number => 8 * sizeOf(type);

/** The one count of a shift; -1 if it is not known. */
const countOf = ({ type, yMin, yMax }: Transfer): number =>
  yMin === yMax ? ((yMin % widthOf(type)) + widthOf(type)) % widthOf(type) : -1;

function shiftLeft(t: Transfer): void {
  const count = countOf(t);
  if (count < 0 || count > 50) {
    t.any();
    return;
  }
  t.yMin = 2 ** count;
  t.yMax = t.yMin;
  multiply(t);
  if (t.mayOverflow) t.any();
}

const shifted = (type: Type, bound: number, count: number): number =>
  Math.abs(bound) > EXACT
    ? shiftedMark(bound, count)
    : keptLow(type, Math.floor(bound / 2 ** count));
const shiftedMark = (mark: number, count: number): number => {
  const limit = (mark < 0 ? BOTTOM : TOP) / 2 ** count;
  return Math.abs(limit) > EXACT ? mark : limit;
};

function shiftRightSigned(t: Transfer): void {
  const count = countOf(t);
  // Any count brings a value nearer to zero, or to -1.
  if (count < 0) t.put(Math.min(t.xMin, 0), Math.max(t.xMax, -1));
  else t.put(shifted(t.type, t.xMin, count), shifted(t.type, t.xMax, count));
}

function shiftRightUnsigned(t: Transfer): void {
  const count = countOf(t);
  if (t.xMin >= 0) {
    if (count < 0) t.put(0, t.xMax);
    else shiftRightSigned(t);
  } else if (count > 0) {
    const high = 2 ** (widthOf(t.type) - count);
    t.put(0, high > EXACT ? TOP : high - 1);
  } else t.any();
}

// Towards zero; a divisor of zero gives zero (Chill) or nothing. MIN / -1 is MIN or nothing.
function divide(t: Transfer): void {
  const { type, xMin, xMax, yMin } = t;
  if (yMin >= 0) t.put(Math.min(0, quotient(xMin, yMin)), Math.max(0, quotient(xMax, yMin)));
  else if (xMin === leastOf(type) || xMin < -EXACT || xMax > EXACT) t.any();
  else {
    const most = Math.max(Math.abs(xMin), Math.abs(xMax));
    t.put(-most, most);
  }
}

const quotient = (x: number, y: number): number =>
  Math.abs(x) > EXACT ? x : Math.trunc(x / Math.max(1, y));

// The dividend's sign, and less than the divisor; x % 0 is 0 or nothing.
function remainder(t: Transfer): void {
  const { type, xMin, xMax, yMin, yMax } = t;
  const isNarrow = yMin >= -EXACT && yMax <= EXACT;
  const most = isNarrow ? Math.max(Math.abs(yMin), Math.abs(yMax), 1) - 1 : greatestOf(type);
  t.put(
    xMin >= 0 ? 0 : Math.max(xMin, isNarrow ? -most : leastOf(type)),
    xMax <= 0 ? 0 : Math.min(xMax, most),
  );
}

function divideUnsigned(t: Transfer): void {
  const { type, xMin, xMax, yMin } = t;
  const most = Math.floor(2 ** widthOf(type) / Math.max(1, yMin));
  if (xMin >= 0 && yMin >= 0) t.put(0, quotient(xMax, yMin));
  else if (yMin >= 2) t.put(0, most > EXACT ? TOP : Math.min(most, greatestOf(type)));
  else t.any();
}

function remainderUnsigned(t: Transfer): void {
  const { xMin, xMax, yMin, yMax } = t;
  if (yMin >= 0) {
    const most = Math.max(0, below(t.type, yMax));
    t.put(0, xMin >= 0 ? Math.min(xMax, most) : most);
  } else if (xMin >= 0) t.put(0, xMax);
  else t.any();
}

// The divisor's sign, and less than it; what is within the divisor already stays.
function remainderFloored(t: Transfer): void {
  const { type, xMin, xMax, yMin, yMax } = t;
  const high = yMax > 0 ? below(type, yMax) : 0;
  if (xMin >= 0 && yMin >= 0) t.put(0, Math.min(xMax, high));
  else t.put(yMin < 0 ? above(type, yMin) : 0, high);
}

const constantly =
  (low: number, high: number): Rule =>
  (t) =>
    t.put(low, high);

const least: Rule = (t) => t.put(Math.min(t.xMin, t.yMin), Math.min(t.xMax, t.yMax));
const greatest: Rule = (t) => t.put(Math.max(t.xMin, t.yMin), Math.max(t.xMax, t.yMax));

// What is not negative is unsigned below all that is.
function leastUnsigned(t: Transfer): void {
  if (t.xMin >= 0 && t.yMin >= 0) least(t);
  else if (t.xMin >= 0) t.put(0, t.xMax);
  else if (t.yMin >= 0) t.put(0, t.yMax);
  else t.any();
}

function greatestUnsigned(t: Transfer): void {
  if ((t.xMin >= 0 && t.yMin >= 0) || (t.xMax < 0 && t.yMax < 0)) greatest(t);
  else if (t.xMax < 0) t.put(t.xMin, -1);
  else if (t.yMax < 0) t.put(t.yMin, -1);
  else t.any();
}

const countBits: Rule = (t) => t.put(0, widthOf(t.type));

/** As it is if it fits, else what the narrow type holds. */
const fitting =
  (low: number, high: number): Rule =>
  (t) => {
    if (t.xMin >= low && t.xMax <= high) t.put(t.xMin, t.xMax);
    else t.put(low, high);
  };

const extendUnsigned: Rule = (t) => {
  if (t.xMin >= 0) t.put(t.xMin, t.xMax);
  else if (t.xMax < 0) t.put(t.xMin + 2 ** 32, t.xMax + 2 ** 32);
  else t.put(0, 2 ** 32 - 1);
};

const highHalf: Rule = (t) => {
  const high = t.xMax > EXACT ? 2 ** 31 - 1 : Math.floor(t.xMax / 2 ** 32);
  t.put(t.xMin < -EXACT ? -(2 ** 31) : Math.floor(t.xMin / 2 ** 32), high);
};

const same: Rule = (t) => t.put(t.xMin, t.xMax);

const INT32_LOW = -(2 ** 31);
const INT32_HIGH = 2 ** 31 - 1;

// biome-ignore format: a table
const RULES: { readonly [O in OpcodeName]?: Rule } = {
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
  Div:          divide,
  ChillDiv:     divide,
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
  Clz:          countBits,
  Ctz:          countBits,
  PopCnt:       countBits,
  Min:          least,
  Max:          greatest,
  UMin:         leastUnsigned,
  UMax:         greatestUnsigned,
  SExt8:        fitting(-128, 127),
  SExt16:       fitting(-32768, 32767),
  SExt8To64:    fitting(-128, 127),
  SExt16To64:   fitting(-32768, 32767),
  SExt32:       same,
  ZExt32:       extendUnsigned,
  Trunc:        fitting(INT32_LOW, INT32_HIGH),
  TruncHigh:    highHalf,
  Load8Z:       constantly(0, 255),
  Load8S:       constantly(-128, 127),
  Load16Z:      constantly(0, 65535),
  Load16S:      constantly(-32768, 32767),
  Equal:        constantly(0, 1),
  NotEqual:     constantly(0, 1),
  LessThan:     constantly(0, 1),
  GreaterThan:  constantly(0, 1),
  LessEqual:    constantly(0, 1),
  GreaterEqual: constantly(0, 1),
  Above:        constantly(0, 1),
  Below:        constantly(0, 1),
  AboveEqual:   constantly(0, 1),
  BelowEqual:   constantly(0, 1),
  EqualOrUnordered: constantly(0, 1),
};

const RULE_OF: readonly (Rule | null)[] = ALL_OPCODES.map(
  (opcode) => RULES[nameOfOpcode(opcode)] ?? null,
);

/** Computes the range of a value's result from the ranges of its operands, which `t` holds. */
export function transfer(value: Value, t: Transfer): void {
  t.type = value.type;
  const rule = RULE_OF[value.opcode];
  if (rule === null) t.any();
  else rule(t);
}

/** True if a checked operation on operands of those ranges may exit. */
export function mayExit(value: Value, t: Transfer): boolean {
  t.type = value.type;
  if (value.opcode === Op.CheckAdd) add(t);
  else if (value.opcode === Op.CheckSub) subtract(t);
  else multiply(t);
  return t.mayOverflow;
}
