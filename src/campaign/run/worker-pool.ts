// Manages the workers of a campaign: a fixed number of slots. A worker that dies or hangs is
// replaced; the campaign decides about its job.

import { lastWords } from "../../support/last-words.js";
import { machineErrorOf } from "../../support/machine-error.js";
import type { SeedsJob, WorkerFailure, WorkerJob } from "./batch.js";
import type { WorkerMessage } from "./jobs.js";
import type { CampaignOptions } from "./options.js";
import { type WorkerDeath, type WorkerEvents, WorkerProcess } from "./worker-process.js";

/** A place for one worker process of the pool, with its current job. */
export interface WorkerSlot {
  /** The worker process; null while the machine cannot start one. */
  worker: WorkerProcess | null;
  isReady: boolean;
  isHung: boolean;
  /** Its worker has announced that it ends. */
  isEnding: boolean;
  /** Number of jobs that this worker was given. */
  jobs: number;
  job: WorkerJob | null;
  /** The last job with programs that the worker was given; null before the first. */
  seeds: SeedsJob | null;
  startedAt: number;
  lastSeed: bigint;
  lastBeats: bigint;
  changedAt: number;
  /** Processor time of the worker at its last progress; null if the system does not report it. */
  processorSeconds: number | null;
}

interface PoolEvents {
  readonly onMessage: (slot: WorkerSlot, message: WorkerMessage) => void;
  /** Called if a worker with at least one job died; afterwards another one takes the slot. */
  readonly onDeath: (slot: WorkerSlot, how: string) => void;
  /** Called if the machine allows no worker; call `retry` when that may have changed. */
  readonly onRefusal: (line: string, retry: () => void) => void;
  /** Called if workers do not start, for a reason other than the machine. */
  readonly onBroken: (message: string) => void;
}

type PoolOptions = Pick<
  CampaignOptions,
  "settings" | "fault" | "hangSeconds" | "onWorker" | "kept"
>;

/** Factor for reports: a reduction judges many programs under one seed. */
const REPORT_PATIENCE = 10;
/**
 * A process without processor time progresses as little as one that hangs. It hangs if it has used
 * its patience in processor time, or this multiple of it in elapsed time.
 */
const STANDSTILL_PATIENCE = 6;
/**
 * The seconds that a worker may take to start: it loads the compiler, possibly on a busy machine.
 */
const START_SECONDS = 60;
const START_FAILURES_MAX = 3;

export class WorkerPool {
  readonly slots: readonly WorkerSlot[];
  private readonly plan: PoolOptions;
  private readonly events: PoolEvents;
  private startFailures = 0;
  private isClosed = false;

  /** Makes a pool, and starts `size` workers. */
  constructor(plan: PoolOptions, size: number, events: PoolEvents) {
    this.plan = plan;
    this.events = events;
    this.slots = Array.from({ length: size }, emptySlot);
    for (const slot of this.slots) this.start(slot);
  }

  /** Kills workers without progress; to be called periodically. */
  findHung(): void {
    const now = performance.now();
    for (const slot of this.slots) {
      const { worker, isReady, job } = slot;
      if (worker === null || (isReady && job === null)) continue;
      const busySeconds = this.plan.hangSeconds * (isReduction(job) ? REPORT_PATIENCE : 1);
      const patience = isReady ? busySeconds : START_SECONDS;
      const seed = worker.currentSeed();
      const beats = worker.beats();
      if (seed !== slot.lastSeed || beats !== slot.lastBeats) {
        slot.lastSeed = seed;
        slot.lastBeats = beats;
        slot.changedAt = now;
        slot.processorSeconds = worker.processorSeconds();
      } else if (isHung(slot, patience, now)) {
        slot.isHung = true;
        worker.kill();
      }
    }
  }

  close(): void {
    this.isClosed = true;
    const { kept, settings } = this.plan;
    for (const { worker, isReady, job } of this.slots) {
      if (worker !== null && kept !== undefined && isReady && job === null) {
        kept.keep(settings, worker);
      } else worker?.kill();
    }
  }

