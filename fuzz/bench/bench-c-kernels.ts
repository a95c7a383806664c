// The part of `fuzz bench --kernels` that compares with other compilers, on kernels in C.

import { hostMissing } from "../../src/execute/missing.js";
import type { OptimizeSettings } from "../../src/execute/unit.js";
import { C_KERNELS } from "../kernels/c-kernels.js";
import { type By, CodeComparison, type Compared } from "../kernels/compare-code.js";
import { FOREIGN } from "../kernels/foreign-code.js";
import { printLine, printTable } from "../support/output.js";

/** What all shares are of. */
const MEASURE = "clang-19 -O2";

interface CFigures {
  readonly each: readonly Compared[];
  /** Geometric means as a share of MEASURE; null where it is not here, or seconds are not measured. */
  readonly shares: readonly {
    readonly by: By;
    readonly instructions: number | null;
    readonly seconds: number | null;
    readonly codeBytes: number | null;
  }[];
}

export function measureC(settings: OptimizeSettings): CFigures {
  const comparison = new CodeComparison(hostMissing() === null);
  const each = C_KERNELS.map((kernel) => comparison.compare(kernel, settings));
  comparison.close();
  const shares = (["O1", "O2", ...FOREIGN] as const).map((by) => ({
    by,
    instructions: shareOf(each, by, "instructions"),
    seconds: shareOf(each, by, "seconds"),
    codeBytes: shareOf(each, by, "codeBytes"),
  }));
  return { each, shares };
}

type What = "instructions" | "seconds" | "codeBytes";

function shareOf(each: readonly Compared[], by: By, what: What): number | null {
  const logarithms: number[] = [];
  for (const { code } of each) {
    const own = code.find((row) => row.by === by)?.[what] ?? null;
    const measure = code.find((row) => row.by === MEASURE)?.[what] ?? null;
    if (own === null || measure === null) return null;
    logarithms.push(Math.log(own / measure));
  }
  return Math.exp(logarithms.reduce((sum, x) => sum + x, 0) / logarithms.length);
}

export function printC({ each, shares }: CFigures): void {
  const head = each[0].code.map(({ by }) => by);
  for (const [title, what, unit] of [
    ["executed", "instructions", 1],
    ["\u00b5s", "seconds", 1e6],
  ] as const) {
    const rows = each.map(({ kernel, code }) => [
      kernel,
      ...code.map((row) => (row[what] === null ? "-" : Math.round(unit * row[what]))),
    ]);
    printTable([[`${title}, x64`, ...head], ...rows]);
    printLine("");
  }
  const shown = (share: number | null): string => (share === null ? "-" : share.toFixed(3));
  const rows = shares.map(({ by, instructions, seconds, codeBytes }) => [
    by,
    ...[instructions, seconds, codeBytes].map(shown),
  ]);
  printTable([[`share of ${MEASURE}`, "executed", "time", "bytes"], ...rows]);
  printLine("");
}
