// Implements `fuzz run --canary [NAME]`: plants bugs, one after another, and searches for each by a
// campaign. Status 0 if every bug was found by a comparison that is intended to find it; 1 if one
// was not found.

import { CANARIES } from "../../src/campaign/canary/canaries.js";
import type { Canary } from "../../src/campaign/canary/canary.js";
import { type CanaryResult, runCanary } from "../../src/campaign/canary/run-canary.js";
import { USUAL } from "../../src/campaign/program/seeds.js";
import { printAnswer } from "../answers/print-answer.js";
import { chooseSubjects, parseCanary } from "../support/arguments.js";
import { keepPlayground } from "../support/keep-playground.js";
import { printAside, printLine, printTable, STATUS } from "../support/output.js";
import {
  attended,
  campaignName,
  claimFolder,
  commonOptions,
  describeFound,
  makeFolder,
  printEntries,
  type RunPlan,
} from "./attend.js";
import { ProgressView } from "./progress.js";

/** The time limit for finding a canary. */
const SECONDS_MAX = 60;
const COUNT_MAX = 100_000;
/** Names the check that finds a canary without a comparison. */
const finderOf = ({ stage }: CanaryResult["canary"]): string =>
  stage === "oracle" ? "the plain interpreter" : "the allocation checker";

/** @param name a canary; empty for all of them */
export async function runCanaries(
  name: string,
  subjects: string | undefined,
  plan: RunPlan,
): Promise<number> {
  const canaries = name === "" ? CANARIES : [parseCanary(name)];
  // Missing software is reported before anything starts.
  const chosen = canaries.map((canary) => ({ canary, subjects: subjectsOf(canary, subjects) }));
  const say = plan.json ? printAside : printLine;
  const results: CanaryResult[] = [];
  for (const { canary, subjects } of chosen) {
    const result = await runOne({ ...canary, subjects }, plan);
    results.push(result);
    say(describe(result));
    if (isStopped(result)) break;
  }
  const isEachFound =
    results.length === chosen.length && results.every(({ found }) => found !== null);
  if (plan.json) printAnswer("touchstone.canaries", answerOf(results));
  else print(results, chosen.length);
  if (results.some(({ campaign }) => campaign.ended === "machine" || campaign.unwritten > 0)) {
    return STATUS.missing;
  }
  return isEachFound ? STATUS.nothingFound : STATUS.found;
}

const isStopped = ({ campaign }: Pick<CanaryResult, "campaign">): boolean =>
  campaign.ended === "interrupted" || campaign.ended === "machine";

const subjectsOf = (canary: Canary, given: string | undefined): readonly string[] =>
  chooseSubjects(given ?? canary.subjects.join(",")).subjects.map(({ name }) => name);

async function runOne(canary: Canary, plan: RunPlan): Promise<CanaryResult> {
  const bounded = {
    ...plan,
    count: Math.min(plan.count, COUNT_MAX),
    seconds: Math.min(plan.seconds, SECONDS_MAX),
  };
  const settings = { subjects: canary.subjects, drawn: null, profile: canary.profile ?? USUAL };
  const name = campaignName(plan, settings, `canary-${canary.name}-`);
  const folder = makeFolder(plan.reports, name);
  const release = claimFolder(folder, name);
  try {
    const options = { ...commonOptions(bounded, folder), onFound: () => keepPlayground(folder) };
    return await runCanary(canary, options, (campaign) =>
      attended(campaign, new ProgressView(process.stderr, bounded, () => campaign.shown)),
    );
  } finally {
    release();
  }
}

function describe({ canary, found, programs, campaign }: CanaryResult): string {
  const seconds = campaign.seconds.toFixed(1);
  if (found === null) {
    const end = isStopped({ campaign }) ? " (interrupted)" : "";
    return `${canary.name}: not found by ${programs} programs in ${seconds} s${end}`;
  }
  return `${canary.name}: ${describeFound(found, `by ${found.aspect ?? finderOf(canary)}, ${found.subject ?? "no subject"}`)}`;
}

/** @param chosen the number of canaries to search for */
function print(results: readonly CanaryResult[], chosen: number): void {
  printLine("");
  printTable([
    ["canary", "stage", "found by", "subject", "seed", "programs", "seconds"],
    ...results.map(({ canary, found, programs, campaign }) => [
      canary.name,
      canary.stage,
      found === null ? lackOf(campaign) : (found.aspect ?? finderOf(canary)),
      found?.subject ?? "",
      found === null ? "" : String(found.seed),
      programs,
      campaign.seconds.toFixed(1),
    ]),
  ]);
  printLine("");
  for (const { campaign } of results) printEntries(campaign.entries);
  const missed = results.filter(({ found }) => found === null);
  const survivors = missed.filter((result) => !isStopped(result));
  const left = chosen - results.length + missed.length - survivors.length;
  const names = survivors.map(({ canary }) => canary.name).join(", ");
  if (names !== "") printLine(`not found: ${names}`);
  else if (left === 0) printLine(`${chosen} canaries, all found`);
  if (left > 0)
    printLine(`interrupted: the searches for ${left} of ${chosen} canaries did not end`);
}

/** Returns the table's word for a canary that is not found. */
const lackOf = (campaign: CanaryResult["campaign"]): string =>
  isStopped({ campaign }) ? "interrupted" : "SURVIVED";

const answerOf = (results: readonly CanaryResult[]) => ({
  canaries: results.map(({ canary, found, programs, campaign }) => ({
    name: canary.name,
    stage: canary.stage,
    about: canary.about,
    found: found !== null,
    aspect: found?.aspect ?? null,
    subject: found?.subject ?? null,
    seed: found === null ? null : String(found.seed),
    programs,
    seconds: campaign.seconds,
    findings: campaign.entries,
  })),
});
