// Counts the programs and executions of a campaign. There are only counts and histograms, never
// averages, so tallies merge in any order and grouping: batches into a campaign, campaigns into a
// night.

import { z } from "zod";
import { isOpenReason, type Verdict } from "../../compare/compare.js";
import type { ProgramResult, SubjectResult } from "../../compare/judge-program.js";
import type { Module } from "../../ir/procedure.js";
import { numbersOf } from "../../record/trace-counts.js";
import { COUNT, COUNTS, TEXT } from "../file/shapes.js";

export const VERDICTS = z
  .object({ equal: COUNT, different: COUNT, unjudged: COUNT })
  .describe("executions, by verdict");
type SubjectCounts = z.infer<typeof VERDICTS>;

const EFFECTIVE_COUNTS = z.object({
  programs: COUNT,
  effective: COUNT,
  unshown: COUNT.exactOptional().describe(
    "programs without an execution that the subject can show; absent if zero",
  ),
});
export type EffectiveCounts = z.infer<typeof EFFECTIVE_COUNTS>;

export const EFFECTIVE = z
  .record(TEXT, EFFECTIVE_COUNTS)
  .describe(
    "by engine: judged programs, and programs that the engine executed and whose results were compared",
  );

const CODE_SUMS = z.object({
  programs: COUNT,
  codeBytes: COUNT,
  instructions: COUNT,
  moves: COUNT,
  spilled: COUNT.describe("programs with spilled values"),
  farBranching: COUNT.describe("programs with a branch in the long form of two instructions"),
});
type CodeSums = z.infer<typeof CODE_SUMS>;

const HISTOGRAM = z
  .record(z.string().regex(/^\d+$/), COUNT)
  .describe("from an amount to the number of programs with that amount");

/** The counts of a campaign; those that it does not have are absent. */
export const TALLY = z.object({
  programs: COUNT,
  executions: COUNT.describe("executions by the oracle, one for each program and input"),
  verified: COUNT.describe("programs that were verified after every phase"),
  readings: COUNTS.describe("programs, by the profile of their seed"),
  subjects: z.record(TEXT, VERDICTS),
  unjudged: COUNTS.describe("executions that the oracle cannot judge, by reason"),
  // Executions that the subject cannot follow are under `not-shown`, and those of programs that it
  // cannot express under `declined`.
  notShown: z
    .record(TEXT, COUNTS)
    .exactOptional()
    .describe("by subject: aspects that the subject cannot expose, so they were not compared"),
  declined: z
    .record(TEXT, COUNTS)
    .exactOptional()
    .describe(
      "by subject: programs that the subject declined, or of which it compiled nothing, by reason",
    ),
  effective: EFFECTIVE.exactOptional(),
  onProcessor: COUNTS.exactOptional().describe(
    "by subject: programs whose code ran on the processor",
  ),
  values: HISTOGRAM.describe("programs, by values of the entry"),
  blocks: HISTOGRAM.describe("programs, by blocks of the entry"),
  exited: COUNT.describe("programs that took an exit"),
  resumed: COUNT.describe("programs that ran a continuation"),
  continued: COUNTS.describe("continuations, by the executor that ran them"),
  code: z.record(TEXT, CODE_SUMS),
  applied: COUNTS.describe("programs, by applied phase or rule of the optimizer"),
  limits: COUNTS.exactOptional().describe("programs in which a phase stopped at a limit"),
  events: COUNTS.describe("compiled programs, by compiler event"),
  halves: COUNTS.describe("Int64 values in halves, by operation on them"),
  // `programs` counts each program once for each subject that traces.
  traces: COUNTS.exactOptional(),
});
export type Tally = z.infer<typeof TALLY>;

/**
 * Returns an empty tally.
 * @param subjects in the order in which they are printed
 */
export const emptyTally = (subjects: readonly string[] = []): Tally => ({
  programs: 0,
  executions: 0,
  verified: 0,
  readings: {},
  subjects: Object.fromEntries(
    subjects.map((name) => [name, { equal: 0, different: 0, unjudged: 0 }]),
  ),
  unjudged: {},
  values: {},
  blocks: {},
  exited: 0,
  resumed: 0,
  continued: {},
  code: {},
  applied: {},
  events: {},
  halves: {},
});

/**
 * Counts one judged program.
 * @param reading the profile by which its seed was read
 */
