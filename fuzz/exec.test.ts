// A program for which an analysis makes a false claim: commands that judge a program show it as a finding.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { RangeAnalysis } from "../reference/optimize/analysis/range-analysis.js";
import { Op } from "../src/ir/opcodes.js";
import { runHere } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-exec-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

// The range analysis claims that trailing zeroes are at most 31.
const { walk } = RangeAnalysis.prototype;
test.before(() => {
  RangeAnalysis.prototype.walk = function (visit) {
    walk.call(this, (value) => {
      if (value.opcode === Op.Ctz) this.max[value.id] = 31;
      visit(value);
    });
  };
});
test.after.always(() => {
  RangeAnalysis.prototype.walk = walk;
});

const PROGRAM = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Ctz(@0)
  Void @2 = Return(@1)
; run: f(0) = 32
`;
const file = join(folder, "ctz.ir");
writeFileSync(file, PROGRAM);
const CLAIM =
  /(ir-O2) relies on a false claim of optimizer\/ranges\/Ctz: before \S+ of f: Int32 @1 = Ctz\(@0\): @1 is claimed to lie from 0 to 31, and is 32/;

test.serial("exec shows a false claim as a finding of the subject", async (t) => {
  const { status, out, error } = await runHere(["exec", file, "--subjects", "ir-O2"]);
  t.is(status, 1, error);
  t.regex(out, CLAIM);
  t.regex(out, /ir-O2 +equal/);
  t.regex(out, /; 1 differences/);
  const { out: json } = await runHere(["exec", file, "--subjects", "ir-O2", "--json"]);
  const { claim, differences } = JSON.parse(json);
  t.is(claim.cause, "optimizer/ranges/Ctz");
  t.is(claim.subject, "ir-O2");
  t.is(differences, 1);
});

test.serial("corpus run shows a false claim as a failure of its file", async (t) => {
  const { status, out } = await runHere(["corpus", "run", file, "--subjects", "ir-O2"]);
  t.is(status, 1);
  t.regex(out, CLAIM);
});
