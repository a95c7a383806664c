// Tests the measurement `allocators`: its allocations are correct, it measures growth, and a procedure
// with many live values stays within its memory bound.

import test from "ava";
import { wholly } from "../../../fuzz/support/run-here.js";
import { AllocationArenas } from "../../../reference/allocate.js";
import { Lir } from "../../../reference/lir/lir.js";
import { PARTS } from "../../../reference/parts.js";
import { Allocation } from "../../../reference/regalloc/allocation.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import { growLir } from "../../../reference/regalloc/stress/grown-lir.js";
import { PUZZLE_ROWS } from "../../../reference/regalloc/stress/lir-puzzles.js";
import { SeedSource } from "../../../src/support/source.js";
import { growthSteps, largeSteps } from "./allocators.js";

const { registers } = PARTS.plans.x64.target;

for (const allocator of ALLOCATOR_NAMES) {
  test(`${allocator}: grown LIR is allocated correctly, with few and with many live values`, (t) => {
    const lir = new Lir();
    const allocation = new Allocation();
    const arenas = new AllocationArenas(PARTS);
    const procedure = { lir, rows: PUZZLE_ROWS, registers, allocation };
    for (let seed = 1; seed <= 12; seed++) {
      lir.reset();
      const live = seed % 3 === 0 ? 200 : 12;
      growLir(new SeedSource(BigInt(seed), "growth"), registers, 600, live, lir);
      t.true(lir.instructionCount >= 600);
      const steps = { cleansUp: seed % 2 === 0, checks: true };
      t.deepEqual(arenas.allocate(allocator, procedure, steps), []);
    }
  });
}

test("figures contain every allocator at each size", async (t) => {
  const rows = await wholly(growthSteps([300, 1000, 3000], 12));
  t.deepEqual(
    rows.map(({ allocator }) => allocator),
    [...ALLOCATOR_NAMES],
  );
  for (const { microseconds, growth } of rows) {
    t.is(microseconds.length, 3);
    t.true(growth > 0);
  }
});

test("a procedure with many live values fits into a gigabyte", async (t) => {
  const large = await wholly(largeSteps(20_000, 2000));
  for (const { megabytes, allocator } of large) {
    t.true(megabytes < 1024, `${allocator}: ${megabytes.toFixed(0)} MB`);
  }
});
