// Two versions of a loop, and a branch in front that chooses one.

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import type { Loop } from "../analysis/loops.js";
import { type Duplicate, duplicateBlocks, repairUses } from "../edit/duplicate-blocks.js";

/**
 * Copies the loop. Its preheader, which ends in a jump, goes to the original if the condition is
 * not zero, else to the copy.
 */
export function makeVersions(
  proc: Procedure,
  { blocks, header }: Loop,
  preheader: BasicBlock,
  condition: Value,
): Duplicate {
  const copy = duplicateBlocks(proc, blocks);
  const { last } = preheader;
  last.opcode = Op.Branch;
  last.a = condition;
  preheader.successors = [header, copy.blocks.get(header) ?? header];
  repairUses(proc, copy.values);
  return copy;
}
