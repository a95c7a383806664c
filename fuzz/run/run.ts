// Implements `fuzz run`: runs a campaign, or with --canary a campaign for each planted bug.

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isUnreached, reachedOf } from "../../src/campaign/count/counters.js";
import { effectiveRowsOf, isIneffective } from "../../src/campaign/count/effective.js";
import { figuresOf } from "../../src/campaign/count/figures.js";
import { ROUND_PROGRAMS } from "../../src/campaign/evolved/evolution.js";
import { removeReportsBut } from "../../src/campaign/file/remove-reports.js";
import { outsideFiles, outsideSteps } from "../../src/campaign/program/outside.js";
import { EVOLVED, MUTATED, USUAL } from "../../src/campaign/program/seeds.js";
import { AIMS_MAX, towardProfile } from "../../src/campaign/program/toward.js";
import { summaryOfState } from "../../src/campaign/publish/progress.js";
import { RestartBackoff } from "../../src/campaign/run/backoff.js";
import { Campaign } from "../../src/campaign/run/campaign.js";
import type { CampaignState } from "../../src/campaign/run/campaign-state.js";
import type { RemoteSubjectShare } from "../../src/campaign/run/judge-elsewhere.js";
import { type JudgeSettings, subjectNames } from "../../src/campaign/run/judge-seed.js";
import type { CampaignResult } from "../../src/campaign/run/options.js";
import {
  type CampaignSummary,
  SUMMARY_FILE,
  SUMMARY_SCHEMA,
  SUMMARY_VERSION,
} from "../../src/campaign/run/summary.js";
import { generatorVersion } from "../../src/generate/version.js";
import { commandLine } from "../../src/report/finding.js";
import { parseStoreName } from "../../src/store/store-name.js";
import { machineErrorOf } from "../../src/support/machine-error.js";
import { ScratchFolder } from "../../src/support/scratch-folder.js";
import { writeWhole } from "../../src/support/whole-file.js";
import { seedsOfAll, worldsDone } from "../../src/worlds/worlds.js";
import { printAnswer } from "../answers/print-answer.js";
import {
  type ChosenSubjects,
  chooseSubjects,
  NO_SUBJECTS,
  parseCount,
  parseDuration,
  parseProfile,
  parseSeed,
} from "../support/arguments.js";
import { type RemoteArgs, takeRemote } from "../support/engines.js";
import { keepPlayground } from "../support/keep-playground.js";
import { printAside, printLine, STATUS, usageError } from "../support/output.js";
import { fleetStoreName, storeName } from "../support/store.js";
import { runAgainst } from "./against.js";
import {
  announcer,
  attended,
  campaignName,
  claimFolder,
  commonOptions,
  makeFolder,
  type RunPlan,
  refusalTeller,
  sum,
} from "./attend.js";
import { drawnFor, OWN_ENGINE } from "./draw.js";
import type { FleetArgs } from "./fleet.js";
import { printResult } from "./print-result.js";
import { printWorlds } from "./print-summary.js";
import { describeReducing, ProgressView } from "./progress.js";
import { ProgressFile } from "./progress-file.js";
import { openRecorder } from "./recorder.js";
import { runCanaries } from "./run-canaries.js";
import {
  brokenLimits,
  PLANNED_KEYS,
  type PlanArgs,
  plannedArgs,
  type RunLimits,
  seedOf,
} from "./settings.js";
import { aimsSince, commitOf } from "./since.js";
import { StateFile } from "./state-file.js";
import { usualSubjects } from "./usual-settings.js";

type RunArgs = PlanArgs &
  Omit<RemoteArgs, "subjects"> & {
    readonly plan?: string | undefined;
    readonly settings?: string | undefined;
    /** Empty: all canaries. */
    readonly canary?: string | undefined;
    readonly resume?: boolean | undefined;
    readonly since?: string | undefined;
    readonly against?: string | undefined;
    readonly fleet?: boolean | undefined;
    readonly interval?: string | undefined;
    readonly outside?: string | undefined;
    readonly json: boolean;
  };

const WORKERS_MAX = 1024;
/** The default of --count for `--against`. */
const AGAINST_COUNT = 1000;

export async function run(args: RunArgs): Promise<number> {
  const scratch = new ScratchFolder();
  try {
    return await start(args);
  } finally {
    scratch.close();
  }
}

