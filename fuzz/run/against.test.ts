// `fuzz run --against`: a changed verdict, size or time is listed, and the same compiler changes nothing.

import test from "ava";
import { answerFault } from "../../ci/schemas/answer-fault.js";
import { runHere } from "../support/run-here.js";
import type { ProgramFigures } from "./against-child.js";
import { changeOf } from "./compare-builds.js";

const FIGURES: ProgramFigures = {
  seed: "7",
  verdicts: { "ir-O1": "equal", "x64-O2": "equal" },
  codeBytes: { "x64-O2": 300 },
  errors: [],
  seconds: 0.02,
};

test("equal figures are no change, and neither is the noise of time", (t) => {
  t.is(changeOf(FIGURES, FIGURES), null);
  t.is(changeOf(FIGURES, { ...FIGURES, seconds: 0.05 }), null);
});

test("a verdict, a size, a time and an error are changes", (t) => {
  const change = (own: Partial<ProgramFigures>) => changeOf(FIGURES, { ...FIGURES, ...own });
  const none = { seed: "7", verdicts: {}, codeBytes: {}, seconds: null };
  const different = { "ir-O1": "equal", "x64-O2": "different: result" };
  t.deepEqual(change({ verdicts: different }), {
    ...none,
    verdicts: { "x64-O2": ["equal", "different: result"] },
  });
  t.deepEqual(change({ codeBytes: {} }), { ...none, codeBytes: { "x64-O2": [300, 0] } });
  t.deepEqual(change({ seconds: 0.2 }), { ...none, seconds: [0.02, 0.2] });
  t.deepEqual(change({ errors: ["no register"] }), {
    ...none,
    verdicts: { program: ["not judged", "no register"] },
  });
});

test.serial("a compiler against itself: nothing changed", async (t) => {
  const words = ["run", "--against", "HEAD", "--count", "3", "--subjects", "ir-O2", "--json"];
  const ran = await runHere(words);
  t.is(answerFault("touchstone.against", ran.out), null, ran.out);
  t.is(JSON.parse(ran.out).programs, 3);
});

test.serial("a commit that does not exist is a mistake of the user", async (t) => {
  const { status, error } = await runHere(["run", "--against", "no-such-commit"]);
  t.is(status, 2);
  t.regex(error, /--against no-such-commit: no such commit in /);
});
