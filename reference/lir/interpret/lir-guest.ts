// The environment of the machine that interprets LIR, and how an execution ends.

import type { FaultKind } from "../../../src/ir/outcome.js";

/** What the machine runs in. */
export interface LirGuest {
  /**
   * Words of 32 bits, the low one first: general register i at word 2i, vector register i, of which
   * only the low 64 bits are used, at `vectors + 4i`.
   */
  readonly registers: Int32Array;
  readonly vectors: number;
  /** Numbers of general registers; that of the stack pointer is that of its word. */
  readonly stackPointerWord: number;
  readonly framePointer: number;
  readonly stack: Uint8Array;
  readonly stackAddress: number;
  readonly heapAddress: number;
  readonly codeAddress: number;
  /** Where the first procedure returns to. */
  readonly returnAddress: number;
  /** Answers a call of a host function whose arguments are in place. */
  hostCall(index: number): void;
}

export type LirEnding =
  | { readonly kind: "return" }
  /** `index`: position of the exit in the table of the whole program. */
  | { readonly kind: "exit"; readonly index: number }
  | { readonly kind: "fault"; readonly fault: FaultKind; readonly address: bigint }
  | { readonly kind: "escaped"; readonly address: number }
  | { readonly kind: "runaway" };
