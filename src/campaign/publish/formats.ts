// The formats of a campaign's result, by the names that `fuzz stats --format` takes.

import { join, relative, sep } from "node:path";
import type { FindingEntry } from "../file/filing.js";
import type { CampaignSummary } from "../run/summary.js";
import { junitOf } from "./junit.js";
import { markdownOf } from "./markdown.js";
import { campaignPage } from "./page.js";
import { sarifOf } from "./sarif.js";

interface SummaryFormat {
  /**
   * Returns the text of the file.
   * @param folder the folder of the file: links are relative to it
   * @param version the version of Touchstone
   */
  readonly write: (summary: CampaignSummary, folder: string, version: string) => string;
}

export const FORMATS = {
  markdown: { write: markdownOf },
  html: {
    write: (summary, folder) => campaignPage(summary, (entry) => linkFrom(folder, entry), null),
  },
  junit: { write: junitOf },
  sarif: { write: (summary, _, version) => sarifOf(summary, version) },
} as const satisfies Readonly<Record<string, SummaryFormat>>;

/** Returns a link from a page in the folder: below or beside it, never an address with a scheme. */
function linkFrom(folder: string, { path }: FindingEntry): string {
  const parts = relative(folder, join(path, "report.html")).split(sep);
  return `./${parts.map(encodeURIComponent).join("/")}`;
}

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[]; // the keys of the table above
