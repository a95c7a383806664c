// A campaign: an interval of seeds, cut into batches that worker processes judge.
//
// 1. Results are committed in the order of seeds, so that what is found, and in which order, does not
//    depend on how many workers there are or how fast.
// 2. A worker that dies or hangs never ends the campaign. The seed that it was at is judged again,
//    alone in a fresh worker; the rest of its batch goes back to the queue. If the seed does it again it
//    is guilty and left out; if not, the finding says so, and the program is counted.
// 3. Terminates: of two misfortunes of a seed, the second takes it out of the work.
// 4. At the end of each round of programs there is a state from which another process can go on, and come to
//    what this one would have come to.
// 5. The clock decides when a campaign ends and how large batches are, never what a program does.

import { symptomOf } from "../../report/bucket.js";
import { InternalError } from "../../support/assert.js";
import { emptyTally, mergeTally, type Tally } from "../count/tally.js";
import type { Distribution } from "../distribution/distribution.js";
import { Evolution, type EvolutionFigures, endOfRound, FIRST_STATE } from "../evolved/evolution.js";
import type { FindingEntry } from "../file/file-finding.js";
import { Filings } from "../file/filings.js";
import { parentsOf } from "../program/lineage.js";
import { EVOLVED, indexOf, seedAt } from "../program/seeds.js";
import {
  batchOf,
  type Done,
  type Misfortune,
  NO_SEEDS,
  nothingBut,
  partOf,
  type SeedsJob,
} from "./batch.js";
import { type Found, foundAt } from "./found.js";
import {
  type Fault,
  type FoundInBatch,
  type Judged,
  KEPT_PER_SYMPTOM,
  type WorkerMessage,
} from "./jobs.js";
import type { JudgeSettings, Named } from "./judge-seed.js";
import type { CampaignState } from "./state.js";
import { WorkerProcess } from "./worker-process.js";

export interface CampaignOptions {
  readonly settings: JudgeSettings;
  readonly first: bigint;
  /** Programs; Infinity: until something else ends it. */
  readonly count: number;
  /** Infinity: until something else ends it. */
  readonly seconds: number;
  readonly workers: number;
  /** Asked after each commit: is what has been found enough? */
  readonly isEnough: (progress: Progress) => boolean;
  /** Programs of the interval of which the distribution is measured; 0: none. */
  readonly sampleCount: number;
  /** Of a round: the profile `evolved` breeds by rounds, and states are of whole ones. */
  readonly roundPrograms: number;
  /** Where an earlier process left the same campaign; null: it begins. */
  readonly from: CampaignState | null;
  /** Another round is committed: `Campaign.state` is there, and new. */
  readonly onRound: () => void;
  /** The folder for the reports of findings. */
  readonly reports: string;
  /** Of what is kept, whether a report is written. */
  readonly isReported: (found: Found) => boolean;
  /** Without progress for so long, a worker hangs. */
  readonly hangSeconds: number;
  /** For tests. */
  readonly fault: Fault | null;
  /** A finding that is kept, in the order of seeds. */
  readonly onFound: (found: Found, symptom: string) => void;
  /** A worker process was started. */
  readonly onWorker: (pid: number | undefined) => void;
}

export interface Progress {
  /** Programs whose results are there, in whatever order. */
  readonly programs: number;
  readonly seconds: number;
  /** What is committed: whole for the first few of each symptom. */
  readonly found: readonly Found[];
  /** Seeds with a finding, by symptom; a seed counts in each of its symptoms. */
  readonly symptoms: Readonly<Record<string, number>>;
}

/** What ended a campaign. */
export type Ended = "count" | "time" | "findings" | "interrupted";

export interface CampaignResult extends Progress {
  readonly ended: Ended;
  readonly tally: Tally;
  /** Null if nothing was measured. */
  readonly distribution: Distribution | null;
  /** Null but in the profile `evolved`. */
  readonly evolution: EvolutionFigures | null;
  /** The report of each bucket. */
  readonly entries: readonly FindingEntry[];
  /** First and last seed of each stretch that is done, in the order of indices. */
  readonly intervals: readonly (readonly [bigint, bigint])[];
}

interface ReportJob {
  readonly kind: "report";
  readonly found: Found;
}

type Job = SeedsJob | ReportJob;

/** What stood at the end of a round. */
interface Mark extends Omit<CampaignState, "kept"> {
  /** Findings that were kept by then. */
  readonly keptCount: number;
}

