// Detectors of triggers in guarded conversions, floored moduli, and orders that do not hold.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { isFloating } from "../../ir/types.js";
import { constantInteger, isComparison, leastOf, sum } from "./ask.js";
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
