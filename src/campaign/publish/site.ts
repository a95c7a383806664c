// Answers the requests of `fuzz serve`: pages about the campaigns of a folder and of a store. It
// writes nothing. The contents of campaigns are shown as text; a report's own page is shown in a
// sandbox.

import { basename, extname } from "node:path";
import { type HtmlMarkup, markup } from "../../report/page/markup.js";
import { documentOf, type PageSection } from "../../report/page/page.js";
import { type TableColumn, tableOf } from "../../report/page/table.js";
import { figuresOf } from "../count/figures.js";
import type { FindingEntry } from "../file/filing.js";
import { executionsOf, findingsOf, isNews } from "./night.js";
import { campaignPage, overTime } from "./page.js";
import type { CampaignSource, ListedCampaign, ShownCampaign } from "./place.js";

export interface HttpResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** The body comes from a report: it must not run anything. */
  readonly isForeign: boolean;
}

const REFRESH_SECONDS = 5;
/** A parameter of addresses: the page does not reload itself. */
const STILL = "still";

/**
 * Answers a request.
 * @param url the request's URL, as it came, with its query
 */
export async function answer(
  places: readonly CampaignSource[],
  url: string,
): Promise<HttpResponse> {
  const [pathname, query] = url.split("?", 2);
  const asked = new URLSearchParams(query);
  const parts = partsOf(pathname);
  if (parts === null) return notFound();
  const refresh = asked.has(STILL) ? null : REFRESH_SECONDS;
  if (parts.length === 0) return page(await index(places, refresh));
  if (parts.length === 1 && parts[0] === "compare") {
    return compare(places, asked.getAll("campaign"));
  }
  const [path, key, report, name, ...more] = parts;
  const place = places.find((one) => one.path === path);
  if (place === undefined || key === undefined || more.length > 0) return notFound();
  if (report === undefined) {
    const shown = await place.find(key);
    return shown === null ? notFound() : page(campaignOf(place, shown, refresh));
  }
  const content = name === undefined ? null : await place.file(key, report, name);
  return content === null ? notFound() : fileOf(name, content);
}

function partsOf(pathname: string): string[] | null {
  try {
    return pathname
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
  } catch {
    return null; // invalid percent-encoding
  }
}

const textAnswer = (status: number, body: string): HttpResponse => ({
  ...{ status, type: "text/plain; charset=utf-8", body, isForeign: false },
});
const notFound = (): HttpResponse => textAnswer(404, "not found\n");
const page = (body: string): HttpResponse => ({
  ...{ status: 200, type: "text/html; charset=utf-8", body, isForeign: false },
});

/** Only a report's page is HTML; other files are shown as text or downloaded. */
function fileOf(name: string, body: Uint8Array): HttpResponse {
  const isPage = name === "report.html";
  const isText = [".md", ".ir", ".json", ".txt", ".c", ".mjs", ".sh"].includes(extname(name));
  const type = isPage ? "text/html" : isText ? "text/plain" : "application/octet-stream";
  return { status: 200, type: `${type}; charset=utf-8`, body, isForeign: true };
}

const addressOf = ({ path }: CampaignSource, key: string): string =>
  `/${path}/${encodeURIComponent(key)}`;

function campaignOf(place: CampaignSource, shown: ShownCampaign, refresh: number | null): string {
  const { summary, state, points, isRunning, facts, workers } = shown;
  const base = addressOf(place, shown.key);
  const linkOf = ({ path }: FindingEntry): string =>
    `${base}/${encodeURIComponent(basename(path))}/report.html`;
  const again = isRunning ? refresh : null;
  return campaignPage(summary, linkOf, { state, points, refresh: again, facts, workers });
}

async function index(places: readonly CampaignSource[], refresh: number | null): Promise<string> {
  const listed = await Promise.all(
    places.map(async (place) => ({ place, list: await place.list(), more: await place.more() })),
  );
  const all = listed.flatMap(({ place, list }) =>
    typeof list === "string" ? [] : list.map((campaign) => ({ place, campaign })),
  );
  const running = all.filter(({ campaign }) => campaign.isRunning);
  const news = all.filter(({ campaign: { summary } }) => summary !== null && newsIn(summary) > 0);
  const sections: PageSection[] = listed.map(({ place, list, more }) => ({
    id: place.path,
    title: place.title,
    body: typeof list === "string" ? quiet(list) : markup`${tableIn(place, list)}${more}`,
  }));
  return documentOf({
    title:
      news.length === 0
        ? "Nothing new found"
        : `${news.length === 1 ? "One campaign" : `${news.length} campaigns`} with findings`,
    facts: [["campaigns", `${all.length}, ${running.length || "none"} of them running`]],
    sections: [...runningSection(running), ...sections],
    footer: "Touchstone",
    refresh: running.length > 0 ? refresh : null,
  });
}

