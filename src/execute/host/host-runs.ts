// Several runs of one image in one message to the native child: a record for each, with what the run
// begins with, and afterwards with what it has left. An exchange takes 16 to 20 us, a short run less
// than one.

import type { GuestState } from "../machine/cpu.js";
import { REGISTERS, STACK_SIZE } from "../machine/guest.js";

const HEAD_SIZE = 16;
const REGISTERS_SIZE = 4 * REGISTERS.x64.wordCount;

/** A record's parts, by offset from where the records begin, in bytes. */
interface RunParts {
  /** How the run has left the guest. */
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

  /** @param stackBegin a multiple of 4; what is below is in no record */
  shape(stackBegin: number, heapSize: number): void {
    this.stackSize = STACK_SIZE - stackBegin;
    this.heapSize = heapSize;
  }

  get room(): number {
    return Math.floor(this.bytes.length / this.size);
  }

  parts(run: number): RunParts {
    const left = run * this.size;
    const registers = left + HEAD_SIZE;
    const stack = registers + REGISTERS_SIZE;
    return { left, registers, stack, heap: stack + this.stackSize };
  }

  /** One of LEFT. */
  left(run: number): number {
    return this.words[(run * this.size) / 4];
  }

  /** From the guest into the record. */
  save(run: number, guest: GuestState): void {
    const { bytes, words, stackSize } = this;
    const { registers, stack, heap } = this.parts(run);
    words.set(guest.registers, registers / 4);
    bytes.set(guest.stack.subarray(STACK_SIZE - stackSize), stack);
    bytes.set(guest.heap, heap);
  }

  /** From the record into the guest. */
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
