// What linear scan and colouring have in common: both cut live intervals into pieces, give each piece a
// register or the slot of its virtual register, and record the result in the same way.

import type { Lir, LirFacts, RegisterSet } from "../lir/lir.js";
import type { Allocation } from "./allocation.js";
import { LocationWriter } from "./assign-locations.js";
import { BlockWeights } from "./block-weights.js";
import { EVENT } from "./events.js";
import { LiveIntervals } from "./live-intervals.js";
import { Pieces } from "./pieces.js";
import { SlotMap } from "./share-slots.js";

/**
 * Blocks times the loops around each, at most. What is live in a loop is live in all blocks within, so in a nest of
 * loops live intervals cost the square of its depth; beyond this, one pass allocates, which needs none.
 */
const DEPTH_SUM_MAX = 1 << 17;

/** The arenas of an allocator that works on live intervals; they grow, and are reused. */
export class IntervalAllocation {
  readonly live = new LiveIntervals();
  readonly weights = new BlockWeights();
  readonly pieces = new Pieces(this.live);
  private readonly slots = new SlotMap();
  private readonly writer = new LocationWriter(this.live, this.pieces, this.slots);

  /** Begins with one piece for each interval, and an empty allocation; false, with nothing done, if loops lie too deep. */
  begin(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): boolean {
    allocation.reset();
    this.weights.compute(lir);
    if (this.weights.depthSum > DEPTH_SUM_MAX) return false;
    this.live.compute(lir, rows, registers);
    this.pieces.reset(lir.vregCount);
    return true;
  }

  /**
   * Gives slots to what is in memory, and writes locations and moves.
   *
   * @param order all pieces by ascending start
   * @param registerCount locations below it are registers
   */
  finish(
    lir: Lir,
    order: Int32Array,
    orderCount: number,
    registerCount: number,
    allocation: Allocation,
  ): void {
    const { live, pieces, slots } = this;
    allocation.spillUnits = slots.share(lir, live, pieces.inMemory, order, orderCount);
    allocation.events[EVENT["slot-shared"]] += slots.shared;
    this.writer.write(lir, order, orderCount, registerCount, allocation);
  }
}
