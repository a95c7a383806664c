// Tests that a campaign with workers gives the same results, with a PostgreSQL server that the test
// starts.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import ava from "ava";
import { sql } from "kysely";
import { PASSWORD, PostgresServer, postgresBinaries } from "../../ci/postgres-server.js";
import { fieldsFault } from "../../ci/schemas/answer-fault.js";
import { emptyTally } from "../campaign/count/tally.js";
import { FEATURE_COUNT } from "../campaign/evolved/features.js";
import { NO_PARENTS } from "../campaign/program/lineage.js";
import { outsideSteps } from "../campaign/program/outside.js";
import { EVOLVED, MUTATED } from "../campaign/program/seeds.js";
import { Campaign } from "../campaign/run/campaign.js";
import { engineVersions } from "../campaign/run/judge-elsewhere.js";
import { type JudgeSettings, SeedJudge } from "../campaign/run/judge-seed.js";
import type { CampaignOptions, CampaignResult, HelperMachines } from "../campaign/run/options.js";
import { beginCampaign } from "../store/campaign-rows.js";
import { CampaignStore } from "../store/store.js";
import { StoreError } from "../store/store-error.js";
import { firstSeedThat } from "../support/first-seed.js";
import { trials } from "../support/trials.js";
import { parseBreeding } from "./breeding-text.js";
import { IntervalExchange } from "./exchange.js";
import { FleetQueue } from "./fleet-queue.js";
import { FleetWorker } from "./fleet-worker.js";
import { openCampaigns, settingsOf } from "./open-campaigns.js";
import { leave, renew, workersOf } from "./worker-rows.js";

const binaries = postgresBinaries();
const test = binaries === null ? ava.serial.skip : ava.serial;

const SETTINGS = { subjects: ["ir-O2"], canary: "stale-load", drawn: null, profile: "usual" };
const COUNT = trials(30, 40);
/** Half of the programs precede the first that shows the bug. */
const FIRST = firstShown() - BigInt(COUNT / 2);

function firstShown(): bigint {
  const judge = new SeedJudge(SETTINGS);
  const shows = (seed: bigint): boolean =>
    judge.judge({ seed, parents: NO_PARENTS }, emptyTally()).length > 0;
  const range = { from: BigInt(COUNT), count: 3000n };
  const seed = firstSeedThat(`a difference of ${SETTINGS.canary}`, range, shows);
  judge.close();
  return seed;
}

let server: PostgresServer;
let store: CampaignStore;

ava.before(async () => {
  if (binaries === null) return;
  server = await PostgresServer.start(binaries);
  store = await CampaignStore.open(server.url());
});
ava.after.always(async () => {
  await store?.close();
  await server?.remove();
});

const optionsOf = (helpers: HelperMachines | null): CampaignOptions => ({
  ...{ settings: SETTINGS, first: FIRST, count: COUNT, seconds: Infinity, workers: 1 },
  ...{ roundPrograms: 4, from: null, reports: "", fault: null, helpers },
  ...{ isReported: () => false, isEnough: () => false, hangSeconds: 60 },
  ...{ onState: () => {}, onFound: () => {}, onWorker: () => {}, onRefusal: () => {} },
});

const countsOf = ({
  tally,
  extremes,
  symptoms,
  found,
  programs,
  intervals,
  ended,
}: CampaignResult) => ({
  ...{ tally, largest: extremes.largest, symptoms, found, programs, intervals, ended },
});

const newCampaign = (build = "b", settings: JudgeSettings = SETTINGS): Promise<number> =>
  store.query((db) =>
    beginCampaign(
      db,
      {
        ...{ name: "n", generator: "g", build, commit: null },
        first: FIRST,
        count: COUNT,
        settings,
        engines: {},
      },
      false,
    ),
  );

const exchangeOf = (campaign: number, said: string[]) =>
  IntervalExchange.open(store, { campaign, programs: 6, say: (line) => said.push(line) });

/** Waits for the worker: on a busy machine the campaign would be done before the worker begins. */
const waiting = (
  campaign: Campaign,
  exchange: IntervalExchange,
): Parameters<IntervalExchange["start"]>[0] => ({
  deliver: (...delivery) => campaign.deliver(...delivery),
  deliverEarlier: (...delivery) => campaign.deliverEarlier(...delivery),
  takeBack: (begin) => campaign.takeBack(begin),
  offer: () => campaign.offer(),
  get isIdle() {
    return exchange.figures.delivered > 0 && campaign.isIdle;
  },
});

