// Runs a campaign: cuts an interval of seeds into batches, which worker processes judge.
//
// 1. Results are committed in the order of seeds (ledger.ts), so findings and their order do not
//    depend on the number or the speed of workers.
// 2. A worker that dies or hangs never ends the campaign. Its current seed is judged again, alone
//    in a fresh worker; the rest of its batch goes back to the queue. If the fresh worker dies,
//    too, the seed is the cause and is left out. Otherwise the finding records that, and the
//    program is counted.
// 3. After an error of the machine (a full disk, no more files) a line is printed. The operation is
//    retried at growing intervals, while all other work continues. If nothing else can be done for
//    half a minute, the campaign ends.
// 4. The campaign terminates: the second death by one seed removes the seed from the work.
// 5. There is a state from which another process can resume, with the same results.
// 6. The clock decides when a campaign ends and how large batches are, but never what a program
//    does.

import { InternalError } from "../../support/assert.js";
import { isBuildReplaced } from "../../support/build-id.js";
import { machineErrorOf } from "../../support/machine-error.js";
import { emptyTally } from "../count/tally.js";
import { Evolution, FIRST_STATE } from "../evolved/evolution.js";
import { FindingFiles } from "../file/filings.js";
import { type ParentLineages, parentsOf } from "../program/lineage.js";
import { outsideSteps } from "../program/outside.js";
import { EVOLVED, indexOf, seedAt } from "../program/seeds.js";
import { RestartBackoff } from "./backoff.js";
import {
  batchOf,
  DEATHS_MAX,
  NO_SEEDS,
  onlyFindings,
  partOf,
  type ReportJob,
  type SeedsJob,
  type WorkerJob,
} from "./batch.js";
import type { CampaignState } from "./campaign-state.js";
import { foundAt, type RawFinding } from "./found.js";
import type { BatchFindings, BatchResult, WorkerMessage } from "./jobs.js";
import { type ProgramIdentity, parentsDrawer } from "./judge-seed.js";
import { FindingLedger } from "./ledger.js";
import type {
  CampaignOptions,
  CampaignResult,
  EndReason,
  ProgressCounts,
  ReductionCounts,
  RunningProgress,
} from "./options.js";
import { WorkQueue } from "./work-queue.js";
import { kindOf, WorkerPool, type WorkerSlot } from "./worker-pool.js";

/** The time that running batches have after an interruption. */
const GRACE_SECONDS = 2;
/** The share of the remaining time for reductions. */
const REDUCTION_SHARE = 0.75;
type ReportedMessage = Extract<WorkerMessage, { kind: "reported" }>;

export class Campaign {
  private readonly options: CampaignOptions;
  private readonly queue: WorkQueue;
  private readonly ledger: FindingLedger;
  private readonly filings: FindingFiles;
  /** The evolving corpus; null except in the profile `evolved`. */
  private readonly evolution: Evolution | null;
  private pool: WorkerPool | null = null;
  /** Backoffs after errors of the machine: for programs and workers, and for reports. */
  private readonly judging = new RestartBackoff();
  private readonly reporting = new RestartBackoff();
  /** Lent jobs, by index of the first program. */
  private readonly lent = new Map<number, SeedsJob>();
  private unwritten = 0;
  private unreduced = 0;
  /** The number of reports that were requested from workers. */
  private reports = 0;
  /** The time at which reports must end, by `performance.now`; Infinity if they have no limit. */
  private reportsEndAt = Number.POSITIVE_INFINITY;
  private ended: EndReason | null = null;
  private readonly startedAt: number;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly drawParents: (seed: bigint) => ParentLineages;
  private isOver = false;
  private resolve: (result: CampaignResult) => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(options: CampaignOptions) {
    this.options = options;
    const { settings, first, roundPrograms, from, reports } = options;
    this.filings = new FindingFiles(settings, reports);
    this.drawParents = parentsDrawer(settings);
    const bred = from?.evolution ?? FIRST_STATE;
    const evolves = settings.profile === EVOLVED && options.bred == null;
    this.evolution = evolves
      ? new Evolution(first, bred, roundPrograms, outsideSteps(settings.outside))
      : null;
    this.startedAt = performance.now() - 1000 * (from?.seconds ?? 0);
    this.ledger = new FindingLedger(this.evolution, {
      seconds: () => this.seconds,
      onKept: (found, symptom) => this.keep(found, symptom),
      onMark: (isNews) => options.onState(isNews),
    });
    this.queue = new WorkQueue(options, this.evolution, from?.committed ?? 0);
    if (from !== null) this.resume(from);
  }

