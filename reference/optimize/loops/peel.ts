// One iteration of a loop, copied in front of it.

import type { BasicBlock, Procedure } from "../../../src/ir/procedure.js";
import { type Loop, type Loops, newPreheader } from "../analysis/loops.js";
import { duplicateBlocks, repairUses } from "../edit/duplicate-blocks.js";

/**
 * Entries of the loop lead into the copy, and the back edges of the copy to the loop itself. The loop
 * stays as it was, so it may be peeled again.
 * @returns by block of the loop: its copy
 */
export function peel(
  proc: Procedure,
  loops: Loops,
  loop: Loop,
): ReadonlyMap<BasicBlock, BasicBlock> {
  const { header } = loop;
  if (proc.blocks[0] === header) newPreheader(proc, loops, loop);
  const { blocks, values } = duplicateBlocks(proc, loop.blocks);
  const first = blocks.get(header) ?? header;
  const inLoop = new Set(loop.blocks);
  for (const block of proc.blocks) {
    if (!inLoop.has(block)) redirect(block, header, first);
  }
  for (const copy of blocks.values()) redirect(copy, first, header);
  repairUses(proc, values);
  return blocks;
}

function redirect({ successors }: BasicBlock, from: BasicBlock, to: BasicBlock): void {
  for (let s = 0; s < successors.length; s++) if (successors[s] === from) successors[s] = to;
}
