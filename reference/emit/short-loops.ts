// Which blocks begin a loop that is better not spread over two lines of the cache: one whose code may fit into a
// line, and that is written right behind a jump, where what fills the line up is never executed.
//
// A processor takes the code of an iteration from one line in one step, and from two lines in two; in a loop of a
// few instructions that is what decides. How long the code will be is not known before it is written, so it is
// estimated by the instructions. An image lies at a multiple of 4096, so offsets say where lines begin.
//
// Only a matter of speed: any place is right.

import type { Lir } from "../lir/lir.js";

/** What an instruction has in the mean, jumps that fall through counted. */
const BYTES_PER_INSTRUCTION = 4;

export class ShortLoops {
  /** By place in the order: about how many bytes the loop has that begins there; 0: none, or it is long. */
  private bytes = new Int32Array(64);
  /** By block: its place in the order, counted from 1. */
  private place = new Int32Array(64);

  /**
   * @param order the blocks that are written, `count` of them
   * @param target by block: itself, or, if it is left out, the block that stands for it
   */
  compute(
    { blockCount, blockStart, successorStart, successors }: Lir,
    order: Int32Array,
    count: number,
    target: Int32Array,
    lineSize: number,
  ): void {
    if (this.place.length < blockCount) {
      this.place = new Int32Array(2 * blockCount);
      this.bytes = new Int32Array(2 * blockCount);
    }
    const { bytes, place } = this;
    bytes.fill(0, 0, count);
    place.fill(0, 0, blockCount);
    let before = -1;
    for (let k = 0; k < count; k++) {
      const b = order[k];
      place[b] = k + 1;
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        const head = place[target[successors[e]]] - 1;
        // The last way back decides.
        if (head >= 0) bytes[head] = estimate(order, head, k, blockStart, lineSize);
      }
    }
    for (let k = 0; k < count; k++) {
      if (bytes[k] > lineSize || fallsThrough(before, order[k])) bytes[k] = 0;
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

  /** Bytes to leave out in front of the block at that place in the order, so that its loop lies in one line. */
  gapBefore(place: number, offset: number, lineSize: number): number {
    const size = this.bytes[place];
    const used = offset % lineSize;
    return size === 0 || used + size <= lineSize ? 0 : lineSize - used;
  }
}

/** Of the blocks from one place to another; more than the line if it has more. */
function estimate(
  order: Int32Array,
  first: number,
  last: number,
  blockStart: Int32Array,
  lineSize: number,
): number {
  let size = 0;
  for (let k = first; k <= last && size <= lineSize; k++) {
    size += BYTES_PER_INSTRUCTION * (blockStart[order[k] + 1] - blockStart[order[k]]);
  }
  return size;
}
