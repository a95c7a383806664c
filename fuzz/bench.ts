// `fuzz bench`: how fast each stage is, on fixed seeds, in one process, against the budgets. Every
// figure is the median of several rounds over the same programs; the first round only warms up.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { PerformanceObserver, performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { Compiler, type Image } from "../reference/compile.js";
import type { TargetName } from "../reference/lower/target.js";
import { optimize } from "../reference/optimize/optimize.js";
import { checkAllocation } from "../reference/regalloc/check.js";
import { programOf, seedAt } from "../src/campaign/seeds.js";
import { judge as compare } from "../src/compare/compare.js";
import { Judge } from "../src/compare/judge-program.js";
import { EmulatedCpu } from "../src/execute/emulated-cpu.js";
import { ENVIRONMENT } from "../src/execute/environment.js";
import { POISONS } from "../src/execute/junk.js";
import { MachineRunner } from "../src/execute/machine.js";
import { unicornMissing } from "../src/execute/missing.js";
import { DEFAULT_FUEL, subjectNamed } from "../src/execute/subjects.js";
import { projectRoot } from "../src/execute/unicorn-library.js";
import type { Program } from "../src/generate/generate-program.js";
import { cloneModule } from "../src/ir/clone.js";
import type { Outcome } from "../src/ir/outcome.js";
import { parseModule } from "../src/ir/parse.js";
import type { Module } from "../src/ir/procedure.js";
import { verify } from "../src/ir/verify.js";
import { decodeModule } from "../src/oracle/decode.js";
import { Oracle } from "../src/oracle/oracle.js";
import { valueCountOf } from "../src/reduce/candidate.js";
import { parseCount, parseSeed } from "./arguments.js";
import { executedShare } from "./code-quality.js";
import { printJson, printLine, printTable, STATUS, UserError } from "./output.js";

export interface BenchArgs {
  readonly seed: string;
  readonly count: string | undefined;
  readonly json: boolean;
}

export interface Figure {
  readonly name: string;
  /** Null where it could not be measured. */
  readonly value: number | null;
  readonly unit: string;
  /** What the first light asks for; null where it is only measured. */
  readonly budget: number | null;
}

// biome-ignore format: a table
const BUDGETS = {
  "programs":                 { unit: "per second", budget: 150,  better: "more" },
  "compile x64":              { unit: "µs/value",   budget: 20,   better: "less" },
  "compile arm64":            { unit: "µs/value",   budget: 20,   better: "less" },
  "oracle, hot loop":         { unit: "M values/s", budget: 3,    better: "more" },
  "oracle, generated":        { unit: "M values/s", budget: null, better: "more" },
  "emulate x64, fresh":       { unit: "µs/program", budget: 300,  better: "less" },
  "emulate arm64, fresh":     { unit: "µs/program", budget: 300,  better: "less" },
  "fuzz --seed 7, cold":      { unit: "ms",         budget: 1500, better: "less" },
  "executed x64, O1 of O0":   { unit: "",           budget: 0.85, better: "less" },
  "executed arm64, O1 of O0": { unit: "",           budget: 0.85, better: "less" },
  "allocated":                { unit: "KB/program", budget: null, better: "less" },
  "garbage collection":       { unit: "%",          budget: null, better: "less" },
  "resident":                 { unit: "MB",         budget: 500,  better: "less" },
} as const satisfies Record<string, { unit: string; budget: number | null; better: "more" | "less" }>;
type BudgetName = keyof typeof BUDGETS;

const TARGETS: readonly TargetName[] = ["x64", "arm64"];
const ROUNDS = 5;
const DEFAULT_COUNT = 200;
/** The budget of emulation is for a program of 100 values and four inputs. */
const USUAL_VALUES = { min: 80, max: 120 };
const USUAL_INPUTS = 4;
/** Milliseconds until an observer of collections has been told of all of them. */
const OBSERVED_AFTER = 30;
const COUNT_MAX = 100_000;

export async function run(args: BenchArgs): Promise<number> {
  const seed = parseSeed(args.seed);
  const count =
    args.count === undefined ? DEFAULT_COUNT : parseCount("--count", args.count, 1, COUNT_MAX);
  const missing = unicornMissing();
  if (missing !== null) throw new UserError(STATUS.missing, missing);
  const seeds = Array.from({ length: count }, (_, i) => seedAt(seed, i));
  const whole = await measureWhole(seeds);
  const stages = measureStages(seeds);
  const figures = [
    ...whole,
    ...stages,
    figure("executed x64, O1 of O0", executedShare("x64", seeds)),
    figure("executed arm64, O1 of O0", executedShare("arm64", seeds)),
    figure("oracle, hot loop", hotLoop()),
    figure("fuzz --seed 7, cold", cold()),
  ];
  figures.push(figure("resident", process.memoryUsage().rss / 1e6));
  if (args.json) printJson({ schema: "touchstone.bench", version: 1, figures });
  else print(figures, count);
  return STATUS.nothingFound;
}

