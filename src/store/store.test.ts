// Tests the embedded store: its contents, and the requests that it refuses.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { sql } from "kysely";
import { answerFault } from "../../ci/schemas/answer-fault.js";
import { runHere } from "../../fuzz/support/run-here.js";
import { NO_EXTREMES } from "../campaign/count/extremes.js";
import { emptyTally } from "../campaign/count/tally.js";
import type { FindingEntry } from "../campaign/file/filing.js";
import { NO_PARENTS } from "../campaign/program/lineage.js";
import { answer, type HttpResponse } from "../campaign/publish/site.js";
import { RestartBackoff } from "../campaign/run/backoff.js";
import type { CampaignState } from "../campaign/run/campaign-state.js";
import { foundAt, type RawFinding } from "../campaign/run/found.js";
import { SUMMARY_SCHEMA, SUMMARY_VERSION } from "../campaign/run/summary.js";
import type { CampaignFigures, CampaignIdentity } from "./campaign-rows.js";
import { CampaignWriter } from "./campaign-writer.js";
import { bucketLines, campaignLines } from "./overview.js";
import {
  addReport,
  keepReports,
  namesIn,
  readReportFile,
  reportsOf,
  TABLE_CONTENTS,
} from "./report-files.js";
import { CampaignStore } from "./store.js";
import { StoreError, storeErrorOf } from "./store-error.js";
import { parseStoreName } from "./store-name.js";
import { StoredCampaigns } from "./store-place.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-store-"));
const STORE = join(folder, "store");
let shared: CampaignStore | null = null;
test.after.always(async () => {
  await closed();
  rmSync(folder, { recursive: true });
});

/** A store for the tests that need no second process: opening it takes a second. */
async function opened(): Promise<CampaignStore> {
  shared ??= await CampaignStore.open(STORE);
  return shared;
}

/** A store that another process may open. */
async function closed(): Promise<void> {
  await shared?.close();
  shared = null;
}

const SETTINGS = { subjects: ["ir-O1"], canary: null, drawn: null, profile: "usual" };
const IDENTITY: CampaignIdentity = {
  ...{ name: "night", generator: "g", build: "b", commit: null, first: 1n, count: 100 },
  settings: SETTINGS,
  engines: {},
};
const FIGURES: CampaignFigures = {
  ...{
    seconds: 1.5,
    programs: 10,
    executions: 40,
    unjudged: 2,
    findings: 1,
    covered: 7,
    symptoms: 1,
  },
};
const found = (seed: bigint, detail: string): RawFinding => ({
  ...foundAt({ seed, parents: NO_PARENTS }, "difference", detail),
  ...{ subject: "ir-O1", aspect: "result", input: 0 },
});
const ENTRY: FindingEntry = {
  ...{
    id: "f",
    bucket: "optimizer/x/result",
    bucketId: "0123456789",
    news: "new",
    kind: "difference",
  },
  ...{
    seed: "7",
    detail: "",
    path: "reports/f",
    command: [],
    instances: 1,
    values: 3,
    cause: null,
  },
};

const failing = (t: ExecutionContext) => ({ onRefusal: t.fail, onReturn: t.fail });

test.serial(
  "a finding is stored before it is announced, and is then linked to its bucket",
  async (t) => {
    const store = await opened();
    const writer = await CampaignWriter.begin(store, IDENTITY, null, failing(t));
    const announced: string[] = [];
    const seeds = () => store.query((db) => db.selectFrom("findings").select("seed").execute());
    const seven = found(7n, "zero\0byte");
    const known = new Promise<number>((resolve) => {
      writer.found(seven, () => {
        announced.push("7");
        seeds().then((rows) => resolve(rows.length));
      });
    });
    t.deepEqual(announced, []);
    t.is(await known, 1);
    writer.found(seven, () => announced.push("7 again"));
    const kept = [{ found: seven, filed: { kind: "report", entry: ENTRY } as const }];
    writer.mark({ figures: FIGURES, committed: 10, kept, summary: {} });
    const end = {
      ended: "count",
      figures: { ...FIGURES, seconds: 9 },
      entries: [ENTRY],
      summary: {},
    };
    t.true(await writer.end({ ...end, intervals: [{ begin: 0, count: 90 }] }, []));
    t.deepEqual(announced, ["7", "7 again"]);
    const [campaign] = await store.query(campaignLines);
    t.like(campaign, { name: "night", done: 90, count: 100, findings: 1, ended: "count" });
    t.is(campaign.figures?.seconds, 9);
    const [bucket] = await store.query(bucketLines);
    t.like(bucket, { id: "0123456789", campaigns: 1, findings: 1, report: null });
    await closed();
    const { out, error } = await runHere(["stats", "--store", STORE, "--json"]);
    t.is(answerFault("touchstone.store", out), null, error);
  },
);

