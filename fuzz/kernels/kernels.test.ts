// The kernels: their files are what the builder prints, and everybody computes what JavaScript does.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../../src/compare/judge-program.js";
import { DEFAULT_FUEL } from "../../src/execute/subjects.js";
import { emulatorTest, testedSubjects } from "../../src/execute/unicorn-available.js";
import { projectRoot } from "../../src/execute/unicorn-library.js";
import { parseModule } from "../../src/ir/parse.js";
import { checkExpectation, runLines } from "../../src/ir/run-line.js";
import { KERNELS, textOf } from "./kernels.js";

const FOLDER = join(projectRoot(), "corpus", "bench");
/** Less work than this is mostly what comes before and behind the loops. */
const WORK_MIN = 50_000;
const withEmulator = emulatorTest(test);

test("corpus/bench holds every kernel and no other program", (t) => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ir"));
  t.deepEqual(files.sort(), KERNELS.map(({ name }) => `${name}.ir`).sort());
});

for (const kernel of KERNELS) {
  const path = join(FOLDER, `${kernel.name}.ir`);

  test(`${kernel.name}.ir is what the builder prints (TOUCHSTONE_UPDATE=1 rewrites it)`, (t) => {
    const text = textOf(kernel);
    if (process.env["TOUCHSTONE_UPDATE"] === "1") writeFileSync(path, text);
    t.is(readFileSync(path, "utf8"), text);
  });

  withEmulator(`${kernel.name}: oracle and subjects give what JavaScript gives`, (t) => {
    const text = readFileSync(path, "utf8");
    const module = parseModule(text);
    const runs = runLines(text, module);
    t.is(runs.length, 1 + kernel.leaving.length);
    const judge = new Judge({ subjects: testedSubjects(), fuelMax: DEFAULT_FUEL });
    const { expected, fuelUsed, results } = judge.judge(
      module,
      runs.map(({ input }) => input),
    );
    judge.close();
    runs.forEach((run, i) => {
      t.truthy(run.expected);
      if (run.expected !== null) t.is(checkExpectation(run.expected, expected[i]), null);
      t.is(expected[i].ending.kind, i === 0 ? "return" : "exit");
    });
    t.true(fuelUsed[0] >= WORK_MIN, `${fuelUsed[0]} values`);
    for (const { subject, judgements } of results) {
      t.is(judgements.length, runs.length);
      for (const { verdict } of judgements) t.is(verdict.kind, "equal", subject);
    }
  });
}
