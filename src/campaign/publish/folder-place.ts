// Reads the campaigns of a folder of reports. It writes nothing and reads only files of reports. No
// part of an address becomes a path before it is found among the existing names. Only regular files
// and folders whose real path is below the folder count; an unreadable entry is treated as absent.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from "node:fs";
import { join, sep } from "node:path";
import { reasonOf } from "../../support/machine-error.js";
import { type CampaignSummary, parseSummary, SUMMARY_FILE } from "../run/summary.js";
import { END_REASONS } from "./night.js";
import {
  type CampaignSource,
  type ListedCampaign,
  RUNS,
  type ShownCampaign,
  stateAfter,
} from "./place.js";
import { type CampaignProgress, PROGRESS_FILE, parseProgress } from "./progress.js";

/**
 * Returns the campaigns of a folder.
 * @param now milliseconds since 1970
 */
export function folderPlace(reports: string, now: () => number): CampaignSource {
  const find = (name: string): ShownCampaign | null => {
    const folder = below(reports, reports, name);
    return folder === null ? null : readCampaign(reports, folder, name, now());
  };
  return {
    path: "campaign",
    title: `Campaigns in ${reports}`,
    list: async (): Promise<readonly ListedCampaign[] | string> => {
      if (!existsSync(reports)) return [];
      try {
        return readdirSync(reports)
          .sort()
          .flatMap((name) => find(name) ?? []);
      } catch (error) {
        return `This folder cannot be read: ${reasonOf(error)}`;
      }
    },
    more: async () => null,
    find: async (name) => find(name),
    file: async (name, report, file) => {
      const folder = below(reports, reports, name);
      const path = folder === null ? null : below(reports, folder, report);
      const isThere = path !== null && namesIn(path).includes(file);
      return isThere ? bytesOf(reports, join(path, file)) : null;
    },
  };
}

/** Returns the names in a folder; none if it is no folder, or cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the real path of that name in the folder; null if it is absent, or leads out of `reports`. */
function below(reports: string, folder: string, name: string): string | null {
  return namesIn(folder).includes(name) ? realPathBelow(reports, join(folder, name)) : null;
}

function realPathBelow(reports: string, path: string): string | null {
  try {
    const root = realpathSync(reports);
    const real = realpathSync(path);
    return real.startsWith(root.endsWith(sep) ? root : root + sep) ? real : null;
  } catch {
    return null; // a dangling link, a loop of links, a name that is not UTF-8
  }
}

const OPEN_MODE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads a regular file, without waiting for the writer of a FIFO; null if there is none, or it cannot be read. */
function bytesOf(reports: string, path: string): Uint8Array | null {
  const real = realPathBelow(reports, path);
  if (real === null) return null;
  let file: number | null = null;
  try {
    file = openSync(real, OPEN_MODE);
    return fstatSync(file).isFile() ? readFileSync(file) : null;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

function readCampaign(
  reports: string,
  folder: string,
  name: string,
  now: number,
): ShownCampaign | null {
  const progress = read(reports, join(folder, PROGRESS_FILE), parseProgress);
  const summary = latestOf(progress, read(reports, join(folder, SUMMARY_FILE), parseSummary));
  if (summary === null) return null;
  const state = stateOf(progress, now);
  const isRunning = state.startsWith(RUNS);
  const { points = [] } = progress ?? {};
  const startedAt = progress?.startedAt ?? null;
  const nothing = { facts: [], workers: null };
  return { key: name, name, state, isRunning, startedAt, summary, points, ...nothing };
}

/** Returns the latest summary. A summary of an earlier run stays until the campaign ends. */
function latestOf(
  progress: CampaignProgress | null,
  summary: CampaignSummary | null,
): CampaignSummary | null {
  if (progress === null) return summary;
  return progress.ended === null ? progress.summary : (summary ?? progress.summary);
}

function read<T extends object>(
  reports: string,
  path: string,
  parse: (text: string) => T | string,
): T | null {
  const bytes = bytesOf(reports, path);
  const parsed = bytes === null ? "absent" : parse(Buffer.from(bytes).toString());
  return typeof parsed === "string" ? null : parsed;
}

/** Describes the state. A campaign of an older build has no progress. */
function stateOf(progress: CampaignProgress | null, now: number): string {
  if (progress === null) return "ended";
  if (progress.ended !== null) return `ended: ${END_REASONS[progress.ended]}`;
  const state = stateAfter((now - progress.at) / 1000);
  const { examining = null } = progress;
  return state === RUNS && examining !== null ? `${state}: ${examining}` : state;
}