async function start(asked: RunArgs): Promise<number> {
  const { args: planned, since, limits } = plannedArgs(asked.plan, asked.settings);
  const given = aimed(asked, since);
  const args = { ...given };
  for (const key of PLANNED_KEYS) args[key] ??= planned[key];
  const { seed = "1", count, workers, reports = "reports", json } = args;
  const profile = parseProfile(args.profile);
  const plan: RunPlan = {
    first: parseSeed(seedOf(seed)),
    count: count === undefined ? Number.POSITIVE_INFINITY : countOf(count, profile),
    seconds: args.for === undefined ? Number.POSITIVE_INFINITY : parseDuration("--for", args.for),
    workers:
      workers === undefined
        ? availableParallelism()
        : parseCount("--workers", workers, 1, WORKERS_MAX),
    reports,
    json,
  };
  const findingsMax =
    args.untilFindings === undefined
      ? Number.POSITIVE_INFINITY
      : parseCount("--until-findings", args.untilFindings);
  if (args.canary !== undefined && args.resume === true) {
    throw usageError("--resume: a search for planted bugs keeps no state: run it without --resume");
  }
  if (args.canary !== undefined && args.profile !== undefined) {
    throw usageError("--profile: planted bugs are searched for in usual programs only");
  }
  if (args.canary !== undefined) return runCanaries(args.canary, args.subjects, plan);
  if (args.against !== undefined) {
    const { against, subjects } = args;
    return runAgainst(
      against,
      {
        first: String(plan.first),
        count: Number.isFinite(plan.count) ? plan.count : AGAINST_COUNT,
        subjects: chooseSubjects(subjects, usualSubjects(profile, null)).subjects.map(
          ({ name }) => name,
        ),
        drawn: drawnOf(args, profile),
        profile,
      },
      json,
    );
  }
  if (args.subjectSupports !== undefined && args.subjectCommand === undefined) {
    throw usageError(
      "--subject-supports: expected --subject-command too, whose language it limits",
    );
  }
  const { shares, others } = await takeRemote(args);
  const remote = [...shares];
  const drawn = drawnOf(args, profile);
  const chosen =
    others === null ? NO_SUBJECTS : chooseSubjects(others, usualSubjects(profile, drawn));
  const resumes = args.resume === true;
  const isQuick = args.subjects === undefined;
  const isDefault = isQuick && args.subjectCommand === undefined && profile === USUAL;
  if (isDefault) remote.push(OWN_ENGINE);
  const outside = await outsideOf(args, profile);
  const ask = { plan, chosen, remote, drawn, isQuick, profile, canary: null, outside };
  const store = storeName(args.store);
  const again = resuming(given, plan.first);
  const fleet = fleetOf(args);
  const reduceSeconds =
    args.reduceSeconds === undefined
      ? Number.POSITIVE_INFINITY
      : parseCount("--reduce-seconds", args.reduceSeconds);
  const limited = { findingsMax, reduceSeconds, limits };
  return runCampaign({ ...ask, ...limited, resumes, again, store, fleet });
}

/** @throws UserError */
function countOf(count: string, profile: string): number {
  if (count !== ALL) return parseCount("--count", count);
  const all = seedsOfAll(profile);
  if (all !== null) return all;
  throw usageError(`--count ${ALL}: expected one kind of small worlds, as --profile worlds-two`);
}
const ALL = "all";

/** @throws UserError */
async function outsideOf({ outside }: RunArgs, profile: string): Promise<readonly string[]> {
  if (outside === undefined) return [];
  if (profile !== EVOLVED && profile !== MUTATED) {
    throw usageError(
      `--outside: expected --profile ${EVOLVED} or ${MUTATED}, which mutate programs`,
    );
  }
  const { readOutsideFiles } = await import("../support/outside.js");
  return readOutsideFiles(outside);
}

/**
 * Returns the command that resumes the campaign of these arguments, with the first seed as a
 * number.
 */
