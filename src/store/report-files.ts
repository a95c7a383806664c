// Stores the files of reports, each by the SHA-256 of its content, so that files which several
// reports share are stored once. A store in a folder keeps the contents in files beside its
// database. A store on a server keeps them in a table, so that every machine reaches them.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FindingEntry } from "../campaign/file/filing.js";
import { makeFolders, writeWhole } from "../support/whole-file.js";
import type { StoreDatabase } from "./tables.js";

/** A store of file contents by their hash. */
export interface ContentStore {
  put(db: StoreDatabase, hash: string, content: Uint8Array): Promise<void>;
  /** Returns the content with this hash; null if there is none. */
  get(db: StoreDatabase, hash: string): Promise<Uint8Array | null>;
}

/** Contents in files: one folder for each pair of first digits of a hash. */
export class FolderContentStore implements ContentStore {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async put(_db: StoreDatabase, hash: string, content: Uint8Array): Promise<void> {
    const path = this.pathOf(hash);
    if (existsSync(path)) return;
    makeFolders(join(this.folder, hash.slice(0, 2)));
    writeWhole(path, content);
  }

  async get(_db: StoreDatabase, hash: string): Promise<Uint8Array | null> {
    const path = this.pathOf(hash);
    return existsSync(path) ? readFileSync(path) : null;
  }

  private pathOf(hash: string): string {
    return join(this.folder, hash.slice(0, 2), hash);
  }
}

/** Contents in the database. */
export const TABLE_CONTENTS: ContentStore = {
  put: async (db, hash, content) => {
    await db
      .insertInto("contents")
      .values({ hash, content })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
  get: async (db, hash) => {
    const row = await db
      .selectFrom("contents")
      .select("content")
      .where("hash", "=", hash)
      .executeTakeFirst();
    return row?.content ?? null;
  },
};

/** The key of a report in the store: its campaign and its id. */
export interface ReportKey {
  readonly campaign: number;
  /** The id of the report: the name of its folder. */
  readonly id: string;
}

/**
 * Copies a report, and inserts its row. A report whose folder is gone was replaced by a better one
 * of its bucket.
 */
export async function addReport(
  db: StoreDatabase,
  contents: ContentStore,
  campaign: number,
  { id, bucketId: bucket, path }: FindingEntry,
): Promise<void> {
  if (!existsSync(path)) return;
  await db
    .insertInto("reports")
    .values({ campaign, id, bucket, path })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  for (const name of readdirSync(path)) {
    const content = readFileSync(join(path, name));
    const hash = createHash("sha256").update(content).digest("hex");
    await contents.put(db, hash, content);
    await db
      .insertInto("report_files")
      .values({ campaign, report: id, name, hash })
      .onConflict((conflict) =>
        conflict.columns(["campaign", "report", "name"]).doUpdateSet({ hash }),
      )
      .execute();
  }
}

/**
 * Removes the reports of a campaign other than these: each was replaced by a better one of its
 * bucket.
 */
export async function keepReports(
  db: StoreDatabase,
  campaign: number,
  ids: readonly string[],
): Promise<void> {
  let query = db.deleteFrom("reports").where("campaign", "=", campaign);
  if (ids.length > 0) query = query.where("id", "not in", ids);
  await query.execute();
}

/** Returns the names of a report's files; empty if there is no such report. */
export async function namesIn(db: StoreDatabase, { campaign, id }: ReportKey): Promise<string[]> {
  const rows = await db
    .selectFrom("report_files")
    .select("name")
    .where("campaign", "=", campaign)
    .where("report", "=", id)
    .orderBy("name")
    .execute();
  return rows.map(({ name }) => name);
}

/** Returns the content of a report's file; null if there is no such file. */
export async function readReportFile(
  db: StoreDatabase,
  contents: ContentStore,
  { campaign, id }: ReportKey,
  name: string,
): Promise<Uint8Array | null> {
  const row = await db
    .selectFrom("report_files")
    .select("hash")
    .where("campaign", "=", campaign)
    .where("report", "=", id)
    .where("name", "=", name)
    .executeTakeFirst();
  return row === undefined ? null : contents.get(db, row.hash);
}

/** Returns the reports of a bucket, the latest first. */
export const reportsOf = (db: StoreDatabase, bucket: string): Promise<ReportKey[]> =>
  db
    .selectFrom("reports")
    .select(["campaign", "id"])
    .where("bucket", "=", bucket)
    .orderBy("campaign", "desc")
    .orderBy("id")
    .execute();