  /**
   * Runs the campaign; to be called once. Rejects only if workers cannot start for a reason other
   * than the machine.
   */
  run(): Promise<CampaignResult> {
    const { options } = this;
    const { seconds, hangSeconds, workers, count } = options;
    const result = new Promise<CampaignResult>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const spent = options.from?.seconds ?? 0;
    if (Number.isFinite(seconds)) this.endAfter(seconds, seconds - spent);
    this.pool = new WorkerPool(options, Math.min(workers, count), {
      onMessage: (slot, message) => this.receive(slot, message),
      onDeath: (slot, how) => this.handleDeath(slot, how),
      onRefusal: (line, retry) => this.tryLater(this.judging, line, retry),
      onBroken: (message) => this.fail(message),
    });
    this.watchForHangs(Math.min(1, hangSeconds / 4));
    if (options.from !== null && options.isEnough(this.progress)) this.end("findings");
    // If the campaign ended while its workers were created, nothing else finishes it.
    if (this.ended !== null) this.assign();
    return result;
  }

  /**
   * Sets the time limits. A campaign that resumes with no time left makes the remaining reports,
   * and has the whole time for them.
   */
  private endAfter(seconds: number, left: number): void {
    const reportSeconds = left > 0 ? left : seconds;
    this.reportsEndAt = performance.now() + 1000 * reportSeconds;
    this.after(Math.max(0, left), () => this.end("time"));
    this.after(reportSeconds, () => {
      this.leaveReports();
      this.after(GRACE_SECONDS, () => this.finish());
      this.assign();
    });
  }

  /**
   * Returns whether the campaign ends by itself: false if only an interruption or enough findings
   * end it.
   */
  get endsByItself(): boolean {
    const { count, seconds } = this.options;
    return Number.isFinite(count) || Number.isFinite(seconds);
  }

  /** Ends the campaign early, with the results so far. */
  interrupt(): void {
    if (this.ended === "interrupted") return;
    this.end("interrupted");
    this.after(GRACE_SECONDS, () => this.finish());
  }

  /** Returns the state from which the campaign can resume; null if nothing is committed. */
  get state(): CampaignState | null {
    const { mark, found } = this.ledger;
    if (mark === null) return null;
    const { keptCount, ...others } = mark;
    const kept = found
      .slice(0, keptCount)
      .map((one) => ({ found: one, filed: this.filings.filedOf(one) }));
    return { ...others, kept };
  }

  private resume(state: CampaignState): void {
    this.ledger.restore(state);
    for (const { found, filed } of state.kept) {
      if (filed !== null) this.filings.add(found, filed);
      else this.queueReport(found);
    }
  }

  get progress(): ProgressCounts {
    const { programs, found, symptoms } = this.ledger;
    return {
      programs,
      seconds: this.seconds,
      found,
      symptoms,
      causes: this.filings.entries.length,
    };
  }

  get shown(): RunningProgress {
    return { ...this.progress, reducing: this.reducing };
  }

  private get reducing(): ReductionCounts | null {
    const busy = (this.pool?.slots ?? []).filter(({ job }) => job?.kind === "report");
    if (busy.length === 0) return null;
    let [values, candidatesPerMinute] = [0, 0];
    for (const { worker, startedAt } of busy) {
      const reduction = worker?.reduction() ?? { values: 0, candidates: 0 };
      values = Math.max(values, reduction.values);
      candidatesPerMinute += (60_000 * reduction.candidates) / (performance.now() - startedAt);
    }
    const begun = this.reports - this.queue.reportCount;
    return { begun, reports: this.reports, values, candidatesPerMinute };
  }

