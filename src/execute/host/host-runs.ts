// Several runs of one image in one message to the native child: a record for each, with what the run
// begins with, and afterwards with what it has left. An exchange takes 16 to 20 us, a short run less
// than one.

import { KEPT_PLACES } from "../../ir/host-functions.js";
import type { GuestState } from "../machine/cpu.js";
import { REGISTERS, STACK_SIZE } from "../machine/guest.js";

/** The head of a record, by index of 32-bit words; registers, stack and heap follow it. */
export const RUN = {
  /** Begins with: as in the mailbox. */
  poison: 0,
  milliseconds: 1,
  /** Has left: as in the mailbox. */
  left: 2,
  /** Has left: the words in the events segment up to its last event; they begin where the run before ends. */
  eventsEnd: 3,
  /** Has left: what host functions keep, a word for each place. */
  kept: 4,
} as const;

const HEAD_SIZE = 4 * (RUN.kept + KEPT_PLACES);
const REGISTERS_SIZE = 4 * REGISTERS.x64.wordCount;

/** The records of one message: all of them have stack and heap of the same size. */
export class RunRecords {
  private readonly bytes: Uint8Array;
  private readonly words: Int32Array;
  private stackBegin = STACK_SIZE;
  private heapSize = 0;
  private size = HEAD_SIZE + REGISTERS_SIZE;

  constructor(memory: ArrayBuffer, offset: number, size: number) {
    this.bytes = new Uint8Array(memory, offset, size);
    this.words = new Int32Array(memory, offset, size / 4);
  }

  /** @param stackBegin a multiple of 4; what is below is in no record */
  shape(stackBegin: number, heapSize: number): void {
    this.stackBegin = stackBegin;
    this.heapSize = heapSize;
    this.size = HEAD_SIZE + REGISTERS_SIZE + STACK_SIZE - stackBegin + heapSize;
  }

  get room(): number {
    return Math.floor(this.bytes.length / this.size);
  }

  /** A word of the head of record `run`. */
  head(run: number, word: number): number {
    return this.words[(run * this.size) / 4 + word];
  }

  setHead(run: number, word: number, value: number): void {
    this.words[(run * this.size) / 4 + word] = value;
  }

  /** What host functions keep behind record `run`; writing changes the record. */
  kept(run: number): Int32Array {
    const at = (run * this.size) / 4 + RUN.kept;
    return this.words.subarray(at, at + KEPT_PLACES);
  }

  /** From the guest into the record. */
  save(run: number, { registers, stack, heap }: GuestState): void {
    const { bytes, words, stackBegin } = this;
    const at = run * this.size + HEAD_SIZE;
    words.set(registers, at / 4);
    bytes.set(stack.subarray(stackBegin), at + REGISTERS_SIZE);
    bytes.set(heap, at + REGISTERS_SIZE + STACK_SIZE - stackBegin);
  }

  /** From the record into the guest. */
  restore(run: number, { registers, stack, heap }: GuestState): void {
    const { bytes, words, stackBegin, heapSize } = this;
    const at = run * this.size + HEAD_SIZE;
    registers.set(words.subarray(at / 4, (at + REGISTERS_SIZE) / 4));
    const stackAt = at + REGISTERS_SIZE;
    const heapAt = stackAt + STACK_SIZE - stackBegin;
    stack.set(bytes.subarray(stackAt, heapAt), stackBegin);
    heap.set(bytes.subarray(heapAt, heapAt + heapSize));
  }
}
