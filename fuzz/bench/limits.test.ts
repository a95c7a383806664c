// What phases leave undone in a program that is too large for them is told by name, and counted by campaigns.

import test from "ava";
import { emptyTally, mergeTally, tallyProgram } from "../../src/campaign/count/tally.js";
import { USUAL } from "../../src/campaign/program/seeds.js";
import { Judge } from "../../src/compare/judge-program.js";
import { subjectNamed } from "../../src/execute/subjects.js";
import type { Input } from "../../src/ir/outcome.js";
import { assert } from "../../src/support/assert.js";
import { GROWTH_SHAPES, moduleOf } from "./growth-shapes.js";

/** No loop runs more than once. */
const INPUT: Input = { words: new Int32Array(6), heapSeed: 0 };
const FUEL = 1_000_000;

const COPIES = ["unroll-loop: procedure size", "version-loops: procedure size"];
const RANGES = ["eliminate-bounds-checks: range steps", "narrow: range steps"];

// biome-ignore format: a table
const REACHED = [
  { shape: "nests",   values: 5000, limits: ["hoist-loop-invariant-values: loop levels", ...COPIES, ...RANGES] },
  { shape: "stores",  values: 1200, limits: ["eliminate-dead-stores: near accesses", "forward-loads: near accesses"] },
  { shape: "kernels", values: 5000, limits: ["predicate-bounds-checks: procedure size", "forward-loads: near accesses", ...COPIES, ...RANGES] },
];

test("limits that a program reaches are counted by phase and limit, and add up", (t) => {
  const subject = subjectNamed("ir-O2");
  assert(subject !== null, () => "no subject is named ir-O2");
  const judge = new Judge({ subjects: [subject], fuelMax: FUEL });
  for (const { shape: name, values, limits } of REACHED) {
    const shape = GROWTH_SHAPES.find((shape) => shape.name === name);
    assert(shape !== undefined, () => `no shape is named ${name}`);
    const module = moduleOf(shape, values);
    const [tally, whole] = [emptyTally(), emptyTally()];
    tallyProgram(tally, module, judge.judge(module, [INPUT]), USUAL);
    for (const limit of limits) t.is(tally.limits?.[limit], 1, `${name}: ${limit}`);
    mergeTally(whole, tally);
    mergeTally(whole, tally);
    t.is(whole.limits?.[limits[0]], 2);
  }
  judge.close();
});
