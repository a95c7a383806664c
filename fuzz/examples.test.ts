// Examples of help texts with a planted bug find it: a new generator gives their seeds other programs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { programOf } from "../src/campaign/program/seeds.js";
import { Judge } from "../src/compare/judge-program.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { projectRoot } from "../src/support/project-root.js";
import { chooseSubjectsForFile } from "./support/arguments.js";
import { plantedBug } from "./support/program-file.js";

const SOURCE = readFileSync(join(projectRoot(), "fuzz", "commands.ts"), "utf8");
const EXAMPLES = [...SOURCE.matchAll(/"\$0 (\w+) --seed (\d+) --canary ([\w-]+)"/g)];

test("an example with a seed and a planted bug finds the bug", (t) => {
  t.true(EXAMPLES.length >= 2);
  for (const [example, , seed, canary] of EXAMPLES) {
    const { planted, subjects: usual } = plantedBug(canary);
    const { subjects } = chooseSubjectsForFile(undefined, usual);
    const judge = new Judge({ fuelMax: DEFAULT_FUEL, ...planted, subjects });
    const { module, inputs } = programOf(BigInt(seed));
    const { results } = judge.judge(module, inputs);
    judge.close();
    const verdicts = results.flatMap(({ judgements }) => judgements.map(({ verdict }) => verdict));
    t.true(
      verdicts.some(({ kind }) => kind === "different"),
      example,
    );
  }
});
