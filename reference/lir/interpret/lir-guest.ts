// The environment of the machine that interprets LIR, and the endings of an execution.

import type { FaultKind } from "../../../src/ir/outcome.js";

/** The environment of the machine. */
export interface LirGuest {
  /**
   * Words of 32 bits, the low one first: general register i at word 2i, vector register i, of which
   * only the low 64 bits are used, at `vectors + 4i`.
   */
  readonly registers: Int32Array;
  readonly vectors: number;
  /**
   * The number of the stack pointer's word, and the number of the general register that is the
   * frame pointer.
   */
  readonly stackPointerWord: number;
  readonly framePointer: number;
  readonly stack: Uint8Array;
  readonly stackAddress: number;
  readonly heapAddress: number;
  readonly codeAddress: number;
  /** The return address of the first procedure. */
  readonly returnAddress: number;
  /** Executes a call of a host function whose arguments are in their locations. */
  hostCall(index: number): void;
}

export type LirEnding =
  | { readonly kind: "return" }
  /** `index`: position of the exit in the table of the whole program. */
  | { readonly kind: "exit"; readonly index: number }
  | { readonly kind: "fault"; readonly fault: FaultKind; readonly address: bigint }
  | { readonly kind: "escaped"; readonly address: number }
  | { readonly kind: "runaway" };
