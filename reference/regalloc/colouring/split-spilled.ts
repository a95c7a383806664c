// Splits a piece without a colour, and sends some of its parts to memory. The other parts are
// candidates again, with fewer neighbours. So memory is used where it costs least, step by step.
//
// 1. Steps: a piece is split where it enters and leaves loops, the outermost first, one nesting
//    level per step. The next step splits it into blocks. The next splits between two demands for a
//    register if they are far apart or a call is between them. In the last step every demand is a
//    piece of its own. A step that would change nothing is skipped.
// 2. A loop with a demand keeps its whole part of the interval, so that it is loaded before the
//    loop. Elsewhere, the parts before the first demand and after the last one are in memory.
// 3. A part without a demand is in memory. Other uses read the slot.
// 4. Terminates: a split piece has fewer demands, or is one step further, or is gone. A piece that
//    is one demand and nothing more is never spilled (spill-costs.ts).

import {
  type Block,
  FIRST_BLOCK,
  FIRST_VREG,
  type IndexArray,
  type Instruction,
  indexAfter,
  indexBefore,
  newColumn,
  type VirtualRegister,
} from "../../lir/indices.js";
import { type Lir, NOWHERE } from "../../lir/lir.js";
import { NONE, sized, widen } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import { EVENT } from "../events.js";
import type { LiveIntervals, Use } from "../live-intervals.js";
import { firstPieceOf, IN_SLOT, type IntervalPiece, type IntervalPieces } from "../pieces.js";
import { instructionAt, type Position, startOf } from "../positions.js";

/** Steps after those of loops, which count from 1. */
const BLOCKS = 100;
const RUNS = 101;
const DEMANDS = 102;
/** Reasons of splits, for the trace. */
const IN_ITS_SLOT = "an instruction defines it in its slot";
const STEP_REASONS = [
  "it found no register: split around loops",
  "it found no register: split into blocks",
  "it found no register: split where demands are far apart, or a call is between",
  "it found no register: each demand is a piece",
] as const;
const reasonOf = (step: number): number => (step < BLOCKS ? 0 : 1 + step - BLOCKS);
/** Nesting levels that have a step of their own. */
const DEPTH_MAX = 6;
/** The greatest distance, in positions, of two demands that the step of runs keeps together. */
const RUN_GAP = 4 * 12;

export class SpillSplitter {
  private readonly live: LiveIntervals;
  private readonly weights: BlockWeights;
  private readonly pieces: IntervalPieces;
  /** By piece: the step that made it; 0 for a whole interval. */
  private step: IndexArray<number, IntervalPiece> = newColumn(128);
  /** By instruction: its block. */
  blockOf: IndexArray<Block, Instruction> = newColumn(256);

  // The parts of the current piece that remain candidates for a register, in order.
  private keptStart: IndexArray<Position> = newColumn(32);
  private keptEnd: IndexArray<Position> = newColumn(32);
  private keptCount = 0;

  /** By row of EVENTS; belongs to the current allocation. */
  private events: Int32Array<ArrayBuffer> = new Int32Array(0);

  constructor(live: LiveIntervals, weights: BlockWeights, pieces: IntervalPieces) {
    this.live = live;
    this.weights = weights;
    this.pieces = pieces;
  }

