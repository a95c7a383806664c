// Opens a store and runs queries on it: once, or until the database is back.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import { RestartBackoff } from "../campaign/run/backoff.js";
import { migrate, SCHEMA } from "./migrations.js";
import { type ContentStore, FolderContentStore, TABLE_CONTENTS } from "./report-files.js";
import { storeErrorOf } from "./store-error.js";
import { parseStoreName, type StoreName } from "./store-name.js";
import type { StoreDatabase, StoreTables } from "./tables.js";

/** The folder of the contents, beside the files of the database. */
const CONTENTS_FOLDER = "contents";

export class CampaignStore {
  /** The name of the store in printable form, without a password. */
  readonly shown: string;
  readonly isEmbedded: boolean;
  /** The files of reports. */
  readonly contents: ContentStore;
  /** A handle whose tables are all in the schema of the store. */
  private readonly database: StoreDatabase;

  private constructor(database: StoreDatabase, { shown, ...parsed }: StoreName) {
    this.database = database;
    this.shown = shown;
    this.isEmbedded = parsed.kind === "embedded";
    this.contents =
      parsed.kind === "embedded"
        ? new FolderContentStore(join(parsed.folder, CONTENTS_FOLDER))
        : TABLE_CONTENTS;
  }

  /**
   * Makes the store if it does not exist, and applies missing migrations.
   * @param name a folder, or the URL of a server
   * @param makes false: a folder without a store is refused
   * @throws StoreError, MachineError
   */
  static async open(name: string, makes = true): Promise<CampaignStore> {
    const parsed = parseStoreName(name);
    const { shown } = parsed;
    // PGlite is loaded on demand, because it has 20 MB.
    const dialect =
      parsed.kind === "embedded"
        ? await (await import("./embedded.js")).openEmbedded(parsed.folder, makes)
        : (await import("./server.js")).openServer(parsed.url);
    const database = new Kysely<StoreTables>({ dialect });
    const store = new CampaignStore(database.withSchema(SCHEMA), parsed);
    try {
      await migrate(database, shown);
    } catch (error) {
      await store.close();
      throw storeErrorOf(error, shown) ?? error;
    }
    return store;
  }

  /**
   * Runs a query once.
   * @throws StoreError
   */
  async query<T>(question: (database: StoreDatabase) => Promise<T>): Promise<T> {
    try {
      return await question(this.database);
    } catch (error) {
      throw storeErrorOf(error, this.shown) ?? error;
    }
  }

  /**
   * Retries a query until it succeeds; gives up after half a minute of refusals.
   * @param question a query that may be repeated: its first answer may have been lost
   * @param onRefusal receives one line for each refusal
   * @param backoff decides when to give up
   * @throws StoreError
   */
  async queryWithRetry<T>(
    question: (database: StoreDatabase) => Promise<T>,
    onRefusal: (line: string) => void,
    backoff = new RestartBackoff(),
  ): Promise<T> {
    for (;;) {
      try {
        return await this.query(question);
      } catch (error) {
        const refusal = storeErrorOf(error, this.shown);
        if (refusal?.kind !== "gone") throw error;
        onRefusal(refusal.message);
        backoff.refuse(performance.now());
        if (backoff.isHopeless) throw refusal;
      }
      await sleep(backoff.waitMs(performance.now()));
    }
  }

  close(): Promise<void> {
    return this.database.destroy();
  }
}
