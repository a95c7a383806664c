// Hands out the work of a campaign in order: jobs that are repeated, reports, and the next programs.

import type { Evolution } from "../evolved/evolution.js";
import { endOfRound } from "../evolved/evolution.js";
import { NO_SEEDS, type ReportJob, type SeedsJob } from "./batch.js";
import { TOGETHER } from "./jobs.js";
import type { CampaignOptions, HelperMachines } from "./options.js";

const BATCH_SECONDS = 0.5;
/**
 * The target time in seconds of a batch with remote subjects, which start a process for each batch.
 */
const REMOTE_BATCH_SECONDS = 4;
const BATCH_FIRST = 4;
const BATCH_MAX = 4096;
/** The largest share of the remaining programs that a worker takes, so that all end together. */
const SHARE_LEFT = 0.25;

/**
 * Number of batches that a fleet worker gets at a time for each of its processes, which are started
 * for them.
 */
const LENT_BATCHES = 80;

interface SeedStretch {
  readonly begin: number;
  readonly count: number;
}

/**
 * A fleet worker gets at most this fraction of an evolving round: the rounds after it wait for the
 * whole round.
 */
const LENT_OF_ROUND = 4;

type QueueOptions = Pick<
  CampaignOptions,
  "settings" | "count" | "workers" | "roundPrograms" | "bred"
>;

export class WorkQueue {
  private readonly plan: QueueOptions;
  private readonly evolution: Evolution | null;
  /** Jobs whose worker was lost; handed out before all others. */
  private readonly again: SeedsJob[] = [];
  /** Programs on which a worker died: each is judged alone in a fresh worker. */
  private readonly isolated: SeedsJob[] = [];
  private readonly reports: ReportJob[] = [];
  /** Reports on which a worker died: each is the first job of a fresh worker. */
  private readonly reportsAgain: ReportJob[] = [];
  /** Later programs that are done already, in order. */
  private done: readonly SeedStretch[] = [];
  private next: number;
  private readonly batchSeconds: number;
  private batchSize: number;

  /**
   * Makes a queue.
   * @param next the first program that is not done
   */
  constructor(plan: QueueOptions, evolution: Evolution | null, next: number) {
    this.plan = plan;
    this.evolution = evolution;
    this.next = next;
    const { remote = [] } = plan.settings;
    this.batchSeconds = remote.length > 0 ? REMOTE_BATCH_SECONDS : BATCH_SECONDS;
    // Start with batches of one program, which show how slow the user's command is.
    if (remote.some(({ command }) => command !== undefined)) this.batchSize = 1;
    else this.batchSize = remote.length > 0 ? TOGETHER : BATCH_FIRST;
  }

  pushReport(job: ReportJob): void {
    this.reports.push(job);
  }

  pushReportFirst(job: ReportJob): void {
    this.reports.unshift(job);
  }

  /** Queues a report for a fresh worker. */
  pushReportAgain(job: ReportJob): void {
    this.reportsAgain.push(job);
  }

  pushIsolated(job: SeedsJob): void {
    this.isolated.push(job);
  }

  /** Queues jobs before all others. */
  pushAgain(...jobs: readonly SeedsJob[]): void {
    this.again.unshift(...jobs);
  }

  /** Drops all queued programs; returns those that were to be judged alone. */
  dropPrograms(): readonly SeedsJob[] {
    this.again.length = 0;
    return this.isolated.splice(0);
  }

  takeReports(): readonly ReportJob[] {
    return [...this.reports.splice(0), ...this.reportsAgain.splice(0)];
  }

  get reportCount(): number {
    return this.reports.length + this.reportsAgain.length;
  }

  /**
   * Returns whether there is work on programs.
   * @param isOpen whether new programs may begin
   */
  hasPrograms(isOpen: boolean): boolean {
    this.skipDone();
    const { again, isolated, next } = this;
    if (again.length > 0 || isolated.length > 0) return true;
    return isOpen && next < this.plan.count;
  }

  nextReport(): ReportJob | null {
    return this.reports.shift() ?? null;
  }

  nextReportAgain(): ReportJob | null {
    return this.reportsAgain.shift() ?? null;
  }

  /**
   * Returns a program on which a worker died, for a fresh worker: an earlier job may have been the
   * cause of the death.
   */
  nextIsolated(): SeedsJob | null {
    return this.isolated.shift() ?? null;
  }

  nextAgain(): SeedsJob | null {
    return this.again.shift() ?? null;
  }

  nextPrograms(): SeedsJob | null {
    return this.cut(this.batchSize);
  }

  /** Returns an interval for a fleet worker. */
  nextLent({ programs, processes }: HelperMachines): SeedsJob | null {
    const size = programs ?? LENT_BATCHES * this.batchSize * processes;
    if (this.evolution === null) return this.cut(size);
    return this.cut(Math.min(size, Math.ceil(this.plan.roundPrograms / LENT_OF_ROUND)));
  }

  /**
   * Returns whether there is a job for a worker now: programs of a round that is not open do not
   * count.
   */
  get hasJob(): boolean {
    if (!this.hasPrograms(true)) return false;
    const { again, isolated, next, evolution } = this;
    if (again.length > 0 || isolated.length > 0) return true;
    return evolution?.isOpen(next) !== false;
  }

  /** Marks programs as done. Returns false if some of them are handed out, or done. */
  skip(stretch: SeedStretch): boolean {
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

  /** Adapts the size of batches to the time that a batch took. */
  adaptBatch(count: number, seconds: number): void {
    const fitting = Math.floor((count * this.batchSeconds) / Math.max(0.001, seconds));
    this.batchSize = Math.min(BATCH_MAX, 2 * this.batchSize, Math.max(1, fitting));
  }
}

const endOf = ({ begin, count }: SeedStretch): number => begin + count;
