// Prints the tables of `fuzz stats`.

import { APPLICABLE, neverApplied } from "../../src/campaign/count/applied.js";
import { isUnreached, reachedOf } from "../../src/campaign/count/counters.js";
import { effectiveRowsOf, isIneffective } from "../../src/campaign/count/effective.js";
import type { ExtremePrograms } from "../../src/campaign/count/extremes.js";
import { type CampaignFigure, isBelowFloor } from "../../src/campaign/count/figure.js";
import type { Tally } from "../../src/campaign/count/tally.js";
import { describeUnseen, type UnseenEstimate } from "../../src/campaign/count/unseen.js";
import type { EvolutionFigures } from "../../src/campaign/evolved/evolution.js";
import type { FleetSummary } from "../../src/campaign/run/summary.js";
import type { TriedWorlds } from "../../src/worlds/worlds.js";
import { printLine, printTable } from "../support/output.js";
import { sumOfSubjects } from "./seen-as.js";

export function printSubjects(tally: Tally): void {
  printTable([
    ["executions by", "programs", "equal", "different", "unjudged"],
    ...Object.entries(tally.subjects).map(([subject, { equal, different, unjudged }]) => [
      subject,
      tally.code[subject]?.programs ?? "-",
      equal,
      different,
      unjudged,
    ]),
  ]);
  const reasons = Object.entries(tally.unjudged).map(([reason, count]) => `${reason} ${count}`);
  const { executions } = tally;
  printLine(
    `not judged by the oracle, of ${executions} executions: ${reasons.join(", ") || "none"}`,
  );
}

/**
 * Prints the programs that external subjects compiled as intended and ran, and whose results were
 * compared.
 */
export function printEffective(tally: Tally): void {
  for (const row of effectiveRowsOf(tally)) {
    const { subject, programs, effective, unshown = 0, floor } = row;
    const left = unshown === 0 ? "" : `, and ${unshown} without an execution that it can show`;
    const verdict = isIneffective(row) ? ` BELOW the floor of ${100 * floor} %` : "";
    printLine(`${subject} was effective in ${effective} of ${programs} programs${left}${verdict}`);
    printDeclined(tally, subject);
    const noRoom = tally.notShown?.[subject]?.["no-room"] ?? 0;
    if (noRoom > 0) printLine(`${subject} had no room for the records of ${noRoom} executions`);
  }
}

const REASONS_SHOWN = 5;

function printDeclined({ declined = {} }: Tally, subject: string): void {
  const reasons = Object.entries(declined[subject] ?? {}).sort(([, one], [, other]) => other - one);
  if (reasons.length === 0) return;
  const programs = reasons.reduce((sum, [, count]) => sum + count, 0);
  const shown = reasons.slice(0, REASONS_SHOWN).map(([reason, count]) => `${reason} (${count})`);
  if (reasons.length > REASONS_SHOWN) shown.push(`${reasons.length - REASONS_SHOWN} more`);
  printLine(`${subject} was not effective in ${programs} programs: ${shown.join(", ")}`);
}

/**
 * Prints figures, and marks those below their floor. Figures with text values come last, because
 * they may be long.
 */
export function printFigures(figures: readonly CampaignFigure[]): void {
  const rows: string[][] = [];
  for (const figure of figures) {
    const { name, value, floor } = figure;
    if (typeof value === "string") continue;
    const limit = floor === null ? "" : `floor ${number(floor)}`;
    rows.push([name, number(value), isBelowFloor(figure) ? `${limit} BELOW` : limit]);
  }
  printTable(rows);
  for (const { name, value } of figures) {
    if (typeof value === "string") printLine(`${name}: ${value === "" ? "none" : value}`);
  }
}

const number = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toPrecision(3);

/**
 * Prints symptoms, summed over subjects.
 * @param symptoms seeds with a finding, by symptom
 */
export function printSymptoms(symptoms: Readonly<Record<string, number>>): void {
  const rows = sumOfSubjects(symptoms).map(({ what, findings, subjects }) => [
    what,
    findings,
    subjects.length > 1 ? `${subjects.length} subjects` : subjects.join(),
  ]);
  if (rows.length === 0) printLine("nothing found");
  else printTable([["found", "findings", "in"], ...rows]);
}

