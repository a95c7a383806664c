// Tests the cures for known bugs of C compilers: each makes the program of its bug right, and none
// explains a program that is wrong for another reason.

import { join } from "node:path";
import test from "ava";
import { readProgram } from "../../../fuzz/support/program-file.js";
import { engineTest } from "../../engine/engine-test.js";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import type { Candidate } from "../../reduce/candidate.js";
import { explainedBy } from "./cured-by.js";
import { bugsFolder } from "./known-engine-bugs.js";

// biome-ignore format: a table
const KNOWN: readonly (readonly [bug: string, row: string])[] = [
  ["llvm-loop-load-elim",        "llvm-O2"],
  ["llvm-loop-load-elim",        "clang-O2"],
  ["llvm-loop-load-elim",        "clang-O2+inline-access"],
  ["llvm-fneg-ninf",             "llvm-facts"],
  ["llvm-nnan-select",           "llvm-facts"],
  ["llvm-aarch64-fnmadd",        "arm64-llvm-O2"],
  ["gcc-fnmadd",                 "arm64-gcc-O2"],
  ["gcc-overflow-of-products",   "gcc-facts"],
  ["gcc-steps-within-an-access", "gcc-O3"],
];

const candidateOf = (bug: string): Candidate => {
  const { module, lines } = readProgram(join(bugsFolder(), `${bug}.ir`));
  return { module, inputs: lines.map(({ input }) => input) };
};

function parsed(text: string): Candidate {
  const module = parseModule(text);
  return { module, inputs: runLines(text, module).map(({ input }) => input) };
}

for (const [bug, row] of KNOWN) {
  engineTest(test, row, `${row}: its cure explains ${bug}`, async (t, { cures }) => {
    t.truthy(cures);
    if (cures !== undefined) t.is(await explainedBy(candidateOf(bug), cures), bug);
  });
}

// The form that LLVM 19 has wrong too; the program of the known bug is wrong from LLVM 20 on.
const ROOT_OF_NEGATIVE = `touchstone 1

proc main(Double @0) -> Int64
#0:
  Double @1 = ConstDouble(0.0)
  Double @2 = ConstDouble(nan:0x7ff8000000000000)
  Double @3 = Sqrt(@0)
  Int32 @4 = LessThan(@0, @1)
  Double @5 = Select(@4, @2, @3)
  Int64 @6 = BitwiseCast(@5)
  Void @7 = Return(@6)

; run: main(-1.0)
`;
for (const row of ["llvm-O2", "clang-O2"]) {
  engineTest(test, row, `${row}: its cure explains llvm-sqrt-nan`, async (t, { cures }) => {
    t.truthy(cures);
    if (cures === undefined) return;
    t.is(await explainedBy(parsed(ROOT_OF_NEGATIVE), cures), "llvm-sqrt-nan");
  });
}

const OVERFLOWING_SUM = `touchstone 1

proc main(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(1)
  Int32 @2 = Add(@0, @1)
  Int32 @3 = LessThan(@2, @0)
  Void @4 = Return(@3)

; run: main(2147483647)
`;
engineTest(test, "llvm-false-nsw", "no cure explains a false fact", async (t, { cures }) => {
  t.truthy(cures);
  if (cures !== undefined) t.is(await explainedBy(parsed(OVERFLOWING_SUM), cures), null);
});
