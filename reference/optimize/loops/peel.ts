// One iteration of a loop, copied in front of it.

import type { BasicBlock, Procedure } from "../../../src/ir/procedure.js";
import { type Loop, type Loops, newPreheader } from "../analysis/loops.js";
import { type Duplicate, duplicateBlocks, repairUses } from "../edit/duplicate-blocks.js";

/**
 * Entries of the loop lead into the copy, and the back edges of the copy to the loop itself. The loop
 * stays as it was, so it may be peeled again.
 */
export function peel(proc: Procedure, loops: Loops, loop: Loop): Duplicate {
  const { header } = loop;
  if (proc.blocks[0] === header) newPreheader(proc, loops, loop);
  const copy = duplicateBlocks(proc, loop.blocks);
  const { blocks, values } = copy;
  const first = blocks.get(header) ?? header;
  const inLoop = new Set(loop.blocks);
  for (const block of proc.blocks) {
    if (!inLoop.has(block)) redirect(block, header, first);
  }
  for (const block of blocks.values()) redirect(block, first, header);
  repairUses(proc, values);
  return copy;
}

function redirect({ successors }: BasicBlock, from: BasicBlock, to: BasicBlock): void {
  for (let s = 0; s < successors.length; s++) if (successors[s] === from) successors[s] = to;
}
