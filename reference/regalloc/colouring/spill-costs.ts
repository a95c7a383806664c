// Computes the cost of a piece in memory rather than in a register: extra instructions executed for
// one entry of the procedure.
//
// 1. Each demand for a register is a load; the one at the definition is a store. There is one store
//    for the virtual register, right after its definition, whichever piece is in memory. A
//    rematerializable value needs no store.
// 2. A use that can read the slot costs a fraction of an instruction.
// 3. A piece that is covered by one demand cannot be in memory: Infinity.

import {
  type Block,
  type Doubles,
  FIRST_VREG,
  type IndexArray,
  type Instruction,
} from "../../lir/indices.js";
import type { Lir } from "../../lir/lir.js";
import { NONE } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import type { LiveIntervals } from "../live-intervals.js";
import { firstPieceOf, type IntervalPiece, type IntervalPieces } from "../pieces.js";
import { instructionAt, type Position } from "../positions.js";
import type { GraphNode, InterferenceGraph } from "./interference-graph.js";

/** The cost of a use in memory, as a fraction of an instruction. */
const WISH_SHARE = 0.3;
/**
 * The least cost: no cost is zero, so that of two nearly free pieces the one with the larger degree
 * is spilled.
 */
const COST_MIN = 0.01;

/** Computes `cost`. */
export function measureSpillCosts(
  lir: Lir,
  live: LiveIntervals,
  weights: BlockWeights,
  pieces: IntervalPieces,
  graph: InterferenceGraph,
  blockOf: IndexArray<Block, Instruction>,
  cost: Doubles<GraphNode>,
): void {
  const { usePosition, useEnd, useNext, firstWish, wishNext, wishPosition } = live;
  const { start, end, next, inMemory, use } = pieces;
  const weightAt = (position: Position): number => weights.weight[blockOf[instructionAt(position)]];
  for (let v = FIRST_VREG; v < lir.vregCount; v++) {
    if (live.firstRange[v] === NONE) continue;
    const firstPiece = firstPieceOf(v);
    const definition = start[firstPiece];
    const store = inMemory[v] === 1 || live.remat[v] !== NONE ? 0 : weightAt(definition);
    let wish = firstWish[v];
    for (let piece: IntervalPiece = firstPiece; piece !== NONE; piece = next[piece]) {
      const node = graph.nodeOf[piece];
      if (node === NONE) continue;
      let first = use[piece];
      if (first !== NONE && usePosition[first] === start[piece] && useEnd[first] >= end[piece]) {
        cost[node] = Number.POSITIVE_INFINITY;
        continue;
      }
      let sum = COST_MIN + store;
      if (piece === firstPiece && first !== NONE && usePosition[first] === definition) {
        first = useNext[first];
      }
      for (; first !== NONE; first = useNext[first]) sum += weightAt(usePosition[first]);
      while (wish !== NONE && wishPosition[wish] < start[piece]) wish = wishNext[wish];
      for (; wish !== NONE && wishPosition[wish] < end[piece]; wish = wishNext[wish]) {
        sum += WISH_SHARE * weightAt(wishPosition[wish]);
      }
      cost[node] = sum;
    }
  }
}
