// `fuzz bench --kernels`: the form of its output, on the fastest kernel; and C computes what
// JavaScript does.

import { spawnSync } from "node:child_process";
import test from "ava";
import { fieldsFault } from "../../ci/schemas/answer-fault.js";
import { LEVELS } from "../../reference/levels.js";
import { ALLOCATOR_NAMES } from "../../reference/regalloc/allocator-names.js";
import { hostMissing } from "../../src/execute/missing.js";
import { emulatorTest } from "../../src/execute/unicorn-available.js";
import { DEFAULT_SETTINGS, Unit } from "../../src/execute/unit.js";
import { kernelSteps } from "../bench/bench-kernels.js";
import { wholly } from "../support/run-here.js";
import { IMPORTED_KERNELS } from "./imported.js";
import { interpreter } from "./interpreter.js";
import { KERNELS, resultOf } from "./kernels.js";
import { KernelCounter } from "./measure.js";
import { runC } from "./time.js";

const withEmulator = emulatorTest(test);
const withGcc = spawnSync("gcc", ["--version"]).status === 0 ? test : test.skip;

withEmulator("figures: every target and level, means, ratios, inner loops", async (t) => {
  const figures = await wholly(kernelSteps([interpreter]));
  const c = { each: [], shares: [] };
  t.is(
    fieldsFault("touchstone.kernels", {
      kernels: figures,
      imported: figures,
      c,
      interrupted: false,
    }),
    null,
  );
  const { geomean, ratios, each, elsewhere, extra, extraMeans } = figures;
  if (geomean === null || ratios === null || extraMeans === null) return t.fail("it is whole");
  for (const target of ["x64", "arm64"] as const) {
    t.deepEqual(Object.keys(geomean[target]), [...LEVELS]);
    for (const level of LEVELS) {
      const [row, ...more] = each.filter((row) => row.target === target && row.level === level);
      t.is(more.length, 0);
      const { instructions, seconds } = geomean[target][level];
      t.is(Math.round(instructions), row.instructions); // of one kernel
      t.is(seconds === null, target === "arm64" || hostMissing() !== null);
      t.true(seconds === null || Math.abs(seconds - (row.seconds ?? 0)) < 1e-9);
      t.true(row.codeBytes > 0);
      t.is(row.unit, "iteration");
      const inner = row.inner ?? 0.5;
      if (level === "O0") t.true(Math.abs(inner - Math.round(inner)) < 1e-6, `${inner}`);
      t.true(inner > 50, "an iteration is 17 bytecodes");
    }
    const { O0, O1 } = geomean[target];
    t.is(ratios[target]["O1/O0"], O1.instructions / O0.instructions);
    t.deepEqual(Object.keys(ratios[target]), ["O1/O0", "O2/O0", "O2/O1"]);
  }
  for (const { target, allocator, instructions, moved, unlimited, extra: share } of extra) {
    // Colouring and clean-up may need less than linear scan does with registers without end.
    t.true(unlimited > 0 && moved > 0 && moved < instructions);
    t.true(Math.abs(share - extraMeans[target][allocator]) < 1e-9); // of one kernel
  }
  t.is(extra.length, 2 * ALLOCATOR_NAMES.length);
  t.is(elsewhere.length, 1);
  t.true(elsewhere[0].javascript > 0);
});

withEmulator("what is switched off costs something", (t) => {
  const settings = { ...DEFAULT_SETTINGS, disabled: new Set(["reduce-strength"]) };
  const counter = new KernelCounter("arm64");
  const measure = (unit: Unit) => counter.measure(interpreter, unit, "O1").instructions;
  const without = measure(new Unit(interpreter.build(), settings));
  t.true(without > measure(new Unit(interpreter.build())));
  counter.close();
});

for (const kernel of [...KERNELS, ...IMPORTED_KERNELS]) {
  withGcc(`${kernel.name}: C gives what JavaScript gives`, (t) => {
    t.is(runC(kernel, kernel.counted)?.result, resultOf(kernel, kernel.counted));
  });
}
