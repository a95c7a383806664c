// Runs a small campaign on fixed seeds: every subject judges every program, and agrees. If it
// fails, `fuzz run --seed 1000` finds the same.

import test from "ava";
import { Judge } from "../../compare/judge-program.js";
import { emulatorTest, testedSubjects } from "../../execute/unicorn-available.js";
import { generateProgram } from "../../generate/generate-program.js";
import { PROFILES } from "../../generate/maker/odds.js";
import { parseModule } from "../../ir/text/parse.js";
import { printModule } from "../../ir/text/print.js";
import { verify } from "../../ir/verify/verify.js";
import { SeedSource } from "../../support/source.js";
import { trials } from "../../support/trials.js";

const FIRST_SEED = 1000n;
const FUEL = 1_000_000;
// `ci/nightly` judges 800 programs of each profile from the same seed on, these included.
const PROGRAMS = {
  usual: trials(16, 90),
  pressure: trials(4, 20),
  memory: trials(5, 25),
  exits: trials(5, 25),
  control: trials(5, 25),
  small: trials(5, 25),
};

const withEmulator = emulatorTest(test);

for (const [name, count] of Object.entries(PROGRAMS)) {
  const profile = Object.entries(PROFILES).find(([known]) => known === name)?.[1];
  withEmulator(`profile ${name}: ${count} programs, no difference, all judged`, (t) => {
    if (profile === undefined) {
      t.fail("no such profile");
      return;
    }
    const judge = new Judge({ subjects: testedSubjects(), fuelMax: FUEL });
    let unjudged = 0;
    let executions = 0;
    for (let i = 0; i < count; i++) {
      const seed = FIRST_SEED + BigInt(i);
      const { module, inputs } = generateProgram(new SeedSource(seed), profile);
      if (verify(module).length > 0) t.fail(`seed ${seed} is not valid`);
      const text = printModule(module);
      if (printModule(parseModule(text)) !== text) t.fail(`seed ${seed}: print and parse`);
      const { results } = judge.judge({ module, inputs });
      for (const { subject, judgements } of results) {
        for (const { verdict, input } of judgements) {
          executions++;
          if (verdict.kind === "unjudged") unjudged++;
          if (verdict.kind !== "different") continue;
          t.fail(`seed ${seed}, ${subject}, input ${input}: ${JSON.stringify(verdict)}`);
        }
      }
    }
    judge.close();
    t.true(unjudged < executions / 100, `${unjudged} of ${executions} unjudged`);
  });
}
