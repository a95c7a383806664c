// How much code values will be: what phases that copy blocks are limited by.

import { OPCODE_COUNT, Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock } from "../../../src/ir/procedure.js";

/** By opcode: 1 if it is no instruction, or one that a copy often spares. */
const IS_FREE = new Uint8Array(OPCODE_COUNT);
for (const opcode of [Op.Upsilon, Op.Phi, Op.Jump]) IS_FREE[opcode] = 1;

/** A procedure with more code is not inlined. */
export const INLINED_MAX = 48;

/** The number of values that are code, without constants. */
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
