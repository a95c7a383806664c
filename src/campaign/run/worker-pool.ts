// The workers of a campaign: a fixed number of slots. A worker that dies or hangs leaves its slot to another
// one; what becomes of its job is for the campaign to say.

import { lastWords } from "../../support/last-words.js";
import { machineErrorOf } from "../../support/machine-error.js";
import type { Job, Misfortune, SeedsJob } from "./batch.js";
import type { WorkerMessage } from "./jobs.js";
import type { CampaignOptions } from "./options.js";
import { type Death, type WorkerEvents, WorkerProcess } from "./worker-process.js";

/** A place for a worker. */
export interface Slot {
  /** Null while the machine allows none. */
  worker: WorkerProcess | null;
  isReady: boolean;
  isHung: boolean;
  /** Its worker has said that it ends, and why. */
  isEnding: boolean;
  /** Jobs that this worker has been given. */
  jobs: number;
  job: Job | null;
  /** The last programs that it was given; null before the first. */
  seeds: SeedsJob | null;
  startedAt: number;
  lastSeed: bigint;
  lastBeats: bigint;
  changedAt: number;
  /** Of its worker, when that was last seen to get on; null where the system does not say. */
  processorSeconds: number | null;
}

interface PoolEvents {
  readonly onMessage: (slot: Slot, message: WorkerMessage) => void;
  /** Its worker has had a job or more; another one takes the slot afterwards. */
  readonly onDeath: (slot: Slot, how: string) => void;
  /** The machine allows no worker: `retry` when it may have changed. */
  readonly onRefusal: (line: string, retry: () => void) => void;
  /** Workers do not start, and the machine is not to blame. */
  readonly onBroken: (message: string) => void;
}

type Plan = Pick<CampaignOptions, "settings" | "fault" | "hangSeconds" | "onWorker" | "kept">;

/** To reduce a program is to judge many of one seed. */
const REPORT_PATIENCE = 10;
/**
 * A process that has no processor gets on as little as one that hangs: it stands still until it has had that of its
 * patience, or until so many times that have passed.
 */
const STANDSTILL_PATIENCE = 6;
/** To start is to load the compiler, on a machine that may have better to do. */
const START_SECONDS = 60;
const START_FAILURES_MAX = 3;

export class WorkerPool {
  readonly slots: readonly Slot[];
  private readonly plan: Plan;
  private readonly events: PoolEvents;
  private startFailures = 0;
  private isClosed = false;

  /** Starts so many workers. */
  constructor(plan: Plan, size: number, events: PoolEvents) {
    this.plan = plan;
    this.events = events;
    this.slots = Array.from({ length: size }, emptySlot);
    for (const slot of this.slots) this.start(slot);
  }

  /** To be called once in a while: kills workers without progress. */
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

  private start(slot: Slot): void {
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

  private refuse(slot: Slot, line: string): void {
    slot.worker = null;
    this.events.onRefusal(line, () => this.start(slot));
  }

  private receive(slot: Slot, message: WorkerMessage): void {
    if (this.isClosed) return;
    if (message.kind === "ready") {
      slot.isReady = true;
      this.startFailures = 0;
    }
    if (message.kind === "refused" && message.isEnding) {
      slot.isReady = false;
      slot.isEnding = true;
    }
    this.events.onMessage(slot, message);
  }

  private handleDeath(slot: Slot, { how, evidence, isShortage, isSignal }: Death): void {
    if (this.isClosed) return;
    if (slot.isEnding) {
      this.start(slot);
      return;
    }
    const cause = withEvidence(slot.isHung ? "no progress" : how, evidence);
    // Node and V8 abort where the system refuses threads or memory; an error of ours ends with a status.
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
      // The seed is not to blame: its job is given back.
      const line = `a worker ended: ${cause}`;
      this.events.onMessage(slot, { kind: "refused", line, isEnding: true });
    } else if (slot.jobs > 0) this.events.onDeath(slot, cause);
    this.start(slot);
  }
}

/** True if it has had so many seconds without getting on: of a processor, where the system tells that. */
function isHung(
  { worker, changedAt, processorSeconds }: Slot,
  patience: number,
  now: number,
): boolean {
  const seconds = (now - changedAt) / 1000;
  if (seconds <= patience) return false;
  const had = worker?.processorSeconds() ?? null;
  if (had === null || processorSeconds === null) return true;
  return had - processorSeconds > patience || seconds > STANDSTILL_PATIENCE * patience;
}

export const kindOf = ({ isHung }: Slot): Misfortune => (isHung ? "worker-hung" : "worker-died");

const emptySlot = (): Slot => {
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

/** What killed or held a worker is not run again for its report. */
function isReduction(job: Job | null): boolean {
  if (job?.kind !== "report") return false;
  return job.found.kind === "difference" || job.found.kind === "internal-error";
}

const withEvidence = (how: string, evidence: string): string =>
  evidence === "" ? how : `${how}: ${lastWords(evidence)}`;
