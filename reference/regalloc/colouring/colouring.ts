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
//    where a move can stand, or at the definition. What a row makes anew has no slot (REMAT).
// 3. Terminates: a round without an uncoloured piece is the last; one with any cuts at least one that
//    can be in memory, and every piece can be cut only so often (split-spilled.ts, 4). When each demand
//    stands alone, all find a colour, as every row fits the register file (colour-graph.ts, 4).
// 4. What is too large is left to linear scan: the graph grows with the square of what is live.

import { assert } from "../../../src/support/assert.js";
import type { Lir, LirFacts, RegisterSet } from "../../lir/lir.js";
import { NOWHERE, SLOT } from "../../lir/lir.js";
import type { Allocation } from "../allocation.js";
import { NONE, sized } from "../arenas.js";
import { LocationWriter } from "../assign-locations.js";
import { BlockWeights } from "../block-weights.js";
import { EVENT } from "../events.js";
import { allocateLinearScan } from "../linear-scan/linear-scan.js";
import { LiveIntervals } from "../live-intervals.js";
import { Pieces } from "../pieces.js";
import { SlotMap } from "../share-slots.js";
import { GraphColouring } from "./colour-graph.js";
import { Copies } from "./copies.js";
import { InterferenceGraph } from "./interference-graph.js";
import { measureSpillCosts } from "./spill-costs.js";
import { LoopSplitter } from "./split-around-loops.js";
import { SpillSplitter } from "./split-spilled.js";

/** Rounds after which what is cut is cut into single demands at once. */
const PATIENCE = 6;

// Reused from one allocation to the next.
const live = new LiveIntervals();
const weights = new BlockWeights();
const pieces = new Pieces(live);
const graph = new InterferenceGraph();
const colouring = new GraphColouring(graph);
const copies = new Copies(live, weights, pieces, graph);
const splitter = new SpillSplitter(live, weights, pieces);
const loops = new LoopSplitter(live, weights, pieces, splitter);
const slots = new SlotMap();
const writer = new LocationWriter(live, pieces, slots);

/**
 * Fills `lir.location` and `allocation`.
 *
 * @param rows facts by LIR opcode
 * @param registers what may be used; it may be less than the machine has
 */
export function allocateColouring(
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  allocation: Allocation,
): void {
  allocation.reset();
  live.compute(lir, rows, registers);
  weights.compute(lir);
  pieces.reset(lir.vregCount);
  splitter.reset(lir, allocation.events);
  copies.collect(lir);
  if (!colourPieces(lir, registers, allocation)) {
    allocateLinearScan(lir, rows, registers, allocation);
    allocation.events[EVENT["too-large"]]++;
    return;
  }
  const count = sortPieces(lir);
  allocation.spillUnits = slots.share(lir, live, pieces.inMemory, order, count);
  allocation.events[EVENT["slot-shared"]] += slots.shared;
  writer.write(lir, order, count, SLOT, allocation);
}

/** Rounds until each piece has a place; false if the graph would be too large. */
function colourPieces(lir: Lir, registers: RegisterSet, allocation: Allocation): boolean {
  const { events } = allocation;
  for (let round = 0; ; round++) {
    if (!graph.build(lir, live, pieces, registers)) return false;
    colour(lir, registers, events, false);
    if (round === 0 && splitAroundLoops(lir, events)) continue;
    if (!splitUncoloured(lir, round >= PATIENCE)) break;
    events[EVENT.rebuilt]++;
  }
  takeColours();
  // What follows is only an attempt: the colours are good as they are.
  if (pieces.count === lir.vregCount || !colouring.hasSplitCopies()) return true;
  if (!graph.build(lir, live, pieces, registers)) return true;
  colour(lir, registers, events, true);
  for (let n = 0; n < graph.count; n++) if (colouring.colour[n] === NOWHERE) return true;
  events[EVENT.rejoined]++;
  takeColours();
  return true;
}

/** Gives the pieces their colours. */
function takeColours(): void {
  for (let n = 0; n < graph.count; n++) pieces.location[graph.piece[n]] = colouring.colour[n];
}

/** Colours the graph; with `joins`, the pieces of an interval are coalesced, too. */
function colour(
  lir: Lir,
  registers: RegisterSet,
  events: Int32Array<ArrayBuffer>,
  joins: boolean,
): void {
  colouring.begin(joins);
  measureSpillCosts(lir, live, weights, pieces, graph, splitter.blockOf, colouring.cost);
  giveJoints(lir);
  copies.give(lir, colouring);
  colouring.run(registers, events);
}

/** True if anything was cut around a loop in which something found no colour. */
function splitAroundLoops(lir: Lir, events: Int32Array<ArrayBuffer>): boolean {
  let isAny = false;
  for (let n = 0; n < graph.count; n++) {
    if (colouring.colour[n] !== NOWHERE) continue;
    if (!isAny) loops.reset(lir);
    isAny = true;
    loops.tighten(lir, graph.piece[n], graph.bank[n]);
  }
  if (!isAny) return false;
  const count = loops.split(lir);
  events[EVENT["cut-around-loop"]] += count;
  return count > 0;
}

/** True if there were any. */
function splitUncoloured(lir: Lir, isHasty: boolean): boolean {
  let stuck: number = NONE;
  let isAny = false;
  for (let n = 0; n < graph.count; n++) {
    if (colouring.colour[n] !== NOWHERE) continue;
    if (colouring.isUnspillable(n)) {
      stuck = n;
      continue;
    }
    splitter.split(lir, graph.piece[n], isHasty);
    isAny = true;
  }
  assert(isAny || stuck === NONE, () => {
    const piece = graph.piece[stuck];
    const instruction = pieces.start[piece] >> 2;
    return `no register for v${pieces.vreg[piece]}: instruction ${instruction} does not fit`;
  });
  return isAny;
}

/** Copies between pieces that meet inside of a block. */
function giveJoints(lir: Lir): void {
  const { start, end, next } = pieces;
  const { blockOf } = splitter;
  for (let v = 0; v < lir.vregCount; v++) {
    for (let piece = v; next[piece] !== NONE; piece = next[piece]) {
      const after = next[piece];
      const position = start[after];
      if (end[piece] !== position) continue;
      const block = blockOf[position >> 2];
      if (position === 4 * lir.blockStart[block]) continue;
      copies.giveJoint(piece, after, weights.weight[block], colouring);
    }
  }
}

let order = new Int32Array(128);
let atStart = new Int32Array(256);
let nextAtStart = new Int32Array(128);

/** Fills `order` with all pieces by ascending start; returns their number. */
function sortPieces(lir: Lir): number {
  const positions = 4 * lir.instructionCount;
  if (atStart.length < positions) atStart = sized(atStart, positions);
  if (order.length < pieces.count) {
    order = sized(order, pieces.count);
    nextAtStart = sized(nextAtStart, pieces.count);
  }
  atStart.fill(NONE, 0, positions);
  for (let p = pieces.count - 1; p >= 0; p--) {
    if (pieces.firstRange[p] === NONE) continue;
    nextAtStart[p] = atStart[pieces.start[p]];
    atStart[pieces.start[p]] = p;
  }
  let count = 0;
  for (let position = 0; position < positions; position++) {
    for (let p = atStart[position]; p !== NONE; p = nextAtStart[p]) order[count++] = p;
  }
  return count;
}