const figure = (name: BudgetName, value: number | null): Figure => {
  const { unit, budget } = BUDGETS[name];
  // Too few programs for a median have none.
  const isMeasured = value !== null && Number.isFinite(value);
  return { name, value: isMeasured ? rounded(value) : null, unit, budget };
};

const rounded = (value: number): number => Number(value.toPrecision(4));

function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  return sorted[sorted.length >> 1];
}

/** As a campaign does it: everything, program after program. */
async function measureWhole(seeds: readonly bigint[]): Promise<Figure[]> {
  const subjects = ["ir-O1", "x64-O1", "arm64-O1"].flatMap((name) => subjectNamed(name) ?? []);
  const judge = new Judge({ subjects, fuelMax: DEFAULT_FUEL });
  const rates: number[] = [];
  const growths: number[] = [];
  const collections: number[] = [];
  let collecting = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collecting += duration;
  });
  observer.observe({ entryTypes: ["gc"] });
  for (let round = 0; round <= ROUNDS; round++) {
    await setTimeout(OBSERVED_AFTER); // what is pending belongs to the round before
    collecting = 0;
    const start = performance.now();
    for (const seed of seeds) {
      const before = getHeapStatistics().used_heap_size;
      const { module, inputs } = programOf(seed);
      if (verify(module).length === 0) judge.judge(module, inputs);
      const growth = getHeapStatistics().used_heap_size - before;
      if (growth > 0) growths.push(growth); // else a collection fell into it
    }
    const took = performance.now() - start;
    await setTimeout(OBSERVED_AFTER);
    if (round === 0) continue;
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

const STAGES = ["generate", "verify", "decode", "oracle", "optimize"] as const;
const TARGET_STAGES = ["lower", "allocate", "check", "emit", "load", "emulate", "compare"] as const;

/** Milliseconds by name, and counts, of one round. */
class Times {
  readonly byName = new Map<string, number>();
  values = 0;
  executed = 0;
  /** Programs of the size that the budget of emulation is for. */
  usual = 0;

  add(name: string, milliseconds: number): void {
    this.byName.set(name, (this.byName.get(name) ?? 0) + milliseconds);
  }

  time<T>(name: string, work: () => T): T {
    const start = performance.now();
    const result = work();
    this.add(name, performance.now() - start);
    return result;
  }

  of(...names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.byName.get(name) ?? 0), 0);
  }
}

/** Each stage by itself, around the calls that a subject makes. */
function measureStages(seeds: readonly bigint[]): Figure[] {
  const oracle = new Oracle();
  const machines = TARGETS.map((target) => ({
    target,
    compiler: new Compiler(),
    runner: new MachineRunner(new EmulatedCpu(target), oracle),
  }));
  const rounds: Times[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const times = new Times();
    for (const seed of seeds) {
      const program = times.time("generate", () => programOf(seed));
      measureProgram(program, oracle, machines, times);
    }
    if (round > 0) rounds.push(times);
  }
  for (const { runner } of machines) runner.close();
  const over = (value: (times: Times) => number): number => median(rounds.map(value));
  const perProgram = (name: string): Figure => ({
    name,
    value: rounded(over((times) => (1000 * times.of(name)) / seeds.length)),
    unit: "µs/program",
    budget: null,
  });
  const stageNames = [
    ...STAGES,
    ...TARGETS.flatMap((target) => TARGET_STAGES.map((stage) => `${stage} ${target}`)),
  ];
  const compileOf = (target: TargetName) => (times: Times) =>
    (1000 *
      times.of(
        "optimize",
        ...["lower", "allocate", "check", "emit"].map((s) => `${s} ${target}`),
      )) /
    times.values;
  const emulateOf = (target: TargetName) => (times: Times) =>
    (1000 * times.of(`usual ${target}`)) / times.usual;
  return [
    figure("compile x64", over(compileOf("x64"))),
    figure("compile arm64", over(compileOf("arm64"))),
    figure("emulate x64, fresh", over(emulateOf("x64"))),
    figure("emulate arm64, fresh", over(emulateOf("arm64"))),
    figure(
      "oracle, generated",
      over((times) => times.executed / 1000 / times.of("oracle")),
    ),
    {
      name: "values",
      value: rounded(rounds[0].values / seeds.length),
      unit: "per program",
      budget: null,
    },
    ...stageNames.map(perProgram),
  ];
}

