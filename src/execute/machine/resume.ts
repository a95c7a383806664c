// What the runner of machine code calls when an exit has continuations.

import type { FrameState, Outcome } from "../../ir/outcome.js";
import type { Oracle } from "../../oracle/fast/oracle.js";
import type { Program } from "../../oracle/fast/program.js";
import type { Poison } from "./junk.js";

/** An exit that has been taken, and what is needed to continue from it. */
export interface Taken {
  readonly exit: number;
  readonly frames: readonly FrameState[];
  /** What the exit left; the continuations change it in place. */
  readonly heap: Uint8Array;
  /** The program of the code that took it. */
  readonly program: () => Program;
  readonly poison: Poison;
  /** For each continuation that runs as machine code; more are a runaway. */
  readonly instructionsMax: number;
  /** For each that the oracle runs. */
  readonly fuelMax: number;
}

/** The outcomes of the continuations, and what ran them. */
export interface Resumption {
  /** The name of a subject, or INTERPRETED. */
  readonly by: string;
  /** One outcome for each that ran, innermost frame first. */
  readonly outcomes: readonly Outcome[];
}

export type Resume = (taken: Taken) => Resumption;

export const INTERPRETED = "interpreted";

/** Runs every continuation in the oracle. */
export const interpretedBy =
  (oracle: Oracle): Resume =>
  ({ program, exit, frames, heap, fuelMax }) => ({
    by: INTERPRETED,
    outcomes: oracle.resume(program(), exit, frames, heap, fuelMax),
  });
