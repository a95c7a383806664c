// Where a difference comes from, as far as it was located.

import type { Behind } from "./behind-optimizer.js";
import type { Cause } from "./cause.js";
import type { Guilty } from "./guilty-application.js";

/** An analysis claims what is false of an execution, though no subject differs. */
export interface FalseAnalysis {
  readonly stage: "analysis";
  readonly cause: Cause;
  /** The claim, and the value that contradicts it. */
  readonly detail: string;
}

export type Located = ({ readonly stage: "optimizer" } & Guilty) | FalseAnalysis | Behind;
