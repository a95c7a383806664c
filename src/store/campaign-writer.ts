// Writes a campaign into a store while it runs. The campaign never waits for the database: its
// writes are queued, executed in order, and retried while the database is away. A finding is
// announced only after it is durable.
//
// If the database is away for half a minute, the campaign continues without it and prints a line;
// its folder contains all findings. Each later report of progress tries the store once more. When
// the store is back, the writer first writes what it missed. If it is away to the end, `run
// --resume` writes the rest.

import type { FindingEntry } from "../campaign/file/filing.js";
import type { RestartBackoff } from "../campaign/run/backoff.js";
import type { CampaignState } from "../campaign/run/campaign-state.js";
import type { RawFinding } from "../campaign/run/found.js";
import {
  addBucket,
  addFigures,
  addFiled,
  addFinding,
  beginCampaign,
  type CampaignFigures,
  type CampaignIdentity,
  setIntervals,
  setSummary,
} from "./campaign-rows.js";
import { addReport, keepReports } from "./report-files.js";
import type { CampaignStore } from "./store.js";
import { storeErrorOf } from "./store-error.js";
import type { StoreDatabase } from "./tables.js";

type KeptFindings = CampaignState["kept"];
type IndexInterval = { readonly begin: number; readonly count: number };

/** The progress of a campaign. */
interface ProgressRecord {
  readonly figures: CampaignFigures;
  /** Number of programs, from the first on, that are done. */
  readonly committed: number;
  readonly kept: KeptFindings;
  readonly summary: object;
}

/** How a campaign ended. */
interface CampaignEnd {
  readonly ended: string;
  readonly figures: CampaignFigures;
  readonly intervals: readonly IndexInterval[];
  readonly entries: readonly FindingEntry[];
  readonly summary: object;
}

interface WriterOptions {
  /** Receives one line for each refusal; the write is retried. */
  readonly onRefusal: (line: string) => void;
  /** Receives one line when the store is back. */
  readonly onReturn: (line: string) => void;
  /** Makes the backoff that decides when the campaign continues without its store. */
  readonly patience?: () => RestartBackoff;
}

export class CampaignWriter {
  /** The id of the campaign's row. */
  readonly campaign: number;
  private readonly store: CampaignStore;
  private readonly options: WriterOptions;
  /** Resolves after the last queued write. */
  private last: Promise<void> = Promise.resolve();
  /** True if a write of progress is queued, so that another one is not needed. */
  private isMarking = false;
  /** Number of findings whose bucket or report the store contains. */
  private filedCount = 0;
  /** Ids of reports that were copied while the campaign ran. */
  private readonly copied = new Set<string>();
  /** True while the campaign runs without its store. */
  private isAway = false;
  /** Findings that the store lacks: found while it was away, or left by an earlier process. */
  private readonly missed: RawFinding[] = [];

  private constructor(store: CampaignStore, campaign: number, options: WriterOptions) {
    this.store = store;
    this.campaign = campaign;
    this.options = options;
  }

  /**
   * Opens the campaign's row in the store.
   * @param from the state from which the campaign resumes; null: it begins
   * @throws StoreError
   */
  static async begin(
    store: CampaignStore,
    identity: CampaignIdentity,
    from: CampaignState | null,
    options: WriterOptions,
  ): Promise<CampaignWriter> {
    const campaign = await store.query((db) =>
      db.transaction().execute((within) => beginCampaign(within, identity, from !== null)),
    );
    const writer = new CampaignWriter(store, campaign, options);
    // Queue the findings of an earlier process, which may have announced them without writing them.
    for (const { found } of from?.kept ?? []) writer.found(found, () => {});
    return writer;
  }

  /**
   * Queues a finding.
   * @param announce is called when the finding is in the store, or the store is given up
   */
  found(found: RawFinding, announce: () => void): void {
    this.write(
      (db) => addFinding(db, this.campaign, found),
      () => this.missed.push(found),
    );
    this.last = this.last.then(announce);
  }

