// Tests two bugs of one phase: neither hides the other.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import type { OptimizeContext } from "../../../reference/optimize/edit/context.js";
import { type CompilerParts, PARTS } from "../../../reference/parts.js";
import { PHASES } from "../../../reference/pipeline.js";
import { subjectNamed } from "../../execute/subjects.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Procedure } from "../../ir/procedure.js";
import { parseModule } from "../../ir/text/parse.js";
import { nameOfCause } from "../../localize/cause.js";
import { USUAL } from "../program/seeds.js";
import { fileProgram } from "./file-finding.js";
import type { BucketReport, FilingResult, FindingEntry, ProgramSymptom } from "./filing.js";
import { reportedOf } from "./filing.js";
import { isExaminedAgain, splitBucket } from "./split-bucket.js";

const PHASE = "eliminate-dead-code";
const BUGS: ReadonlyMap<Opcode, Opcode> = new Map([
  [Op.Sub, Op.Add],
  [Op.BitOr, Op.BitAnd],
]);

/** A phase with two bugs, which its applications do not distinguish. */
const parts: CompilerParts = {
  ...PARTS,
  phases: PHASES.map((phase) => ({
    ...phase,
    run: (proc: Procedure, context: OptimizeContext): boolean => {
      const changed = phase.run(proc, context);
      const values = proc.blocks.flatMap((block) => block.values);
      const wrong = values.find(({ opcode }) => BUGS.has(opcode));
      if (phase.name !== PHASE || wrong === undefined || !context.claim(PHASE, wrong)) {
        return changed;
      }
      wrong.opcode = BUGS.get(wrong.opcode) ?? wrong.opcode;
      return true;
    },
  })),
};

const programWith = (opcode: string) =>
  parseModule(`touchstone 1
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = ${opcode}(@0, @1)
  Void @3 = Return(@2)
`);

test("a second bug of a phase gets a bucket of its own", async (t) => {
  const reports = mkdtempSync(join(tmpdir(), "touchstone-split-"));
  t.teardown(() => rmSync(reports, { recursive: true }));
  const subject = subjectNamed("ir-O1");
  if (subject === null) return t.fail();
  const entries = new Map<string, FindingEntry>();
  const file = async (opcode: string): Promise<FilingResult> => {
    const shown = {
      module: programWith(opcode),
      inputs: [{ words: Int32Array.of(6, 0, 3, 0), heapSeed: 0 }],
    };
    const found: ProgramSymptom = {
      ...{ seed: null, parents: "", kind: "difference", subject: subject.name },
      ...{ aspect: "result", input: 0, detail: "" },
    };
    const filing = { canary: null, profile: USUAL, reports, reported: reportedOf(entries) };
    const options = { subjects: [subject], fuelMax: 1000, parts };
    return fileProgram(shown, found, options, ["--version"], filing);
  };
  const first = await file("Sub");
  if (first.kind !== "report") return t.fail();
  const family = `optimizer/${PHASE}`;
  t.is(first.entry.bucket, family);
  entries.set(family, first.entry);
  // The second bug is reduced, and is different; one more of the first bug is not.
  const second = await file("BitOr");
  t.is(second.kind === "report" ? second.entry.bucket : "", `${family} (BitOr)`);
  if (second.kind === "report") entries.set(second.entry.bucket, second.entry);
  t.deepEqual(await file("Sub"), { kind: "instance", bucket: family });
  t.deepEqual(await file("BitOr"), { kind: "instance", bucket: `${family} (BitOr)` });
});

test("findings of one false analysis, or of one rule, share a bucket", (t) => {
  const report: BucketReport = { values: 4, instances: 3, outline: "Store" };
  const bucketFor = (part: string, rule: string | null): string => {
    const cause = { stage: "optimizer", part, rule };
    const name = nameOfCause(cause);
    t.is(isExaminedAgain(cause, { ...report, instances: 4 }), part === PHASE && rule === null);
    return splitBucket({ [name]: report }, name, cause, "Load Store").bucket;
  };
  t.is(bucketFor("aliases", null), "optimizer/aliases");
  t.is(bucketFor("ranges", "Ctz"), "optimizer/ranges/Ctz");
  t.is(bucketFor("reduce-strength", "sub-self"), "optimizer/reduce-strength/sub-self");
  t.is(bucketFor(PHASE, null), `optimizer/${PHASE} (Load Store)`);
});

test("later findings are examined less and less, and those of a rule only once", (t) => {
  const cause = { stage: "optimizer", part: PHASE, rule: null };
  const after = (instances: number): BucketReport => ({ values: 1, instances, outline: "Sub" });
  const counts = Array.from({ length: 20 }, (_, k) => k + 1);
  const again = counts.filter((count) => isExaminedAgain(cause, after(count)));
  t.deepEqual(again, [1, 2, 4, 8, 16]);
  t.false(isExaminedAgain({ ...cause, rule: "sub-self" }, after(1)));
  t.false(isExaminedAgain(null, after(1)));
});
