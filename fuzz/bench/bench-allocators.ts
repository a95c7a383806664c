// `fuzz bench --allocators`: how the time of each allocator grows with the procedure, and what one very
// large procedure takes.
//
// Growth is measured on LIR made for it (reference/regalloc/stress/grown-lir.ts), with a few values live at a
// time and with many; user time of this process, the least of several runs. At most n log n is asked
// of linear scan and one-pass: `growth` is the time of the largest size as a share of what n log n
// makes of the time at FROM instructions, below which what each allocation costs at least counts.
//
// What is large is compiled at O0, allocation checked; its memory is the most that the process has had by then.

import { AllocationArenas } from "../../reference/allocate.js";
import { Compiler } from "../../reference/compile.js";
import { Lir } from "../../reference/lir/lir.js";
import { PARTS } from "../../reference/parts.js";
import { Allocation } from "../../reference/regalloc/allocation.js";
import { ALLOCATOR_NAMES, type AllocatorName } from "../../reference/regalloc/allocator-names.js";
import { growLir } from "../../reference/regalloc/stress/grown-lir.js";
import { PUZZLE_ROWS } from "../../reference/regalloc/stress/lir-puzzles.js";
import type { TargetName } from "../../reference/target/target.js";
import { ENVIRONMENT } from "../../src/execute/machine/environment.js";
import { Builder } from "../../src/ir/builder.js";
import { Module, Procedure } from "../../src/ir/procedure.js";
import { Int64 } from "../../src/ir/types.js";
import { SeedSource } from "../../src/support/source.js";
import { printAnswer } from "../answers/print-answer.js";
import { INTERRUPTED, LongWork, type Steps } from "../support/long-work.js";
import { printLine, printTable, STATUS } from "../support/output.js";

const TARGET: TargetName = "x64";
const SIZES: readonly number[] = [100, 300, 1000, 3000, 10_000, 30_000, 100_000];
/** The size that growth is counted from. */
const FROM = 1000;
/** Values of each bank that are live at a time. */
const LIVES: readonly number[] = [12, 5000];
/** Instructions that are allocated for one figure, in several runs of the smaller sizes. */
const WORK = 60_000;
const LARGE = { values: 100_000, live: 5000 };

interface Growth {
  readonly target: TargetName;
  readonly live: number;
  readonly allocator: AllocatorName;
  readonly sizes: readonly number[];
  readonly microseconds: readonly number[];
  readonly growth: number;
}

interface Large {
  readonly allocator: AllocatorName;
  readonly values: number;
  readonly live: number;
  readonly seconds: number;
  readonly megabytes: number;
}

export async function run({ json }: { readonly json: boolean }): Promise<number> {
  let at = "";
  const work = new LongWork((steps) => `${at}, ${steps} steps done`);
  const growth: Growth[] = [];
  for (const live of LIVES) {
    at = `growth with ${live} values live`;
    growth.push(...(await work.through(growthSteps(SIZES, live))));
  }
  at = `a procedure of ${LARGE.values} values`;
  const large = work.isInterrupted ? [] : await work.through(largeSteps(LARGE.values, LARGE.live));
  work.end();
  const interrupted = work.isInterrupted;
  if (json) printAnswer("touchstone.allocators", { growth, large, interrupted });
  else {
    if (interrupted) printLine(INTERRUPTED);
    print(growth, large);
  }
  return STATUS.nothingFound;
}

/** A step is a size; when it is interrupted, the sizes so far. */
export function* growthSteps(asked: readonly number[], live: number): Steps<Growth[]> {
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

/** Each value is the sum of the one before and of that `live` values before. A step is an allocator. */
export function* largeSteps(values: number, live: number): Steps<Large[]> {
  const module = new Module();
  const proc = new Procedure("large", Int64);
  module.procedures.push(proc);
  const { emit } = new Builder(proc);
  // newParameter(Int64) makes a value of that type, which its own type does not say.
  const first = proc.newParameter(Int64) as ReturnType<typeof emit.Const64>;
  const made = [first];
  for (let v = 1; v < values; v++) made.push(emit.Add(made[v - 1], made[Math.max(0, v - live)]));
  emit.Return(made[values - 1]);
  const compiler = new Compiler();
  const measured: Large[] = [];
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

function print(growth: readonly Growth[], large: readonly Large[]): void {
  const rows = growth.map(({ live, allocator, sizes, microseconds, growth }) => [
    `${allocator}, ${live} live`,
    ...SIZES.map((size, k) => (k < sizes.length ? (microseconds[k] / size).toFixed(2) : "")),
    growth.toFixed(2),
  ]);
  printTable([["µs/instruction", ...SIZES.map(String), "of n log n"], ...rows]);
  for (const { allocator, values, live, seconds, megabytes } of large) {
    const size = `${values} values, ${live} live`;
    printLine(`${size}: ${allocator} ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB`);
  }
}
