// Tests the share of effective programs of a remote subject, and its floor.

import test from "ava";
import type { SubjectResult } from "../../compare/judge-program.js";
import { effectiveRowsOf, isIneffective } from "./effective.js";
import { emptyTally, mergeTally, tallyEffective } from "./tally.js";

type Verdict = SubjectResult["judgements"][number]["verdict"];

const EQUAL: Verdict = { kind: "equal" };
const DECLINED: Verdict = { kind: "unjudged", reason: "declined" };

const resultOf = (...verdicts: Verdict[]): SubjectResult => ({
  subject: "engine",
  judgements: verdicts.map((verdict, input) => ({ input, verdict, outcome: null, second: null })),
  counts: null,
  notShown: [],
  declined: null,
});

test("a program is effective if one execution was compared", (t) => {
  const [whole, part] = [emptyTally(), emptyTally()];
  tallyEffective(whole, [resultOf(DECLINED, EQUAL)]);
  tallyEffective(part, [resultOf(DECLINED), resultOf()]);
  mergeTally(whole, part);
  t.deepEqual(whole.effective, { engine: { programs: 3, effective: 1 } });
});

test("a program of which the compiler compiled nothing is not effective", (t) => {
  const tally = emptyTally();
  tallyEffective(tally, [{ ...resultOf(EQUAL), isUncompiled: true }, resultOf(EQUAL)]);
  t.deepEqual(tally.effective, { engine: { programs: 2, effective: 1 } });
  t.deepEqual(tally.declined, { engine: { "the compiler compiled none of its functions": 1 } });
});

test("a program that a subject cannot show does not count as one to run", (t) => {
  const UNSHOWN: Verdict = { kind: "unjudged", reason: "not-shown" };
  const [whole, part] = [emptyTally(), emptyTally()];
  tallyEffective(whole, [resultOf(UNSHOWN, UNSHOWN), resultOf(UNSHOWN, EQUAL)]);
  tallyEffective(part, [resultOf(UNSHOWN, { kind: "unjudged", reason: "undefined" })]);
  tallyEffective(part, [resultOf(UNSHOWN, DECLINED), resultOf(DECLINED)]);
  mergeTally(whole, part);
  t.deepEqual(whole.effective, { engine: { programs: 5, effective: 1, unshown: 3 } });
  const isBelow = (effective: number, unshown: number): boolean =>
    effectiveRowsOf({ effective: { engine: { programs: 1000, effective, unshown } } }).some(
      isIneffective,
    );
  t.false(isBelow(690, 300));
  t.true(isBelow(500, 300));
  t.true(isBelow(400, 600), "a subject that shows nearly nothing is ineffective");
});

test("a subject below the floor is ineffective, after enough programs", (t) => {
  const isBelow = (programs: number, effective: number): boolean =>
    effectiveRowsOf({ effective: { engine: { programs, effective } } }).some(isIneffective);
  t.false(isBelow(1000, 900));
  t.true(isBelow(1000, 700));
  t.true(isBelow(60, 0));
  t.false(isBelow(10, 0));
});
