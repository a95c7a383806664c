// Tests `fuzz report` and `fuzz corpus`: a planted bug becomes a report, and the report becomes a
// regression.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { answerFault } from "../ci/schemas/answer-fault.js";
import { projectRoot } from "../src/support/project-root.js";
import { add } from "./corpus.js";
import { capture, runHere } from "./support/run-here.js";

const REGRESSION = join(projectRoot(), "corpus", "regress", "exit-block-stays-total.ir");

function folderFor(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-corpus-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

/**
 * The second store overwrites a part of the first; the planted bug treats it as overwriting the
 * whole.
 */
const HALF_DEAD = `touchstone 1
proc main() -> Void
#0:
  Int64 @0 = Const64(75161927680)
  Int32 @1 = Const32(0)
  Double @2 = ConstDouble(0.0)
  Void @3 = Store(@2, @0)
  Void @4 = Store16(@1, @0)
  Void @5 = Return()
; run: main() fill 5
`;

test.serial("a report of a file names the cause, and its folder is complete", async (t) => {
  const out = folderFor(t);
  const file = join(out, "half-dead.ir");
  writeFileSync(file, HALF_DEAD);
  const said = await runHere([
    "report",
    file,
    "--canary",
    "store-half-dead",
    "--out",
    out,
    "--json",
  ]);
  t.is(said.status, 1, said.error);
  t.is(answerFault("touchstone.report", said.out), null);
  const { findings } = JSON.parse(said.out);
  t.is(findings.length, 1);
  const [{ bucket, path }] = findings;
  t.is(bucket, "optimizer/eliminate-dead-stores");
  for (const name of ["finding.json", "report.md", "report.html", "program.ir", "regression.ir"]) {
    t.true(existsSync(join(path, name)), name);
  }
  t.regex(
    readFileSync(join(path, "report.md"), "utf8"),
    /confirmed: as found, in 3 of 3 .*\n- confirmed: reduced, in 3 of 3/,
  );
  const words = { name: "half-a-store", says: "half a store was dead", fixed: "not yet" };
  const added = await capture(() => add({ finding: path, ...words, json: true }, out));
  t.is(answerFault("touchstone.corpus-add", added.out), null, added.error);
  t.regex(readFileSync(join(out, "half-a-store.ir"), "utf8"), /^; half a store was dead$/m);
  const unnamed = { finding: path, name: undefined, says: undefined, fixed: "not yet" };
  const proposed = await capture(() => add({ ...unnamed, json: true }, out));
  t.is(answerFault("touchstone.corpus-add", proposed.out), null, proposed.error);
  const text = readFileSync(join(out, "optimizer-eliminate-dead-stores.ir"), "utf8");
  t.regex(text, /^; optimizer\/eliminate-dead-stores: at /m);
  t.regex(readFileSync(join(path, "report.md"), "utf8"), /fuzz corpus add \. --name optimizer-/);
  t.deepEqual(findings[0].aspects, ["heap"]);
  const refused = await runHere(["corpus", "add", path, "--name", "Not A Name", "--says", "x"]);
  t.is(refused.status, 2);
  t.regex(refused.error, /expected words/);
});

test.serial("a program without differences is not reported", async (t) => {
  const said = await runHere(["report", REGRESSION, "--subjects", "ir-O1", "--out", folderFor(t)]);
  t.is(said.status, 0, said.error);
  t.regex(said.out, /nothing to report/);
});

test.serial("regressions are listed and run", async (t) => {
  const listed = await runHere(["corpus", "list", "--json"]);
  const { regressions } = JSON.parse(listed.out);
  t.true(regressions.length > 2);
  const run = await runHere(["corpus", "run", REGRESSION, "--subjects", "ir-O1,ir-O2"]);
  t.is(run.status, 0, run.out + run.error);
  t.regex(run.out, /1 regressions by 2 subjects: 0 failures/);
  t.is((await runHere(["corpus"])).status, 2);
});
