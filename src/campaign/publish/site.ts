// What `fuzz serve` answers: pages about the campaigns of one folder. Nothing is written, nothing but files of
// reports is read, and no name of a request becomes a path before it is found among those that are there.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { type Markup, markup } from "../../report/page/markup.js";
import { documentOf } from "../../report/page/page.js";
import { type Column, tableOf } from "../../report/page/table.js";
import { figuresOf } from "../distribution/figures.js";
import type { FindingEntry } from "../file/filing.js";
import { parseSummary, SUMMARY_FILE, type Summary } from "../run/summary.js";
import { ENDED, executionsOf, findingsOf, isNews } from "./night.js";
import { campaignPage, overTime } from "./page.js";
import { type CampaignProgress, PROGRESS_FILE, parseProgress } from "./progress.js";

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** A campaign that has not written for so long was killed, or its machine sleeps. */
const SILENT_SECONDS = 60;
const REFRESH_SECONDS = 5;
const RUNS = "running";

/**
 * @param path of the request, decoded by nobody yet, with its query
 * @param now milliseconds since 1970
 */
export function answer(reports: string, path: string, now: number): Answer {
  const [pathname, query] = path.split("?", 2);
  const parts = partsOf(pathname);
  if (parts === null) return notFound();
  if (parts.length === 0) return page(index(reports, now));
  if (parts.length === 1 && parts[0] === "compare") {
    return compare(reports, new URLSearchParams(query).getAll("campaign"));
  }
  const [kind, campaign, finding, file, ...more] = parts;
  const folder = kind === "campaign" ? below(reports, campaign) : null;
  if (folder === null || more.length > 0) return notFound();
  if (finding === undefined) {
    const read = readCampaign(folder);
    return read === null ? notFound() : page(campaignOf(read, now));
  }
  const report = below(folder, finding);
  return report === null ? notFound() : fileOf(report, file);
}

function partsOf(pathname: string): string[] | null {
  try {
    return pathname
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
  } catch {
    return null; // not the encoding of anything
  }
}

/** The folder of that name; null if there is none. */
function below(folder: string, name: string | undefined): string | null {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (name === undefined || !names.includes(name)) return null;
  const path = join(folder, name);
  return statSync(path).isDirectory() ? path : null;
}

const notFound = (): Answer => ({
  status: 404,
  type: "text/plain; charset=utf-8",
  body: "nothing is here\n",
});
const page = (body: string): Answer => ({ status: 200, type: "text/html; charset=utf-8", body });

/** Only a report's page is one; all else is shown as the text that it is. */
function fileOf(report: string, name: string | undefined): Answer {
  if (name === undefined || !readdirSync(report).includes(name)) return notFound();
  const path = join(report, name);
  if (!statSync(path).isFile()) return notFound();
  const isPage = name === "report.html";
  const isText = [".md", ".ir", ".json", ".txt", ".c", ".mjs"].includes(extname(name));
  const type = isPage ? "text/html" : isText ? "text/plain" : "application/octet-stream";
  return { status: 200, type: `${type}; charset=utf-8`, body: readFileSync(path) };
}

interface ReadCampaign {
  readonly folder: string;
  readonly summary: Summary;
  /** Null of a campaign of an older build. */
  readonly progress: CampaignProgress | null;
}

function readCampaign(folder: string): ReadCampaign | null {
  const progress = read(join(folder, PROGRESS_FILE), parseProgress);
  const summary = read(join(folder, SUMMARY_FILE), parseSummary);
  // A summary of an earlier run stays until the campaign ends.
  const latest = progress !== null && progress.ended === null ? progress.summary : summary;
  if (latest === null)
    return progress === null ? null : { folder, summary: progress.summary, progress };
  return { folder, summary: latest, progress };
}

function read<T extends object>(path: string, parse: (text: string) => T | string): T | null {
  if (!existsSync(path)) return null;
  const parsed = parse(readFileSync(path, "utf8"));
  return typeof parsed === "string" ? null : parsed;
}

function stateOf({ progress }: ReadCampaign, now: number): string {
  if (progress === null) return "ended";
  if (progress.ended !== null) return `ended: ${ENDED[progress.ended]}`;
  const silent = (now - progress.at) / 1000;
  return silent < SILENT_SECONDS ? RUNS : `silent for ${Math.round(silent / 60)} min`;
}

