// Estimates from the graph alone how often each block of LIR runs, and finds the loops around it.
//
// Input:  any control flow, blocks in any layout, block 0 the entry.
// Output: for each block the head of its innermost loop, the number of loops around it, and a
//         weight: executions for one entry of the procedure.
//
// One depth-first walk finds the loops, after Wei, Mao, Zou, Chen, "A New Algorithm for Identifying
// Loops in Decompilation" (SAS 2007): it records for each block the innermost block on the walk's
// path that the block leads back to. The work is linear in the edges, times the nesting of loops.
//
// 1. In a reducible graph these are the natural loops.
// 2. A loop with several entries is a loop too: its head is the block that the walk reached first,
//    and all blocks that lead back to it are inside. So irreducible regions have depth and weight
//    like others. The order of successors decides which block is the head, and the loop is marked.
// 3. Weight flows from the entry along the edges that do not lead back. The weight of a head is
//    TRIPS times the weight that enters it. A branch that may leave its innermost loop does so once
//    in TRIPS times, and all other edges are equally likely. A loop without an exit has the weight
//    factor TRIPS, too.
// 4. An unreachable block has no loop and weight 0.
// 5. The weights are a heuristic: they may only influence which values go to memory, and where.

import {
  type Block,
  type Doubles,
  FIRST_BLOCK,
  type IndexArray,
  type IndexFlags,
  newColumn,
  newDoubles,
  newFlags,
} from "../lir/indices.js";
import type { Lir } from "../lir/lir.js";
import { NONE, sized } from "./arenas.js";

/** The assumed number of iterations of a loop. */
export const TRIPS = 8;
/** The largest weight: deeper nests need no distinction, and sums of weights stay exact enough. */
const WEIGHT_MAX = TRIPS ** 8;

export class BlockWeights {
  /** By block: the head of its innermost loop, itself if it is one; or NONE. */
  head: IndexArray<Block, Block> = newColumn(64);
  /** By head: the head of the next loop around its own, or NONE. */
  outer: IndexArray<Block, Block> = newColumn(64);
  /** By head: the last block of its loop in the layout. */
  last: IndexArray<Block, Block> = newColumn(64);
  /** By block: loops around it. */
  depth: IndexArray<number, Block> = newColumn(64);
  /** The sum of `depth` over all blocks. */
  depthSum = 0;
  /** By head: 1 if its loop has another entry than the head. */
  isIrreducible: IndexFlags<Block> = newFlags(64);
  weight: Doubles<Block> = newDoubles(64);
  /** The reachable blocks in reverse postorder, at [orderStart, orderEnd). */
  order: IndexArray<Block> = newColumn(64);
  orderStart = 0;
  orderEnd = 0;

  /** By block: its position on the walk's path, from 1; 0 if it is not on the path. */
  private pathIndex: IndexArray<number, Block> = newColumn(64);
  private visitState = new Uint8Array(64);
  private path: IndexArray<Block> = newColumn(64);
  private nextEdge: IndexArray<number, Block> = newColumn(64);
  /**
   * By head: its loop and the loops within it have the numbers [begin, end); the outermost has
   * `begin`.
   */
  private begin: IndexArray<number, Block> = newColumn(64);
  private end: IndexArray<number, Block> = newColumn(64);
  /** By head: the number of its next inner loop. */
  private free: IndexArray<number, Block> = newColumn(64);

  compute(lir: Lir): void {
    this.reset(lir.blockCount);
    if (lir.blockCount === 0) return;
    this.findLoops(lir);
    this.measureDepths();
    this.numberLoops();
    this.spreadWeights(lir);
  }

  isInside(block: Block, head: Block): boolean {
    const own = this.head[block];
    if (own === NONE) return false;
    return this.begin[own] >= this.begin[head] && this.begin[own] < this.end[head];
  }

  private reset(count: number): void {
    if (this.head.length < count) {
      this.head = sized(this.head, count);
      this.outer = sized(this.outer, count);
      this.last = sized(this.last, count);
      this.depth = sized(this.depth, count);
      this.order = sized(this.order, count);
      this.pathIndex = sized(this.pathIndex, count);
      this.path = sized(this.path, count);
      this.nextEdge = sized(this.nextEdge, count);
      this.begin = sized(this.begin, count);
      this.end = sized(this.end, count);
      this.free = sized(this.free, count);
      this.isIrreducible = newFlags(this.head.length);
      this.visitState = new Uint8Array(this.head.length);
      this.weight = newDoubles(this.head.length);
    }
    this.head.fill(NONE, 0, count);
    this.depth.fill(0, 0, count);
    this.pathIndex.fill(0, 0, count);
    this.isIrreducible.fill(0, 0, count);
    this.visitState.fill(0, 0, count);
    this.weight.fill(0, 0, count);
    this.depthSum = 0;
    this.orderStart = count;
    this.orderEnd = count;
  }

