// The order in which blocks are written: chains of blocks that fall through to each other. The most
// frequent edges are joined first, and of these first the ones that would cost a jump.
//
// A block with one successor jumps to it, unless that follows; a branch has two targets, so one of
// them must follow. So in a loop that is tested at its head the back edge is joined first: the head
// stands last, and its branch is the back edge. Entering the loop costs one jump to the head.
//
// Only a matter of speed: any order that begins with block 0 is right.

import type { Lir } from "../lir/lir.js";

const NONE = -1;

export class Layout {
  /** Blocks in the order in which they are written; those left out are absent. */
  order = new Int32Array(64);
  count = 0;

  /** By block: loops around it. */
  private depth = new Int32Array(64);
  private depthMax = 0;
  // Predecessors of block b: predecessors[predecessorStart[b] .. predecessorStart[b + 1]).
  private predecessorStart = new Int32Array(64);
  private predecessors = new Int32Array(64);
  /** By block: the last loop head from which it was reached, and the stack of the search. */
  private reachedFrom = new Int32Array(64);
  private stack = new Int32Array(64);

  // Chains: by block, its neighbours, and the first block as far as known (a forest of union-find).
  private next = new Int32Array(64);
  private previous = new Int32Array(64);
  private first = new Int32Array(64);

  /** @param target by block: itself, or, if it is left out, the block that stands for it */
  compute(lir: Lir, target: Int32Array): void {
    this.reserve(lir);
    this.measureDepth(lir);
    for (let b = 0; b < lir.blockCount; b++) {
      this.next[b] = NONE;
      this.previous[b] = NONE;
      this.first[b] = b;
    }
    for (let depth = this.depthMax; depth >= 0; depth--) {
      this.joinEdges(lir, target, depth, true);
      this.joinEdges(lir, target, depth, false);
    }
    this.count = 0;
    // A chain stands where the earliest of its blocks would; that of block 0 begins with it.
    const isWritten = this.reachedFrom.fill(0, 0, lir.blockCount);
    for (let b = 0; b < lir.blockCount; b++) {
      if (isWritten[b] !== 0 || target[b] !== b) continue;
      for (let at = this.firstOf(b); at !== NONE; at = this.next[at]) {
        this.order[this.count++] = at;
        isWritten[at] = 1;
      }
    }
  }

  /** Joins chains over the edges of that depth: of blocks with one successor, or of branches. */
  private joinEdges(lir: Lir, target: Int32Array, depth: number, isJump: boolean): void {
    const { successors, successorStart } = lir;
    for (let b = 0; b < lir.blockCount; b++) {
      const first = successorStart[b];
      const end = successorStart[b + 1];
      if (target[b] !== b || this.depth[b] < depth || (end === first + 1) !== isJump) continue;
      for (let e = first; e < end; e++) {
        const to = target[successors[e]];
        const least = this.depth[to] < this.depth[b] ? this.depth[to] : this.depth[b];
        if (least === depth) this.join(b, to);
      }
    }
  }

  private join(from: number, to: number): void {
    const { next, previous } = this;
    if (to === 0 || next[from] !== NONE || previous[to] !== NONE) return;
    const first = this.firstOf(from);
    if (first === to) return; // around the loop
    next[from] = to;
    previous[to] = from;
    this.first[to] = first;
  }

  private firstOf(block: number): number {
    const { first } = this;
    let at = block;
    while (first[at] !== at) {
      first[at] = first[first[at]];
      at = first[at];
    }
    return at;
  }

  // A loop is the blocks that reach a back edge to its head without passing the head. Blocks are in
  // reverse postorder, so a back edge is one that does not lead forward.
  private measureDepth(lir: Lir): void {
    const { blockCount, successors, successorStart } = lir;
    const { depth, predecessorStart, predecessors } = this;
    depth.fill(0, 0, blockCount);
    this.reachedFrom.fill(NONE, 0, blockCount);
    this.depthMax = 0;
    predecessorStart.fill(0, 0, blockCount + 2);
    const edgeCount = successorStart[blockCount];
    for (let e = 0; e < edgeCount; e++) predecessorStart[successors[e] + 2]++;
    for (let b = 0; b < blockCount; b++) predecessorStart[b + 2] += predecessorStart[b + 1];
    for (let b = 0; b < blockCount; b++) {
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        predecessors[predecessorStart[successors[e] + 1]++] = b;
      }
    }
    for (let head = 0; head < blockCount; head++) this.markLoop(head);
  }

  private markLoop(head: number): void {
    const { depth, predecessorStart, predecessors, reachedFrom, stack } = this;
    let height = 0;
    for (let k = predecessorStart[head]; k < predecessorStart[head + 1]; k++) {
      if (predecessors[k] >= head) stack[height++] = predecessors[k];
    }
    if (height === 0) return;
    reachedFrom[head] = head;
    if (++depth[head] > this.depthMax) this.depthMax = depth[head];
    while (height > 0) {
      const b = stack[--height];
      if (reachedFrom[b] === head) continue;
      reachedFrom[b] = head;
      if (++depth[b] > this.depthMax) this.depthMax = depth[b];
      for (let k = predecessorStart[b]; k < predecessorStart[b + 1]; k++) {
        // What lies before the head can only belong to another loop, if this one is irreducible.
        if (predecessors[k] > head) stack[height++] = predecessors[k];
      }
    }
  }

  private reserve({ blockCount, successorStart }: Lir): void {
    const edgeCount = successorStart[blockCount];
    if (this.order.length < blockCount + 2) {
      for (const name of BY_BLOCK) this[name] = new Int32Array(2 * (blockCount + 2));
    }
    if (this.predecessors.length < edgeCount) {
      this.predecessors = new Int32Array(2 * edgeCount);
      this.stack = new Int32Array(4 * edgeCount);
    }
  }
}

const BY_BLOCK = [
  "order",
  "depth",
  "predecessorStart",
  "reachedFrom",
  "next",
  "previous",
  "first",
] as const;
