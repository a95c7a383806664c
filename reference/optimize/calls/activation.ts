// Finds values that depend on their activation, so that the code of a callee cannot be inlined into
// its caller.

import { EFFECTS, EXITS, NAMES_KIND, OPCODE_COUNT, Op } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";

/**
 * By opcode: 1 if it depends on its activation. The bytes of a stack slot are unwritten at each
 * call. An exit of a callee resumes in its caller. A patchpoint may contain addresses in the frame
 * and locations of argument registers. A tail call ends its activation.
 */
const DEPENDS_ON_ACTIVATION = new Uint8Array(OPCODE_COUNT);
for (let opcode = 0; opcode < OPCODE_COUNT; opcode++) {
  if (NAMES_KIND[opcode] === 1 || (EFFECTS[opcode] & EXITS) !== 0)
    DEPENDS_ON_ACTIVATION[opcode] = 1;
}
for (const opcode of [Op.FramePointer, Op.ArgumentReg, Op.SlotBase, Op.TailCall]) {
  DEPENDS_ON_ACTIVATION[opcode] = 1;
}

/**
 * True if the value depends on its activation: the frame, its slots, its exits, its argument
 * registers.
 */
export const dependsOnActivation = ({ opcode }: Value): boolean =>
  DEPENDS_ON_ACTIVATION[opcode] === 1;
