// `fuzz bench --growth`: no phase of the optimizer grows faster than n log n on any shape, by counted
// steps, which are the same in every run.

import test from "ava";
import { PHASES } from "../../reference/pipeline.js";
import { describeFault, verify } from "../../src/ir/verify/verify.js";
import { StepCounter } from "../support/count-steps.js";
import { EXPONENT_MAX, growthOf } from "./bench-growth.js";
import { GROWTH_SHAPES, moduleOf } from "./growth-shapes.js";

/** Values: the smaller program is beyond the limits of phases, below which they may be quadratic. */
const SIZES: readonly number[] = [5000, 10_000];
/** Of these so many times more: they have few accesses for their size. */
const LARGER: { readonly [shape: string]: number } = { kernels: 4 };
/** Parts with fewer steps for each value are noise. */
const STEPS_MIN = 20;
const OPTIMIZER = new Set(PHASES.map(({ name }) => name));

for (const shape of GROWTH_SHAPES) {
  test.serial(`${shape.name}: each phase grows as the program does`, (t) => {
    t.deepEqual(verify(moduleOf(shape, 300)).map(describeFault), []);
    const counter = new StepCounter("build/reference/optimize");
    const sizes = SIZES.map((size) => size * (LARGER[shape.name] ?? 1));
    const parts = growthOf(shape, sizes, () => counter.take(), 1);
    counter.close();
    const phases = parts.filter(({ part }) => OPTIMIZER.has(part));
    t.true(phases.length > 8, "phases are measured");
    t.true(
      phases.some(({ cost }) => cost[0] > SIZES[0]),
      "steps are counted",
    );
    for (const { part, cost, values, exponent } of phases) {
      if (cost[1] / values[1] < STEPS_MIN) continue;
      t.true(exponent < EXPONENT_MAX, `${part}: ${cost} steps, exponent ${exponent.toFixed(2)}`);
    }
  });
}
