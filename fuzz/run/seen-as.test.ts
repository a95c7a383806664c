// Tests the printed symptoms: each kind is printed once, for all subjects together.

import test from "ava";
import { ASPECTS } from "../../src/compare/aspects.js";
import { splitSymptom, symptomOf } from "../../src/report/bucket.js";
import { FINDING_KINDS } from "../../src/report/finding.js";
import { announcer } from "./attend.js";
import { sumOfSubjects } from "./seen-as.js";

const DETAIL = "reference/optimize: value 7 has no block, expected / one";

test("the subject is removed from every symptom", (t) => {
  for (const kind of FINDING_KINDS) {
    for (const aspect of kind === "difference" ? ASPECTS : [null]) {
      for (const subject of [null, "x64-O1", "gcc-drawn+a=b/c"]) {
        const of = { kind, subject, aspect, detail: DETAIL };
        const { what, subject: taken } = splitSymptom(symptomOf(of));
        t.is(what, symptomOf({ ...of, subject: null }));
        t.is(taken, subject);
      }
    }
  }
});

test("one kind of symptom is printed once and summed over its subjects", (t) => {
  const announce = announcer();
  const lines = ["x64-O1", "arm64-O2", "x64-O1"].map((subject) => {
    const found = { ...FOUND, subject };
    return announce(found, symptomOf(found));
  });
  t.deepEqual(lines, [
    "found difference/x64-O1/heap, seed 7: at 0: expected 00, got 01",
    null,
    null,
  ]);
  const other = { ...FOUND, aspect: "slots" } as const;
  t.not(announce(other, symptomOf(other)), null, "another kind is another line");
  t.deepEqual(
    sumOfSubjects({
      "difference/x64-O1/slots": 1,
      "difference/x64-O1/heap": 3,
      "difference/arm64-O2/heap": 2,
      "invalid-program": 1,
    }),
    [
      { what: "difference/heap", findings: 5, subjects: ["x64-O1", "arm64-O2"] },
      { what: "difference/slots", findings: 1, subjects: ["x64-O1"] },
      { what: "invalid-program", findings: 1, subjects: [] },
    ],
  );
});

const FOUND = {
  kind: "difference",
  seed: 7n,
  parents: "",
  subject: "x64-O1",
  aspect: "heap",
  input: 0,
  detail: "at 0: expected 00, got 01",
} as const;
