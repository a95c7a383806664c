// Finds the next use of each value for linear scan, and the best position to cut it, from the
// layout order and the loops.
//
// 1. The lateness of the next use is a position, counted as if the current loop continues. If the
//    loop has used a value from outside, the value's next use is in the next iteration. A value
//    that the loop does not use comes after all that it uses. A value that the loop around it does
//    not use either comes later still.
// 2. A value that leaves its register inside a loop that has not used it leaves before the loop.
// 3. A value that is reloaded in a loop, and was in memory before it, is reloaded before the loop.
// 4. `lastDemand` may name a demand that is still ahead, if the interval was cut after it: then a
//    cut is made later than it could be. It never misses one that has passed.

import {
  type Block,
  blockAt,
  FIRST_BLOCK,
  FIRST_VREG,
  type IndexArray,
  newColumn,
  type VirtualRegister,
} from "../../lir/indices.js";
import type { Lir } from "../../lir/lir.js";
import { NONE, sized } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import type { LiveIntervals, Wish } from "../live-intervals.js";
import { firstPieceOf, type IntervalPiece, type IntervalPieces } from "../pieces.js";
import { FIRST_POSITION, instructionAt, NEVER, type Position, startOf } from "../positions.js";

/**
 * The age added for each loop that does not use a value: more than two iterations over the largest
 * procedure.
 */
const AGE = 1 << 25;
const AGE_MAX = 30 * AGE;

export class NextUses {
  private readonly live: LiveIntervals;
  private readonly weights: BlockWeights;
  private readonly pieces: IntervalPieces;
  private position = FIRST_POSITION;
  /** The block at `position`. */
  private block = FIRST_BLOCK;

  // The following arrays are indexed by virtual register.
  /** The first wish at `position` or after. */
  private wish: IndexArray<Wish, VirtualRegister> = newColumn(128);
  /** The last wish before it, and the last demand; or NONE. */
  private lastWish: IndexArray<Position, VirtualRegister> = newColumn(128);
  private lastDemand: IndexArray<Position, VirtualRegister> = newColumn(128);

  constructor(live: LiveIntervals, weights: BlockWeights, pieces: IntervalPieces) {
    this.live = live;
    this.weights = weights;
    this.pieces = pieces;
  }

  reset(lir: Lir): void {
    this.position = FIRST_POSITION;
    this.block = FIRST_BLOCK;
    if (this.wish.length < lir.vregCount) {
      this.wish = sized(this.wish, lir.vregCount);
      this.lastWish = sized(this.lastWish, lir.vregCount);
      this.lastDemand = sized(this.lastDemand, lir.vregCount);
    }
    for (let v = FIRST_VREG; v < lir.vregCount; v++) this.wish[v] = this.live.firstWish[v];
    this.lastWish.fill(NONE, 0, lir.vregCount);
    this.lastDemand.fill(NONE, 0, lir.vregCount);
  }

  advance({ blockStart }: Lir, position: Position): void {
    this.position = position;
    while (startOf(blockStart[this.block + 1]) <= position) this.block++;
  }

  /**
   * Returns the position of the piece's first demand that has not ended; NEVER if there is none.
   */
  nextDemand(piece: IntervalPiece): Position {
    const { useEnd, useNext, usePosition } = this.live;
    const { pieces } = this;
    let use = pieces.use[piece];
    while (use !== NONE && useEnd[use] <= this.position) {
      this.lastDemand[pieces.vreg[piece]] = usePosition[use];
      use = useNext[use];
      pieces.hadDemand[piece] = 1;
    }
    pieces.use[piece] = use;
    return use === NONE ? NEVER : usePosition[use];
  }

  /** Records the demands before `position`. Must be called before the piece is cut there. */
  noteCut(piece: IntervalPiece, position: Position): void {
    const last = this.lastDemandBefore(piece, position);
    if (last !== NONE) this.lastDemand[this.pieces.vreg[piece]] = last;
  }

  private lastDemandBefore(piece: IntervalPiece, position: Position): Position {
    const { usePosition, useNext } = this.live;
    let last: Position = NONE;
    for (let use = this.pieces.use[piece]; use !== NONE; use = useNext[use]) {
      if (usePosition[use] >= position) break;
      last = usePosition[use];
    }
    return last;
  }

  /**
   * Returns the position of the first demand or wish after the current position; `demand` is the
   * first demand.
   */
  private firstUse(vreg: VirtualRegister, demand: Position): Position {
    const { wishPosition, wishNext } = this.live;
    let wish = this.wish[vreg];
    while (wish !== NONE && wishPosition[wish] < this.position) {
      this.lastWish[vreg] = wishPosition[wish];
      wish = wishNext[wish];
    }
    this.wish[vreg] = wish;
    // A use at this very position can read memory, too.
    while (wish !== NONE && wishPosition[wish] === this.position) wish = wishNext[wish];
    return wish !== NONE && wishPosition[wish] < demand ? wishPosition[wish] : demand;
  }

  private lastUse(vreg: VirtualRegister): Position {
    const wish = this.lastWish[vreg];
    const demand = this.lastDemand[vreg];
    return wish > demand ? wish : demand;
  }

