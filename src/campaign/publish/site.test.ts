// Tests the answers of `fuzz serve`, and that requests read only files of reports.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { emptyTally } from "../count/tally.js";
import type { FindingEntry } from "../file/filing.js";
import { type CampaignSummary, SUMMARY_SCHEMA, SUMMARY_VERSION } from "../run/summary.js";
import { folderPlace } from "./folder-place.js";
import { overTime } from "./page.js";
import { ProgressHistory, parseProgress, printProgress } from "./progress.js";
import { answer } from "./site.js";

const root = mkdtempSync(join(tmpdir(), "touchstone-site-"));
const reports = join(root, "reports");
test.after.always(() => rmSync(root, { recursive: true }));

const HOSTILE = '"><script>alert(1)<';

const summaryOf = (
  name: string,
  programs: number,
  findings: FindingEntry[] = [],
): CampaignSummary => ({
  ...{ schema: SUMMARY_SCHEMA, version: SUMMARY_VERSION },
  ...{ campaigns: [name], generators: ["00"], seconds: 10, intervals: [], symptoms: {} },
  ...{ tally: { ...emptyTally(), programs }, findings },
});

const finding: FindingEntry = {
  ...{ id: "f1", bucket: HOSTILE, bucketId: "b", news: "new", kind: "difference", seed: "7" },
  ...{ detail: HOSTILE, path: "elsewhere/reports/a & b/f1", command: [HOSTILE], instances: 1 },
  values: 3,
};

mkdirSync(join(reports, "a & b", "f1", "inner"), { recursive: true });
mkdirSync(join(reports, "runs"));
writeFileSync(join(root, "secret"), "secret");
writeFileSync(join(reports, "a & b", "f1", "report.html"), "<p>page");
writeFileSync(join(reports, "a & b", "f1", "x.md"), "<p>text");
writeFileSync(
  join(reports, "a & b", "summary.json"),
  JSON.stringify(summaryOf("a & b", 100, [finding])),
);
const NOW = 1_000_000;
const points = [
  { seconds: 0, programs: 0, covered: 0, symptoms: 0 },
  { seconds: 5, programs: 40, covered: 10, symptoms: 0 },
];
const running = { at: NOW - 1000, ended: null, workers: 2, points, summary: summaryOf("runs", 40) };
writeFileSync(join(reports, "runs", "progress.json"), printProgress(running));

