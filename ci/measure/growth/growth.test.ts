// Tests that no phase or stage of the compiler grows faster than n log n on any shape. It counts
// steps, which are the same in every run. The allocation checker passes the same test; it skips
// procedures that are too large.

import test from "ava";
import { wholly } from "../../../fuzz/support/run-here.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import { describeFault, verify } from "../../../src/ir/verify/verify.js";
import { StepCounter } from "./count-steps.js";
import { EXPONENT_MAX, growthSteps } from "./growth.js";
import { GROWTH_SHAPES, moduleOf } from "./growth-shapes.js";

/**
 * Sizes in values. The smaller size is beyond the limits of phases; below them, phases may be
 * quadratic.
 */
const SIZES: readonly number[] = [5000, 10_000];
/** Factors for shapes that have few accesses for their size. */
const LARGER: { readonly [shape: string]: number } = { kernels: 4 };
/** The minimum of steps for each value; fewer are noise. */
const STEPS_MIN = 20;

const STAGES = [
  "lower",
  ...ALLOCATOR_NAMES.flatMap((name) => [`allocate, ${name}`, `emit, ${name}`]),
];

/** Limits that allocation reaches in the larger programs. */
const LIMITS: { readonly [shape: string]: readonly string[] } = {
  nests: [
    "linear-scan: deep-loops",
    "colouring: deep-loops",
    "one-pass: unnoted-uses",
    "one-pass: unchecked",
  ],
  slots: ["colouring: too-large"],
};

// Shared by all tests: a compilation that ran while another counter was active would not be counted
// again.
const counter = new StepCounter("build/reference");
test.after.always(() => counter.close());

for (const shape of GROWTH_SHAPES) {
  test.serial(`${shape.name}: no phase or stage grows faster than n log n`, async (t) => {
    t.deepEqual(verify(moduleOf(shape, 300)).map(describeFault), []);
    const sizes = SIZES.map((size) => size * (LARGER[shape.name] ?? 1));
    const reached = new Set<string>();
    const parts = await wholly(growthSteps(shape, sizes, () => counter.take(), 1, reached));
    for (const limit of LIMITS[shape.name] ?? []) t.true(reached.has(limit), limit);
    t.true(parts.length > 8 + STAGES.length, "phases are measured");
    for (const stage of STAGES) {
      const measured = parts.find(({ part }) => part === stage);
      t.true((measured?.cost[0] ?? 0) > SIZES[0], `steps of ${stage} are counted`);
    }
    for (const { part, cost, values, exponent } of parts) {
      if (cost[1] / values[1] < STEPS_MIN) continue;
      t.true(exponent < EXPONENT_MAX, `${part}: ${cost} steps, exponent ${exponent.toFixed(2)}`);
    }
  });
}
