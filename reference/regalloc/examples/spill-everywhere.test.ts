// Tests the example allocator: puzzles of LIR, and programs that are compiled with it for both
// targets and compared with the oracle.

import test from "ava";
import { programOf } from "../../../src/campaign/program/seeds.js";
import { Judge } from "../../../src/compare/judge-program.js";
import { SUBJECTS } from "../../../src/execute/subjects.js";
import { emulatorTest } from "../../../src/execute/unicorn-available.js";
import { DEFAULT_SETTINGS } from "../../../src/execute/unit.js";
import { PARTS } from "../../parts.js";
import { PuzzleJudge } from "../stress/judge-puzzle.js";
import { newSpillEverywhere } from "./spill-everywhere.js";

const PUZZLES = 1000;
const PROGRAMS = 200;
const FUEL = 1_000_000;

/** Replaces one allocator by the example. */
const parts = { ...PARTS, allocators: { ...PARTS.allocators, "one-pass": newSpillEverywhere } };

for (const target of ["x64", "arm64"] as const) {
  test(`puzzles of LIR, with the registers of ${target}`, (t) => {
    const judge = new PuzzleJudge(parts, "one-pass", PARTS.plans[target].target.registers);
    for (let seed = 0; seed < PUZZLES; seed++) t.is(judge.judge(seed), null, `puzzle ${seed}`);
  });
}

emulatorTest(test)(`${PROGRAMS} programs for both targets`, (t) => {
  const subjects = SUBJECTS.filter(({ name }) => /^(x64|arm64)-O2-one-pass$/.test(name));
  t.is(subjects.length, 2);
  const judge = new Judge({ subjects, parts, settings: DEFAULT_SETTINGS, fuelMax: FUEL });
  let equal = 0;
  for (let seed = 1n; seed <= BigInt(PROGRAMS); seed++) {
    const { module, inputs } = programOf(seed);
    const { results } = judge.judge({ module, inputs });
    for (const { subject, judgements } of results) {
      for (const { verdict } of judgements) {
        t.not(verdict.kind, "different", `seed ${seed}, ${subject}`);
        if (verdict.kind === "equal") equal++;
      }
    }
  }
  judge.close();
  t.true(equal > 2 * PROGRAMS);
});
