// The campaigns of a folder of reports. Nothing is written, nothing but files of reports is read, and no part of an
// address becomes a path before it is found among the names that are there.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseSummary, SUMMARY_FILE, type Summary } from "../run/summary.js";
import { ENDED } from "./night.js";
import { type ListedCampaign, type Place, RUNS, type ShownCampaign, stateAfter } from "./place.js";
import { type CampaignProgress, PROGRESS_FILE, parseProgress } from "./progress.js";

/** @param now milliseconds since 1970 */
export function folderPlace(reports: string, now: () => number): Place {
  const find = (name: string): ShownCampaign | null => {
    const folder = below(reports, name);
    return folder === null ? null : readCampaign(folder, name, now());
  };
  return {
    path: "campaign",
    title: `Campaigns in ${reports}`,
    list: async (): Promise<readonly ListedCampaign[]> =>
      namesIn(reports)
        .sort()
        .flatMap((name) => find(name) ?? []),
    more: async () => null,
    find: async (name) => find(name),
    file: async (name, report, file) => {
      const folder = below(reports, name);
      const path = folder === null ? null : below(folder, report);
      return path === null ? null : fileIn(path, file);
    },
  };
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** The folder of that name; null if there is none. */
function below(folder: string, name: string): string | null {
  if (!namesIn(folder).includes(name)) return null;
  const path = join(folder, name);
  return statSync(path).isDirectory() ? path : null;
}

function fileIn(report: string, name: string): Uint8Array | null {
  if (!namesIn(report).includes(name)) return null;
  const path = join(report, name);
  return statSync(path).isFile() ? readFileSync(path) : null;
}

function readCampaign(folder: string, name: string, now: number): ShownCampaign | null {
  const progress = read(join(folder, PROGRESS_FILE), parseProgress);
  const summary = latestOf(progress, read(join(folder, SUMMARY_FILE), parseSummary));
  if (summary === null) return null;
  const state = stateOf(progress, now);
  const { points = [] } = progress ?? {};
  const startedAt = progress?.startedAt ?? null;
  const nothing = { facts: [], workers: null };
  const isRunning = state === RUNS;
  return { key: name, name, state, isRunning, startedAt, summary, points, ...nothing };
}

/** A summary of an earlier run stays until the campaign ends. */
function latestOf(progress: CampaignProgress | null, summary: Summary | null): Summary | null {
  if (progress === null) return summary;
  return progress.ended === null ? progress.summary : (summary ?? progress.summary);
}

function read<T extends object>(path: string, parse: (text: string) => T | string): T | null {
  if (!existsSync(path)) return null;
  const parsed = parse(readFileSync(path, "utf8"));
  return typeof parsed === "string" ? null : parsed;
}

/** A campaign of an older build has no progress. */
function stateOf(progress: CampaignProgress | null, now: number): string {
  if (progress === null) return "ended";
  if (progress.ended !== null) return `ended: ${ENDED[progress.ended]}`;
  return stateAfter((now - progress.at) / 1000);
}
