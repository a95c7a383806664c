// Detectors of triggers in what a compiler knows of numbers: of constants that fit each other, and of
// values by what is asked of them.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int64, isFloating, isWide } from "../../ir/types.js";
import {
  besideConstant,
  constantFloat,
  constantInteger,
  greatestOf,
  isComparison,
  isEquality,
  isUnsignedComparison,
  leastOf,
  sum,
  widthOf,
} from "./ask.js";
import type { Detector, Execution } from "./study.js";

/** A float equals a constant zero, such a one, that has the other sign. */
const otherZeroThan = (isSuch: (zero: number) => boolean): Detector => {
  const isZero = (constant: Value): boolean => {
    const number = constantFloat(constant);
    return number === 0 && isSuch(number);
  };
  return (study) =>
    sum(study, (value, view) => {
      const sides = isEquality(value) ? besideConstant(value, isZero) : null;
      if (sides === null) return 0;
      const { constant, other } = sides;
      return view.times(value, (event) => {
        const x = event.float(other);
        return x === 0 && !Object.is(x, constantFloat(constant));
      });
    });
};

/** A float equals a zero that has the other sign. */
export const otherZero = otherZeroThan(() => true);
export const equalToMinusZero = otherZeroThan((zero) => Object.is(zero, -0));

/** A branch asks whether a number is zero, which is neither that nor one, and something compares it with a constant. */
export const truthOfOther: Detector = (study) =>
  sum(study, (value, view) => {
    const sides = isComparison(value) ? besideConstant(value, () => true) : null;
    if (sides === null || isFloating(sides.other.type)) return 0;
    const { other } = sides;
    if (!view.users(other).some(({ opcode }) => opcode === Op.Branch)) return 0;
    return view.times(value, (event) => {
      const x = event.integer(other) ?? 0n;
      return x !== 0n && x !== 1n;
    });
  });

/** Of two masks of 64 bits only the upper words have a bit in common. */
export const meetInUpperWords: Detector = (study) =>
  sum(study, (and, view) => {
    const { opcode, type, a, b } = and;
    if (opcode !== Op.BitAnd || type !== Int64 || a === null || b === null) return 0;
    if (!b.isConstant || a.opcode !== Op.BitOr || a.b === null || !a.b.isConstant) return 0;
    if ((a.b.lo & b.lo) !== 0 || (a.b.hi & b.hi) === 0) return 0;
    return view.times(and, (event) => event.matters);
  });

/** The dividend is one less than a large multiple of a constant divisor. */
export const belowMultiple: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a, b } = value;
    const divisor = constantInteger(b);
    if (a === null || divisor === null || divisor < 3n) return 0;
    if (opcode !== Op.Div && opcode !== Op.Mod) return 0;
    return view.times(value, (event) => {
      const x = event.integer(a) ?? 0n;
      return x > greatestOf(value) / 2n && x % divisor === divisor - 1n;
    });
  });

/** A negative number, shifted by a computed count of none, and compared. */
export const shiftedByNone: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a, b } = value;
    if (opcode !== Op.ZShr || a === null || b === null || b.isConstant) return 0;
    if (!view.users(value).some(isComparison)) return 0;
    const last = BigInt(widthOf(value) - 1);
    return view.times(value, (event) => {
      return (event.integer(a) ?? 0n) < 0n && ((event.integer(b) ?? 1n) & last) === 0n;
    });
  });

/** Zeroes below the lowest one of a number that has none. */
export const trailingZeroesOfZero: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.Ctz || a === null) return 0;
    return view.times(value, (event) => event.matters && event.integer(a) === 0n);
  });

/** A Double from a Float, compared with a constant that is no Float. */
export const comparedWithDouble: Detector = (study) =>
  sum(study, (value, view) => {
    if (!isComparison(value)) return 0;
    const sides = besideConstant(value, (constant) => {
      const number = constantFloat(constant);
      return number !== null && isWide(constant.type) && Math.fround(number) !== number;
    });
    if (sides === null || sides.other.opcode !== Op.FloatToDouble) return 0;
    const rounded = Math.fround(constantFloat(sides.constant) ?? 0);
    return view.times(value, (event) => event.float(sides.other) === rounded);
  });

/** A negative number, zero-extended and compared. */
export const extendedNegative: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.ZExt32 || a === null) return 0;
    if (!view.users(value).some(isComparison)) return 0;
    return view.times(value, (event) => (event.integer(a) ?? 0n) < 0n);
  });

