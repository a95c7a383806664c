// Computes the order of blocks for the one-pass allocator, which walks it from end to start, and
// the edges that lead against it.
//
// 1. A block comes after all its dominators. The layout itself is such an order if every block but
//    the first has a predecessor that comes before it: then some path from the entry only ascends,
//    and each dominator is on it. Otherwise the order is a reverse postorder.
// 2. The n-th instruction in this order has position 2 * n + 1; the Phis before it have 2 * n. A
//    value that is live at a block was defined at a lower position.
// 3. An edge that does not ascend is a retreat. `weights` is computed if there is one.
// 4. Unreachable blocks are not in the order.

import type { Lir } from "../../lir/lir.js";
import { sized, widen } from "../arenas.js";
import { BlockWeights } from "../block-weights.js";

export class WalkOrder {
  readonly weights = new BlockWeights();
  order = new Int32Array(64);
  count = 0;
  /** By block: its index in `order`. */
  rank = new Int32Array(64);
  /** By block: the position of its Phis. */
  start = new Int32Array(64);
  hasRetreats = false;

  // Targets of retreats, ascending.
  retreatCount = 0;
  /** The position of the target's Phis. */
  retreatStart = new Int32Array(16);
  /** The end of the last block that retreats there. */
  retreatEnd = new Int32Array(16);
  /** By block: the end of the last block that retreats to it, or 0. */
  private farthest = new Int32Array(64);

  compute(lir: Lir): void {
    const { blockCount } = lir;
    if (this.rank.length < blockCount) {
      for (const name of BY_BLOCK) this[name] = sized(this[name], blockCount);
    }
    if (this.isLayoutValid(lir)) {
      if (this.hasRetreats) this.weights.compute(lir);
      this.takeLayout(lir);
    } else {
      this.weights.compute(lir);
      this.takePostorder(lir);
    }
    this.retreatCount = 0;
    if (this.hasRetreats) this.collectRetreats(lir);
  }

  private isLayoutValid({ blockCount, successors, successorStart }: Lir): boolean {
    const isEntered = this.rank.fill(0, 0, blockCount);
    this.hasRetreats = false;
    isEntered[0] = 1;
    for (let b = 0; b < blockCount; b++) {
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        if (successors[e] > b) isEntered[successors[e]] = 1;
        else this.hasRetreats = true;
      }
    }
    for (let b = 0; b < blockCount; b++) if (isEntered[b] === 0) return false;
    return true;
  }

  private takeLayout(lir: Lir): void {
    for (let b = 0; b < lir.blockCount; b++) {
      this.order[b] = b;
      this.rank[b] = b;
      this.start[b] = 2 * lir.blockStart[b];
    }
    this.count = lir.blockCount;
  }

  private takePostorder({ blockStart, successors, successorStart }: Lir): void {
    const { weights, order, rank, start } = this;
    this.count = 0;
    this.hasRetreats = false;
    let position = 0;
    for (let k = weights.orderStart; k < weights.orderEnd; k++) {
      const b = weights.order[k];
      start[b] = position;
      position += 2 * (blockStart[b + 1] - blockStart[b]);
      rank[b] = this.count;
      order[this.count++] = b;
    }
    for (let k = 0; k < this.count; k++) {
      for (let e = successorStart[order[k]]; e < successorStart[order[k] + 1]; e++) {
        if (rank[successors[e]] <= k) this.hasRetreats = true;
      }
    }
  }

  private collectRetreats({ blockStart, successors, successorStart }: Lir): void {
    const { order, rank, start, farthest } = this;
    for (let k = 0; k < this.count; k++) {
      const b = order[k];
      const end = start[b] + 2 * (blockStart[b + 1] - blockStart[b]);
      farthest[b] = 0;
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        if (rank[successors[e]] <= k) farthest[successors[e]] = end;
      }
    }
    for (let k = 0; k < this.count; k++) {
      const b = order[k];
      if (farthest[b] === 0) continue;
      if (this.retreatCount === this.retreatStart.length) {
        this.retreatStart = widen(this.retreatStart);
        this.retreatEnd = widen(this.retreatEnd);
      }
      this.retreatStart[this.retreatCount] = start[b];
      this.retreatEnd[this.retreatCount++] = farthest[b];
    }
  }
}

const BY_BLOCK = ["order", "rank", "start", "farthest"] as const;
