// Tests copies of blocks and loops of random programs. Edges are redirected into the copies at random; the programs
// must keep their meaning. This test is not beside the compiler, because it uses the oracle.

import test, { type ExecutionContext } from "ava";
import fc from "fast-check";
import { analyzeLoops } from "../../reference/optimize/analysis/loops.js";
import { duplicateBlocks, repairUses } from "../../reference/optimize/edit/duplicate-blocks.js";
import { LoopCopies } from "../../reference/optimize/loops/loop-copies.js";
import { optimize } from "../../reference/optimize.js";
import { subjectNamed } from "../execute/subjects.js";
import type { Program } from "../generate/generate-program.js";
import { programs } from "../generate/program-arb.js";
import { RULE_PATTERNS } from "../generate/rule-patterns.js";
import type { BasicBlock, Module, Procedure } from "../ir/procedure.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { assert } from "../support/assert.js";
import type { ChosenValue } from "../support/choice-arb.js";
import { SeedSource } from "../support/source.js";
import { Judge } from "./judge-program.js";

const PROGRAMS = 200;
/** More programs, because few have a loop whose addresses are used after it. */
const PROGRAMS_WITH_LOOPS = 2000;

test("an edge into a copy has the effect of an edge into the original", (t) => {
  const { redirected, equal } = judgeChanged(t, PROGRAMS, duplicateSome);
  t.true(redirected > 800, `${redirected} edges`);
  t.true(equal > 3 * PROGRAMS, `${equal} equal`);
});

test("copies of several sets of blocks are repaired together", (t) => {
  const { redirected, equal } = judgeChanged(t, PROGRAMS, duplicateSeveral);
  t.true(redirected > 4000, `${redirected} edges`);
  t.true(equal > 3 * PROGRAMS, `${equal} equal`);
});

test("any copy of a loop may run the next iteration", (t) => {
  const { redirected, equal } = judgeChanged(t, PROGRAMS_WITH_LOOPS, copySomeLoops);
  t.true(redirected > 4000, `${redirected} edges`);
  t.true(equal > 3 * PROGRAMS_WITH_LOOPS, `${equal} equal`);
});

type Chance = () => boolean;

/** @param change redirects edges, and returns their number */
function judgeChanged(
  t: ExecutionContext,
  count: number,
  change: (proc: Procedure, chance: Chance) => number,
): { redirected: number; equal: number } {
  const subject = subjectNamed("ir-O1");
  assert(subject !== null, () => "a subject is missing");
  const judge = new Judge({ subjects: [subject], fuelMax: 1_000_000 });
  let [equal, redirected] = [0, 0];
  const claim = ({ made: { module, inputs } }: ChosenValue<Program>, seed: number): void => {
    const source = new SeedSource(BigInt(seed));
    const chance = (): boolean => source.below(2) === 0;
    const plant = (planted: Module): void => {
      // Values of one block are then used in others, including addresses.
      optimize(planted, { level: "O1", phases: ["eliminate-common-subexpressions"] });
      for (const proc of planted.procedures) redirected += change(proc, chance);
      const faults = verify(planted).map(describeFault);
      assert(faults.length === 0, () => faults.join("\n"));
    };
    const [{ judgements }] = judge.judge({ module, inputs, own: { plant } }).results;
    for (const { verdict } of judgements) {
      assert(verdict.kind !== "different", () => JSON.stringify(verdict));
      if (verdict.kind === "equal") equal++;
    }
  };
  const property = fc.property(programs({}, RULE_PATTERNS), fc.nat(), claim);
  t.notThrows(() => fc.assert(property, { seed: 1, numRuns: count }));
  judge.close();
  return { redirected, equal };
}

/** Duplicates blocks. Returns the number of edges that lead into a copy. */
const duplicateSome = (proc: Procedure, chance: Chance): number => duplicateSets(proc, 1, chance);

/** Duplicates blocks; a block may have several copies. */
const duplicateSeveral = (proc: Procedure, chance: Chance): number =>
  duplicateSets(proc, 3, chance);

function duplicateSets(proc: Procedure, count: number, chance: Chance): number {
  const originals = proc.blocks.slice(1);
  const copies = Array.from({ length: count }, () =>
    duplicateBlocks(proc, originals.filter(chance)),
  );
  const originalOf = new Map<BasicBlock, BasicBlock>();
  for (const { blocks } of copies) for (const [block, copy] of blocks) originalOf.set(copy, block);
  let redirected = 0;
  const any = (block: BasicBlock): BasicBlock => {
    const original = originalOf.get(block) ?? block;
    const copied = copies.flatMap(({ blocks }) => blocks.get(original) ?? []).find(chance);
    if (copied === undefined) return original;
    redirected++;
    return copied;
  };
  for (const block of proc.blocks) block.successors = block.successors.map(any);
  repairUses(
    proc,
    copies.map(({ values }) => values),
  );
  return redirected;
}

/** Copies loops. Returns the number of edges that lead to the header of a copy. */
function copySomeLoops(proc: Procedure, chance: Chance): number {
  let redirected = 0;
  const headers = analyzeLoops(proc).all.map(({ header }) => header);
  for (const header of headers) {
    const loop = analyzeLoops(proc).all.find((loop) => loop.header === header);
    if (loop === undefined || loop.end - loop.begin > 1) continue; // it contains other loops
    const copies = new LoopCopies(proc, loop, chance() ? 1 : 3);
    const versions = [header, ...copies.all.flatMap(({ blocks }) => blocks.get(header) ?? [])];
    const entered = chance() ? versions : versions.slice(1); // where no edge leads to the original any more
    const any = (block: BasicBlock): BasicBlock => {
      if (!versions.includes(block)) return block;
      const next = entered.find(chance) ?? entered[0];
      if (next !== header) redirected++;
      return next;
    };
    for (const block of proc.blocks) block.successors = block.successors.map(any);
    copies.connect();
  }
  return redirected;
}
