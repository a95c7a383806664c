// Allocates registers by graph colouring: iterated register coalescing (colour-graph.ts) over live
// intervals. Positions are those of positions.ts.
//
// Input:  LIR without critical edges. A terminator has no definitions; one with a single successor
//         no operands.
// Output: each interval split into pieces, so that every piece has one register or is in its slot.
//
// 1. A round builds the graph of all pieces that need a register, costs and copies, and colours it.
//    Pieces without a colour are split (split-spilled.ts): parts of them go to memory, and the next
//    round begins. In the first round, intervals that only pass through the loops of such pieces
//    are split instead (split-around-loops.ts). Pieces of one interval are not coalesced in these
//    rounds, so that each can be spilled alone. When all have colours, one more round tries to give
//    them one register again.
// 2. A virtual register that is ever in memory has one slot for life, written right after the
//    definition. So pieces in memory need no moves and may begin anywhere. Pieces in a register
//    begin where a move is possible, or at the definition. A rematerializable value has no slot
//    (REMAT).
// 3. Terminates: a round without an uncoloured piece is the last. Any other round splits at least
//    one piece that can be in memory, and the splits of every piece are bounded (split-spilled.ts,
//    4). When each demand is a piece of its own, all find a colour, as every row fits the register
//    file (colour-graph.ts, 4).
// 4. Linear scan handles procedures whose graph would be too large, since the graph is quadratic in
//    the number of live values. It also gets procedures whose loops are nested too deeply for live
//    intervals.

import { assert } from "../../../src/support/assert.js";
import { FIRST_VREG, type IndexArray, newColumn } from "../../lir/indices.js";
import type { Lir, LirFacts, RegisterSet } from "../../lir/lir.js";
import { NOWHERE, SLOT } from "../../lir/lir.js";
import type { Allocation } from "../allocation.js";
import type { AllocatorFactory } from "../allocator.js";
import { NONE, sized } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import { EVENT } from "../events.js";
import { IntervalAllocation } from "../interval-allocation.js";
import { LinearScan } from "../linear-scan/linear-scan.js";
import type { LiveIntervals } from "../live-intervals.js";
import { firstPieceOf, type IntervalPiece, type IntervalPieces } from "../pieces.js";
import { FIRST_POSITION, instructionAt, type Position, startOf } from "../positions.js";
import { GraphColouring, type NodeTrace } from "./colour-graph.js";
import { CopyCandidates } from "./copies.js";
import { FIRST_NODE, type GraphNode, InterferenceGraph } from "./interference-graph.js";
import { measureSpillCosts } from "./spill-costs.js";
import { LoopSplitter } from "./split-around-loops.js";
import { SpillSplitter } from "./split-spilled.js";

/** The number of rounds after which pieces are split into single demands at once. */
const ROUNDS_MAX = 6;

/** Makes a colouring allocator with arenas of its own. */
export const newColouring: AllocatorFactory = () => {
  const colouring = new ColouringAllocator(new IntervalAllocation());
  return (lir, rows, registers, allocation) => colouring.allocate(lir, rows, registers, allocation);
};

class ColouringAllocator {
  private readonly intervals: IntervalAllocation;
  private readonly live: LiveIntervals;
  private readonly weights: BlockWeights;
  private readonly pieces: IntervalPieces;
  private readonly graph = new InterferenceGraph();
  private readonly colouring = new GraphColouring(this.graph);
  private readonly copies: CopyCandidates;
  private readonly splitter: SpillSplitter;
  private readonly loops: LoopSplitter;
  /** Allocates procedures that are too large, in the same arenas. */
  private readonly linearScan: LinearScan;

  /** All pieces by ascending start. */
  private order: IndexArray<IntervalPiece> = newColumn(128);
  /** By position: the first of a list of the pieces that start there. */
  private atStart: IndexArray<IntervalPiece, Position> = newColumn(256);
  private nextAtStart: IndexArray<IntervalPiece, IntervalPiece> = newColumn(128);

