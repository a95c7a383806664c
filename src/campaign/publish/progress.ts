// Reads and writes `progress.json`, which `fuzz serve` shows: the results of a campaign so far, and
// their history. The file is replaced as a whole every few seconds. At the end it contains the
// reason for the end.

import { z } from "zod";
import { isRecord, parseVersioned } from "../../support/versioned-json.js";
import { APPLICABLE, neverApplied } from "../count/applied.js";
import { reachedOf } from "../count/counters.js";
import type { Tally } from "../count/tally.js";
import { AMOUNT, COUNT, hasShape, type ShapeOf, TEXT } from "../file/shapes.js";
import type { CampaignState } from "../run/campaign-state.js";
import type { EndReason } from "../run/options.js";
import {
  type CampaignSummary,
  parseSummary,
  SUMMARY_SCHEMA,
  SUMMARY_VERSION,
} from "../run/summary.js";
import { END_REASONS } from "./night.js";

export const PROGRESS_FILE = "progress.json";
const SCHEMA = "touchstone.progress";
const VERSION = 1;

/** The figures of a campaign at one moment: numbers of programs, of symptoms, and of covered parts. */
const POINT = z.object({ seconds: AMOUNT, programs: COUNT, covered: COUNT, symptoms: COUNT });
export type ProgressPoint = ShapeOf<typeof POINT>;

export interface CampaignProgress {
  readonly schema: typeof SCHEMA;
  readonly version: typeof VERSION;
  /** The time of writing: milliseconds since 1970. */
  readonly at: number;
  /** The start of its process, as `at`; files of older builds have none. */
  readonly startedAt?: number;
  /** The reason for the end of the campaign; null while it runs, or if it was killed. */
  readonly ended: EndReason | null;
  readonly workers: number;
  /** The examination of a finding in words; null, or absent in files of older builds: it only judges. */
  readonly examining?: string | null;
  readonly points: readonly ProgressPoint[];
  readonly summary: CampaignSummary;
}

/** The largest number of points: beyond it, every second one is removed. */
const POINTS_MAX = 256;

/** The points of a campaign, in order; evenly thinned as their number grows. */
export class ProgressHistory {
  readonly points: ProgressPoint[] = [];
  /** One of this many offered points is kept. */
  private every = 1;
  private offered = 0;

  add({ seconds, tally, symptoms }: Pick<CampaignSummary, "seconds" | "tally" | "symptoms">): void {
    if (this.offered++ % this.every !== 0) return;
    const { programs } = tally;
    const covered = coveredIn(tally);
    this.points.push({ seconds, programs, covered, symptoms: Object.keys(symptoms).length });
    if (this.points.length <= POINTS_MAX) return;
    const kept = this.points.filter((_, i) => i % 2 === 0);
    this.points.splice(0, Infinity, ...kept);
    this.every *= 2;
  }
}

/** Returns the number of rules, phases, events and rows that were reached. */
export function coveredIn(tally: Tally): number {
  const never = neverApplied(tally);
  let covered = reachedOf(tally).reduce((total, { reached }) => total + reached, 0);
  for (const kind of ["phases", "rules"] as const) {
    covered += APPLICABLE[kind].length - never[kind].length;
  }
  return covered;
}

export function summaryOfState(
  { seconds, tally, extremes, symptoms, kept }: CampaignState,
  { name, generator }: { readonly name: string; readonly generator: string },
): CampaignSummary {
  return {
    ...{ schema: SUMMARY_SCHEMA, version: SUMMARY_VERSION },
    ...{ campaigns: [name], generators: [generator], intervals: [] },
    ...{ seconds, tally, extremes, symptoms },
    findings: kept.flatMap(({ filed }) => (filed?.kind === "report" ? [filed.entry] : [])),
  };
}

export function printProgress(progress: Omit<CampaignProgress, "schema" | "version">): string {
  return `${JSON.stringify({ schema: SCHEMA, version: VERSION, ...progress })}\n`;
}

const PROGRESS = z.object({
  at: AMOUNT,
  ended: TEXT.refine((text) => Object.hasOwn(END_REASONS, text)).nullable(),
  startedAt: AMOUNT.exactOptional(),
  workers: COUNT,
  examining: TEXT.nullable().exactOptional(),
  points: z.array(POINT),
});

/**
 * Parses `progress.json`.
 * @returns the progress, or a string with the error
 */
export function parseProgress(text: string): CampaignProgress | string {
  const value = parseVersioned(text, SCHEMA, VERSION);
  if (typeof value === "string") return value;
  if (!isRecord(value["summary"])) return 'expected an object as "summary"';
  const summary = parseSummary(JSON.stringify(value["summary"]));
  if (typeof summary === "string") return summary;
  return isProgress(value) ? value : "expected a time, an end, a number of workers, points";
}

/** Checks an object whose summary is valid. */
const isProgress = (
  value: Readonly<Record<string, unknown>>,
): value is CampaignProgress & typeof value => hasShape(value, PROGRESS);
