// Defines the result of the search for a cause: a wrong application, a false claim, or a later stage.

import type { LaterStageCause } from "./later-stages.js";
import type { WrongApplication } from "./wrong-application.js";

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
