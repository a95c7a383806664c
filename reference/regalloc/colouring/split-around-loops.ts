// Cuts intervals where they only pass through a loop in which something found no colour: the part in
// the loop frees a register when it goes to memory, and costs a store and a load outside. Cuts that
// gain nothing are coalesced again.
//
// 1. As many as there were pieces in the loop without a colour: the more there are, the more moves it
//    takes to join those that keep a register.
// 2. Only loops whose blocks lie together; others are left alone.
// 3. The outermost loop that an interval passes through takes all of its part: inner ones find nothing
//    more to cut.

import { isFloating } from "../../../src/ir/types.js";
import type { Lir } from "../../lir/lir.js";
import { NONE, sized } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import type { LiveIntervals } from "../live-intervals.js";
import { IN_SLOT, type Pieces } from "../pieces.js";
import type { SpillSplitter } from "./split-spilled.js";

export class LoopSplitter {
  private readonly live: LiveIntervals;
  private readonly weights: BlockWeights;
  private readonly pieces: Pieces;
  private readonly splitter: SpillSplitter;
  // By head of a loop.
  private firstBlock = new Int32Array(64);
  private lastBlock = new Int32Array(64);
  private blockCount = new Int32Array(64);
  /** The last question in which it was met. */
  private mark = new Int32Array(64);
  private question = 0;
  /** By bank, 2 * head + bank: pieces that live in the loop and found no colour. */
  private missing = new Int32Array(128);

  constructor(live: LiveIntervals, weights: BlockWeights, pieces: Pieces, splitter: SpillSplitter) {
    this.live = live;
    this.weights = weights;
    this.pieces = pieces;
    this.splitter = splitter;
  }

  /** No loop lacks anything. */
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
    this.question = 0;
    for (let b = 0; b < lir.blockCount; b++) {
      for (let loop = head[b]; loop !== NONE; loop = outer[loop]) {
        if (this.blockCount[loop]++ === 0) this.firstBlock[loop] = b;
        this.lastBlock[loop] = b;
      }
    }
  }

  /** The piece found no colour: each loop that it lives in lacks a register. */
  tighten(lir: Lir, piece: number, bank: number): void {
    const { head, outer } = this.weights;
    const { rangeStart, rangeEnd, rangeNext } = this.live;
    this.question++;
    for (let range = this.pieces.firstRange[piece]; range !== NONE; range = rangeNext[range]) {
      const first = this.splitter.blockOf[rangeStart[range] >> 2];
      for (let b = first; b < lir.blockCount; b++) {
        if (4 * lir.blockStart[b] >= rangeEnd[range]) break;
        for (let loop = head[b]; loop !== NONE; loop = outer[loop]) {
          if (this.mark[loop] === this.question) break;
          this.mark[loop] = this.question;
          this.missing[2 * loop + bank]++;
        }
      }
    }
  }

  /** Cuts what passes through loops that lack registers; returns the number of cut intervals. */
  split(lir: Lir): number {
    const { head, order, orderStart, orderEnd } = this.weights;
    let count = 0;
    for (let k = orderStart; k < orderEnd; k++) {
      const loop = order[k]; // heads of outer loops stand before those of inner ones
      if (head[loop] !== loop) continue;
      if (this.lastBlock[loop] - this.firstBlock[loop] + 1 !== this.blockCount[loop]) continue;
      for (let bank = 0; bank < 2; bank++) {
        if (this.missing[2 * loop + bank] > 0) count += this.splitAround(lir, loop, bank);
      }
    }
    return count;
  }

  private splitAround(lir: Lir, loop: number, bank: number): number {
    const { words, liveIn, globals, firstWord, endWord } = this.live.liveness;
    const start = 4 * lir.blockStart[this.firstBlock[loop]];
    const end = 4 * lir.blockStart[this.lastBlock[loop] + 1];
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

  /** True if the register passes through, and was cut. */
  private splitOne(vreg: number, start: number, end: number): boolean {
    const { pieces } = this;
    let piece = vreg;
    while (pieces.end[piece] <= start) piece = pieces.next[piece];
    if (pieces.location[piece] === IN_SLOT) return false;
    if (pieces.start[piece] >= start || pieces.end[piece] <= end) return false;
    if (this.isUsed(vreg, piece, start, end)) return false;
    const inside = this.splitter.cutOff(piece, start, 0);
    if (pieces.start[inside] < end) this.splitter.cutOff(inside, end, 0);
    return true;
  }

  private isUsed(vreg: number, piece: number, start: number, end: number): boolean {
    const { usePosition, useNext, firstWish, wishNext, wishPosition } = this.live;
    let use = this.pieces.use[piece];
    while (use !== NONE && usePosition[use] < start) use = useNext[use];
    if (use !== NONE && usePosition[use] < end) return true;
    let wish = firstWish[vreg];
    while (wish !== NONE && wishPosition[wish] < start) wish = wishNext[wish];
    return wish !== NONE && wishPosition[wish] < end;
  }
}
