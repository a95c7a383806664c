// Tests a procedure with more than a megabyte of code. Exit stubs and a jump table exceed the reach
// of the conditional branches and the adr of ARM64.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../compare/judge-program.js";
import type { Input } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { projectRoot } from "../support/project-root.js";
import { PRINCIPAL_SUBJECTS } from "./subjects.js";
import { emulatorTest } from "./unicorn-available.js";
import { DEFAULT_SETTINGS } from "./unit.js";

/** Each is a remainder of floats, which takes a loop of some 200 bytes. */
const REMAINDERS = 6000;
const MEGABYTE = 1 << 20;

function farProgram(): string {
  const lines = [
    "touchstone 1",
    "exit 0 resumes g",
    "proc f(Double @0, Int32 @1, Double @2) -> Double",
    "snapshot s0 = exit 0 frames [f@7: @0]",
    "#0:",
    "  Int32 @3 = Const32(1)",
    "  Void @4 = Upsilon(@3, ^20)",
    "  Void @5 = Upsilon(@0, ^21)",
    "  Int64 @6 = FunctionAddress(g)",
    "  Void @7 = Branch(@1, #1, #4)",
    "#5:",
    "  Void @50 = Jump(#1)",
    "#1:",
    "  Int32 @20 = Phi()",
    "  Double @21 = Phi()",
    "  Int32 @22 = Const32(9)",
    "  Int32 @23 = Equal(@1, @22)",
    "  Void @24 = Check(@23) s0",
    "  Void @25 = Switch(@1, 1: #2, 2: #6, 3: #2, 4: #6, 5: #2, default: #7)",
    "#2:",
  ];
  let last = 21;
  for (let id = 100; id < 100 + REMAINDERS; id++) {
    lines.push(`  Double @${id} = Mod(@${last}, @${id % 2 === 0 ? 2 : 0})`);
    last = id;
  }
  lines.push(
    "  Double @30 = Add(@0, @0)",
    `  Double @31 = Add(@30, @${last})`,
    "  Int32 @37 = TruncS32(@31)",
    "  Void @38 = CCall(logInt, @37)",
    "  Int32 @32 = Sub(@20, @3)",
    "  Void @33 = Upsilon(@32, ^20)",
    "  Void @34 = Upsilon(@31, ^21)",
    "  Int32 @35 = Equal(@20, @3)",
    "  Void @36 = Branch(@35, #5, #3)",
    "#3:",
    "  Double @40 = CallIndirect(@6, @0)",
    "  Double @41 = CCall(g, @40)",
    "  Void @42 = Return(@41)",
    "#6:",
    "  Void @44 = Jump(#3)",
    "#7:",
    "  Void @45 = Return(@0)",
    "#4:",
    "  Void @43 = Return(@2)",
    "proc g(Double @0) -> Double",
    "#0:",
    "  Double @1 = Neg(@0)",
    "  Double @2 = Sub(@1, @0)",
    "  Void @3 = Return(@2)",
  );
  return lines.join("\n");
}

const inputs = [0, 1, 2, 3, 9].map(
  (way): Input => ({
    words: new Int32Array(new Float64Array([1.25, 0, 1e300]).buffer),
    heapSeed: way,
  }),
);
inputs.forEach((input, i) => {
  input.words[2] = [0, 1, 2, 3, 9][i];
  input.words[3] = 0;
});

emulatorTest(test)("branches over more than a megabyte", (t) => {
  const names = ["arm64-O0", "arm64-O1", "x64-O0"];
  const judge = new Judge({
    subjects: PRINCIPAL_SUBJECTS.filter(({ name }) => names.includes(name)),
    fuelMax: 1_000_000,
  });
  const { results } = judge.judge({ module: parseModule(farProgram()), inputs });
  judge.close();
  t.is(results.length, names.length);
  for (const { subject, judgements, counts } of results) {
    for (const { verdict, input } of judgements) {
      t.is(verdict.kind, "equal", `${subject}, input ${input}: ${JSON.stringify(verdict)}`);
    }
    t.true(
      counts !== null && counts.codeBytes > MEGABYTE,
      `${subject}: ${counts?.codeBytes} bytes`,
    );
    // The guard's branch to its stub, and the address of the table; jumps reach without a long
    // form.
    const long = counts?.longBranches ?? 0;
    t.is(long >= 2, subject.startsWith("arm64"), `${subject}: ${long} long forms`);
  }
});

emulatorTest(test)("every golden program with a branch reach of zero", (t) => {
  const settings = { ...DEFAULT_SETTINGS, branchReach: 8 };
  const judge = new Judge({
    subjects: PRINCIPAL_SUBJECTS.filter(({ target, native }) => target === "arm64" && !native),
    fuelMax: 1_000_000,
    settings,
  });
  const folder = join(projectRoot(), "corpus/golden/run");
  let long = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".ir"))) {
    const text = readFileSync(join(folder, name), "utf8");
    const module = parseModule(text);
    const calls = runLines(text, module).map(({ input }) => input);
    for (const { subject, judgements, counts } of judge.judge({ module, inputs: calls }).results) {
      long += counts?.longBranches ?? 0;
      for (const { verdict } of judgements) {
        t.not(verdict.kind, "different", `${name}, ${subject}: ${JSON.stringify(verdict)}`);
      }
    }
  }
  judge.close();
  t.true(long > 100, `${long} long forms`);
});
