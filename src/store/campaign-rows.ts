// Writes the rows of a campaign. Every write may be repeated: nothing counts twice.

import { sql } from "kysely";
import type { FilingResult, FindingEntry } from "../campaign/file/filing.js";
import type { RawFinding } from "../campaign/run/found.js";
import type { JudgeSettings } from "../campaign/run/judge-seed.js";
import { escapeText } from "../ir/text/literals.js";
import { bucketIdOf, symptomOf } from "../report/bucket.js";
import type { StoreDatabase } from "./tables.js";

/** The identity of a campaign: the same in each process that continues it. */
export interface CampaignIdentity {
  readonly name: string;
  readonly generator: string;
  readonly build: string;
  readonly commit: string | null;
  readonly first: bigint;
  /** The number of requested programs; Infinity if only another limit ends the campaign. */
  readonly count: number;
  readonly settings: JudgeSettings;
  /** Versions of remote subjects, by name. */
  readonly engines: Readonly<Record<string, string>>;
}

/** The counts of a campaign at one moment. */
export interface CampaignFigures {
  readonly seconds: number;
  readonly programs: number;
  readonly executions: number;
  readonly unjudged: number;
  readonly findings: number;
  readonly covered: number;
  readonly symptoms: number;
}

/**
 * Inserts a row for a campaign, or reopens the last row of that name if `goesOn` is set and the seeds name the same
 * programs. The row then contains the build that continues the campaign.
 * @returns the id of the row
 */
export async function beginCampaign(
  db: StoreDatabase,
  { first, count, settings, engines, ...identity }: CampaignIdentity,
  goesOn: boolean,
): Promise<number> {
  const last = await db
    .selectFrom("campaigns")
    .select(["id", "generator"])
    .where("name", "=", identity.name)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (goesOn && last?.generator === identity.generator) {
    const { build, commit } = identity;
    const reopened = { ended: null, build, commit };
    await db.updateTable("campaigns").set(reopened).where("id", "=", last.id).execute();
    return last.id;
  }
  const row = {
    ...identity,
    first: String(first),
    count: Number.isFinite(count) ? count : null,
    settings: JSON.stringify(settings),
    engines: JSON.stringify(engines),
    ended: null,
    summary: null,
  };
  const { id } = await db
    .insertInto("campaigns")
    .values(row)
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Escapes control characters as for a terminal, because PostgreSQL accepts no NUL in a text. */
const plain = (text: string): string => escapeText(text);

export async function addFinding(
  db: StoreDatabase,
  campaign: number,
  found: RawFinding,
): Promise<void> {
  const { seed, detail } = found;
  const symptom = plain(symptomOf(found));
  const nothing = { bucket: null, report: null };
  await db
    .insertInto("findings")
    .values({ campaign, symptom, seed: String(seed), detail: plain(detail), ...nothing })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Inserts a bucket, or updates when it was last seen. A bucket is shared by all campaigns. */
export async function addBucket(
  db: StoreDatabase,
  campaign: number,
  { bucketId, bucket, kind, cause }: FindingEntry,
): Promise<void> {
  await db
    .insertInto("buckets")
    .values({
      ...{ id: bucketId, says: plain(bucket), kind },
      cause: cause == null ? null : JSON.stringify(cause),
      ...{ first_campaign: campaign, last_campaign: campaign },
    })
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet({ last_campaign: campaign, last_seen: sql<Date>`now()` })
        .where("buckets.last_campaign", "<=", campaign),
    )
    .execute();
}

/**
 * Records the bucket of a finding, which must exist, and the finding's own report if it has one.
 */
export async function addFiled(
  db: StoreDatabase,
  campaign: number,
  found: RawFinding,
  filed: FilingResult,
): Promise<void> {
  const isReport = filed.kind === "report";
  const bucket = isReport ? filed.entry.bucketId : bucketIdOf(filed.bucket);
  await db
    .updateTable("findings")
    .set({ bucket, report: isReport ? filed.entry.path : null })
    .where("campaign", "=", campaign)
    .where("seed", "=", String(found.seed))
    .where("symptom", "=", plain(symptomOf(found)))
    .execute();
}

/** Replaces the intervals of programs that are done. */
export async function setIntervals(
  db: StoreDatabase,
  campaign: number,
  intervals: readonly { readonly begin: number; readonly count: number }[],
): Promise<void> {
  await db.deleteFrom("intervals").where("campaign", "=", campaign).execute();
  if (intervals.length === 0) return;
  await db
    .insertInto("intervals")
    .values(intervals.map((interval) => ({ campaign, ...interval })))
    .execute();
}

export async function addFigures(
  db: StoreDatabase,
  campaign: number,
  figures: CampaignFigures,
): Promise<void> {
  await db
    .insertInto("figures")
    .values({ campaign, ...figures })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Writes the summary of a campaign.
 * @param ended the reason for its end; null while it runs
 */
export async function setSummary(
  db: StoreDatabase,
  campaign: number,
  ended: string | null,
  summary: object,
): Promise<void> {
  await db
    .updateTable("campaigns")
    .set({ ended, summary: JSON.stringify(summary), seen_at: sql<Date>`now()` })
    .where("id", "=", campaign)
    .execute();
}