function resuming(given: RunArgs, first: bigint): readonly string[] {
  const { plan, settings, json } = given;
  const words = ["npx", "--no-install", "fuzz", "run"];
  if (plan !== undefined) words.push(plan);
  if (settings !== undefined) words.push("--settings", settings);
  for (const key of PLANNED_KEYS) {
    const value = WRITTEN[key]?.(given, first) ?? given[key];
    if (value !== undefined) words.push(OPTION_OF[key] ?? `--${key}`, value);
  }
  if (given.outside !== undefined) words.push("--outside", given.outside);
  if (given.fleet === true) words.push("--fleet");
  if (given.interval !== undefined) words.push("--interval", given.interval);
  if (json) words.push("--json");
  return [...words, "--resume"];
}
/** Arguments that the resuming command prints in another form, for example without a password. */
const WRITTEN: { readonly [key: string]: (given: RunArgs, first: bigint) => string | undefined } = {
  seed: (_, first) => String(first),
  store: ({ store }) => store && parseStoreName(store).shown,
};
const OPTION_OF: { readonly [key: string]: string } = {
  untilFindings: "--until-findings",
  subjectCommand: "--subject-command",
  subjectSeconds: "--subject-seconds",
  subjectMemory: "--subject-memory",
  subjectSupports: "--subject-supports",
  reduceSeconds: "--reduce-seconds",
};

/** Selects the profile that aims at the changes. */
function aimed(asked: RunArgs, planned: string | undefined): RunArgs {
  const { profile, json } = asked;
  const isPlanned = asked.since === undefined && planned !== undefined;
  if (isPlanned && (profile !== undefined || asked.canary !== undefined)) return asked;
  const since = isPlanned ? commitOf(planned) : (asked.since ?? null);
  if (isPlanned && since === null) {
    printAside("fuzz: git has no commit to compare with: programs aim at nothing");
  }
  if (since === null) return asked;
  if (profile !== undefined)
    throw usageError("--since: it determines the profile: expected no --profile");
  const names = aimsSince(since).slice(0, AIMS_MAX);
  const at = names.length === 0 ? "nothing at which a program can aim" : names.join(", ");
  (json ? printAside : printLine)(`changed since ${since}: ${at}`);
  return { ...asked, profile: names.length === 0 ? undefined : towardProfile(names) };
}

/** @throws UserError */
function fleetOf(args: RunArgs): FleetArgs | null {
  const { fleet, interval, subjectCommand, store } = args;
  if (fleet !== true) {
    if (interval !== undefined) throw usageError("--interval: expected --fleet too");
    return null;
  }
  if (subjectCommand !== undefined) {
    throw usageError(
      "--fleet: other machines do not run your command: expected no --subject-command",
    );
  }
  fleetStoreName(store, "--fleet");
  return { interval: interval === undefined ? null : parseCount("--interval", interval) };
}

function drawnOf({ draw, subjects }: RunArgs, profile: string): number | null {
  if (draw === "all") return null;
  if (draw !== undefined) return parseCount("--draw", draw);
  if (subjects !== undefined) return null;
  return drawnFor(profile);
}

/** The parsed options of a campaign. */
interface CampaignArgs {
  readonly plan: RunPlan;
  readonly chosen: ChosenSubjects;
  /** External engines. */
  readonly remote: readonly RemoteSubjectShare[];
  readonly drawn: number | null;
  /** JudgeSettings.isQuick: true if the user names no subjects. */
  readonly isQuick: boolean;
  readonly profile: string;
  /** Texts of the programs from --outside. */
  readonly outside: readonly string[];
  /** The name of a planted bug, for tests. */
  readonly canary: string | null;
  readonly findingsMax: number;
  /** The time limit for reducing one finding; Infinity: none. */
  readonly reduceSeconds: number;
  readonly resumes: boolean;
  /** The command that resumes the campaign. */
  readonly again: readonly string[];
  readonly limits: RunLimits;
  /** The name of a store; null: none. */
  readonly store: string | null;
  /** The options of the fleet; null if this process judges alone. */
  readonly fleet: FleetArgs | null;
}

/** Judges, writes reports and writes the summary. */
export async function runCampaign(task: CampaignArgs): Promise<number> {
  const { plan, chosen, remote, drawn, profile, outside } = task;
  const subjects = chosen.subjects.map((subject) => subject.name);
  const name = campaignName(plan, { subjects, remote, drawn, profile, outside });
  const folder = makeFolder(plan.reports, name);
  const release = claimFolder(folder, name);
  try {
    return await runIn(folder, name, task);
  } finally {
    release();
  }
}

