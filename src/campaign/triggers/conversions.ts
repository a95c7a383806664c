// Detectors of triggers in conversions, guarded or not, floored moduli, and orders that do not hold.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int64, isFloating } from "../../ir/types.js";
import { comesFrom, constantInteger, isComparison, leastOf, sum } from "./ask.js";
import type { Detector } from "./study.js";

/** A product that is -0, where a guard exits for it. */
export const guardedMinusZero: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.CheckToInt32Exact || a === null || a.opcode !== Op.Mul) return 0;
    return view.exits(value, (event) => Object.is(event.float(a), -0));
  });

/** An order of floats with a NaN, whose opposite decides something. */
export const unorderedOpposite: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.Check && opcode !== Op.Branch && opcode !== Op.Select) return 0;
    const order = a === null ? null : oppositeOf(a);
    if (order === null) return 0;
    const operands = [order.a, order.b].filter((operand) => operand !== null);
    return view.times(order, (event) =>
      operands.some((operand) => Number.isNaN(event.float(operand) ?? 0)),
    );
  });

/** The comparison of floats of which the value is the opposite; else null. */
function oppositeOf({ opcode, a, b }: Value): Value | null {
  if (opcode !== Op.Equal || a === null || constantInteger(b) !== 0n) return null;
  if (!isComparison(a) || a.a === null || !isFloating(a.a.type)) return null;
  return a.opcode === Op.Equal || a.opcode === Op.NotEqual ? null : a;
}

/** The modulus of a positive number by a negative one, where it is not zero and is compared. */
export const negativeModulus: Detector = (study) =>
  sum(study, (value, view) => {
    const { a, b, type } = value;
    if (value.opcode !== Op.FloorMod || a === null || b === null) return 0;
    if (!view.users(value).some(isComparison)) return 0;
    return view.times(value, (event) => {
      const [x, y] = [event.integer(a) ?? 0n, event.integer(b) ?? 0n];
      return x > 0n && y < 0n && event.result(type) !== 0n;
    });
  });

/** The modulus by the least integer of a number that it does not divide. */
export const modulusByLeast: Detector = (study) =>
  sum(study, (value, view) => {
    const { a, b } = value;
    if (value.opcode !== Op.FloorMod || a === null || constantInteger(b) !== leastOf(value)) {
      return 0;
    }
    return view.times(value, (event) => event.matters && (event.integer(a) ?? 0n) > 0n);
  });

const CONVERSIONS: readonly Opcode[] = [Op.TruncS32, Op.TruncU32, Op.TruncS64, Op.TruncU64];

/** A quotient by zero of integers as floats, converted to an integer. */
export const convertedQuotientByZero: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (a === null || a.opcode !== Op.Div || !CONVERSIONS.includes(opcode)) return 0;
    if (!isOfInteger(a.a) || !isOfInteger(a.b)) return 0;
    return view.times(value, (event) => !Number.isFinite(event.float(a) ?? 0));
  });

/** A fraction of an integer from 2^31 on, converted to an unsigned integer. */
export const convertedBeyondSigned: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.TruncU32 || a === null) return 0;
    if (![a.a, a.b].some(isOfInteger)) return 0;
    return view.times(value, (event) => {
      const x = event.float(a) ?? 0;
      return event.matters && x >= 2 ** 31 && x < 2 ** 32;
    });
  });

const isOfInteger = (value: Value | null): boolean =>
  value !== null && [Op.IToD, Op.IToF, Op.UToD, Op.UToF].includes(value.opcode);

/** An unsigned integer whose Float is not that of its Double. */
export const unsignedRoundedTwice: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a, type } = value;
    if (opcode !== Op.UToF || a === null || a.type !== Int64) return 0;
    return view.times(value, (event) => {
      const x = BigInt.asUintN(64, event.integer(a) ?? 0n);
      return Math.fround(Number(x)) !== event.resultFloat(type);
    });
  });

/** A number that is rounded up to 2^31 or beyond, and converted to 32 bits. */
export const roundedUpBeyond: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.TruncS32 || a === null) return 0;
    if (a.opcode !== Op.Ceil && a.opcode !== Op.Nearest) return 0;
    return view.times(value, (event) => event.matters && event.float(a) >= 2 ** 31);
  });

/** A number that is 2^31 itself, from an operation of numbers, converted to 32 bits. */
export const justBeyondGreatest: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.TruncS32 || a === null || a.isConstant || a.a === null) return 0;
    return view.times(value, (event) => event.matters && event.float(a) === 2 ** 31);
  });

/** A negative word from a signed shift by 32 or more, extended with zeroes. */
export const signedHighWord: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    const shift = opcode === Op.ZExt32 && a?.opcode === Op.Trunc ? a.a : null;
    if (a === null || shift === null || shift.opcode !== Op.SShr) return 0;
    if (((constantInteger(shift.b) ?? 0n) & 63n) < 32n) return 0;
    return view.times(value, (event) => event.matters && (event.integer(a) ?? 0n) < 0n);
  });

/** The low word of an expression with a shift by 32. */
export const lowWordOfShift: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.Trunc || a === null || a.opcode === Op.Shl) return 0;
    const isShifted = view.values.some(
      (shift) =>
        shift.opcode === Op.Shl &&
        shift.type === Int64 &&
        ((constantInteger(shift.b) ?? 0n) & 63n) === 32n &&
        comesFrom(a, shift, 4),
    );
    return isShifted ? view.times(value, (event) => event.matters) : 0;
  });
