// Computes the cost of a piece in memory rather than in a register: extra instructions executed for
// one entry of the procedure.
//
// 1. Each demand for a register is a load; the one at the definition is a store. There is one store
//    for the virtual register, right after its definition, whichever piece is in memory. A
//    rematerializable value needs no store.
// 2. A use that can read the slot costs a fraction of an instruction.
// 3. A piece that is covered by one demand cannot be in memory: Infinity.

import type { Lir } from "../../lir/lir.js";
import { NONE } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import type { LiveIntervals } from "../live-intervals.js";
import type { Pieces } from "../pieces.js";
import type { InterferenceGraph } from "./interference-graph.js";

/** The cost of a use in memory, as a fraction of an instruction. */
const WISH_SHARE = 0.3;
/**
 * The least cost: no cost is zero, so that of two nearly free pieces the one with the larger degree
 * is spilled.
 */
const COST_MIN = 0.01;

/**
 * Computes `cost`, by node.
 *
 * @param blockOf by instruction: its block
 */
export function measureSpillCosts(
  lir: Lir,
  live: LiveIntervals,
  weights: BlockWeights,
  pieces: Pieces,
  graph: InterferenceGraph,
  blockOf: Int32Array,
  cost: Float64Array,
): void {
  const { usePosition, useEnd, useNext, firstWish, wishNext, wishPosition } = live;
  const { start, end, next, inMemory, use } = pieces;
  const weightAt = (position: number): number => weights.weight[blockOf[position >> 2]];
  for (let v = 0; v < lir.vregCount; v++) {
    if (live.firstRange[v] === NONE) continue;
    const store = inMemory[v] === 1 || live.remat[v] !== NONE ? 0 : weightAt(start[v]);
    let wish = firstWish[v];
    for (let piece: number = v; piece !== NONE; piece = next[piece]) {
      const node = graph.nodeOf[piece];
      if (node === NONE) continue;
      let first = use[piece];
      if (first !== NONE && usePosition[first] === start[piece] && useEnd[first] >= end[piece]) {
        cost[node] = Number.POSITIVE_INFINITY;
        continue;
      }
      let sum = COST_MIN + store;
      if (piece === v && first !== NONE && usePosition[first] === start[v]) first = useNext[first];
      for (; first !== NONE; first = useNext[first]) sum += weightAt(usePosition[first]);
      while (wish !== NONE && wishPosition[wish] < start[piece]) wish = wishNext[wish];
      for (; wish !== NONE && wishPosition[wish] < end[piece]; wish = wishNext[wish]) {
        sum += WISH_SHARE * weightAt(wishPosition[wish]);
      }
      cost[node] = sum;
    }
  }
}
