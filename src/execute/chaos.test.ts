// Tests what chaos draws: the optimizer accepts the orders, they vary, and the same number draws
// the same.

import test from "ava";
import { drawChaos } from "../../reference/chaos/draw-order.js";
import { RULES } from "../../reference/optimize/rules/rules.js";
import { checkOrder } from "../../reference/optimize.js";
import { PHASES } from "../../reference/pipeline.js";
import { SeedSource } from "../support/source.js";

const REQUIRED = new Set(PHASES.filter(({ required }) => required).map(({ name }) => name));

const planOf = (seed: number) => drawChaos(new SeedSource(BigInt(seed), "chaos"));

test("every drawn order is accepted, and every phase and pair of phases occurs", (t) => {
  const pairs = new Set<string>();
  const off = new Set<string>();
  for (let seed = 0; seed < 2000; seed++) {
    const { phases, disabled } = planOf(seed);
    t.notThrows(() => checkOrder(phases));
    const drawn = phases.filter((name) => !REQUIRED.has(name)); // drawChaos inserts the required ones
    for (let p = 1; p < drawn.length; p++) pairs.add(`${drawn[p - 1]} ${drawn[p]}`);
    for (const name of disabled) off.add(name);
  }
  const optional = PHASES.filter(({ required, perTarget }) => !required && !perTarget);
  for (const { name: first } of optional)
    for (const { name: second } of optional) {
      t.true(pairs.has(`${first} ${second}`), `${first}, ${second}`);
    }
  t.is(off.size, RULES.length);
});

test("the same number draws the same plan", (t) => {
  t.deepEqual(planOf(7), planOf(7));
  t.notDeepEqual(planOf(7), planOf(8));
});
