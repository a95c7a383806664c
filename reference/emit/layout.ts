// Orders the blocks for emission: chains of blocks that fall through to each other. The most
// frequent edges are joined first, and among these the ones that would otherwise cost a jump.
//
// A block with one successor jumps to it, unless that block follows. A branch has two targets, so
// one of them must follow. So in a loop that is tested at its head the back edge is joined first:
// the head comes last, and its branch is the back edge. Entering the loop costs one jump to the
// head. A branch that may leave the loop comes last, since the code outside can follow it as well.
//
// The order only affects speed: any order that begins with block 0 is correct.

import { representativeOf } from "../../src/support/sets-of-numbers.js";
import type { Lir } from "../lir/lir.js";

const NONE = -1;
/** The number of kinds of edges of one depth: see kindOf. */
const KINDS = 3;

export class BlockLayout {
  /** Blocks in the order in which they are written, without the omitted ones. */
  order = new Int32Array(64);
  count = 0;

  /** By block: loops around it. */
  private depth = new Int32Array(64);
  private depthMax = 0;
  // Predecessors of block b: predecessors[predecessorStart[b] .. predecessorStart[b + 1]).
  private predecessorStart = new Int32Array(64);
  private predecessors = new Int32Array(64);
  /**
   * By block: the head of the innermost loop around it, not counting a loop that it heads itself;
   * and the stack of the search.
   */
  private around = new Int32Array(64);
  private stack = new Int32Array(64);

  // The order in which edges join chains: by edge its rank and its start; and all edges by rank.
  private edgeRank = new Int32Array(64);
  private edgeFrom = new Int32Array(64);
  private ranked = new Int32Array(64);
  /** By rank: the end of its edges in `ranked`. */
  private rankEnd = new Int32Array(64);

  // Chains: by block its neighbours, and the first block of its chain (union-find). While depths
  // are computed, `first` has the same for loops: the outermost head found so far.
  private next = new Int32Array(64);
  private previous = new Int32Array(64);
  private first = new Int32Array(64);

  get hasLoops(): boolean {
    return this.depthMax > 0;
  }

  /**
   * Computes the order.
   *
   * @param target by block: itself, or the block that replaces it if it is omitted
   */
  compute(lir: Lir, target: Int32Array): void {
    this.reserve(lir);
    this.measureDepth(lir);
    for (let b = 0; b < lir.blockCount; b++) {
      this.next[b] = NONE;
      this.previous[b] = NONE;
      this.first[b] = b;
    }
    this.joinEdges(lir, target);
    this.count = 0;
    // A chain comes at the position of its earliest block; that of block 0 begins with block 0.
    const isWritten = this.around.fill(0, 0, lir.blockCount);
    for (let b = 0; b < lir.blockCount; b++) {
      if (isWritten[b] !== 0 || target[b] !== b) continue;
      for (let at = representativeOf(this.first, b); at !== NONE; at = this.next[at]) {
        this.order[this.count++] = at;
        isWritten[at] = 1;
      }
    }
  }

  /** Joins chains over edges: the deepest edges first, and those of one depth by kind. */
  private joinEdges(lir: Lir, target: Int32Array): void {
    const { successors, successorStart } = lir;
    const edgeCount = successorStart[lir.blockCount];
    const { depth, rankEnd, ranked, edgeRank, edgeFrom } = this;
    const ranks = KINDS * (this.depthMax + 1);
    rankEnd.fill(0, 0, ranks);
    for (let b = 0; b < lir.blockCount; b++) {
      const kind = this.kindOf(lir, target, b);
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        const least = Math.min(depth[b], depth[target[successors[e]]]);
        edgeRank[e] = KINDS * (this.depthMax - least) + kind;
        edgeFrom[e] = b;
        rankEnd[edgeRank[e]]++;
      }
    }
    for (let r = 1; r < ranks; r++) rankEnd[r] += rankEnd[r - 1];
    for (let e = edgeCount - 1; e >= 0; e--) ranked[--rankEnd[edgeRank[e]]] = e;
    for (let k = 0; k < edgeCount; k++) {
      const b = edgeFrom[ranked[k]];
      if (target[b] === b) this.join(b, target[successors[ranked[k]]]);
    }
  }

  /**
   * Returns the kind of the edges of a block. 0: one successor; 1: all successors are at least as
   * deep; 2: one is outside the loop.
   */
  private kindOf({ successorStart, successors }: Lir, target: Int32Array, b: number): number {
    if (successorStart[b + 1] === successorStart[b] + 1) return 0;
    for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
      if (this.depth[target[successors[e]]] < this.depth[b]) return 2;
    }
    return 1;
  }

  private join(from: number, to: number): void {
    const { next, previous } = this;
    if (to === 0 || next[from] !== NONE || previous[to] !== NONE) return;
    const first = representativeOf(this.first, from);
    if (first === to) return; // the edge closes a loop
    next[from] = to;
    previous[to] = from;
    this.first[to] = first;
  }

  // A loop consists of the blocks that reach a back edge to its head without passing the head.
  // Blocks are in reverse postorder, so an edge that does not lead forward is a back edge.
  private measureDepth(lir: Lir): void {
    const { blockCount, successors, successorStart } = lir;
    const { depth, predecessorStart, predecessors, around, first } = this;
    depth.fill(0, 0, blockCount);
    around.fill(NONE, 0, blockCount);
    for (let b = 0; b < blockCount; b++) first[b] = b;
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
    for (let head = blockCount - 1; head >= 0; head--) this.markLoop(head);
    for (let b = 0; b < blockCount; b++) {
      if (around[b] !== NONE) depth[b] += depth[around[b]];
      if (depth[b] > this.depthMax) this.depthMax = depth[b];
    }
  }

  /**
   * Marks the blocks of the loop. All loops with a later head are marked already; an inner loop is
   * passed in one step, as its outermost head.
   */
  private markLoop(head: number): void {
    const { depth, predecessorStart, predecessors, around, first, stack } = this;
    let height = 0;
    for (let k = predecessorStart[head]; k < predecessorStart[head + 1]; k++) {
      if (predecessors[k] >= head) stack[height++] = predecessors[k];
    }
    if (height === 0) return;
    depth[head] = 1;
    while (height > 0) {
      const b = representativeOf(this.first, stack[--height]);
      if (b === head) continue;
      around[b] = head;
      first[b] = head;
      for (let k = predecessorStart[b]; k < predecessorStart[b + 1]; k++) {
        // If the loop is irreducible, a block before the head may belong to another loop.
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
      for (const name of BY_EDGE) this[name] = new Int32Array(2 * edgeCount);
      this.stack = new Int32Array(4 * edgeCount);
    }
    const ranks = KINDS * (blockCount + 2);
    if (this.rankEnd.length < ranks) this.rankEnd = new Int32Array(2 * ranks);
  }
}

const BY_EDGE = ["predecessors", "edgeRank", "edgeFrom", "ranked"] as const;
const BY_BLOCK = [
  "order",
  "depth",
  "predecessorStart",
  "around",
  "next",
  "previous",
  "first",
] as const;