/** One place for a worker; its worker changes. */
interface Slot {
  worker: WorkerProcess;
  isReady: boolean;
  isHung: boolean;
  /** Jobs that this worker has been given. */
  jobs: number;
  job: Job | null;
  /** The last programs that it was given; null before the first. */
  seeds: SeedsJob | null;
  startedAt: number;
  lastSeed: bigint;
  changedAt: number;
}

const BATCH_SECONDS = 0.5;
const BATCH_FIRST = 4;
const BATCH_MAX = 4096;
/** Of what is left each worker takes at most this share, so that all end together. */
const SHARE_LEFT = 0.25;
/** To reduce a program is to judge many of one seed. */
const REPORT_PATIENCE = 10;
/** After an interruption, so long may running batches still take. */
const GRACE_SECONDS = 2;
/** To start is to load the compiler, on a machine that may have better to do. */
const START_SECONDS = 60;
const START_FAILURES_MAX = 3;

export class Campaign {
  private readonly options: CampaignOptions;
  private readonly slots: Slot[] = [];
  /** Batches whose worker was lost, in front of all others. */
  private readonly again: SeedsJob[] = [];
  private readonly suspects: SeedsJob[] = [];
  private readonly reports: ReportJob[] = [];
  private readonly filings: Filings;
  private next = 0;
  private batchSize = BATCH_FIRST;
  /** Null but in the profile `evolved`. */
  private readonly evolution: Evolution | null;
  private mayMeasure: boolean;
  private distribution: Distribution | null = null;
  /** By index of the first program. */
  private readonly waiting = new Map<number, Done>();
  private committed = 0;
  private readonly tally = emptyTally();
  private readonly found: Found[] = [];
  private mark: Mark | null = null;
  private readonly symptoms: Record<string, number> = {};
  private doneCount = 0;
  private startFailures = 0;
  private ended: Ended | null = null;
  private readonly startedAt: number;
  private readonly timers: NodeJS.Timeout[] = [];
  private isOver = false;
  private resolve: (result: CampaignResult) => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(options: CampaignOptions) {
    this.options = options;
    this.mayMeasure = options.sampleCount > 0;
    const { settings, first, roundPrograms, from, reports } = options;
    this.filings = new Filings(settings, reports);
    const bred = from?.evolution ?? FIRST_STATE;
    const evolves = settings.profile === EVOLVED;
    this.evolution = evolves ? new Evolution(first, bred, roundPrograms) : null;
    this.startedAt = performance.now() - 1000 * (from?.seconds ?? 0);
    if (from !== null) this.goOn(from);
  }

  /** Once. Rejects only if workers cannot start. */
  run(): Promise<CampaignResult> {
    const { seconds, hangSeconds, workers, count } = this.options;
    const result = new Promise<CampaignResult>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const spent = this.options.from?.seconds ?? 0;
    if (Number.isFinite(seconds)) this.after(seconds - spent, () => this.end("time"));
    const watch = setInterval(() => this.findHung(), Math.min(1000, hangSeconds * 250));
    this.timers.push(watch);
    for (let i = 0; i < Math.min(workers, count); i++) this.slots.push(this.openSlot());
    return result;
  }

  /** False: it goes on until it is interrupted, or enough is found. */
  get endsByItself(): boolean {
    const { count, seconds } = this.options;
    return Number.isFinite(count) || Number.isFinite(seconds);
  }

  /** Ends early, with what there is. */
  interrupt(): void {
    if (this.ended === "interrupted") return;
    this.end("interrupted");
    this.after(GRACE_SECONDS, () => this.finish());
  }

  /** As of the end of the last round; null within the first. */
  get state(): CampaignState | null {
    if (this.mark === null) return null;
    const { keptCount, ...others } = this.mark;
    const kept = this.found
      .slice(0, keptCount)
      .map((found) => ({ found, filed: this.filings.filedOf(found) }));
    return { ...others, kept };
  }

  private goOn({ committed, tally, symptoms, kept }: CampaignState): void {
    this.next = committed;
    this.committed = committed;
    this.doneCount = committed;
    mergeTally(this.tally, tally);
    Object.assign(this.symptoms, symptoms);
    for (const { found, filed } of kept) {
      this.found.push(found);
      if (filed !== null) this.filings.add(found, filed);
      else if (this.options.isReported(found)) this.reports.push({ kind: "report", found });
    }
    this.markRound();
  }

