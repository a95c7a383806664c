// Defines the function that continues an exit of machine code, and its implementation in the
// oracle.

import type { FrameState, Outcome } from "../../ir/outcome.js";
import type { Oracle } from "../../oracle/fast/oracle.js";
import type { DecodedModule } from "../../oracle/fast/program.js";
import type { JunkRun } from "./junk.js";

/** An exit that has been taken, with the data to continue from it. */
export interface TakenExit {
  readonly exit: number;
  readonly frames: readonly FrameState[];
  /** The heap at the exit; the continuations change it in place. */
  readonly heap: Uint8Array;
  /** The program of the code that took the exit. */
  readonly program: () => DecodedModule;
  readonly poison: JunkRun;
  /** The limit of each continuation that runs as machine code; more instructions are a runaway. */
  readonly instructionsMax: number;
  /** The fuel of each continuation that the oracle runs. */
  readonly fuelMax: number;
}

/** The outcomes of the continuations, and the subject that ran them. */
export interface Resumption {
  /** The name of a subject, or INTERPRETED. */
  readonly by: string;
  /** One outcome for each executed continuation, innermost frame first. */
  readonly outcomes: readonly Outcome[];
}

export type ResumeFunction = (taken: TakenExit) => Resumption;

export const INTERPRETED = "interpreted";

/** Runs every continuation in the oracle. */
export const interpretedBy =
  (oracle: Oracle): ResumeFunction =>
  ({ program, exit, frames, heap, fuelMax }) => ({
    by: INTERPRETED,
    outcomes: oracle.resume(program(), exit, frames, heap, fuelMax),
  });
