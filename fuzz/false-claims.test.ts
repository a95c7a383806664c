// Tests that commands which judge a program show a false claim of an analysis as a finding.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { AliasAnalysis } from "../reference/optimize/analysis/alias.js";
import { RangeAnalysis } from "../reference/optimize/analysis/range-analysis.js";
import { subjectNamed } from "../src/execute/subjects.js";
import { Op } from "../src/ir/opcodes.js";
import { parseModule } from "../src/ir/text/parse.js";
import { runLines } from "../src/ir/text/run-line.js";
import { causeOf, nameOfCause } from "../src/localize/cause.js";
import { localize } from "../src/localize/localize.js";
import { runHere } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-exec-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

// The planted bug: the range analysis claims that trailing zeroes are at most 31.
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

// Elimination of bounds checks relies on the claim.
const RELYING = PROGRAM.replace(
  "  Void @2 = Return(@1)\n; run: f(0) = 32\n",
  `  Int32 @2 = Const32(32)
  Int32 @3 = Equal(@1, @2)
  Void @4 = Return(@3)
; run: f(0) = 1
`,
);
const relying = join(folder, "relying.ir");
writeFileSync(relying, RELYING);

test.serial("localize shows the false claim that a wrong phase relies on", async (t) => {
  const { status, out } = await runHere(["localize", relying, "--subjects", "ir-O2"]);
  t.is(status, 1);
  t.regex(out, /ir-O2: optimizer: eliminate-bounds-checks, in f/);
  t.regex(out, /relies on a false claim of optimizer\/ranges\/Ctz: .*, and is 32/);
});

// The store through @7 may reach the loaded bytes.
const OVERLAPPING = `touchstone 1
proc f(Int64 @0, Int64 @1, Int32 @2) -> Int32
#0:
  Int64 @3 = Const64(15)
  Int32 @4 = Const32(3)
  Int64 @5 = BitAnd(@1, @3)
  Int64 @6 = Shl(@5, @4)
  Int64 @7 = Add(@0, @6)
  Void @8 = Store(@2, @0, offset = 64)
  Void @9 = Store(@4, @7)
  Int32 @10 = Load(@0, offset = 64)
  Void @11 = Return(@10)
; run: f(heap, 8, 1) = 3
`;

test.serial("a difference made by a false claim of aliases has the analysis as its cause", (t) => {
  const { mayOverlap } = AliasAnalysis.prototype;
  AliasAnalysis.prototype.mayOverlap = function (x, y) {
    return mayOverlap.call(this, x, y) && this.rootOfAccess(x) === this.rootOfAccess(y);
  };
  try {
    const module = parseModule(OVERLAPPING);
    const inputs = runLines(OVERLAPPING, module).map(({ input }) => input);
    const subject = subjectNamed("ir-O2");
    if (subject === null) return t.fail();
    const located = localize(module, inputs, subject, { subjects: [subject], fuelMax: 1000 });
    t.is(located.stage === "optimizer" && located.phase, "forward-loads");
    t.is(nameOfCause(causeOf(located, subject)), "optimizer/aliases");
  } finally {
    AliasAnalysis.prototype.mayOverlap = mayOverlap;
  }
});

test.serial("corpus run shows a false claim as a failure of its file", async (t) => {
  const { status, out } = await runHere(["corpus", "run", file, "--subjects", "ir-O2"]);
  t.is(status, 1);
  t.regex(out, CLAIM);
});
