// Defines the interface of an executor of machine code: an emulator, a simulator, or the processor
// of this machine in a child process. The runner of images uses only this interface.

import type { FaultKind, HostEvent } from "../../ir/outcome.js";
import type { Architecture, GuestLayout } from "./guest.js";
import type { JunkRun } from "./junk.js";

/**
 * The ending of a run. `address` is the address of the memory access as the machine reports it; it
 * is 0 for a fault without an access. `pc` is the faulting instruction. A run has escaped if its
 * `pc` is neither in the image nor at a host function.
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

/** The state of a guest, without its code. */
export interface GuestState {
  /** All registers, at the words of REGISTERS. */
  readonly registers: Int32Array;
  /** The byte at index 0 is at `layout.stack`; the end is the bottom of the stack. */
  readonly stack: Uint8Array;
  /** The heap at `layout.heap`, with its allocated size. */
  readonly heap: Uint8Array;
  readonly layout: GuestLayout;
}

/**
 * One image, a heap and a stack. Other images may use the same memory between two runs of one
 * image. So the caller fills registers, stack and heap before a run, and reads its results directly
 * after it.
 */
export interface Cpu extends GuestState {
  readonly architecture: Architecture;
  /** The events of the host functions that the last run called. */
  readonly events: readonly HostEvent[];
  /** The loaded image, as it was passed to `load`; null if none is. */
  readonly code: Uint8Array | null;
  /**
   * Loads `code` as the image at `layout.code`. While it is loaded, it changes only with `patch`.
   */
  load(code: Uint8Array, heapSize: number): void;
  /** Announces changed bytes of the loaded code; absent if code cannot be patched. */
  patch?(begin: number, end: number): void;
  /**
   * Calls the image at its start or at the offset `entry`. The stack pointer in `registers` is that
   * before the call.
   * @param instructionsMax limit of instructions, if they can be counted; more are a runaway
   * @param entry 0 if code cannot be patched
   */
  run(poison: JunkRun, instructionsMax: number, entry?: number): MachineEnding;
  /**
   * Continues at an offset of the image, after a run that ended with an exit. Registers, stack and
   * heap keep their contents. New events are appended to the earlier ones.
   */
  resume(offset: number, instructionsMax: number): MachineEnding;
  /** Present if a request for a run takes longer than most runs. */
  readonly batch?: RunBatch;
  close(): void;
}

/** Several runs of the loaded image, made at once. */
export interface RunBatch {
  /** @param stackBegin index of the first byte of the stack that the runs may use */
  begin(stackBegin: number): void;
  /**
   * Adds a run from the present registers, stack and heap; returns false if there is no room for
   * it.
   */
  add(poison: JunkRun, instructionsMax: number): boolean;
  /**
   * Makes the runs. Returns false if one of them ended abnormally; then all results are invalid.
   */
  run(): boolean;
  /**
   * Restores registers, stack, heap and events as the given run left them; `resume` continues from
   * there. Returns null if the results cannot be read.
   */
  show(run: number): MachineEnding | null;
}
