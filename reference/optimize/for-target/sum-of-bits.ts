// Which BitOr is a sum of a shifted operand: no bit is in both, so that nothing is carried.

import { Op } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import { conditionOf } from "../../target/conditions.js";
import { SHIFT_MAX } from "../../target/forms.js";

/** One operand is shifted to the left by 1 to 3, and the other has bits below that alone. */
export function isSumOfBits({ opcode, a, b }: Value): boolean {
  if (opcode !== Op.BitOr || a === null || b === null) return false;
  return isBelow(b, shiftOf(a)) || isBelow(a, shiftOf(b));
}

/** 0 where the value is not shifted so. */
function shiftOf({ opcode, b }: Value): number {
  if (opcode !== Op.Shl || b === null || !b.isConstant) return 0;
  return b.lo > 0 && b.lo <= SHIFT_MAX ? b.lo : 0;
}

/** It surely has no bit at that number or above. */
function isBelow({ opcode, a, b }: Value, bit: number): boolean {
  if (bit === 0 || a === null || b === null) return false;
  if (conditionOf(opcode, a.type) >= 0) return true;
  const isMasked = opcode === Op.BitAnd && b.isConstant && b.hi === 0;
  return isMasked && b.lo >= 0 && b.lo < 1 << bit;
}
