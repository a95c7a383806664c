// Declares the tables of the schema `touchstone` as queries see them; migrations.ts creates them.

import type { ColumnType, Generated, Kysely } from "kysely";

/** A JSON column, which is written as text and read as the parsed value. */
type JsonColumn = ColumnType<unknown, string, string>;
/** A time column. The database's clock sets it, never the clock of a fleet worker. */
type TimeColumn = ColumnType<Date, never, never>;

export type StoreDatabase = Kysely<StoreTables>;

export interface StoreTables {
  readonly campaigns: CampaignTable;
  readonly intervals: IntervalTable;
  readonly buckets: BucketTable;
  readonly findings: FindingTable;
  readonly figures: FigureTable;
  readonly reports: ReportTable;
  readonly report_files: ReportFileTable;
  readonly contents: ContentTable;
  readonly deliveries: DeliveryTable;
  readonly workers: WorkerTable;
}

interface CampaignTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly generator: string;
  /** A hash of all code that judges: two builds may find different things. */
  readonly build: string;
  /** The git commit of the build; null outside a checkout. */
  readonly commit: string | null;
  /** A seed in decimal. */
  readonly first: string;
  /** The number of requested programs; null if only another limit ends the campaign. */
  readonly count: number | null;
  /** The settings of the campaign: a JudgeSettings as JSON. */
  readonly settings: JsonColumn;
  readonly began_at: Generated<Date>;
  /** The reason for the end; null while the campaign runs, or if it was killed. */
  readonly ended: string | null;
  /** While the campaign runs: the summary so far. */
  readonly summary: JsonColumn | null;
  /** True if fleet workers may judge programs of the campaign. */
  readonly is_open: Generated<boolean>;
  /** The time at which the campaign last wrote to the store. */
  readonly seen_at: ColumnType<Date, never, Date>;
  /** Versions of remote subjects, by name. */
  readonly engines: JsonColumn;
}

/** An interval of programs that are done, as indices from the campaign's first program on. */
interface IntervalTable {
  readonly campaign: number;
  readonly begin: number;
  readonly count: number;
}

interface BucketTable {
  readonly id: string;
  readonly says: string;
  readonly kind: string;
  readonly cause: JsonColumn | null;
  readonly first_campaign: number;
  readonly last_campaign: number;
  readonly first_seen: TimeColumn;
  readonly last_seen: ColumnType<Date, never, Date>;
}

interface FindingTable {
  readonly campaign: number;
  readonly symptom: string;
  /** A seed in decimal. */
  readonly seed: string;
  /** Distinguishes findings of one symptom and seed. */
  readonly detail: string;
  readonly found_at: TimeColumn;
  /** The bucket of the finding; null if it was not examined yet. */
  readonly bucket: string | null;
  /** The folder of its own report, on the machine that made it. */
  readonly report: string | null;
}

interface ReportTable {
  readonly campaign: number;
  /** The id of the report: the name of its folder. */
  readonly id: string;
  readonly bucket: string;
  /** The folder of the report, on the machine that made it. */
  readonly path: string;
}

interface ReportFileTable {
  readonly campaign: number;
  readonly report: string;
  readonly name: string;
  /** SHA-256 of the content, as hexadecimal digits. */
  readonly hash: string;
}

/** The contents of files, for a store on a server. */
interface ContentTable {
  readonly hash: string;
  readonly content: Uint8Array;
}

/** The counts of a campaign at one moment. */
interface FigureTable {
  readonly campaign: number;
  readonly seconds: number;
  readonly programs: number;
  readonly executions: number;
  readonly unjudged: number;
  /** The sum over symptoms of the number of seeds. */
  readonly findings: number;
  /** Number of rules, phases, events and rows that were reached. */
  readonly covered: number;
  /** Number of different symptoms. */
  readonly symptoms: Generated<number>;
}

/** The result of a lent interval. */
interface DeliveryTable {
  readonly campaign: number;
  readonly begin: number;
  readonly count: number;
  readonly worker: string;
  readonly delivered_at: TimeColumn;
  readonly result: JsonColumn;
}

interface WorkerTable {
  readonly id: string;
  readonly campaign: number;
  /** The entry of the queue that the worker holds. */
  readonly holds: string | null;
  readonly says: string;
  readonly processes: number;
  readonly seen_at: ColumnType<Date, never, Date>;
}
