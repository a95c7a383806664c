// A worklist of blocks for dataflow: first in, first out, with each block at most once.

import type { OptimizeContext } from "../edit/context.js";

export class BlockQueue {
  private readonly ring: Int32Array;
  private readonly isQueued: Int32Array;
  private readonly count: number;
  private head = 0;
  private size = 0;

  /**
   * Makes an empty queue of blocks.
   * @param count the number of blocks; a block is identified by its position
   */
  constructor(count: number, context: OptimizeContext) {
    this.count = count;
    this.ring = context.table(count);
    this.isQueued = context.table(count);
  }

  push(position: number): void {
    if (this.isQueued[position] === 1) return;
    this.isQueued[position] = 1;
    this.ring[(this.head + this.size++) % this.count] = position;
  }

  /** Removes and returns the position that was pushed first; -1 if the queue is empty. */
  shift(): number {
    if (this.size === 0) return -1;
    const position = this.ring[this.head];
    this.head = (this.head + 1) % this.count;
    this.size--;
    this.isQueued[position] = 0;
    return position;
  }
}
