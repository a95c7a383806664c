// Tests the estimate of what is unseen, on simulated campaigns whose truth is known.

import test from "ava";
import { SeedSource } from "../../support/source.js";
import { emptyTally } from "./tally.js";
import { describeUnseen, type UnseenEstimate, unseenIn } from "./unseen.js";

/** The probability of each kind in a unit. */
// biome-ignore format: a table
const WORLDS: Readonly<Record<string, readonly number[]>> = {
  even:      Array.from({ length: 60 }, () => 0.004),
  geometric: Array.from({ length: 60 }, (_, i) => 0.2 * 0.85 ** i),
  zipf:      Array.from({ length: 200 }, (_, i) => 0.2 / (i + 1) ** 1.3),
};
const UNITS = 500;
const CAMPAIGNS = 600;
const BELOW = 1 << 30;

/** Returns the number of units of a campaign in which each kind was seen. */
function simulate(kinds: readonly number[], seed: bigint): number[] {
  const source = new SeedSource(seed, "unseen");
  return kinds.map((likely) => {
    let count = 0;
    for (let unit = 0; unit < UNITS; unit++) if (source.below(BELOW) < likely * BELOW) count++;
    return count;
  });
}

/**
 * Makes a tally and symptoms.
 * @param counts the number of programs in which each symptom was seen
 */
function unseenOf(programs: number, counts: readonly number[]): UnseenEstimate {
  const symptoms = Object.fromEntries(counts.map((count, i) => [i, count]));
  return unseenIn({ tally: { ...emptyTally(), programs }, symptoms })[0];
}

for (const [name, kinds] of Object.entries(WORLDS)) {
  test(`${name} kinds: the rate of new kinds is estimated correctly, and bounded`, (t) => {
    let [estimated, true_, within, least, unseen] = [0, 0, 0, 0, 0];
    for (let campaign = 0; campaign < CAMPAIGNS; campaign++) {
      const counts = simulate(kinds, BigInt(campaign));
      const found = unseenOf(UNITS, counts);
      const missing = kinds.filter((_, i) => counts[i] === 0);
      const truth = missing.reduce((sum, likely) => sum + likely, 0);
      estimated += found.rate;
      true_ += truth;
      if (truth <= found.rateMax) within++;
      least += found.least;
      unseen += missing.length;
    }
    const bias = estimated / true_ - 1;
    const covered = within / CAMPAIGNS;
    const share = least / unseen;
    t.log(
      `the rate is off by ${(100 * bias).toFixed(1)} % on average; the bound held in ` +
        `${(100 * covered).toFixed(1)} % of campaigns; "at least" is ${(100 * share).toFixed(0)} % of the unseen kinds`,
    );
    t.true(Math.abs(bias) < 0.08, String(bias));
    t.true(covered > 0.93, String(covered));
    t.true(share < 1.1, String(share));
  });
}

test("an estimate is printed as one line", (t) => {
  const line = (counts: readonly number[]) => describeUnseen(unseenOf(3000, counts));
  t.is(
    line([1, 1, 1, 2, 9]),
    "symptoms: 5 seen, 3 of them once: one program in 1,000 brings a new one, at most one in 401",
  );
  t.is(
    line([9]),
    "symptoms: 1 seen, 0 of them once: at most one in 1,000 programs brings a new one",
  );
});

test("a symptom counts once for all subjects that show it", (t) => {
  const shown = { "difference/x64-O1/result": 1, "difference/x64-O2/result": 2 };
  const tally = { ...emptyTally(), programs: 100 };
  const [symptoms] = unseenIn({ tally, symptoms: shown });
  t.like(symptoms, { name: "symptoms", seen: 1, once: 0 });
});
