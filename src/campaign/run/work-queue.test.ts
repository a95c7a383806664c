// How many programs a worker gets at a time.

import test from "ava";
import { TOGETHER } from "./jobs.js";
import type { RemoteShare } from "./judge-elsewhere.js";
import { WorkQueue } from "./work-queue.js";

const COUNT = 100_000;

function queueFor(remote: readonly RemoteShare[]): WorkQueue {
  const settings = { subjects: [], canary: null, drawn: null, profile: "usual", remote };
  const plan = { settings, count: COUNT, workers: 2, sampleCount: 0, roundPrograms: COUNT };
  return new WorkQueue(plan, null, 0);
}

test("batches become as large as takes half a second", (t) => {
  const queue = queueFor([]);
  t.is(queue.nextPrograms()?.count, 4);
  queue.adaptBatch(4, 0.1);
  t.is(queue.nextPrograms()?.count, 8);
  queue.adaptBatch(8, 0.1);
  t.is(queue.nextPrograms()?.count, 16);
  queue.adaptBatch(16, 60);
  t.is(queue.nextPrograms()?.count, 1);
});

test("with remote subjects a batch has as many as they get at once, however long it takes", (t) => {
  const queue = queueFor([{ name: "llvm-O2", oneIn: 1 }]);
  t.is(queue.nextPrograms()?.count, TOGETHER);
  queue.adaptBatch(TOGETHER, 60);
  t.is(queue.nextPrograms()?.count, TOGETHER);
  queue.adaptBatch(TOGETHER, 0.1);
  t.is(queue.nextPrograms()?.count, 2 * TOGETHER);
});
