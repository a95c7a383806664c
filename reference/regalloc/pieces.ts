// The pieces of live intervals, as a structure of arrays. Piece v, for each virtual register v, is
// the first of its chain. Cuts append to the chain in the order of positions.

import {
  FIRST_VREG,
  type Index,
  type IndexArray,
  type IndexFlags,
  newColumn,
  newFlags,
  type PhysicalRegister,
  type VirtualRegister,
} from "../lir/indices.js";
import { NOWHERE } from "../lir/lir.js";
import { NONE, sizeColumns, widenColumns } from "./arenas.js";
import type { LiveIntervals, LiveRange, Use } from "./live-intervals.js";
import { FIRST_POSITION, type Position } from "./positions.js";
import type { AllocationAction, AllocationTrace } from "./trace.js";

export type IntervalPiece = Index<"Piece">;

export const FIRST_PIECE = 0 as IntervalPiece;

/** Returns the first piece of the virtual register's interval, which has the same number. */
export const firstPieceOf = (vreg: VirtualRegister): IntervalPiece =>
  vreg as number as IntervalPiece;

/** The location of a piece that lives in the slot of its virtual register. */
export const IN_SLOT = -2 as PhysicalRegister;

export class IntervalPieces {
  vreg: IndexArray<VirtualRegister, IntervalPiece> = newColumn(128);
  /** First of its ranges; the list ends with the piece. */
  firstRange: IndexArray<LiveRange, IntervalPiece> = newColumn(128);
  /** The first range that ends after the allocator's position. */
  range: IndexArray<LiveRange, IntervalPiece> = newColumn(128);
  start: IndexArray<Position, IntervalPiece> = newColumn(128);
  end: IndexArray<Position, IntervalPiece> = newColumn(128);
  /** First of its demands for a register that ends after the allocator's position. */
  use: IndexArray<Use, IntervalPiece> = newColumn(128);
  /** 1 if a demand lies before `use`. */
  hadDemand: IndexArray<0 | 1, IntervalPiece> = newColumn(128);
  /** A register, IN_SLOT, or NOWHERE while undecided. */
  location: IndexArray<PhysicalRegister, IntervalPiece> = newColumn(128);
  next: IndexArray<IntervalPiece, IntervalPiece> = newColumn(128);
  previous: IndexArray<IntervalPiece, IntervalPiece> = newColumn(128);
  count = 0;
  /** By virtual register: 1 if any of its pieces is IN_SLOT, or a use requires it there. */
  inMemory: IndexFlags<VirtualRegister> = newFlags(128);

  /** Receives the decisions of the current allocation. */
  trace: AllocationTrace | null = null;

  private live: LiveIntervals;

  constructor(live: LiveIntervals) {
    this.live = live;
  }

  reset(vregCount: number): void {
    if (this.vreg.length < vregCount) {
      sizeColumns(this, COLUMNS, vregCount);
    }
    if (this.inMemory.length < vregCount) this.inMemory = newFlags(this.vreg.length);
    const { live } = this;
    for (let v = FIRST_VREG; v < vregCount; v++) {
      const piece = firstPieceOf(v);
      const range = live.firstRange[v];
      this.vreg[piece] = v;
      this.firstRange[piece] = range;
      this.range[piece] = range;
      this.start[piece] = range === NONE ? FIRST_POSITION : live.rangeStart[range];
      this.end[piece] = range === NONE ? FIRST_POSITION : live.lastEnd[v];
      this.use[piece] = live.firstUse[v];
      this.hadDemand[piece] = 0;
      this.location[piece] = NOWHERE;
      this.next[piece] = NONE;
      this.previous[piece] = NONE;
    }
    this.inMemory.fill(0, 0, vregCount);
    for (let k = 0; k < live.inSlotCount; k++) this.inMemory[live.inSlot[k]] = 1;
    this.count = vregCount;
  }

  get last(): IntervalPiece {
    return (this.count - 1) as IntervalPiece;
  }

  /** Returns the position of the first demand for a register, or `none`. */
  firstDemand(piece: IntervalPiece, none: Position): Position {
    const use = this.use[piece];
    return use === NONE ? none : this.live.usePosition[use];
  }

  /**
   * Cuts the piece at `position` and returns the rest as a new piece. The new piece begins at
   * `position` or, if that is in a hole, at the hole's end. `position` must be strictly between
   * start and end of the piece.
   *
   * @param reason why, for the trace
   */
  cut(piece: IntervalPiece, position: Position, reason: string): IntervalPiece {
    if (this.trace !== null) this.traceDecision(piece, "is split", NOWHERE, position, reason);
    const child = this.count++ as IntervalPiece;
    if (child === this.vreg.length) widenColumns(this, COLUMNS);
    this.end[child] = this.end[piece];
    const tail = this.cutRanges(piece, position);
    this.vreg[child] = this.vreg[piece];
    this.firstRange[child] = tail;
    this.range[child] = tail;
    this.start[child] = this.live.rangeStart[tail];
    this.use[child] = this.cutUses(piece, position);
    this.hadDemand[child] = 0;
    this.location[child] = NOWHERE;
    const next = this.next[piece];
    this.next[child] = next;
    if (next !== NONE) this.previous[next] = child;
    this.next[piece] = child;
    this.previous[child] = piece;
    return child;
  }

  /** Reports a decision about the piece. Requires `trace`. */
  traceDecision(
    piece: IntervalPiece,
    action: AllocationAction,
    register: PhysicalRegister,
    at: Position,
    reason: string,
  ): void {
    const { vreg, start, end } = this;
    this.trace?.({
      ...{ vreg: vreg[piece], start: start[piece], end: end[piece] },
      ...{ action, register, at, reason },
    });
  }

  /** Cuts the list of ranges, sets the end of `piece`, and returns the first range of the rest. */
  private cutRanges(piece: IntervalPiece, position: Position): LiveRange {
    const { rangeStart, rangeNext } = this.live;
    let range = this.range[piece];
    if (range === NONE || rangeStart[range] >= position) range = this.firstRange[piece];
    let next = rangeNext[range];
    while (next !== NONE && rangeStart[next] < position) {
      range = next;
      next = rangeNext[range];
    }
    const end = this.live.rangeEnd[range];
    const tail = end > position ? this.live.newRange(position, end, next) : next;
    // newRange may have replaced the array.
    if (end > position) this.live.rangeEnd[range] = position;
    this.live.rangeNext[range] = NONE;
    this.end[piece] = this.live.rangeEnd[range];
    const reached = this.range[piece];
    if (reached !== NONE && rangeStart[reached] >= position) this.range[piece] = NONE;
    return tail;
  }

  private cutUses(piece: IntervalPiece, position: Position): Use {
    const { usePosition, useNext } = this.live;
    let use = this.use[piece];
    if (use === NONE) return NONE;
    if (usePosition[use] >= position) {
      this.use[piece] = NONE;
      return use;
    }
    let next = useNext[use];
    while (next !== NONE && usePosition[next] < position) {
      use = next;
      next = useNext[use];
    }
    useNext[use] = NONE;
    return next;
  }
}

const COLUMNS = [
  "vreg",
  "firstRange",
  "range",
  "start",
  "end",
  "use",
  "hadDemand",
  "location",
  "next",
  "previous",
] as const;
