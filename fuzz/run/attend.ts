// Provides the environment of a campaign on the command line: a name, a folder, progress output and
// signal handlers.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { ROUND_PROGRAMS } from "../../src/campaign/evolved/evolution.js";
import type { FindingEntry } from "../../src/campaign/file/filing.js";
import { outsideSteps } from "../../src/campaign/program/outside.js";
import { USUAL } from "../../src/campaign/program/seeds.js";
import type { Campaign } from "../../src/campaign/run/campaign.js";
import type { RawFinding } from "../../src/campaign/run/found.js";
import type { JudgeSettings } from "../../src/campaign/run/judge-seed.js";
import type { CampaignOptions, CampaignResult } from "../../src/campaign/run/options.js";
import { generatorVersion } from "../../src/generate/version.js";
import { splitSymptom } from "../../src/report/bucket.js";
import { commandLine } from "../../src/report/finding.js";
import { isBuildReplaced } from "../../src/support/build-id.js";
import { lockFolder } from "../../src/support/lock-folder.js";
import { MachineError } from "../../src/support/machine-error.js";
import { checkWritable, makeFolders, removeUnfinished } from "../../src/support/whole-file.js";
import { onEndingSignals } from "../support/ending-signals.js";
import { onReaderGone, printAside, printLine, usageError } from "../support/output.js";
import type { ProgressView } from "./progress.js";

/** Options that campaigns and canaries share. */
export interface RunPlan {
  readonly first: bigint;
  readonly count: number;
  readonly seconds: number;
  readonly workers: number;
  /** The folder of campaigns. */
  readonly reports: string;
  readonly json: boolean;
}

const HANG_SECONDS = 30;
export const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const REPEAT_SECONDS = 60;

/**
 * Returns a function that prints refusals of the machine to standard error, each text at most once
 * a minute.
 */
export function refusalTeller(): (line: string) => void {
  const saidAt = new Map<string, number>();
  return (line) => {
    const now = performance.now();
    if (now - (saidAt.get(line) ?? -Infinity) < REPEAT_SECONDS * 1000) return;
    saidAt.set(line, now);
    // A campaign ends if its build was replaced, so it does not retry.
    printAside(isBuildReplaced() ? `fuzz: ${line}` : `fuzz: ${line}; retrying`);
  };
}

export const describeFound = ({ seed, detail }: RawFinding, symptom: string): string =>
  `found ${symptom}, seed ${seed}: ${detail}`;

/**
 * Returns a function that formats a finding, or returns null if a similar finding was announced
 * before, for any subject. One bug of a phase appears in dozens of subjects.
 */
export function announcer(): (found: RawFinding, symptom: string) => string | null {
  const told = new Set<string>();
  return (found, symptom) => {
    const { what } = splitSymptom(symptom);
    if (told.has(what)) return null;
    told.add(what);
    return describeFound(found, symptom);
  };
}

export function commonOptions(
  { first, count, seconds, workers }: RunPlan,
  folder: string,
): Omit<CampaignOptions, "settings" | "isEnough" | "isReported" | "onFound"> {
  return {
    first,
    count,
    seconds,
    workers,
    reports: folder,
    roundPrograms: ROUND_PROGRAMS,
    hangSeconds: HANG_SECONDS,
    fault: null,
    from: null,
    helpers: null,
    onState: () => {},
    onRefusal: () => {},
    onWorker: () => {},
  };
}

/** Shortens the long profile names that aim at many parts of the compiler. */
const fileNameOf = (profile: string): string =>
  /^[a-z-]+$/.test(profile) ? profile : profile.replace(/:.*/, `-${shortHash(profile)}`);

const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 8);

/**
 * Returns a deterministic name, so that repeating a campaign continues the same campaign. Different
 * judging settings give a different name, so they do not overwrite this summary.
 */
export function campaignName(
  { first, count, seconds }: RunPlan,
  { subjects, drawn, profile, remote, outside = [] }: Omit<JudgeSettings, "canary">,
  prefix = "",
): string {
  const parts = [`${prefix}seed-${first}`, ...(profile === USUAL ? [] : [fileNameOf(profile)])];
  if (Number.isFinite(count)) parts.push(`count-${count}`);
  if (Number.isFinite(seconds)) parts.push(`for-${seconds}s`);
  const judged = [subjects, drawn, ...(remote ?? []), ...outsideSteps(outside)];
  const hash = shortHash(JSON.stringify(judged));
  return [...parts, `s${hash}`, `g${generatorVersion.slice(0, 8)}`].join("-");
}

/** @throws UserError */
export function makeFolder(reports: string, name: string): string {
  if (reports === "") throw usageError("--reports: expected the name of a folder");
  const folder = join(reports, name);
  try {
    makeFolders(folder);
    checkWritable(folder);
  } catch (error) {
    if (error instanceof MachineError)
      throw usageError(`${error.message}; --reports names another`);
    throw error;
  }
  return folder;
}

/**
 * Locks the folder of a campaign for this process, and removes files that a killed process left
 * incomplete.
 * @returns a function that releases the folder
 * @throws UserError
 */
export function claimFolder(folder: string, name: string): () => void {
  const release = lockFolder(folder);
  if (release === null) {
    throw usageError(`campaign ${name} is running already, in ${folder}: wait for it, or end it`);
  }
  removeUnfinished(folder);
  return release;
}

/**
 * Runs a campaign with progress on standard error. A signal ends it early, with complete files and
 * a status. If the reader of its output ends (`fuzz run | head`), the campaign ends as well, unless
 * it has a limit of its own.
 */
export async function attended(campaign: Campaign, view: ProgressView): Promise<CampaignResult> {
  const interrupt = (): void => campaign.interrupt();
  const leaveSignals = onEndingSignals(interrupt);
  view.start();
  try {
    const result = campaign.run();
    if (!campaign.endsByItself) onReaderGone(interrupt);
    return await result;
  } finally {
    view.stop();
    leaveSignals();
  }
}

/** Returns whether some fresh process did not repeat the difference. */
export const hasDoubt = ({ doubt = null }: FindingEntry): boolean => doubt !== null;

/** Prints each finding with its report and the command that reproduces it. */
export function printEntries(entries: readonly FindingEntry[]): void {
  for (const entry of entries) {
    const { bucket, bucketId, news, seed, path, command, instances, aspects = [] } = entry;
    const count = instances === 1 ? "" : `, ${instances} instances`;
    const seen = aspects.length === 0 ? "" : `, ${aspects.join(" and ")}`;
    const origin = seed === null ? "from a file" : `seed ${seed}`;
    printLine(
      `bucket ${bucketId} ${bucket} (${news}${count}${seen}): ${origin}: ${join(path, "report.md")}`,
    );
    if (hasDoubt(entry)) printLine(`  ${entry.doubt}`);
    printLine(`  again: ${commandLine(command)}`);
  }
}
