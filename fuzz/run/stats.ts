// Implements `fuzz stats`: prints the sum of campaigns.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isUnreached, reachedOf } from "../../src/campaign/count/counters.js";
import type { CampaignFigure } from "../../src/campaign/count/figure.js";
import { figuresOf } from "../../src/campaign/count/figures.js";
import { unseenIn } from "../../src/campaign/count/unseen.js";
import { FORMAT_NAMES, FORMATS, type FormatName } from "../../src/campaign/publish/formats.js";
import {
  type CampaignSummary,
  mergeSummaries,
  parseSummary,
  SUMMARY_FILE,
  SUMMARY_SCHEMA,
} from "../../src/campaign/run/summary.js";
import { versions } from "../../src/report/versions.js";
import { writeWhole } from "../../src/support/whole-file.js";
import { printAnswer } from "../answers/print-answer.js";
import { printLine, printTable, readUserText, STATUS, usageError } from "../support/output.js";
import {
  printApplied,
  printEffective,
  printEvolution,
  printExtremes,
  printFigures,
  printFleet,
  printHalves,
  printHappened,
  printLimits,
  printSubjects,
  printSymptoms,
  printUnseen,
} from "./print-summary.js";

interface StatsArgs {
  readonly folders?: readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly store?: string | undefined;
  readonly bucket?: string | undefined;
  readonly all?: boolean | undefined;
  readonly json: boolean;
}

const REPORTS = "reports";

export async function run(args: StatsArgs): Promise<number> {
  const { store, folders = [], json, bucket, out } = args;
  if (store !== undefined) {
    if (folders.length > 0) throw usageError("--store: expected no folders beside a store");
    if (bucket !== undefined) {
      return (await import("./print-store.js")).copyReport(store, bucket, out ?? ".", json);
    }
    return (await import("./print-store.js")).printStore(store, json);
  }
  if (bucket !== undefined)
    throw usageError("--bucket: expected --store, which contains the bucket");
  return campaigns(args);
}

function campaigns({ folders = [], format, out, json, all = false }: StatsArgs): number {
  const write = format === undefined ? null : formatNamed(format).write;
  if (write !== null && json)
    throw usageError("--json and --format are both output formats: expected one");
  if (out !== undefined && write === null) throw usageError("--out goes with --format");
  const found = folders.length > 0 ? [...folders] : foldersBelow(REPORTS);
  if (found.length === 0) {
    throw usageError(`${REPORTS}: no campaign here; fuzz run makes one, or name its folder`);
  }
  const summary = mergeSummaries(found.map(readSummary));
  const figures = figuresOf(summary.tally, summary.seconds);
  if (write !== null) {
    const text = write(summary, out === undefined ? "." : dirname(out), versions().touchstone);
    if (out === undefined) process.stdout.write(text);
    else writeWhole(out, text);
  } else if (json) printAnswer(SUMMARY_SCHEMA, { ...summary, figures, unseen: unseenIn(summary) });
  else {
    print(summary);
    if (all) printAll(summary, figures);
    else printLine("all figures: --all");
  }
  return reachedOf(summary.tally).some(isUnreached) ? STATUS.found : STATUS.nothingFound;
}

function formatNamed(name: string): (typeof FORMATS)[FormatName] {
  const found = FORMAT_NAMES.find((format) => format === name);
  if (found === undefined)
    throw usageError(`--format ${name}: expected ${FORMAT_NAMES.join(", ")}`);
  return FORMATS[found];
}

function foldersBelow(reports: string): string[] {
  if (!existsSync(reports)) return [];
  return readdirSync(reports)
    .sort()
    .map((name) => join(reports, name))
    .filter((folder) => existsSync(join(folder, SUMMARY_FILE)));
}

function readSummary(folder: string): CampaignSummary {
  const path = join(folder, SUMMARY_FILE);
  const summary = parseSummary(readUserText(path));
  if (typeof summary === "string") throw usageError(`${path}:1:1: ${summary}`);
  return summary;
}

/** Prints the findings first. */
function print(summary: CampaignSummary): void {
  const { campaigns, generators, tally, seconds, symptoms, findings } = summary;
  printLine(`${campaigns.length} campaigns, ${tally.programs} programs in ${seconds.toFixed(1)} s`);
  for (const name of campaigns) printLine(`  ${name}`);
  if (generators.length > 1) {
    printLine(`${generators.length} versions of the generator: ${generators.join(", ")}`);
  }
  printLine("");
  printSymptoms(symptoms);
  printTable(findings.map(({ bucket, seed, path }) => [bucket, `seed ${seed}`, path]));
  printLine("");
  printSubjects(tally);
  printEffective(tally);
}

function printAll(summary: CampaignSummary, figures: readonly CampaignFigure[]): void {
  const { tally } = summary;
  printLine("");
  printFigures(figures);
  printApplied(tally);
  printLimits(tally);
  printHappened(tally);
  printHalves(tally);
  if (summary.evolution) printEvolution(summary.evolution);
  if (summary.fleet !== undefined) printFleet(summary.fleet);
  printUnseen(unseenIn(summary));
  if (summary.extremes !== undefined) printExtremes(summary.extremes);
}
