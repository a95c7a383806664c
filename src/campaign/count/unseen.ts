// What a campaign has not seen yet, estimated from what it has seen once (Good and Turing): where many kinds were
// met in one program only, many are met in none. Programs are independent draws, so the estimate holds for
// seeds, not for the profile `evolved`, whose programs follow what was found.
//
// How far it is off is measured on simulated campaigns in unseen.test.ts.

import { seenAs } from "../../report/bucket.js";
import type { Tally } from "./tally.js";

export interface Unseen {
  /** Of what. */
  readonly name: string;
  /** Programs, or compiled programs. */
  readonly unit: string;
  readonly units: number;
  readonly seen: number;
  /** Those that were seen in one unit. */
  readonly once: number;
  /** New ones that the next unit brings, on average. */
  readonly rate: number;
  /** In 19 campaigns of 20 the rate is no higher. */
  readonly rateMax: number;
  /** At least so many exist that were not seen (Chao). */
  readonly least: number;
}

const SYMPTOMS = "symptoms";

interface What {
  readonly name: string;
  readonly unit: string;
  readonly units: number;
}

/** @param counts in how many units each was seen */
function unseenOf({ name, unit, units }: What, counts: readonly number[]): Unseen {
  const times = (count: number): number => counts.filter((one) => one === count).length;
  const [once, twice] = [times(1), times(2)];
  const total = Math.max(1, units);
  // Of nothing that was seen once, 3 in all is what 19 of 20 campaigns are below.
  const onceMax = Math.max(3, once + 2 * Math.sqrt(once + 2 * twice));
  return {
    ...{ name, unit, units, once },
    seen: counts.filter((count) => count > 0).length,
    rate: once / total,
    rateMax: onceMax / total,
    least: (((total - 1) / total) * once * (once - 1)) / (2 * (twice + 1)),
  };
}

type Seen = { readonly tally: Tally; readonly symptoms: Readonly<Record<string, number>> };

/** What findings look like, what the optimizer applied, and what occurred behind it. */
export function unseenIn({ tally, symptoms }: Seen): Unseen[] {
  const programs = { unit: "program", units: tally.programs };
  const compiled = Object.values(tally.code).reduce((sum, code) => sum + code.programs, 0);
  return [
    unseenOf({ name: SYMPTOMS, ...programs }, mostBySymptom(symptoms)),
    unseenOf({ name: "phases and rules", ...programs }, Object.values(tally.applied)),
    unseenOf(
      { name: "events and rows behind them", unit: "compiled program", units: compiled },
      Object.values(tally.happened),
    ),
  ].filter(({ units }) => units > 0);
}

/** Returns for each symptom the programs of the subject that shows it most often: subjects share their bugs. */
function mostBySymptom(symptoms: Readonly<Record<string, number>>): number[] {
  const most = new Map<string, number>();
  for (const [symptom, count] of Object.entries(symptoms)) {
    const { what } = seenAs(symptom);
    most.set(what, Math.max(most.get(what) ?? 0, count));
  }
  return [...most.values()];
}

/** A line for people. */
export function describeUnseen({ name, unit, seen, once, rate, rateMax, least }: Unseen): string {
  const one = (share: number): string => Math.round(1 / share).toLocaleString("en");
  const now = once === 0 ? "" : `one ${unit} in ${one(rate)} brings a new one, `;
  const atMost = `at most one in ${one(rateMax)}${once === 0 ? ` ${unit}s brings a new one` : ""}`;
  // One bug has several symptoms, so their number says nothing about bugs.
  const more = least < 0.5 || name === SYMPTOMS ? "" : `; at least ${Math.round(least)} more exist`;
  return `${name}: ${seen} seen, ${once} of them once: ${now}${atMost}${more}`;
}
