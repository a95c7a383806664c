// Reads, writes and merges `summary.json`, the result of a campaign. Its form has a version. Files
// are read as hostile: a file of another form is refused with the expected form.

import { type Extremes, isExtremes, mergeExtremes, NO_EXTREMES } from "../count/extremes.js";
import { emptyTally, mergeTally, type Tally } from "../count/tally.js";
import type { EvolutionFigures } from "../evolved/evolution.js";
import type { FindingEntry } from "../file/filing.js";
import {
  countsOf,
  isAmount,
  isCount,
  isRecord,
  isText,
  type JsonCheck,
  listOf,
  objectOf,
  recordOf,
} from "../file/shapes.js";

export const SUMMARY_SCHEMA = "touchstone.summary";
export const SUMMARY_VERSION = 6;
export const SUMMARY_FILE = "summary.json";

export interface Summary {
  readonly schema: typeof SUMMARY_SCHEMA;
  readonly version: typeof SUMMARY_VERSION;
  /** The name of the campaign; several names after a merge. */
  readonly campaigns: readonly string[];
  /** Versions of the generator: seeds of different versions name different programs. */
  readonly generators: readonly string[];
  /** The elapsed seconds, summed over all merged campaigns. */
  readonly seconds: number;
  /** First and last seed, decimal, of each interval that was judged. */
  readonly intervals: readonly (readonly [string, string])[];
  readonly tally: Tally;
  /** The slowest and the largest programs; absent in summaries of older versions. */
  readonly extremes?: Extremes;
  /** Number of seeds with a finding, by symptom; for causes see FindingEntry. */
  readonly symptoms: Readonly<Record<string, number>>;
  /** The first few findings of each symptom. */
  readonly findings: readonly FindingEntry[];
  /**
   * The coverage of the profile `evolved`, by round; null or absent for other profiles. It does not
   * merge: new features of one part depend on the coverage of another part.
   */
  readonly evolution?: EvolutionFigures | null;
  /** The counts of intervals for fleet workers; absent if one process judged all programs. */
  readonly fleet?: FleetSummary;
}

/** Counts of the intervals for fleet workers. */
export interface FleetSummary {
  readonly lent: number;
  readonly delivered: number;
  /** First and last seed, decimal, of each interval that nobody delivered. */
  readonly missing: readonly (readonly [string, string])[];
}

/**
 * Parses a summary.
 * @param text the contents of a `summary.json`
 * @returns the summary, or a string with the error
 */
export function parseSummary(text: string): Summary | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "expected JSON";
  }
  if (!isRecord(value) || value["schema"] !== SUMMARY_SCHEMA) {
    return `expected an object with "schema": "${SUMMARY_SCHEMA}"`;
  }
  if (value["version"] !== SUMMARY_VERSION) return `expected "version": ${SUMMARY_VERSION}`;
  const wrong = Object.keys(SHAPE).find((key) => !SHAPE[key](value[key]));
  if (wrong !== undefined) return `"${wrong}" does not have the form of a summary`;
  return isSummary(value) ? value : "expected the summary of a campaign";
}

const isSeedRange: JsonCheck = (value) =>
  Array.isArray(value) && value.length === 2 && value.every(isText);
