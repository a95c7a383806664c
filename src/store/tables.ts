// The tables of the schema `touchstone`, as queries see them; migrations.ts makes them.

import type { ColumnType, Generated, Kysely } from "kysely";

/** Written as text; read as what it holds. */
type Json = ColumnType<unknown, string, string>;
/** The database's clock, never that of a machine of the fleet. */
type Time = ColumnType<Date, never, never>;

export type Database = Kysely<Tables>;

export interface Tables {
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
  /** Of all code that judges: what two builds find may differ. */
  readonly build: string;
  /** Null outside a checkout. */
  readonly commit: string | null;
  /** Decimal. */
  readonly first: string;
  /** Null: until something else ends it. */
  readonly count: number | null;
  /** JudgeSettings. */
  readonly settings: Json;
  readonly began_at: Generated<Date>;
  /** Null while it runs, or where it was killed. */
  readonly ended: string | null;
  /** While it runs: what it has come to so far. */
  readonly summary: Json | null;
  /** Workers may help. */
  readonly is_open: Generated<boolean>;
  /** When it last wrote. */
  readonly seen_at: ColumnType<Date, never, Date>;
  /** Versions of remote subjects, by name. */
  readonly engines: Json;
}

/** Programs that are done: indices from the campaign's first on. */
interface IntervalTable {
  readonly campaign: number;
  readonly begin: number;
  readonly count: number;
}

interface BucketTable {
  readonly id: string;
  readonly says: string;
  readonly kind: string;
  readonly cause: Json | null;
  readonly first_campaign: number;
  readonly last_campaign: number;
  readonly first_seen: Time;
  readonly last_seen: ColumnType<Date, never, Date>;
}

interface FindingTable {
  readonly campaign: number;
  readonly symptom: string;
  /** Decimal. */
  readonly seed: string;
  /** Of several of one symptom and seed. */
  readonly detail: string;
  readonly found_at: Time;
  /** Null: it was not examined yet. */
  readonly bucket: string | null;
  /** The folder of its own report, on the machine that made it. */
  readonly report: string | null;
}

interface ReportTable {
  readonly campaign: number;
  /** The name of its folder. */
  readonly id: string;
  readonly bucket: string;
  /** The folder, on the machine that made it. */
  readonly path: string;
}

interface ReportFileTable {
  readonly campaign: number;
  readonly report: string;
  readonly name: string;
  /** Of what it holds: SHA-256, in hexadecimal digits. */
  readonly hash: string;
}

/** What files hold, where the store is on a server. */
interface ContentTable {
  readonly hash: string;
  readonly content: Uint8Array;
}

/** What a campaign had come to. */
interface FigureTable {
  readonly campaign: number;
  readonly seconds: number;
  readonly programs: number;
  readonly executions: number;
  readonly unjudged: number;
  /** Seeds, for each symptom. */
  readonly findings: number;
  /** Rules, phases, events and rows that were reached. */
  readonly covered: number;
  /** Different ones. */
  readonly symptoms: Generated<number>;
}

/** What an interval that was lent came to. */
interface DeliveryTable {
  readonly campaign: number;
  readonly begin: number;
  readonly count: number;
  readonly worker: string;
  readonly delivered_at: Time;
  readonly result: Json;
}

interface WorkerTable {
  readonly id: string;
  readonly campaign: number;
  /** The entry of the queue that it has taken. */
  readonly holds: string | null;
  readonly says: string;
  readonly processes: number;
  readonly seen_at: ColumnType<Date, never, Date>;
}
