// `fuzz bench --kernels`: how good the code is, on programs that somebody might have written.
//
// `--json` prints `touchstone.kernels`, version 1:
//   kernels.geomean  {TARGET: {LEVEL: {instructions, seconds}}}, geometric means over the kernels
//   kernels.ratios   {TARGET: {"O1/O0": ...}}, of executed instructions
//   kernels.each     [{kernel, target, level, codeBytes, instructions, inner, unit}]

import type { TargetName } from "../reference/lower/target.js";
import { LEVELS, type Level } from "../reference/pipeline.js";
import { unicornMissing } from "../src/execute/missing.js";
import { Unit } from "../src/execute/unit.js";
import { KERNELS } from "./kernels/kernels.js";
import { type CodeFigures, KernelCounter } from "./kernels/measure.js";
import { printJson, printLine, printTable, STATUS, UserError } from "./output.js";

const TARGETS: readonly TargetName[] = ["x64", "arm64"];

interface Measured extends CodeFigures {
  readonly kernel: string;
  readonly target: TargetName;
  readonly level: Level;
  /** Of the inner loop: what an iteration does. */
  readonly unit: string | null;
}

export async function run({ json }: { readonly json: boolean }): Promise<number> {
  const missing = unicornMissing();
  if (missing !== null) throw new UserError(STATUS.missing, missing);
  const each = measureAll();
  const geomean = Object.fromEntries(
    TARGETS.map((target) => [
      target,
      Object.fromEntries(LEVELS.map((level) => [level, meanOf(each, target, level)])),
    ]),
  );
  const ratios = Object.fromEntries(TARGETS.map((target) => [target, ratiosOf(each, target)]));
  if (json) {
    printJson({ schema: "touchstone.kernels", version: 1, kernels: { geomean, ratios, each } });
  } else {
    print(each);
  }
  return STATUS.nothingFound;
}

function measureAll(): Measured[] {
  const units = KERNELS.map((kernel) => ({ kernel, unit: new Unit(kernel.build()) }));
  return TARGETS.flatMap((target) => {
    const counter = new KernelCounter(target);
    const measured = units.flatMap(({ kernel, unit }) =>
      LEVELS.map((level): Measured => {
        const figures = counter.measure(kernel, unit, level);
        return { kernel: kernel.name, target, level, unit: kernel.inner?.unit ?? null, ...figures };
      }),
    );
    counter.close();
    return measured;
  });
}

const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

const meanOf = (each: readonly Measured[], target: TargetName, level: Level) => ({
  instructions: geometricMean(
    each
      .filter((row) => row.target === target && row.level === level)
      .map(({ instructions }) => instructions),
  ),
});

/** Executed instructions of each level as a share of those of each level below, `O1/O0`. */
function ratiosOf(each: readonly Measured[], target: TargetName): Record<string, number> {
  const ratios: Record<string, number> = {};
  LEVELS.forEach((level, l) => {
    for (const below of LEVELS.slice(0, l)) {
      const share =
        meanOf(each, target, level).instructions / meanOf(each, target, below).instructions;
      ratios[`${level}/${below}`] = share;
    }
  });
  return ratios;
}

const rounded = (value: number): number => Number(value.toPrecision(4));

function print(each: readonly Measured[]): void {
  const rows = each.map(({ kernel, target, level, codeBytes, instructions, inner, unit }) => [
    `${kernel} ${target}`,
    level,
    codeBytes,
    instructions,
    inner === null ? "" : rounded(inner),
    unit ?? "",
  ]);
  printTable([["kernel", "level", "bytes", "executed", "inner", "a"], ...rows]);
  for (const target of TARGETS) {
    const ratios = Object.entries(ratiosOf(each, target));
    const shares = ratios.map(([name, share]) => `${name} ${share.toFixed(3)}`);
    printLine(`${target}, executed, geometric mean: ${shares.join(", ")}`);
  }
}
