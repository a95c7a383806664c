// Makes one page of a campaign: findings first, then judged programs and coverage. The page loads
// nothing and runs no script; it links to reports beside it.

import { commandLine } from "../../report/finding.js";
import { type HtmlMarkup, markup } from "../../report/page/markup.js";
import { documentOf, type PageSection } from "../../report/page/page.js";
import { grouped, type TableColumn, tableOf } from "../../report/page/table.js";
import { APPLICABLE, neverApplied } from "../count/applied.js";
import { reachedOf } from "../count/counters.js";
import { figuresOf } from "../count/figures.js";
import type { FindingEntry } from "../file/filing.js";
import type { CampaignSummary } from "../run/summary.js";
import { executionsOf, faultsOf, findingsOf, isNews } from "./night.js";
import type { ProgressPoint } from "./progress.js";

/** Additional contents of the page of a running campaign. */
interface RunningCampaign {
  /** The state in words. */
  readonly state: string;
  readonly points: readonly ProgressPoint[];
  /** Seconds until the page is reloaded; null if nothing changes any more. */
  readonly refresh: number | null;
  /** Terms with their texts, in addition to those of the summary. */
  readonly facts: readonly (readonly [term: string, text: string])[];
  /** A table of the fleet's workers; null: none. */
  readonly workers: HtmlMarkup | null;
}

/**
 * Returns the HTML page of one campaign.
 * @param linkOf returns the address of a finding's page
 */
export function campaignPage(
  summary: CampaignSummary,
  linkOf: (entry: FindingEntry) => string,
  live: RunningCampaign | null,
): string {
  const { campaigns, generators, tally, seconds, intervals } = summary;
  const news = findingsOf(summary).filter(isNews).length;
  const { equal, different, unjudged } = executionsOf(tally);
  const sections: PageSection[] = [];
  const add = (id: string, title: string, body: HtmlMarkup | null): void => {
    if (body !== null) sections.push({ id, title, body });
  };
  add("found", "Found", found(summary, linkOf));
  add("time", "Over time", live === null ? null : overTime(live.points));
  add("workers", "Workers", live?.workers ?? null);
  add("missed", "Not reached", missed(faultsOf(summary)));
  add("subjects", "Subjects", subjects(summary));
  add("covered", "Covered", covered(summary));
  add("figures", "Figures", figures(summary));
  return documentOf({
    title: news === 0 ? "Nothing new found" : news === 1 ? "One finding" : `${news} findings`,
    refresh: live?.refresh ?? null,
    facts: [
      ["campaign", campaigns.join(", ")],
      ...(live === null ? [] : [["state", live.state] as const]),
      [
        "programs",
        `${grouped(tally.programs)} in ${grouped(Math.round(seconds))} s, ${(tally.programs / seconds).toFixed(1)} a second`,
      ],
      [
        "executions",
        `${grouped(equal)} equal, ${grouped(different)} different, ${grouped(unjudged)} unjudged`,
      ],
      ...(live?.facts ?? []),
      ["seeds", intervals.map(([first, last]) => `${first} to ${last}`).join(", ") || "none"],
    ],
    sections,
    footer: `Generator ${generators.join(", ")}.`,
  });
}

const number = (title: string): TableColumn => ({ title, is: "number" });
const code = (title: string): TableColumn => ({ title, is: "code" });

function found(summary: CampaignSummary, linkOf: (entry: FindingEntry) => string): HtmlMarkup {
  const findings = findingsOf(summary);
  if (findings.length === 0) return markup`<p class="quiet">Nothing.</p>`;
  const rows = findings.map((entry) => {
    const { bucket, news, seed, values, detail, command, instances } = entry;
    const link = markup`<a href="${linkOf(entry)}">${bucket}</a>`;
    const seen = `${detail}\n${commandLine(command)}`;
    const cells = [link, news, seed ?? "", values ?? "", instances, seen];
    return { cells, isWrong: isNews(entry) };
  });
  return tableOf(
    "findings",
    [
      code("bucket"),
      { title: "news", is: "text" },
      number("seed"),
      number("values"),
      number("seen"),
      code("difference, and the command to reproduce it"),
    ],
    rows,
  );
}

