// Presents the campaigns of a store to the pages of src/campaign/publish/site.ts. The contents of
// the database are read as hostile. They are shown as text, a campaign is requested by number only,
// and a summary must have the right form.

import { sql } from "kysely";
import { END_REASONS } from "../campaign/publish/night.js";
import {
  type CampaignSource,
  type ListedCampaign,
  RUNS,
  type ShownCampaign,
  stateAfter,
} from "../campaign/publish/place.js";
import type { ProgressPoint } from "../campaign/publish/progress.js";
import { type CampaignSummary, parseSummary } from "../campaign/run/summary.js";
import { type HtmlMarkup, markup } from "../report/page/markup.js";
import { grouped, tableOf } from "../report/page/table.js";
import { type BucketLine, bucketLines } from "./overview.js";
import { readReportFile } from "./report-files.js";
import type { CampaignStore } from "./store.js";
import { StoreError } from "./store-error.js";
import type { StoreDatabase } from "./tables.js";

/** A function that runs a query on a store, which may be opened for this query alone. */
export type QueryStore = <T>(
  question: (db: StoreDatabase, store: Pick<CampaignStore, "contents">) => Promise<T>,
) => Promise<T>;

const PATH = "stored";
/** The number of campaigns that a page lists: the latest ones. */
const LISTED_MAX = 50;
const POINTS_MAX = 256;

export class StoredCampaigns implements CampaignSource {
  readonly path = PATH;
  readonly title: string;
  private readonly ask: QueryStore;
  /** Summaries of ended campaigns, by number and time: they are large, and do not change. */
  private readonly ended = new Map<string, CampaignSummary | null>();

  /**
   * Makes a source of campaigns for web pages.
   * @param shown the name of the store, without a password
   */
  constructor(shown: string, ask: QueryStore) {
    this.title = `Campaigns in store ${shown}`;
    this.ask = ask;
  }

  async list(): Promise<readonly ListedCampaign[] | string> {
    try {
      return await this.ask(async (db) => {
        const rows = await campaignRows(db).limit(LISTED_MAX).execute();
        const listed: ListedCampaign[] = [];
        for (const row of rows) listed.push(await this.listedOf(db, row));
        return listed;
      });
    } catch (error) {
      if (error instanceof StoreError) return error.message;
      throw error;
    }
  }

  async more(): Promise<HtmlMarkup | null> {
    try {
      const buckets = await this.ask(bucketLines);
      return buckets.length === 0 ? null : bucketTable(buckets);
    } catch (error) {
      if (error instanceof StoreError) return null; // list() shows the message
      throw error;
    }
  }

  find(key: string): Promise<ShownCampaign | null> {
    const id = numberOf(key);
    if (id === null) return Promise.resolve(null);
    return this.ask(async (db) => {
      const row = await campaignRows(db).where("id", "=", id).executeTakeFirst();
      if (row === undefined) return null;
      const listed = await this.listedOf(db, row);
      const { summary } = listed;
      if (summary === null) return null;
      return { ...listed, summary, facts: factsOf(row), workers: await workersIn(db, id) };
    });
  }

  file(key: string, id: string, name: string): Promise<Uint8Array | null> {
    const campaign = numberOf(key);
    if (campaign === null) return Promise.resolve(null);
    return this.ask((db, { contents }) => readReportFile(db, contents, { campaign, id }, name));
  }

  private async listedOf(db: StoreDatabase, row: CampaignRow): Promise<ListedCampaign> {
    const { id, name, ended, silent } = row;
    const state = ended === null ? stateAfter(silent) : `ended: ${endedWords(ended)}`;
    const isRunning = state === RUNS;
    const summary = await this.summaryOf(db, row);
    const points = isRunning || ended !== null ? await pointsOf(db, id) : [];
    const shown = `${state}, ${progressOf(row)}`;
    return { key: String(id), name, state: shown, isRunning, startedAt: null, summary, points };
  }

