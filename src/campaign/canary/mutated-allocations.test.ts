// Runs `node ci/measure.mjs checker` briefly, over random programs.

import test from "ava";
import { MUTATION_NAMES } from "../../../reference/regalloc/stress/mutate-allocation.js";
import { emulatorTest } from "../../execute/unicorn-available.js";
import { generateProgram } from "../../generate/generate-program.js";
import { firstSeedThat } from "../../support/first-seed.js";
import { SeedSource } from "../../support/source.js";
import { programOf } from "../program/seeds.js";
import { MutatedPrograms } from "./mutated-allocations.js";

const withEmulator = emulatorTest(test);

withEmulator("the inputs are those of the program of the seed", (t) => {
  const programs = new MutatedPrograms();
  // With other choices for its inputs, the generator forces other guards, by further parameters.
  const isOther = (seed: bigint): boolean => {
    const from = new SeedSource(seed, "inputs 0");
    const [{ words }] = generateProgram(new SeedSource(seed), {}, from).inputs;
    return programOf(seed).module.entry.parameters.length > words.length / 2;
  };
  for (let k = 0, from = 7000n; k < 3; k++) {
    const seed = firstSeedThat("a further parameter", { from, count: 500n }, isOther);
    t.deepEqual(programs.try(seed), []);
    from = seed + 1n;
  }
  programs.close();
});

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
