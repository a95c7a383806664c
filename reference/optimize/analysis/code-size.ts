// Estimates the code size of blocks, to limit the phases that copy them.

import { OPCODE_COUNT, Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock } from "../../../src/ir/procedure.js";

/** By opcode: 1 if it produces no instruction, or one that a copy often removes. */
const IS_FREE = new Uint8Array(OPCODE_COUNT);
for (const opcode of [Op.Upsilon, Op.Phi, Op.Jump]) IS_FREE[opcode] = 1;

/** The maximum code size of a procedure that is inlined. */
export const INLINED_MAX = 48;

/** Returns the number of values that produce code, without constants. */
export function codeSizeOf(blocks: readonly BasicBlock[]): number {
  let size = 0;
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      if (!values[i].isConstant && IS_FREE[values[i].opcode] === 0) size++;
    }
  }
  return size;
}
