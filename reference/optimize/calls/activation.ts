// What makes one activation of a procedure different from another, so that the code of a call cannot
// stand in the code of its caller.

import { EFFECTS, EXITS, NAMES_KIND, OPCODE_COUNT, Op } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";

/**
 * By opcode: 1 if it tells its activation. A stack slot's bytes are unwritten at each call; the exit
 * of a callee goes on in its caller; a patchpoint may have places in the frame, where an address in it
 * lies, and where the registers of arguments were; and a tail call ends its activation.
 */
const TELLS_ACTIVATION = new Uint8Array(OPCODE_COUNT);
for (let opcode = 0; opcode < OPCODE_COUNT; opcode++) {
  if (NAMES_KIND[opcode] === 1 || (EFFECTS[opcode] & EXITS) !== 0) TELLS_ACTIVATION[opcode] = 1;
}
for (const opcode of [Op.FramePointer, Op.ArgumentReg, Op.SlotBase, Op.TailCall]) {
  TELLS_ACTIVATION[opcode] = 1;
}

/** True if the value names its activation: the frame, its slots, its exits, its arguments' registers. */
export const tellsActivation = ({ opcode }: Value): boolean => TELLS_ACTIVATION[opcode] === 1;