  private async summaryOf(db: StoreDatabase, row: CampaignRow): Promise<CampaignSummary | null> {
    const { id, ended, seenAt } = row;
    const key = `${id} ${seenAt.getTime()}`;
    const known = this.ended.get(key);
    if (known !== undefined) return known;
    const read = await db
      .selectFrom("campaigns")
      .select("summary")
      .where("id", "=", id)
      .executeTakeFirst();
    const parsed = parseSummary(JSON.stringify(read?.summary ?? null));
    const summary = typeof parsed === "string" ? null : parsed;
    if (ended !== null) this.ended.set(key, summary);
    return summary;
  }
}

interface CampaignRow {
  readonly id: number;
  readonly name: string;
  readonly build: string;
  readonly commit: string | null;
  readonly count: number | null;
  readonly ended: string | null;
  readonly seenAt: Date;
  /** Seconds since the campaign last wrote, by the database's clock. */
  readonly silent: number;
  readonly done: number | null;
}

/** Selects campaigns, the latest first. */
const campaignRows = (db: StoreDatabase) =>
  db
    .selectFrom("campaigns")
    .select((of) => [
      ...(["id", "name", "build", "commit", "count", "ended", "seen_at as seenAt"] as const),
      sql<number>`extract(epoch from now() - seen_at)::float8`.as("silent"),
      of
        .selectFrom("intervals")
        .whereRef("intervals.campaign", "=", "campaigns.id")
        .select(sql<number>`coalesce(sum(count), 0)::bigint`.as("done"))
        .as("done"),
    ])
    .orderBy("id", "desc");

const numberOf = (key: string): number | null => (/^\d{1,9}$/.test(key) ? Number(key) : null);

const endedWords = (ended: string): string => {
  const known: Readonly<Record<string, string>> = END_REASONS;
  return Object.hasOwn(known, ended) ? known[ended] : ended;
};

const progressOf = ({ done, count }: CampaignRow): string =>
  `${grouped(done ?? 0)} of ${count === null ? "any number" : grouped(count)}`;

function factsOf(row: CampaignRow): ShownCampaign["facts"] {
  const { build, commit } = row;
  return [
    ["done", `${progressOf(row)} programs`],
    ["build", commit === null ? build : `${build}, commit ${commit}`],
  ];
}

/** Returns the figures over time, evenly thinned: a night has thousands. */
async function pointsOf(db: StoreDatabase, campaign: number): Promise<readonly ProgressPoint[]> {
  const rows = await db
    .selectFrom("figures")
    .select(["seconds", "programs", "covered", "symptoms"])
    .where("campaign", "=", campaign)
    .orderBy("seconds")
    .execute();
  const every = Math.ceil(rows.length / POINTS_MAX);
  return rows.filter((_, i) => i % every === 0 || i === rows.length - 1);
}

async function workersIn(db: StoreDatabase, campaign: number): Promise<HtmlMarkup | null> {
  const rows = await db
    .selectFrom("workers")
    .select([
      "says",
      "processes",
      "holds",
      sql<number>`extract(epoch from now() - seen_at)::float8`.as("silent"),
    ])
    .where("campaign", "=", campaign)
    .orderBy("says")
    .execute();
  if (rows.length === 0) return null;
  const lines = rows.map(({ says, processes, holds, silent }) => ({
    cells: [says, processes, holds === null ? "waits" : "has an interval", Math.round(silent)],
  }));
  return tableOf(
    "workers",
    [
      { title: "worker", is: "code" },
      { title: "processes", is: "number" },
      { title: "does", is: "text" },
      { title: "seconds silent", is: "number" },
    ],
    lines,
  );
}

function bucketTable(buckets: readonly BucketLine[]): HtmlMarkup {
  const rows = buckets.map(({ id, says, firstSeen, lastSeen, campaigns, findings, stored }) => {
    const link =
      stored === null
        ? says
        : markup`<a href="/${PATH}/${stored.campaign}/${encodeURIComponent(stored.id)}/report.html">${says}</a>`;
    return { cells: [id, link, dayOf(firstSeen), dayOf(lastSeen), campaigns, findings] };
  });
  const table = tableOf(
    "buckets",
    [
      { title: "bucket", is: "code" },
      { title: "difference", is: "code" },
      { title: "first seen", is: "text" },
      { title: "last seen", is: "text" },
      { title: "campaigns", is: "number" },
      { title: "findings", is: "number" },
    ],
    rows,
  );
  return markup`<h3>Buckets</h3>${table}`;
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 16).replace("T", " ");