  private start(slot: WorkerSlot): void {
    if (this.isClosed) return;
    const { settings, fault, onWorker, kept } = this.plan;
    Object.assign(slot, emptySlot());
    const events: WorkerEvents = {
      onMessage: (message) => this.receive(slot, message),
      onDeath: (death) => this.handleDeath(slot, death),
    };
    slot.worker = kept?.take(settings, events) ?? null;
    if (slot.worker !== null) {
      setImmediate(() => this.receive(slot, { kind: "ready" })); // it was opened before
      return;
    }
    try {
      slot.worker = new WorkerProcess({ kind: "open", settings, fault }, events);
    } catch (error) {
      const refusal = machineErrorOf(error);
      if (refusal === null) throw error;
      this.refuse(slot, refusal.message);
      return;
    }
    onWorker(slot.worker.pid);
  }

  /** Ends the worker of a slot; nothing that it does later matters. */
  private abandon({ worker }: WorkerSlot): void {
    if (worker === null) return;
    worker.events = { onMessage: () => {}, onDeath: () => {} };
    worker.kill();
  }

  private refuse(slot: WorkerSlot, line: string): void {
    slot.worker = null;
    this.events.onRefusal(line, () => this.start(slot));
  }

  private receive(slot: WorkerSlot, message: WorkerMessage): void {
    if (this.isClosed) return;
    if (message.kind === "ready") {
      slot.isReady = true;
      this.startFailures = 0;
    }
    if (message.kind === "refused" && !slot.isReady) {
      this.abandon(slot);
      this.refuse(slot, message.line);
      return;
    }
    if (message.kind === "refused" && message.isEnding) {
      slot.isReady = false;
      slot.isEnding = true;
    }
    this.events.onMessage(slot, message);
  }

  private handleDeath(
    slot: WorkerSlot,
    { how, evidence, isShortage, isSignal }: WorkerDeath,
  ): void {
    if (this.isClosed) return;
    if (slot.isEnding) {
      this.start(slot);
      return;
    }
    const cause = withEvidence(slot.isHung ? "no progress" : how, evidence);
    // Node and V8 abort if the system refuses threads or memory; an error of Touchstone ends with a status.
    if (!slot.isReady && (isShortage || isSignal || slot.isHung)) {
      this.refuse(slot, `a worker cannot start: ${cause}`);
      return;
    }
    if (!slot.isReady && ++this.startFailures >= START_FAILURES_MAX) {
      this.events.onBroken(`workers cannot start: ${cause}`);
      return;
    }
    const wasReady = slot.isReady;
    slot.isReady = false;
    if (wasReady && isShortage && !slot.isHung) {
      // The machine is the cause, not the seed, so the job is given back.
      const line = `a worker ended: ${cause}`;
      this.events.onMessage(slot, { kind: "refused", line, isEnding: true });
    } else if (slot.jobs > 0) this.events.onDeath(slot, cause);
    this.start(slot);
  }
}

/**
 * Returns whether a worker had `patience` seconds without progress: in processor time, if the
 * system reports that.
 */
function isHung(
  { worker, changedAt, processorSeconds }: WorkerSlot,
  patience: number,
  now: number,
): boolean {
  const seconds = (now - changedAt) / 1000;
  if (seconds <= patience) return false;
  const had = worker?.processorSeconds() ?? null;
  if (had === null || processorSeconds === null) return true;
  return had - processorSeconds > patience || seconds > STANDSTILL_PATIENCE * patience;
}

export const kindOf = ({ isHung }: WorkerSlot): WorkerFailure =>
  isHung ? "worker-hung" : "worker-died";

const emptySlot = (): WorkerSlot => {
  const now = performance.now();
  const nothing = { worker: null, job: null, seeds: null, jobs: 0, lastSeed: 0n, lastBeats: 0n };
  return {
    ...nothing,
    isReady: false,
    isHung: false,
    isEnding: false,
    startedAt: now,
    changedAt: now,
    processorSeconds: 0,
  };
};

/** Returns whether a report runs its program. The report of a dead or hung worker does not. */
function isReduction(job: WorkerJob | null): boolean {
  if (job?.kind !== "report") return false;
  return job.found.kind === "difference" || job.found.kind === "internal-error";
}

const withEvidence = (how: string, evidence: string): string =>
  evidence === "" ? how : `${how}: ${lastWords(evidence)}`;
