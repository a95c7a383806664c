// Orders the blocks in LIR: reverse postorder, with the blocks of each loop contiguous and before
// the blocks after the loop. So positions show the allocator which uses are near; a use after the
// loop is far.
//
// The algorithm is a depth-first walk that, at the header of a loop, visits the targets of the
// loop's exits first: the first block finished comes last. A definition still precedes its uses,
// because a forward edge is forward in every such order. The target of an exit is finished before
// the blocks that leave by it, and can reach them again only through the header.

import type { BasicBlock, Procedure } from "../../src/ir/procedure.js";
import { zeroedBytes, zeroedWords } from "../../src/support/program-arrays.js";
import { analyzeLoops, isInLoop, type Loop, type LoopForest } from "../optimize/analysis/loops.js";

interface BlockOrder {
  readonly order: readonly BasicBlock[];
  /** The position of each block in `order`, by `block.index`. */
  readonly position: Int32Array;
}

export function blockOrder(proc: Procedure): BlockOrder {
  const loops = analyzeLoops(proc);
  if (loops.all.length === 0) return loops.flow;
  const order = walk(proc, loops, exitsByHeader(proc, loops));
  const position = zeroedWords(proc.blocks.length).fill(-1);
  for (let b = 0; b < order.length; b++) position[order[b].index] = b;
  return { order, position };
}

/** Returns by `block.index` of a header the targets of its loop's exits, the farthest out first. */
function exitsByHeader(proc: Procedure, loops: LoopForest): (BasicBlock[] | undefined)[] {
  const exits: (BasicBlock[] | undefined)[] = new Array(proc.blocks.length);
  for (const { header } of loops.all) exits[header.index] = [];
  for (const block of loops.flow.order) {
    for (const successor of block.successors) {
      let loop = innermostLoop(loops, block);
      for (; loop !== null && !isInLoop(loops, loop, successor); loop = loop.parent) {
        exits[loop.header.index]?.push(successor);
      }
    }
  }
  for (const targets of exits) targets?.sort((a, b) => depthOf(loops, a) - depthOf(loops, b));
  return exits;
}

function innermostLoop({ all, innermost }: LoopForest, block: BasicBlock): Loop | null {
  const known = innermost[block.id];
  return known === 0 ? null : all[known - 1];
}

function depthOf({ all, innermost }: LoopForest, block: BasicBlock): number {
  const index = innermost[block.id];
  return index === 0 ? 0 : all[index - 1].depth;
}

function walk(
  proc: Procedure,
  { flow }: LoopForest,
  exits: readonly (readonly BasicBlock[] | undefined)[],
): BasicBlock[] {
  const postorder: BasicBlock[] = [];
  const isSeen = zeroedBytes(proc.blocks.length);
  const nextExit = zeroedWords(proc.blocks.length);
  const nextSuccessor = zeroedWords(proc.blocks.length);
  const stack = [flow.order[0]];
  isSeen[stack[0].index] = 1;
  while (stack.length > 0) {
    const block = stack[stack.length - 1];
    const { index, successors } = block;
    const behind = exits[index];
    let next: BasicBlock;
    if (behind !== undefined && nextExit[index] < behind.length) next = behind[nextExit[index]++];
    else if (nextSuccessor[index] < successors.length) next = successors[nextSuccessor[index]++];
    else {
      postorder.push(block);
      stack.pop();
      continue;
    }
    if (isSeen[next.index] !== 0) continue;
    isSeen[next.index] = 1;
    stack.push(next);
  }
  return postorder.reverse();
}
