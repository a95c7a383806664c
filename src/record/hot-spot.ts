// A place that becomes hot by being reached: a head, or an exit of a trace. What is recorded there in
// vain has to wait longer each time, and is given up in the end.

import type { Thresholds } from "./thresholds.js";

export class HotSpot {
  /** Times it was reached since it was last hot. */
  private reached = 0;
  private threshold: number;
  private failures = 0;
  /** Recordings since the last that succeeded. */
  attempts = 0;

  constructor(threshold: number) {
    this.threshold = threshold;
  }

  isGivenUp({ attemptsMax }: Thresholds): boolean {
    return this.failures >= attemptsMax;
  }

  /** It is reached once more; true if that makes it hot. */
  reach(thresholds: Thresholds): boolean {
    if (this.isGivenUp(thresholds) || ++this.reached < this.threshold) return false;
    this.reached = 0;
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

  /** Counts from the beginning: its trace was thrown away. */
  cool(): void {
    this.reached = 0;
  }
}