  /**
   * Sets `head` of each block to the head of the innermost loop around it, not counting a loop that
   * the block itself heads.
   */
  private findLoops(lir: Lir): void {
    const { path, pathIndex, nextEdge, head, visitState } = this;
    let height = 0;
    path[height++] = FIRST_BLOCK;
    visitState[0] = 1;
    pathIndex[FIRST_BLOCK] = 1;
    nextEdge[FIRST_BLOCK] = lir.successorStart[0];
    while (height > 0) {
      const b = path[height - 1];
      if (nextEdge[b] === lir.successorStart[b + 1]) {
        this.order[--this.orderStart] = b;
        pathIndex[b] = 0;
        height--;
        if (height > 0) this.putInside(path[height - 1], head[b]);
        continue;
      }
      const to = lir.successors[nextEdge[b]++];
      if (visitState[to] === 0) {
        visitState[to] = 1;
        path[height++] = to;
        pathIndex[to] = height;
        nextEdge[to] = lir.successorStart[to];
      } else if (pathIndex[to] > 0) {
        this.depth[to] = 1; // a head; measureDepths computes the depth
        this.putInside(b, to);
      } else this.joinLoops(b, to);
    }
  }

  /**
   * Handles an edge to a block that the walk has left: it enters or closes the loops around that
   * block.
   */
  private joinLoops(b: Block, to: Block): void {
    let at = this.head[to];
    while (at !== NONE && this.pathIndex[at] === 0) {
      this.isIrreducible[at] = 1; // entered at `to`, not by its head
      at = this.head[at];
    }
    this.putInside(b, at);
  }

  /**
   * Puts the block into the loop of `loop`, and sorts the loops around it by their path positions.
   */
  private putInside(block: Block, loop: Block): void {
    const { head, pathIndex } = this;
    let inner = block;
    let outer = loop;
    if (inner === outer || outer === NONE) return;
    while (head[inner] !== NONE) {
      const known = head[inner];
      if (known === outer) return;
      if (pathIndex[known] < pathIndex[outer]) {
        head[inner] = outer;
        inner = outer;
        outer = known;
      } else inner = known;
    }
    head[inner] = outer;
  }

  private measureDepths(): void {
    const { order, head, outer, depth, last } = this;
    for (let k = this.orderStart; k < this.orderEnd; k++) {
      const b = order[k];
      outer[b] = head[b]; // a head precedes the blocks inside
      const around = head[b] === NONE ? 0 : depth[head[b]];
      if (depth[b] === 1) head[b] = b;
      depth[b] += around;
      this.depthSum += depth[b];
      last[b] = b;
    }
    for (let k = this.orderEnd - 1; k >= this.orderStart; k--) {
      const b = order[k];
      const loop = head[b] === b ? outer[b] : head[b]; // the blocks inside come first
      if (loop !== NONE && last[b] > last[loop]) last[loop] = last[b];
    }
  }

  /** Numbers the loops: each before the loops within it, which follow it without a gap. */
  private numberLoops(): void {
    const { order, head, outer, begin, end, free } = this;
    for (let k = this.orderStart; k < this.orderEnd; k++) end[order[k]] = 1;
    // At first `end` is the number of loops: the loop itself and those within it.
    for (let k = this.orderEnd - 1; k >= this.orderStart; k--) {
      const b = order[k];
      if (head[b] === b && outer[b] !== NONE) end[outer[b]] += end[b];
    }
    let next = 0;
    for (let k = this.orderStart; k < this.orderEnd; k++) {
      const b = order[k];
      if (head[b] !== b) continue;
      const around = outer[b];
      begin[b] = around === NONE ? next : free[around];
      end[b] += begin[b];
      free[b] = begin[b] + 1;
      if (around === NONE) next = end[b];
      else free[around] = end[b];
    }
  }

  private spreadWeights(lir: Lir): void {
    const { order, head, weight, visitState } = this;
    weight[FIRST_BLOCK] = 1;
    for (let k = this.orderStart; k < this.orderEnd; k++) {
      const b = order[k];
      visitState[b] = 2; // its weight is final: the edges to it lead back
      if (head[b] === b) weight[b] *= TRIPS;
      if (weight[b] > WEIGHT_MAX) weight[b] = WEIGHT_MAX;
      this.spreadFrom(lir, b);
    }
  }

  private spreadFrom(lir: Lir, b: Block): void {
    const { head, weight, visitState } = this;
    const first = lir.successorStart[b];
    const end = lir.successorStart[b + 1];
    const loop = head[b];
    let leaving = 0;
    for (let e = first; loop !== NONE && e < end; e++) {
      if (!this.isInside(lir.successors[e], loop)) leaving++;
    }
    const staying = end - first - leaving;
    const mayDoBoth = leaving > 0 && staying > 0;
    const whole = mayDoBoth ? weight[b] / TRIPS : weight[b];
    const out = leaving === 0 ? 0 : whole / leaving;
    const on = staying === 0 ? 0 : (mayDoBoth ? weight[b] - whole : weight[b]) / staying;
    for (let e = first; e < end; e++) {
      const to = lir.successors[e];
      if (visitState[to] === 2) continue;
      weight[to] += leaving > 0 && !this.isInside(to, loop) ? out : on;
    }
  }
}
