// What chaos draws of how code is written: choices that must not show.

import type { Source } from "../../src/support/source.js";

export interface EmissionPlan {
  /** Bytes that branches may span before they take their long form; null: what the target can. */
  readonly branchReach: number | null;
}

/** One program in so many has a short reach: two words, up to most of a usual procedure. */
const SHORT_REACH_ONE_IN = 4;
const REACHES = [8, 32, 128, 512];

export function drawEmission(source: Source): EmissionPlan {
  const isShort = source.below(SHORT_REACH_ONE_IN) === 0;
  return { branchReach: isShort ? REACHES[source.below(REACHES.length)] : null };
}
