// The part that linear scan and colouring share: both split live intervals into pieces, give each
// piece a register or the slot of its virtual register, and write the result in the same way.

import type { IndexArray } from "../lir/indices.js";
import type { Lir, LirFacts, RegisterSet } from "../lir/lir.js";
import type { Allocation } from "./allocation.js";
import { LocationWriter } from "./assign-locations.js";
import { BlockWeights } from "./block-weights.js";
import { EVENT } from "./events.js";
import { LiveIntervals } from "./live-intervals.js";
import { type IntervalPiece, IntervalPieces } from "./pieces.js";
import { SlotMap } from "./share-slots.js";

/**
 * The maximum sum, over all blocks, of the loops around each. A value that is live in a loop is
 * live in all blocks within. So the cost of live intervals is quadratic in the depth of a nest.
 * Beyond this limit the one-pass allocator is used, which needs no intervals.
 */
const DEPTH_SUM_MAX = 1 << 17;

/** The arenas of an allocator that works on live intervals. They grow and are reused. */
export class IntervalAllocation {
  readonly live = new LiveIntervals();
  readonly weights = new BlockWeights();
  readonly pieces = new IntervalPieces(this.live);
  private readonly slots = new SlotMap();
  private readonly writer = new LocationWriter(this.live, this.pieces, this.slots);

  /**
   * Starts with one piece for each interval, and an empty allocation. Returns false, with nothing
   * done, if loops are nested too deeply.
   */
  begin(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): boolean {
    allocation.reset();
    this.pieces.trace = allocation.trace;
    this.weights.compute(lir);
    if (this.weights.depthSum > DEPTH_SUM_MAX) return false;
    this.live.compute(lir, rows, registers);
    this.pieces.reset(lir.vregCount);
    return true;
  }

  /**
   * Gives slots to the pieces in memory, and writes locations and moves.
   *
   * @param order all pieces by ascending start
   * @param registerCount the number of registers: smaller locations are registers
   */
  finish(
    lir: Lir,
    order: IndexArray<IntervalPiece>,
    orderCount: number,
    registerCount: number,
    allocation: Allocation,
  ): void {
    const { live, pieces, slots } = this;
    allocation.spillUnits = slots.share(lir, live, pieces, order, orderCount);
    allocation.events[EVENT["slot-shared"]] += slots.shared;
    this.writer.write(lir, order, orderCount, registerCount, allocation);
  }
}
