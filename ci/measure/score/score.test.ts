// Tests that planted bugs are found and counted, that mutants are drawn, and that stored results
// are reused.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { capture } from "../../../fuzz/support/run-here.js";
import { emulatorTest } from "../../../src/execute/unicorn-available.js";
import { drawMutants, mutated } from "./mutants.js";
import { run } from "./score.js";
import { type ScoreRow, ScoreRows } from "./score-rows.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-score-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

/** Returns the last stored row of each bug. */
const rowsIn = (state: string): readonly ScoreRow[] => {
  const lines = readFileSync(state, "utf8").trim().split("\n");
  const rows = lines.map((line): ScoreRow => JSON.parse(line));
  return [...new Map(rows.map((row) => [row.bug, row])).values()];
};

const SOURCE = `import { x } from "./x.js";
export function f(a: number, b: number[]): number {
  if (a < 3) b.push(a, x);
  return a + 1;
}
`;

test.serial("mutants of each kind are drawn, and replace the stated text", (t) => {
  mkdirSync(join(folder, "reference", "optimize"), { recursive: true });
  const file = join("reference", "optimize", "f.ts");
  writeFileSync(join(folder, file), SOURCE);
  writeFileSync(join(folder, "tsconfig.json"), `{"include": ["reference"]}`);
  const drawn = drawMutants(folder, 100, 1n);
  const texts = drawn.map((mutant) => mutated(SOURCE, mutant));
  for (const changed of [
    SOURCE.replace("a < 3", "(a <= 3)"),
    SOURCE.replace("a < 3", "(a >= 3)"),
    SOURCE.replace("a < 3", "!(a < 3)"),
    SOURCE.replace("a < 3", "a < (3 + 1)"),
    SOURCE.replace("b.push(a, x);", "{}"),
    SOURCE.replace("b.push(a, x)", "b.push(x, a)"),
    SOURCE.replace("a + 1", "(a - 1)"),
  ]) {
    t.true(texts.includes(changed), changed);
  }
  t.is(new Set(texts).size, texts.length, "each is another program");
  t.deepEqual(drawn.find(({ operator }) => operator === "statement dropped")?.line, 3);
  t.deepEqual(
    drawMutants(folder, 3, 1n),
    drawn.slice(0, 3),
    "a larger count extends the list of a smaller count",
  );
});

emulatorTest(test.serial)(
  "a dropped planted bug is judged again, killed, localized, and then reused",
  async (t) => {
    const state = join(folder, "score.jsonl");
    const key = { bug: "x64enc-byte-register-prefix", profile: "usual", seed: "1", count: 12 };
    const dropped = "the trigger program ends with status 0";
    writeFileSync(state, `${JSON.stringify({ ...key, killed: false, programs: null, dropped })}\n`);
    // Shows in nearly every 32-bit program.
    const scored = () =>
      capture(() => run({ folders: [key.bug], count: "12", state, "mutant-seed": "1" }));
    const first = await scored();
    t.is(first.status, 0, first.out);
    t.regex(first.out, /^x64enc-byte-register-prefix: usual: killed by program \d+/);
    t.regex(first.out, /findings with the right stage and rule: 1 of 1/);
    const rows = new ScoreRows(state);
    t.true(rows.find(key)?.killed);
    t.is(rows.find({ ...key, seed: "2" }), null);
    const before = readFileSync(state, "utf8");
    // The last line is incomplete: only its bug is judged again.
    writeFileSync(state, `${before}{"bug": "x`);
    const second = await scored();
    t.is(second.out, first.out);
    t.is(readFileSync(state, "utf8"), `${before}{"bug": "x`);
  },
);

emulatorTest(test.serial)(
  "mutants are judged in one build, some of them alone; a longer run continues",
  async (t) => {
    const state = join(folder, "mutants.jsonl");
    const drawn = { mutate: "16", "mutant-seed": "5", state };
    const first = await capture(() => run({ ...drawn, count: "6", workers: "2" }));
    t.is(first.status, 0, first.out);
    const rows = rowsIn(state);
    t.is(rows.length, 16);
    const standing = rows.filter(({ dropped }) => dropped === null);
    const killed = standing.filter((row) => row.killed);
    t.true(killed.length > 0 && killed.length < standing.length, first.out);
    for (const row of standing) {
      if (row.reached === 0) t.false(row.killed, `${row.bug}: killed, but no program executed it`);
      t.true((row.reached ?? 0) >= (row.differed ?? 0), row.bug);
    }
    const before = readFileSync(state, "utf8");
    const longer = await capture(() => run({ ...drawn, count: "7" }));
    t.is(longer.status, 0, longer.out);
    const known = rowsIn(state);
    for (const { bug, programs } of killed) {
      t.is(known.find((row) => row.bug === bug)?.programs, programs, "the stored result is reused");
    }
    const added = readFileSync(state, "utf8").slice(before.length).trim().split("\n");
    t.is(added.length, standing.length - killed.length);
  },
);
