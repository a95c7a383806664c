// Keeps worker processes after their campaign for the next one with the same settings. V8 has
// compiled their hot code, which takes a new process most of its first ten seconds
// (docs/performance.md).

import { isDeepStrictEqual } from "node:util";
import type { JudgeSettings } from "./judge-seed.js";
import type { WorkerEvents, WorkerProcess } from "./worker-process.js";

export class ReusableWorkers {
  private settings: JudgeSettings | null = null;
  private readonly idle = new Set<WorkerProcess>();

  /** Removes and returns an idle worker with these settings; null if there is none. */
  take(settings: JudgeSettings, events: WorkerEvents): WorkerProcess | null {
    if (!isDeepStrictEqual(settings, this.settings)) return null;
    const [worker] = this.idle;
    if (worker === undefined) return null;
    this.idle.delete(worker);
    worker.events = events;
    return worker;
  }

  /**
   * Keeps a worker.
   * @param worker was opened with the settings, and is idle
   */
  keep(settings: JudgeSettings, worker: WorkerProcess): void {
    if (!isDeepStrictEqual(settings, this.settings)) this.close();
    this.settings = settings;
    this.idle.add(worker);
    worker.events = { onMessage: () => {}, onDeath: () => this.idle.delete(worker) };
  }

  close(): void {
    for (const worker of this.idle) worker.kill();
    this.idle.clear();
  }
}
