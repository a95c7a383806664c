// Measures each stage of judging a program and each phase of the optimizer at the highest level. It
// times the calls that subjects make.

import { performance } from "node:perf_hooks";
import type { StoppableWork } from "../../../fuzz/support/long-work.js";
import { type CodeImage, Compiler } from "../../../reference/compile.js";
import { LEVELS, type Level } from "../../../reference/levels.js";
import {
  hasTargetPhases,
  optimize,
  optimizeForTarget,
  type PhaseClock,
} from "../../../reference/optimize.js";
import { PHASES } from "../../../reference/pipeline.js";
import { AllocationChecker } from "../../../reference/regalloc/check/check.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import { generatedOf } from "../../../src/campaign/program/seeds.js";
import { judge as compare } from "../../../src/compare/compare.js";
import { EmulatedCpu } from "../../../src/execute/emulator/emulated-cpu.js";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import { POISONS } from "../../../src/execute/machine/junk.js";
import { MachineRunner } from "../../../src/execute/machine/machine.js";
import type { Program } from "../../../src/generate/generate-program.js";
import { cloneModule } from "../../../src/ir/clone.js";
import type { Outcome } from "../../../src/ir/outcome.js";
import type { Module, Procedure } from "../../../src/ir/procedure.js";
import { verify } from "../../../src/ir/verify/verify.js";
import { decodeModule } from "../../../src/oracle/fast/decode.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../../src/oracle/fuel.js";
import { valueCountOf } from "../../../src/reduce/candidate.js";
import {
  type BenchFigure,
  countFigure,
  figure,
  median,
  phaseFigure,
  stageFigure,
} from "./bench-figures.js";

export const ROUNDS = 5;
export const LEVEL: Level = LEVELS[LEVELS.length - 1];
/** The budget of emulation applies to programs of about 100 values with four inputs. */
const USUAL_VALUES = { min: 80, max: 120 };
const USUAL_INPUTS = 4;

/** Goals in microseconds for a program of 100 values. */
const STAGE_GOALS = {
  generate: 60,
  verify: null,
  decode: null,
  oracle: 60,
  optimize: 200,
} as const;
/** Goals for each target. Lowering includes the phases that run for one target only. */
// biome-ignore format: a table
const TARGET_STAGE_GOALS = { lower: 50, allocate: 70, check: 20, emit: 30, load: null, emulate: 50, compare: 30 } as const;
/** Stages whose sum is the time of a compilation. */
const COMPILE_STAGES = ["lower", "allocate", "check", "emit"];

/** Milliseconds and counts of one round, by name. */
class RoundTimes {
  readonly byName = new Map<string, number>();
  readonly phases = new PhaseTimes();
  values = 0;
  executed = 0;
  /** Programs of the size to which the budget of emulation applies. */
  usual = 0;

