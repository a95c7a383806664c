// `fuzz bench --growth`: no phase and no stage of the compiler grows faster than n log n on any shape, by
// counted steps, which are the same in every run.

import test from "ava";
import { ALLOCATOR_NAMES } from "../../reference/regalloc/allocator-names.js";
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

const STAGES = [
  "lower",
  ...ALLOCATOR_NAMES.flatMap((name) => [`allocate, ${name}`, `emit, ${name}`]),
];

/**
 * Still quadratic: the counter of each loop lives through all loops within, so what is live where grows with the
 * square. The checker has a limit for that; allocators have none.
 */
const OPEN: { readonly [shape: string]: RegExp } = { nests: /^(allocate|check), / };

// One for all: what was compiled while another counted is not counted again.
const counter = new StepCounter("build/reference");
test.after.always(() => counter.close());

for (const shape of GROWTH_SHAPES) {
  test.serial(`${shape.name}: each phase and stage grows as the program does`, (t) => {
    t.deepEqual(verify(moduleOf(shape, 300)).map(describeFault), []);
    const sizes = SIZES.map((size) => size * (LARGER[shape.name] ?? 1));
    const parts = growthOf(shape, sizes, () => counter.take(), 1);
    t.true(parts.length > 8 + STAGES.length, "phases are measured");
    for (const stage of STAGES) {
      const measured = parts.find(({ part }) => part === stage);
      t.true((measured?.cost[0] ?? 0) > SIZES[0], `steps of ${stage} are counted`);
    }
    for (const { part, cost, values, exponent } of parts) {
      if (cost[1] / values[1] < STEPS_MIN || OPEN[shape.name]?.test(part)) continue;
      t.true(exponent < EXPONENT_MAX, `${part}: ${cost} steps, exponent ${exponent.toFixed(2)}`);
    }
  });
}
