// Each trigger is seen on the witness of its bug, and none on a program that has nothing.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../../execute/unicorn-library.js";
import { parseModule } from "../../ir/parse.js";
import { runLines } from "../../ir/run-line.js";
import { countTriggers, TRIGGERS, type Trigger } from "./triggers.js";

const FOLDER = join(projectRoot(), "corpus", "planted");
const planted = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** What occurs in a program, on the inputs of its run lines. */
function counts(text: string, rows: readonly Trigger[]): number[] {
  const module = parseModule(text);
  const inputs = runLines(text, module).map(({ input }) => input);
  return countTriggers(module, inputs, rows);
}

test("no name comes twice", (t) => {
  t.is(new Set(TRIGGERS.map(({ name }) => name)).size, TRIGGERS.length);
});

test("nothing occurs in a program that has nothing", (t) => {
  const text = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(3)
  Int32 @2 = Add(@0, @1)
  Void @3 = Return(@2)
; run: f(1) = 4
; run: f(-5) = -2
`;
  const found = counts(text, TRIGGERS);
  t.deepEqual(
    TRIGGERS.filter((_, r) => found[r] !== 0).map(({ name }) => name),
    [],
  );
});

for (const name of planted) {
  const path = join(FOLDER, name, "witness.ir");
  test(`${name} occurs in its witness`, (t) => {
    const row = TRIGGERS.find((each) => each.name === name);
    t.truthy(row, "TRIGGERS has no row of that name");
    t.true(existsSync(path));
    if (row === undefined || row.detect === null) return;
    t.true(counts(readFileSync(path, "utf8"), [row])[0] > 0);
  });
}
