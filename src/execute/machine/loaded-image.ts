// Defines an image of compiled code with all data that a run of it needs; no earlier call sets
// state for it.

import type { Module } from "../../ir/procedure.js";
import type { DecodedModule } from "../../oracle/fast/program.js";
import type { DecodedExit } from "./decode-exits.js";
import type { ResumeFunction } from "./resume.js";

/** The result of compiling a program. */
export interface CompiledImage {
  readonly code: Uint8Array;
  /** The index in the module of the procedure that it starts with: the entry, or a continuation. */
  readonly root: number;
  readonly exits: Uint8Array;
  /** The decoded exits of interpreted LIR, which has no table. */
  readonly decoded?: readonly DecodedExit[];
  /** The most bytes of stack that a judged execution takes below the frame pointer of the root. */
  readonly stackSize: number;
}

/** An image in code that it shares with others; one image may jump into another. */
export interface SharedCode {
  /** The offset of the image in the code. */
  readonly entry: number;
  /** Returns the exit with this number in the code, and its image; null if there is none. */
  exitAt(index: number): { readonly image: LoadedImage; readonly exit: DecodedExit } | null;
  /** The most bytes that the arguments of any of these images take on the stack. */
  readonly argumentBytes: number;
}

export interface LoadedImage extends CompiledImage {
  /** Absent if the image does not share its code. */
  readonly sharing?: SharedCode;
  /** The compiled module, after the optimizer. */
  readonly module: Module;
  /**
   * Returns the same module, decoded for the interpreter, which runs exit blocks and continuations.
   */
  readonly program: () => DecodedModule;
  /** Runs the continuations of its exits; absent: the oracle runs them. */
  readonly resume?: ResumeFunction;
}
