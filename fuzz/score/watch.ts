// Ends this process if one program hangs it: a thread of its own looks how much of the processor the
// program has had. Not how long it took: that says how busy the machine is.

import { Worker } from "node:worker_threads";

/** Of a program, in seconds of a processor: no right compiler takes so long. */
const SECONDS_LEAST = 10;

export interface WatchData {
  /** Two words: how many programs have begun, and the milliseconds of a processor that the last may take; 0: as usual. */
  readonly counter: SharedArrayBuffer;
  readonly secondsLeast: number;
}

export class Watch {
  private readonly counter = new Int32Array(new SharedArrayBuffer(8));
  private readonly worker: Worker;

  constructor(secondsLeast = SECONDS_LEAST) {
    const workerData: WatchData = { counter: this.counter.buffer, secondsLeast };
    this.worker = new Worker(new URL("./watcher.js", import.meta.url), { workerData });
    this.worker.unref();
  }

  /**
   * The next program begins.
   * @param seconds of a processor that it may take; if not given, that is told by those before
   */
  next(seconds = 0): void {
    Atomics.store(this.counter, 1, 1000 * seconds);
    Atomics.add(this.counter, 0, 1);
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
