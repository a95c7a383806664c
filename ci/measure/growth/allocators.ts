// Measures how the time of each allocator grows with the
// procedure, and the cost of one very large procedure.
//
// Growth is measured on synthetic LIR (reference/regalloc/stress/grown-lir.ts), with few and with
// many live values. The cost is the user time of this process, the minimum of several runs.
// `growth` is the time of the largest size, divided by the n log n extrapolation of the time at
// FROM instructions. Below FROM, the fixed cost of an allocation dominates. Linear scan and
// one-pass must not exceed n log n.
//
// The large procedure is compiled at O0 with the allocation checker; its memory is the peak of the
// process so far.

import { INTERRUPTED, LongWork, type StoppableWork } from "../../../fuzz/support/long-work.js";
import { printLine, printTable, STATUS } from "../../../fuzz/support/output.js";
import { AllocationArenas } from "../../../reference/allocate.js";
import { Compiler } from "../../../reference/compile.js";
import { Lir } from "../../../reference/lir/lir.js";
import { PARTS } from "../../../reference/parts.js";
import { Allocation } from "../../../reference/regalloc/allocation.js";
import {
  ALLOCATOR_NAMES,
  type AllocatorName,
} from "../../../reference/regalloc/allocator-names.js";
import { growLir } from "../../../reference/regalloc/stress/grown-lir.js";
import { PUZZLE_ROWS } from "../../../reference/regalloc/stress/lir-puzzles.js";
import type { TargetName } from "../../../reference/target/target.js";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import { Builder } from "../../../src/ir/builder.js";
import { Module, Procedure } from "../../../src/ir/procedure.js";
import { Int64 } from "../../../src/ir/types.js";
import { SeedSource } from "../../../src/support/source.js";

const TARGET: TargetName = "x64";
const SIZES: readonly number[] = [100, 300, 1000, 3000, 10_000, 30_000, 100_000];
/** The size to which growth is relative. */
const FROM = 1000;
/** Live values of each bank. */
const LIVES: readonly number[] = [12, 5000];
/** Instructions that are allocated for one figure. Smaller sizes are run several times. */
const WORK = 60_000;
const LARGE = { values: 100_000, live: 5000 };

interface AllocatorGrowth {
  readonly target: TargetName;
  readonly live: number;
  readonly allocator: AllocatorName;
  readonly sizes: readonly number[];
  readonly microseconds: readonly number[];
  readonly growth: number;
}

interface LargeProcedureCost {
  readonly allocator: AllocatorName;
  readonly values: number;
  readonly live: number;
  readonly seconds: number;
  readonly megabytes: number;
}

export async function run(): Promise<number> {
  let at = "";
  const work = new LongWork((steps) => `${at}, ${steps} steps done`);
  const growth: AllocatorGrowth[] = [];
  for (const live of LIVES) {
    at = `growth with ${live} live values`;
    growth.push(...(await work.through(growthSteps(SIZES, live))));
  }
  at = `a procedure with ${LARGE.values} values`;
  const large = work.isInterrupted ? [] : await work.through(largeSteps(LARGE.values, LARGE.live));
  work.end();
  if (work.isInterrupted) printLine(INTERRUPTED);
  print(growth, large);
  return STATUS.nothingFound;
}

/** Measures growth. A step is a size; an interrupted measurement returns the sizes so far. */
export function* growthSteps(
  asked: readonly number[],
  live: number,
): StoppableWork<AllocatorGrowth[]> {
  const { registers } = PARTS.plans[TARGET].target;
  const lir = new Lir();
  const allocation = new Allocation();
  const arenas = new AllocationArenas(PARTS);
  const procedure = { lir, rows: PUZZLE_ROWS, registers, allocation };
  const times = new Map(ALLOCATOR_NAMES.map((name): [AllocatorName, number[]] => [name, []]));
  const sizes: number[] = [];
  for (const size of asked) {
    if (yield) break;
    sizes.push(size);
    lir.reset();
    growLir(new SeedSource(BigInt(size), "growth"), registers, size, live, lir);
    for (const [name, list] of times) {
      let least = Number.POSITIVE_INFINITY;
      for (let run = 0; run < Math.max(2, WORK / size); run++) {
        const start = process.cpuUsage();
        arenas.allocate(name, procedure, { cleansUp: false, checks: false });
        const { user, system } = process.cpuUsage(start);
        if (user + system > 0) least = Math.min(least, user + system);
      }
      list.push(least);
    }
  }
  if (sizes.length === 0) return [];
  return [...times].map(([allocator, microseconds]) => {
    const growth = growthOf(sizes, microseconds);
    return { target: TARGET, live, allocator, sizes, microseconds, growth };
  });
}

function growthOf(sizes: readonly number[], microseconds: readonly number[]): number {
  const from = Math.max(0, sizes.indexOf(FROM));
  const last = sizes.length - 1;
  const work = (n: number): number => n * Math.log(n);
  return microseconds[last] / microseconds[from] / (work(sizes[last]) / work(sizes[from]));
}

/**
 * Measures a procedure in which each value is the sum of its predecessor and of the value `live`
 * values before. A step is an allocator.
 */
export function* largeSteps(values: number, live: number): StoppableWork<LargeProcedureCost[]> {
  const module = new Module();
  const proc = new Procedure("large", Int64);
  module.procedures.push(proc);
  const { emit } = new Builder(proc);
  // The cast: newParameter(Int64) makes an Int64 value, but its declared type does not state that.
  const first = proc.newParameter(Int64) as ReturnType<typeof emit.Const64>;
  const made = [first];
  for (let v = 1; v < values; v++) made.push(emit.Add(made[v - 1], made[Math.max(0, v - live)]));
  emit.Return(made[values - 1]);
  const compiler = new Compiler();
  const measured: LargeProcedureCost[] = [];
  for (const allocator of ALLOCATOR_NAMES) {
    if (yield) break;
    const start = process.cpuUsage();
    compiler.generate(module, TARGET, {
      environment: ENVIRONMENT,
      level: "O0",
      allocator,
      checkAllocation: true,
      listing: false,
    });
    const { user, system } = process.cpuUsage(start);
    const megabytes = process.resourceUsage().maxRSS / 1024;
    measured.push({ allocator, values, live, seconds: (user + system) / 1e6, megabytes });
  }
  return measured;
}

function print(growth: readonly AllocatorGrowth[], large: readonly LargeProcedureCost[]): void {
  const rows = growth.map(({ live, allocator, sizes, microseconds, growth }) => [
    `${allocator}, ${live} live`,
    ...SIZES.map((size, k) => (k < sizes.length ? (microseconds[k] / size).toFixed(2) : "")),
    growth.toFixed(2),
  ]);
  printTable([["µs/instruction", ...SIZES.map(String), "relative to n log n"], ...rows]);
  for (const { allocator, values, live, seconds, megabytes } of large) {
    const size = `${values} values, ${live} live`;
    printLine(`${size}: ${allocator} ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB`);
  }
}
