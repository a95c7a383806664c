// Tests the subjects that judge a program: one of each level before any level has two, and in time
// all of them.

import test from "ava";
import { SUBJECTS } from "../../execute/subjects.js";
import { SeedJudge } from "./judge-seed.js";

const LEVELS_AND_CHAOS = 4;
const levelAt = (index: number): string =>
  SUBJECTS[index].chaos ? "chaos" : SUBJECTS[index].level;

/** Returns, by seed, the indices of the subjects that judge its program. */
function drawnBy(drawn: number, seeds: bigint): number[][] {
  const subjects = SUBJECTS.map(({ name }) => name);
  const judge = new SeedJudge({ subjects, canary: null, drawn, profile: "usual" });
  const draws: number[][] = [];
  for (let seed = 1n; seed <= seeds; seed++) {
    const chosen = [...(judge.drawSubjects(seed) ?? [])];
    draws.push(chosen.flatMap((isChosen, index) => (isChosen !== 0 ? [index] : [])));
  }
  judge.close();
  return draws;
}

test("four subjects are one of each level and one under chaos", (t) => {
  const draws = drawnBy(4, 500n);
  for (const draw of draws) {
    t.is(draw.length, 4);
    t.is(new Set(draw.map(levelAt)).size, LEVELS_AND_CHAOS);
  }
  t.is(new Set(draws.flat()).size, SUBJECTS.length);
});

test("six are one or two of each, and all except one are drawn if that number is requested", (t) => {
  for (const draw of drawnBy(6, 50n)) {
    t.is(draw.length, 6);
    t.is(new Set(draw.map(levelAt)).size, LEVELS_AND_CHAOS);
    for (const index of draw) {
      const count = draw.filter((other) => levelAt(other) === levelAt(index)).length;
      t.true(count <= 2, `${levelAt(index)}: ${count}`);
    }
  }
  t.is(drawnBy(SUBJECTS.length - 1, 1n)[0].length, SUBJECTS.length - 1);
});