  /** Starts with whole intervals; splits those that an instruction defines in their slots. */
  reset(lir: Lir, events: Int32Array<ArrayBuffer>): void {
    this.events = events;
    if (this.blockOf.length < lir.instructionCount) {
      this.blockOf = sized(this.blockOf, lir.instructionCount);
    }
    for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
      this.blockOf.fill(b, lir.blockStart[b], lir.blockStart[b + 1]);
    }
    if (this.step.length < lir.vregCount) this.step = sized(this.step, lir.vregCount);
    this.step.fill(0, 0, lir.vregCount);
    for (let v = FIRST_VREG; v < lir.vregCount; v++) {
      if (this.live.slotDefinition[v] !== NONE) this.cutSlotDefinition(v);
    }
  }

  /**
   * Puts the value in memory from its definition to the first demand. In the layout, blocks may
   * precede the definition.
   */
  private cutSlotDefinition(vreg: VirtualRegister): void {
    const definition = this.live.slotDefinition[vreg];
    const first = firstPieceOf(vreg);
    const isFirst = this.pieces.start[first] === definition;
    const piece = isFirst ? first : this.cutOff(first, definition, 0, IN_ITS_SLOT);
    const demand = this.pieces.use[piece];
    if (demand !== NONE) this.cutOff(piece, this.live.usePosition[demand], 0, IN_ITS_SLOT);
    this.toMemory(piece, IN_ITS_SLOT);
  }

  /**
   * Splits the piece, and sends parts of it to memory.
   *
   * @param isComplete whether to make every demand a piece of its own at once
   */
  split(lir: Lir, piece: IntervalPiece, isComplete: boolean): void {
    const { start, end } = this.pieces;
    let step = isComplete ? DEMANDS : this.step[piece];
    do {
      if (!isComplete) step = stepAfter(step);
      this.keptCount = 0;
      if (step < BLOCKS) this.keepLoops(lir, piece, step);
      else this.keepRuns(piece, step);
    } while (
      step < DEMANDS &&
      this.keptCount === 1 &&
      this.keptStart[0] <= start[piece] &&
      this.keptEnd[0] >= end[piece]
    );
    this.cut(piece, step);
  }

  private keep(start: Position, end: Position): void {
    if (this.keptCount === this.keptStart.length) {
      this.keptStart = widen(this.keptStart);
      this.keptEnd = widen(this.keptEnd);
    }
    this.keptStart[this.keptCount] = start;
    this.keptEnd[this.keptCount++] = end;
  }

  /** Keeps the parts in and between loops that are nested `depth` deep. */
  private keepLoops(lir: Lir, piece: IntervalPiece, depth: number): void {
    const { usePosition, useEnd, useNext } = this.live;
    const { blockStart, blockCount } = lir;
    for (let use = this.pieces.use[piece]; use !== NONE; ) {
      const block = this.blockOf[instructionAt(usePosition[use])];
      const loop = this.loopAt(block, depth);
      let first = block;
      while (first > 0 && this.loopAt(indexBefore(first), depth) === loop) first--;
      let after = indexAfter(block);
      while (after < blockCount && this.loopAt(after, depth) === loop) after++;
      let start = usePosition[use];
      let last = use;
      while (useNext[last] !== NONE && usePosition[useNext[last]] < startOf(blockStart[after])) {
        last = useNext[last];
      }
      let end = useEnd[last];
      if (loop !== NONE && this.weights.depth[loop] === depth) {
        start = startOf(blockStart[first]);
        end = startOf(blockStart[after]);
      }
      this.keep(start, end);
      use = useNext[last];
    }
  }

  /**
   * Returns the head of the loop around the block that is nested `depth` deep, or of the innermost
   * one; or NONE.
   */
  private loopAt(block: Block, depth: number): Block {
    const { head, outer } = this.weights;
    let loop = head[block];
    while (loop !== NONE && this.weights.depth[loop] > depth) loop = outer[loop];
    return loop;
  }

  private keepRuns(piece: IntervalPiece, step: number): void {
    const { usePosition, useEnd, useNext } = this.live;
    for (let use = this.pieces.use[piece]; use !== NONE; ) {
      let last = use;
      for (let next = useNext[use]; next !== NONE; next = useNext[next]) {
        if (this.areApart(last, next, step)) break;
        last = next;
      }
      this.keep(usePosition[use], useEnd[last]);
      use = useNext[last];
    }
  }

  private areApart(use: Use, next: Use, step: number): boolean {
    const { usePosition, useEnd, calls, callStart } = this.live;
    if (step === DEMANDS) return true;
    const [from, to] = [useEnd[use], usePosition[next]];
    if (this.blockOf[instructionAt(usePosition[use])] !== this.blockOf[instructionAt(to)])
      return true;
    if (step === BLOCKS) return false;
    if (to - from > RUN_GAP) return true;
    let [low, high] = [callStart, calls.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (calls[middle] < from) low = middle + 1;
      else high = middle;
    }
    return low < calls.length && calls[low] < to;
  }

  private cut(piece: IntervalPiece, step: number): void {
    const { pieces } = this;
    let rest = piece;
    for (let k = 0; k < this.keptCount; k++) {
      if (this.keptStart[k] > pieces.start[rest]) {
        const tail = this.cutOff(rest, this.keptStart[k], step, STEP_REASONS[reasonOf(step)]);
        this.toMemory(rest, "no demand in this part");
        rest = tail;
      }
      this.step[rest] = step;
      if (this.keptEnd[k] >= pieces.end[rest]) return;
      rest = this.cutOff(rest, this.keptEnd[k], step, STEP_REASONS[reasonOf(step)]);
    }
    this.toMemory(rest, "no demand in this part");
  }

  /** Cuts the piece at `position`, and returns the rest, marked with `step`. */
  cutOff(piece: IntervalPiece, position: Position, step: number, reason: string): IntervalPiece {
    const tail = this.pieces.cut(piece, position, reason);
    if (tail >= this.step.length) this.step = widen(this.step);
    this.step[tail] = step;
    return tail;
  }

  private toMemory(piece: IntervalPiece, reason: string): void {
    const { pieces } = this;
    const vreg = pieces.vreg[piece];
    if (pieces.trace !== null) {
      pieces.traceDecision(piece, "goes to memory", NOWHERE, NOWHERE, reason);
    }
    this.pieces.location[piece] = IN_SLOT;
    if (this.live.remat[vreg] === NONE) this.pieces.inMemory[vreg] = 1;
    else this.events[EVENT["left-to-rematerialize"]]++;
  }
}

const stepAfter = (step: number): number => {
  if (step < DEPTH_MAX) return step + 1;
  if (step < BLOCKS) return BLOCKS;
  return step === BLOCKS ? RUNS : DEMANDS;
};