const newsIn = (summary: NonNullable<ListedCampaign["summary"]>): number =>
  findingsOf(summary).filter(isNews).length;

const quiet = (text: string): HtmlMarkup => markup`<p class="quiet">${text}</p>`;

function runningSection(
  running: readonly { readonly place: CampaignSource; readonly campaign: ListedCampaign }[],
): readonly PageSection[] {
  if (running.length === 0) return [];
  const curves = running.map(
    ({ place, campaign }) => markup`<p>${linkTo(place, campaign)}</p>${overTime(campaign.points)}`,
  );
  return [{ id: "running", title: "Running", body: markup`${curves}` }];
}

/** Makes the table of campaigns of one place, with a box to select each for comparison. */
function tableIn(place: CampaignSource, list: readonly ListedCampaign[]): HtmlMarkup {
  if (list.length === 0) return quiet("No campaigns yet: fuzz run starts one.");
  const latestFirst = [...list].sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0));
  const rows = latestFirst.map((campaign) => {
    const { key, name, state, startedAt, summary } = campaign;
    const start = startedAt === null ? "" : describeTime(startedAt);
    const value = `${place.path}/${key}`;
    const tick = markup`<input type="checkbox" name="campaign" value="${value}" aria-label="compare ${name}">`;
    if (summary === null) return { cells: [tick, name, start, state, "", "", "", "", "", ""] };
    const { tally, seconds } = summary;
    const news = newsIn(summary);
    const { different, unjudged } = executionsOf(tally);
    const cells = [
      ...[tick, linkTo(place, campaign), start, state, tally.programs],
      Math.round(tally.programs / Math.max(seconds, 1e-3)),
      ...[different, unjudged, news, findingsOf(summary).length - news],
    ];
    return { cells, isWrong: news > 0 };
  });
  const table = tableOf(place.title, COLUMNS, rows);
  return markup`<form action="/compare">${table}<p><button>Compare selected</button></p></form>`;
}

const COLUMNS: readonly TableColumn[] = [
  { title: "", is: "text" },
  { title: "campaign", is: "code" },
  { title: "started, UTC", is: "text" },
  { title: "state", is: "text" },
  ...["programs", "a second", "different", "unjudged", "new", "known"].map(
    (title): TableColumn => ({ title, is: "number" }),
  ),
];

const describeTime = (at: number): string =>
  new Date(at).toISOString().slice(0, 16).replace("T", " ");

const linkTo = (place: CampaignSource, { key, name }: ListedCampaign): HtmlMarkup =>
  markup`<a href="${addressOf(place, key)}">${name}</a>`;

/**
 * Compares campaigns.
 * @param chosen the path of a place and a key, for each campaign
 */
async function compare(
  places: readonly CampaignSource[],
  chosen: readonly string[],
): Promise<HttpResponse> {
  const found = await Promise.all(
    chosen.map((value) => {
      const slash = value.indexOf("/");
      const place = places.find(({ path }) => path === value.slice(0, slash));
      return place?.find(value.slice(slash + 1)) ?? null;
    }),
  );
  const campaigns = found.filter((campaign) => campaign !== null);
  if (campaigns.length < 2) {
    return textAnswer(400, "select at least two campaigns on the first page\n");
  }
  return page(
    documentOf({
      title: "Campaigns side by side",
      facts: [["campaigns", campaigns.map(({ name }) => name).join(", ")]],
      sections: [{ id: "figures", title: "Figures", body: sideBySide(campaigns) }],
      footer: "Touchstone",
      refresh: null,
    }),
  );
}

/** Makes a table of figures; those that differ by a tenth or more are highlighted. */
function sideBySide(campaigns: readonly ShownCampaign[]): HtmlMarkup {
  const columns = campaigns.map(({ summary: { tally, seconds } }) => {
    return new Map(figuresOf(tally, seconds).map(({ name, value }) => [name, value]));
  });
  const figures = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  const rows = figures.map((figure) => {
    const values = columns.map((column) => column.get(figure));
    const numbers = values.filter((value) => typeof value === "number");
    const isFar = numbers.length > 1 && Math.max(...numbers) > 1.1 * Math.min(...numbers);
    return { cells: [figure, ...values.map((value) => value ?? "")], isWrong: isFar };
  });
  const heads = campaigns.map(({ name }): TableColumn => ({ title: name, is: "number" }));
  const table = tableOf("figures", [{ title: "figure", is: "code" }, ...heads], rows);
  return markup`<p class="quiet">Figures that differ by a tenth or more are highlighted. A figure from 0 to 1 is a share.</p>${table}`;
}
