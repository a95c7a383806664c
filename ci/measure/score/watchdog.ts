// Ends this process if one program hangs it. A thread measures the processor time of the program;
// elapsed time would depend on the load of the machine.

import { Worker } from "node:worker_threads";

/**
 * The minimum limit for a program, in seconds of processor time; no correct compiler needs more.
 */
const SECONDS_LEAST = 10;

export interface WatchdogData {
  /**
   * Two words: the number of started programs, and the limit of the current program in milliseconds
   * of processor time; 0: the usual limit.
   */
  readonly counter: SharedArrayBuffer;
  readonly secondsLeast: number;
}

/** Ends this process if the current program exceeds its limit of processor time. */
export class ProgramWatchdog {
  private readonly counter = new Int32Array(new SharedArrayBuffer(8));
  private readonly worker: Worker;

  constructor(secondsLeast = SECONDS_LEAST) {
    const workerData: WatchdogData = { counter: this.counter.buffer, secondsLeast };
    this.worker = new Worker(new URL("./watchdog-thread.js", import.meta.url), { workerData });
    this.worker.unref();
  }

  /**
   * Marks the start of the next program.
   * @param seconds limit of processor time; 0: a limit computed from earlier programs
   */
  next(seconds = 0): void {
    Atomics.store(this.counter, 1, 1000 * seconds);
    Atomics.add(this.counter, 0, 1);
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
