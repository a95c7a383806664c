// Keeps the programs of a campaign that took longest, and the largest: the ones to examine after a
// slow night. Times depend on the clock, so they are separate from the counts.

import { z } from "zod";
import { AMOUNT, SEED, type ShapeOf } from "../file/shapes.js";

const LIST = z.array(z.object({ seed: SEED, amount: AMOUNT }));
type ExtremeProgram = ShapeOf<typeof LIST>[number];

/** Both lists have the largest amount first. */
export const EXTREMES = z.object({
  longest: LIST.describe("seconds from seed to verdicts"),
  largest: LIST.describe("values of all procedures"),
});
export type ExtremePrograms = ShapeOf<typeof EXTREMES>;

export const NO_EXTREMES: ExtremePrograms = { longest: [], largest: [] };

const KEPT = 5;

/**
 * Merges extremes; the result does not depend on order and grouping. Equal amounts are ordered by
 * seed.
 */
export const mergeExtremes = (a: ExtremePrograms, b: ExtremePrograms): ExtremePrograms => ({
  longest: first(a.longest, b.longest),
  largest: first(a.largest, b.largest),
});

function first(
  a: readonly ExtremeProgram[],
  b: readonly ExtremeProgram[],
): readonly ExtremeProgram[] {
  // Fast path: nearly every program is smaller and faster than the kept extremes.
  if (b.length === 1 && a.length === KEPT && b[0].amount < a[KEPT - 1].amount) return a;
  const all = new Map([...a, ...b].map((one) => [one.seed, one]));
  return [...all.values()]
    .sort(
      (x, y) => y.amount - x.amount || x.seed.length - y.seed.length || (x.seed < y.seed ? -1 : 1),
    )
    .slice(0, KEPT);
}
