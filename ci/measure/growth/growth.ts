// Measures how each phase and stage grows with the procedure.
//
// Each shape (growth-shapes.ts) is compiled at O2 in three sizes, by each allocator. The exponent
// of a part compares its cost at the first and the last size: 1 is linear, 2 is quadratic, and n
// log n is slightly above 1. The cost is user time, the minimum of several runs; the test counts
// steps. The command also prints the limits that phases and stages reached in large procedures.

import { INTERRUPTED, LongWork, type StoppableWork } from "../../../fuzz/support/long-work.js";
import { printLine, printTable, STATUS } from "../../../fuzz/support/output.js";
import { Compiler } from "../../../reference/compile.js";
import { optimize } from "../../../reference/optimize.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import { AllocationChecker } from "../../../reference/regalloc/check/check.js";
import { isLimitEvent } from "../../../reference/regalloc/events.js";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import { valueCountOf } from "../../../src/reduce/candidate.js";
import { GROWTH_SHAPES, type GrowthShape, moduleOf } from "./growth-shapes.js";

const TARGET = "x64";
const LEVEL = "O2";
/** Sizes in values. */
const SIZES: readonly number[] = [1000, 7000, 50_000];
const RUNS = 2;
/** Microseconds on the largest program; parts that take less are not printed. */
const SHOWN_FROM = 20_000;
/** The exponent above which a part is marked. */
export const EXPONENT_MAX = 1.3;

interface CostGrowth {
  readonly shape: string;
  readonly part: string;
  readonly values: readonly number[];
  readonly cost: readonly number[];
  readonly exponent: number;
}

/** Limits that programs of a shape reached. */
interface ShapeLimits {
  readonly shape: string;
  readonly limits: readonly string[];
}

/** Returns the cost since the previous call. */
type CostMeter = () => number;

export async function run(): Promise<number> {
  const parts: CostGrowth[] = [];
  const limits: ShapeLimits[] = [];
  let at = "";
  const work = new LongWork(() => `${at}, ${limits.length} of ${GROWTH_SHAPES.length} shapes done`);
  for (const shape of GROWTH_SHAPES) {
    at = shape.name;
    const reached = new Set<string>();
    parts.push(...(await work.through(growthSteps(shape, SIZES, userTime(), RUNS, reached))));
    if (work.isInterrupted) break; // the shape is incomplete
    limits.push({ shape: shape.name, limits: [...reached].sort() });
  }
  work.end();
  if (work.isInterrupted) printLine(INTERRUPTED);
  print(parts, limits);
  return STATUS.nothingFound;
}

/** Returns a meter that counts microseconds of this process. */
function userTime(): CostMeter {
  let since = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(since);
    since = process.cpuUsage();
    return user + system;
  };
}

/**
 * Measures every phase and stage of the compiler on programs of one shape. A step is a program.
 * Returns null if it is interrupted.
 * @param reached receives the limits that the programs reach
 */
export function* growthSteps(
  shape: GrowthShape,
  sizes: readonly number[],
  meter: CostMeter,
  runs: number,
  reached: Set<string> = new Set(),
): StoppableWork<CostGrowth[]> {
  const values: number[] = [];
  const costs: ReadonlyMap<string, number>[] = [];
  for (const size of sizes) {
    const least = new Map<string, number>();
    for (let run = 0; run < runs; run++) {
      if (yield) return [];
      const { counted, cost } = costOf(shape, size, meter, reached);
      if (run === 0) values.push(counted);
      for (const [part, spent] of cost) {
        least.set(part, Math.min(least.get(part) ?? Number.POSITIVE_INFINITY, spent));
      }
    }
    costs.push(least);
  }
  const last = sizes.length - 1;
  return [...costs[last].keys()].map((part) => {
    const cost = costs.map((least) => least.get(part) ?? 0);
    const growth = Math.log(Math.max(1, cost[last]) / Math.max(1, cost[0]));
    const exponent = growth / Math.log(values[last] / values[0]);
    return { shape: shape.name, part, values, cost, exponent };
  });
}

/** Measures the cost of each phase and stage on one program. */
function costOf(
  shape: GrowthShape,
  size: number,
  meter: CostMeter,
  reached: Set<string>,
): { readonly counted: number; readonly cost: ReadonlyMap<string, number> } {
  const module = moduleOf(shape, size);
  const counted = valueCountOf(module.entry);
  const cost = new Map<string, number>();
  const end = (part: string): void => {
    cost.set(part, (cost.get(part) ?? 0) + meter());
  };
  const clock = { start: (): void => void meter(), stop: end };
  for (const limit of optimize(module, { level: LEVEL, target: TARGET, clock }).limits) {
    reached.add(limit);
  }
  const checker = new AllocationChecker();
  for (const allocator of ALLOCATOR_NAMES) {
    meter();
    const { events } = new Compiler().generate(module, TARGET, {
      environment: ENVIRONMENT,
      level: LEVEL,
      allocator,
      checkAllocation: false, // measured separately below
      listing: false,
      onLir: (stage, lir, allocation, { rows, target: { registers } }) => {
        end(stage === "lower" ? "lower" : `allocate, ${allocator}`);
        if (stage === "lower") return;
        checker.check(lir, rows, registers, allocation);
        end(`check, ${allocator}`);
      },
    });
    end(`emit, ${allocator}`);
    for (const event of events) if (isLimitEvent(event)) reached.add(event);
  }
  return { counted, cost };
}

function print(parts: readonly CostGrowth[], limits: readonly ShapeLimits[]): void {
  const last = SIZES.length - 1;
  const shown = parts.filter(({ cost }) => cost[last] >= SHOWN_FROM);
  const rows = shown.map(({ shape, part, values, cost, exponent }) => [
    shape,
    part,
    ...cost.map((spent, k) => (spent / values[k]).toFixed(2)),
    exponent.toFixed(2),
    exponent > EXPONENT_MAX ? "grows" : "",
  ]);
  const head = ["shape", "part", ...SIZES.map((size) => `µs/value, ${size}`), "exponent", ""];
  printTable([head, ...rows]);
  for (const { shape, limits: reached } of limits) {
    if (reached.length > 0) printLine(`limits reached by ${shape}: ${reached.join(", ")}`);
  }
  printLine(
    `values: from the description of the shape; ${LEVEL}, ${TARGET}; minimum of ${RUNS} runs`,
  );
}