  /** True if a round has just ended. */
  private markRound(): boolean {
    const { committed, seconds, tally, symptoms, found, evolution } = this;
    if (committed % this.options.roundPrograms !== 0) return false;
    this.mark = {
      committed,
      seconds,
      tally: structuredClone(tally),
      symptoms: { ...symptoms },
      keptCount: found.length,
      evolution: evolution?.state ?? null,
    };
    return true;
  }

  get progress(): Progress {
    const { doneCount, found, symptoms } = this;
    return { programs: doneCount, seconds: this.seconds, found, symptoms };
  }

  private get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  // Longer delays than a timer takes wait in pieces.
  private after(seconds: number, act: () => void): void {
    const DELAY_MAX = 1_000_000;
    const rest = seconds - DELAY_MAX;
    const then = rest > 0 ? () => this.after(rest, act) : act;
    this.timers.push(setTimeout(then, Math.min(seconds, DELAY_MAX) * 1000));
  }

  // Workers.

  private openSlot(): Slot {
    const { settings, fault, onWorker } = this.options;
    const now = performance.now();
    const slot: Slot = {
      worker: new WorkerProcess(
        { kind: "open", settings, fault },
        {
          onMessage: (message) => this.receive(slot, message),
          onDeath: (how, evidence) => this.bury(slot, how, evidence),
        },
      ),
      isReady: false,
      isHung: false,
      jobs: 0,
      job: null,
      seeds: null,
      startedAt: now,
      lastSeed: 0n,
      changedAt: now,
    };
    onWorker(slot.worker.pid);
    return slot;
  }

  private receive(slot: Slot, message: WorkerMessage): void {
    if (this.isOver) return;
    const { job } = slot;
    slot.job = null;
    if (message.kind === "ready") {
      slot.isReady = true;
      this.startFailures = 0;
    } else if (message.kind === "measured") this.distribution = message.distribution;
    else if (message.kind === "failed") this.commitBatch(emptyTally(), batchOf([message.found]));
    else if (message.kind === "reported") {
      if (job?.kind === "report") this.filings.add(job.found, message.filed);
    } else if (job?.kind === "judge") {
      if (job.suspicion === null) this.adaptBatch(slot, job);
      this.complete(job, { ...message, batch: this.withSuspicion(job, message.batch) });
    }
    if (!this.isOver) this.assign();
  }

  private adaptBatch(slot: Slot, { count }: SeedsJob): void {
    const seconds = Math.max(0.001, (performance.now() - slot.startedAt) / 1000);
    const fitting = Math.ceil((count * BATCH_SECONDS) / seconds);
    this.batchSize = Math.min(BATCH_MAX, 2 * this.batchSize, Math.max(1, fitting));
  }

  // Gives work to everyone who has none; finishes if nobody has.
  private assign(): void {
    let busy = 0;
    for (const slot of this.slots) {
      if (slot.isReady && slot.job === null) this.give(slot, this.nextJob(slot.jobs === 0));
      // Who is starting will ask for what is left.
      if (slot.job === null ? !slot.isReady && this.hasWork() : this.isWanted(slot.job)) busy++;
    }
    if (busy === 0 && !this.hasWork()) this.finish();
  }

  /** When enough has been found, nobody waits for more. */
  private isWanted = (job: Job): boolean => this.ended !== "findings" || job.kind === "report";

  private hasWork(): boolean {
    const isOpen = this.ended === null && (this.mayMeasure || this.next < this.options.count);
    const { again, suspects, reports } = this;
    return isOpen || again.length > 0 || suspects.length > 0 || reports.length > 0;
  }

  private nextJob(isFresh: boolean): Job | null {
    // What killed a worker may have come from what that worker did before: a suspect is judged first of all.
    if (isFresh && this.suspects.length > 0) return this.suspects.shift() ?? null;
    if (this.again.length > 0) return this.again.shift() ?? null;
    if (this.reports.length > 0) return this.reports.shift() ?? null;
    return this.ended === null ? this.nextSeeds() : null;
  }

  private nextSeeds(): SeedsJob | null {
    const { count, workers, sampleCount } = this.options;
    if (this.mayMeasure && (this.next > 0 || this.next >= count)) {
      this.mayMeasure = false;
      return { ...NO_SEEDS, kind: "measure", count: sampleCount };
    }
    const { evolution, next: begin } = this;
    const left = count - begin;
    if (left <= 0 || evolution?.isOpen(begin) === false) return null;
    const share = Math.max(1, Math.ceil((left * SHARE_LEFT) / workers));
    const end = begin + Math.min(this.batchSize, share);
    this.next = Math.min(end, endOfRound(begin, this.options.roundPrograms));
    const breeding = evolution?.breedingOf(begin, this.next - begin) ?? null;
    return { ...NO_SEEDS, begin, count: this.next - begin, breeding };
  }

