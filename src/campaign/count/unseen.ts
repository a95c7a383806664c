// Estimates what a campaign has not seen yet from what it has seen once (Good and Turing). If many
// kinds appear in one program only, many appear in none. Programs are independent draws, so the
// estimate holds for seeds. It does not hold for the profile `evolved`, whose programs depend on
// earlier findings.
//
// unseen.test.ts measures the error on simulated campaigns.

import { splitSymptom } from "../../report/bucket.js";
import type { Tally } from "./tally.js";

export interface UnseenEstimate {
  /** The name of what is counted, such as symptoms, or phases and rules. */
  readonly name: string;
  /** The unit of observation: a program, or a compiled program. */
  readonly unit: string;
  readonly units: number;
  readonly seen: number;
  /** Number of kinds that were seen in one unit. */
  readonly once: number;
  /** Expected number of new kinds in the next unit. */
  readonly rate: number;
  /** Upper bound of the rate, which holds in 19 of 20 campaigns. */
  readonly rateMax: number;
  /** Lower bound of the number of unseen kinds (Chao). */
  readonly least: number;
}

const SYMPTOMS = "symptoms";

interface CountedKinds {
  readonly name: string;
  readonly unit: string;
  readonly units: number;
}

/**
 * Estimates the unseen kinds.
 * @param counts the number of units in which each kind was seen
 */
function unseenOf({ name, unit, units }: CountedKinds, counts: readonly number[]): UnseenEstimate {
  const times = (count: number): number => counts.filter((one) => one === count).length;
  const [once, twice] = [times(1), times(2)];
  const total = Math.max(1, units);
  // If no kind was seen once, the upper bound is 3 (the rule of three at 95 % confidence).
  const onceMax = Math.max(3, once + 2 * Math.sqrt(once + 2 * twice));
  return {
    ...{ name, unit, units, once },
    seen: counts.filter((count) => count > 0).length,
    rate: once / total,
    rateMax: onceMax / total,
    least: (((total - 1) / total) * once * (once - 1)) / (2 * (twice + 1)),
  };
}

type CampaignCounts = {
  readonly tally: Tally;
  readonly symptoms: Readonly<Record<string, number>>;
};

/**
 * Estimates unseen symptoms, unseen applications of the optimizer, and unseen events of the
 * compiler after it.
 */
export function unseenIn({ tally, symptoms }: CampaignCounts): UnseenEstimate[] {
  const programs = { unit: "program", units: tally.programs };
  const compiled = Object.values(tally.code).reduce((sum, code) => sum + code.programs, 0);
  return [
    unseenOf({ name: SYMPTOMS, ...programs }, mostBySymptom(symptoms)),
    unseenOf({ name: "phases and rules", ...programs }, Object.values(tally.applied)),
    unseenOf(
      { name: "events and rows after the optimizer", unit: "compiled program", units: compiled },
      Object.values(tally.events),
    ),
  ].filter(({ units }) => units > 0);
}

/**
 * Returns for each symptom the number of programs of the subject that shows it most often: subjects
 * share their bugs.
 */
function mostBySymptom(symptoms: Readonly<Record<string, number>>): number[] {
  const most = new Map<string, number>();
  for (const [symptom, count] of Object.entries(symptoms)) {
    const { what } = splitSymptom(symptom);
    most.set(what, Math.max(most.get(what) ?? 0, count));
  }
  return [...most.values()];
}

/** Describes an estimate in one line. */
export function describeUnseen({
  name,
  unit,
  seen,
  once,
  rate,
  rateMax,
  least,
}: UnseenEstimate): string {
  const one = (share: number): string => Math.round(1 / share).toLocaleString("en");
  const now = once === 0 ? "" : `one ${unit} in ${one(rate)} brings a new one, `;
  const atMost = `at most one in ${one(rateMax)}${once === 0 ? ` ${unit}s brings a new one` : ""}`;
  // The estimated number of unseen symptoms is left out: one bug has several symptoms.
  const more = least < 0.5 || name === SYMPTOMS ? "" : `; at least ${Math.round(least)} more exist`;
  return `${name}: ${seen} seen, ${once} of them once: ${now}${atMost}${more}`;
}