  private get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  // Calls `act` after this many seconds; longer delays than a timer allows are split.
  private after(seconds: number, act: () => void): void {
    const DELAY_MAX = 1_000_000;
    const rest = seconds - DELAY_MAX;
    const then = rest > 0 ? () => this.after(rest, act) : act;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      then();
    }, Math.min(seconds, DELAY_MAX) * 1000);
    this.timers.add(timer);
  }

  private watchForHangs(seconds: number): void {
    this.after(seconds, () => {
      this.pool?.findHung();
      this.watchForHangs(seconds);
    });
  }

  private receive(slot: WorkerSlot, message: WorkerMessage): void {
    const { job } = slot;
    slot.job = null;
    if (message.kind === "refused") {
      if (job !== null) this.giveBack(slot, job, message.line);
    } else if (message.kind === "reported") {
      this.reporting.succeed();
      if (job?.kind === "report") this.addReport(job.found, message);
    } else if (message.kind === "judged" && job?.kind === "judge") {
      this.judging.succeed();
      const seconds = (performance.now() - slot.startedAt) / 1000;
      if (job.isolation === null) this.queue.adaptBatch(job.count, seconds);
      this.complete(job, { ...message, batch: this.withIsolationReason(job, message.batch) });
    }
    this.assign();
  }

  /** Gives work to every idle worker; finishes if nothing is left. */
  private assign(): void {
    if (this.isOver || this.pool === null) return;
    let busy = 0;
    for (const slot of this.pool.slots) {
      if (slot.isReady && slot.job === null) this.give(slot, this.nextJob(slot.jobs === 0));
      // A worker that is starting counts as busy if there is work that it will take.
      if (slot.job === null ? !slot.isReady && this.hasWork() : this.isWanted(slot.job)) busy++;
    }
    this.lend();
    const isWaiting = this.lent.size > 0 && this.ended === null;
    if (busy === 0 && !isWaiting && !this.hasWork()) this.finish();
  }

  /** When there are enough findings, the campaign waits only for reports. */
  private isWanted = (job: WorkerJob): boolean =>
    this.ended !== "findings" || job.kind === "report";

  private hasWork(): boolean {
    if (this.queue.hasPrograms(this.ended === null)) return true;
    return this.queue.reportCount > 0 && !this.reporting.isHopeless;
  }

  private nextJob(isFresh: boolean): WorkerJob | null {
    const { queue, ended } = this;
    const now = performance.now();
    const mayJudge = this.judging.waitMs(now) === 0;
    const mayReport = this.reporting.waitMs(now) === 0;
    return (
      (mayJudge && isFresh ? queue.nextIsolated() : null) ??
      (mayReport && isFresh ? queue.nextReportAgain() : null) ??
      (mayJudge ? queue.nextAgain() : null) ??
      (mayReport ? queue.nextReport() : null) ??
      (mayJudge && ended === null ? queue.nextPrograms() : null) ??
      (mayReport ? queue.nextReportAgain() : null)
    );
  }

  private give(slot: WorkerSlot, job: WorkerJob | null): void {
    const { worker } = slot;
    if (job === null || worker === null) return;
    slot.job = job;
    slot.jobs++;
    slot.startedAt = performance.now();
    slot.changedAt = slot.startedAt;
    const { first, reports } = this.options;
    if (job.kind === "report") {
      const { kind, found } = job;
      const { reported } = this.filings;
      worker.send({ kind, found, seconds: this.secondsForReport, reports, reported });
      return;
    }
    slot.seeds = job;
    const { kind, begin, count, breeding } = job;
    worker.send({ kind, first: seedAt(first, begin), count, breeding });
  }

  /** A share of the remaining time: confirmations and the other reports need some, too. */
  private get secondsForReport(): number {
    const { reduceSeconds = Number.POSITIVE_INFINITY, workers } = this.options;
    const left = (this.reportsEndAt - performance.now()) / 1000;
    const turns = Math.ceil((1 + this.queue.reportCount) / workers);
    return Math.min(reduceSeconds, (left * REDUCTION_SHARE) / turns);
  }

  // Fleet workers.

  /** Lends jobs to fleet workers, as many as they take. */
  private lend(): void {
    const { helpers } = this.options;
    while (helpers !== null && this.ended === null && helpers.room > 0) {
      const job = this.queue.nextLent(helpers);
      if (job === null) return;
      this.lent.set(job.begin, job);
      helpers.lend(job);
    }
  }

  /** Assigns work again, because the fleet accepts more intervals, or returned one. */
  offer(): void {
    this.assign();
  }

  /** Accepts the results of lent programs. Returns false if these programs are not lent. */
  deliver(begin: number, count: number, judged: BatchResult): boolean {
    const job = this.lent.get(begin);
    if (job?.count !== count || this.isOver) return false;
    this.lent.delete(begin);
    this.complete(job, judged);
    this.assign();
    return true;
  }

  /**
   * Accepts results that were delivered to an earlier process of this campaign; to be called before
   * `run`. Returns false if they are not needed.
   */
  deliverEarlier(begin: number, count: number, judged: BatchResult): boolean {
    // An evolving campaign cannot use earlier results: the parents of a round are unknown until it
    // begins.
    if (this.evolution !== null || !this.queue.skip({ begin, count })) return false;
    this.complete({ ...NO_SEEDS, begin, count }, judged);
    return true;
  }

  /** Judges a lent job here, because no fleet worker will deliver it. */
  takeBack(begin: number): void {
    const job = this.lent.get(begin);
    if (job === undefined) return;
    this.lent.delete(begin);
    const size = Math.ceil(job.count / (2 * this.options.workers));
    const parts: SeedsJob[] = [];
    for (let at = begin; at < begin + job.count; at += size) {
      parts.push(partOf(job, at, Math.min(at + size, begin + job.count)));
    }
    this.queue.pushAgain(...parts);
    this.assign();
  }

  /** Returns whether a worker of this process has nothing to do. */
  get isIdle(): boolean {
    if (this.ended !== null || this.queue.hasJob) return false;
    return this.pool?.slots.some(({ isReady, job }) => isReady && job === null) ?? false;
  }

  private giveBack(slot: WorkerSlot, job: WorkerJob, line: string): void {
    if (job.kind === "report") this.queue.pushReportFirst(job);
    else if (job.isolation === null) this.queue.pushAgain(job);
    else {
      slot.jobs--; // no earlier job of this worker can be the cause
      this.queue.pushIsolated(job);
    }
    const backoff = job.kind === "report" ? this.reporting : this.judging;
    this.tryLater(backoff, line, () => this.assign());
  }

  private tryLater(backoff: RestartBackoff, line: string, retry: () => void): void {
    if (this.ended !== "interrupted") this.options.onRefusal(line); // Ctrl-C reaches workers, too
    if (isBuildReplaced()) {
      this.end("machine");
      return;
    }
    backoff.refuse(performance.now());
    if (backoff === this.judging && backoff.isHopeless) this.end("machine");
    else this.whenDue(backoff, retry);
  }

  // Calls `retry` when the backoff permits it; a timer may fire slightly too early.
  private whenDue(backoff: RestartBackoff, retry: () => void): void {
    const waitMs = backoff.waitMs(performance.now());
    if (waitMs > 0) this.after(waitMs / 1000, () => this.whenDue(backoff, retry));
    else retry();
  }

  /** Executes `act`; returns false if the machine refuses something, such as a file. */
  private attempt(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      const refusal = machineErrorOf(error);
      if (refusal === null) throw error;
      this.options.onRefusal(refusal.message);
      return false;
    }
  }

  private handleDeath(slot: WorkerSlot, how: string): void {
    const { job } = slot;
    slot.job = null;
    if (job?.kind === "report") this.reportAgain(job, how);
    else if (job !== null && this.isWanted(job)) this.retryIsolated(slot, job, how);
    else this.addWorkerFailure(slot, this.indexAt(slot), `${how}, while it had no job`);
    this.assign();
  }

  /** Retries a report whose worker died: the machine may be the cause. */
  private reportAgain({ kind, found, deaths }: ReportJob, how: string): void {
    if (deaths + 1 < DEATHS_MAX) {
      this.queue.pushReportAgain({ kind, found, deaths: deaths + 1 });
      return;
    }
    const why = `examined incompletely: ${how}, ${DEATHS_MAX} times`;
    this.fileWithoutProgram({ ...found, detail: `${found.detail} (${why})` });
  }

  private retryIsolated(slot: WorkerSlot, job: SeedsJob, how: string): void {
    const { first } = this.options;
    const { begin, count, isolation } = job;
    const end = begin + count;
    const index = this.indexAt(slot);
    // A worker that has not begun its job still shows an earlier seed. Then the first program of
    // the job counts as the cause.
    const failing = index >= begin && index < end ? index : begin;
    if (isolation !== null) {
      const found = foundAt(this.named(job, failing), kindOf(slot), `${how}, twice`);
      this.complete(job, onlyFindings(batchOf([found])));
      return;
    }
    const kind = kindOf(slot);
    const last = seedAt(first, end - 1);
    const alone = { kind, how, first: seedAt(first, begin), last } as const;
    this.queue.pushIsolated({ ...partOf(job, failing, failing + 1), isolation: alone });
    if (failing + 1 < end) this.queue.pushAgain(partOf(job, failing + 1, end));
    if (begin < failing) this.queue.pushAgain(partOf(job, begin, failing));
  }

  /** Returns the index of the program that the worker was judging. */
  private indexAt = ({ worker }: WorkerSlot): number =>
    indexOf(this.options.first, worker?.currentSeed() ?? 0n);

  // Adds to a finding of an isolated seed why the seed was isolated, if it was judged after all.
  private withIsolationReason(job: SeedsJob, batch: BatchFindings): BatchFindings {
    const { begin, isolation } = job;
    if (isolation === null) return batch;
    const { kind, how, first, last } = isolation;
    const detail = `${how}; not reproduced alone; its batch was ${first} to ${last}`;
    return batchOf([foundAt(this.named(job, begin), kind, detail), ...batch.kept]);
  }

  private addWorkerFailure(slot: WorkerSlot, index: number, detail: string): void {
    const found = foundAt(this.named(slot.seeds, index), kindOf(slot), detail);
    this.ledger.commit(emptyTally(), batchOf([found])); // it belongs to no batch
  }

  /** Returns the seed and the parents of the program with that index. */
  private named(job: SeedsJob | null, index: number): ProgramIdentity {
    const seed = seedAt(this.options.first, index);
    const bred = job?.breeding?.parents[index - job.begin];
    return { seed, parents: bred === undefined ? this.drawParents(seed) : parentsOf(bred) };
  }

  private complete(job: SeedsJob, judged: BatchResult): void {
    if (this.ended === "findings") return;
    this.ledger.add({ ...judged, job });
    while (this.ledger.commitNext()) {
      if (this.options.isEnough(this.progress)) {
        this.end("findings");
        return;
      }
    }
  }

  private keep(found: RawFinding, symptom: string): void {
    this.options.onFound(found, symptom);
    this.queueReport(found);
  }

  private queueReport(found: RawFinding): void {
    if (!this.options.isReported(found)) return;
    this.reports++;
    this.queue.pushReport({ kind: "report", found, deaths: 0 });
  }

  private addReport(found: RawFinding, { filed, isReduced }: ReportedMessage): void {
    if (isReduced || filed.kind !== "report") {
      this.filings.add(found, filed);
      this.options.onState(true); // a report took long, so that no kill should lose it
      return;
    }
    this.unreduced++;
    this.filings.addUnfinished(found, filed);
  }

  private fileWithoutProgram(found: RawFinding): void {
    this.unreduced++;
    if (!this.attempt(() => this.filings.addWithoutProgram(found))) this.unwritten++;
  }

  private leaveReports(): void {
    for (const { found } of this.queue.takeReports()) this.fileWithoutProgram(found);
  }

  private end(ended: EndReason): void {
    if (this.isOver) return;
    if (ended === "interrupted" || ended === "machine") this.stop(ended);
    else this.ended ??= ended;
    if (this.ended === "findings") this.queue.dropPrograms();
    this.assign();
  }

  /**
   * Ends the campaign with the results so far. Later commits are in no state, because there may be
   * gaps before them.
   */
  private stop(ended: EndReason): void {
    const isSettled = this.ended === "interrupted" || this.ended === "findings";
    if (ended === "interrupted" || !isSettled) this.ended = ended;
    this.ledger.freeze();
    this.reportIsolated();
    this.leaveReports();
  }

  /** Turns the reasons of isolated seeds into findings: those seeds will not be judged again. */
  private reportIsolated(): void {
    for (const job of this.queue.dropPrograms()) {
      if (job.kind !== "judge") continue;
      this.complete(job, onlyFindings(this.withIsolationReason(job, batchOf([]))));
    }
  }

  private fail(message: string): void {
    this.close();
    this.reject(new InternalError(message));
  }

  private close(): void {
    this.isOver = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.pool?.close();
  }

  private finish(): void {
    if (this.isOver) return;
    const { seconds, ledger, filings } = this;
    const { first } = this.options;
    this.close();
    const { slots = [] } = this.pool ?? {};
    // Programs that a worker still has are a gap: no state contains anything after it.
    const isWorking = slots.some(({ job }) => job !== null && job.kind === "judge");
    if (this.lent.size > 0 || isWorking || this.queue.hasPrograms(false)) ledger.freeze();
    this.reportIsolated();
    const missing = [...this.lent.values()].sort((a, b) => a.begin - b.begin);
    const intervals = ledger.close(first, this.ended !== "findings");
    // Reports that an interruption left open are made without their programs.
    for (const { job } of slots) if (job?.kind === "report") this.fileWithoutProgram(job.found);
    this.leaveReports();
    this.attempt(() => filings.removeReplaced());
    const { programs, found, symptoms, tally, extremes } = ledger;
    this.resolve({
      ended: this.ended ?? "count",
      ...{ programs, seconds, found, symptoms, tally, extremes, intervals },
      missing: missing.map(({ begin, count }) => [
        seedAt(first, begin),
        seedAt(first, begin + count - 1),
      ]),
      evolution: this.evolution?.figures ?? null,
      news: ledger.news,
      entries: filings.entries,
      ...{ unwritten: this.unwritten, unreduced: this.unreduced },
    });
  }
}
