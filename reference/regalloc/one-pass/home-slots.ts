// Slots for the values that the one-pass allocator has in memory.
//
// 1. A slot is valid from the definition to the end, in the order of walk-order.ts: from the
//    definition to the last use, and to the end of whatever retreats into that. For what is live
//    behind a position comes back only by a retreat, and to where it was defined before.
// 2. Two share a slot only if these lives are apart. So no moves of one edge meet in one slot.
// 3. A slot has one width for the whole procedure: then two slots are one or disjoint, and a
//    parallel move of slots is a plain graph. Wide slots begin at even units.

import { isWide } from "../../../src/ir/types.js";
import { type Lir, SLOT } from "../../lir/lir.js";
import { sized, widen } from "../arenas.js";
import { PositionHeap } from "../position-heap.js";
import type { References } from "./references.js";
import type { WalkOrder } from "./walk-order.js";

export class HomeSlots {
  /** By virtual register, of those that were given: the location of its slot. */
  locationOf = new Int32Array(128);
  private readonly inUse = new PositionHeap();
  /** Locations that are free, narrow ones and wide ones. */
  private readonly free = [new Int32Array(32), new Int32Array(32)];
  private readonly freeCount = new Int32Array(2);

  /**
   * @param spilled virtual registers by descending definition
   * @returns the size of the spill area in units
   */
  assign(
    lir: Lir,
    walk: WalkOrder,
    { defined, end }: References,
    spilled: Int32Array,
    spilledCount: number,
  ): number {
    const { inUse, freeCount } = this;
    if (this.locationOf.length < lir.vregCount) {
      this.locationOf = sized(this.locationOf, lir.vregCount);
    }
    inUse.count = 0;
    freeCount.fill(0);
    let units = 0;
    let retreat = 0;
    for (let k = spilledCount - 1; k >= 0; k--) {
      const vreg = spilled[k];
      const start = defined[vreg];
      while (inUse.count > 0 && inUse.firstKey() < start) this.release(lir, inUse.pop());
      while (retreat < walk.retreatCount && walk.retreatStart[retreat] <= start) retreat++;
      const width = widthOf(lir, vreg);
      if (freeCount[width] > 0) this.locationOf[vreg] = this.free[width][--freeCount[width]];
      else {
        if (width === 1) units = (units + 1) & ~1;
        this.locationOf[vreg] = SLOT + units;
        units += 1 + width;
      }
      inUse.push(endOfLife(walk, retreat, end[vreg]), vreg);
    }
    return units;
  }

  private release(lir: Lir, vreg: number): void {
    const width = widthOf(lir, vreg);
    const at = this.freeCount[width]++;
    if (at === this.free[width].length) this.free[width] = widen(this.free[width]);
    this.free[width][at] = this.locationOf[vreg];
  }
}

/** @param first the first retreat that leads behind the definition */
function endOfLife(
  { retreatStart, retreatEnd, retreatCount }: WalkOrder,
  first: number,
  lastUse: number,
): number {
  let end = lastUse;
  for (let r = first; r < retreatCount && retreatStart[r] <= end; r++) {
    if (retreatEnd[r] > end) end = retreatEnd[r];
  }
  return end;
}

/** 0: one unit; 1: two. */
const widthOf = (lir: Lir, vreg: number): number => (isWide(lir.typeOf(vreg)) ? 1 : 0);
