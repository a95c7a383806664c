// Stores several runs of one image for one message to the native child. The record of a run holds
// its initial state, and later its final state. An exchange takes 16 to 20 us, a short run less
// than one.

import type { GuestState } from "../machine/cpu.js";
import { REGISTERS, STACK_SIZE } from "../machine/guest.js";

const HEAD_SIZE = 16;
const REGISTERS_SIZE = 4 * REGISTERS.x64.wordCount;

/** The offsets of a record's parts from the start of the records, in bytes. */
interface RecordOffsets {
  /** The way in which the run left the guest, one of LEFT. */
  readonly left: number;
  readonly registers: number;
  readonly stack: number;
  readonly heap: number;
}

/** The records of one message: all of them have stack and heap of the same size. */
export class RunRecords {
  readonly registersSize = REGISTERS_SIZE;
  stackSize = 0;
  heapSize = 0;
  private readonly bytes: Uint8Array;
  private readonly words: Int32Array;

  constructor(memory: ArrayBuffer, offset: number, size: number) {
    this.bytes = new Uint8Array(memory, offset, size);
    this.words = new Int32Array(memory, offset, size / 4);
  }

  /** @param stackBegin a multiple of 4; no record contains the stack below it */
  shape(stackBegin: number, heapSize: number): void {
    this.stackSize = STACK_SIZE - stackBegin;
    this.heapSize = heapSize;
  }

  get room(): number {
    return Math.floor(this.bytes.length / this.size);
  }

  parts(run: number): RecordOffsets {
    const left = run * this.size;
    const registers = left + HEAD_SIZE;
    const stack = registers + REGISTERS_SIZE;
    return { left, registers, stack, heap: stack + this.stackSize };
  }

  /** Returns one of LEFT. */
  left(run: number): number {
    return this.words[(run * this.size) / 4];
  }

  /** Copies from the guest into the record. */
  save(run: number, guest: GuestState): void {
    const { bytes, words, stackSize } = this;
    const { registers, stack, heap } = this.parts(run);
    words.set(guest.registers, registers / 4);
    bytes.set(guest.stack.subarray(STACK_SIZE - stackSize), stack);
    bytes.set(guest.heap, heap);
  }

  /** Copies from the record into the guest. */
  restore(run: number, guest: GuestState): void {
    const { bytes, words, stackSize, heapSize } = this;
    const { registers, stack, heap } = this.parts(run);
    guest.registers.set(words.subarray(registers / 4, (registers + REGISTERS_SIZE) / 4));
    guest.stack.set(bytes.subarray(stack, heap), STACK_SIZE - stackSize);
    guest.heap.set(bytes.subarray(heap, heap + heapSize));
  }

  private get size(): number {
    return HEAD_SIZE + REGISTERS_SIZE + this.stackSize + this.heapSize;
  }
}
