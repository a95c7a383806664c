// What the formats of a result have in common: the verdict of a campaign, and what was counted.

import { isUnreached, reachedOf } from "../count/counters.js";
import type { Tally } from "../count/tally.js";
import { type Figure, isBelowFloor } from "../distribution/figure.js";
import { figuresOf } from "../distribution/figures.js";
import type { FindingEntry } from "../file/filing.js";
import type { Ended } from "../run/options.js";
import { SAMPLE_WHOLE, type Summary } from "../run/summary.js";

/** What ended a campaign, in words. */
export const ENDED: Readonly<Record<Ended, string>> = {
  count: "all that were asked for",
  time: "the time is up",
  findings: "enough was found",
  interrupted: "interrupted",
  machine: "this machine refused to go on",
};

/** News first, then those that are known already. */
export const findingsOf = ({ findings }: Summary): readonly FindingEntry[] =>
  [...findings].sort((a, b) => Number(a.news === "known") - Number(b.news === "known"));

export const isNews = ({ news }: FindingEntry): boolean => news !== "known";

/** What a campaign of this size should have reached and has not: a line each. */
export function faultsOf({ tally, seconds, sample }: Summary): string[] {
  const figures: readonly Figure[] = [...figuresOf(tally, seconds), ...(sample?.figures ?? [])];
  const below = tally.programs < SAMPLE_WHOLE ? [] : figures.filter(isBelowFloor);
  return [
    ...below.map(({ name, value, floor }) => {
      const text =
        typeof value === "number" ? `${Number(value.toPrecision(3))}, floor ${floor}` : value;
      return `below its floor, so programs are not what they should be: ${name}: ${text}`;
    }),
    ...reachedOf(tally)
      .filter(isUnreached)
      .map(({ kind, never }) => `never seen, so status 1: ${kind}: ${never.join(", ")}`),
  ];
}

/** Executions by verdict, of all subjects together. */
export function executionsOf({
  subjects,
}: Tally): Record<"equal" | "different" | "unjudged", number> {
  const total = { equal: 0, different: 0, unjudged: 0 };
  for (const row of Object.values(subjects)) {
    for (const key of ["equal", "different", "unjudged"] as const) total[key] += row[key];
  }
  return total;
}