/** Draws the history of a campaign as curves; null while there is nothing to draw. */
export function overTime(points: readonly ProgressPoint[]): HtmlMarkup | null {
  const rates = ratesOf(points);
  const of = (key: keyof ProgressPoint): [number, number][] =>
    points.map((p) => [p.seconds, p[key]]);
  const curves = [
    curve("programs a second", rates),
    curve("covered", of("covered")),
    curve("symptoms", of("symptoms")),
  ];
  return curves.every((picture) => picture === null)
    ? null
    : markup`<div class="curves">${curves.filter((picture) => picture !== null)}</div>`;
}

/** The shortest time in seconds between two points from which a rate is computed. */
const RATE_SECONDS = 1;

/** Returns the programs a second between points that are far enough apart. */
function ratesOf(points: readonly ProgressPoint[]): [number, number][] {
  const rates: [number, number][] = [];
  let before = points[0];
  for (const point of points) {
    const seconds = point.seconds - before.seconds;
    if (seconds < RATE_SECONDS) continue;
    rates.push([point.seconds, (point.programs - before.programs) / seconds]);
    before = point;
  }
  return rates;
}

function missed(faults: readonly string[]): HtmlMarkup | null {
  if (faults.length === 0) return null;
  return markup`<ul>${faults.map((fault) => markup`<li>${fault}</li>`)}</ul>`;
}

function subjects({ tally }: CampaignSummary): HtmlMarkup {
  const rows = Object.entries(tally.subjects).map(([name, { equal, different, unjudged }]) => ({
    cells: [name, tally.code[name]?.programs ?? "", equal, different, unjudged],
    isWrong: different > 0,
  }));
  return tableOf(
    "subjects",
    [code("executions by"), ...["programs", "equal", "different", "unjudged"].map(number)],
    rows,
  );
}

function covered({ tally }: CampaignSummary): HtmlMarkup {
  const never = neverApplied(tally);
  const optimizer = (["phases", "rules"] as const).map((kind) => {
    const count = APPLICABLE[kind].length;
    return { cells: [kind, count - never[kind].length, count, never[kind].join(", ")] };
  });
  const behind = reachedOf(tally).map(({ kind, reached, count, never }) => ({
    cells: [kind, reached, count, never.join(", ")],
  }));
  return tableOf(
    "coverage",
    [code("what"), number("reached"), number("of"), code("never")],
    [...optimizer, ...behind],
  );
}

function figures({ tally, seconds }: CampaignSummary): HtmlMarkup {
  const rows = figuresOf(tally, seconds).map(({ name, value, floor }) => ({
    cells: [name, value, floor ?? ""],
  }));
  return tableOf("figures", [code("figure"), number("value"), number("floor")], rows);
}

const WIDTH = 640;
const HEIGHT = 120;
const MARGIN = 4;

/**
 * Draws numbers over time as a small picture that starts at zero; null for fewer than two points.
 * Below the line it prints the first and the last value with their times.
 * @param label the quantity, also for screen readers
 * @param points seconds and a value, in the order of time
 */
function curve(
  label: string,
  points: readonly (readonly [x: number, y: number])[],
): HtmlMarkup | null {
  if (points.length < 2) return null;
  const [first, last] = [points[0], points[points.length - 1]];
  const highest = points.reduce((most, [, y]) => Math.max(most, y), 0);
  const span = last[0] - first[0] || 1;
  const path = points
    .map(([x, y], i) => {
      const across = MARGIN + ((x - first[0]) / span) * (WIDTH - 2 * MARGIN);
      const down = HEIGHT - MARGIN - (y / (highest || 1)) * (HEIGHT - 2 * MARGIN);
      return `${i === 0 ? "M" : "L"}${across.toFixed(1)} ${down.toFixed(1)}`;
    })
    .join("");
  const says = `${label}: ${round(first[1])} at first, ${round(last[1])} at last, ${round(highest)} at most`;
  const [begin, end] = [first, last].map(([x, y]) => `${round(y)} after ${describeTime(x)}`);
  return markup`<figure><figcaption>${label}, ${round(highest)} at most</figcaption><svg class="curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${says}"><path d="${path}"/></svg><p class="axis"><span>${begin}</span><span>${end}</span></p></figure>\n`;
}

const round = (value: number): string =>
  grouped(Number.isInteger(value) ? value : Number(value.toPrecision(3)));

function describeTime(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
