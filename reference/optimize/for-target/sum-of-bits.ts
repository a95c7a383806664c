// Recognizes a BitOr that is a sum with a shifted operand: the operands have no bit in common, so
// nothing is carried.

import { Op } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import { conditionOf } from "../../target/conditions.js";
import { SHIFT_MAX } from "../../target/forms.js";

/** True if one operand is shifted left by 1 to 3, and the other has only lower bits. */
export function isSumOfBits({ opcode, a, b }: Value): boolean {
  if (opcode !== Op.BitOr || a === null || b === null) return false;
  return isBelow(b, shiftOf(a)) || isBelow(a, shiftOf(b));
}

/** Returns the shift count; 0 if the value is not such a shift. */
function shiftOf({ opcode, b }: Value): number {
  if (opcode !== Op.Shl || b === null || !b.isConstant) return 0;
  return b.constantLow > 0 && b.constantLow <= SHIFT_MAX ? b.constantLow : 0;
}

/** True if the value certainly has no bit at that position or above. */
function isBelow({ opcode, a, b }: Value, bit: number): boolean {
  if (bit === 0 || a === null || b === null) return false;
  if (conditionOf(opcode, a.type) >= 0) return true;
  const isMasked = opcode === Op.BitAnd && b.isConstant && b.constantHigh === 0;
  return isMasked && b.constantLow >= 0 && b.constantLow < 1 << bit;
}