const isTextOrNull: JsonCheck = (value) => value === null || isText(value);
const isCause: JsonCheck = objectOf({ stage: isText, part: isTextOrNull, rule: isTextOrNull });
export const isFinding: JsonCheck = objectOf({
  id: isText,
  bucket: isText,
  bucketId: isText,
  news: isText,
  kind: isText,
  seed: (value) => value === null || typeof value === "string",
  detail: isText,
  path: isText,
  command: listOf(isText),
  instances: isCount,
  aspects: (value) => value === undefined || listOf(isText)(value),
  cause: (value) => value == null || isCause(value),
  doubt: (value) => value == null || typeof value === "string",
});
export const isTally: JsonCheck = objectOf({
  programs: isCount,
  executions: isCount,
  verified: isCount,
  readings: (value) => value === undefined || recordOf(isCount)(value),
  subjects: recordOf(countsOf("equal", "different", "unjudged")),
  unjudged: recordOf(isCount),
  effective: (value) => value === undefined || recordOf(countsOf("programs", "effective"))(value),
  declined: (value) => value === undefined || recordOf(recordOf(isCount))(value),
  values: recordOf(isCount),
  blocks: recordOf(isCount),
  exited: isCount,
  resumed: isCount,
  continued: recordOf(isCount),
  applied: recordOf(isCount),
  limits: (value) => value === undefined || recordOf(isCount)(value),
  onProcessor: (value) => value === undefined || recordOf(isCount)(value),
  events: recordOf(isCount),
  halves: recordOf(isCount),
  traces: (value) => value === undefined || recordOf(isCount)(value),
  code: recordOf(
    countsOf("programs", "codeBytes", "instructions", "moves", "spilled", "farBranching"),
  ),
});
export const isRounds: JsonCheck = listOf(countsOf("usual", "mutated", "byUsual", "byMutated"));
const isEvolution = objectOf({
  features: listOf(objectOf({ kind: isText, seen: isCount, count: isCount })),
  entries: isCount,
  rounds: isRounds,
});
const SHAPE: Readonly<Record<string, JsonCheck>> = {
  campaigns: listOf(isText),
  generators: listOf(isText),
  seconds: isAmount,
  intervals: listOf(isSeedRange),
  tally: isTally,
  extremes: (value) => value === undefined || isExtremes(value),
  symptoms: recordOf(isCount),
  findings: listOf(isFinding),
  evolution: (value) => value === undefined || value === null || isEvolution(value),
  fleet: (value) =>
    value === undefined ||
    objectOf({ lent: isCount, delivered: isCount, missing: listOf(isSeedRange) })(value),
};
const isSummary = (value: unknown): value is Summary => objectOf(SHAPE)(value);

const distinct = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** Adds a finding to its bucket: the smallest program stays, and counts the others. */
function addFinding(findings: Map<string, FindingEntry>, finding: FindingEntry): void {
  const known = findings.get(finding.bucket);
  if (known === undefined) {
    findings.set(finding.bucket, finding);
    return;
  }
  const [best] = [known, finding].sort(
    (a, b) => (a.values ?? Infinity) - (b.values ?? Infinity) || (a.id < b.id ? -1 : 1),
  );
  findings.set(finding.bucket, { ...best, instances: known.instances + finding.instances });
}

/** Merges summaries; the order does not matter. A campaign that comes twice counts once. */
export function mergeSummaries(summaries: readonly Summary[]): Summary {
  const tally = emptyTally();
  let extremes = NO_EXTREMES;
  const symptoms: Record<string, number> = {};
  const findings = new Map<string, FindingEntry>();
  const campaigns = new Set<string>();
  let seconds = 0;
  const merged: Summary[] = [];
  for (const summary of summaries) {
    if (summary.campaigns.length > 0 && summary.campaigns.every((name) => campaigns.has(name))) {
      continue;
    }
    merged.push(summary);
    for (const name of summary.campaigns) campaigns.add(name);
    mergeTally(tally, summary.tally);
    extremes = mergeExtremes(extremes, summary.extremes ?? NO_EXTREMES);
    seconds += summary.seconds;
    for (const [symptom, count] of Object.entries(summary.symptoms)) {
      symptoms[symptom] = (symptoms[symptom] ?? 0) + count;
    }
    for (const finding of summary.findings) addFinding(findings, finding);
  }
  return {
    schema: SUMMARY_SCHEMA,
    version: SUMMARY_VERSION,
    campaigns: [...campaigns].sort(),
    generators: distinct(merged.flatMap(({ generators }) => generators)),
    seconds,
    intervals: merged.flatMap(({ intervals }) => intervals),
    tally,
    extremes,
    symptoms,
    findings: [...findings.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    evolution: (merged.length === 1 && merged[0].evolution) || null,
    ...fleetOf(merged),
  };
}

/** Merges fleets. Intervals that are missing in one part are missing in the whole. */
function fleetOf(merged: readonly Summary[]): Pick<Summary, "fleet"> {
  const fleets = merged.flatMap(({ fleet }) => fleet ?? []);
  if (fleets.length === 0) return {};
  const fleet = {
    lent: fleets.reduce((sum, { lent }) => sum + lent, 0),
    delivered: fleets.reduce((sum, { delivered }) => sum + delivered, 0),
    missing: fleets.flatMap(({ missing }) => missing),
  };
  return { fleet };
}