  private give(slot: Slot, job: Job | null): void {
    if (job === null) return;
    slot.job = job;
    slot.jobs++;
    slot.startedAt = performance.now();
    slot.changedAt = slot.startedAt;
    const { first, reports } = this.options;
    if (job.kind === "report") {
      slot.worker.send({ ...job, reports, reported: this.filings.reported });
      return;
    }
    slot.seeds = job;
    const { kind, begin, count, breeding } = job;
    slot.worker.send({ kind, first: seedAt(first, begin), count, breeding });
  }

  // Misfortunes.

  private findHung(): void {
    const now = performance.now();
    const { hangSeconds } = this.options;
    for (const slot of this.slots) {
      if (slot.isReady && slot.job === null) continue;
      const busySeconds = hangSeconds * (isReduction(slot.job) ? REPORT_PATIENCE : 1);
      const patience = slot.isReady ? busySeconds : START_SECONDS;
      const seed = slot.worker.currentSeed();
      if (seed !== slot.lastSeed) {
        slot.lastSeed = seed;
        slot.changedAt = now;
      } else if (now - slot.changedAt > patience * 1000) {
        slot.isHung = true;
        slot.worker.kill();
      }
    }
  }

  private bury(slot: Slot, how: string, evidence: string): void {
    if (this.isOver) return;
    const at = this.slots.indexOf(slot);
    if (!slot.isReady && ++this.startFailures >= START_FAILURES_MAX) {
      this.fail(`workers cannot start: ${how}: ${evidence}`);
      return;
    }
    const { job } = slot;
    slot.job = null;
    const cause = withEvidence(slot.isHung ? "no progress" : how, evidence);
    if (job?.kind === "report") this.filings.addBare(job.found);
    else if (job !== null && this.isWanted(job)) this.mourn(slot, job, cause);
    else if (slot.jobs > 0) {
      const index = indexOf(this.options.first, slot.worker.currentSeed());
      this.addMisfortune(slot, index, `${cause}, when idle`);
    }
    if (this.isOver) return;
    this.slots[at] = this.openSlot();
    this.assign();
  }

  private mourn(slot: Slot, job: SeedsJob, how: string): void {
    const { first } = this.options;
    const { kind: does, begin, count, suspicion } = job;
    const end = begin + count;
    const index = indexOf(first, slot.worker.currentSeed());
    // Before its first program, a worker shows the seed of the job before, or none.
    const guilty = index >= begin && index < end ? index : begin;
    if (does === "measure") {
      this.addMisfortune(slot, guilty, `${how}, while the distribution was measured`);
      return;
    }
    if (suspicion !== null) {
      const found = foundAt(this.named(job, guilty), kindOf(slot), `${how}, twice`);
      this.complete(job, nothingBut(batchOf([found])));
      return;
    }
    const kind = kindOf(slot);
    const last = seedAt(first, end - 1);
    const alone = { kind, how, first: seedAt(first, begin), last } as const;
    this.suspects.push({ ...partOf(job, guilty, guilty + 1), suspicion: alone });
    if (guilty + 1 < end) this.again.unshift(partOf(job, guilty + 1, end));
    if (begin < guilty) this.again.unshift(partOf(job, begin, guilty));
  }

  // The seed was judged after all: the finding stays, and says so.
  private withSuspicion(job: SeedsJob, batch: FoundInBatch): FoundInBatch {
    const { begin, suspicion } = job;
    if (suspicion === null) return batch;
    const { kind, how, first, last } = suspicion;
    const detail = `${how}; not reproduced alone; its batch was ${first} to ${last}`;
    return batchOf([foundAt(this.named(job, begin), kind, detail), ...batch.kept]);
  }

  private addMisfortune(slot: Slot, index: number, detail: string): void {
    const found = foundAt(this.named(slot.seeds, index), kindOf(slot), detail);
    this.commitBatch(emptyTally(), batchOf([found])); // no batch brings it
  }

  /** The program of that index. */
  private named(job: SeedsJob | null, index: number): Named {
    const parents = job?.breeding?.parents[index - job.begin] ?? [];
    return { seed: seedAt(this.options.first, index), parents: parentsOf(parents) };
  }

  // Results.

