// Stores one row for each worker, which the worker renews while it lives. All times are of the
// database's clock, so no worker appears dead because another clock is set back.

import { sql } from "kysely";
import type { StoreDatabase } from "../store/tables.js";

interface WorkerRow {
  readonly id: string;
  readonly campaign: number;
  /** The entry of the queue that the worker holds. */
  readonly holds: string | null;
  /** A description of the worker for people: its host and process. */
  readonly says: string;
  readonly processes: number;
}

/** The interval between two renewals. */
export const RENEW_SECONDS = 4;
/** A worker that is silent for so long is lost, and its interval is handed out again. */
export const SILENT_SECONDS = 5 * RENEW_SECONDS;

export async function renew(db: StoreDatabase, row: WorkerRow): Promise<void> {
  const { id, ...others } = row;
  await db
    .insertInto("workers")
    .values(row)
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ ...others, seen_at: sql<Date>`now()` }),
    )
    .execute();
}

export async function leave(db: StoreDatabase, id: string): Promise<void> {
  await db.deleteFrom("workers").where("id", "=", id).execute();
}

export const workersOf = (db: StoreDatabase, campaign: number): Promise<WorkerRow[]> =>
  db
    .selectFrom("workers")
    .select(["id", "campaign", "holds", "says", "processes"])
    .where("campaign", "=", campaign)
    .execute();

/**
 * Removes lost workers and returns their names. A row with a future time was written before the
 * database's clock was set back. If that worker lives, its next renewal inserts its row again.
 */
export const takeSilent = (
  db: StoreDatabase,
  campaign: number,
  seconds: number,
): Promise<string[]> =>
  db
    .deleteFrom("workers")
    .where("campaign", "=", campaign)
    .where(sql<boolean>`abs(extract(epoch from now() - seen_at)) > ${seconds}`)
    .returning("says")
    .execute()
    .then((rows) => rows.map(({ says }) => says));
