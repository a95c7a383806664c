// Counts how often a loop head or a trace exit is reached, until it is hot. A failed recording
// increases the threshold, and after several failures recording is disabled there.

import type { Thresholds } from "./thresholds.js";

export class HotCounter {
  /** The number of arrivals at this point since it was last hot. */
  private arrivals = 0;
  private threshold: number;
  private failures = 0;
  /** The number of attempts to record a trace from this point since the last success. */
  attempts = 0;

  constructor(threshold: number) {
    this.threshold = threshold;
  }

  isDisabled({ attemptsMax }: Thresholds): boolean {
    return this.failures >= attemptsMax;
  }

  /**
   * Counts one arrival; returns true if the count reaches the threshold, so that a trace should be
   * recorded.
   */
  countArrival(thresholds: Thresholds): boolean {
    if (this.isDisabled(thresholds) || ++this.arrivals < this.threshold) return false;
    this.arrivals = 0;
    this.attempts++;
    return true;
  }

  succeed(): void {
    this.attempts = 0;
  }

  fail({ penalty }: Thresholds): void {
    this.failures++;
    this.threshold *= penalty;
  }

  /** Resets the arrivals after the trace was discarded. */
  reset(): void {
    this.arrivals = 0;
  }
}
