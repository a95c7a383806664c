// Checks a state for contradictions: facts that cannot be true of a campaign, although each part
// has the right form.

import { basename } from "node:path";
import { symptomOf } from "../../report/bucket.js";
import { indexOf } from "../program/seeds.js";
import type { CampaignState } from "./campaign-state.js";
import { KEPT_PER_SYMPTOM } from "./jobs.js";
import { type JudgeSettings, subjectNames } from "./judge-seed.js";

/** The limits of a campaign. */
export interface Bounds {
  readonly settings: Pick<JudgeSettings, "subjects" | "remote" | "profile">;
  readonly first: bigint;
  /** Number of programs; Infinity if only another limit ends it. */
  readonly count: number;
}

/** Returns a contradiction in one line; null if there is none. */
export function impossibleIn(state: CampaignState, bounds: Bounds): string | null {
  const { committed, tally, symptoms, kept } = state;
  const { settings, first, count } = bounds;
  if (committed > count) return `it has ${committed} programs, of a campaign of ${count}`;
  if (tally.programs > committed) {
    return `it has judged ${tally.programs} programs of ${committed}`;
  }
  const names = subjectNames(settings);
  const stranger = Object.keys(tally.subjects).find((name) => !names.includes(name));
  if (stranger !== undefined) return `${stranger} is no subject of the campaign`;
  const counted: Record<string, number> = {};
  for (const { found, filed } of kept) {
    const { seed, subject, kind } = found;
    // Other kinds of findings may come from a sample, which is measured ahead.
    const end = kind === "difference" ? committed : count;
    if (indexOf(first, seed) >= end) return `seed ${seed} is not among its programs`;
    if (subject !== null && !names.includes(subject)) {
      return `${subject}, which shows seed ${seed}, is no subject of the campaign`;
    }
    const symptom = symptomOf(found);
    counted[symptom] = (counted[symptom] ?? 0) + 1;
    if (counted[symptom] > Math.min(KEPT_PER_SYMPTOM, symptoms[symptom] ?? 0)) {
      return `${symptom} has more findings than it counts`;
    }
    if (filed?.kind === "report" && basename(filed.entry.path) !== filed.entry.id) {
      return `the report of seed ${seed} is not in a folder of its name`;
    }
  }
  return null;
}
