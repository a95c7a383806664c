// Gives slots to the virtual registers that are ever in memory.
//
// 1. Two share a slot only if their lives, from first to last position without regard to holes, are
//    disjoint.
// 2. A slot has one width for the whole procedure. So two slots are identical or disjoint, and a
//    parallel move of slots is a simple graph. Wide slots begin at even units.
// 3. A stack argument has the caller's slot, which no other value gets.

import { isWide } from "../../src/ir/types.js";
import { type IndexArray, newColumn, type VirtualRegister } from "../lir/indices.js";
import type { Lir } from "../lir/lir.js";
import { NONE, sized, widen } from "./arenas.js";
import type { LiveIntervals } from "./live-intervals.js";
import { firstPieceOf, type IntervalPiece, type IntervalPieces } from "./pieces.js";
import { PositionHeap } from "./position-heap.js";

class FreeSlots {
  units = new Int32Array(32);
  count = 0;

  push(unit: number): void {
    if (this.count === this.units.length) this.units = widen(this.units);
    this.units[this.count++] = unit;
  }
}

export class SlotMap {
  /** By virtual register: its slot's first unit, or NONE. */
  unit: IndexArray<number, VirtualRegister> = newColumn(128);
  /** How many virtual registers got a slot that another one had before. */
  shared = 0;
  private readonly narrow = new FreeSlots();
  private readonly wide = new FreeSlots();
  private readonly inUse = new PositionHeap<VirtualRegister>();

  /**
   * Assigns the slots.
   *
   * @param order all pieces by ascending start
   * @returns the size of the spill area in units
   */
  share(
    lir: Lir,
    live: LiveIntervals,
    pieces: IntervalPieces,
    order: IndexArray<IntervalPiece>,
    orderCount: number,
  ): number {
    const { vregCount } = lir;
    const { narrow, wide, inUse } = this;
    if (this.unit.length < vregCount) this.unit = sized(this.unit, vregCount);
    this.unit.fill(NONE, 0, vregCount);
    narrow.count = 0;
    wide.count = 0;
    inUse.count = 0;
    let units = lir.incomingUnits;
    this.shared = 0;
    for (let k = 0; k < orderCount; k++) {
      const piece = order[k];
      const vreg = pieces.vreg[piece];
      if (pieces.inMemory[vreg] === 0 || piece !== firstPieceOf(vreg)) continue;
      if (lir.vregArgumentUnit[vreg] >= 0) {
        this.unit[vreg] = lir.vregArgumentUnit[vreg];
        continue;
      }
      const start = live.rangeStart[live.firstRange[vreg]];
      while (inUse.count > 0 && inUse.firstKey() <= start) {
        const ended = inUse.pop();
        (isWide(lir.typeOf(ended)) ? wide : narrow).push(this.unit[ended]);
      }
      const isWideVreg = isWide(lir.typeOf(vreg));
      const free = isWideVreg ? wide : narrow;
      if (free.count > 0) {
        this.unit[vreg] = free.units[--free.count];
        this.shared++;
      } else {
        if (isWideVreg) units = (units + 1) & ~1;
        this.unit[vreg] = units;
        units += isWideVreg ? 2 : 1;
      }
      inUse.push(live.lastEnd[vreg], vreg);
    }
    return units;
  }
}
