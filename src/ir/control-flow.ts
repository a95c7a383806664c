// Computes the order and dominance of blocks, for any control flow, including irreducible.

import { zeroedWords } from "../support/program-arrays.js";
import type { BasicBlock, Procedure } from "./procedure.js";

/** The position of a block that no path from the entry reaches. */
export const UNREACHABLE = -1;

export interface ControlFlow {
  /** Reachable blocks, each before its successors except along back edges. */
  readonly order: readonly BasicBlock[];
  /** By `block.index`: position in `order`, or UNREACHABLE. */
  readonly position: Int32Array;
  /** By position: the position of the immediate dominator; the entry's is itself. */
  readonly dominator: Int32Array;
}

/**
 * Computes predecessors, block indices, reverse postorder and dominators.
 * Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
 */
export function analyzeControlFlow(proc: Procedure): ControlFlow {
  proc.computePredecessors();
  const order = reversePostorder(proc);
  const position = unreached(proc.blocks.length);
  for (let i = 0; i < order.length; i++) position[order[i].index] = i;
  return { order, position, dominator: dominators(order, position) };
}

/** Returns whether every path from the entry to the block at position `b` passes the one at position `a`. */
export function dominates(flow: ControlFlow, a: number, b: number): boolean {
  // A dominator has a smaller position, so the walk up the tree stops when it has passed `a`.
  let at = b;
  while (at > a) at = flow.dominator[at];
  return at === a;
}

// For few elements, a loop is faster than `fill`.
function unreached(length: number): Int32Array {
  const positions = zeroedWords(length);
  for (let i = 0; i < length; i++) positions[i] = UNREACHABLE;
  return positions;
}

/** By index of a block: 0 before the walk reaches it, then 1 plus the number of its successors visited. */
let visited = new Int32Array(64);

function reversePostorder(proc: Procedure): BasicBlock[] {
  const { blocks } = proc;
  if (visited.length < blocks.length) visited = new Int32Array(2 * blocks.length);
  for (let b = 0; b < blocks.length; b++) visited[b] = 0;
  const stack = [blocks[0]];
  const postorder: BasicBlock[] = [];
  visited[0] = 1;
  while (stack.length > 0) {
    const block = stack[stack.length - 1];
    const { successors } = block;
    const s = visited[block.index]++ - 1;
    if (s === successors.length) {
      postorder.push(block);
      stack.pop();
    } else if (visited[successors[s].index] === 0) {
      visited[successors[s].index] = 1;
      stack.push(successors[s]);
    }
  }
  return postorder.reverse();
}

function dominators(order: readonly BasicBlock[], position: Int32Array): Int32Array {
  const dominator = unreached(order.length);
  dominator[0] = 0;
  let changed = true;
  while (changed) {
    changed = false;
    for (let i = 1; i < order.length; i++) {
      const { predecessors } = order[i];
      let meet = UNREACHABLE;
      for (let p = 0; p < predecessors.length; p++) {
        const at = position[predecessors[p].index];
        if (at === UNREACHABLE || dominator[at] === UNREACHABLE) continue;
        meet = meet === UNREACHABLE ? at : intersect(dominator, meet, at);
      }
      if (dominator[i] !== meet) {
        dominator[i] = meet;
        changed = true;
      }
    }
  }
  return dominator;
}

function intersect(dominator: Int32Array, first: number, second: number): number {
  let x = first;
  let y = second;
  while (x !== y) {
    while (x > y) x = dominator[x];
    while (y > x) y = dominator[y];
  }
  return x;
}
