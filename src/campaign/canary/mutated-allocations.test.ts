// A short run of `node ci/allocations/mutate-allocations.mjs` over random programs.

import test from "ava";
import { MUTATION_NAMES } from "../../../reference/regalloc/stress/mutate-allocation.js";
import { emulatorTest } from "../../execute/unicorn-available.js";
import { MutatedPrograms } from "./mutated-allocations.js";

const withEmulator = emulatorTest(test);

withEmulator("programs: what 64 inputs show of a mutated allocation the checker rejects", (t) => {
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
  t.log(`${tried} mutations, ${changed} seen; emulated ${programs.emulated.tried}`);
  t.true(changed > 50 && programs.emulated.changed > 0);
});
