// The queue of a campaign's intervals: pg-boss, in the schema and through the connections of the
// store. A taken interval is held until it is done or given back. Nothing here expires: the
// exchange decides by the database's clock whether a holder still lives.

import { CompiledQuery, sql } from "kysely";
import PgBoss from "pg-boss";
import { SCHEMA } from "../store/migrations.js";
import type { CampaignStore } from "../store/store.js";
import { StoreError } from "../store/store-error.js";
import type { StoreDatabase } from "../store/tables.js";
import type { BreedingText } from "./breeding-text.js";
import type { LentInterval } from "./delivery.js";

export interface QueuedInterval {
  /** The id of the entry in the queue. */
  readonly id: string;
  readonly interval: LentInterval;
  /** The parents for the programs of the interval; null except in the profile `evolved`. */
  readonly breeding: BreedingText | null;
}

type JobData = LentInterval & Pick<QueuedInterval, "breeding">;

const nameOf = (campaign: number): string => `campaign-${campaign}`;

/**
 * The number of retries of an interval, practically unlimited: it is handed out again whenever its
 * worker is lost.
 */
const RETRIES_MAX = 1_000_000;
const HELD_HOURS_MAX = 23;

export class FleetQueue {
  private readonly boss: PgBoss;
  private readonly store: CampaignStore;
  private readonly campaign: number;

  private constructor(boss: PgBoss, store: CampaignStore, campaign: number) {
    this.boss = boss;
    this.store = store;
    this.campaign = campaign;
  }

  private get name(): string {
    return nameOf(this.campaign);
  }

  /**
   * Opens the queue of a campaign, and creates its tables if needed.
   * @throws StoreError
   */
  static async open(store: CampaignStore, campaign: number): Promise<FleetQueue> {
    if (store.isEmbedded) {
      throw new StoreError(
        "usage",
        `store ${store.shown}: a fleet needs a server, which several processes reach: postgres://USER@HOST/DATABASE`,
      );
    }
    await store.query(install);
    const executeSql = (text: string, values: unknown[]) =>
      store.query(async (db) => {
        const { rows } = await db.executeQuery<Record<string, unknown>>(
          CompiledQuery.raw(text, values ?? []),
        );
        return { rows };
      });
    // Errors of the queue library are ignored here: each also rejects the promise of a caller.
    const boss = new PgBoss({
      ...{ db: { executeSql }, schema: SCHEMA },
      ...{ migrate: false, supervise: false, schedule: false },
    }).on("error", () => {});
    await boss.start();
    await boss.createQueue(nameOf(campaign));
    return new FleetQueue(boss, store, campaign);
  }

  async put(entries: readonly QueuedInterval[]): Promise<void> {
    const jobs = entries.map(({ id, interval, breeding }) => ({
      ...{ id, name: this.name, data: { ...interval, breeding }, retryLimit: RETRIES_MAX },
      expireInSeconds: HELD_HOURS_MAX * 3600,
    }));
    if (jobs.length > 0) await this.boss.insert(jobs);
  }

  /** Takes the next entry; null if the queue is empty. */
  async take(): Promise<QueuedInterval | null> {
    const [job] = await this.boss.fetch<JobData>(this.name);
    if (job === undefined) return null;
    const { begin, count, breeding } = job.data;
    return { id: job.id, interval: { begin, count }, breeding };
  }

  /** Returns the ids of the entries that wait or are held. */
  async entries(): Promise<ReadonlySet<string>> {
    const { rows } = await this.store.query((db) =>
      sql<{ readonly id: string }>`
        select id from touchstone.job where name = ${this.name}
          and state in ('created', 'retry', 'active')`.execute(db),
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Returns entries that were taken a while ago and that no worker holds: their holder is lost.
   * @param seconds the age from which on an entry counts, by the database's clock
   */
  async abandoned(seconds: number): Promise<string[]> {
    const { name, campaign } = this;
    const { rows } = await this.store.query((db) =>
      sql<{ readonly id: string }>`
        select id from touchstone.job where name = ${name} and state = 'active'
          and abs(extract(epoch from now() - started_on)) > ${seconds}
          and id not in (select holds from touchstone.workers
                         where campaign = ${campaign} and holds is not null)`.execute(db),
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Makes all waiting entries available now. An entry that was queued before the database's clock
   * was set back would wait otherwise.
   */
  async makeAllAvailable(): Promise<void> {
    await this.store.query((db) =>
      sql`update touchstone.job set start_after = now() where name = ${this.name}
            and state in ('created', 'retry') and start_after > now()`.execute(db),
    );
  }

  /** Returns an entry to the queue, to be handed out again. */
  async giveBack(id: string): Promise<void> {
    await this.boss.fail(this.name, id);
  }

  async finish(id: string): Promise<void> {
    await this.boss.complete(this.name, id);
  }

  /** Removes the queue with all its entries. */
  async remove(): Promise<void> {
    await this.store.query((db) =>
      sql`delete from touchstone.job where name = ${this.name}`.execute(db),
    );
    await this.boss.deleteQueue(this.name);
  }
}

/** The key of the lock that serializes installations; the number is arbitrary. */
const INSTALL_LOCK = 7_836_202;

// Installs pg-boss in one transaction, in an existing schema: a user that owns the schema may not
// create any.
async function install(db: StoreDatabase): Promise<void> {
  await db.transaction().execute(async (within) => {
    await sql`select pg_advisory_xact_lock(${INSTALL_LOCK})`.execute(within);
    const { rows } = await sql<{ readonly there: boolean }>`
      select to_regclass(${`${SCHEMA}.version`}) is not null as there`.execute(within);
    if (rows[0].there) return;
    const plan = PgBoss.getConstructionPlans(SCHEMA)
      .replace(/^\s*BEGIN;/, "")
      .replace(/COMMIT;\s*$/, "")
      .replace(/CREATE SCHEMA IF NOT EXISTS \w+\s*;/, "");
    await within.executeQuery(CompiledQuery.raw(plan));
  });
}
