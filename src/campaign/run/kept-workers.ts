// Worker processes that outlive their campaign, for the next one of the same settings: V8 has compiled in them
// what is hot, which a new one spends most of its first ten seconds on (docs/performance.md).

import { isDeepStrictEqual } from "node:util";
import type { JudgeSettings } from "./judge-seed.js";
import type { WorkerEvents, WorkerProcess } from "./worker-process.js";

export class KeptWorkers {
  private settings: JudgeSettings | null = null;
  private readonly idle = new Set<WorkerProcess>();

  /** One that has nothing to do; null if there is none of these settings. */
  take(settings: JudgeSettings, events: WorkerEvents): WorkerProcess | null {
    if (!isDeepStrictEqual(settings, this.settings)) return null;
    const [worker] = this.idle;
    if (worker === undefined) return null;
    this.idle.delete(worker);
    worker.events = events;
    return worker;
  }

  /** @param worker has been opened with the settings, and has nothing to do */
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