interface Machine {
  readonly target: TargetName;
  readonly compiler: Compiler;
  readonly runner: MachineRunner;
}

function measureProgram(
  { module, inputs }: Program,
  oracle: Oracle,
  machines: readonly Machine[],
  times: Times,
): void {
  // Continuations are optimized and not compiled: they are in the time and not in the count.
  const values = valueCountOf(module.entry);
  times.values += values;
  const isUsual = values >= USUAL_VALUES.min && values <= USUAL_VALUES.max;
  if (isUsual) times.usual++;
  times.time("verify", () => verify(module));
  const program = times.time("decode", () => decodeModule(module));
  const fuels: number[] = [];
  const expected = inputs.map((input) => {
    const outcome = times.time("oracle", () => oracle.run(program, input, DEFAULT_FUEL));
    times.executed += oracle.fuelUsed;
    fuels.push(oracle.fuelUsed);
    return outcome;
  });
  const optimized = cloneModule(module);
  times.time("optimize", () => optimize(optimized, { level: "O1" }));
  const continued = decodeModule(optimized);
  for (const { target, compiler, runner } of machines) {
    const image = generateTimed(compiler, optimized, target, times);
    const loaded = { ...image, module: optimized, program: () => continued };
    const before = times.of(`load ${target}`, `emulate ${target}`);
    times.time(`load ${target}`, () => runner.load(loaded));
    inputs.forEach((input, i) => {
      // What the budget is for: the first runs of a program that the emulator has not seen.
      if (i === USUAL_INPUTS && isUsual) {
        times.add(`usual ${target}`, times.of(`load ${target}`, `emulate ${target}`) - before);
      }
      for (const poison of POISONS) {
        const got: Outcome = times.time(`emulate ${target}`, () =>
          runner.run(input, poison, 64 * fuels[i] + 200_000, DEFAULT_FUEL),
        );
        times.time(`compare ${target}`, () => compare(expected[i], got));
      }
    });
    if (inputs.length === USUAL_INPUTS && isUsual) {
      times.add(`usual ${target}`, times.of(`load ${target}`, `emulate ${target}`) - before);
    }
  }
}

/** One compile, cut into stages where the compiler says that it goes from one to the next. */
function generateTimed(
  compiler: Compiler,
  module: Module,
  target: TargetName,
  times: Times,
): Image {
  let since = performance.now();
  const endStage = (stage: string): void => {
    const now = performance.now();
    times.add(`${stage} ${target}`, now - since);
    since = now;
  };
  const image = compiler.generate(module, target, {
    environment: ENVIRONMENT,
    level: "O1",
    checkAllocation: false, // below, where its time can be told apart
    listing: false,
    onLir: (stage, lir, allocation, { rows, target: { registers } }) => {
      endStage(stage);
      if (stage === "lower") return;
      checkAllocation(lir, rows, registers, allocation);
      endStage("check");
    },
  });
  endStage("emit");
  return image;
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

/** Millions of values a second that the oracle executes in a loop of nine. */
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

/** Milliseconds from the launcher's start to the verdict; null where it comes to none. */
function cold(): number | null {
  const launcher = join(projectRoot(), "fuzz", "launcher.mjs");
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, [launcher, "--seed", "7"]);
    if (status !== STATUS.nothingFound) return null;
    times.push(performance.now() - start);
  }
  return median(times);
}

function print(figures: readonly Figure[], count: number): void {
  const rows = figures.map(({ name, value, unit, budget }) => {
    const shown = value === null ? "not measured" : value;
    return [name, shown, unit, budget ?? "", verdictOf(name, value, budget)];
  });
  printTable([["what", "value", "unit", "budget", ""], ...rows]);
  printLine(`${count} programs, medians of ${ROUNDS} rounds; allocations checked, two poisons`);
}

function verdictOf(name: string, value: number | null, budget: number | null): string {
  if (value === null || budget === null) return "";
  const more = Object.entries(BUDGETS).some(
    ([key, { better }]) => key === name && better === "more",
  );
  return (more ? value >= budget : value <= budget) ? "met" : "missed";
}
