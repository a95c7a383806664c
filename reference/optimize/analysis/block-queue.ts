// Blocks that a dataflow still has to visit: first in, first out, each at most once at a time.

import type { OptimizeContext } from "../edit/context.js";

export class BlockQueue {
  private readonly ring: Int32Array;
  private readonly isQueued: Int32Array;
  private readonly count: number;
  private head = 0;
  private size = 0;

  /** @param count blocks, known by position */
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

  /** The position that was pushed first; -1 if there is none. */
  shift(): number {
    if (this.size === 0) return -1;
    const position = this.ring[this.head];
    this.head = (this.head + 1) % this.count;
    this.size--;
    this.isQueued[position] = 0;
    return position;
  }
}
