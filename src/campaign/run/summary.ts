// Reads, writes and merges `summary.json`, the result of a campaign. Its form has a version. Files
// are read as hostile: a file of another form is refused with the expected form.

import { z } from "zod";
import { parseVersioned } from "../../support/versioned-json.js";
import { EXTREMES, mergeExtremes, NO_EXTREMES } from "../count/extremes.js";
import { emptyTally, mergeTally, TALLY, type Tally } from "../count/tally.js";
import { EVOLUTION } from "../evolved/evolution.js";
import { FINDING, type FindingEntry } from "../file/filing.js";
import {
  AMOUNT,
  COUNT,
  COUNTS,
  SEED_RANGE,
  type ShapeOf,
  TEXTS,
  wrongProperty,
} from "../file/shapes.js";

export const SUMMARY_SCHEMA = "touchstone.summary";
export const SUMMARY_VERSION = 6;
export const SUMMARY_FILE = "summary.json";

const FLEET = z
  .object({ lent: COUNT, delivered: COUNT, missing: z.array(SEED_RANGE) })
  .describe("intervals of seeds that were reserved for fleet workers");
/** Counts of the intervals for fleet workers, and those that nobody delivered. */
export type FleetSummary = ShapeOf<typeof FLEET>;

/** The result of a campaign; after a merge, of several. Older versions lack the optional properties. */
export const SUMMARY = z.object({
  campaigns: TEXTS,
  // Seeds of different versions name different programs.
  generators: TEXTS.describe("versions of the generator"),
  seconds: AMOUNT,
  intervals: z.array(SEED_RANGE).describe("judged seeds"),
  tally: TALLY.extend({ readings: TALLY.shape.readings.exactOptional() }),
  extremes: EXTREMES.exactOptional(),
  symptoms: COUNTS.describe("seeds with a finding, by the first symptom"),
  // The first few of each symptom.
  findings: z.array(FINDING),
  // It does not merge: new features of one part depend on the coverage of another part.
  evolution: EVOLUTION.nullable().exactOptional(),
  fleet: FLEET.exactOptional(),
});
export type CampaignSummary = Omit<ShapeOf<typeof SUMMARY>, "tally"> &
  SummaryHead & { readonly tally: Tally };
interface SummaryHead {
  readonly schema: typeof SUMMARY_SCHEMA;
  readonly version: typeof SUMMARY_VERSION;
}

/**
 * Parses a summary.
 * @param text the contents of a `summary.json`
 * @returns the summary, or a string with the error
 */
export function parseSummary(text: string): CampaignSummary | string {
  const value = parseVersioned(text, SUMMARY_SCHEMA, SUMMARY_VERSION);
  if (typeof value === "string") return value;
  const wrong = wrongProperty(value, SUMMARY);
  return wrong === null
    ? (value as object as CampaignSummary)
    : `"${wrong}" does not have the form of a summary`;
}

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
export function mergeSummaries(summaries: readonly CampaignSummary[]): CampaignSummary {
  const tally = emptyTally();
  let extremes = NO_EXTREMES;
  const symptoms: Record<string, number> = {};
  const findings = new Map<string, FindingEntry>();
  const campaigns = new Set<string>();
  let seconds = 0;
  const merged: CampaignSummary[] = [];
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
function fleetOf(merged: readonly CampaignSummary[]): Pick<CampaignSummary, "fleet"> {
  const fleets = merged.flatMap(({ fleet }) => fleet ?? []);
  if (fleets.length === 0) return {};
  const fleet = {
    lent: fleets.reduce((sum, { lent }) => sum + lent, 0),
    delivered: fleets.reduce((sum, { delivered }) => sum + delivered, 0),
    missing: fleets.flatMap(({ missing }) => missing),
  };
  return { fleet };
}
