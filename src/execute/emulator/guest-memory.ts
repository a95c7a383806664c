// The memory of an emulator. What one that is closed has had is the next one's: V8 counts such memory and collects its
// whole heap after 64 MB of it, which three emulators would come to; who reduces or localizes opens dozens.

import { assert } from "../../support/assert.js";
import { CODE_SIZE_MAX, HEAP_SIZE_MAX, PAGE_SIZE, STACK_SIZE } from "../machine/guest.js";

/** More are not open at once, as a rule: each of two targets, for a judge and for who asks beside it. */
const KEPT_MAX = 4;

/** Heap and stack are zero, and all of the code is traps. */
export class GuestMemory {
  private static readonly kept: GuestMemory[] = [];
  readonly code: Uint8Array<ArrayBuffer> = new Uint8Array(CODE_SIZE_MAX);
  readonly heap: ArrayBuffer = new ArrayBuffer(HEAP_SIZE_MAX);
  readonly stack: Uint8Array<ArrayBuffer> = new Uint8Array(STACK_SIZE);
  private heapUsed = 0;
  /** What is in all of `code` behind the first `codeUsed` bytes. */
  private trap = 0;
  private codeUsed = 0;

  /** @param trap a byte that is to be all of the code */
  static take(trap: number): GuestMemory {
    const { kept } = GuestMemory;
    const alike = kept.findLastIndex((memory) => memory.trap === trap);
    const used = alike < 0 ? kept.pop() : kept.splice(alike, 1)[0];
    used?.clear();
    const memory = used ?? new GuestMemory();
    // To write all of it takes a new one a thousand faults of pages.
    memory.code.fill(trap, 0, memory.trap === trap ? memory.codeUsed : CODE_SIZE_MAX);
    memory.trap = trap;
    return memory;
  }

  /** The first bytes of the heap. */
  viewHeap(size: number): Uint8Array {
    assert(size > 0 && size <= HEAP_SIZE_MAX && size % PAGE_SIZE === 0, () => `heap of ${size}`);
    this.heapUsed = Math.max(this.heapUsed, size);
    return new Uint8Array(this.heap, 0, size);
  }

  /**
   * Once, when no engine maps it any more. It is cleared when somebody takes it: most processes end before that.
   * @param codeUsed the first bytes of the code, which are no traps
   */
  giveBack(codeUsed: number): void {
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