/** Prints applied phases and rules; those that were never applied are printed by name. */
export function printApplied(tally: Tally): void {
  const never = neverApplied(tally);
  for (const kind of ["phases", "rules"] as const) {
    const count = APPLICABLE[kind].length;
    const reached = count - never[kind].length;
    const rest = never[kind].length === 0 ? "" : `; never: ${never[kind].join(", ")}`;
    printLine(`${kind} of the optimizer that were applied: ${reached} of ${count}${rest}`);
  }
}

/**
 * Prints events of the compiler in the same way. In a large campaign, an event that never occurred
 * is an error.
 */
export function printHappened(tally: Tally): void {
  for (const row of reachedOf(tally)) {
    const { kind, programs, count, reached, never } = row;
    // In a small campaign the list means little, and may be long.
    const shown = isUnreached(row) ? never.length : NEVER_SHOWN;
    const list = never.slice(0, shown).join(", ");
    const more = never.length > shown ? `, and ${never.length - shown} more` : "";
    const rest = never.length === 0 ? "" : `; never: ${list}${more}`;
    const verdict = isUnreached(row) ? " ZERO" : "";
    printLine(`${kind} in ${programs} programs: ${reached} of ${count}${rest}${verdict}`);
  }
}

const NEVER_SHOWN = 30;

/** Prints the limits at which phases stopped, in programs that are too large for them. */
export function printLimits({ limits = {}, programs }: Tally): void {
  const rows = Object.entries(limits).sort(([a], [b]) => (a < b ? -1 : 1));
  const list = rows.map(([name, count]) => `${name} ${count}`).join(", ");
  printLine(`limits of the compiler, by programs (of ${programs}): ${list || "none"}`);
}

/** Prints covered features, and whether mutations reach more new features than usual programs. */
export function printEvolution({ features, entries, rounds }: EvolutionFigures): void {
  const rows = features.map(({ kind, seen, count }) => [kind, seen, count]);
  printTable([["covered", "features", "of"], ...rows]);
  const total = { usual: 0, mutated: 0, byUsual: 0, byMutated: 0 };
  for (const round of rounds) {
    for (const key of ["usual", "mutated", "byUsual", "byMutated"] as const) {
      total[key] += round[key];
    }
  }
  const { usual, mutated, byUsual, byMutated } = total;
  printLine(
    `new features: ${byUsual} by ${usual} usual programs, ${byMutated} by ${mutated} mutations`,
  );
  const line = rounds.slice(-ROUNDS_SHOWN).map((round) => `${round.byUsual}+${round.byMutated}`);
  printLine(`new features by round (usual + mutated), the last ${line.length}: ${line.join(" ")}`);
  printLine(`the corpus contains ${entries} programs`);
}

const ROUNDS_SHOWN = 16;

/** Prints for each kind of world how many were tried, and how much symmetry reduced the number. */
export function printWorlds(worlds: readonly TriedWorlds[]): void {
  const rows = worlds.map(({ name, count, named, done }) => [
    name,
    done,
    count,
    `${((100 * done) / count).toPrecision(3)} %`,
    (named / count).toFixed(1),
  ]);
  printTable([["worlds", "tried", "of", "", "alike"], ...rows]);
}

/** Prints how many values were carried in halves, and the operations on them. */
export function printHalves({ halves }: Tally): void {
  const { value, ...forms } = halves;
  if (value === undefined) return;
  const list = Object.entries(forms).map(([form, count]) => `${form} ${count}`);
  printLine(
    `64-bit values in two registers: ${value}; operations on their halves: ${list.join(", ")}`,
  );
}

export function printFleet({ lent, delivered, missing }: FleetSummary): void {
  printLine(`fleet workers delivered ${delivered} of ${lent} intervals`);
  for (const [first, last] of missing) printLine(`  seeds ${first} to ${last} were not judged`);
}

export function printUnseen(estimates: readonly UnseenEstimate[]): void {
  printLine("");
  printLine("estimate of what further programs would reach, from units that occurred once:");
  for (const estimate of estimates) printLine(`  ${describeUnseen(estimate)}`);
}

/** Prints the programs that explain a slow campaign. */
export function printExtremes({ longest, largest }: ExtremePrograms): void {
  printLine("");
  printTable([
    ["programs that took longest", "seconds"],
    ...longest.map(({ seed, amount }) => [`seed ${seed}`, amount.toFixed(3)]),
  ]);
  printTable([
    ["largest programs", "values"],
    ...largest.map(({ seed, amount }) => [`seed ${seed}`, amount]),
  ]);
}