  add(name: string, milliseconds: number): void {
    add(this.byName, name, milliseconds);
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

/** Sums the time of each phase, and the number of values that it processed. */
class PhaseTimes implements PhaseClock {
  readonly milliseconds = new Map<string, number>();
  readonly values = new Map<string, number>();
  private started = 0;

  start(): void {
    this.started = performance.now();
  }

  stop(phase: string): void {
    add(this.milliseconds, phase, performance.now() - this.started);
  }

  readonly count = (phase: string, proc: Procedure): void => {
    add(this.values, phase, valueCountOf(proc));
  };

  /**
   * Returns nanoseconds for one value in one run of the phase, or of any phase; NaN if none ran.
   */
  perValue(phase?: string): number {
    const sum = (of: ReadonlyMap<string, number>): number =>
      [...of].reduce(
        (total, [name, x]) => (phase === undefined || phase === name ? total + x : total),
        0,
      );
    return (1e6 * sum(this.milliseconds)) / sum(this.values);
  }
}

function add(sums: Map<string, number>, name: string, more: number): void {
  sums.set(name, (sums.get(name) ?? 0) + more);
}

/**
 * Measures each stage and each phase separately. A step is a program. Incomplete rounds do not
 * count.
 */
export function* stageSteps(seeds: readonly bigint[]): StoppableWork<BenchFigure[]> {
  const oracle = new Oracle();
  const machines = TARGET_NAMES.map((target) => ({
    target,
    compiler: new Compiler(),
    checker: new AllocationChecker(),
    runner: new MachineRunner(new EmulatedCpu(target), oracle),
  }));
  const rounds: RoundTimes[] = [];
  let isEnded = false;
  for (let round = 0; round <= ROUNDS && !isEnded; round++) {
    const times = new RoundTimes();
    for (const seed of seeds) {
      isEnded = yield;
      if (isEnded) break;
      const program = times.time("generate", () => generatedOf(seed));
      measureProgram(program, oracle, machines, times);
    }
    if (round > 0 && !isEnded) rounds.push(times);
  }
  for (const { runner } of machines) runner.close();
  return figuresOf(rounds, seeds.length);
}

/** Returns medians over the rounds, or no figures if there are no rounds. */
function figuresOf(rounds: readonly RoundTimes[], programs: number): BenchFigure[] {
  const [first] = rounds.length === 0 ? [new RoundTimes()] : rounds;
  const over = (value: (times: RoundTimes) => number): number => median(rounds.map(value));
  const stage = (name: string, goal: number | null): BenchFigure =>
    stageFigure(
      name,
      over((times) => (1000 * times.of(name)) / programs),
      goal,
    );
  const compileOf = (target: TargetName) => (times: RoundTimes) =>
    (1000 * times.of("optimize", ...COMPILE_STAGES.map((stage) => `${stage} ${target}`))) /
    times.values;
  const emulateOf = (target: TargetName) => (times: RoundTimes) =>
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
    countFigure("values", rounds.length === 0 ? null : first.values / programs, "per program"),
    ...Object.entries(STAGE_GOALS).map(([name, goal]) => stage(name, goal)),
    ...TARGET_NAMES.flatMap((target) =>
      Object.entries(TARGET_STAGE_GOALS).map(([name, goal]) => stage(`${name} ${target}`, goal)),
    ),
    ...PHASES.filter(({ name }) => first.phases.values.has(name)).map(({ name }) =>
      phaseFigure(
        name,
        over(({ phases }) => phases.perValue(name)),
      ),
    ),
    figure(
      "phase, mean",
      over(({ phases }) => phases.perValue()),
    ),
  ];
}

interface TargetToolchain {
  readonly target: TargetName;
  readonly compiler: Compiler;
  readonly checker: AllocationChecker;
  readonly runner: MachineRunner;
}

function measureProgram(
  { module, inputs }: Program,
  oracle: Oracle,
  machines: readonly TargetToolchain[],
  times: RoundTimes,
): void {
  const values = compiledValues(module);
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
  const shared = cloneModule(module);
  times.time("optimize", () => optimize(shared, { level: LEVEL }));
  for (const machine of machines) {
    const { target, runner } = machine;
    timePhases(module, target, times.phases);
    const optimized = optimizedFor(shared, target, times);
    const continued = decodeModule(optimized);
    const image = generateTimed(machine, optimized, times);
    const loaded = { ...image, module: optimized, program: () => continued };
    const before = times.of(`load ${target}`, `emulate ${target}`);
    times.time(`load ${target}`, () => runner.load(loaded));
    inputs.forEach((input, i) => {
      // The budget applies to the first runs of a program, for which the emulator has no translated
      // code yet.
      if (i === USUAL_INPUTS && isUsual) {
        times.add(`usual ${target}`, times.of(`load ${target}`, `emulate ${target}`) - before);
      }
      for (const poison of POISONS) {
        const instructionsMax = 64 * fuels[i] + 200_000;
        const limits = { poison, instructionsMax, fuelMax: DEFAULT_FUEL };
        const got: Outcome = times.time(`emulate ${target}`, () =>
          runner.run(loaded, input, limits),
        );
        times.time(`compare ${target}`, () => compare(expected[i], got));
      }
    });
    if (inputs.length === USUAL_INPUTS && isUsual) {
      times.add(`usual ${target}`, times.of(`load ${target}`, `emulate ${target}`) - before);
    }
  }
}

/** Measured separately, because reading the clock between phases takes time. */
function timePhases(module: Module, target: TargetName, clock: PhaseTimes): void {
  optimize(cloneModule(module), { level: LEVEL, target, clock, afterPhase: clock.count });
}

/** Runs the phases that only this target has. Their time counts as lowering. */
function optimizedFor(shared: Module, target: TargetName, times: RoundTimes): Module {
  if (!hasTargetPhases(LEVEL, null)) return shared;
  const module = cloneModule(shared);
  times.time(`lower ${target}`, () => optimizeForTarget(module, { level: LEVEL, target }, 0));
  return module;
}

/** Continuations are optimized but not compiled: their time is included, their values are not. */
function compiledValues({ entry }: Module): number {
  const compiled = new Set([entry]);
  let values = 0;
  for (const proc of compiled) {
    values += valueCountOf(proc);
    proc.forEachValue(({ procedure }) => {
      if (procedure !== null) compiled.add(procedure);
    });
  }
  return values;
}

/** Compiles once, and splits the time at the stage boundaries that the compiler reports. */
function generateTimed(
  { target, compiler, checker }: TargetToolchain,
  module: Module,
  times: RoundTimes,
): CodeImage {
  let since = performance.now();
  const endStage = (stage: string): void => {
    const now = performance.now();
    times.add(`${stage} ${target}`, now - since);
    since = now;
  };
  const image = compiler.generate(module, target, {
    environment: ENVIRONMENT,
    level: LEVEL,
    checkAllocation: false, // measured separately below
    listing: false,
    onLir: (stage, lir, allocation, { rows, target: { registers } }) => {
      endStage(stage);
      if (stage === "lower") return;
      checker.check(lir, rows, registers, allocation);
      endStage("check");
    },
  });
  endStage("emit");
  return image;
}
