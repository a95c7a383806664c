// Declares the jobs of workers: a batch of programs, its results, and the reason to judge a seed
// alone; the report of a finding.

import { symptomOf } from "../../report/bucket.js";
import { NO_EXTREMES } from "../count/extremes.js";
import { emptyTally } from "../count/tally.js";
import type { BatchParents } from "../evolved/evolution.js";
import type { RawFinding } from "./found.js";
import type { BatchFindings, BatchResult } from "./jobs.js";

/**
 * Number of workers that may die on a job before it is given up: one may have died because of the
 * machine.
 */
export const DEATHS_MAX = 3;

export type WorkerFailure = "worker-died" | "worker-hung";

/** The reason to judge a seed alone: how its worker ended, and the batch that it judged. */
interface IsolationReason {
  readonly kind: WorkerFailure;
  readonly how: string;
  readonly first: bigint;
  readonly last: bigint;
}

export interface SeedsJob {
  readonly kind: "judge";
  /** The interval of programs, as indices in the campaign. */
  readonly begin: number;
  readonly count: number;
  readonly breeding: BatchParents | null;
  readonly isolation: IsolationReason | null;
}

export interface ReportJob {
  readonly kind: "report";
  readonly found: RawFinding;
  /** Number of workers that died on the report. */
  readonly deaths: number;
}

export type WorkerJob = SeedsJob | ReportJob;

export interface CompletedJob extends BatchResult {
  readonly job: SeedsJob;
}

export const NO_SEEDS: SeedsJob = {
  kind: "judge",
  begin: 0,
  count: 0,
  breeding: null,
  isolation: null,
};

/** Returns a job for the programs from `begin` to before `end`, a part of another job. */
export function partOf({ begin: from, breeding }: SeedsJob, begin: number, end: number): SeedsJob {
  const parents = breeding?.parents.slice(begin - from, end - from) ?? [];
  const own = breeding === null ? null : { ...breeding, parents };
  return { ...NO_SEEDS, begin, count: end - begin, breeding: own };
}

/** Returns results that contain only findings, for programs that were not judged. */
export const onlyFindings = (batch: BatchFindings): BatchResult => ({
  tally: emptyTally(),
  extremes: NO_EXTREMES,
  batch,
  news: [],
});

export function batchOf(kept: readonly RawFinding[]): BatchFindings {
  const symptoms: Record<string, number> = {};
  for (const found of kept) {
    const symptom = symptomOf(found);
    symptoms[symptom] = (symptoms[symptom] ?? 0) + 1;
  }
  return { kept, symptoms };
}
