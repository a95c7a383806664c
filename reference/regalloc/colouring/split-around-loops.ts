// Splits intervals that only pass through a loop in which a piece found no colour. If the part in
// the loop goes to memory, it frees a register there, and costs a store and a load outside. Splits
// without gain are coalesced again.
//
// 1. As many intervals are split as there were pieces in the loop without a colour. More splits
//    would add more moves to join the pieces that keep a register.
// 2. Only loops whose blocks are contiguous are handled.
// 3. The outermost loop that an interval passes through gets all of its part, so inner loops find
//    nothing more to split.

import { isFloating } from "../../../src/ir/types.js";
import {
  type Block,
  FIRST_BLOCK,
  type IndexArray,
  newColumn,
  type VirtualRegister,
} from "../../lir/indices.js";
import type { Lir } from "../../lir/lir.js";
import { NONE, sized } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import type { LiveIntervals } from "../live-intervals.js";
import { firstPieceOf, IN_SLOT, type IntervalPiece, type IntervalPieces } from "../pieces.js";
import { instructionAt, type Position, startOf } from "../positions.js";
import type { SpillSplitter } from "./split-spilled.js";

/** The reason of a split, for the trace. */
const AROUND_LOOP = "it only passes through a loop that lacks registers";

export class LoopSplitter {
  private readonly live: LiveIntervals;
  private readonly weights: BlockWeights;
  private readonly pieces: IntervalPieces;
  private readonly splitter: SpillSplitter;
  // The following arrays are indexed by the head of a loop.
  private firstBlock: IndexArray<Block, Block> = newColumn(64);
  private lastBlock: IndexArray<Block, Block> = newColumn(64);
  private blockCount: IndexArray<number, Block> = newColumn(64);
  /** The last query that visited it. */
  private mark: IndexArray<number, Block> = newColumn(64);
  private query = 0;
  /** By bank, 2 * head + bank: pieces that live in the loop and found no colour. */
  private missing = new Int32Array(128);

  constructor(
    live: LiveIntervals,
    weights: BlockWeights,
    pieces: IntervalPieces,
    splitter: SpillSplitter,
  ) {
    this.live = live;
    this.weights = weights;
    this.pieces = pieces;
    this.splitter = splitter;
  }

  /** Starts with no loop that lacks registers. */
  reset(lir: Lir): void {
    const { head, outer } = this.weights;
    if (this.firstBlock.length < lir.blockCount) {
      this.firstBlock = sized(this.firstBlock, lir.blockCount);
      this.lastBlock = sized(this.lastBlock, lir.blockCount);
      this.blockCount = sized(this.blockCount, lir.blockCount);
      this.mark = sized(this.mark, lir.blockCount);
      this.missing = sized(this.missing, 2 * lir.blockCount);
    }
    this.missing.fill(0, 0, 2 * lir.blockCount);
    this.blockCount.fill(0, 0, lir.blockCount);
    this.mark.fill(0, 0, lir.blockCount);
    this.query = 0;
    for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
      for (let loop = head[b]; loop !== NONE; loop = outer[loop]) {
        if (this.blockCount[loop]++ === 0) this.firstBlock[loop] = b;
        this.lastBlock[loop] = b;
      }
    }
  }

  /** Records that the piece found no colour: each loop in which it lives lacks a register. */
  noteMissingRegister(lir: Lir, piece: IntervalPiece, bank: number): void {
    const { head, outer } = this.weights;
    const { rangeStart, rangeEnd, rangeNext } = this.live;
    this.query++;
    for (let range = this.pieces.firstRange[piece]; range !== NONE; range = rangeNext[range]) {
      const first = this.splitter.blockOf[instructionAt(rangeStart[range])];
      for (let b = first; b < lir.blockCount; b++) {
        if (startOf(lir.blockStart[b]) >= rangeEnd[range]) break;
        for (let loop = head[b]; loop !== NONE; loop = outer[loop]) {
          if (this.mark[loop] === this.query) break;
          this.mark[loop] = this.query;
          this.missing[2 * loop + bank]++;
        }
      }
    }
  }

  /**
   * Splits intervals that pass through loops that lack registers; returns the number of split
   * intervals.
   */
  split(lir: Lir): number {
    const { head, order, orderStart, orderEnd } = this.weights;
    let count = 0;
    for (let k = orderStart; k < orderEnd; k++) {
      const loop = order[k]; // heads of outer loops come before those of inner ones
      if (head[loop] !== loop) continue;
      if (this.lastBlock[loop] - this.firstBlock[loop] + 1 !== this.blockCount[loop]) continue;
      for (let bank = 0; bank < 2; bank++) {
        if (this.missing[2 * loop + bank] > 0) count += this.splitAround(lir, loop, bank);
      }
    }
    return count;
  }

  private splitAround(lir: Lir, loop: Block, bank: number): number {
    const { words, liveIn, globals, firstWord, endWord } = this.live.liveness;
    const start = startOf(lir.blockStart[this.firstBlock[loop]]);
    const end = startOf(lir.blockStart[this.lastBlock[loop] + 1]);
    let count = 0;
    for (let w = firstWord[loop]; w < endWord[loop]; w++) {
      for (let bits = liveIn[loop * words + w]; bits !== 0; bits &= bits - 1) {
        const vreg = globals[32 * w + 31 - Math.clz32(bits & -bits)];
        if (isFloating(lir.typeOf(vreg)) !== (bank === 1)) continue;
        if (count === this.missing[2 * loop + bank]) return count;
        if (this.splitOne(vreg, start, end)) count++;
      }
    }
    return count;
  }

  /** Splits the virtual register's interval if it only passes through. Returns whether it did. */
  private splitOne(vreg: VirtualRegister, start: Position, end: Position): boolean {
    const { pieces } = this;
    let piece = firstPieceOf(vreg);
    while (pieces.end[piece] <= start) piece = pieces.next[piece];
    if (pieces.location[piece] === IN_SLOT) return false;
    if (pieces.start[piece] >= start || pieces.end[piece] <= end) return false;
    if (this.isUsed(vreg, piece, start, end)) return false;
    const inside = this.splitter.cutOff(piece, start, 0, AROUND_LOOP);
    if (pieces.start[inside] < end) this.splitter.cutOff(inside, end, 0, AROUND_LOOP);
    return true;
  }

  private isUsed(
    vreg: VirtualRegister,
    piece: IntervalPiece,
    start: Position,
    end: Position,
  ): boolean {
    const { usePosition, useNext, firstWish, wishNext, wishPosition } = this.live;
    let use = this.pieces.use[piece];
    while (use !== NONE && usePosition[use] < start) use = useNext[use];
    if (use !== NONE && usePosition[use] < end) return true;
    let wish = firstWish[vreg];
    while (wish !== NONE && wishPosition[wish] < start) wish = wishNext[wish];
    return wish !== NONE && wishPosition[wish] < end;
  }
}
