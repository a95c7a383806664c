// Campaigns with engines of others beside subjects of ours.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { engineNamed } from "../../src/engine/engines.js";
import { runHere } from "../support/run-here.js";

interface Told {
  readonly subjects: Readonly<Record<string, { equal: number; different: number }>>;
  readonly findings: readonly { readonly path: string; readonly bucket: string }[];
}

test.serial(
  "what an engine gets wrong is a finding of the campaign, and ours goes on",
  async (t) => {
    const name = "v8-turboshaft"; // known to be wrong
    if (engineNamed(name)?.missing() !== null) return void t.pass("this Node has another V8");
    const reports = mkdtempSync(join(tmpdir(), "touchstone-run-engines-"));
    t.teardown(() => rmSync(reports, { recursive: true }));
    const words = ["run", "--subjects", `ir-O1,${name}`, "--count", "12", "--workers", "1"];
    const { status, out } = await runHere([...words, "--reports", reports, "--json"]);
    t.is(status, 1);
    // The border to JSON: what `run --json` prints.
    const { subjects, findings } = JSON.parse(out) as Told;
    t.true(subjects[name].different > 0);
    t.true(subjects[name].equal > 0);
    t.deepEqual([subjects["ir-O1"].different > 0, subjects["ir-O1"].equal > 0], [false, true]);
    const [{ path }] = findings;
    t.regex(readFileSync(join(path, "report.md"), "utf8"), /v8-turboshaft/);
  },
);
