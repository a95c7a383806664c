// Which loops are better not spread over two lines of the cache: those that are written right behind a jump, where
// what fills the line up in front of them is never executed.
//
// A processor takes the code of an iteration from one line in one step, and from two lines in two; in a loop of a
// few instructions that is what decides. How long the code of a loop is, and where it lies, is known when all branches
// have their forms, so branch-reach.ts says how much room a loop gets. An image lies at a multiple of 4096, so offsets
// say where lines begin.
//
// Only a matter of speed: any place is right.

import type { Lir } from "../lir/lir.js";

const NONE = -1;

export class ShortLoops {
  /** By place in the order: that at which the loop ends that begins there; or NONE. */
  private last = new Int32Array(64);
  /** By place in the order: the label behind it, where a loop ends; or NONE. */
  private ends = new Int32Array(64);
  /** By block: its place in the order, counted from 1. */
  private place = new Int32Array(64);

  /**
   * @param order the blocks that are written, `count` of them
   * @param target by block: itself, or, if it is left out, the block that stands for it
   */
  compute(
    { blockCount, successorStart, successors }: Lir,
    order: Int32Array,
    count: number,
    target: Int32Array,
  ): void {
    if (this.place.length < blockCount) {
      this.place = new Int32Array(2 * blockCount);
      this.last = new Int32Array(2 * blockCount);
      this.ends = new Int32Array(2 * blockCount);
    }
    const { last, ends, place } = this;
    last.fill(NONE, 0, count);
    ends.fill(NONE, 0, count);
    place.fill(0, 0, blockCount);
    let before = -1;
    for (let k = 0; k < count; k++) {
      const b = order[k];
      place[b] = k + 1;
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        const head = place[target[successors[e]]] - 1;
        // The last way back decides.
        if (head >= 0) last[head] = k;
      }
    }
    for (let k = 0; k < count; k++) {
      if (fallsThrough(before, order[k])) last[k] = NONE;
      before = order[k];
    }

    function fallsThrough(from: number, to: number): boolean {
      if (from < 0) return true;
      for (let e = successorStart[from]; e < successorStart[from + 1]; e++) {
        if (target[successors[e]] === to) return true;
      }
      return false;
    }
  }

  /** True if a loop begins at that place in the order that may be moved to another line. */
  beginsAt(place: number): boolean {
    return this.last[place] !== NONE;
  }

  /** The label behind the loop that begins at that place: for `endsAt` to give. */
  endOf(place: number, newLabel: () => number): number {
    const { ends } = this;
    const last = this.last[place];
    if (ends[last] === NONE) ends[last] = newLabel();
    return ends[last];
  }

  /** The label that is to be bound behind that place; null if none is. */
  endsAt(place: number): number | null {
    const label = this.ends[place];
    return label === NONE ? null : label;
  }
}
