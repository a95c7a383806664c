// Measures code quality on hand-written programs. Executed
// instructions are counted under emulation; seconds are measured on this processor.
//
// extra-moves.ts defines the cost of each allocator.

import { INTERRUPTED, LongWork, type StoppableWork } from "../../../fuzz/support/long-work.js";
import {
  printLine,
  printTable,
  STATUS,
  UserError,
  usageError,
} from "../../../fuzz/support/output.js";
import { optimizeSettings } from "../../../fuzz/support/program-file.js";
import { LEVELS, type Level } from "../../../reference/levels.js";
import {
  ALLOCATOR_NAMES,
  type AllocatorName,
} from "../../../reference/regalloc/allocator-names.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import { hostMissing, unicornMissing } from "../../../src/execute/missing.js";
import {
  CompilationUnit,
  DEFAULT_SETTINGS,
  type OptimizeSettings,
} from "../../../src/execute/unit.js";
import { takeKernels } from "../pages/take-results.js";
import { changeMeasured } from "../pages/write-page.js";
import { cSteps, printC } from "./bench-c-kernels.js";
import { countMoves } from "./extra-moves.js";
import { FRONT_END_KERNELS, IMPORTED_KERNELS, type Kernel, kernelOf } from "./kernels.js";
import { type CodeFigures, KernelCounter } from "./measure.js";
import { KernelClock, runC } from "./time.js";

/** The target of native subjects. */
const NATIVE: TargetName = "x64";

interface KernelsArgs {
  /** Phases and rules that are disabled, to measure their effect. */
  readonly disable?: string | undefined;
  /** Copies the figures of kernels in C to docs/performance.md. */
  readonly write?: boolean | undefined;
}

interface KernelMeasurement extends CodeFigures {
  readonly kernel: string;
  readonly target: TargetName;
  readonly level: Level;
  readonly seconds: number | null;
}

/** Seconds of the same program, compiled by other compilers. */
interface ForeignTimes {
  readonly kernel: string;
  readonly c: number | null;
}

export async function run({ disable, write }: KernelsArgs): Promise<number> {
  if (write && disable !== undefined) {
    throw usageError("--write: expected no --disable, since the page shows all phases");
  }
  const settings = optimizeSettings({ disable, optLimit: undefined });
  const missing = unicornMissing();
  if (missing !== null) throw new UserError(STATUS.missing, missing);
  let at = "kernels";
  const work = new LongWork((steps) => `${at}, ${steps} steps done`);
  const kernels = await work.through(kernelSteps(FRONT_END_KERNELS.map(kernelOf), settings));
  at = "imported kernels";
  const imported = await work.through(kernelSteps(IMPORTED_KERNELS.map(kernelOf), settings));
  at = "kernels in C";
  const c = await work.through(cSteps(settings));
  work.end();
  if (work.isInterrupted) printLine(INTERRUPTED);
  for (const [title, figures] of [
    ["Written as a front end emits them", kernels],
    ["Imported from WebAssembly", imported],
  ] as const) {
    printLine(title);
    printLine("");
    printCounts(figures);
    printExtra(figures);
    printSeconds(figures);
  }
  printLine("In C, also by other compilers");
  printLine("");
  printC(c);
  if (write && !work.isInterrupted) changeMeasured("performance", (data) => takeKernels(data, c));
  return STATUS.nothingFound;
}

interface KernelFigures {
  /** The means by target and level; null unless all kernels were measured. */
  readonly geomean: ByTarget<{ readonly [L in Level]: KernelMeans }> | null;
  readonly ratios: ByTarget<Readonly<Record<string, number>>> | null;
  readonly each: readonly KernelMeasurement[];
  readonly elsewhere: readonly ForeignTimes[];
  readonly extra: readonly ExtraInstructions[];
  readonly extraMeans: ByTarget<ByAllocator> | null;
}

/**
 * The instructions that an allocator adds to a kernel, relative to an unlimited number of
 * registers.
 */
