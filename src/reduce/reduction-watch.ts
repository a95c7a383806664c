// A reduction as those see it who wait for it: how far it is, and when it has to end with what it has.

import { type Candidate, coreSize } from "./candidate.js";

/** A synchronous reduction lets its process do other work after so long. */
const TURN_MILLISECONDS = 50;

export class ReductionWatch {
  private readonly endsAt: number;
  private readonly onCandidate: (values: number, candidates: number) => void;
  private candidates = 0;
  private stopped = false;
  private turnAt = performance.now();

  /** @param seconds Infinity: it ends by itself */
  constructor(seconds: number, onCandidate: (values: number, candidates: number) => void) {
    this.endsAt = performance.now() + 1000 * seconds;
    this.onCandidate = onCandidate;
  }

  /** Infinity: without a limit. */
  get millisecondsLeft(): number {
    return this.endsAt - performance.now();
  }

  /** It has ended before it was done. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Before each candidate. False: the reduction ends with the best that it has. */
  goesOn(best: Candidate): boolean {
    if (this.millisecondsLeft <= 0) this.stop();
    else this.onCandidate(coreSize(best.module), ++this.candidates);
    return !this.stopped;
  }

  stop(): void {
    this.stopped = true;
  }

  /**
   * Lets the process do other work once in a while: without it no ended child is reaped, and no time limit of a child
   * is kept.
   */
  async turn(): Promise<void> {
    if (performance.now() - this.turnAt < TURN_MILLISECONDS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.turnAt = performance.now();
  }
}

/** The watch of a reduction without limit and without progress. */
export const unwatched = (): ReductionWatch =>
  new ReductionWatch(Number.POSITIVE_INFINITY, () => {});