/** Inserts a worker that took an entry two hours ago and is silent since. */
async function loseOne(campaign: number): Promise<void> {
  const queue = await FleetQueue.open(store, campaign);
  const row = { id: randomUUID(), campaign, holds: null, says: "lost", processes: 1 };
  await store.query((db) => renew(db, row));
  for (;;) {
    const entry = await queue.take();
    if (entry !== null) break;
    await sleep(50);
  }
  await store.query(async (db) => {
    const ago = sql.raw("now() - interval '2 hours'");
    await sql`update touchstone.job set started_on = ${ago} where state = 'active'`.execute(db);
    await sql`update touchstone.workers set seen_at = ${ago} where says = 'lost'`.execute(db);
  });
}

test("with a worker, a lost worker and a database that restarts, the counts are those of one process", async (t) => {
  const alone = await new Campaign(optionsOf(null)).run();
  t.true(alone.found.length > 0);

  const campaign = await newCampaign();
  const said: string[] = [];
  const exchange = await exchangeOf(campaign, said);
  const leaving = new AbortController();
  const worker = new FleetWorker(store, {
    ...{ processes: 1, build: "b", say: (line: string) => said.push(line), signal: leaving.signal },
  });
  const together = new Campaign(optionsOf(exchange));
  const losing = loseOne(campaign);
  await exchange.start(waiting(together, exchange));
  const running = together.run();
  await losing;
  const helping = worker.run();
  await server.kill();
  await server.resume();
  const result = await running;
  await exchange.close(true);
  leaving.abort();
  await helping;
  t.deepEqual(countsOf(result), countsOf(alone));
  const { lent, delivered } = exchange.figures;
  t.true(delivered > 0 && lent === delivered, said.join("\n"));
  const worked = { store: store.shown, campaigns: worker.delivered };
  t.is(fieldsFault("touchstone.worker", worked), null);
  t.is(worked.campaigns[0]?.name, "n");
  t.true(said.includes("worker lost is silent: its interval is handed out again"), said.join("\n"));
  t.notRegex(said.join("\n"), new RegExp(PASSWORD));
  const left = await store.query((db) => db.selectFrom("deliveries").selectAll().execute());
  t.deepEqual(left, []);
});

const atNight = trials(0, 1) > 0 ? test : ava.serial.skip;

atNight("the campaign breeds evolved programs, and workers return their coverage", async (t) => {
  const settings = { ...SETTINGS, subjects: ["ir-O1"], canary: null, profile: EVOLVED };
  const evolving = (helpers: HelperMachines | null) => ({
    ...{ ...optionsOf(helpers), settings, roundPrograms: 6, count: 36 },
  });
  const alone = await new Campaign(evolving(null)).run();
  const campaign = await newCampaign("b", settings);
  const said: string[] = [];
  const exchange = await exchangeOf(campaign, said);
  const leaving = new AbortController();
  const worker = new FleetWorker(store, {
    ...{
      processes: 1,
      build: "b",
      say: (line: string) => said.push(line),
      signal: leaving.signal,
    },
  });
  const helping = worker.run();
  // The worker starts before the first round begins.
  while ((await store.query((db) => workersOf(db, campaign))).length === 0) await sleep(50);
  const together = new Campaign(evolving(exchange));
  await exchange.start(waiting(together, exchange));
  const result = await together.run();
  await exchange.close(true);
  leaving.abort();
  await helping;
  t.deepEqual(countsOf(result), countsOf(alone));
  t.deepEqual(result.evolution, alone.evolution);
  t.true(exchange.figures.delivered > 0, said.join("\n"));
});

const OWN = `touchstone 1

proc main(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(123456789)
  Int32 @2 = Mul(@0, @1)
  Int32 @3 = BitXor(@2, @0)
  Void @4 = Return(@3)

; run: main(9)
`;

for (const profile of [MUTATED, EVOLVED].slice(0, trials(1, 2))) {
  test(`${profile}: programs from outside reach workers through the store`, async (t) => {
    const settings = { ...SETTINGS, canary: null, profile, outside: [OWN] };
    const mutating = (helpers: HelperMachines | null) => ({
      ...{ ...optionsOf(helpers), settings, roundPrograms: 6, count: trials(20, 24) },
    });
    const alone = await new Campaign(mutating(null)).run();
    const campaign = await newCampaign("b", settings);
    const said: string[] = [];
    const exchange = await exchangeOf(campaign, said);
    const leaving = new AbortController();
    const worker = new FleetWorker(store, {
      ...{ processes: 1, build: "b", signal: leaving.signal },
      say: (line: string) => said.push(line),
    });
    const helping = worker.run();
    while ((await store.query((db) => workersOf(db, campaign))).length === 0) await sleep(50);
    const together = new Campaign(mutating(exchange));
    await exchange.start(waiting(together, exchange));
    const working = together.run();
    await Promise.race([working, helping]); // a worker that refuses rejects its promise
    const result = await working;
    await exchange.close(true);
    leaving.abort();
    await helping;
    t.deepEqual(countsOf(result), countsOf(alone));
    t.true(exchange.figures.delivered > 0, said.join("\n"));
  });
}

