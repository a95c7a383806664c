// Tests that campaigns with both kinds of subjects trace few programs, in addition to the other
// subjects.

import test from "ava";
import { emptyTally, type Tally } from "../count/tally.js";
import { NO_PARENTS } from "../program/lineage.js";
import { SeedJudge } from "./judge-seed.js";

const WHOLE = ["ir-O1", "ir-O2", "ir-O2-chaos"];
const TRACED = ["traced-ir-O0", "traced-ir-O1", "traced-ir-O2"];
const PROGRAMS = 80n;

function judged(subjects: readonly string[]): Tally {
  const tally = emptyTally(subjects);
  const settings = { subjects, canary: null, drawn: 1, profile: "usual" };
  const judge = new SeedJudge(settings);
  for (let seed = 1n; seed <= PROGRAMS; seed++) judge.judge({ seed, parents: NO_PARENTS }, tally);
  judge.close();
  return tally;
}

test("one program in sixteen is traced by two subjects, and the other subjects judge the same programs as before", (t) => {
  const mixed = judged([...WHOLE, ...TRACED]);
  const whole = judged(WHOLE);
  for (const name of WHOLE) t.deepEqual(mixed.subjects[name], whole.subjects[name], name);
  const { programs = 0 } = mixed.traces ?? {};
  t.true(programs >= 4 && programs <= 20 && programs % 2 === 0, `${programs}`);
  t.is(whole.traces, undefined);
});

test("applications of the optimizer to traces are counted, if only traces are compiled", (t) => {
  const { applied } = judged(["traced-ir-O2"]);
  t.true((applied["reduce-strength"] ?? 0) > 0, JSON.stringify(applied));
});
