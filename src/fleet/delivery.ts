// Exchanges results between a campaign and its workers through the database: the lent intervals and
// what they produced. The rows are read as hostile: a writer of the database can make results
// wrong, but must not be able to do more.

import { z } from "zod";
import { EXTREMES } from "../campaign/count/extremes.js";
import { TALLY } from "../campaign/count/tally.js";
import { PROGRAM_NEWS } from "../campaign/evolved/evolution.js";
import { COUNTS, hasShape } from "../campaign/file/shapes.js";
import { FOUND, parseFound, printFound } from "../campaign/run/found-text.js";
import type { BatchResult } from "../campaign/run/jobs.js";
import type { StoreDatabase } from "../store/tables.js";

/** A half-open range of programs, as indices in the campaign. */
export interface LentInterval {
  readonly begin: number;
  readonly count: number;
}

interface IntervalDelivery extends LentInterval {
  readonly judged: BatchResult;
}

/**
 * Inserts a result. A repeated delivery has no effect: a worker that was taken for lost may come
 * back.
 */
export async function deliver(
  db: StoreDatabase,
  campaign: number,
  { begin, count, judged }: IntervalDelivery,
  worker: string,
): Promise<void> {
  const { tally, extremes, batch, news } = judged;
  const { kept, symptoms } = batch;
  const result = JSON.stringify({ tally, extremes, kept: kept.map(printFound), symptoms, news });
  await db
    .insertInto("deliveries")
    .values({ campaign, begin, count, worker, result })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Returns the deliveries of intervals that begin at `begins`. `judged` is null if the row is no
 * result of such an interval.
 */
export async function deliveriesOf(
  db: StoreDatabase,
  campaign: number,
  begins: readonly number[] | "all",
): Promise<(LentInterval & { readonly judged: BatchResult | null })[]> {
  if (begins.length === 0) return [];
  let query = db
    .selectFrom("deliveries")
    .select(["begin", "count", "result"])
    .where("campaign", "=", campaign)
    .orderBy("begin")
    .orderBy("count", "desc");
  if (begins !== "all") query = query.where("begin", "in", begins);
  const rows = await query.execute();
  return rows.map(({ begin, count, result }) => ({
    begin,
    count,
    judged: judgedIn(result, count),
  }));
}

function judgedIn(result: unknown, count: number): BatchResult | null {
  if (!hasShape(result, RESULT) || result.tally.programs > count) return null;
  const { tally, extremes, kept, symptoms, news } = result;
  if (news.some(({ at }) => at >= count)) return null;
  return { tally, extremes, batch: { kept: kept.map(parseFound), symptoms }, news };
}

const RESULT = z.object({
  tally: TALLY,
  extremes: EXTREMES,
  kept: z.array(FOUND),
  symptoms: COUNTS,
  news: z.array(PROGRAM_NEWS),
});

/** Removes the deliveries of a campaign that has ended. */
export async function removeDeliveries(db: StoreDatabase, campaign: number): Promise<void> {
  await db.deleteFrom("deliveries").where("campaign", "=", campaign).execute();
}
