// What a campaign has to do, in the order in which it is given out: what is judged again, reports, the
// programs that come next, and the measurement of a sample.

import type { Evolution } from "../evolved/evolution.js";
import { endOfRound } from "../evolved/evolution.js";
import { NO_SEEDS, type ReportJob, type SeedsJob } from "./batch.js";
import type { CampaignOptions } from "./options.js";

const BATCH_SECONDS = 0.5;
const BATCH_FIRST = 4;
const BATCH_MAX = 4096;
/** Of what is left each worker takes at most this share, so that all end together. */
const SHARE_LEFT = 0.25;

type Plan = Pick<CampaignOptions, "count" | "workers" | "sampleCount" | "roundPrograms">;

export class WorkQueue {
  private readonly plan: Plan;
  private readonly evolution: Evolution | null;
  /** Batches whose worker was lost, in front of all others. */
  private readonly again: SeedsJob[] = [];
  /** Programs that took a worker along: for a fresh one, each alone. */
  private readonly suspects: SeedsJob[] = [];
  private readonly reports: ReportJob[] = [];
  private next: number;
  private batchSize = BATCH_FIRST;
  private mayMeasure: boolean;

  /** @param next the first program that is not done */
  constructor(plan: Plan, evolution: Evolution | null, next: number) {
    this.plan = plan;
    this.evolution = evolution;
    this.next = next;
    this.mayMeasure = plan.sampleCount > 0;
  }

  pushReport(job: ReportJob): void {
    this.reports.push(job);
  }

  pushReportFirst(job: ReportJob): void {
    this.reports.unshift(job);
  }

  pushSuspect(job: SeedsJob): void {
    this.suspects.push(job);
  }

  /** In front of all others. */
  pushAgain(...jobs: readonly SeedsJob[]): void {
    this.again.unshift(...jobs);
  }

  /** Nothing is judged any more but what is asked for by name; gives what was to be judged alone. */
  dropPrograms(): readonly SeedsJob[] {
    this.again.length = 0;
    return this.suspects.splice(0);
  }

  takeReports(): readonly ReportJob[] {
    return this.reports.splice(0);
  }

  get hasReports(): boolean {
    return this.reports.length > 0;
  }

  /** @param isOpen whether programs may begin that have not begun yet */
  hasPrograms(isOpen: boolean): boolean {
    const { again, suspects, mayMeasure, next } = this;
    if (again.length > 0 || suspects.length > 0) return true;
    return isOpen && (mayMeasure || next < this.plan.count);
  }

  nextReport(): ReportJob | null {
    return this.reports.shift() ?? null;
  }

  /** What killed a worker may have come from what it did before: a suspect is the first job of its worker. */
  nextSuspect(): SeedsJob | null {
    return this.suspects.shift() ?? null;
  }

  nextAgain(): SeedsJob | null {
    return this.again.shift() ?? null;
  }

  nextPrograms(): SeedsJob | null {
    const { count, workers, sampleCount, roundPrograms } = this.plan;
    if (this.mayMeasure && (this.next > 0 || this.next >= count)) {
      this.mayMeasure = false;
      return { ...NO_SEEDS, kind: "measure", count: sampleCount };
    }
    const { evolution, next: begin } = this;
    const left = count - begin;
    if (left <= 0 || evolution?.isOpen(begin) === false) return null;
    const share = Math.max(1, Math.ceil((left * SHARE_LEFT) / workers));
    const end = begin + Math.min(this.batchSize, share);
    this.next = Math.min(end, endOfRound(begin, roundPrograms));
    const breeding = evolution?.breedingOf(begin, this.next - begin) ?? null;
    return { ...NO_SEEDS, begin, count: this.next - begin, breeding };
  }

  /** So many programs took so long: batches become as large as fits. */
  adaptBatch(count: number, seconds: number): void {
    const fitting = Math.ceil((count * BATCH_SECONDS) / Math.max(0.001, seconds));
    this.batchSize = Math.min(BATCH_MAX, 2 * this.batchSize, Math.max(1, fitting));
  }
}
