// Defines the schema, as numbered migrations. A released migration is never changed; a change of
// the schema is a new one. A store records its number of migrations. A store with more than are
// listed here is of a newer version.

import { type Kysely, sql } from "kysely";
import { StoreError } from "./store-error.js";
import type { StoreTables } from "./tables.js";

export const SCHEMA = "touchstone";

const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `create table touchstone.campaigns (
      id        integer generated always as identity primary key,
      name      text not null,
      generator text not null,
      build     text not null,
      "commit"  text,
      first     text not null,
      count     bigint,
      settings  json not null,
      began_at  timestamptz not null default now(),
      ended     text,
      summary   json
    )`,
    "create index campaigns_by_name on touchstone.campaigns (name, id)",
    `create table touchstone.intervals (
      campaign integer not null references touchstone.campaigns on delete cascade,
      "begin"  bigint not null,
      count    bigint not null check (count > 0),
      primary key (campaign, "begin")
    )`,
    `create table touchstone.buckets (
      id             text primary key,
      says           text not null,
      kind           text not null,
      cause          json,
      first_campaign integer not null,
      last_campaign  integer not null,
      first_seen     timestamptz not null default now(),
      last_seen      timestamptz not null default now()
    )`,
    `create table touchstone.findings (
      campaign integer not null references touchstone.campaigns on delete cascade,
      symptom  text not null,
      seed     text not null,
      detail   text not null,
      found_at timestamptz not null default now(),
      bucket   text references touchstone.buckets,
      report   text,
      primary key (campaign, symptom, seed)
    )`,
    "create index findings_by_bucket on touchstone.findings (bucket)",
    `create table touchstone.figures (
      campaign   integer not null references touchstone.campaigns on delete cascade,
      seconds    double precision not null,
      programs   bigint not null,
      executions bigint not null,
      unjudged   bigint not null,
      findings   bigint not null,
      covered    bigint not null,
      primary key (campaign, seconds)
    )`,
  ],
  [
    "alter table touchstone.campaigns add column is_open boolean not null default false",
    `create table touchstone.deliveries (
      campaign     integer not null references touchstone.campaigns on delete cascade,
      "begin"      bigint not null,
      count        bigint not null,
      worker       text not null,
      delivered_at timestamptz not null default now(),
      result       json not null,
      primary key (campaign, "begin", count)
    )`,
    `create table touchstone.workers (
      id        uuid primary key,
      campaign  integer not null references touchstone.campaigns on delete cascade,
      holds     uuid,
      says      text not null,
      processes integer not null,
      seen_at   timestamptz not null default now()
    )`,
  ],
  [
    `create table touchstone.reports (
      campaign integer not null references touchstone.campaigns on delete cascade,
      id       text not null,
      bucket   text not null references touchstone.buckets,
      path     text not null,
      primary key (campaign, id)
    )`,
    "create index reports_by_bucket on touchstone.reports (bucket, campaign)",
    `create table touchstone.report_files (
      campaign integer not null,
      report   text not null,
      name     text not null,
      hash     text not null,
      primary key (campaign, report, name),
      foreign key (campaign, report) references touchstone.reports on delete cascade
    )`,
    `create table touchstone.contents (
      hash    text primary key,
      content bytea not null
    )`,
  ],
  [
    "alter table touchstone.campaigns add column seen_at timestamptz not null default now()",
    "alter table touchstone.campaigns add column engines json not null default '{}'",
    "alter table touchstone.figures add column symptoms bigint not null default 0",
  ],
];

/** The key of the lock that serializes migrations; the number is arbitrary. */
const MIGRATION_LOCK = 7_836_201;

/**
 * Applies the migrations that the store lacks.
 * @param shown the name of the store, as it may be printed
 * @throws StoreError if the store is of a newer version
 */
export async function migrate(db: Kysely<StoreTables>, shown: string): Promise<void> {
  await db.transaction().execute(async (within) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(within);
    const { rows } = await sql<{ readonly there: boolean }>`
      select to_regnamespace(${SCHEMA}) is not null as there`.execute(within);
    // A user that owns only the schema may not create one, not even if it exists.
    if (!rows[0].there) await sql.raw(`create schema ${SCHEMA}`).execute(within);
    await sql`create table if not exists touchstone.migrations (
      number integer primary key, taken_at timestamptz not null default now())`.execute(within);
    const taken = await versionOf(within);
    if (taken > MIGRATIONS.length) {
      throw new StoreError(
        "usage",
        `store ${shown}: it is of a newer version (${taken}; this build has ${MIGRATIONS.length}): update Touchstone`,
      );
    }
    for (let number = taken + 1; number <= MIGRATIONS.length; number++) {
      for (const step of MIGRATIONS[number - 1]) await sql.raw(step).execute(within);
      await sql`insert into touchstone.migrations (number) values (${number})`.execute(within);
    }
  });
}

async function versionOf(db: Kysely<StoreTables>): Promise<number> {
  const { rows } = await sql<{ readonly taken: number }>`
    select coalesce(max(number), 0)::integer as taken from touchstone.migrations`.execute(db);
  return rows[0].taken;
}