  /**
   * Returns the lateness of the piece's next use after `position`, for comparisons only; NEVER if
   * there is none.
   *
   * @param demand its next demand for a register
   */
  lateness({ blockStart }: Lir, piece: IntervalPiece, demand: Position): number {
    const { head, outer, last } = this.weights;
    const vreg = this.pieces.vreg[piece];
    const next = this.firstUse(vreg, demand);
    const used = this.lastUse(vreg);
    let age = 0;
    for (let loop = head[this.block]; loop !== NONE; loop = outer[loop]) {
      const start = startOf(blockStart[loop]);
      const end = startOf(blockStart[last[loop] + 1]);
      if (next < end) return age + next;
      // Defined before the loop and used in it: used again in the next iteration.
      if (used >= start && this.pieces.start[firstPieceOf(vreg)] < start)
        return age + end + used - start;
      if (age < AGE_MAX) age += AGE;
    }
    return next === NEVER ? NEVER : age + next;
  }

  /**
   * Returns the position at which a piece leaves its register, to be in memory at `position`: there
   * or earlier.
   */
  leavingPosition(lir: Lir, piece: IntervalPiece): Position {
    return this.borderBefore(lir, piece, this.position, this.lastUse(this.pieces.vreg[piece]));
  }

  /**
   * Returns the position at which a piece that starts at `position` leaves its register, to be in
   * memory at `limit`.
   */
  leavingBefore(lir: Lir, piece: IntervalPiece, limit: Position): Position {
    const { wishPosition, wishNext } = this.live;
    const vreg = this.pieces.vreg[piece];
    let used = this.lastDemandBefore(piece, limit);
    for (let wish = this.wish[vreg]; wish !== NONE; wish = wishNext[wish]) {
      if (wishPosition[wish] >= limit) break;
      if (wishPosition[wish] > used) used = wishPosition[wish];
    }
    return this.borderBefore(lir, piece, limit, used);
  }

  /**
   * Returns the position at which a value leaves its defining register, to be in memory at `limit`:
   * before all loops around `limit`. A use before that position must be able to read the register.
   * Returns NEVER if there is no such use. Also returns NEVER if the piece is a later one, which
   * would have to be loaded.
   */
  leavingAfterWish(lir: Lir, piece: IntervalPiece, limit: Position): Position {
    const vreg = this.pieces.vreg[piece];
    const wish = this.live.firstWish[vreg];
    if (piece !== firstPieceOf(vreg) || wish === NONE) return NEVER;
    const border = this.borderBefore(lir, piece, limit, NONE);
    return this.live.wishPosition[wish] < border ? border : NEVER;
  }

  /**
   * Returns the start of the outermost loop around `limit` that begins after `used` and inside the
   * piece.
   */
  private borderBefore(lir: Lir, piece: IntervalPiece, limit: Position, used: Position): Position {
    const { head, outer } = this.weights;
    const from = this.pieces.start[piece];
    let border = limit;
    for (let loop = head[blockOf(lir, limit)]; loop !== NONE; loop = outer[loop]) {
      const start = startOf(lir.blockStart[loop]);
      // A head may come after the rest of its loop.
      if (start >= border || start <= from || used >= start) break;
      border = start;
    }
    return border;
  }

  /**
   * Returns the position to load a piece that is demanded at `demand`: there, or before a loop that
   * began after `position`.
   */
  reloadPosition(lir: Lir, position: Position, demand: Position): Position {
    const { head, outer } = this.weights;
    let best = demand;
    let loop = head[blockOf(lir, demand)];
    for (; loop !== NONE && startOf(lir.blockStart[loop]) > position; loop = outer[loop]) {
      const start = startOf(lir.blockStart[loop]);
      if (start < best) best = start; // in an unusual layout the head may come after the demand
    }
    return best;
  }

  /**
   * Returns the cost of being in memory from `position` on: a load for each use, and the store if
   * there is none yet.
   */
  memoryCost(lir: Lir, piece: IntervalPiece, position: Position): number {
    const { usePosition, useNext, wishPosition, wishNext, remat } = this.live;
    const { weight } = this.weights;
    const { vreg: vregs, inMemory, start, end, use: uses } = this.pieces;
    const vreg = vregs[piece];
    const isStored = inMemory[vreg] !== 0 || remat[vreg] !== NONE;
    let cost = isStored ? 0 : weight[blockOf(lir, start[firstPieceOf(vreg)])];
    for (let use = uses[piece]; use !== NONE; use = useNext[use]) {
      if (usePosition[use] >= position) cost += weight[blockOf(lir, usePosition[use])];
    }
    for (let wish = this.wish[vreg]; wish !== NONE; wish = wishNext[wish]) {
      if (wishPosition[wish] >= end[piece]) break;
      if (wishPosition[wish] >= position) cost += weight[blockOf(lir, wishPosition[wish])];
    }
    return cost;
  }
}

function blockOf(lir: Lir, position: Position): Block {
  const instruction = instructionAt(position);
  let [low, high] = [0, lir.blockCount - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lir.blockStart[middle] <= instruction) low = middle;
    else high = middle - 1;
  }
  return blockAt(low);
}
