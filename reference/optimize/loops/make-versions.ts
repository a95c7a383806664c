// Makes two versions of a loop, and a branch before them that selects one.

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import type { Loop } from "../analysis/loops.js";
import type { DuplicateBlocks } from "../edit/duplicate-blocks.js";
import { LoopCopies } from "./loop-copies.js";

/**
 * Copies the loop. Its preheader, which ends in a jump, then branches to the original if the
 * condition is not zero, else to the copy.
 */
export function makeVersions(
  proc: Procedure,
  loop: Loop,
  preheader: BasicBlock,
  condition: Value,
): DuplicateBlocks {
  const copies = new LoopCopies(proc, loop, 1);
  const [copy] = copies.all;
  const { last } = preheader;
  last.opcode = Op.Branch;
  last.a = condition;
  preheader.successors = [loop.header, copy.blocks.get(loop.header) ?? loop.header];
  copies.connect();
  return copy;
}
