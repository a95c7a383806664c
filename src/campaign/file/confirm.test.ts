// Tests that the confirmations of a report belong to the right program: the original, or the
// reduced one.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { subjectNamed } from "../../execute/subjects.js";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { assert } from "../../support/assert.js";
import { canaryNamed, plantedBy } from "../canary/canaries.js";
import { confirmReduced } from "./confirm.js";
import { fileProgram } from "./file-finding.js";

const CANARY = "float-rule";
const SUBJECT = "ir-O1";
/** The planted rule rewrites `x + 0.0` to `x`; the program has two values more than it needs. */
const TEXT = `touchstone 1
proc f(Double @0) -> Double
#0:
  Double @1 = ConstDouble(0)
  Double @2 = Add(@0, @1)
  Double @3 = Mul(@0, @0)
  Double @4 = Sub(@3, @3)
  Void @5 = Return(@2)
; run: f(-0)
`;
const FOUND = { kind: "difference", subject: SUBJECT } as const;
const NONE = { runs: 3, differed: 0 };

test("a program runs with the settings of its report, if a run can confirm it", async (t) => {
  t.deepEqual(await confirmReduced(FOUND, TEXT, ["--disable", "reduce-strength"], CANARY), NONE);
  t.is(await confirmReduced({ ...FOUND, kind: "internal-error" }, TEXT, [], CANARY), null);
});

// fuzz/report.test.ts tests that both differ in every run.
test("a reduced program that does not differ again is not confirmed", async (t) => {
  const reports = mkdtempSync(join(tmpdir(), "touchstone-confirm-test-"));
  t.teardown(() => rmSync(reports, { recursive: true }));
  const file = join(reports, "found.ir");
  writeFileSync(file, TEXT);
  const module = parseModule(TEXT);
  const inputs = runLines(TEXT, module).map(({ input }) => input);
  const [planted, subject] = [canaryNamed(CANARY), subjectNamed(SUBJECT)];
  assert(planted !== null && subject !== null, () => "they have names");
  const options = { fuelMax: DEFAULT_FUEL, ...plantedBy(planted), subjects: [subject] };
  const about = { seed: null, parents: "", aspect: "result", detail: "it differs" } as const;
  const found = { ...FOUND, ...about, input: 0 };
  // The bug is planted here, and where the original program runs.
  const again = ["exec", file, "--canary", CANARY];
  const filing = { canary: null, profile: "usual", reports, reported: {} };
  const filed = await fileProgram({ module, inputs }, found, options, again, filing);
  assert(filed.kind === "report", () => "there is no other report");
  const finding = JSON.parse(readFileSync(join(filed.entry.path, "finding.json"), "utf8"));
  t.is(finding.values, 1);
  t.deepEqual([finding.confirmed, finding.confirmedReduced], [{ runs: 3, differed: 3 }, NONE]);
});