export function tallyProgram(
  tally: Tally,
  { entry }: Module,
  result: ProgramResult,
  reading: string,
): void {
  tally.programs++;
  increment(tally.readings, reading);
  tally.executions += result.expected.length;
  let valueCount = 0;
  for (const { values } of entry.blocks) valueCount += values.length;
  increment(tally.values, valueCount);
  increment(tally.blocks, entry.blocks.length);
  tallyExits(tally, result);
  tallyReasons(tally, result);
  addAll(tally.continued, result.continued);
  for (const name of result.applied) increment(tally.applied, name);
  for (const name of result.limits) increment(limitsOf(tally), name);
  for (const { subject, judgements, counts, notShown, onProcessor } of result.results) {
    if (onProcessor === true) increment(onProcessorOf(tally), subject);
    const verdicts = countsOf(tally, subject);
    for (const { verdict } of judgements) {
      verdicts[verdict.kind]++;
      if (verdict.kind === "unjudged") {
        if (!isOpenReason(verdict.reason)) increment(notShownOf(tally, subject), verdict.reason);
      } else for (const aspect of notShown) increment(notShownOf(tally, subject), aspect);
    }
    if (counts === null) continue;
    const sums = sumsOf(tally, subject);
    sums.programs++;
    sums.codeBytes += counts.codeBytes;
    sums.instructions += counts.instructions;
    sums.moves += counts.moves;
    if (counts.spillUnits > 0) sums.spilled++;
    if (counts.longBranches > 0) sums.farBranching++;
    for (const name of counts.events) increment(tally.events, name);
    addAll(tally.halves, counts.halves);
    if (counts.traces !== undefined) {
      addTraces(tally, { ...numbersOf(counts.traces), programs: 1 });
    }
  }
}

/** Counts the results of remote subjects for one program. */
export function tallyEffective(tally: Tally, results: readonly SubjectResult[]): void {
  for (const { subject, judgements, declined, isUncompiled = false } of results) {
    if (declined !== null) addReasons(tally, subject, { [reasonKey(declined)]: 1 });
    if (isUncompiled) addReasons(tally, subject, { [NOTHING_COMPILED]: 1 });
    const counts = effectiveOf(tally, subject);
    counts.programs++;
    if (!isUncompiled && judgements.some(({ verdict }) => isCompared(verdict))) counts.effective++;
    else if (isUnshown(judgements)) counts.unshown = (counts.unshown ?? 0) + 1;
  }
}

const NOTHING_COMPILED = "the compiler compiled none of its functions";
const REASON_MAX = 120;
/**
 * The number of reasons that are kept for one subject: a command may give a new one for each
 * program.
 */
const REASONS_MAX = 64;
const OTHER_REASONS = "other reasons";

/** Normalizes a reason: reasons that differ only in numbers are counted together. */
const reasonKey = (reason: string): string =>
  reason
    .replace(/\b\d+\b/g, "N")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, REASON_MAX) || "no reason";

