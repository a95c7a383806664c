// Selects the loops that should not be spread over two lines of the cache. Only loops right after a
// jump are selected, since the padding before them is never executed.
//
// A processor fetches the code of an iteration in one step if it is in one line, and in two steps
// if it is in two lines. In a loop of a few instructions that decides the speed. The size and
// position of a loop are known when all branches have their forms, so branch-reach.ts computes the
// padding. An image starts at a multiple of 4096, so offsets determine the starts of lines.
//
// This only affects speed: any position is correct.

import type { Lir } from "../lir/lir.js";

const NONE = -1;

export class ShortLoops {
  /** By position in the order: the position of the end of the loop that begins there; or NONE. */
  private last = new Int32Array(64);
  /** By position in the order: the label after it, if a loop ends there; or NONE. */
  private ends = new Int32Array(64);
  /** By block: its position in the order, counted from 1. */
  private place = new Int32Array(64);

  /**
   * Finds the loops.
   *
   * @param order the blocks that are written, `count` of them
   * @param target by block: itself, or the block that replaces it if it is omitted
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
        // The last back edge decides.
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

  /**
   * Returns whether a loop begins at that position of the order that may be moved to another line.
   */
  beginsAt(place: number): boolean {
    return this.last[place] !== NONE;
  }

  /** Returns the label after the loop that begins at that position; `endsAt` returns it again. */
  endOf(place: number, newLabel: () => number): number {
    const { ends } = this;
    const last = this.last[place];
    if (ends[last] === NONE) ends[last] = newLabel();
    return ends[last];
  }

  /** Returns the label to be bound after that position; null if there is none. */
  endsAt(place: number): number | null {
    const label = this.ends[place];
    return label === NONE ? null : label;
  }
}
