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

import {
  type Block,
  FIRST_BLOCK,
  type Index,
  type IndexArray,
  type Instruction,
  newColumn,
} from "../../lir/indices.js";
import type { Lir } from "../../lir/lir.js";
import { sized, widen } from "../arenas.js";
import { BlockWeights } from "../block-weights.js";

/** A position in the order of the walk. Unlike Position, it does not follow the layout. */
export type WalkPosition = Index<"WalkPosition">;

export const WALK_START = 0 as WalkPosition;
/** Later than every position of the walk. */
export const WALK_NEVER = 0x7fff_ffff as WalkPosition;

export class WalkOrder {
  readonly weights = new BlockWeights();
  order: IndexArray<Block> = newColumn(64);
  count = 0;
  /** By block: its index in `order`. */
  rank: IndexArray<number, Block> = newColumn(64);
  /** By block: the position of its Phis. */
  start: IndexArray<WalkPosition, Block> = newColumn(64);
  hasRetreats = false;

  // Targets of retreats, ascending.
  retreatCount = 0;
  /** The position of the target's Phis. */
  retreatStart: IndexArray<WalkPosition> = newColumn(16);
  /** The end of the last block that retreats there. */
  retreatEnd: IndexArray<WalkPosition> = newColumn(16);
  /** By block: the end of the last block that retreats to it, or WALK_START. */
  private farthest: IndexArray<WalkPosition, Block> = newColumn(64);

  positionOf({ blockStart }: Lir, block: Block, instruction: Instruction): WalkPosition {
    return (this.start[block] + 2 * (instruction - blockStart[block]) + 1) as WalkPosition;
  }

  endOf({ blockStart }: Lir, block: Block): WalkPosition {
    return (this.start[block] + 2 * (blockStart[block + 1] - blockStart[block])) as WalkPosition;
  }

  compute(lir: Lir): void {
    const { blockCount } = lir;
    if (this.rank.length < blockCount) {
      this.order = sized(this.order, blockCount);
      this.rank = sized(this.rank, blockCount);
      this.start = sized(this.start, blockCount);
      this.farthest = sized(this.farthest, blockCount);
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
    isEntered[FIRST_BLOCK] = 1;
    for (let b = FIRST_BLOCK; b < blockCount; b++) {
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        if (successors[e] > b) isEntered[successors[e]] = 1;
        else this.hasRetreats = true;
      }
    }
    for (let b = FIRST_BLOCK; b < blockCount; b++) if (isEntered[b] === 0) return false;
    return true;
  }

  private takeLayout(lir: Lir): void {
    for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
      this.order[b] = b;
      this.rank[b] = b;
      this.start[b] = (2 * lir.blockStart[b]) as WalkPosition;
    }
    this.count = lir.blockCount;
  }

  private takePostorder(lir: Lir): void {
    const { successors, successorStart } = lir;
    const { weights, order, rank, start } = this;
    this.count = 0;
    this.hasRetreats = false;
    let position = WALK_START;
    for (let k = weights.orderStart; k < weights.orderEnd; k++) {
      const b = weights.order[k];
      start[b] = position;
      position = this.endOf(lir, b);
      rank[b] = this.count;
      order[this.count++] = b;
    }
    for (let k = 0; k < this.count; k++) {
      for (let e = successorStart[order[k]]; e < successorStart[order[k] + 1]; e++) {
        if (rank[successors[e]] <= k) this.hasRetreats = true;
      }
    }
  }

  private collectRetreats(lir: Lir): void {
    const { successors, successorStart } = lir;
    const { order, rank, start, farthest } = this;
    for (let k = 0; k < this.count; k++) {
      const b = order[k];
      const end = this.endOf(lir, b);
      farthest[b] = WALK_START;
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        if (rank[successors[e]] <= k) farthest[successors[e]] = end;
      }
    }
    for (let k = 0; k < this.count; k++) {
      const b = order[k];
      if (farthest[b] === WALK_START) continue;
      if (this.retreatCount === this.retreatStart.length) {
        this.retreatStart = widen(this.retreatStart);
        this.retreatEnd = widen(this.retreatEnd);
      }
      this.retreatStart[this.retreatCount] = start[b];
      this.retreatEnd[this.retreatCount++] = farthest[b];
    }
  }
}