function campaignOf(read: ReadCampaign, now: number): string {
  const state = stateOf(read, now);
  const refresh = state === RUNS ? REFRESH_SECONDS : null;
  const { points = [] } = read.progress ?? {};
  const base = `/campaign/${encodeURIComponent(basename(read.folder))}`;
  const linkOf = ({ path }: FindingEntry): string =>
    `${base}/${encodeURIComponent(basename(path))}/report.html`;
  return campaignPage(read.summary, linkOf, { state, points, refresh });
}

function index(reports: string, now: number): string {
  const names = existsSync(reports) ? readdirSync(reports).sort() : [];
  const all = names.flatMap((name) => {
    const folder = below(reports, name);
    const read = folder === null ? null : readCampaign(folder);
    return read === null ? [] : [{ name, read, state: stateOf(read, now) }];
  });
  const rows = all.map(({ name, read: { summary }, state }) => {
    const { tally, seconds } = summary;
    const findings = findingsOf(summary);
    const news = findings.filter(isNews).length;
    const { different, unjudged } = executionsOf(tally);
    const cells = [
      markup`<input type="checkbox" name="campaign" value="${name}" aria-label="compare ${name}">`,
      linkTo(name),
      state,
      tally.programs,
      Math.round(tally.programs / Math.max(seconds, 1e-3)),
      ...[different, unjudged, news, findings.length - news],
    ];
    return { cells, isWrong: news > 0 };
  });
  const table = markup`<form action="/compare">${tableOf("campaigns", COLUMNS, rows)}<p><button>Compare those that are ticked</button></p></form>`;
  const running = all
    .filter(({ state }) => state === RUNS)
    .map(
      ({ name, read }) => markup`<p>${linkTo(name)}</p>${overTime(read.progress?.points ?? [])}`,
    );
  const news = all.filter(({ read }) => findingsOf(read.summary).some(isNews)).length;
  return documentOf({
    title:
      news === 0
        ? "Nothing new found"
        : `${news === 1 ? "One campaign" : `${news} campaigns`} with findings`,
    facts: [["campaigns", `${all.length}, ${running.length || "none"} of them running`]],
    sections: [
      ...(running.length === 0
        ? []
        : [{ id: "running", title: "Running", body: markup`${running}` }]),
      { id: "campaigns", title: "Campaigns", body: all.length === 0 ? none() : table },
    ],
    footer: "Touchstone",
    refresh: running.length > 0 ? REFRESH_SECONDS : null,
  });
}

const COLUMNS: readonly Column[] = [
  { title: "", is: "text" },
  { title: "campaign", is: "code" },
  { title: "state", is: "text" },
  ...["programs", "a second", "different", "unjudged", "new", "known"].map(
    (title): Column => ({ title, is: "number" }),
  ),
];

const linkTo = (name: string): Markup =>
  markup`<a href="/campaign/${encodeURIComponent(name)}">${name}</a>`;

const none = (): Markup => markup`<p class="quiet">None here yet: fuzz run makes one.</p>`;

/** Figures of campaigns side by side; what differs by a tenth or more stands out. */
function compare(reports: string, names: readonly string[]): Answer {
  const chosen = names.flatMap((name) => {
    const folder = below(reports, name);
    const read = folder === null ? null : readCampaign(folder);
    return read === null ? [] : [{ name, summary: read.summary }];
  });
  if (chosen.length < 2) {
    const body = "two campaigns are compared: tick them on the first page\n";
    return { ...notFound(), status: 400, body };
  }
  const columns = chosen.map(({ summary }) => {
    const { tally, seconds, sample } = summary;
    const all = [...figuresOf(tally, seconds), ...(sample?.figures ?? [])];
    return new Map(all.map(({ name, value }) => [name, value]));
  });
  const figures = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  const rows = figures.map((figure) => {
    const values = columns.map((column) => column.get(figure));
    const numbers = values.filter((value) => typeof value === "number");
    const isFar = numbers.length > 1 && Math.max(...numbers) > 1.1 * Math.min(...numbers);
    return { cells: [figure, ...values.map((value) => value ?? "")], isWrong: isFar };
  });
  const heads = chosen.map(({ name }): Column => ({ title: name, is: "number" }));
  const body = tableOf("figures", [{ title: "figure", is: "code" }, ...heads], rows);
  return page(
    documentOf({
      title: "Campaigns side by side",
      facts: [["campaigns", chosen.map(({ name }) => name).join(", ")]],
      sections: [{ id: "figures", title: "Figures", body }],
      footer: "Touchstone",
      refresh: null,
    }),
  );
}
