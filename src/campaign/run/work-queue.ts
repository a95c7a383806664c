// What a campaign has to do, in the order in which it is given out: what is judged again, reports, the
// programs that come next, and the measurement of a sample.

import type { Evolution } from "../evolved/evolution.js";
import { endOfRound } from "../evolved/evolution.js";
import { NO_SEEDS, type ReportJob, type SeedsJob } from "./batch.js";
import { TOGETHER } from "./jobs.js";
import type { CampaignOptions, Helpers } from "./options.js";

const BATCH_SECONDS = 0.5;
/** Subjects of others start a process for a batch, so that a smaller one costs as much. */
const REMOTE_BATCH_SECONDS = 4;
const BATCH_FIRST = 4;
const BATCH_MAX = 4096;
/** Of what is left each worker takes at most this share, so that all end together. */
const SHARE_LEFT = 0.25;

/** What a helper gets at a time is so many batches for each of its processes, which are started for it. */
const LENT_BATCHES = 80;

interface Stretch {
  readonly begin: number;
  readonly count: number;
}

/** Of a round that evolves a helper gets one part in so many at a time: what comes next waits for all of it. */
const LENT_OF_ROUND = 4;

type Plan = Pick<
  CampaignOptions,
  "settings" | "count" | "workers" | "sampleCount" | "roundPrograms" | "bred"
>;

export class WorkQueue {
  private readonly plan: Plan;
  private readonly evolution: Evolution | null;
  /** Batches whose worker was lost, in front of all others. */
  private readonly again: SeedsJob[] = [];
  /** Programs that took a worker along: for a fresh one, each alone. */
  private readonly suspects: SeedsJob[] = [];
  private readonly reports: ReportJob[] = [];
  /** Those that took a worker along: the first job of a fresh one. */
  private readonly reportsAgain: ReportJob[] = [];
  /** Programs further on that are done, in order. */
  private done: readonly Stretch[] = [];
  private next: number;
  private readonly batchSeconds: number;
  private batchSize: number;
  private mayMeasure: boolean;

  /** @param next the first program that is not done */
  constructor(plan: Plan, evolution: Evolution | null, next: number) {
    this.plan = plan;
    this.evolution = evolution;
    this.next = next;
    const { remote = [] } = plan.settings;
    this.batchSeconds = remote.length > 0 ? REMOTE_BATCH_SECONDS : BATCH_SECONDS;
    // How slow a command of the user's is shows with its first program.
    if (remote.some(({ command }) => command !== undefined)) this.batchSize = 1;
    else this.batchSize = remote.length > 0 ? TOGETHER : BATCH_FIRST;
    this.mayMeasure = plan.sampleCount > 0;
  }

  pushReport(job: ReportJob): void {
    this.reports.push(job);
  }

  pushReportFirst(job: ReportJob): void {
    this.reports.unshift(job);
  }

  /** For a fresh worker. */
  pushReportAgain(job: ReportJob): void {
    this.reportsAgain.push(job);
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
    return [...this.reports.splice(0), ...this.reportsAgain.splice(0)];
  }

  get reportCount(): number {
    return this.reports.length + this.reportsAgain.length;
  }

  /** @param isOpen whether programs may begin that have not begun yet */
  hasPrograms(isOpen: boolean): boolean {
    this.skipDone();
    const { again, suspects, mayMeasure, next } = this;
    if (again.length > 0 || suspects.length > 0) return true;
    return isOpen && (mayMeasure || next < this.plan.count);
  }

  nextReport(): ReportJob | null {
    return this.reports.shift() ?? null;
  }

  nextReportAgain(): ReportJob | null {
    return this.reportsAgain.shift() ?? null;
  }

  /** What killed a worker may have come from what it did before: a suspect is the first job of its worker. */
  nextSuspect(): SeedsJob | null {
    return this.suspects.shift() ?? null;
  }

  nextAgain(): SeedsJob | null {
    return this.again.shift() ?? null;
  }

  /** The measurement of the sample, once, when the first programs are on their way. */
  nextMeasurement(): SeedsJob | null {
    const { count, sampleCount } = this.plan;
    if (!this.mayMeasure || (this.next === 0 && count > 0)) return null;
    this.mayMeasure = false;
    return { ...NO_SEEDS, kind: "measure", count: sampleCount };
  }

  nextPrograms(): SeedsJob | null {
    return this.cut(this.batchSize);
  }

  /** An interval for a helper. */
  nextLent({ programs, processes }: Helpers): SeedsJob | null {
    const size = programs ?? LENT_BATCHES * this.batchSize * processes;
    if (this.evolution === null) return this.cut(size);
    return this.cut(Math.min(size, Math.ceil(this.plan.roundPrograms / LENT_OF_ROUND)));
  }

  /** There is a job for a worker now: programs of a round that is not open are none yet. */
  get hasJob(): boolean {
    if (!this.hasPrograms(true)) return false;
    const { again, suspects, mayMeasure, next, evolution } = this;
    if (again.length > 0 || suspects.length > 0 || mayMeasure) return true;
    return evolution?.isOpen(next) !== false;
  }

  /** False: of these some are given out, or done. */
  skip(stretch: Stretch): boolean {
    const { begin, count } = stretch;
    const isFree = this.done.every((one) => one.begin >= begin + count || endOf(one) <= begin);
    if (begin < this.next || begin + count > this.plan.count || !isFree) return false;
    this.done = [...this.done, stretch].sort((a, b) => a.begin - b.begin);
    return true;
  }

  private cut(size: number): SeedsJob | null {
    const { count, workers, roundPrograms, bred = null } = this.plan;
    this.skipDone();
    const { evolution, next: begin } = this;
    const left = count - begin;
    if (left <= 0 || evolution?.isOpen(begin) === false) return null;
    const share = Math.max(1, Math.ceil((left * SHARE_LEFT) / workers));
    const limit = this.done.length === 0 ? count : this.done[0].begin;
    const end = Math.min(begin + Math.min(size, share), limit);
    this.next = Math.min(end, endOfRound(begin, roundPrograms));
    const own = bred && { ...bred, parents: bred.parents.slice(begin, this.next) };
    const breeding = evolution?.breedingOf(begin, this.next - begin) ?? own;
    return { ...NO_SEEDS, begin, count: this.next - begin, breeding };
  }

  private skipDone(): void {
    while (this.done.length > 0 && this.done[0].begin === this.next) {
      this.next = endOf(this.done[0]);
      this.done = this.done.slice(1);
    }
  }

  /** So many programs took so long: batches become as large as fits. */
  adaptBatch(count: number, seconds: number): void {
    const fitting = Math.floor((count * this.batchSeconds) / Math.max(0.001, seconds));
    this.batchSize = Math.min(BATCH_MAX, 2 * this.batchSize, Math.max(1, fitting));
  }
}

const endOf = ({ begin, count }: Stretch): number => begin + count;
