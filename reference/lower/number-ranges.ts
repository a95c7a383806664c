// Computes bounds of a float, if its expression proves bounds and that it is no NaN. Then a
// conversion to an integer needs no test for excluded inputs.
//
// Rounding is monotone, so the bounds of a rounded result are the rounded results of the bounds.
// Only finite bounds are kept, because an infinity may become a NaN one step later. Bounds of a
// Float are Floats; they are rounded once to a Double and once more to a Float, which gives the
// same as rounding once.

import { Op } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import { Float, Int64 } from "../../src/ir/types.js";
import { numberOf } from "../optimize/rules/fold.js";

/** A range of numbers. Both bounds are possible; -0 counts as 0. */
export interface NumberRange {
  readonly low: number;
  readonly high: number;
}

/** The maximum depth of operands that are examined. */
const DEPTH_MAX = 6;

/** Returns the range of a value. Null: unknown, or it may be a NaN. */
export const numberRangeOf = (value: Value): NumberRange | null => rangeOf(value, DEPTH_MAX);

/** Returns whether a conversion to an integer never gets a number without a result in its type. */
export function isSurelyInRange(conversion: Value): boolean {
  const range = conversion.a === null ? null : numberRangeOf(conversion.a);
  if (range === null) return false;
  switch (conversion.opcode) {
    case Op.TruncS32:
      return range.low > -(2 ** 31) - 1 && range.high < 2 ** 31;
    case Op.TruncU32:
      return range.low > -1 && range.high < 2 ** 32;
    case Op.TruncS64:
      return range.low >= -(2 ** 63) && range.high < 2 ** 63;
    case Op.TruncU64:
      return range.low > -1 && range.high < 2 ** 63; // as a signed number
    default:
      return false;
  }
}

function rangeOf(value: Value, depth: number): NumberRange | null {
  const { opcode, a, b, c } = value;
  if (opcode === Op.ConstDouble || opcode === Op.ConstFloat) {
    return finite(value, numberOf(value), numberOf(value));
  }
  if (a === null || depth === 0) return null;
  if (opcode === Op.Select) return b === null || c === null ? null : unionRange(b, c, depth);
  if (a.type === value.type) {
    const x = rangeOf(a, depth - 1);
    if (x === null) return null;
    const y = b === null ? null : rangeOf(b, depth - 1);
    return y === null ? unaryRange(value, x) : binaryRange(value, x, y);
  }
  switch (opcode) {
    case Op.IToD:
    case Op.IToF:
      return rounded(value, signedRange(a));
    case Op.UToD:
    case Op.UToF:
      return rounded(value, unsignedRange(a));
    case Op.FloatToDouble:
    case Op.DoubleToFloat: {
      const x = rangeOf(a, depth - 1);
      return x === null ? null : rounded(value, x);
    }
    default:
      return null;
  }
}

function unionRange(x: Value, y: Value, depth: number): NumberRange | null {
  const first = rangeOf(x, depth - 1);
  const second = first === null ? null : rangeOf(y, depth - 1);
  if (first === null || second === null) return null;
  return { low: Math.min(first.low, second.low), high: Math.max(first.high, second.high) };
}

function unaryRange(value: Value, { low, high }: NumberRange): NumberRange | null {
  const size = Math.max(Math.abs(low), Math.abs(high));
  switch (value.opcode) {
    case Op.Identity:
    case Op.PurifyNaN:
      return { low, high };
    case Op.Neg:
      return { low: -high, high: -low };
    case Op.Abs:
      return { low: 0, high: size };
    case Op.CopySign:
      return { low: -size, high: size };
    case Op.Floor:
    case Op.Ceil:
    case Op.FTrunc:
    case Op.Nearest:
      return finite(value, Math.floor(low), Math.ceil(high));
    case Op.Sqrt:
      return low < 0 ? null : finite(value, Math.sqrt(low), Math.sqrt(high));
    default:
      return null;
  }
}

function binaryRange(value: Value, x: NumberRange, y: NumberRange): NumberRange | null {
  switch (value.opcode) {
    case Op.Add:
      return finite(value, x.low + y.low, x.high + y.high);
    case Op.Sub:
      return finite(value, x.low - y.high, x.high - y.low);
    case Op.Mul:
      return monotoneRange(value, x, y, (p, q) => p * q);
    case Op.Div:
      return y.low <= 0 && y.high >= 0 ? null : monotoneRange(value, x, y, (p, q) => p / q);
    case Op.FMin:
      return { low: Math.min(x.low, y.low), high: Math.min(x.high, y.high) };
    case Op.FMax:
      return { low: Math.max(x.low, y.low), high: Math.max(x.high, y.high) };
    default:
      return unaryRange(value, x);
  }
}

/**
 * Returns the range of an operation that is monotone in each operand: the extremes are at the ends.
 */
function monotoneRange(
  value: Value,
  x: NumberRange,
  y: NumberRange,
  operate: (p: number, q: number) => number,
): NumberRange | null {
  const corners = [x.low, x.high].flatMap((p) => [operate(p, y.low), operate(p, y.high)]);
  return finite(value, Math.min(...corners), Math.max(...corners));
}

const rounded = (value: Value, { low, high }: NumberRange): NumberRange | null =>
  finite(value, low, high);

/** Returns the bounds rounded to the type of the value; null if a bound is not finite then. */
function finite({ type }: Value, low: number, high: number): NumberRange | null {
  const [least, greatest] = type === Float ? [Math.fround(low), Math.fround(high)] : [low, high];
  return Number.isFinite(least) && Number.isFinite(greatest)
    ? { low: least, high: greatest }
    : null;
}

/**
 * Returns the range of a signed integer. A bound of 2^63 - 1 is rounded up: a conversion may then
 * yield 2^63.
 */
function signedRange(value: Value): NumberRange {
  const bits = value.type === Int64 ? 63 : 31;
  const { opcode, a, b } = value;
  if (opcode === Op.SShr && b?.isConstant) {
    const left = bits - (b.constantLow & bits);
    return { low: -(2 ** left), high: 2 ** left };
  }
  if (opcode === Op.SExt32 && a !== null) return signedRange(a);
  const small = nonNegative(value);
  return small ?? { low: -(2 ** bits), high: bits === 31 ? 2 ** 31 - 1 : 2 ** 63 };
}

const unsignedRange = (value: Value): NumberRange =>
  nonNegative(value) ?? { low: 0, high: value.type === Int64 ? 2 ** 64 : 2 ** 32 - 1 };

/** Returns the range of a value whose sign bit is surely 0; null for others. */
function nonNegative({ opcode, type, a, b }: Value): NumberRange | null {
  const width = type === Int64 ? 64 : 32;
  switch (opcode) {
    case Op.Load8Z:
      return { low: 0, high: 255 };
    case Op.Load16Z:
      return { low: 0, high: 65535 };
    case Op.ZExt32:
      return (a === null ? null : nonNegative(a)) ?? { low: 0, high: 2 ** 32 - 1 };
    case Op.BitAnd: {
      const isMask = b?.isConstant && (type === Int64 ? b.constantHigh === 0 : b.constantLow >= 0);
      return isMask ? { low: 0, high: b.constantLow >>> 0 } : null;
    }
    case Op.ZShr: {
      const count = b?.isConstant ? b.constantLow & (width - 1) : 0;
      return count === 0 ? null : { low: 0, high: 2 ** (width - count) };
    }
    default:
      return null;
  }
}
