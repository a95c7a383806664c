// Measures each stage on fixed seeds, in one process, and compares with
// required values. Every figure is the median of several rounds over the same programs. The first
// round only warms up.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { PerformanceObserver, performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { parseCount, parseSeed } from "../../../fuzz/support/arguments.js";
import { INTERRUPTED, LongWork } from "../../../fuzz/support/long-work.js";
import { printLine, printTable, STATUS, UserError } from "../../../fuzz/support/output.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import { generatedOf, seedAt } from "../../../src/campaign/program/seeds.js";
import { isEmulated } from "../../../src/campaign/run/judge-seed.js";
import { Judge } from "../../../src/compare/judge-program.js";
import { unicornMissing } from "../../../src/execute/missing.js";
import { subjectNamed } from "../../../src/execute/subjects.js";
import { parseModule } from "../../../src/ir/text/parse.js";
import { verify } from "../../../src/ir/verify/verify.js";
import { decodeModule } from "../../../src/oracle/fast/decode.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../../src/oracle/fuel.js";
import { projectRoot } from "../../../src/support/project-root.js";
import { takeBench } from "../pages/take-results.js";
import { changeMeasured } from "../pages/write-page.js";
import { type BenchFigure, figure, median, verdictOf } from "./bench-figures.js";
import { LEVEL, ROUNDS, stageSteps } from "./bench-stages.js";
import { shareSteps } from "./code-quality.js";

interface BenchArgs {
  readonly seed: string;
  readonly count: string | undefined;
  /** Copies the figures to docs/performance.md. */
  readonly write?: boolean | undefined;
}

const DEFAULT_COUNT = 200;
/** Milliseconds after which an observer of collections has received all of them. */
const OBSERVED_AFTER = 30;
const COUNT_MAX = 100_000;
/**
 * Programs between two checks for signals: a check takes some microseconds, a program some
 * milliseconds.
 */
const PAUSE_PROGRAMS = 50;

export async function run(args: BenchArgs): Promise<number> {
  const seed = parseSeed(args.seed);
  const count =
    args.count === undefined ? DEFAULT_COUNT : parseCount("--count", args.count, 1, COUNT_MAX);
  const missing = unicornMissing();
  if (missing !== null) throw new UserError(STATUS.missing, missing);
  const seeds = Array.from({ length: count }, (_, i) => seedAt(seed, i));
  let at = "";
  const work = new LongWork(() => `bench: ${at}`);
  const figures: BenchFigure[] = [];
  for (const part of PARTS) {
    at = part.says;
    figures.push(...(await part.measure(seeds, work)));
  }
  work.end();
  figures.push(figure("resident", process.memoryUsage().rss / 1e6));
  if (work.isInterrupted) printLine(INTERRUPTED);
  print(figures, count);
  if (args.write && !work.isInterrupted) {
    changeMeasured("performance", (data) => takeBench(data, figures));
  }
  return STATUS.nothingFound;
}

/**
 * The measurements, in this order. After Ctrl-C each part ends with its results so far, or with
 * none.
 */
const PARTS: readonly {
  readonly says: string;
  readonly measure: (seeds: readonly bigint[], work: LongWork) => Promise<BenchFigure[]>;
}[] = [
  { says: "programs, as a campaign judges them", measure: measureWhole },
  { says: "stages and phases", measure: (seeds, work) => work.through(stageSteps(seeds)) },
  ...TARGET_NAMES.map((target) => ({
    says: `executed instructions of ${target}`,
    measure: (seeds: readonly bigint[], work: LongWork) => executed(target, seeds, work),
  })),
  {
    says: "the oracle in a loop",
    measure: async (_, { isInterrupted }) => [
      figure("oracle, hot loop", isInterrupted ? null : hotLoop()),
    ],
  },
  {
    says: "a cold start",
    measure: async (_, work) => [figure("fuzz --seed 7, cold", await cold(work))],
  },
];

async function executed(
  target: TargetName,
  seeds: readonly bigint[],
  work: LongWork,
): Promise<BenchFigure[]> {
  const shares = await work.through(shareSteps(target, seeds));
  return [
    figure(`executed ${target}, O1 of O0`, shares.O1),
    figure(`executed ${target}, O2 of O0`, shares.O2),
  ];
}

