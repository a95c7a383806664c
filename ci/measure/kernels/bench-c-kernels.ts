// Compares with other compilers on kernels in C, for each target: a part of the measurement `kernels`.

import type { StoppableWork } from "../../../fuzz/support/long-work.js";
import { printLine, printTable } from "../../../fuzz/support/output.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import { hostMissing } from "../../../src/execute/missing.js";
import type { OptimizeSettings } from "../../../src/execute/unit.js";
import { C_KERNELS } from "./c-kernels.js";
import { CodeComparison, type CodeProducer, type KernelComparison } from "./compare-code.js";
import { FOREIGN } from "./foreign-code.js";

/** The compiler to which all shares are relative. */
export const MEASURE = "clang-19 -O2";

export interface CKernelFigures {
  readonly each: readonly KernelComparison[];
  /**
   * Geometric means relative to MEASURE; null if MEASURE is missing or seconds are not measured.
   */
  readonly shares: readonly {
    readonly target: TargetName;
    readonly by: CodeProducer;
    readonly instructions: number | null;
    readonly seconds: number | null;
    readonly codeBytes: number | null;
  }[];
}

/**
 * Measures the kernels. A step is a kernel on a target; shares are null unless all kernels were
 * measured.
 */
export function* cSteps(settings: OptimizeSettings): StoppableWork<CKernelFigures> {
  const comparison = new CodeComparison(hostMissing() === null);
  const each: KernelComparison[] = [];
  for (const target of TARGET_NAMES) {
    for (const kernel of C_KERNELS) {
      if (yield) break;
      each.push(comparison.compare(kernel, target, settings));
    }
  }
  comparison.close();
  if (each.length < TARGET_NAMES.length * C_KERNELS.length) return { each, shares: [] };
  const shares = TARGET_NAMES.flatMap((target) => {
    const rows = each.filter((row) => row.target === target);
    return (["O1", "O2", ...FOREIGN] as const).map((by) => ({
      target,
      by,
      instructions: shareOf(rows, by, "instructions"),
      seconds: shareOf(rows, by, "seconds"),
      codeBytes: shareOf(rows, by, "codeBytes"),
    }));
  });
  return { each, shares };
}

type KernelMetric = "instructions" | "seconds" | "codeBytes";

function shareOf(
  each: readonly KernelComparison[],
  by: CodeProducer,
  what: KernelMetric,
): number | null {
  const logarithms: number[] = [];
  for (const { code } of each) {
    const own = code.find((row) => row.by === by)?.[what] ?? null;
    const measure = code.find((row) => row.by === MEASURE)?.[what] ?? null;
    if (own === null || measure === null) return null;
    logarithms.push(Math.log(own / measure));
  }
  return Math.exp(logarithms.reduce((sum, x) => sum + x, 0) / logarithms.length);
}

export function printC({ each, shares }: CKernelFigures): void {
  for (const target of TARGET_NAMES) {
    const rows = each.filter((row) => row.target === target);
    if (rows.length === 0) continue;
    printEach(rows, target, "executed", "instructions", 1);
    if (target === "x64") printEach(rows, target, "\u00b5s", "seconds", 1e6);
    const skipped = rows.filter(({ code }) => !code.some(({ by }) => by === MEASURE)).length;
    if (skipped > 0)
      printLine(`skipped: no ${MEASURE.split(" ")[0]} for ${target}: ${skipped} kernels`);
  }
  const shown = (share: number | null): string => (share === null ? "-" : share.toFixed(3));
  const rows = shares.map(({ target, by, instructions, seconds, codeBytes }) => [
    `${by}, ${target}`,
    ...[instructions, seconds, codeBytes].map(shown),
  ]);
  printTable([[`relative to ${MEASURE}`, "executed", "time", "bytes"], ...rows]);
  printLine("");
}

function printEach(
  rows: readonly KernelComparison[],
  target: TargetName,
  title: string,
  what: KernelMetric,
  unit: number,
): void {
  const head = rows[0].code.map(({ by }) => by);
  const lines = rows.map(({ kernel, code }) => [
    kernel,
    ...code.map((row) => (row[what] === null ? "-" : Math.round(unit * row[what]))),
  ]);
  printTable([[`${title}, ${target}`, ...head], ...lines]);
  printLine("");
}
