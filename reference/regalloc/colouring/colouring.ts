// Allocation by graph colouring: iterated register coalescing (colour-graph.ts) over live intervals.
// Positions are those of live-intervals.ts.
//
// Input:  LIR without critical edges. A terminator has no definitions; one with a single successor
//         no operands.
// Output: each interval cut into pieces, so that every piece has one register or is in its slot.
//
// 1. A round: the graph of all pieces that are to have a register, costs, copies, colours. Pieces that
//    found none are cut (split-spilled.ts): parts of them go to memory, and the next round begins. The
//    first time, what only passes through their loops is cut instead (split-around-loops.ts).
//    Pieces of one interval are not coalesced in these rounds, so that each can go alone; once all have
//    colours, one more round tries to give them one register again.
// 2. A virtual register that is ever in memory has one slot for life, written right after the
//    definition: so pieces in memory need no moves and may begin anywhere; those in a register begin
//    where a move can stand, or at the definition. A value that can be rematerialized has no slot (REMAT).
// 3. Terminates: a round without an uncoloured piece is the last; one with any cuts at least one that
//    can be in memory, and every piece can be cut only so often (split-spilled.ts, 4). When each demand
//    stands alone, all find a colour, as every row fits the register file (colour-graph.ts, 4).
// 4. What is too large is left to linear scan: the graph grows with the square of what is live;
//    so are nests of loops that are too deep for live intervals.

import { assert } from "../../../src/support/assert.js";
import type { Lir, LirFacts, RegisterSet } from "../../lir/lir.js";
import { NOWHERE, SLOT } from "../../lir/lir.js";
import type { Allocation } from "../allocation.js";
import type { NewAllocator } from "../allocator.js";
import { NONE, sized } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import { EVENT } from "../events.js";
import { IntervalAllocation } from "../interval-allocation.js";
import { LinearScan } from "../linear-scan/linear-scan.js";
import type { LiveIntervals } from "../live-intervals.js";
import type { Pieces } from "../pieces.js";
import { GraphColouring } from "./colour-graph.js";
import { Copies } from "./copies.js";
import { InterferenceGraph } from "./interference-graph.js";
import { measureSpillCosts } from "./spill-costs.js";
import { LoopSplitter } from "./split-around-loops.js";
import { SpillSplitter } from "./split-spilled.js";

/** Rounds after which what is cut is cut into single demands at once. */
const PATIENCE = 6;

/** Colouring with arenas of its own. */
export const newColouring: NewAllocator = () => {
  const colouring = new Colouring(new IntervalAllocation());
  return (lir, rows, registers, allocation) => colouring.allocate(lir, rows, registers, allocation);
};

class Colouring {
  private readonly intervals: IntervalAllocation;
  private readonly live: LiveIntervals;
  private readonly weights: BlockWeights;
  private readonly pieces: Pieces;
  private readonly graph = new InterferenceGraph();
  private readonly colouring = new GraphColouring(this.graph);
  private readonly copies: Copies;
  private readonly splitter: SpillSplitter;
  private readonly loops: LoopSplitter;
  /** For what is too large; it works in the same arenas. */
  private readonly linearScan: LinearScan;

  /** All pieces by ascending start. */
  private order = new Int32Array(128);
  /** By position: the first of a list of the pieces that start there. */
  private atStart = new Int32Array(256);
  private nextAtStart = new Int32Array(128);

  constructor(intervals: IntervalAllocation) {
    const { live, weights, pieces } = intervals;
    this.intervals = intervals;
    this.live = live;
    this.weights = weights;
    this.pieces = pieces;
    this.copies = new Copies(live, weights, pieces, this.graph);
    this.splitter = new SpillSplitter(live, weights, pieces);
    this.loops = new LoopSplitter(live, weights, pieces, this.splitter);
    this.linearScan = new LinearScan(intervals);
  }

  allocate(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): void {
    if (!this.colourPieces(lir, rows, registers, allocation)) {
      this.linearScan.allocate(lir, rows, registers, allocation);
      allocation.events[EVENT["too-large"]]++;
      return;
    }
    const count = this.sortPieces(lir);
    this.intervals.finish(lir, this.order, count, SLOT, allocation);
  }

