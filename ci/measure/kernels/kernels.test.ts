// Tests the kernels of corpus/bench: the oracle and each subject give the results of their run
// lines.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../../../src/compare/judge-program.js";
import { emulatorTest, testedSubjects } from "../../../src/execute/unicorn-available.js";
import { decodeWasm } from "../../../src/import/decode-wasm.js";
import { importWasm } from "../../../src/import/import-wasm.js";
import { parseModule } from "../../../src/ir/text/parse.js";
import { printModule } from "../../../src/ir/text/print.js";
import { checkExpectation, runLines } from "../../../src/ir/text/run-line.js";
import { DEFAULT_FUEL } from "../../../src/oracle/fuel.js";
import { trials } from "../../../src/support/trials.js";
import { FRONT_END_KERNELS, IMPORTED_KERNELS, KERNEL_FOLDER } from "./kernels.js";

/** With fewer executed values, the prologue and the set-up dominate. */
const WORK_MIN = 50_000;
const ALL = [...FRONT_END_KERNELS, ...IMPORTED_KERNELS];
const EXPORTS: Readonly<Record<string, string>> = {
  lz: "lz",
  linear: "linear",
  formula: "formulas",
};
const withEmulator = emulatorTest(test);
/**
 * One in EVERY subjects judges a kernel, in rotation, so that each subject judges half of the
 * kernels. The full test uses all subjects.
 */
const EVERY = trials(2, 1);

test("corpus/bench holds every kernel and no other program", (t) => {
  const files = readdirSync(KERNEL_FOLDER).filter((name) => name.endsWith(".ir"));
  t.deepEqual(files.sort(), ALL.map(({ name }) => `${name}.ir`).sort());
});

for (const { name } of IMPORTED_KERNELS) {
  test(`${name}.ir is the import of ${name}.wasm`, (t) => {
    const bytes = readFileSync(join(KERNEL_FOLDER, `${name}.wasm`));
    const text = readFileSync(join(KERNEL_FOLDER, `${name}.ir`), "utf8");
    const { module } = importWasm(decodeWasm(bytes), EXPORTS[name]);
    t.is(printModule(parseModule(text)), printModule(module));
  });
}

for (const [k, { name }] of ALL.entries()) {
  withEmulator(`${name}: oracle and subjects give the results of the run lines`, (t) => {
    const text = readFileSync(join(KERNEL_FOLDER, `${name}.ir`), "utf8");
    const module = parseModule(text);
    const runs = runLines(text, module);
    t.true(runs.length > 0);
    const judge = new Judge({
      subjects: testedSubjects().filter((_, s) => s % EVERY === k % EVERY),
      fuelMax: DEFAULT_FUEL,
    });
    const { expected, fuelUsed, results } = judge.judge({
      module,
      inputs: runs.map(({ input }) => input),
    });
    judge.close();
    runs.forEach((run, i) => {
      t.truthy(run.expected);
      if (run.expected !== null) t.is(checkExpectation(run.expected, expected[i]), null);
      t.is(expected[i].ending.kind, i === 0 ? "return" : "exit");
    });
    t.true(fuelUsed[0] >= WORK_MIN, `${fuelUsed[0]} values`);
    t.true(results.length > 5, `${results.length} subjects`);
    for (const { subject, judgements } of results) {
      t.is(judgements.length, runs.length);
      for (const { verdict } of judgements) t.is(verdict.kind, "equal", subject);
    }
  });
}