interface Got {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const get = async (path: string, now = NOW): Promise<Got> => {
  const { status, type, body } = await answer([folderPlace(reports, () => now)], path);
  return { status, type, text: typeof body === "string" ? body : Buffer.from(body).toString() };
};

test("the first page lists campaigns, and is reloaded while one runs", async (t) => {
  const { status, text } = await get("/");
  t.is(status, 200);
  t.regex(text, /<h1>One campaign with findings<\/h1>/);
  t.regex(text, /href="\/campaign\/a%20%26%20b">a &amp; b</);
  t.regex(text, /<td class="text">running<\/td><td class="number">40<\/td>/);
  t.regex(text, /http-equiv="refresh"/);
  t.regex((await get("/", NOW + 300_000)).text, /<td class="text">silent for 5 min<\/td>/);
  t.notRegex((await get("/", NOW + 300_000)).text, /http-equiv="refresh"/);
  t.regex((await get("/", NOW - 300_000)).text, /silent since a clock was set back by 5 min or/);
  t.notRegex((await get("/?still")).text, /http-equiv="refresh"/);
});

test.serial("a campaign that examines a finding is running, and shows its progress", async (t) => {
  const file = join(reports, "runs", "progress.json");
  t.teardown(() => writeFileSync(file, printProgress(running)));
  writeFileSync(file, printProgress({ ...running, examining: "reducing 2 of 3, 140 values" }));
  const { text } = await get("/");
  t.regex(text, /<td class="text">running: reducing 2 of 3, 140 values<\/td>/);
  t.regex(text, /http-equiv="refresh"/);
});

test("a campaign's page leads to its reports wherever it was made, and draws its history", async (t) => {
  const { text } = await get("/campaign/a%20%26%20b");
  t.regex(text, /href="\/campaign\/a%20%26%20b\/f1\/report\.html"/);
  t.false(text.includes("<script>"));
  t.regex(
    (await get("/campaign/runs")).text,
    /aria-label="covered: 0 at first, 10 at last, 10 at most"/,
  );
  t.is((await get("/campaign/a%20%26%20b/f1/report.html")).type, "text/html; charset=utf-8");
  t.is((await get("/campaign/a%20%26%20b/f1/x.md")).type, "text/plain; charset=utf-8");
});

test("a rate covers at least a second, and a curve shows its times", (t) => {
  const at = (seconds: number, programs: number) => ({
    seconds,
    programs,
    covered: 7,
    symptoms: 0,
  });
  const { html } = overTime([at(0, 0), at(10, 100), at(7200, 72_000), at(7200.001, 72_100)]) ?? {};
  t.regex(html ?? "", /<figcaption>programs a second, 10 at most<\/figcaption>/);
  t.regex(html ?? "", /<span>10 after 10 s<\/span><span>10 after 2\.0 h<\/span>/);
  t.is(overTime([]), null);
});

test("campaigns are compared side by side", async (t) => {
  const { status, text } = await get("/compare?campaign=campaign/a+%26+b&campaign=campaign/runs");
  t.is(status, 200);
  t.regex(
    text,
    /<tr class="wrong"><td class="code">programs\/s<\/td><td class="number">10<\/td><td class="number">4<\/td>/,
  );
  t.is((await get("/compare?campaign=campaign/runs")).status, 400);
});

test("addresses other than campaigns, reports and their files are absent", async (t) => {
  for (const path of [
    ...[
      "/secret",
      "/campaign/none",
      "/campaign/..",
      "/campaign/%2e%2e/secret",
      "/campaign/..%2fsecret",
    ],
    ...["/campaign/runs/..%2f..%2fsecret/x", "/campaign/a%20%26%20b/f1/inner", "/campaign/%ff"],
    ...[
      "/campaign/a%20%26%20b/f1/../../../secret",
      "/campaign/a%20%26%20b/f1/..%2f..%2fsummary.json",
    ],
    ...["//elsewhere/x", "/campaign", "/campaign/a%20%26%20b/f1"],
  ]) {
    const { status, text } = await get(path);
    t.is(status, 404, path);
    t.is(text, "not found\n", path);
  }
});

test("an entry other than a regular file below the folder is absent, and the others are shown", async (t) => {
  const hostile = join(root, "hostile");
  const report = join(hostile, "good", "f1");
  mkdirSync(report, { recursive: true });
  writeFileSync(join(hostile, "good", "summary.json"), JSON.stringify(summaryOf("good", 3)));
  writeFileSync(join(report, "x.md"), "text");
  symlinkSync("nowhere@host.1", join(hostile, ".#lock"));
  symlinkSync("loop", join(hostile, "loop"));
  symlinkSync(join(root, "reports"), join(hostile, "elsewhere"));
  symlinkSync(join(root, "secret"), join(report, "linked.txt"));
  symlinkSync("x.md", join(report, "alias.md"));
  symlinkSync("linked.txt", join(report, "twice.txt"));
  writeFileSync(Buffer.concat([Buffer.from(`${hostile}/`), Buffer.from([0xff, 0xfe])]), "");
  for (const name of ["folders", "fifos", "deep"]) mkdirSync(join(hostile, name));
  mkdirSync(join(hostile, "folders", "summary.json"));
  mkdirSync(join(hostile, "folders", "progress.json"));
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const progress = `{"schema":"touchstone.progress","version":1,"summary":${deep}}`;
  writeFileSync(join(hostile, "deep", "progress.json"), progress);
  const fifos = ["fifos/progress.json", "fifos/summary.json", "good/f1/fifo.txt"];
  for (const name of fifos) t.is(spawnSync("mkfifo", [join(hostile, name)]).status, 0);
  const asked = async (path: string): Promise<Got> => {
    const { status, type, body } = await answer([folderPlace(hostile, () => NOW)], path);
    return { status, type, text: Buffer.from(body).toString() };
  };
  const { status, text } = await asked("/");
  t.is(status, 200);
  t.deepEqual(text.match(/href="\/campaign\/[^"]*"/g), ['href="/campaign/good"']);
  t.is((await asked("/campaign/good/f1/x.md")).text, "text");
  t.is((await asked("/campaign/good/f1/alias.md")).text, "text");
  for (const path of [
    ...["/campaign/elsewhere", "/campaign/elsewhere/f1/x.md", "/campaign/folders"],
    ...["/campaign/.%23lock", "/campaign/loop", "/campaign/fifos", "/campaign/deep"],
    ...["/campaign/good/f1/linked.txt", "/campaign/good/f1/twice.txt"],
    ...["/campaign/good/f1/fifo.txt", "/campaign/%ff%fe"],
  ]) {
    t.is((await asked(path)).status, 404, path);
  }
  const file = await answer([folderPlace(join(root, "secret"), () => NOW)], "/");
  t.regex(String(file.body), /This folder cannot be read: a part of the path is no folder/);
});

const browser = ["chromium", "google-chrome", "chromium-browser"].find(
  (name) => spawnSync(name, ["--version"]).status === 0,
);
const browserTest = browser === undefined ? test.skip : test;

// Pages are shown in frames of a page of this test, whose script measures them.
browserTest(
  "no page is wider than a window of 400 pixels, and the keyboard reaches all of it",
  async (t) => {
    const long = `store ${"x".repeat(90)}${HOSTILE}`;
    const place = { ...folderPlace(reports, () => NOW), title: long };
    const urls = ["/?still", "/campaign/a%20%26%20b", "/campaign/runs?still", COMPARED];
    const bodies = await Promise.all(urls.map((url) => answer([place], url)));
    const quoted = bodies.map(({ body }) =>
      String(body).replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
    );
    const frames = quoted.map((text) => `<iframe width="400" srcdoc="${text}"></iframe>`);
    const file = join(root, "frames.html");
    writeFileSync(file, `<!doctype html>${frames.join("")}<script>${MEASURE}</script>`);
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000"];
    const own = `--user-data-dir=${join(root, "profile")}`;
    const { stdout } = spawnSync(browser ?? "", [...flags, own, "--dump-dom", `file://${file}`], {
      ...{ encoding: "utf8" },
    });
    const measured: unknown = JSON.parse(/<title>(.*?)<\/title>/.exec(stdout)?.[1] ?? "[]");
    t.deepEqual(
      measured,
      urls.map(() => ({ isWider: false, unreached: 0, hasScript: false })),
    );
  },
);

const COMPARED = "/compare?campaign=campaign/a+%26+b&campaign=campaign/runs";
const MEASURE = `onload = () => {
  document.title = JSON.stringify([...document.querySelectorAll("iframe")].map((frame) => {
    const page = frame.contentDocument;
    const reached = [...page.querySelectorAll("a, button, input, .scroll")].filter((each) => {
      each.focus();
      return page.activeElement === each;
    });
    const all = page.querySelectorAll("a, button, input, .scroll").length;
    const { scrollWidth } = page.documentElement;
    return {
      isWider: scrollWidth > 400,
      unreached: all - reached.length,
      hasScript: page.querySelector("script") !== null,
    };
  }));
};`;

test("a history stays bounded", (t) => {
  const history = new ProgressHistory();
  for (let i = 0; i < 5000; i++) history.add({ ...summaryOf("x", i), seconds: i });
  const { points } = history;
  t.true(points.length > 100 && points.length <= 256, `${points.length}`);
  t.is(points[0].seconds, 0);
  const gaps = new Set(points.slice(1).map((point, i) => point.seconds - points[i].seconds));
  t.is(gaps.size, 1, "evenly");
});

test("invalid progress is refused", (t) => {
  const text = printProgress(running);
  t.deepEqual(parseProgress(text), JSON.parse(text));
  t.is(typeof parseProgress(text.replace('"ended":null', '"ended":7')), "string");
  t.is(typeof parseProgress(text.replace('"covered":10', '"covered":"10"')), "string");
  t.is(typeof parseProgress("{}"), "string");
});