function addReasons(
  tally: Tally,
  subject: string,
  reasons: Readonly<Record<string, number>>,
): void {
  tally.declined ??= {};
  const counts = new Map(Object.entries(tally.declined[subject] ?? {}));
  for (const [reason, count] of Object.entries(reasons)) {
    const key = counts.has(reason) || counts.size < REASONS_MAX ? reason : OTHER_REASONS;
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  tally.declined[subject] = Object.fromEntries(counts);
}

/**
 * Returns whether no execution was compared, and the reason for some is that the subject cannot
 * follow exits.
 */
const isUnshown = (judgements: SubjectResult["judgements"]): boolean =>
  judgements.every(({ verdict }) => verdict.kind === "unjudged") &&
  judgements.some(({ verdict }) => verdict.kind === "unjudged" && verdict.reason === "not-shown");

/**
 * Returns whether an execution was really compared. An execution with a wrong ending may not have
 * run at all.
 */
const isCompared = (verdict: Verdict): boolean =>
  verdict.kind === "equal" || (verdict.kind === "different" && verdict.aspect !== "ending");

function tallyExits(tally: Tally, { expected }: ProgramResult): void {
  let isExited = false;
  let isResumed = false;
  for (const { ending } of expected) {
    if (ending.kind !== "exit") continue;
    isExited = true;
    isResumed ||= ending.resumed.length > 0;
  }
  if (isExited) tally.exited++;
  if (isResumed) tally.resumed++;
}

// Counts the reasons why the oracle judges no verdict. They are equal for all subjects, so the
// first one is counted.
function tallyReasons(tally: Tally, { results }: ProgramResult): void {
  if (results.length === 0) return;
  for (const { verdict } of results[0].judgements) {
    if (verdict.kind !== "unjudged" || !isOpenReason(verdict.reason)) continue;
    increment(tally.unjudged, verdict.reason);
  }
}

/** Adds `part` to `whole`. */
export function mergeTally(whole: Tally, part: Tally): void {
  whole.programs += part.programs;
  whole.executions += part.executions;
  whole.verified += part.verified;
  whole.exited += part.exited;
  whole.resumed += part.resumed;
  addAll(whole.readings, part.readings ?? {}); // older summaries do not have it
  addAll(whole.continued, part.continued);
  addAll(whole.applied, part.applied);
  if (part.limits !== undefined) addAll(limitsOf(whole), part.limits);
  if (part.onProcessor !== undefined) addAll(onProcessorOf(whole), part.onProcessor);
  addAll(whole.events, part.events);
  addAll(whole.halves, part.halves);
  if (part.traces !== undefined) addTraces(whole, part.traces);
  addAll(whole.unjudged, part.unjudged);
  for (const [subject, counts] of Object.entries(part.notShown ?? {})) {
    addAll(notShownOf(whole, subject), counts);
  }
  for (const [subject, reasons] of Object.entries(part.declined ?? {})) {
    addReasons(whole, subject, reasons);
  }
  for (const [subject, counts] of Object.entries(part.effective ?? {})) {
    const own = effectiveOf(whole, subject);
    own.programs += counts.programs;
    own.effective += counts.effective;
    if (counts.unshown !== undefined) own.unshown = (own.unshown ?? 0) + counts.unshown;
  }
  addAll(whole.values, part.values);
  addAll(whole.blocks, part.blocks);
  for (const [subject, counts] of Object.entries(part.subjects)) {
    const own = countsOf(whole, subject);
    own.equal += counts.equal;
    own.different += counts.different;
    own.unjudged += counts.unjudged;
  }
  for (const [subject, sums] of Object.entries(part.code)) {
    const own = sumsOf(whole, subject);
    own.programs += sums.programs;
    own.codeBytes += sums.codeBytes;
    own.instructions += sums.instructions;
    own.moves += sums.moves;
    own.spilled += sums.spilled;
    own.farBranching += sums.farBranching;
  }
}

function countsOf(tally: Tally, subject: string): SubjectCounts {
  tally.subjects[subject] ??= { equal: 0, different: 0, unjudged: 0 };
  return tally.subjects[subject];
}

function limitsOf(tally: Tally): Record<string, number> {
  tally.limits ??= {};
  return tally.limits;
}

/** Adds counts of traces. `frames`, the number of frames that one exit restores, is a maximum. */
function addTraces(whole: Tally, part: Readonly<Record<string, number>>): void {
  const { frames = 0 } = whole.traces ?? {};
  whole.traces ??= {};
  addAll(whole.traces, part);
  whole.traces["frames"] = Math.max(frames, part["frames"] ?? 0);
}

function onProcessorOf(tally: Tally): Record<string, number> {
  tally.onProcessor ??= {};
  return tally.onProcessor;
}

function notShownOf(tally: Tally, subject: string): Record<string, number> {
  tally.notShown ??= {};
  tally.notShown[subject] ??= {};
  return tally.notShown[subject];
}

function effectiveOf(tally: Tally, subject: string): EffectiveCounts {
  tally.effective ??= {};
  tally.effective[subject] ??= { programs: 0, effective: 0 };
  return tally.effective[subject];
}

function sumsOf(tally: Tally, subject: string): CodeSums {
  tally.code[subject] ??= {
    programs: 0,
    codeBytes: 0,
    instructions: 0,
    moves: 0,
    spilled: 0,
    farBranching: 0,
  };
  return tally.code[subject];
}

function increment(counts: Record<string | number, number>, key: string | number): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

function addAll(whole: Record<string, number>, part: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(part)) whole[key] = (whole[key] ?? 0) + count;
}

/**
 * Returns the median: the least key such that at least half of the programs are not above it; 0 for
 * an empty histogram.
 */
export function medianOf(histogram: Record<number, number>): number {
  const keys = Object.keys(histogram)
    .map(Number)
    .sort((a, b) => a - b);
  const half = keys.reduce((sum, key) => sum + histogram[key], 0) / 2;
  let seen = 0;
  for (const key of keys) {
    seen += histogram[key];
    if (seen >= half) return key;
  }
  return 0;
}
