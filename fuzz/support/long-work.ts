// What commands have in common that take minutes: progress on standard error, and an end by Ctrl-C with what
// is known by then. A second Ctrl-C ends the process, as it would without us.

import { setImmediate } from "node:timers/promises";
import { ENDING_SIGNALS } from "./ending-signals.js";

/** Milliseconds between lines: on a terminal one line is redrawn; in a log lines are rare. */
const PERIOD = { terminal: 500, log: 60_000 } as const;
const COLUMNS = 80;

/** Above results that are not whole. */
export const INTERRUPTED = "interrupted: what follows is of what was done by then";

/** Steps of something long; it ends with what it has as soon as a step is given true. */
export type Steps<Result> = Generator<undefined, Result, boolean>;

export class LongWork {
  /** A signal has asked for the end. */
  isInterrupted = false;
  private steps = 0;
  private readonly describe: (steps: number) => string;
  private readonly period = process.stderr.isTTY ? PERIOD.terminal : PERIOD.log;
  private shownAt = performance.now();
  private isDrawn = false;
  private readonly interrupt = (): void => {
    this.isInterrupted = true;
  };

  /** @param describe how far it is, in a line, after so many pauses */
  constructor(describe: (steps: number) => string) {
    this.describe = describe;
    for (const signal of ENDING_SIGNALS) process.once(signal, this.interrupt);
  }

  /** Between two pieces of work: lets signals in, and says how far it is. True if it is to end. */
  async pause(): Promise<boolean> {
    await setImmediate();
    this.steps++;
    const now = performance.now();
    if (now - this.shownAt >= this.period) {
      this.shownAt = now;
      this.show();
    }
    return this.isInterrupted;
  }

  /** All steps, or those until Ctrl-C. */
  async through<Result>(steps: Steps<Result>): Promise<Result> {
    let step = steps.next(false);
    while (!step.done) step = steps.next(await this.pause());
    return step.value;
  }

  /** Before results are printed. */
  end(): void {
    for (const signal of ENDING_SIGNALS) process.off(signal, this.interrupt);
    if (this.isDrawn) process.stderr.write("\r\x1b[K");
    this.isDrawn = false;
  }

  private show(): void {
    const line = this.describe(this.steps);
    if (!process.stderr.isTTY) {
      process.stderr.write(`${line}\n`);
      return;
    }
    const width = (process.stderr.columns ?? COLUMNS) - 1;
    process.stderr.write(`\r\x1b[K${line.slice(0, width)}`);
    this.isDrawn = true;
  }
}
