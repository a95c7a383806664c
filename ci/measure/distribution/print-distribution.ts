// Measures the distribution of generated programs, and prints its tables. Status 1 if a figure is below its floor.

import { printFigures } from "../../../fuzz/run/print-summary.js";
import { parseCount, parseSeed } from "../../../fuzz/support/arguments.js";
import { printLine, printTable, STATUS } from "../../../fuzz/support/output.js";
import { APPLICABLE } from "../../../src/campaign/count/applied.js";
import { isBelowFloor } from "../../../src/campaign/count/figure.js";
import type { ExitCounts } from "../../../src/campaign/evolved/exit-forms.js";
import { generatorVersion } from "../../../src/generate/version.js";
import { type AppliedCounts, AppliedTable } from "./applied-table.js";
import type { BoundaryCounts } from "./boundary-pairs.js";
import { measureDistribution } from "./distribution.js";
import type { Histogram } from "./histograms.js";
import { COLUMNS, type InstanceCounts, zeroesOf } from "./instances.js";
import type { MakerCounts } from "./maker-table.js";
import type { SpecialCounts } from "./special-operands.js";

interface DistributionArgs {
  readonly seed: string;
  readonly count: string;
}

export async function run({ seed, count }: DistributionArgs): Promise<number> {
  const first = parseSeed(seed);
  const programs = parseCount("--count", count);
  const applied = new AppliedTable();
  const { figures, instances, makers, exits, specials, boundaries, histograms } =
    measureDistribution(first, programs, (module, _, mattered) =>
      applied.addProgram(module, mattered),
    );
  printLine(`${programs} programs from seed ${first}, generator ${generatorVersion}`);
  printInstances(instances);
  printMakers(makers);
  printExits(exits);
  printSpecials(specials);
  printBoundaries(boundaries);
  printHistograms(histograms);
  printApplied(applied.rows);
  printLine("");
  printFigures(figures);
  const below = figures.filter(isBelowFloor).map(({ name }) => name);
  const verdict = below.length === 0 ? "no figure is below its floor" : "below the floor: ";
  printLine(`${verdict}${below.join("; ")}`);
  return below.length === 0 ? STATUS.nothingFound : STATUS.found;
}

/**
 * Prints opcodes by type. It marks zeroes that are below the floor, and prints `-` in columns that
 * do not apply.
 */
function printInstances(instances: readonly InstanceCounts[]): void {
  printTable([
    ["opcodes by type", ...COLUMNS],
    ...instances.map((counts) => [
      counts.name,
      ...COLUMNS.map((column) =>
        counts[column] === 0 && !counts.applies.includes(column) ? "-" : counts[column],
      ),
      zeroesOf(counts).length > 0 ? "ZERO" : "",
    ]),
  ]);
}

/** Prints the makers of the generator, with the number of programs. */
function printMakers(makers: readonly MakerCounts[]): void {
  const rows = makers.map(({ name, made, mattered }) => [name, made, mattered]);
  printTable([["programs, by maker", "made", "mattered"], ...rows]);
}

function printExits(exits: readonly ExitCounts[]): void {
  printTable([["forms of exit", "taken"], ...exits.map(({ name, taken }) => [name, taken])]);
}

/** Prints special operands, by opcode and type, with the number of executions. */
function printSpecials(specials: readonly SpecialCounts[]): void {
  const names = [...new Set(specials.flatMap(({ met }) => Object.keys(met)))];
  printTable([
    ["special operands", ...names],
    ...specials.map(({ name, met }) => [name, ...names.map((special) => met[special] ?? "-")]),
  ]);
}

/**
 * Prints pairs of operand classes and sides of jumps: how many there are, and those without an
 * execution.
 */
function printBoundaries(boundaries: readonly BoundaryCounts[]): void {
  printTable([
    ["boundary pairs", "pairs", "empty", "jumps", "empty"],
    ...boundaries.map(({ name, pairs, jumps }) => [
      name,
      pairs.all,
      pairs.empty.length,
      jumps.all,
      jumps.empty.length,
      jumps.empty.join("; "),
    ]),
  ]);
}

/** Prints a line for each histogram: upper bounds with counts. */
function printHistograms(histograms: readonly Histogram[]): void {
  const width = histograms.reduce((most, { counts }) => Math.max(most, counts.length), 0);
  const ends = Array.from({ length: width }, (_, k) => `to ${2 ** k - 1}`);
  printTable([
    ["distributions", ...ends],
    ...histograms.map(({ name, counts }) => [name, ...ends.map((_, k) => counts[k] ?? 0)]),
  ]);
}

/** Prints all phases with their counts, and the rules whose correctness no program shows. */
function printApplied(applied: readonly AppliedCounts[]): void {
  const isPhase = ({ name }: AppliedCounts): boolean => APPLICABLE.phases.includes(name);
  const phases = applied
    .filter(isPhase)
    .map(({ name, applied, mattered }) => [name, applied, mattered]);
  printTable([["programs, by phase of O2", "applied", "mattered"], ...phases]);
  const blind = applied.filter((row) => !isPhase(row) && row.mattered === 0);
  const names = blind.map(({ name }) => name).join(", ");
  printLine(`rules of O2 that mattered in none of these: ${names === "" ? "none" : names}`);
}