  constructor(intervals: IntervalAllocation) {
    const { live, weights, pieces } = intervals;
    this.intervals = intervals;
    this.live = live;
    this.weights = weights;
    this.pieces = pieces;
    this.copies = new CopyCandidates(live, weights, pieces, this.graph);
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

  /**
   * Runs rounds until each piece has a location. Returns false if loops are nested too deeply, or
   * the graph would be too large.
   */
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
      if (!this.splitUncoloured(lir, round >= ROUNDS_MAX)) break;
      events[EVENT.rebuilt]++;
    }
    this.takeColours();
    // The rest is optional: the colours are valid already.
    if (this.pieces.count === lir.vregCount || !this.colouring.hasSplitCopies()) return true;
    if (!this.graph.build(lir, this.live, this.pieces, registers)) return true;
    this.colour(lir, registers, events, true);
    for (let n = FIRST_NODE; n < this.graph.count; n++)
      if (this.colouring.colour[n] === NOWHERE) return true;
    events[EVENT.rejoined]++;
    this.takeColours();
    return true;
  }

  private readonly traceNode: NodeTrace = (node, action, register, reason, other = NONE) => {
    const { piece } = this.graph;
    const details = other === NONE ? "" : ` (v${this.pieces.vreg[piece[other]]})`;
    this.pieces.traceDecision(piece[node], action, register, NOWHERE, reason + details);
  };

  /** Copies the colours to the pieces. */
  private takeColours(): void {
    for (let n = FIRST_NODE; n < this.graph.count; n++)
      this.pieces.location[this.graph.piece[n]] = this.colouring.colour[n];
  }

  /** Colours the graph; with `coalescesPieces`, also pieces of one interval may coalesce. */
  private colour(
    lir: Lir,
    registers: RegisterSet,
    events: Int32Array<ArrayBuffer>,
    coalescesPieces: boolean,
  ): void {
    this.colouring.begin(coalescesPieces);
    measureSpillCosts(
      lir,
      this.live,
      this.weights,
      this.pieces,
      this.graph,
      this.splitter.blockOf,
      this.colouring.cost,
    );
    this.addJoints(lir);
    this.copies.addTo(lir, this.colouring);
    this.colouring.run(registers, events, this.pieces.trace === null ? null : this.traceNode);
  }

  /**
   * Splits around the loops in which a piece found no colour. Returns true if anything was split.
   */
  private splitAroundLoops(lir: Lir, events: Int32Array<ArrayBuffer>): boolean {
    let isAny = false;
    for (let n = FIRST_NODE; n < this.graph.count; n++) {
      if (this.colouring.colour[n] !== NOWHERE) continue;
      if (!isAny) this.loops.reset(lir);
      isAny = true;
      this.loops.noteMissingRegister(lir, this.graph.piece[n], this.graph.bank[n]);
    }
    if (!isAny) return false;
    const count = this.loops.split(lir);
    events[EVENT["cut-around-loop"]] += count;
    return count > 0;
  }

  /** Splits the pieces without a colour. Returns true if there were any. */
  private splitUncoloured(lir: Lir, isComplete: boolean): boolean {
    let stuck: GraphNode = NONE;
    let isAny = false;
    for (let n = FIRST_NODE; n < this.graph.count; n++) {
      if (this.colouring.colour[n] !== NOWHERE) continue;
      if (this.colouring.isUnspillable(n)) {
        stuck = n;
        continue;
      }
      this.splitter.split(lir, this.graph.piece[n], isComplete);
      isAny = true;
    }
    assert(isAny || stuck === NONE, () => {
      const piece = this.graph.piece[stuck];
      const instruction = instructionAt(this.pieces.start[piece]);
      return `no register for v${this.pieces.vreg[piece]}: instruction ${instruction} does not fit`;
    });
    return isAny;
  }

  /** Adds copies between pieces that are adjacent inside a block. */
  private addJoints(lir: Lir): void {
    const { start, end, next } = this.pieces;
    const { blockOf } = this.splitter;
    for (let v = FIRST_VREG; v < lir.vregCount; v++) {
      for (let piece = firstPieceOf(v); next[piece] !== NONE; piece = next[piece]) {
        const after = next[piece];
        const position = start[after];
        if (end[piece] !== position) continue;
        const block = blockOf[instructionAt(position)];
        if (position === startOf(lir.blockStart[block])) continue;
        this.copies.addJoint(piece, after, this.weights.weight[block], this.colouring);
      }
    }
  }

  /** Sets `order` to all pieces by ascending start; returns their number. */
  private sortPieces(lir: Lir): number {
    const positions = startOf(lir.nextInstruction);
    if (this.atStart.length < positions) this.atStart = sized(this.atStart, positions);
    if (this.order.length < this.pieces.count) {
      this.order = sized(this.order, this.pieces.count);
      this.nextAtStart = sized(this.nextAtStart, this.pieces.count);
    }
    this.atStart.fill(NONE, 0, positions);
    for (let p = this.pieces.last; p >= 0; p--) {
      if (this.pieces.firstRange[p] === NONE) continue;
      this.nextAtStart[p] = this.atStart[this.pieces.start[p]];
      this.atStart[this.pieces.start[p]] = p;
    }
    let count = 0;
    for (let position = FIRST_POSITION; position < positions; position++) {
      for (let p = this.atStart[position]; p !== NONE; p = this.nextAtStart[p])
        this.order[count++] = p;
    }
    return count;
  }
}