function settingsOf(task: CampaignArgs): JudgeSettings {
  const { chosen, remote, drawn, profile, canary, outside, isQuick } = task;
  const subjects = chosen.subjects.map((subject) => subject.name);
  return {
    ...{ subjects, remote, canary, drawn, profile, isQuick },
    ...(outside.length === 0 ? {} : { outside }),
  };
}

async function runIn(folder: string, name: string, task: CampaignArgs): Promise<number> {
  const { plan, findingsMax, again, outside } = task;
  const { first, json } = plan;
  const settings = settingsOf(task);
  const steps = outsideSteps(outside).join(",");
  for (const [name, text] of Object.entries(outsideFiles(outside, steps))) {
    writeWhole(join(folder, name), text);
  }
  const say = json ? printAside : printLine;
  const file = new StateFile(folder, {
    ...{ name, settings, first, count: plan.count },
    roundPrograms: ROUND_PROGRAMS,
  });
  sayHead(name, settings, file, task, say);
  const examining = (): string | null => {
    const { reducing } = campaign.shown;
    return reducing === null ? null : describeReducing(reducing);
  };
  const progress = new ProgressFile(folder, plan.workers, examining);
  const onRefusal = refusalTeller();
  const from = task.resumes ? goOnFrom(file, folder, say) : null;
  const recorder = await openRecorder(task.store, { name, plan, settings, from, onRefusal });
  const sayBetween = (line: string): void => view.around(() => say(line));
  const announce = announcer();
  const fleet = task.fleet && (await recorder.openFleet(task.fleet, sayBetween));
  const campaign: Campaign = new Campaign({
    ...commonOptions(plan, folder),
    ...{ from, reduceSeconds: task.reduceSeconds },
    helpers: fleet?.helpers ?? null,
    onState: (isNews) => {
      file.writeIfDue(() => campaign.state, isNews, onRefusal);
      progress.writeIfDue(() => summarySoFar(name, campaign), onRefusal);
      recorder.markIfDue(() => campaign.state);
    },
    onRefusal,
    settings,
    isEnough: ({ symptoms }) => sum(symptoms) >= findingsMax,
    isReported: () => true,
    onFound: (found, symptom) => {
      keepPlayground(folder);
      recorder.found(found, () => {
        const line = announce(found, symptom);
        if (line !== null) sayBetween(line);
      });
    },
  });
  const view: ProgressView = new ProgressView(process.stderr, plan, () => campaign.shown);
  await fleet?.start(campaign);
  progress.start(() => summarySoFar(name, campaign), onRefusal);
  const result = await attended(campaign, view).finally(() => progress.stop());
  const summary = {
    ...summaryOf(name, result),
    ...(fleet && { fleet: await fleet.end(result) }),
  };
  const path = join(folder, SUMMARY_FILE);
  const isInFolder = await persist(() => {
    file.write(campaign.state);
    writeWhole(path, `${JSON.stringify(summary, null, 1)}\n`);
    progress.write(summary, result.ended);
  }, onRefusal);
  const isInStore = await recorder.end(result, summary, campaign.state);
  await recorder.close();
  const broken = sayResult(path, result, summary, task);
  if (!isInFolder || !isInStore || result.unwritten > 0 || result.ended === "machine") {
    const what =
      result.ended === "machine"
        ? "this machine refused to continue"
        : "some files could not be written";
    printAside(`fuzz: ${folder}: ${what}: correct the errors above`);
    printAside(`to continue afterwards: ${commandLine(again)}`);
    return STATUS.missing;
  }
  if (result.unreduced > 0) say(describeUnreduced(result.unreduced));
  if (result.ended === "interrupted" || result.unreduced > 0) {
    say(`to continue: ${commandLine(again)}`);
  }
  return broken.length > 0 ? STATUS.found : statusOf(result);
}

/** Prints the subjects and the settings. */
function sayHead(
  name: string,
  settings: JudgeSettings,
  file: StateFile,
  { chosen, drawn, resumes, again }: CampaignArgs,
  say: (line: string) => void,
): void {
  const names = subjectNames(settings);
  const isDrawn = drawn !== null && drawn < names.length;
  const drawing = isDrawn ? `; each program by ${drawn} of them, drawn by its seed` : "";
  say(`campaign ${name}: ${describeSubjects(names)}${drawing}`);
  for (const { subject, reason } of chosen.left) say(`${subject} is left out: ${reason}`);
  if (!resumes && file.interruptedAt > 0) {
    say(`it was interrupted after its first ${file.interruptedAt} programs, and starts again`);
    say(`to continue from there instead: ${commandLine(again)}`);
  }
}