/** Measures whole programs as a campaign judges them, one after the other. */
async function measureWhole(seeds: readonly bigint[], work: LongWork): Promise<BenchFigure[]> {
  const subjects = ["ir", ...TARGET_NAMES].flatMap(
    (where) => subjectNamed(`${where}-${LEVEL}`) ?? [],
  );
  const judge = new Judge({ subjects, fuelMax: DEFAULT_FUEL, onlyJudged: true });
  const rates: number[] = [];
  const growths: number[] = [];
  const collections: number[] = [];
  let collecting = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collecting += duration;
  });
  observer.observe({ entryTypes: ["gc"] });
  for (let round = 0; round <= ROUNDS && !(await work.pause()); round++) {
    await setTimeout(OBSERVED_AFTER); // pending entries belong to the previous round
    collecting = 0;
    const start = performance.now();
    for (const [index, seed] of seeds.entries()) {
      if ((index + 1) % PAUSE_PROGRAMS === 0 && (await work.pause())) break;
      const before = getHeapStatistics().used_heap_size;
      const { module, inputs } = generatedOf(seed);
      if (verify(module).length === 0) judge.judge({ module, inputs, isQuick: !isEmulated(seed) });
      const growth = getHeapStatistics().used_heap_size - before;
      if (growth > 0) growths.push(growth); // otherwise a collection ran during the round
    }
    const took = performance.now() - start;
    await setTimeout(OBSERVED_AFTER);
    if (round === 0) continue;
    if (work.isInterrupted) break; // the round is incomplete
    rates.push((1000 * seeds.length) / took);
    collections.push((100 * collecting) / took);
  }
  observer.disconnect();
  judge.close();
  return [
    figure("programs", median(rates)),
    figure("allocated", median(growths) / 1000),
    figure("garbage collection", median(collections)),
  ];
}

const HOT_LOOP = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Int32 @2 = Const32(1)
  Void @3 = Upsilon(@0, ^6)
  Void @4 = Upsilon(@1, ^7)
  Void @5 = Jump(#1)
#1:
  Int32 @6 = Phi()
  Int32 @7 = Phi()
  Int32 @8 = Mul(@7, @6)
  Int32 @9 = BitXor(@8, @6)
  Int32 @10 = Add(@9, @2)
  Int32 @11 = Sub(@6, @2)
  Void @12 = Upsilon(@11, ^6)
  Void @13 = Upsilon(@10, ^7)
  Void @14 = Branch(@11, #1, #2)
#2:
  Void @15 = Return(@10)
`;
const HOT_TRIPS = 100_000;

/** Returns how many million values a second the oracle executes in a loop of nine values. */
function hotLoop(): number {
  const oracle = new Oracle();
  const program = decodeModule(parseModule(HOT_LOOP));
  const input = { words: Int32Array.of(HOT_TRIPS, 0), heapSeed: 0 };
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now();
    oracle.run(program, input, DEFAULT_FUEL);
    if (round > 0) rates.push(oracle.fuelUsed / (performance.now() - start) / 1000);
  }
  return median(rates);
}

/**
 * Returns the milliseconds from the launcher's start to the verdict; null if there is no verdict.
 */
async function cold(work: LongWork): Promise<number | null> {
  const launcher = join(projectRoot(), "fuzz", "launcher.mjs");
  const times: number[] = [];
  for (let round = 0; round < ROUNDS && !(await work.pause()); round++) {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, [launcher, "--seed", "7"]);
    if (status !== STATUS.nothingFound) return null;
    times.push(performance.now() - start);
  }
  return median(times);
}

function print(figures: readonly BenchFigure[], count: number): void {
  const rows = figures.map((row) => {
    const { name, value, unit, budget, goal } = row;
    const shown = value === null ? "not measured" : value;
    const verdicts = [budget ?? "", verdictOf(row, budget), goal ?? "", verdictOf(row, goal)];
    return [name, shown, unit, ...verdicts];
  });
  printTable([["what", "value", "unit", "budget", "", "goal", ""], ...rows]);
  const conditions = `at ${LEVEL}, medians of ${ROUNDS} rounds; allocations checked, two poisons`;
  printLine(`${count} programs ${conditions}`);
}
