// Reads the contents of a store for people: campaigns, their latest figures, and buckets.

import { sql } from "kysely";
import type { CampaignFigures } from "./campaign-rows.js";
import type { ReportKey } from "./report-files.js";
import type { StoreDatabase } from "./tables.js";

export interface CampaignLine {
  readonly id: number;
  readonly name: string;
  readonly build: string;
  readonly commit: string | null;
  readonly beganAt: Date;
  /** The reason for the end; null while the campaign runs, or if it was killed. */
  readonly ended: string | null;
  /** Number of programs that are recorded as done. */
  readonly done: number;
  /** Number of requested programs; null: until another limit ends the campaign. */
  readonly count: number | null;
  readonly findings: number;
  /** The last recorded counts; null before the first record. */
  readonly figures: CampaignFigures | null;
}

export interface BucketLine {
  readonly id: string;
  readonly says: string;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  readonly campaigns: number;
  readonly findings: number;
  /** The folder of the latest report, on the machine that made it; null: no report. */
  readonly report: string | null;
  /** The report's name in the store. */
  readonly stored: ReportKey | null;
}

/** Returns all campaigns, the latest last. */
export async function campaignLines(db: StoreDatabase): Promise<CampaignLine[]> {
  const rows = await db
    .selectFrom("campaigns")
    .select((of) => [
      ...(["id", "name", "build", "commit", "count", "ended", "began_at"] as const),
      of
        .selectFrom("intervals")
        .whereRef("intervals.campaign", "=", "campaigns.id")
        .select(sql<number>`coalesce(sum(count), 0)::bigint`.as("done"))
        .as("done"),
      of
        .selectFrom("findings")
        .whereRef("findings.campaign", "=", "campaigns.id")
        .select(of.fn.countAll<number>().as("findings"))
        .as("findings"),
    ])
    .orderBy("id")
    .execute();
  const latest = await db
    .selectFrom("figures")
    .distinctOn("campaign")
    .selectAll()
    .orderBy("campaign")
    .orderBy("seconds", "desc")
    .execute();
  const figures = new Map(latest.map(({ campaign, ...figures }) => [campaign, figures]));
  return rows.map(({ began_at: beganAt, done, findings, ...others }) => ({
    ...{ ...others, beganAt, done: done ?? 0, findings: findings ?? 0 },
    figures: figures.get(others.id) ?? null,
  }));
}

/** Returns all buckets, in the order in which they were first seen. */
export async function bucketLines(db: StoreDatabase): Promise<BucketLine[]> {
  const rows = await db
    .selectFrom("buckets")
    .innerJoin("findings", "findings.bucket", "buckets.id")
    .select(({ fn }) => [
      ...(["buckets.id", "says", "first_seen", "last_seen"] as const),
      fn.count<number>("findings.campaign").distinct().as("campaigns"),
      fn.countAll<number>().as("findings"),
    ])
    .groupBy("buckets.id")
    .orderBy("first_seen")
    .orderBy("buckets.id")
    .execute();
  const latest = await db
    .selectFrom("reports")
    .distinctOn("bucket")
    .selectAll()
    .orderBy("bucket")
    .orderBy("campaign", "desc")
    .orderBy("id")
    .execute();
  const reports = new Map(latest.map((report) => [report.bucket, report]));
  return rows.map(({ first_seen: firstSeen, last_seen: lastSeen, ...others }) => {
    const report = reports.get(others.id);
    const stored = report === undefined ? null : { campaign: report.campaign, id: report.id };
    return { ...others, firstSeen, lastSeen, report: report?.path ?? null, stored };
  });
}
