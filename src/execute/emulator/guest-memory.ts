// Holds the memory of an emulator. A new emulator reuses the memory of a closed one. V8 counts such
// memory and collects its whole heap after 64 MB of it, the size of three emulators, and a
// reduction or localization opens dozens.

import { assert } from "../../support/assert.js";
import { CODE_SIZE_MAX, HEAP_SIZE_MAX, PAGE_SIZE, STACK_SIZE } from "../machine/guest.js";

/** Usually no more are open at once: each of two targets, for a judge and for another user. */
const KEPT_MAX = 4;

/** Heap and stack are zero, and the whole code area contains traps. */
export class GuestMemory {
  private static readonly kept: GuestMemory[] = [];
  readonly code: Uint8Array<ArrayBuffer> = new Uint8Array(CODE_SIZE_MAX);
  readonly heap: ArrayBuffer = new ArrayBuffer(HEAP_SIZE_MAX);
  readonly stack: Uint8Array<ArrayBuffer> = new Uint8Array(STACK_SIZE);
  private heapUsed = 0;
  /** Fills all of `code` after the first `codeUsed` bytes. */
  private trap = 0;
  private codeUsed = 0;

  /** @param trap the byte that fills the code area */
  static take(trap: number): GuestMemory {
    const { kept } = GuestMemory;
    const alike = kept.findLastIndex((memory) => memory.trap === trap);
    const used = alike < 0 ? kept.pop() : kept.splice(alike, 1)[0];
    used?.clear();
    const memory = used ?? new GuestMemory();
    // Writing all of a new area takes a thousand page faults.
    memory.code.fill(trap, 0, memory.trap === trap ? memory.codeUsed : CODE_SIZE_MAX);
    memory.trap = trap;
    return memory;
  }

  /** Returns the first bytes of the heap. */
  viewHeap(size: number): Uint8Array {
    assert(
      size > 0 && size <= HEAP_SIZE_MAX && size % PAGE_SIZE === 0,
      () => `the heap has ${size} bytes, expected whole pages up to ${HEAP_SIZE_MAX}`,
    );
    this.heapUsed = Math.max(this.heapUsed, size);
    return new Uint8Array(this.heap, 0, size);
  }

  /**
   * Releases the memory; call it once, when no engine maps it any more. It is cleared at the next
   * use, because most processes end before that.
   * @param codeUsed number of bytes from the start of the code that may differ from traps
   */
  release(codeUsed: number): void {
    if (GuestMemory.kept.length >= KEPT_MAX) return;
    this.codeUsed = codeUsed;
    GuestMemory.kept.push(this);
  }

  private clear(): void {
    new Uint8Array(this.heap, 0, this.heapUsed).fill(0);
    this.heapUsed = 0;
    this.stack.fill(0);
  }
}
