import test from "ava";
import { type ExtremePrograms, mergeExtremes, NO_EXTREMES } from "./extremes.js";

const one = (seed: number, amount: number): ExtremePrograms => ({
  longest: [{ seed: String(seed), amount }],
  largest: [{ seed: String(seed), amount: -amount }],
});

test("the five longest and the five largest are kept, in any order of arrival", (t) => {
  const amounts = [3, 9, 1, 9, 7, 5, 8, 2];
  const all = amounts.map((amount, seed) => one(seed + 8, amount));
  const forth = all.reduce(mergeExtremes, NO_EXTREMES);
  const half = all.slice(4).reduce(mergeExtremes, NO_EXTREMES);
  const back = mergeExtremes(half, all.slice(0, 4).reverse().reduce(mergeExtremes, NO_EXTREMES));
  t.deepEqual(back, forth);
  t.deepEqual(mergeExtremes(forth, forth), forth);
  t.deepEqual(
    forth.longest.map(({ seed, amount }) => `${seed}:${amount}`),
    [...["9:9", "11:9", "14:8", "12:7", "13:5"]],
  );
  t.deepEqual(
    forth.largest.map(({ amount }) => amount),
    [-1, -2, -3, -5, -7],
  );
});
