// Tests the measurement `kernels` on the fastest kernel. Also checks that each kernel in
// C gives the result of the kernel's first run line.

import { spawnSync } from "node:child_process";
import test from "ava";
import { wholly } from "../../../fuzz/support/run-here.js";
import { LEVELS } from "../../../reference/levels.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import { hostMissing } from "../../../src/execute/missing.js";
import { emulatorTest } from "../../../src/execute/unicorn-available.js";
import { CompilationUnit, DEFAULT_SETTINGS } from "../../../src/execute/unit.js";
import { isBits } from "../../../src/ir/outcome.js";
import { Double } from "../../../src/ir/types.js";
import { decodeModule } from "../../../src/oracle/fast/decode.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../../src/oracle/fuel.js";
import { kernelSteps } from "./bench-kernels.js";
import { FRONT_END_KERNELS, IMPORTED_KERNELS, kernelOf } from "./kernels.js";
import { KernelCounter } from "./measure.js";
import { runC } from "./time.js";

const withEmulator = emulatorTest(test);
const withGcc = spawnSync("gcc", ["--version"]).status === 0 ? test : test.skip;

const interpreter = kernelOf({ name: "interpreter", timed: [20_000, 10_007] });

withEmulator("figures: every target and level, means, ratios", async (t) => {
  const figures = await wholly(kernelSteps([interpreter]));
  const { geomean, ratios, each, elsewhere, extra, extraMeans } = figures;
  if (geomean === null || ratios === null || extraMeans === null)
    return t.fail("the measurement is complete");
  for (const target of ["x64", "arm64"] as const) {
    t.deepEqual(Object.keys(geomean[target]), [...LEVELS]);
    for (const level of LEVELS) {
      const [row, ...more] = each.filter((row) => row.target === target && row.level === level);
      t.is(more.length, 0);
      const { instructions, seconds } = geomean[target][level];
      t.is(Math.round(instructions), row.instructions); // the mean over one kernel
      t.is(seconds === null, target === "arm64" || hostMissing() !== null);
      t.true(seconds === null || Math.abs(seconds - (row.seconds ?? 0)) < 1e-9);
      t.true(row.codeBytes > 0);
    }
    const { O0, O1 } = geomean[target];
    t.is(ratios[target]["O1/O0"], O1.instructions / O0.instructions);
    t.deepEqual(Object.keys(ratios[target]), ["O1/O0", "O2/O0", "O2/O1"]);
  }
  for (const { target, allocator, instructions, moved, unlimited, extra: share } of extra) {
    // Colouring and clean-up may need fewer moves than linear scan with unlimited registers.
    t.true(unlimited > 0 && moved > 0 && moved < instructions);
    t.true(Math.abs(share - extraMeans[target][allocator]) < 1e-9); // the mean over one kernel
  }
  t.is(extra.length, 2 * ALLOCATOR_NAMES.length);
  t.is(elsewhere.length, 1);
});

withEmulator("disabling phases has a cost", (t) => {
  const settings = { ...DEFAULT_SETTINGS, disabled: new Set(["reduce-strength"]) };
  const counter = new KernelCounter("arm64");
  const measure = (unit: CompilationUnit) => counter.measure(interpreter, unit, "O1").instructions;
  const without = measure(new CompilationUnit(interpreter.module, settings));
  t.true(without > measure(new CompilationUnit(interpreter.module)));
  counter.close();
});

for (const row of [...FRONT_END_KERNELS, ...IMPORTED_KERNELS]) {
  withGcc(`${row.name}: C gives the result of the oracle`, (t) => {
    const kernel = kernelOf(row);
    const { ending } = new Oracle().run(decodeModule(kernel.module), kernel.counted, DEFAULT_FUEL);
    const result = ending.kind === "return" ? ending.result : null;
    if (result === null || !isBits(result)) return t.fail(`the oracle gives ${ending.kind}`);
    const { type, lo, hi } = result;
    const number = type === Double ? new Float64Array(Int32Array.of(lo, hi).buffer)[0] : lo;
    t.is(runC(kernel, kernel.counted)?.result, number);
  });
}
