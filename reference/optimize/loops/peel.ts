// Peels iterations of a loop: copies them before it.

import type { BasicBlock, Procedure } from "../../../src/ir/procedure.js";
import { type Loop, type LoopForest, newPreheader } from "../analysis/loops.js";
import { jumpTo } from "../edit/edit-blocks.js";
import { LoopCopies } from "./loop-copies.js";

/**
 * Redirects entries of the loop to the first copy. The back edges of each copy lead to the next
 * one, and those of the last copy to the loop itself. The caller may redirect more edges, and then
 * has to `connect` the copies.
 */
export function peel(proc: Procedure, loops: LoopForest, loop: Loop, count: number): LoopCopies {
  const { header } = loop;
  if (proc.blocks[0] === header) newPreheader(proc, loops, loop);
  const outside = proc.blocks.filter((block) => !loop.blocks.includes(block));
  const copies = new LoopCopies(proc, loop, count);
  const headers = copies.all.map(({ blocks }) => blocks.get(header) ?? header);
  for (const block of outside) redirect(block, header, headers[0]);
  copies.all.forEach(({ blocks }, k) => {
    const next = headers[k + 1] ?? header;
    for (const block of blocks.values()) redirect(block, headers[k], next);
  });
  return copies;
}

/**
 * Makes the test of each copy continue at `inside`, as the loop's test does. If `inside` is the
 * header, a copy continues at the next copy.
 */
export function continueTests(
  copies: LoopCopies,
  { header }: Loop,
  test: BasicBlock,
  inside: BasicBlock,
): void {
  copies.all.forEach(({ blocks }, k) => {
    const to = inside === header ? copies.all[k + 1]?.blocks : blocks;
    const copy = blocks.get(test);
    if (copy !== undefined) jumpTo(copy, to?.get(inside) ?? inside);
  });
}

function redirect({ successors }: BasicBlock, from: BasicBlock, to: BasicBlock): void {
  for (let s = 0; s < successors.length; s++) if (successors[s] === from) successors[s] = to;
}