test.serial(
  "a resumed campaign keeps its row; another generator or a new start gets a new row",
  async (t) => {
    const store = await opened();
    const from: CampaignState = {
      ...{ committed: 10, seconds: 1, symptoms: {}, evolution: null },
      tally: emptyTally(),
      extremes: NO_EXTREMES,
      kept: [{ found: found(8n, "from the folder"), filed: null }],
    };
    const rows = async () => (await store.query(campaignLines)).map(({ findings }) => findings);
    await (await CampaignWriter.begin(store, IDENTITY, from, failing(t))).end(
      { ended: "count", figures: FIGURES, intervals: [], entries: [], summary: {} },
      [],
    );
    t.deepEqual(await rows(), [2]);
    await CampaignWriter.begin(store, IDENTITY, null, failing(t));
    t.is((await rows()).length, 2);
    await CampaignWriter.begin(store, { ...IDENTITY, build: "next" }, from, failing(t));
    t.is((await rows()).length, 2);
    t.is((await store.query(campaignLines)).at(-1)?.build, "next");
    await CampaignWriter.begin(store, { ...IDENTITY, generator: "other" }, from, failing(t));
    t.is((await rows()).length, 3);
  },
);

test.serial(
  "a report is stored by the content of its files, and is exported unchanged",
  async (t) => {
    const reports = join(folder, "reports");
    const path = join(reports, "f");
    mkdirSync(path, { recursive: true });
    const page = Buffer.from([0, 255, 1]);
    writeFileSync(join(path, "report.html"), page);
    writeFileSync(join(path, "copy.html"), page);
    const store = await opened();
    const writer = await CampaignWriter.begin(store, IDENTITY, null, failing(t));
    const seven = found(7n, "");
    writer.found(seven, () => {});
    const entry = { ...ENTRY, path };
    const replaced = { ...ENTRY, id: "gone", path: join(reports, "gone") };
    const kept = [{ found: seven, filed: { kind: "report", entry } as const }];
    writer.mark({ figures: FIGURES, committed: 10, kept, summary: {} });
    const end = { ended: "count", figures: { ...FIGURES, seconds: 2 }, intervals: [], summary: {} };
    t.true(await writer.end({ ...end, entries: [entry, replaced] }, kept));
    const rows = await store.query((db) => reportsOf(db, ENTRY.bucketId));
    t.deepEqual(rows, [{ campaign: writer.campaign, id: "f" }]);
    const names = await store.query((db) => namesIn(db, rows[0]));
    t.deepEqual(names, ["copy.html", "report.html"]);
    for (const contents of [store.contents, TABLE_CONTENTS]) {
      await store.query((db) => addReport(db, contents, writer.campaign, entry));
      const content = await store.query((db) =>
        readReportFile(db, contents, rows[0], "report.html"),
      );
      t.deepEqual(Buffer.from(content ?? []), page);
    }
    const files = readdirSync(join(folder, "store", "contents"), { recursive: true });
    t.is(
      files.filter((name) => String(name).length > 60).length,
      1,
      "equal contents are stored once",
    );
    await store.query((db) => keepReports(db, writer.campaign, []));
    t.deepEqual(await store.query((db) => namesIn(db, rows[0])), []);
  },
);

test.serial(
  "pages show the contents of a store as text, and only campaigns and reports",
  async (t) => {
    const store = await opened();
    const HOSTILE = '"><script>alert(1)</script>';
    const path = join(folder, "served");
    mkdirSync(path);
    writeFileSync(join(path, "report.html"), HOSTILE);
    const writer = await CampaignWriter.begin(
      store,
      { ...IDENTITY, name: HOSTILE },
      null,
      failing(t),
    );
    const nine = found(9n, HOSTILE);
    writer.found(nine, () => {});
    const entry = { ...ENTRY, path, bucket: HOSTILE, bucketId: "hostile", detail: HOSTILE };
    const kept = [{ found: nine, filed: { kind: "report", entry } as const }];
    const summary = {
      ...{ schema: SUMMARY_SCHEMA, version: SUMMARY_VERSION, campaigns: [HOSTILE] },
      ...{
        generators: ["g"],
        seconds: 9,
        intervals: [],
        tally: emptyTally(),
        extremes: NO_EXTREMES,
      },
      ...{ symptoms: {}, findings: [entry] },
    };
    writer.mark({ figures: FIGURES, committed: 10, kept, summary });
    const end = { ended: "count", figures: { ...FIGURES, seconds: 9 }, intervals: [], summary };
    const place = new StoredCampaigns("st", (question) => store.query((db) => question(db, store)));
    const get = async (url: string): Promise<HttpResponse & { readonly text: string }> => {
      const got = await answer([place], url);
      return { ...got, text: Buffer.from(got.body).toString() };
    };
    t.true(await writer.end({ ...end, entries: [entry] }, kept));
    const campaign = `/stored/${writer.campaign}`;
    for (const url of ["/", campaign]) {
      const { status, text } = await get(url);
      t.is(status, 200);
      t.false(text.includes("<script"), url);
      t.true(text.includes("&lt;script&gt;"), url);
    }
    const { text } = await get("/");
    t.regex(text, /ended: all requested programs are done, 0 of 100/);
    t.true(text.includes(`href="${campaign}/f/report.html">`));
    t.like(await get(`${campaign}/f/report.html`), { status: 200, text: HOSTILE, isForeign: true });
    for (const url of [
      "/stored/0",
      "/stored/1%20or%201",
      `${campaign}/f/..`,
      `${campaign}/none/report.html`,
    ]) {
      t.is((await get(url)).status, 404, url);
    }
    t.is((await get(`/compare?campaign=stored/${writer.campaign}&campaign=stored/x`)).status, 400);
    await closed();
    const words = ["--store", STORE, "--bucket", "hostile", "--out", folder];
    const { out, error } = await runHere(["stats", ...words, "--json"]);
    t.is(answerFault("touchstone.stored-report", out), null, error);
  },
);

