// Each trigger is seen on the witness of its bug, and none on a program that has nothing.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import { projectRoot } from "../../support/project-root.js";
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

/** Programs for patterns that cannot be planted, by name; null where nothing can show them. */
const OTHERS: Readonly<Record<string, string | null>> = {
  "x64enc-rip-relative-with-immediate": null,
  "a64-extract-pair-zero-shift": `touchstone 1
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Const32(32)
  Int32 @3 = Const32(0)
  Int32 @4 = Shl(@0, @2)
  Int32 @5 = ZShr(@1, @3)
  Int32 @6 = BitOr(@4, @5)
  Void @7 = Return(@6)
; run: f(1, 2) = 3
`,
  "a64-pair-access-fusion": `touchstone 1
proc f(Int64 @0) -> Int32
#0:
  Int32 @1 = Load(@0, offset = 6)
  Int32 @2 = Load(@0, offset = 2)
  Int32 @3 = Add(@1, @2)
  Void @4 = Return(@3)
; run: f(heap) = 0
`,
  "ctl-removed-predecessor-phi-shift": `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(1)
  Int32 @2 = Const32(2)
  Void @3 = Branch(@1, #1, #4)
#1:
  Void @4 = Branch(@0, #2, #3)
#2:
  Void @5 = Upsilon(@0, ^20)
  Void @6 = Jump(#5)
#3:
  Void @7 = Upsilon(@1, ^20)
  Void @8 = Jump(#5)
#4:
  Void @9 = Upsilon(@2, ^20)
  Void @10 = Jump(#5)
#5:
  Int32 @20 = Phi()
  Void @21 = Return(@20)
; run: f(7) = 7
`,
  "mov-edge-order-swapped": `touchstone 1
proc f(Double @0, Double @1, Int32 @2, Int32 @3) -> Int32
#0:
  Void @4 = CCall(ping)
  Void @5 = Upsilon(@2, ^10)
  Void @6 = Upsilon(@3, ^20)
  Int32 @7 = NotEqual(@0, @1)
  Void @8 = Branch(@7, #1, #2)
#1:
  Int32 @10 = Phi()
  Void @11 = CCall(logInt, @10)
  Int32 @12 = Sub(@10, @3)
  Void @13 = Upsilon(@12, ^10)
  Void @14 = Branch(@12, #1, #3)
#2:
  Int32 @20 = Phi()
  Void @21 = CCall(logInt, @20)
  Int32 @22 = Sub(@20, @3)
  Void @23 = Upsilon(@22, ^20)
  Void @24 = Branch(@22, #2, #3)
#3:
  Void @30 = Return(@2)
; run: f(1.0, 2.0, 3, 1) = 3
; run: f(1.0, 1.0, 3, 1) = 3
`,
  "sink-unwritten-field-garbage": `touchstone 1
proc f(Int32 @0) -> Int32
slot stack0 = anonymous 8
snapshot s0 = exit 1 frames [f@1: contents(stack0)]
#0:
  Int64 @1 = SlotBase(stack0)
  Void @2 = Store(@0, @1)
  Void @3 = Check(@0) s0
  Void @4 = Return(@0)
; run: f(5) = exit 1
`,
};

test("every trigger has a program that shows it", (t) => {
  const known = [...planted, ...Object.keys(OTHERS)];
  t.deepEqual(
    TRIGGERS.map(({ name }) => name).filter((name) => !known.includes(name)),
    [],
  );
});

for (const [name, text] of Object.entries(OTHERS)) {
  if (text === null) continue;
  test(`${name} occurs`, (t) => {
    const rows = TRIGGERS.filter((each) => each.name === name);
    t.true(counts(text, rows)[0] > 0);
  });
}

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
