// Where a campaign stands: what it has come to by its first programs, and nothing of others.

import type { Extremes } from "../count/extremes.js";
import type { Tally } from "../count/tally.js";
import type { EvolutionState } from "../evolved/evolution.js";
import type { Filed } from "../file/filing.js";
import type { Found } from "./found.js";

/** A finding that is kept, and what became of it; null: it was not looked at closer yet. */
interface Kept {
  readonly found: Found;
  readonly filed: Filed | null;
}

export interface CampaignState {
  /** Programs from the first on whose results are in here. */
  readonly committed: number;
  readonly seconds: number;
  readonly tally: Tally;
  readonly extremes: Extremes;
  readonly symptoms: Readonly<Record<string, number>>;
  /** In the order in which they came. */
  readonly kept: readonly Kept[];
  /** Null but in the profile `evolved`. */
  readonly evolution: EvolutionState | null;
}