interface ExtraInstructions {
  readonly kernel: string;
  readonly target: TargetName;
  readonly level: Level;
  readonly allocator: AllocatorName;
  readonly instructions: number;
  readonly moved: number;
  readonly unlimited: number;
  /**
   * A share of the executed instructions. The required mean is 0.12 for linear scan and colouring,
   * and 0.3 for one-pass.
   */
  readonly extra: number;
}

type ByTarget<T> = { readonly [N in TargetName]: T };

interface KernelMeans {
  readonly instructions: number;
  readonly seconds: number | null;
}

type ByAllocator = { readonly [A in AllocatorName]: number };

/**
 * Measures all figures of these kernels on both targets, at every level. A step is one figure of a
 * kernel.
 */
export function* kernelSteps(
  kernels: readonly Kernel[],
  settings = DEFAULT_SETTINGS,
): StoppableWork<KernelFigures> {
  const elsewhere: ForeignTimes[] = [];
  let isEnded = false;
  for (const kernel of kernels) {
    isEnded = yield;
    if (isEnded) break;
    elsewhere.push(measureElsewhere(kernel));
  }
  const each = yield* eachSteps(kernels, settings);
  const extra = yield* extraSteps(kernels, settings);
  if (extra.length < TARGET_NAMES.length * kernels.length * ALLOCATOR_NAMES.length) {
    return { geomean: null, ratios: null, each, elsewhere, extra, extraMeans: null };
  }
  const byTarget = <T>(give: (target: TargetName) => T): ByTarget<T> => ({
    x64: give("x64"),
    arm64: give("arm64"),
  });
  const geomean = byTarget((target) => ({
    O0: meansOf(each, target, "O0"),
    O1: meansOf(each, target, "O1"),
    O2: meansOf(each, target, "O2"),
  }));
  const ratios = byTarget((target) => ratiosOf(geomean[target]));
  const extraMeans = byTarget((target) => extraMeansOf(extra, target));
  return { geomean, ratios, each, elsewhere, extra, extraMeans };
}

function measureElsewhere(kernel: Kernel): ForeignTimes {
  return { kernel: kernel.name, c: runC(kernel, kernel.timed)?.seconds ?? null };
}

function* eachSteps(
  kernels: readonly Kernel[],
  settings: OptimizeSettings,
): StoppableWork<KernelMeasurement[]> {
  const compiled = kernels.map((kernel) => ({
    kernel,
    unit: new CompilationUnit(kernel.module, settings),
  }));
  const clock = hostMissing() === null ? new KernelClock() : null;
  const measured: KernelMeasurement[] = [];
  for (const target of TARGET_NAMES) {
    const counter = new KernelCounter(target);
    for (const { kernel, unit } of compiled) {
      if (yield) break;
      for (const level of LEVELS) {
        const isTimed = clock !== null && target === NATIVE;
        measured.push({
          kernel: kernel.name,
          target,
          level,
          ...counter.measure(kernel, unit, level),
          seconds: isTimed ? clock.seconds(kernel, unit, level) : null,
        });
      }
    }
    counter.close();
  }
  clock?.close();
  return measured;
}

/**
 * Measures extra moves at the highest level, at which the code is best and the registers are most
 * contended.
 */
function* extraSteps(
  kernels: readonly Kernel[],
  settings: OptimizeSettings,
): StoppableWork<ExtraInstructions[]> {
  const level = LEVELS[LEVELS.length - 1];
  const rows: ExtraInstructions[] = [];
  for (const target of TARGET_NAMES) {
    const counter = new KernelCounter(target);
    for (const kernel of kernels) {
      if (yield) break;
      const unit = new CompilationUnit(kernel.module, settings);
      const { unlimited, by } = countMoves(kernel, unit, target, level);
      for (const allocator of ALLOCATOR_NAMES) {
        const instructions = counter.instructionsBy(kernel, unit, level, allocator);
        const moved = by[allocator];
        const extra = (moved - unlimited) / (instructions - moved + unlimited);
        const about = { kernel: kernel.name, target, level, allocator };
        rows.push({ ...about, instructions, moved, unlimited, extra });
      }
    }
    counter.close();
  }
  return rows;
}

