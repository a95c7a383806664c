// Defines the data of the pages of figures: the files of corpus/measured.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../src/support/project-root.js";

/** A planted bug, as `fuzz score` found it from one first seed. */
export interface BugFigure {
  readonly bug: string;
  readonly profile: string;
  readonly seed: string;
  /** The number of programs until the bug was found; null if the campaign did not find it. */
  readonly programs: number | null;
  /** Processor time; null if it was not measured. */
  readonly seconds: number | null;
}

/** The mutants that the programs of a profile kill. */
interface MutantFigure {
  readonly profile: string;
  /** The maximum number of programs. */
  readonly programs: number;
  readonly of: number;
  readonly killed: number;
  readonly killedBy10: number;
  readonly killedBy100: number;
  readonly seconds: number;
}

export interface ScoreData {
  readonly summary: readonly {
    readonly measurement: string;
    readonly goal: string;
    readonly result: string;
  }[];
  readonly mutants: readonly MutantFigure[];
  readonly bugs: readonly BugFigure[];
}

/** A planted bug that a complete campaign found and reduced. */
interface FindingFigure {
  readonly bug: string;
  readonly component: string;
  readonly programs: number;
  /** Stage, part and rule. */
  readonly location: string;
  /** Values of the reduced program; null if the current finding was not reduced. */
  readonly values: number | null;
  readonly seconds: number;
}

export interface FindingsData {
  readonly findings: readonly FindingFigure[];
}

interface PerformanceFigure {
  readonly figure: string;
  readonly goal: string;
  readonly result: string;
  /** The name of the figure in the answer of `fuzz bench`; null if another command measures it. */
  readonly source: string | null;
}

/** A kernel's time, relative to clang. */
export interface KernelFigure {
  readonly kernel: string;
  readonly time: number;
}

export interface PerformanceData {
  readonly figures: readonly PerformanceFigure[];
  readonly parts: readonly { readonly part: string; readonly share: string }[];
  readonly kernels: readonly KernelFigure[];
}

interface SurvivorsData {
  readonly holes: readonly {
    readonly mutant: string;
    readonly programs: number;
    readonly executed: number;
    readonly killer: string;
  }[];
  readonly equal: readonly {
    readonly kind: string;
    readonly mutants: number;
    readonly example: string;
  }[];
  readonly notExecuted: readonly { readonly kind: string; readonly mutants: number }[];
}

interface PlantedData {
  readonly notPlanted: readonly { readonly pattern: string; readonly reason: string }[];
  readonly otherForm: readonly { readonly patterns: readonly string[]; readonly form: string }[];
}

export interface MeasuredData {
  readonly score: ScoreData;
  readonly findings: FindingsData;
  readonly performance: PerformanceData;
  readonly survivors: SurvivorsData;
  readonly planted: PlantedData;
}

export const measuredFile = (name: keyof MeasuredData): string =>
  join(projectRoot(), "corpus", "measured", `${name}.json`);

/** Reads a file that the project itself contains. */
export function readMeasured<N extends keyof MeasuredData>(name: N): MeasuredData[N] {
  return JSON.parse(readFileSync(measuredFile(name), "utf8")) as MeasuredData[N]; // pages.test.ts reads all fields
}

/** Prints the data as in the files: a row in each line. */
export function printMeasured(data: object): string {
  const lists = Object.entries(data).map(([name, rows]: [string, readonly unknown[]]) => {
    const lines = rows.map((row) => `    ${JSON.stringify(row)}`);
    return `  ${JSON.stringify(name)}: [\n${lines.join(",\n")}\n  ]`;
  });
  return `{\n${lists.join(",\n")}\n}\n`;
}
