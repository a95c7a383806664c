// Writes a campaign into a store while it runs. The campaign never waits for the database: what it has to say is
// put into a line, written in order, and tried again where the database is gone. Only what must be durable
// before it is announced is announced afterwards.
//
// Where the database stays away for half a minute, the campaign goes on without it, and says so: all that it
// found is in its folder. Each time it would say where it stands, the store is asked once more; when it is there again it
// is told what it missed. Where it stays away to the end, `run --resume` tells it.

import type { FindingEntry } from "../campaign/file/filing.js";
import type { Backoff } from "../campaign/run/backoff.js";
import type { CampaignState } from "../campaign/run/campaign-state.js";
import type { Found } from "../campaign/run/found.js";
import {
  addBucket,
  addFigures,
  addFiled,
  addFinding,
  beginCampaign,
  type CampaignIdentity,
  type Figures,
  setIntervals,
  setSummary,
} from "./campaign-rows.js";
import { addReport, keepReports } from "./report-files.js";
import type { Store } from "./store.js";
import { storeErrorOf } from "./store-error.js";
import type { Database } from "./tables.js";

type Kept = CampaignState["kept"];
type Interval = { readonly begin: number; readonly count: number };

/** Where a campaign stands. */
interface Standing {
  readonly figures: Figures;
  /** Programs from the first on that are done. */
  readonly committed: number;
  readonly kept: Kept;
  readonly summary: object;
}

/** How a campaign ended. */
interface End {
  readonly ended: string;
  readonly figures: Figures;
  readonly intervals: readonly Interval[];
  readonly entries: readonly FindingEntry[];
  readonly summary: object;
}

interface WriterOptions {
  /** Is told in one line what is refused; it will be tried again. */
  readonly onRefusal: (line: string) => void;
  /** Is told in one line that the store is there again. */
  readonly onReturn: (line: string) => void;
  /** How long the store is waited for before the campaign goes on without it. */
  readonly patience?: () => Backoff;
}

export class CampaignWriter {
  /** Its row. */
  readonly campaign: number;
  private readonly store: Store;
  private readonly options: WriterOptions;
  /** The last that is to be written. */
  private last: Promise<void> = Promise.resolve();
  /** Where the campaign stands waits to be written: the next one is not needed. */
  private isMarking = false;
  /** Findings of which the store knows what became of them. */
  private filedCount = 0;
  /** Ids of reports that were copied while the campaign ran. */
  private readonly copied = new Set<string>();
  /** The campaign goes on without its store. */
  private isAway = false;
  /** Found meanwhile, and what an earlier process could not say. */
  private readonly missed: Found[] = [];

  private constructor(store: Store, campaign: number, options: WriterOptions) {
    this.store = store;
    this.campaign = campaign;
    this.options = options;
  }

  /**
   * @param from where it goes on; null: it begins
   * @throws StoreError
   */
  static async begin(
    store: Store,
    identity: CampaignIdentity,
    from: CampaignState | null,
    options: WriterOptions,
  ): Promise<CampaignWriter> {
    const campaign = await store.ask((db) =>
      db.transaction().execute((within) => beginCampaign(within, identity, from !== null)),
    );
    const writer = new CampaignWriter(store, campaign, options);
    // What an earlier process could not say: it was found, and is announced no more.
    for (const { found } of from?.kept ?? []) writer.found(found, () => {});
    return writer;
  }

  /** @param announce is called when the finding is in the store, or the store is given up */
  found(found: Found, announce: () => void): void {
    this.write(
      (db) => addFinding(db, this.campaign, found),
      () => this.missed.push(found),
    );
    this.last = this.last.then(announce);
  }

  /** Where the campaign stands. */
  mark({ figures, committed, kept, summary }: Standing): void {
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

  /** @returns false if the store has missed something */
  async end({ ended, figures, intervals, entries, summary }: End, kept: Kept): Promise<boolean> {
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

  /** In order: reports make the buckets that others are instances of. */
  private async addKept(db: Database, kept: Kept): Promise<void> {
    const { campaign } = this;
    for (const { filed } of kept) {
      if (filed?.kind === "report") await addBucket(db, campaign, filed.entry);
    }
    for (const { found, filed } of kept) {
      if (filed !== null) await addFiled(db, campaign, found, filed);
    }
  }

  /** A bucket, and its report. */
  private async addEntry(db: Database, entry: FindingEntry): Promise<void> {
    await addBucket(db, this.campaign, entry);
    await addReport(db, this.store.contents, this.campaign, entry);
  }

  /** @param onMissed where the store is given up */
  private write(question: Question, onMissed = (): void => {}): void {
    this.last = this.last.then(async () => {
      if (this.isAway) onMissed();
      else if (!(await this.told(question))) onMissed();
    });
  }

  /** Also to a store that is given up: if it is there again, it is told what it missed. */
  private writeWithMissed(question: Question): void {
    this.last = this.last.then(async () => {
      if (this.isAway) await this.tellMissed(question);
      else await this.told(question);
    });
  }

  /** False: the store is given up. */
  private async told(question: Question): Promise<boolean> {
    const { onRefusal, patience } = this.options;
    try {
      await this.store.askLong(question, onRefusal, patience?.());
      return true;
    } catch (error) {
      const refusal = storeErrorOf(error, this.store.shown);
      if (refusal === null) throw error;
      this.isAway = true;
      onRefusal(`${refusal.message}; the campaign goes on without its store`);
      return false;
    }
  }

  /** Asks once; the store may stay away. */
  private async tellMissed(question: Question): Promise<void> {
    const { campaign, missed, store } = this;
    try {
      await store.ask(async (db) => {
        for (const found of missed) await addFinding(db, campaign, found);
        await question(db);
      });
    } catch (error) {
      if (storeErrorOf(error, store.shown) === null) throw error;
      return;
    }
    this.isAway = false;
    const what = `${missed.length} ${missed.length === 1 ? "finding" : "findings"}`;
    this.options.onReturn(
      `store ${store.shown}: it is there again, and was told of ${what} that it missed`,
    );
    missed.length = 0;
  }
}

type Question = (db: Database) => Promise<void>;
