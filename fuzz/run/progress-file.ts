// Writes `progress.json` of a campaign, periodically and at its end.

import { join } from "node:path";
import {
  PROGRESS_FILE,
  ProgressHistory,
  printProgress,
} from "../../src/campaign/publish/progress.js";
import type { EndReason } from "../../src/campaign/run/options.js";
import type { CampaignSummary } from "../../src/campaign/run/summary.js";
import { machineErrorOf } from "../../src/support/machine-error.js";
import { writeWhole } from "../../src/support/whole-file.js";

/** A write, mostly its fsync, costs about a thousandth of this period. */
const PERIOD_SECONDS = 5;

export class ProgressFile {
  private readonly path: string;
  private readonly workers: number;
  private readonly examining: () => string | null;
  private readonly history = new ProgressHistory();
  private readonly startedAt = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = Number.NEGATIVE_INFINITY;

  /** @param examining describes the examination of a finding; null while there is none */
  constructor(folder: string, workers: number, examining: () => string | null) {
    this.path = join(folder, PROGRESS_FILE);
    this.workers = workers;
    this.examining = examining;
  }

  /** Writes until `stop`, including periods without judging, such as reductions. */
  start(summary: () => CampaignSummary | null, onRefusal: (line: string) => void): void {
    const write = (): void => this.writeIfDue(summary, onRefusal);
    this.timer = setInterval(write, PERIOD_SECONDS * 1000);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** If the machine refuses a write, the next one follows after the usual period. */
  writeIfDue(summary: () => CampaignSummary | null, onRefusal: (line: string) => void): void {
    if (performance.now() - this.writtenAt < PERIOD_SECONDS * 1000) return;
    this.writtenAt = performance.now();
    const latest = summary();
    if (latest === null) return;
    try {
      this.write(latest, null);
    } catch (error) {
      const refusal = machineErrorOf(error);
      if (refusal === null) throw error;
      onRefusal(refusal.message);
    }
  }

  /** @throws MachineError */
  write(summary: CampaignSummary, ended: EndReason | null): void {
    this.history.add(summary);
    const { points } = this.history;
    const { workers, startedAt } = this;
    const examining = ended === null ? this.examining() : null;
    const now = { at: Date.now(), startedAt, ended, workers, examining };
    const text = printProgress({ ...now, points, summary });
    writeWhole(this.path, text);
  }
}
