// Computes the parts that all formats of a result share: the findings, the coverage faults and the
// sums.

import { isUnreached, reachedOf } from "../count/counters.js";
import { isBelowFloor } from "../count/figure.js";
import { figuresOf } from "../count/figures.js";
import type { Tally } from "../count/tally.js";
import type { FindingEntry } from "../file/filing.js";
import type { EndReason } from "../run/options.js";
import type { CampaignSummary } from "../run/summary.js";

/** Number of programs from which on figures below their floor are reported. */
const PROGRAMS_LARGE = 2000;

/** The reasons for the end of a campaign, in words. */
export const END_REASONS: Readonly<Record<EndReason, string>> = {
  count: "all requested programs are done",
  time: "the time limit is reached",
  findings: "the limit of findings is reached",
  interrupted: "interrupted",
  machine: "an error of this machine",
};

/** Returns the findings, new ones before known ones. */
export const findingsOf = ({ findings }: CampaignSummary): readonly FindingEntry[] =>
  [...findings].sort((a, b) => Number(a.news === "known") - Number(b.news === "known"));

export const isNews = ({ news }: FindingEntry): boolean => news !== "known";

/** Returns a line for each figure or counter that a campaign of this size should have reached. */
export function faultsOf({ tally, seconds }: CampaignSummary): string[] {
  const isLarge = tally.programs >= PROGRAMS_LARGE;
  const below = isLarge ? figuresOf(tally, seconds).filter(isBelowFloor) : [];
  return [
    ...below.map(({ name, value, floor }) => {
      const text =
        typeof value === "number" ? `${Number(value.toPrecision(3))}, floor ${floor}` : value;
      return `below its floor, so programs do not cover the language as they should: ${name}: ${text}`;
    }),
    ...reachedOf(tally)
      .filter(isUnreached)
      .map(({ kind, never }) => `never seen, so status 1: ${kind}: ${never.join(", ")}`),
  ];
}

/** Sums the executions of all subjects, by verdict. */
export function executionsOf({
  subjects,
}: Tally): Record<"equal" | "different" | "unjudged", number> {
  const total = { equal: 0, different: 0, unjudged: 0 };
  for (const row of Object.values(subjects)) {
    for (const key of ["equal", "different", "unjudged"] as const) total[key] += row[key];
  }
  return total;
}
