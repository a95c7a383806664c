// Tests that two compilers in one process share no state. The outer compiler reads its rows and
// registers through getters. At each of several such reads an inner compiler runs from start to
// end. Both must produce the bytes of uninterrupted compiles.

import test from "ava";
import { generatedOf } from "../src/campaign/program/seeds.js";
import { ENVIRONMENT } from "../src/execute/machine/environment.js";
import type { Module } from "../src/ir/procedure.js";
import { firstSeedThat } from "../src/support/first-seed.js";
import { trials } from "../src/support/trials.js";
import { type CodeImage, Compiler } from "./compile.js";
import { optimize } from "./optimize.js";
import { type CompilerParts, PARTS } from "./parts.js";
import { ALLOCATOR_NAMES, type AllocatorName } from "./regalloc/allocator-names.js";
import type { LoweringPlan } from "./target/plan.js";
import { TARGET_NAMES, type TargetName } from "./target/target.js";

/** Large enough for loops, calls, exits, spills and parallel moves. */
const VALUES = 600;
const OUTER_SEED = seedOfSize(7n, VALUES);
const INNER_SEED = seedOfSize(OUTER_SEED + 1n, VALUES / 2);
/** The number of reads at which the inner compiler runs, spread evenly over all reads. */
const INTERRUPTIONS = trials(6, 20);

function compile(
  compiler: Compiler,
  module: Module,
  target: TargetName,
  allocator: AllocatorName,
): CodeImage {
  return compiler.generate(module, target, {
    environment: ENVIRONMENT,
    level: "O2",
    allocator,
    checkAllocation: true,
    listing: false,
  });
}

/**
 * Returns the first seed from `first` on whose program has at least `values` values after
 * optimization.
 */
function seedOfSize(first: bigint, values: number): bigint {
  return firstSeedThat(`${values} values`, { from: first, count: 1000n }, (seed) => {
    const { procedures, continuations } = moduleOf(seed, "x64");
    const resumed = new Set([...continuations.values()].flat());
    const count = procedures
      .filter((proc) => !resumed.has(proc)) // they are not compiled
      .flatMap(({ blocks }) => blocks)
      .reduce((sum, block) => sum + block.values.length, 0);
    return count >= values;
  });
}

function moduleOf(seed: bigint, target: TargetName): Module {
  const { module } = generatedOf(seed);
  optimize(module, { level: "O2", target });
  return module;
}

/**
 * Wraps the parts so that `onRead` is called at each read of a watched field, and at each emission
 * of a row.
 */
function watched(onRead: () => void): CompilerParts {
  const watch = (plan: LoweringPlan): LoweringPlan => {
    const rows = plan.rows.map((row) => ({
      ...row,
      get isCall() {
        onRead();
        return row.isCall;
      },
      emit: (...[asm, context, i]: Parameters<typeof row.emit>) => {
        onRead();
        row.emit(asm, context, i);
      },
    }));
    const { registers } = plan.target;
    const read = {
      get general() {
        onRead();
        return registers.general;
      },
      get vector() {
        onRead();
        return registers.vector;
      },
      get generalScratch() {
        onRead();
        return registers.generalScratch;
      },
      get vectorScratch() {
        onRead();
        return registers.vectorScratch;
      },
      callerSaved: registers.callerSaved,
    };
    return { ...plan, rows, target: { ...plan.target, rows, registers: read } };
  };
  const { x64, arm64 } = PARTS.plans;
  return { ...PARTS, plans: { x64: watch(x64), arm64: watch(arm64) } };
}

for (const target of TARGET_NAMES) {
  for (const allocator of ALLOCATOR_NAMES) {
    test(`${target}, ${allocator}: a compile in the middle of another changes neither`, (t) => {
      const module = moduleOf(OUTER_SEED, target);
      const inner = moduleOf(INNER_SEED, target);
      const expected = compile(new Compiler(), module, target, allocator);
      const others = ALLOCATOR_NAMES.map((name) => compile(new Compiler(), inner, target, name));
      let reads = 0;
      let interruptedAt = Number.POSITIVE_INFINITY;
      const interrupting = new Compiler();
      const wrong: string[] = [];
      const interrupted = new Compiler(
        watched(() => {
          if (++reads !== interruptedAt) return;
          for (const [k, name] of ALLOCATOR_NAMES.entries()) {
            const got = compile(interrupting, inner, target, name);
            if (!isSame(got, others[k])) wrong.push(`inner, ${name}, at read ${interruptedAt}`);
          }
        }),
      );
      t.true(isSame(compile(interrupted, module, target, allocator), expected));
      const count = reads;
      t.true(count > 50 * INTERRUPTIONS, `${count} reads`);
      for (let k = 0; k < INTERRUPTIONS; k++) {
        reads = 0;
        interruptedAt = 1 + Math.floor((k * count) / INTERRUPTIONS);
        try {
          const got = compile(interrupted, module, target, allocator);
          if (!isSame(got, expected)) wrong.push(`outer, at read ${interruptedAt} of ${count}`);
        } catch (error) {
          wrong.push(`outer, at read ${interruptedAt} of ${count}: ${String(error).slice(0, 80)}`);
        }
      }
      t.deepEqual(wrong, []);
    });
  }
}

function isSame(x: CodeImage, y: CodeImage): boolean {
  return (
    Buffer.compare(x.code, y.code) === 0 &&
    Buffer.compare(x.exits, y.exits) === 0 &&
    JSON.stringify(x.safepoints) === JSON.stringify(y.safepoints)
  );
}
