// An image of compiled code, with all that a run of it needs: no earlier call sets state for it.

import type { Module } from "../../ir/procedure.js";
import type { Program } from "../../oracle/fast/program.js";
import type { DecodedExit } from "./decode-exits.js";
import type { Resume } from "./resume.js";

/** What a compiler makes of a program. */
export interface CompiledImage {
  readonly code: Uint8Array;
  /** Index in the module of the procedure that it starts with: the entry, or a continuation. */
  readonly root: number;
  readonly exits: Uint8Array;
  /** The same decoded, where no table stands between: of LIR that is interpreted. */
  readonly decoded?: readonly DecodedExit[];
  /** Bytes of stack that a judged execution takes at most, below the frame pointer of the root. */
  readonly stackSize: number;
}

/** An image among others, in code that they share: one may jump into another. */
export interface Sharing {
  /** Bytes of the code before the image. */
  readonly entry: number;
  /** Whose exit it is that a stub of the code names by this number; null: nobody's. */
  exitAt(index: number): { readonly image: LoadedImage; readonly exit: DecodedExit } | null;
  /** Bytes that the arguments of each of them take on the stack, at most. */
  readonly argumentBytes: number;
}

export interface LoadedImage extends CompiledImage {
  /** Absent: the code is its own. */
  readonly sharing?: Sharing;
  /** The module that was compiled, as it is after the optimizer. */
  readonly module: Module;
  /** The same, decoded for the interpreter; exit blocks and continuations run there. */
  readonly program: () => Program;
  /** Runs the continuations of its exits; the oracle does if nothing else is named. */
  readonly resume?: Resume;
}
