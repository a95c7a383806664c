// Tests that stored results answer for larger counts, and that an interrupted campaign of a mutant
// continues.

import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { type ScoreRow, ScoreRows } from "./score-rows.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-rows-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const ROW: ScoreRow = {
  ...{ bug: "x", kind: "operator swapped", profile: "usual", seed: "1", count: 100 },
  ...{ expected: null, dropped: null, killed: false, programs: 100, processor: 1, subject: null },
  ...{ how: "alive", cause: null, reached: 7, differed: 3 },
};

test("killed by few programs implies killed by more; alive after few implies nothing for more", (t) => {
  const path = join(folder, "killed.jsonl");
  const rows = new ScoreRows(path);
  rows.add({ ...ROW, bug: "killed", killed: true, programs: 40 });
  rows.add({ ...ROW, bug: "died", killed: true, programs: null, how: "the process died" });
  rows.add({ ...ROW, bug: "dropped", programs: null, dropped: "does not build" });
  rows.add(ROW);
  rows.add({ ...ROW, count: 500, programs: 500, reached: 30 });
  const of = (bug: string, count: number) => ({ bug, profile: "usual", seed: "1", count });
  for (const read of [rows, new ScoreRows(path)]) {
    t.is(read.find(of("killed", 1000))?.programs, 40);
    t.is(read.find(of("killed", 1000))?.count, 1000);
    t.is(read.find(of("killed", 30)), null, "the first 30 programs have not killed it");
    t.true(read.find(of("died", 1000))?.killed);
    t.is(read.find(of("died", 30)), null, "some program of the first 100");
    t.is(read.find(of("dropped", 30))?.dropped, "does not build");
    t.is(read.find(of("x", 1000)), null);
    t.is(read.findAlive(of("x", 1000))?.reached, 30);
    t.is(read.findAlive(of("x", 400))?.reached, 7);
    t.is(read.findAlive(of("killed", 1000)), null);
    t.is(read.findAlive({ ...of("x", 1000), seed: "2" }), null);
  }
});

test("rows from before mutated code was counted are readable", (t) => {
  const path = join(folder, "old.jsonl");
  const { reached: _, differed: __, ...old } = ROW;
  appendFileSync(path, `${JSON.stringify(old)}\n`);
  const rows = new ScoreRows(path);
  t.is(rows.find({ ...ROW })?.reached, null);
});