/** Whether a number is a constant whose lower word is 0, where it is that or 0. */
export const zeroInLowerWord: Detector = (study) =>
  sum(study, (value, view) => {
    if (!isEquality(value)) return 0;
    const sides = besideConstant(value, ({ type, lo, hi }) => {
      return isWide(type) && !isFloating(type) && lo === 0 && hi !== 0;
    });
    if (sides === null) return 0;
    const { constant, other } = sides;
    const isEither = (event: Execution): boolean => {
      const x = event.integer(other);
      return x === 0n || x === constantInteger(constant);
    };
    return view.times(value, isEither);
  });

/** A positive number, shifted to the right by a computed count that is not none, and compared. */
export const shiftedByMore: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a, b } = value;
    if (opcode !== Op.SShr || a === null || b === null || b.isConstant) return 0;
    if (!view.users(value).some(isComparison)) return 0;
    const last = BigInt(widthOf(value) - 1);
    return view.times(value, (event) => {
      return (event.integer(a) ?? 0n) > 0n && ((event.integer(b) ?? 0n) & last) !== 0n;
    });
  });

/** An Or of two computed numbers that exceeds both, and is compared. */
export const orExceedsBoth: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a, b, type } = value;
    if (opcode !== Op.BitOr || a === null || b === null || a.isConstant || b.isConstant) return 0;
    if (!view.users(value).some(isComparison)) return 0;
    return view.times(value, (event) => {
      const [x, y] = [event.integer(a) ?? -1n, event.integer(b) ?? -1n];
      return x >= 0n && y >= 0n && event.result(type) > (x > y ? x : y);
    });
  });

/** The least integer, zero-extended and compared. */
export const extendedLeast: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.ZExt32 || a === null) return 0;
    if (!view.users(value).some(isComparison)) return 0;
    return view.times(value, (event) => event.integer(a) === leastOf(a));
  });

/** What is cut to 32 bits and extended again is just beyond them. */
export const extendedTwoTo32: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    const wide = opcode === Op.ZExt32 && a?.opcode === Op.Trunc ? a.a : null;
    if (a === null || wide === null) return 0;
    return view.times(a, (event) => event.integer(wide) === 1n << 32n);
  });

/** A NaN, where a branch or guard asks whether a number equals a constant or is unordered. */
export const unorderedAsked: Detector = (study) =>
  sum(study, (value, view) => {
    if (value.opcode !== Op.EqualOrUnordered) return 0;
    const sides = besideConstant(value, (constant) => constantFloat(constant) !== null);
    const isAsked = view
      .users(value)
      .some(({ opcode }) => opcode === Op.Branch || opcode === Op.Check);
    if (sides === null || !isAsked) return 0;
    return view.times(value, (event) => Number.isNaN(event.float(sides.other)));
  });

/** A negative number that is below another one, as a guard or a branch asks, and is compared again. */
export const belowNegative: Detector = (study) =>
  sum(study, (value, view) => {
    const { a, b } = value;
    if (!isUnsignedComparison(value) || a === null || b === null) return 0;
    const isAsked = view
      .users(value)
      .some(({ opcode }) => opcode === Op.Branch || opcode === Op.Check);
    if (!isAsked) return 0;
    const isComparedAgain = (x: Value): boolean =>
      !x.isConstant && view.users(x).some((user) => user !== value && isComparison(user));
    return view.times(value, (event) => {
      const [x, y] = [event.integer(a) ?? 0n, event.integer(b) ?? 0n];
      return x < 0n && y < 0n && x !== y && isComparedAgain(x < y ? a : b);
    });
  });

/** A positive number whose product by a negative constant is shifted beyond its high half. */
export const negativeFactor: Detector = (study) =>
  sum(study.optimized("x64"), (product, view) => {
    const { opcode, a, b } = product;
    if (opcode !== Op.Mul || a?.opcode !== Op.SExt32 || (constantInteger(b) ?? 0n) >= 0n) return 0;
    const x = a.a;
    if (x === null || !CUTS_SIGN.has(x.opcode)) return 0;
    if (!view.users(product).some((user) => user.opcode === Op.SShr)) return 0;
    return view.times(product, (event) => event.matters && (event.integer(a) ?? 0n) > 0n);
  });
const CUTS_SIGN: ReadonlySet<Opcode> = new Set([Op.BitAnd, Op.ZShr, Op.Load8Z, Op.Load16Z]);

/** The low word of what a shift by 31 has left, where that has 33 bits. */
export const moreThanAWord: Detector = (study) =>
  sum(study, (trunc, view) => {
    const { opcode, a } = trunc;
    if (opcode !== Op.Trunc || a?.opcode !== Op.ZShr || constantInteger(a.b) !== 31n) return 0;
    return view.times(trunc, (event) => event.matters && (event.integer(a) ?? 0n) >= 2n ** 32n);
  });
