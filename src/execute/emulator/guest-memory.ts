// The memory of an emulator. What one that is closed has had is the next one's: V8 counts such memory and collects its
// whole heap after 64 MB of it, which three emulators would come to; who reduces or localizes opens dozens.

import { assert } from "../../support/assert.js";
import { CODE_SIZE_MAX, HEAP_SIZE_MAX, PAGE_SIZE, STACK_SIZE } from "../machine/guest.js";

/** More are not open at once, as a rule: each of two targets, for a judge and for who asks beside it. */
const KEPT_MAX = 4;

/** Heap and stack are zero; what is in `code` is nobody's. */
export class GuestMemory {
  private static readonly kept: GuestMemory[] = [];
  readonly code: Uint8Array<ArrayBuffer> = new Uint8Array(CODE_SIZE_MAX);
  readonly heap: ArrayBuffer = new ArrayBuffer(HEAP_SIZE_MAX);
  readonly stack: Uint8Array<ArrayBuffer> = new Uint8Array(STACK_SIZE);
  private heapUsed = 0;

  static take(): GuestMemory {
    return GuestMemory.kept.pop() ?? new GuestMemory();
  }

  /** The first bytes of the heap. */
  viewHeap(size: number): Uint8Array {
    assert(size > 0 && size <= HEAP_SIZE_MAX && size % PAGE_SIZE === 0, () => `heap of ${size}`);
    this.heapUsed = Math.max(this.heapUsed, size);
    return new Uint8Array(this.heap, 0, size);
  }

  /** Once, when no engine maps it any more. */
  giveBack(): void {
    if (GuestMemory.kept.length >= KEPT_MAX) return;
    new Uint8Array(this.heap, 0, this.heapUsed).fill(0);
    this.heapUsed = 0;
    this.stack.fill(0);
    GuestMemory.kept.push(this);
  }
}
