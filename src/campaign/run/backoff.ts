// Decides when to retry an operation that the machine has refused: soon at first, then at growing
// intervals.

const FIRST_MS = 250;
const LAST_MS = 30_000;
/** The number of refusals in a row, about half a minute, after which a retry is pointless. */
const HOPELESS = 8;

export class RestartBackoff {
  private readonly firstMs: number;
  private readonly hopeless: number;
  private refusals = 0;
  private until = 0;

  /**
   * Makes a backoff without refusals.
   * @param firstMs the first wait; each wait is twice the one before
   * @param hopeless number of refusals in a row after which the operation is hopeless
   */
  constructor(firstMs = FIRST_MS, hopeless = HOPELESS) {
    this.firstMs = firstMs;
    this.hopeless = hopeless;
  }

  refuse(now: number): void {
    if (this.waitMs(now) > 0) return; // others were refused at the same time
    this.until = now + Math.min(LAST_MS, this.firstMs * 2 ** this.refusals);
    this.refusals++;
  }

  succeed(): void {
    this.refusals = 0;
    this.until = 0;
  }

  /** Returns the time until the next try; 0 if it may be made now. */
  waitMs(now: number): number {
    return Math.max(0, this.until - now);
  }

  get isHopeless(): boolean {
    return this.refusals >= this.hopeless;
  }
}
