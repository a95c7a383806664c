// The programs of a campaign that took longest, and the largest: what to look at when a night was slow. Which took
// longest says the clock, so it is kept apart from what is counted.

import { isAmount, isText, listOf, objectOf, type Shape } from "../file/shapes.js";

interface Extreme {
  /** Decimal. */
  readonly seed: string;
  readonly amount: number;
}

export interface Extremes {
  /** Seconds from its seed to its verdicts, the largest first. */
  readonly longest: readonly Extreme[];
  /** Values of all its procedures, the largest first. */
  readonly largest: readonly Extreme[];
}

export const NO_EXTREMES: Extremes = { longest: [], largest: [] };

const KEPT = 5;

/** In any order and grouping the same; of equal amounts the lower seed. */
export const mergeExtremes = (a: Extremes, b: Extremes): Extremes => ({
  longest: first(a.longest, b.longest),
  largest: first(a.largest, b.largest),
});

function first(a: readonly Extreme[], b: readonly Extreme[]): readonly Extreme[] {
  // In the loop of a campaign nearly every program is neither.
  if (b.length === 1 && a.length === KEPT && b[0].amount < a[KEPT - 1].amount) return a;
  const all = new Map([...a, ...b].map((one) => [one.seed, one]));
  return [...all.values()]
    .sort(
      (x, y) => y.amount - x.amount || x.seed.length - y.seed.length || (x.seed < y.seed ? -1 : 1),
    )
    .slice(0, KEPT);
}

export const isExtremes: Shape = objectOf({
  longest: listOf(objectOf({ seed: isText, amount: isAmount })),
  largest: listOf(objectOf({ seed: isText, amount: isAmount })),
});
