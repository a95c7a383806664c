// Tests how many programs a worker gets at a time.

import test from "ava";
import { NO_PARENTS } from "../program/lineage.js";
import { foundAt } from "./found.js";
import { TOGETHER } from "./jobs.js";
import type { RemoteSubjectShare } from "./judge-elsewhere.js";
import { WorkQueue } from "./work-queue.js";

const COUNT = 100_000;
const FIRST = { seed: 1n, parents: NO_PARENTS };

function queueFor(remote: readonly RemoteSubjectShare[]): WorkQueue {
  const settings = { subjects: [], canary: null, drawn: null, profile: "usual", remote };
  const plan = { settings, count: COUNT, workers: 2, roundPrograms: COUNT };
  return new WorkQueue(plan, null, 0);
}

test("batches grow until they take half a second", (t) => {
  const queue = queueFor([]);
  t.is(queue.nextPrograms()?.count, 4);
  queue.adaptBatch(4, 0.1);
  t.is(queue.nextPrograms()?.count, 8);
  queue.adaptBatch(8, 0.1);
  t.is(queue.nextPrograms()?.count, 16);
  queue.adaptBatch(16, 60);
  t.is(queue.nextPrograms()?.count, 1);
});

test("engines get many programs at once, and fewer if one of them is slow", (t) => {
  const queue = queueFor([{ name: "llvm-O2", oneIn: 1 }]);
  t.is(queue.nextPrograms()?.count, TOGETHER);
  queue.adaptBatch(TOGETHER, 2);
  t.is(queue.nextPrograms()?.count, 2 * TOGETHER);
  queue.adaptBatch(TOGETHER, 640);
  t.is(queue.nextPrograms()?.count, 1);
});

test("a command gets one program at first, and still one if it is slow", (t) => {
  const says = { name: "slow", format: "wasm", shows: [], batch: 1 } as const;
  const command = { line: "slow {wasm}", seconds: 10, memory: 100, says };
  const queue = queueFor([{ name: "command", oneIn: 1, command }]);
  t.is(queue.nextPrograms()?.count, 1);
  queue.adaptBatch(1, 5);
  t.is(queue.nextPrograms()?.count, 1);
  queue.adaptBatch(1, 0.1);
  t.is(queue.nextPrograms()?.count, 2);
});

test("a report on which a worker died is separate from the others", (t) => {
  const queue = queueFor([]);
  const job = { kind: "report", found: foundAt(FIRST, "difference", ""), deaths: 1 } as const;
  queue.pushReportAgain(job);
  t.is(queue.reportCount, 1);
  t.is(queue.nextReport(), null);
  t.is(queue.nextReportAgain(), job);
});