  private complete(job: SeedsJob, judged: Judged): void {
    if (this.ended === "findings") return;
    this.waiting.set(job.begin, { ...judged, job });
    this.doneCount += job.count;
    for (let done = this.takeNext(); done !== null; done = this.takeNext()) {
      this.commit(done);
      if (this.markRound()) this.options.onRound();
      if (this.options.isEnough(this.progress)) {
        this.end("findings");
        return;
      }
    }
  }

  private takeNext(): Done | null {
    const done = this.waiting.get(this.committed) ?? null;
    if (done === null) return null;
    this.waiting.delete(this.committed);
    this.committed += done.job.count;
    return done;
  }

  private commit({ job, tally, batch, news }: Done): void {
    this.commitBatch(tally, batch);
    if (job.breeding !== null) this.evolution?.commit(job.begin, job.breeding.parents, news);
  }

  private commitBatch(tally: Tally, batch: FoundInBatch): void {
    mergeTally(this.tally, tally);
    const seen: Record<string, number> = {};
    for (const found of batch.kept) {
      const symptom = symptomOf(found);
      seen[symptom] = (seen[symptom] ?? 0) + 1;
      if ((this.symptoms[symptom] ?? 0) + seen[symptom] <= KEPT_PER_SYMPTOM)
        this.keep(found, symptom);
    }
    for (const [symptom, count] of Object.entries(batch.symptoms)) {
      this.symptoms[symptom] = (this.symptoms[symptom] ?? 0) + count;
    }
  }

  private keep(found: Found, symptom: string): void {
    this.found.push(found);
    this.options.onFound(found, symptom);
    if (this.options.isReported(found)) this.reports.push({ kind: "report", found });
  }

  // The end.

  private end(ended: Ended): void {
    if (ended !== "interrupted") this.ended ??= ended;
    else {
      this.ended = ended;
      this.again.length = 0;
      // Nobody will look again; what is known is a finding all the same.
      for (const job of this.suspects.splice(0)) {
        this.complete(job, nothingBut(this.withSuspicion(job, batchOf([]))));
      }
      for (const { found } of this.reports.splice(0)) this.filings.addMeanwhile(found);
    }
    if (this.ended === "findings") {
      this.again.length = 0;
      this.suspects.length = 0;
    }
    if (!this.isOver) this.assign();
  }

  private fail(message: string): void {
    this.close();
    this.reject(new InternalError(message));
  }

  private close(): void {
    this.isOver = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const { worker } of this.slots) worker.kill();
  }

  private finish(): void {
    if (this.isOver) return;
    const { seconds } = this;
    this.close();
    const intervals = this.commitRest();
    const { found, symptoms, tally, distribution } = this;
    const evolution = this.evolution?.figures ?? null;
    // Reports that an interruption left open are made without their programs.
    for (const { job } of this.slots) {
      if (job?.kind === "report") this.filings.addMeanwhile(job.found);
    }
    for (const { found } of this.reports) this.filings.addMeanwhile(found);
    const { entries } = this.filings;
    const ended = this.ended ?? "count";
    const programs = this.doneCount;
    const judged = { programs, seconds, found, symptoms, tally };
    this.resolve({ ...judged, ended, distribution, evolution, entries, intervals });
  }

  // After an interruption, there may be results behind a gap.
  private commitRest(): (readonly [bigint, bigint])[] {
    const { first } = this.options;
    const stretches = this.committed > 0 ? [{ begin: 0, end: this.committed }] : [];
    for (const [begin, { job, tally, batch }] of [...this.waiting].sort(([a], [b]) => a - b)) {
      const end = begin + job.count;
      // A corpus is of programs without a gap.
      if (this.ended !== "findings") this.commitBatch(tally, batch);
      else {
        this.doneCount -= job.count; // judged, but after the finding that was enough
        continue;
      }
      const last = stretches.at(-1);
      if (last?.end === begin) last.end = end;
      else stretches.push({ begin, end });
    }
    return stretches.map(({ begin, end }) => [seedAt(first, begin), seedAt(first, end - 1)]);
  }
}

const kindOf = ({ isHung }: Slot): Misfortune => (isHung ? "worker-hung" : "worker-died");

/** What killed or held a worker is not run again for its report. */
function isReduction(job: Job | null): boolean {
  if (job?.kind !== "report") return false;
  return job.found.kind === "difference" || job.found.kind === "internal-error";
}

const withEvidence = (how: string, evidence: string): string =>
  evidence === "" ? how : `${how}: ${evidence.split("\n").at(-1)}`;
