// Tests the location of bugs in traced executions.

import test from "ava";
import { canaryNamed, plantedBy } from "../campaign/canary/canaries.js";
import { subjectNamed } from "../execute/subjects.js";
import { emulatorTest } from "../execute/unicorn-available.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { assert } from "../support/assert.js";
import { causeOf } from "./cause.js";
import { localize } from "./localize.js";

/** A loop whose path changes late, then adds 0.0 to -0.0, and sums a large number. */
const TEXT = `touchstone 1
proc f(Int32 @0, Double @1, Int64 @2) -> Double
#0:
  Int32 @3 = Const32(0)
  Int32 @4 = Const32(1)
  Int32 @5 = Const32(6)
  Double @6 = ConstDouble(0.0)
  Int64 @7 = Const64(0)
  Void @8 = Upsilon(@3, ^12)
  Void @9 = Upsilon(@1, ^13)
  Void @10 = Upsilon(@7, ^14)
  Void @11 = Jump(#1)
#1:
  Int32 @12 = Phi()
  Double @13 = Phi()
  Int64 @14 = Phi()
  Int64 @15 = Add(@14, @2)
  Int32 @16 = LessThan(@12, @5)
  Void @17 = Branch(@16, #2, #3)
#2:
  Void @18 = Upsilon(@13, ^23)
  Void @19 = Jump(#4)
#3:
  Double @20 = Add(@1, @6)
  Void @21 = Upsilon(@20, ^23)
  Void @22 = Jump(#4)
#4:
  Double @23 = Phi()
  Int32 @24 = Add(@12, @4)
  Void @25 = Upsilon(@24, ^12)
  Void @26 = Upsilon(@23, ^13)
  Void @27 = Upsilon(@15, ^14)
  Int32 @28 = LessThan(@24, @0)
  Void @29 = Branch(@28, #1, #5)
#5:
  Double @30 = ConstDouble(1.0)
  Double @31 = CopySign(@30, @23)
  Double @32 = IToD(@15)
  Double @33 = IToD(@24)
  Double @34 = Add(@32, @33)
  Double @35 = Add(@34, @31)
  Void @36 = Return(@35)
; run: f(20, -0.0, 0x123456789)
; run: f(7, 3.5, 1)
`;

const CASES = [
  { canary: "trace-guard", subject: "traced-arm64-O1", stage: "recorder" },
  { canary: "trace-slots", subject: "traced-x64-O1", stage: "recorder" },
  { canary: "trace-link", subject: "traced-arm64-O1", stage: "links" },
  { canary: "float-rule", subject: "traced-ir-O2", stage: "optimizer" },
  { canary: "encoding-width", subject: "traced-x64-O1", stage: "emission" },
] as const;

for (const { canary, subject: name, stage } of CASES) {
  emulatorTest(test)(`${canary} in ${name} is located in the ${stage}`, (t) => {
    const module = parseModule(TEXT);
    const inputs = runLines(TEXT, module).map(({ input }) => input);
    const subject = subjectNamed(name);
    const planted = canaryNamed(canary);
    assert(subject !== null && planted !== null, () => `${name}, ${canary}`);
    const options = { subjects: [subject], fuelMax: DEFAULT_FUEL, ...plantedBy(planted) };
    const located = localize(module, inputs, subject, options);
    t.is(causeOf(located, subject).stage, stage);
    if (located.stage === "optimizer") t.is(located.phase, "reduce-strength");
  });
}