function extraMeansOf(rows: readonly ExtraInstructions[], target: TargetName): ByAllocator {
  const shareOf = (name: AllocatorName): number => {
    const own = rows.filter((row) => row.target === target && row.allocator === name);
    return geometricMean(own.map(({ extra }) => 1 + extra)) - 1;
  };
  // The cast: fromEntries loses the names, but each name has an entry.
  return Object.fromEntries(ALLOCATOR_NAMES.map((name) => [name, shareOf(name)])) as ByAllocator;
}

const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

function meansOf(
  each: readonly KernelMeasurement[],
  target: TargetName,
  level: Level,
): KernelMeans {
  const rows = each.filter((row) => row.target === target && row.level === level);
  const seconds = rows.flatMap((row) => row.seconds ?? []);
  return {
    instructions: geometricMean(rows.map(({ instructions }) => instructions)),
    seconds: seconds.length === rows.length ? geometricMean(seconds) : null,
  };
}

/** Returns the executed instructions of each level divided by those of each lower level. */
function ratiosOf(means: { readonly [L in Level]: KernelMeans }): Record<string, number> {
  const ratios: Record<string, number> = {};
  LEVELS.forEach((level, l) => {
    for (const below of LEVELS.slice(0, l)) {
      ratios[`${level}/${below}`] = means[level].instructions / means[below].instructions;
    }
  });
  return ratios;
}

function printCounts({ each, ratios }: KernelFigures): void {
  const rows = each.map(({ kernel, target, level, codeBytes, instructions }) => [
    `${kernel} ${target}`,
    level,
    codeBytes,
    instructions,
  ]);
  printTable([["kernel", "level", "bytes", "executed"], ...rows]);
  if (ratios === null) {
    printLine("");
    return;
  }
  for (const target of TARGET_NAMES) {
    const shares = Object.entries(ratios[target]).map(
      ([name, share]) => `${name} ${share.toFixed(3)}`,
    );
    printLine(`${target}, executed, geometric means: ${shares.join(", ")}`);
  }
  printLine("");
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function printExtra({ extra, extraMeans }: KernelFigures): void {
  const rows = extra.map(({ kernel, target, allocator, moved, unlimited, extra }) => [
    `${kernel} ${target}`,
    allocator,
    unlimited,
    moved,
    percent(extra),
  ]);
  const level = LEVELS[LEVELS.length - 1];
  printTable([[`kernel, ${level}`, "allocator", "moves, unlimited", "moves", "extra"], ...rows]);
  if (extraMeans === null) {
    printLine("");
    return;
  }
  for (const target of TARGET_NAMES) {
    const means = ALLOCATOR_NAMES.map((name) => `${name} ${percent(extraMeans[target][name])}`);
    printLine(`${target}, extra over unlimited registers, means: ${means.join(", ")}`);
  }
  printLine("");
}

const microseconds = (seconds: number | null): string =>
  seconds === null ? "-" : (1e6 * seconds).toFixed(0);

function printSeconds({ each, elsewhere }: KernelFigures): void {
  const rows = elsewhere.map(({ kernel, c }) => [
    kernel,
    ...LEVELS.map((level) => {
      const row = each.find(
        (row) => row.kernel === kernel && row.target === NATIVE && row.level === level,
      );
      return microseconds(row?.seconds ?? null);
    }),
    microseconds(c),
  ]);
  printTable([["µs", ...LEVELS.map((level) => `${NATIVE}-${level}`), "gcc -O1"], ...rows]);
  const native = hostMissing();
  if (native !== null) printLine(`compiled code was not timed: ${native}`);
  const missing = elsewhere.filter(({ c }) => c === null).length;
  if (missing > 0) printLine(`gcc is missing: skipped ${missing} programs in C`);
}
