// Runs `node ci/measure.mjs checker` briefly, over random programs.

import test from "ava";
import { MUTATION_NAMES } from "../../../reference/regalloc/stress/mutate-allocation.js";
import { emulatorTest } from "../../execute/unicorn-available.js";
import { MutatedPrograms } from "./mutated-allocations.js";

const withEmulator = emulatorTest(test);

withEmulator("programs: the checker rejects each mutated allocation that 64 inputs show", (t) => {
  const programs = new MutatedPrograms();
  const misses: string[] = [];
  for (let seed = 1n; seed <= 14n; seed++) misses.push(...programs.try(seed));
  programs.close();
  t.deepEqual(misses, []);
  let [tried, changed] = [0, 0];
  for (const name of MUTATION_NAMES) {
    tried += programs.judge.counts[name].tried;
    changed += programs.judge.counts[name].changed;
  }
  t.log(`${tried} mutations, ${changed} visible; emulated ${programs.emulated.tried}`);
  t.true(changed > 50 && programs.emulated.changed > 0);
});
