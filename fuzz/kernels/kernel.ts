// What a kernel is: a program of the language as people write them, the same in
// JavaScript, and what is counted of it.

import { HEAP_BASE_HI, HEAP_BASE_LO, heapContents, type Input } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";

/** A row of the table of kernels. The entry takes the address of the heap, then `args`. */
export interface Kernel {
  readonly name: string;
  /** One line at the head of its file. */
  readonly about: string;
  readonly build: () => Module;
  /** The same program in JavaScript, on the same heap: what compiled code is timed against. */
  readonly javascript: (heap: ArrayBuffer, args: readonly number[]) => number;
  /** The arguments behind the heap, all of them Int32. */
  readonly args: (size: number) => readonly number[];
  /** The seed of what the heap holds at the start; 0: zeroes. */
  readonly fill: number;
  /** Large enough that the inner loops decide, small enough for the emulator. */
  readonly counted: number;
  /** Takes milliseconds on a processor. */
  readonly timed: number;
  /** Arguments of calls that leave by a guard; they are run lines of the file as well. */
  readonly leaving: readonly (readonly number[])[];
  /** Null where no loop decides. */
  readonly inner: InnerLoop | null;
}

/**
 * What one iteration of the inner loop costs is a coefficient: executed instructions are a sum of
 * `counts(size)` with unknown factors, found from as many sizes as there are counts.
 */
interface InnerLoop {
  /** What one iteration does, in the singular. */
  readonly unit: string;
  /** How often each part of the program runs; that of the inner loop comes last. */
  readonly counts: (size: number) => readonly number[];
  readonly sizes: readonly number[];
}

export const HEAP_SIZE = 1 << 20;

/** The heap's address, and these arguments. */
export function inputOf({ fill }: Kernel, args: readonly number[]): Input {
  const words = [HEAP_BASE_LO, HEAP_BASE_HI];
  for (const arg of args) words.push(arg, 0);
  return { words: Int32Array.from(words), heapSeed: fill };
}

/** The heap as a call finds it. */
export function heapOf({ fill }: Kernel): ArrayBuffer {
  const heap = new ArrayBuffer(HEAP_SIZE);
  heapContents(new Uint8Array(heap), fill);
  return heap;
}
