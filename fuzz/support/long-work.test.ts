// Tests that work of minutes ends by a signal with its results so far.

import test from "ava";
import { boundarySteps } from "../../src/compare/boundary.js";
import { boundaryRows } from "../../src/compare/boundary-cases.js";
import { subjectNamed } from "../../src/execute/subjects.js";
import { LongWork } from "./long-work.js";

const subject = subjectNamed("ir-O1");
const options = { subjects: subject === null ? [] : [subject], fuelMax: 10_000, share: 2000 };

test.serial("Ctrl-C ends it after a step, with the result so far", async (t) => {
  const before = process.listeners("SIGINT");
  let steps = 0;
  const work = new LongWork(() => "");
  const counted = (async function* () {
    const inner = boundarySteps(options, boundaryRows().slice(0, 8));
    let step = await inner.next(false);
    while (!step.done) {
      if (++steps === 3) process.emit("SIGINT");
      step = await inner.next(yield);
    }
    return step.value;
  })();
  const { rows, failed } = await work.through(counted);
  work.end();
  t.true(work.isInterrupted);
  t.deepEqual([rows, failed], [3, 0]);
  const left = process.listeners("SIGINT").filter((listener) => !before.includes(listener));
  t.deepEqual(left, []);
});

test.serial("without a signal it completes", async (t) => {
  const work = new LongWork(() => "");
  const { rows } = await work.through(boundarySteps(options, boundaryRows().slice(0, 5)));
  work.end();
  t.false(work.isInterrupted);
  t.is(rows, 5);
});