  /** Rounds until each piece has a place; false if loops lie too deep, or the graph would be too large. */
  private colourPieces(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): boolean {
    if (!this.intervals.begin(lir, rows, registers, allocation)) return false;
    const { events } = allocation;
    this.splitter.reset(lir, events);
    this.copies.collect(lir);
    for (let round = 0; ; round++) {
      if (!this.graph.build(lir, this.live, this.pieces, registers)) return false;
      this.colour(lir, registers, events, false);
      if (round === 0 && this.splitAroundLoops(lir, events)) continue;
      if (!this.splitUncoloured(lir, round >= PATIENCE)) break;
      events[EVENT.rebuilt]++;
    }
    this.takeColours();
    // What follows is only an attempt: the colours are good as they are.
    if (this.pieces.count === lir.vregCount || !this.colouring.hasSplitCopies()) return true;
    if (!this.graph.build(lir, this.live, this.pieces, registers)) return true;
    this.colour(lir, registers, events, true);
    for (let n = 0; n < this.graph.count; n++)
      if (this.colouring.colour[n] === NOWHERE) return true;
    events[EVENT.rejoined]++;
    this.takeColours();
    return true;
  }

  /** Gives the pieces their colours. */
  private takeColours(): void {
    for (let n = 0; n < this.graph.count; n++)
      this.pieces.location[this.graph.piece[n]] = this.colouring.colour[n];
  }

  /** Colours the graph; with `joins`, the pieces of an interval are coalesced, too. */
  private colour(
    lir: Lir,
    registers: RegisterSet,
    events: Int32Array<ArrayBuffer>,
    joins: boolean,
  ): void {
    this.colouring.begin(joins);
    measureSpillCosts(
      lir,
      this.live,
      this.weights,
      this.pieces,
      this.graph,
      this.splitter.blockOf,
      this.colouring.cost,
    );
    this.giveJoints(lir);
    this.copies.give(lir, this.colouring);
    this.colouring.run(registers, events);
  }

  /** True if anything was cut around a loop in which something found no colour. */
  private splitAroundLoops(lir: Lir, events: Int32Array<ArrayBuffer>): boolean {
    let isAny = false;
    for (let n = 0; n < this.graph.count; n++) {
      if (this.colouring.colour[n] !== NOWHERE) continue;
      if (!isAny) this.loops.reset(lir);
      isAny = true;
      this.loops.tighten(lir, this.graph.piece[n], this.graph.bank[n]);
    }
    if (!isAny) return false;
    const count = this.loops.split(lir);
    events[EVENT["cut-around-loop"]] += count;
    return count > 0;
  }

  /** True if there were any. */
  private splitUncoloured(lir: Lir, isHasty: boolean): boolean {
    let stuck: number = NONE;
    let isAny = false;
    for (let n = 0; n < this.graph.count; n++) {
      if (this.colouring.colour[n] !== NOWHERE) continue;
      if (this.colouring.isUnspillable(n)) {
        stuck = n;
        continue;
      }
      this.splitter.split(lir, this.graph.piece[n], isHasty);
      isAny = true;
    }
    assert(isAny || stuck === NONE, () => {
      const piece = this.graph.piece[stuck];
      const instruction = this.pieces.start[piece] >> 2;
      return `no register for v${this.pieces.vreg[piece]}: instruction ${instruction} does not fit`;
    });
    return isAny;
  }

  /** Copies between pieces that meet inside of a block. */
  private giveJoints(lir: Lir): void {
    const { start, end, next } = this.pieces;
    const { blockOf } = this.splitter;
    for (let v = 0; v < lir.vregCount; v++) {
      for (let piece = v; next[piece] !== NONE; piece = next[piece]) {
        const after = next[piece];
        const position = start[after];
        if (end[piece] !== position) continue;
        const block = blockOf[position >> 2];
        if (position === 4 * lir.blockStart[block]) continue;
        this.copies.giveJoint(piece, after, this.weights.weight[block], this.colouring);
      }
    }
  }

  /** Fills `order` with all pieces by ascending start; returns their number. */
  private sortPieces(lir: Lir): number {
    const positions = 4 * lir.instructionCount;
    if (this.atStart.length < positions) this.atStart = sized(this.atStart, positions);
    if (this.order.length < this.pieces.count) {
      this.order = sized(this.order, this.pieces.count);
      this.nextAtStart = sized(this.nextAtStart, this.pieces.count);
    }
    this.atStart.fill(NONE, 0, positions);
    for (let p = this.pieces.count - 1; p >= 0; p--) {
      if (this.pieces.firstRange[p] === NONE) continue;
      this.nextAtStart[p] = this.atStart[this.pieces.start[p]];
      this.atStart[this.pieces.start[p]] = p;
    }
    let count = 0;
    for (let position = 0; position < positions; position++) {
      for (let p = this.atStart[position]; p !== NONE; p = this.nextAtStart[p])
        this.order[count++] = p;
    }
    return count;
  }
}
