// Where a difference comes from, as far as it was located.

import type { Behind } from "./behind-optimizer.js";
import type { Guilty } from "./guilty-application.js";

/** An analysis claims what is false of an execution, though no subject differs. */
export interface FalseAnalysis {
  readonly stage: "analysis";
  /** A Cause (cause.ts, which imports this file). */
  readonly cause: {
    readonly stage: string;
    readonly part: string | null;
    readonly rule: string | null;
  };
  /** The claim, and the value that contradicts it. */
  readonly detail: string;
}

export type Located = ({ readonly stage: "optimizer" } & Guilty) | FalseAnalysis | Behind;