  /** Queues the progress of the campaign, unless a write of progress is queued already. */
  mark({ figures, committed, kept, summary }: ProgressRecord): void {
    if (this.isMarking) return;
    this.isMarking = true;
    const filedCount = kept.filter(({ filed }) => filed !== null).length;
    const entries = kept
      .flatMap(({ filed }) => (filed?.kind === "report" ? [filed.entry] : []))
      .filter(({ id }) => !this.copied.has(id));
    this.writeWithMissed(async (db) => {
      await db.transaction().execute(async (within) => {
        await addFigures(within, this.campaign, figures);
        await setSummary(within, this.campaign, null, summary);
        await setIntervals(within, this.campaign, [{ begin: 0, count: committed }]);
        for (const entry of entries) await this.addEntry(within, entry);
        if (filedCount !== this.filedCount) await this.addKept(within, kept);
      });
      this.filedCount = filedCount;
      for (const { id } of entries) this.copied.add(id);
    });
    this.last = this.last.then(() => {
      this.isMarking = false;
    });
  }

  /**
   * Writes the end of the campaign.
   * @returns false if the store lacks something
   */
  async end(
    { ended, figures, intervals, entries, summary }: CampaignEnd,
    kept: KeptFindings,
  ): Promise<boolean> {
    const { campaign } = this;
    this.writeWithMissed((db) =>
      db.transaction().execute(async (within) => {
        await addFigures(within, campaign, figures);
        await setIntervals(within, campaign, intervals);
        for (const entry of entries) await this.addEntry(within, entry);
        await keepReports(
          within,
          campaign,
          entries.map(({ id }) => id),
        );
        await this.addKept(within, kept);
        await setSummary(within, campaign, ended, summary);
      }),
    );
    await this.last;
    return !this.isAway;
  }

  /** Writes reports first: they create the buckets that the other findings refer to. */
  private async addKept(db: StoreDatabase, kept: KeptFindings): Promise<void> {
    const { campaign } = this;
    for (const { filed } of kept) {
      if (filed?.kind === "report") await addBucket(db, campaign, filed.entry);
    }
    for (const { found, filed } of kept) {
      if (filed !== null) await addFiled(db, campaign, found, filed);
    }
  }

  private async addEntry(db: StoreDatabase, entry: FindingEntry): Promise<void> {
    await addBucket(db, this.campaign, entry);
    await addReport(db, this.store.contents, this.campaign, entry);
  }

  /**
   * Queues a write.
   * @param onMissed is called if the store is given up
   */
  private write(question: StoreQuery, onMissed = (): void => {}): void {
    this.last = this.last.then(async () => {
      if (this.isAway) onMissed();
      else if (!(await this.tryWrite(question))) onMissed();
    });
  }

  /**
   * Queues a write that is also tried while the store is away; if the store is back, what it missed
   * is written first.
   */
  private writeWithMissed(question: StoreQuery): void {
    this.last = this.last.then(async () => {
      if (this.isAway) await this.writeMissed(question);
      else await this.tryWrite(question);
    });
  }

  /** Executes a write, with retries. Returns false if the store is given up. */
  private async tryWrite(question: StoreQuery): Promise<boolean> {
    const { onRefusal, patience } = this.options;
    try {
      await this.store.queryWithRetry(question, onRefusal, patience?.());
      return true;
    } catch (error) {
      const refusal = storeErrorOf(error, this.store.shown);
      if (refusal === null) throw error;
      this.isAway = true;
      onRefusal(`${refusal.message}; the campaign goes on without its store`);
      return false;
    }
  }

  /**
   * Tries once to write what the store missed, and then `question`. Does nothing if the store is
   * still away.
   */
  private async writeMissed(question: StoreQuery): Promise<void> {
    const { campaign, missed, store } = this;
    try {
      await store.query(async (db) => {
        for (const found of missed) await addFinding(db, campaign, found);
        await question(db);
      });
    } catch (error) {
      if (storeErrorOf(error, store.shown) === null) throw error;
      return;
    }
    this.isAway = false;
    const what = `${missed.length} ${missed.length === 1 ? "finding" : "findings"}`;
    this.options.onReturn(`store ${store.shown}: it is back; wrote ${what} that it had missed`);
    missed.length = 0;
  }
}

type StoreQuery = (db: StoreDatabase) => Promise<void>;
