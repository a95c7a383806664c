// Watches a reduction: reports its progress, and ends it early.

import { type Candidate, coreSize } from "./candidate.js";

/** The interval after which a synchronous reduction lets its process do other work. */
const TURN_MILLISECONDS = 50;

export class ReductionWatch {
  private readonly endsAt: number;
  private readonly onCandidate: (values: number, candidates: number) => void;
  private candidates = 0;
  private stopped = false;
  private turnAt = performance.now();

  /** @param seconds the time limit; Infinity for none */
  constructor(seconds: number, onCandidate: (values: number, candidates: number) => void) {
    this.endsAt = performance.now() + 1000 * seconds;
    this.onCandidate = onCandidate;
  }

  /** Returns the remaining time; Infinity without a limit. */
  get millisecondsLeft(): number {
    return this.endsAt - performance.now();
  }

  /** Returns whether the reduction was stopped before it was complete. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Called before each candidate. Returns false if the reduction must end, with the best program so far. */
  mayContinue(best: Candidate): boolean {
    if (this.millisecondsLeft <= 0) this.stop();
    else this.onCandidate(coreSize(best.module), ++this.candidates);
    return !this.stopped;
  }

  stop(): void {
    this.stopped = true;
  }

  /**
   * Lets the process do other work from time to time. Otherwise no ended child is reaped, and no time limit of a child
   * is enforced.
   */
  async turn(): Promise<void> {
    if (performance.now() - this.turnAt < TURN_MILLISECONDS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.turnAt = performance.now();
  }
}

/** Returns the watch of a reduction without limit and without progress. */
export const unwatched = (): ReductionWatch =>
  new ReductionWatch(Number.POSITIVE_INFINITY, () => {});