/** @returns the exceeded limits of the plan */
function sayResult(
  path: string,
  result: CampaignResult,
  summary: CampaignSummary,
  { plan, profile, chosen, limits }: CampaignArgs,
): readonly string[] {
  const { first, json } = plan;
  const broken = brokenLimits(limits, result);
  const worlds = worldsDone(result.intervals, profile);
  if (json) printAnswer("touchstone.run", { ...answerOf(result, summary, chosen), broken, worlds });
  else {
    printResult(first, result, summary, path);
    if (worlds.length > 0) printWorlds(worlds);
  }
  for (const line of broken) (json ? printAside : printLine)(`limit of the plan: ${line}`);
  return broken;
}

const describeUnreduced = (count: number): string =>
  `not completely reduced: ${count === 1 ? "1 finding" : `${count} findings`}`;

function summarySoFar(name: string, { state }: Campaign): CampaignSummary | null {
  return state === null ? null : summaryOfState(state, { name, generator: generatorVersion });
}

/** The maximum number of subjects that are printed by name; `fuzz list subjects` prints all. */
const SUBJECTS_LISTED = 8;

const describeSubjects = (names: readonly string[]): string =>
  names.length <= SUBJECTS_LISTED ? names.join(", ") : `${names.length} subjects`;

/**
 * Returns the state to resume from; null if there is none. Removes reports that the state does not
 * list.
 */
function goOnFrom(
  file: StateFile,
  folder: string,
  say: (line: string) => void,
): CampaignState | null {
  const from = file.read();
  const listed = new Set<string>();
  for (const { filed } of from?.kept ?? []) {
    if (filed?.kind === "report") listed.add(filed.entry.id);
  }
  removeReportsBut(listed, folder);
  say(
    from === null
      ? "there is no state to continue from: it starts with its first program"
      : `it continues after its first ${from.committed} programs`,
  );
  return from;
}

function statusOf({ symptoms, entries, tally }: CampaignResult): number {
  // A finding without a report counts as new.
  const isNews = entries.some(({ news }) => news !== "known");
  const isFound = isNews || (sum(symptoms) > 0 && entries.length === 0);
  const isWhole =
    !reachedOf(tally).some(isUnreached) && !effectiveRowsOf(tally).some(isIneffective);
  return isFound || !isWhole ? STATUS.found : STATUS.nothingFound;
}

function summaryOf(name: string, result: CampaignResult): CampaignSummary {
  const { seconds, tally, extremes, symptoms, entries, evolution, intervals } = result;
  return {
    schema: SUMMARY_SCHEMA,
    version: SUMMARY_VERSION,
    campaigns: [name],
    generators: [generatorVersion],
    seconds,
    intervals: intervals.map(([first, last]) => [String(first), String(last)]),
    tally,
    extremes,
    symptoms,
    findings: entries,
    evolution,
  };
}

function answerOf(
  result: CampaignResult,
  { evolution }: CampaignSummary,
  { left }: ChosenSubjects,
) {
  const { programs, seconds, tally, symptoms, entries, ended, unreduced } = result;
  return {
    programs,
    seconds,
    ended,
    unreduced,
    subjects: tally.subjects,
    effective: tally.effective ?? {},
    missing: left,
    unjudged: tally.unjudged,
    symptoms,
    findings: entries,
    figures: figuresOf(tally, seconds),
    evolution: evolution ?? null,
  };
}

/**
 * Writes final files until it succeeds, or until the machine has refused for half a minute.
 * @param onRefusal receives one line for each refusal
 * @returns whether it succeeded
 */
async function persist(write: () => void, onRefusal: (line: string) => void): Promise<boolean> {
  for (const backoff = new RestartBackoff(); ; ) {
    try {
      write();
      return true;
    } catch (error) {
      const refusal = machineErrorOf(error);
      if (refusal === null) throw error;
      onRefusal(refusal.message);
    }
    backoff.refuse(performance.now());
    if (backoff.isHopeless) return false;
    await sleep(backoff.waitMs(performance.now()));
  }
}
