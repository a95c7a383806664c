// Blocks of random programs are copied and edges led into the copies at random: the programs must
// mean the same. It stands here, not beside the compiler, because it asks the oracle.

import test from "ava";
import { duplicateBlocks, repairUses } from "../../reference/optimize/duplicate-blocks.js";
import { programOf } from "../campaign/seeds.js";
import { subjectNamed } from "../execute/subjects.js";
import { DEFAULT_SETTINGS } from "../execute/unit.js";
import type { BasicBlock, Module, Procedure } from "../ir/procedure.js";
import { describeFault, verify } from "../ir/verify.js";
import { SeedSource } from "../support/source.js";
import { Judge } from "./judge-program.js";

const PROGRAMS = 200n;

test("a way into a copy is as good as one into the original", (t) => {
  const subject = subjectNamed("ir-O1");
  if (subject === null) return t.fail();
  let [equal, redirected] = [0, 0];
  for (let seed = 1n; seed <= PROGRAMS; seed++) {
    const source = new SeedSource(seed);
    const chance = (): boolean => source.below(2) === 0;
    const plant = (module: Module): void => {
      for (const proc of module.procedures) redirected += duplicateSome(proc, chance);
      const faults = verify(module).map(describeFault);
      t.deepEqual(faults, [], `seed ${seed}`);
    };
    const settings = { ...DEFAULT_SETTINGS, plant };
    const judge = new Judge({ subjects: [subject], fuelMax: 1_000_000, settings });
    const { module, inputs } = programOf(seed);
    const [{ judgements }] = judge.judge(module, inputs).results;
    for (const { verdict } of judgements) {
      if (verdict.kind === "different") t.fail(`seed ${seed}: ${verdict.detail}`);
      if (verdict.kind === "equal") equal++;
    }
    judge.close();
  }
  t.true(redirected > 800, `${redirected} edges`);
  t.true(equal > 3 * Number(PROGRAMS), `${equal} equal`);
});

/** The number of edges that lead into a copy now. */
function duplicateSome(proc: Procedure, chance: () => boolean): number {
  const copied = proc.blocks.filter((_, b) => b > 0 && chance());
  const { blocks, values } = duplicateBlocks(proc, copied);
  const originalOf = new Map([...blocks].map(([original, copy]) => [copy, original]));
  let redirected = 0;
  const either = (block: BasicBlock): BasicBlock => {
    const original = originalOf.get(block) ?? block;
    const copy = blocks.get(original);
    if (copy === undefined || chance()) return original;
    redirected++;
    return copy;
  };
  for (const block of proc.blocks) block.successors = block.successors.map(either);
  repairUses(proc, values);
  return redirected;
}
