// An image of compiled code, with all that a run of it needs: no earlier call sets state for it.

import type { Module } from "../../ir/procedure.js";
import type { Program } from "../../oracle/program.js";
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

export interface LoadedImage extends CompiledImage {
  /** The module that was compiled, as it is after the optimizer. */
  readonly module: Module;
  /** The same, decoded for the interpreter; exit blocks and continuations run there. */
  readonly program: () => Program;
  /** Runs the continuations of its exits; the oracle does if nothing else is named. */
  readonly resume?: Resume;
}