test.serial("a store that was away gets the missed findings when it is back", async (t) => {
  const store = await opened();
  const said: string[] = [];
  let isGone = false;
  const query: CampaignStore["query"] = (question) =>
    isGone ? Promise.reject(new StoreError("gone", "store s: away")) : store.query(question);
  const leaving: CampaignStore = Object.create(store, { query: { value: query } });
  const writer = await CampaignWriter.begin(leaving, { ...IDENTITY, name: "away" }, null, {
    onRefusal: (line) => said.push(line),
    onReturn: (line) => said.push(line),
    patience: () => new RestartBackoff(1, 2),
  });
  const announced = (seed: bigint): Promise<void> =>
    new Promise((resolve) => writer.found(found(seed, ""), resolve));
  const standing = { figures: FIGURES, committed: 10, kept: [], summary: {} };
  const lines = (): ReturnType<typeof campaignLines> => store.query(campaignLines);
  const findings = async () => (await lines()).find(({ name }) => name === "away")?.findings;
  isGone = true;
  await announced(1n);
  writer.mark(standing);
  await announced(2n);
  t.is(await findings(), 0);
  isGone = false;
  writer.mark(standing);
  await announced(3n);
  t.is(await findings(), 3);
  // The number of attempts depends on the machine.
  const inVain = said.filter((line) => line === "store s: away").length;
  t.true(inVain > 0);
  t.deepEqual(said.slice(inVain), [
    "store s: away; the campaign goes on without its store",
    `store ${store.shown}: it is back; wrote 2 findings that it had missed`,
  ]);
  const end = { ended: "count", figures: FIGURES, intervals: [], entries: [], summary: {} };
  t.true(await writer.end(end, []));
});

test.serial("a second process and a newer version are refused", async (t) => {
  const store = await opened();
  await t.throwsAsync(CampaignStore.open(STORE), {
    message: /^store .*: another process uses it; /,
  });
  await store.query((db) =>
    sql`insert into touchstone.migrations (number) values (999)`.execute(db),
  );
  await closed();
  await t.throwsAsync(CampaignStore.open(STORE), {
    message: /it is of a newer version \(999; this build/,
  });
});

test("a folder with other files is refused", async (t) => {
  const path = join(folder, "other");
  mkdirSync(path);
  writeFileSync(join(path, "thesis.txt"), "");
  await t.throwsAsync(CampaignStore.open(path), {
    message: /^store .*: the folder contains other files, for instance thesis\.txt$/,
  });
  await t.throwsAsync(CampaignStore.open(join(path, "thesis.txt")), {
    message: /^store .*thesis\.txt: cannot be read: a part of the path is no folder; name another$/,
  });
});

test("a name is a folder or a URL; its printed form has no password", (t) => {
  const shown = (name: string) => parseStoreName(name).shown;
  t.is(shown(".touchstone/store"), ".touchstone/store");
  t.is(shown("postgres://me:secret@host:5433/db"), "postgres://me@host:5433/db");
  t.is(shown("postgresql:///db?host=/run&password=secret"), "postgresql:///db?host=%2Frun");
  for (const wrong of [
    "",
    "mysql://me:secret@host/db",
    "postgres://me:secret@host",
    "postgres://:secret@[/db",
    "postgres:/me:secret@host/db",
    "postgres:me:secret@host/db",
    "postgres://me:1/secret@host/db",
    "postgres://me:1?secret@host/db",
    "postgres://me:1#secret@host/db",
    "host=h password=secret dbname=d",
  ]) {
    const error = t.throws(() => parseStoreName(wrong), { name: "StoreError" });
    t.notRegex(error?.message ?? "", /secret/);
  }
});

test("an error of a database is classified by its code", (t) => {
  const kindOf = (code: string) => storeErrorOf(Object.assign(new Error("m"), { code }), "s")?.kind;
  t.deepEqual(["28P01", "3D000", "57P01", "ECONNREFUSED", "ENOSPC", "22P02"].map(kindOf), [
    ...(["usage", "missing", "gone", "gone", "gone", "usage"] as const),
  ]);
  // This code has five letters, but is no SQLSTATE.
  t.deepEqual(["EPIPE", "EROFS", "EPERM"].map(kindOf), ["gone", "gone", "gone"]);
  t.is(storeErrorOf(new Error("of ours"), "s"), null);
  const full = { name: "ErrnoError", errno: 51 }; // thrown by PGlite on a full disk
  t.like(storeErrorOf(full, "s"), {
    kind: "gone",
    message: "store s: no space is left on its disk",
  });
});
