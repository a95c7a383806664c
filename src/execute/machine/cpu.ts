// What runs machine code: an emulator, or the processor of this machine in a child process. The
// runner of images sees only this.

import type { FaultKind, HostEvent } from "../../ir/outcome.js";
import type { Architecture, Layout } from "./guest.js";
import type { Poison } from "./junk.js";

/**
 * How a run ended. `address` is that of the memory access as the machine tells it, and 0 for a
 * fault that accesses none; `pc` is the faulting instruction. A run has escaped if its `pc` is in
 * no code of ours, that is, neither in the image nor at a host function.
 */
export type MachineEnding =
  | { readonly kind: "return" }
  | { readonly kind: "exit" }
  | {
      readonly kind: "fault";
      readonly fault: FaultKind;
      readonly address: bigint;
      readonly pc: bigint;
    }
  | { readonly kind: "runaway" }
  | { readonly kind: "escaped"; readonly pc: bigint };

/** What a guest consists of, besides its code. */
export interface GuestState {
  /** All registers, in the words that REGISTERS gives. */
  readonly registers: Int32Array;
  /** The byte at index 0 is at `layout.stack`, the end is the stack's bottom. */
  readonly stack: Uint8Array;
  /** At `layout.heap`, as large as it was made. */
  readonly heap: Uint8Array;
  readonly layout: Layout;
}

/**
 * One image, a heap and a stack. Between two runs of one image others may have used the same memory:
 * the caller fills registers, stack and heap before a run, and reads what it needs after it.
 */
export interface Cpu extends GuestState {
  readonly architecture: Architecture;
  /** What the host functions that were called in the last run have recorded. */
  readonly events: readonly HostEvent[];
  /** The image that is loaded, as it was given to `load`; null if none is. */
  readonly code: Uint8Array | null;
  /** Makes `code` the image at `layout.code`. While it is loaded it changes only with `patch`. */
  load(code: Uint8Array, heapSize: number): void;
  /** These bytes of the code that is loaded have changed; absent where code cannot. */
  patch?(begin: number, end: number): void;
  /**
   * Calls the start of the image, or a byte of it. The stack pointer in `registers` is that before the call.
   * @param instructionsMax more are a runaway, as far as instructions can be counted
   * @param entry 0 where code cannot be patched
   */
  run(poison: Poison, instructionsMax: number, entry?: number): MachineEnding;
  /**
   * Goes on at a byte of the image, with registers, stack and heap as they are, after a run that
   * ended as an exit; what host functions record is added to what they have.
   */
  resume(offset: number, instructionsMax: number): MachineEnding;
  /** Where asking for a run takes longer than most runs. */
  readonly batch?: Batch;
  close(): void;
}

/** Several runs of the image that is loaded, made at once. */
export interface Batch {
  /** @param stackBegin the runs use no more of the stack than what is from this byte on */
  begin(stackBegin: number): void;
  /** A run from registers, stack and heap as they are now; false if there is no room for it. */
  add(poison: Poison, instructionsMax: number): boolean;
  /** Makes the runs; false if one of them did not end as it should, and so none is to be believed. */
  run(): boolean;
  /**
   * Registers, stack, heap and events become what that run has left, and `resume` goes on from there;
   * null if what it has left cannot be read.
   */
  show(run: number): MachineEnding | null;
}
