// Defines the cause of a difference, as far as it was located.

import type { LaterStageCause } from "./behind-optimizer.js";
import type { WrongApplication } from "./guilty-application.js";

/** A false claim of an analysis about an execution, though no subject differs. */
export interface FalseAnalysis {
  readonly stage: "analysis";
  /** A `Cause`; spelled out here, because cause.ts imports this file. */
  readonly cause: {
    readonly stage: string;
    readonly part: string | null;
    readonly rule: string | null;
  };
  /** The claim, and the value that contradicts it. */
  readonly detail: string;
}

export type LocatedCause =
  | ({ readonly stage: "optimizer" } & WrongApplication)
  | FalseAnalysis
  | LaterStageCause;
