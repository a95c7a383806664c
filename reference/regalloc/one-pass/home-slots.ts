// Assigns slots to the values that the one-pass allocator keeps in memory.
//
// 1. A slot is valid from the definition to the end of life, in the order of walk-order.ts. A life
//    ends at the last use, or at the end of every retreating edge that leads back into the life.
//    Only a retreating edge can lead back to an earlier position.
// 2. Two values share a slot only if these lives are disjoint. So the moves of one edge never use
//    the same slot twice.
// 3. A slot has one width for the whole procedure. So two slots are identical or disjoint, and a
//    parallel move of slots is a simple graph. Wide slots begin at even units.
// 4. A stack argument has the caller's slot, which no other value gets.

import { isWide } from "../../../src/ir/types.js";
import {
  type IndexArray,
  type Location,
  newColumn,
  type VirtualRegister,
} from "../../lir/indices.js";
import { type Lir, slotAt } from "../../lir/lir.js";
import { sized, widen } from "../arenas.js";
import { PositionHeap } from "../position-heap.js";
import type { VregReferences } from "./references.js";
import { WALK_START, type WalkOrder, type WalkPosition } from "./walk-order.js";

export class HomeSlots {
  /** By virtual register, if it has a slot: the location of the slot. */
  locationOf: IndexArray<Location, VirtualRegister> = newColumn(128);
  private readonly inUse = new PositionHeap<VirtualRegister>();
  /** The position at which each spilled register dies, by index in `spilled`. */
  private endOfLife: IndexArray<WalkPosition> = newColumn(32);
  /** The spans of retreating edges, merged: starts descend, and no span reaches the next. */
  private spanStart: IndexArray<WalkPosition> = newColumn(16);
  private spanEnd: IndexArray<WalkPosition> = newColumn(16);
  /** Free locations, narrow ones and wide ones. */
  private readonly free: IndexArray<Location>[] = [newColumn(32), newColumn(32)];
  private readonly freeCount = new Int32Array(2);

  /**
   * Assigns a slot to each of these virtual registers.
   *
   * @param spilled virtual registers by descending definition
   * @returns the size of the spill area in units
   */
  assign(
    lir: Lir,
    walk: WalkOrder,
    references: VregReferences,
    spilled: IndexArray<VirtualRegister>,
    spilledCount: number,
  ): number {
    const { inUse, freeCount } = this;
    if (this.locationOf.length < lir.vregCount) {
      this.locationOf = sized(this.locationOf, lir.vregCount);
    }
    inUse.count = 0;
    freeCount.fill(0);
    let units = lir.incomingUnits;
    this.findEnds(walk, references, spilled, spilledCount);
    for (let k = spilledCount - 1; k >= 0; k--) {
      const vreg = spilled[k];
      if (lir.vregArgumentUnit[vreg] >= 0) {
        this.locationOf[vreg] = slotAt(lir.vregArgumentUnit[vreg]);
        continue;
      }
      const start = references.defined[vreg];
      while (inUse.count > 0 && inUse.firstKey() < start) this.release(lir, inUse.pop());
      const width = widthOf(lir, vreg);
      if (freeCount[width] > 0) this.locationOf[vreg] = this.free[width][--freeCount[width]];
      else {
        if (width === 1) units = (units + 1) & ~1;
        this.locationOf[vreg] = slotAt(units);
        units += 1 + width;
      }
      inUse.push(this.endOfLife[k], vreg);
    }
    return units;
  }

  /**
   * Finds the ends of lives: the last use, or the end of a span that starts after the definition
   * and not after the last use. Overlapping spans are merged, which makes this transitive. It goes
   * from the last definition to the first, so that the spans after the definition only grow.
   */
  private findEnds(
    { retreatStart, retreatEnd, retreatCount }: WalkOrder,
    { defined, end }: VregReferences,
    spilled: IndexArray<VirtualRegister>,
    spilledCount: number,
  ): void {
    if (this.endOfLife.length < spilledCount) {
      this.endOfLife = sized(this.endOfLife, spilledCount);
    }
    if (this.spanStart.length < retreatCount) {
      this.spanStart = sized(this.spanStart, retreatCount);
      this.spanEnd = sized(this.spanEnd, retreatCount);
    }
    const { spanStart, spanEnd } = this;
    let spans = 0;
    let retreat = retreatCount;
    for (let k = 0; k < spilledCount; k++) {
      const vreg = spilled[k];
      for (; retreat > 0 && retreatStart[retreat - 1] > defined[vreg]; retreat--) {
        const start = retreatStart[retreat - 1];
        let last = retreatEnd[retreat - 1];
        for (; spans > 0 && spanStart[spans - 1] <= last; spans--) {
          if (spanEnd[spans - 1] > last) last = spanEnd[spans - 1];
        }
        spanStart[spans] = start;
        spanEnd[spans++] = last;
      }
      // The last span that starts at the last use or earlier; starts descend.
      let [low, high] = [0, spans];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (spanStart[middle] <= end[vreg]) high = middle;
        else low = middle + 1;
      }
      const reached = low < spans ? spanEnd[low] : WALK_START;
      this.endOfLife[k] = reached > end[vreg] ? reached : end[vreg];
    }
  }

  private release(lir: Lir, vreg: VirtualRegister): void {
    const width = widthOf(lir, vreg);
    const at = this.freeCount[width]++;
    if (at === this.free[width].length) this.free[width] = widen(this.free[width]);
    this.free[width][at] = this.locationOf[vreg];
  }
}

/** Returns the width of the virtual register's slot. 0: one unit; 1: two. */
const widthOf = (lir: Lir, vreg: VirtualRegister): number => (isWide(lir.typeOf(vreg)) ? 1 : 0);