test("invalid programs from outside, and unknown names, are refused", (t) => {
  const open = { first: "1", engines: {} };
  const saidOf = (...outside: unknown[]) =>
    settingsOf({ ...open, settings: { ...SETTINGS, profile: MUTATED, outside } });
  t.is(typeof saidOf(OWN), "object");
  t.regex(String(saidOf(OWN, "rm -rf /")), /^program 2 of 2 from outside: .*expected/);
  t.regex(String(saidOf(OWN.replace("@2, @0", "@2, @9"))), /^program 1 of 1 from outside: /);
  t.regex(String(saidOf(OWN.replace(/; run.*\n/, ""))), /from outside: has no line '; run: /);
  t.regex(
    String(saidOf(`${OWN}; more\n`)),
    /from outside: the text differs from the text that this build prints for the program$/,
  );
  t.is(String(saidOf(7)), "its settings do not have the form that this build reads");
  const [step] = outsideSteps([OWN]);
  const bred = { parents: [[step]], common: Buffer.alloc(FEATURE_COUNT).toString("base64") };
  t.deepEqual(parseBreeding(bred, 1, [step]), {
    ...{ parents: [[step]], common: new Uint8Array(FEATURE_COUNT) },
  });
  t.is(
    String(parseBreeding(bred, 1, [])),
    `its settings have no program from outside that is named ${step}`,
  );
});

test("a worker with another version of an engine is refused", (t) => {
  const settings = { ...SETTINGS, canary: null, remote: [{ name: "v8-turbofan", oneIn: 1 }] };
  const open = { first: "1", settings };
  const engines = engineVersions(settings);
  t.deepEqual(settingsOf({ ...open, engines }), settings);
  t.regex(
    String(settingsOf({ ...open, engines: { "v8-turbofan": "another" } })),
    /^v8-turbofan is .*, and another where the campaign began: results of two versions do not mix$/,
  );
});

test("the campaign judges programs without a valid result, and uses earlier deliveries", async (t) => {
  const campaign = await newCampaign();
  const put = (begin: number, result: string) =>
    store.query((db) =>
      db
        .insertInto("deliveries")
        .values({ campaign, begin, count: 6, worker: "w", result })
        .execute(),
    );
  const tally = { programs: 7 };
  await put(6, JSON.stringify({ tally, kept: [], symptoms: {} }));
  const said: string[] = [];
  const exchange = await exchangeOf(campaign, said);
  const delivered: number[] = [];
  const takenBack: number[] = [];
  const lender = {
    isIdle: false,
    offer: () => {},
    deliverEarlier: (begin: number) => delivered.push(begin) > 0,
    deliver: () => true,
    takeBack: (begin: number) => takenBack.push(begin),
  };
  exchange.lend({ kind: "judge", begin: 6, count: 6, breeding: null, isolation: null });
  await exchange.start(lender);
  while (takenBack.length === 0) await sleep(50);
  await exchange.close(false);
  t.deepEqual(takenBack, [6]);
  t.deepEqual(delivered, []);
  t.regex(said[0], /^the delivery of 6 programs is not a valid result: they are judged here$/);
});

test("a worker of another build, and one that would run a command, are refused", async (t) => {
  const campaign = await newCampaign("other");
  const exchange = await exchangeOf(campaign, []);
  const polled = await store.query(openCampaigns);
  t.deepEqual(polled, [{ id: campaign, name: "n", build: "other", commit: null }], "no settings");
  const options = { processes: 1, say: () => {}, signal: new AbortController().signal };
  await t.throwsAsync(new FleetWorker(store, { ...options, build: "b" }).run(), {
    message: /is judged by build other, and this is build b: results of two builds do not mix$/,
  });
  const remote = [{ name: "command", oneIn: 1, command: { line: "rm -rf /" } }];
  const settings = JSON.stringify({ ...SETTINGS, remote });
  await store.query((db) =>
    db.updateTable("campaigns").set({ settings }).where("id", "=", campaign).execute(),
  );
  const queue = await FleetQueue.open(store, campaign);
  await queue.put([{ id: randomUUID(), interval: { begin: 0, count: 1 }, breeding: null }]);
  const willing = new FleetWorker(store, { ...options, build: "other" });
  await t.throwsAsync(willing.run(), { message: /a command of another machine is not run$/ });
  await store.query((db) => leave(db, willing.id));
  await exchange.close(true);
});

test("a wrong password, a missing database, a server that is gone: a line without the password", async (t) => {
  const url = server.url();
  const wrong: readonly (readonly [url: string, kind: string, says: RegExp])[] = [
    [server.url("wrong-secret"), "usage", /the password is wrong, or none was given/],
    [url.replace(`:${PASSWORD}`, ""), "usage", /the password is wrong, or none was given/],
    [
      server.url(PASSWORD, "nowhere"),
      "missing",
      /there is no such database on the server: createdb/,
    ],
    [`${url}?sslmode=verify-full`, "usage", /the server has no TLS: sslmode=disable/],
    [`${url}?sslrootcert=/no/such`, "usage", /no such file or directory, open '\/no\/such'/],
    [
      `postgres://me:${PASSWORD}@127.0.0.1:1/db`,
      "gone",
      /no server accepts connections there: start it, or/,
    ],
    [`postgres://me:${PASSWORD}@none.invalid/db`, "gone", /its host is not found/],
  ];
  for (const [name, kind, says] of wrong) {
    const error = await t.throwsAsync(CampaignStore.open(name), {
      name: "StoreError",
      message: says,
    });
    t.is(error instanceof StoreError ? error.kind : "", kind, error?.message);
    t.regex(error?.message ?? "", /^store postgres:\/\/[\w@.:/?=-]+: /);
    t.notRegex(error?.message ?? "", new RegExp(`secret|${PASSWORD}|\n`));
  }
});

test("nothing waits after the database's clock is set back", async (t) => {
  const campaign = await newCampaign();
  const said: string[] = [];
  const exchange = await exchangeOf(campaign, said);
  const takenBack: number[] = [];
  const queue = await FleetQueue.open(store, campaign);
  exchange.lend({ kind: "judge", begin: 0, count: 6, breeding: null, isolation: null });
  await exchange.start({
    ...{ isIdle: false, offer: () => {}, deliver: () => true, deliverEarlier: () => true },
    takeBack: (begin: number) => takenBack.push(begin),
  });
  const taken = async () => {
    for (;;) {
      const entry = await queue.take();
      if (entry !== null) return entry;
      await sleep(50);
    }
  };
  const lost = { id: randomUUID(), campaign, says: "lost", processes: 1 };
  await store.query((db) => renew(db, { ...lost, holds: null }));
  const entry = await taken();
  await store.query((db) => renew(db, { ...lost, holds: entry?.id ?? null }));
  // All earlier times are in the future now.
  const setBack = () =>
    store.query(async (db) => {
      const later = sql.raw("interval '2 hours'");
      await sql`update touchstone.job set start_after = start_after + ${later},
        started_on = started_on + ${later} where name = ${`campaign-${campaign}`}`.execute(db);
      await sql`update touchstone.workers set seen_at = seen_at + ${later}`.execute(db);
    });
  await setBack();
  t.is((await taken())?.id, entry?.id, said.join("\n"));
  t.true(said.includes("worker lost is silent: its interval is handed out again"), said.join("\n"));
  await queue.giveBack(entry?.id ?? "");
  await setBack();
  t.is((await taken())?.id, entry?.id, "an entry that was queued in the future is available");
  await exchange.close(true);
  t.deepEqual(takenBack, []);
});

test("a worker leaves while the database is away", async (t) => {
  const away = await CampaignStore.open(server.url());
  await server.kill();
  const said: string[] = [];
  const options = { processes: 1, build: "b", say: (line: string) => said.push(line) };
  await new FleetWorker(away, { ...options, signal: AbortSignal.abort() }).run();
  await server.resume();
  await away.close();
  t.regex(said.join("\n"), /^store .*; the interval of this worker is handed out again later$/);
});

test("a user needs to own only one schema", async (t) => {
  await store.query(async (db) => {
    await sql.raw("create database other").execute(db);
  });
  const owner = await CampaignStore.open(server.url(PASSWORD, "other"));
  await owner.query(async (db) => {
    await sql.raw("drop schema touchstone cascade").execute(db);
    await sql.raw("create user small password 'small'").execute(db);
    await sql.raw("create schema touchstone authorization small").execute(db);
  });
  await owner.close();
  const small = await CampaignStore.open(server.url("small", "other").replace("fuzzer", "small"));
  const campaign = await small.query((db) =>
    beginCampaign(
      db,
      {
        ...{ name: "n", generator: "g", build: "b", commit: null },
        first: 1n,
        count: 1,
        settings: SETTINGS,
        engines: {},
      },
      false,
    ),
  );
  const queue = await FleetQueue.open(small, campaign);
  await queue.put([{ id: randomUUID(), interval: { begin: 0, count: 1 }, breeding: null }]);
  t.deepEqual((await queue.take())?.interval, { begin: 0, count: 1 });
  await queue.remove();
  await small.close();
});
