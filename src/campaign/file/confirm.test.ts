// What a report says of fresh processes is said of the program that ran there: the one that was found, or the reduced one.

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
/** The planted rule makes `x + 0.0` to `x`; two values more than it needs. */
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

test("a program is run as its report says, where a run would tell something", async (t) => {
  t.deepEqual(await confirmReduced(FOUND, TEXT, ["--disable", "reduce-strength"], CANARY), NONE);
  t.is(await confirmReduced({ ...FOUND, kind: "internal-error" }, TEXT, [], CANARY), null);
});

// That both come every time is in fuzz/report.test.ts.
test("a reduced program that does not differ again is none that is confirmed", async (t) => {
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
  // The bug is planted here, and where the program runs as it was found.
  const again = ["exec", file, "--canary", CANARY];
  const filing = { canary: null, profile: "usual", reports, reported: {} };
  const filed = await fileProgram({ module, inputs }, found, options, again, filing);
  assert(filed.kind === "report", () => "there is no other report");
  const finding = JSON.parse(readFileSync(join(filed.entry.path, "finding.json"), "utf8"));
  t.is(finding.values, 1);
  t.deepEqual([finding.confirmed, finding.confirmedReduced], [{ runs: 3, differed: 3 }, NONE]);
});
