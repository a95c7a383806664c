// The queue of a campaign's intervals: pg-boss, in the schema and through the connections of the store. An
// interval that is taken is held until it is done or given back: whether its holder still lives is for the
// exchange to say, which asks the database's clock, so nothing here expires.

import { CompiledQuery, sql } from "kysely";
import PgBoss from "pg-boss";
import { SCHEMA } from "../store/migrations.js";
import type { Store } from "../store/store.js";
import { StoreError } from "../store/store-error.js";
import type { Database } from "../store/tables.js";
import type { BreedingText } from "./breeding-text.js";
import type { LentInterval } from "./delivery.js";

export interface QueuedInterval {
  /** Of the entry in the queue. */
  readonly id: string;
  readonly interval: LentInterval;
  /** Null but in the profile `evolved`. */
  readonly breeding: BreedingText | null;
}

type JobData = LentInterval & Pick<QueuedInterval, "breeding">;

const nameOf = (campaign: number): string => `campaign-${campaign}`;

/** However often its holder is lost, an interval is handed out again. */
const RETRIES_MAX = 1_000_000;
const HELD_HOURS_MAX = 23;

export class FleetQueue {
  private readonly boss: PgBoss;
  private readonly store: Store;
  private readonly campaign: number;

  private constructor(boss: PgBoss, store: Store, campaign: number) {
    this.boss = boss;
    this.store = store;
    this.campaign = campaign;
  }

  private get name(): string {
    return nameOf(this.campaign);
  }

  /** @throws StoreError */
  static async open(store: Store, campaign: number): Promise<FleetQueue> {
    if (store.isEmbedded) {
      throw new StoreError(
        "usage",
        `store ${store.shown}: a fleet needs a server, which several processes reach: postgres://USER@HOST/DATABASE`,
      );
    }
    await store.ask(install);
    const executeSql = (text: string, values: unknown[]) =>
      store.ask(async (db) => {
        const { rows } = await db.executeQuery<Record<string, unknown>>(
          CompiledQuery.raw(text, values ?? []),
        );
        return { rows };
      });
    // Whatever fails has rejected the promise of its caller, too.
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

  /** Null if nothing waits. */
  async take(): Promise<QueuedInterval | null> {
    const [job] = await this.boss.fetch<JobData>(this.name);
    if (job === undefined) return null;
    const { begin, count, breeding } = job.data;
    return { id: job.id, interval: { begin, count }, breeding };
  }

  /** Those that wait or are held. */
  async entries(): Promise<ReadonlySet<string>> {
    const { rows } = await this.store.ask((db) =>
      sql<{ readonly id: string }>`
        select id from touchstone.job where name = ${this.name}
          and state in ('created', 'retry', 'active')`.execute(db),
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Entries that were taken a while ago, and that no worker holds: their holder is lost.
   * @param seconds of the database's clock
   */
  async abandoned(seconds: number): Promise<string[]> {
    const { name, campaign } = this;
    const { rows } = await this.store.ask((db) =>
      sql<{ readonly id: string }>`
        select id from touchstone.job where name = ${name} and state = 'active'
          and abs(extract(epoch from now() - started_on)) > ${seconds}
          and id not in (select holds from touchstone.workers
                         where campaign = ${campaign} and holds is not null)`.execute(db),
    );
    return rows.map(({ id }) => id);
  }

  /** Nothing waits for its time: what was put there before the database's clock was set back is to be taken now. */
  async hurry(): Promise<void> {
    await this.store.ask((db) =>
      sql`update touchstone.job set start_after = now() where name = ${this.name}
            and state in ('created', 'retry') and start_after > now()`.execute(db),
    );
  }

  /** It will be handed out again. */
  async giveBack(id: string): Promise<void> {
    await this.boss.fail(this.name, id);
  }

  async finish(id: string): Promise<void> {
    await this.boss.complete(this.name, id);
  }

  /** With all that waits in it. */
  async remove(): Promise<void> {
    await this.store.ask((db) =>
      sql`delete from touchstone.job where name = ${this.name}`.execute(db),
    );
    await this.boss.deleteQueue(this.name);
  }
}

/** Of two processes that install at once, the second waits; the number is arbitrary. */
const INSTALL_LOCK = 7_836_202;

// As one transaction, and in a schema that is there: a user that owns it may not create any.
async function install(db: Database): Promise<void> {
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
