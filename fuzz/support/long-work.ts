// Provides progress on standard error, and an end by Ctrl-C with the results so far, for commands
// that take minutes. A second Ctrl-C ends the process, as without this handler.

import { setImmediate } from "node:timers/promises";
import { ENDING_SIGNALS } from "./ending-signals.js";

/** Milliseconds between progress lines: a terminal redraws one line; a log has few lines. */
const PERIOD = { terminal: 500, log: 60_000 } as const;
const COLUMNS = 80;

/** Printed above incomplete results. */
export const INTERRUPTED = "interrupted: the following results are incomplete";

/** The steps of long work. The generator ends with its results so far when `yield` returns true. */
export type StoppableWork<Result> = Generator<undefined, Result, boolean>;
type AsynchronousWork<Result> = AsyncGenerator<undefined, Result, boolean>;

export class LongWork {
  /** Whether a signal requested the end. */
  isInterrupted = false;
  private steps = 0;
  private readonly describe: (steps: number) => string;
  private readonly period = process.stderr.isTTY ? PERIOD.terminal : PERIOD.log;
  private shownAt = performance.now();
  private isDrawn = false;
  private readonly interrupt = (): void => {
    this.isInterrupted = true;
  };

  /** @param describe returns a progress line after this many pauses */
  constructor(describe: (steps: number) => string) {
    this.describe = describe;
    for (const signal of ENDING_SIGNALS) process.once(signal, this.interrupt);
  }

  /** Handles signals and prints progress between two steps. Returns true if the work must end. */
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

  /** Runs all steps, or the steps until Ctrl-C. */
  async through<Result>(steps: StoppableWork<Result> | AsynchronousWork<Result>): Promise<Result> {
    let step = await steps.next(false);
    while (!step.done) step = await steps.next(await this.pause());
    return step.value;
  }

  /** Must be called before results are printed. */
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
