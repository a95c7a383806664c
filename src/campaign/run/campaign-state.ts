// Declares the state of a campaign: the results of its first programs, and of no others.

import type { ExtremePrograms } from "../count/extremes.js";
import type { Tally } from "../count/tally.js";
import type { EvolutionState } from "../evolved/evolution.js";
import type { FilingResult } from "../file/filing.js";
import type { RawFinding } from "./found.js";

/**
 * A finding that the campaign keeps completely, and its report; null if it was not examined yet.
 */
interface FindingWithReport {
  readonly found: RawFinding;
  readonly filed: FilingResult | null;
}

export interface CampaignState {
  /** Number of programs, from the first on, whose results the state contains. */
  readonly committed: number;
  readonly seconds: number;
  readonly tally: Tally;
  readonly extremes: ExtremePrograms;
  readonly symptoms: Readonly<Record<string, number>>;
  /** The findings that are kept completely, in the order in which they occurred. */
  readonly kept: readonly FindingWithReport[];
  /** The state of the evolving corpus; null except in the profile `evolved`. */
  readonly evolution: EvolutionState | null;
}
