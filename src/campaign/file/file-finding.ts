// From what a worker found to a report's folder: the program is made again from its seed, what is to
// blame is located, and if its bucket has no small program yet, the program is confirmed, reduced under the same
// signature and the same cause, judged once more for the evidence, and confirmed as it is then.

import { describeDifference } from "../../compare/describe-difference.js";
import { Judge, type JudgeOptions, type ProgramResult } from "../../compare/judge-program.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import type { Module } from "../../ir/procedure.js";
import { printModule } from "../../ir/text/print.js";
import { printInput } from "../../ir/text/run-line.js";
import type { LocateOptions } from "../../localize/behind-optimizer.js";
import { type Cause, causeOf, causeOfClaim, isWithoutRow } from "../../localize/cause.js";
import { localize } from "../../localize/localize.js";
import type { Located } from "../../localize/located.js";
import { coreSize } from "../../reduce/candidate.js";
import { bucketOf } from "../../report/bucket.js";
import type { Execution } from "../../report/evidence.js";
import {
  type FindingFacts,
  outsideWords,
  profileWords,
  subsetWords,
} from "../../report/finding.js";
import { wordsOf } from "../../report/settings-words.js";
import { programText } from "../../report/write-report.js";
import { InternalError } from "../../support/assert.js";
import { isWorldProfile } from "../../worlds/worlds.js";
import { readOutside } from "../program/outside.js";
import { newBreeder, programOf } from "../program/seeds.js";
import type { Found } from "../run/found.js";
import { rulesOfRemote, subsetOfRemote } from "../run/judge-elsewhere.js";
import { type JudgeSettings, judgeOptionsOf } from "../run/judge-seed.js";
import { confirm, confirmReduced } from "./confirm.js";
import { cutToWorld } from "./cut-world.js";
import { fileRemote } from "./file-remote.js";
import {
  type Filed,
  type Filing,
  fileAs,
  type Reported,
  type Shown,
  type Symptom,
} from "./filing.js";
import { ENOUGH, makeSmall } from "./make-small.js";
import { outlineOf } from "./outline.js";
import { isLookedAtAgain, splitBucket } from "./split-bucket.js";

/**
 * Writes the whole report, unless the bucket has one of a program that is smaller than this one. Makes
 * the program, and runs it unless it took a worker, for seconds; so callers are workers. What does
 * not show again is filed as it was found.
 */
export function fileWhole(found: Found, filing: Filing, settings: JudgeSettings): Promise<Filed> {
  const { seed, parents } = found;
  const { outside } = settings;
  const again = [
    ...["--seed", String(seed), ...profileWords(settings.profile, found.parents)],
    ...outsideWords(parents, filing.reports),
    ...subsetWords(subsetOfRemote(settings.remote)),
  ];
  const rules = rulesOfRemote(settings.remote);
  const breeder = newBreeder(readOutside(outside));
  const program = programOf(seed, settings.profile, parents, breeder, rules);
  const share = settings.remote?.find(({ name }) => name === found.subject);
  if (share !== undefined) return fileRemote(program, found, share, again, filing);
  const subjects = found.subject === null ? settings.subjects : [found.subject];
  // A program of ours: the processor may be asked, whichever subjects the campaign has.
  const options = { ...judgeOptionsOf({ ...settings, subjects }, seed), mayRunNatively: true };
  const { profile } = settings;
  const isMissed = found.kind !== "difference" && found.kind !== "internal-error";
  const cut = isMissed || !isWorldProfile(profile) ? null : cutToWorld(found, profile, options);
  return fileProgram(cut ?? program, found, options, again, filing);
}

/**
 * The same for any program.
 * @param options with the subject at fault, if there is one
 * @param again what `fuzz` is told to show the difference again, but for subjects and planted bugs
 */
export async function fileProgram(
  { module, inputs }: Shown,
  found: Symptom,
  options: LocateOptions,
  again: readonly string[],
  filing: Filing,
): Promise<Filed> {
  const { kind, input: index } = found;
  const original = { original: module, originalInputs: inputs };
  // Neither may be executed; the seed shows them again.
  if (kind !== "difference" && kind !== "internal-error") {
    const evidence = { module, executions: [], ...original };
    return { kind: "report", entry: fileAs(found, filing, {}, evidence, null) };
  }
  const first = locate({ module, inputs }, found, options, false);
  const family = bucketOf({ ...found, cause: first.cause });
  const known = filing.reported[family];
  if (known !== undefined && !isWorthwhile(known, first.cause, module)) {
    return { kind: "instance", bucket: family };
  }
  const confirming = confirm(found, again, filing.canary);
  const input = index === null ? null : { index, text: printInput(module, inputs[index]) };
  // The message of an error says where it comes from, and stays the same; to locate it once more is to
  // interpret LIR that may run astray.
  const wanted = kind === "difference" ? first.cause : null;
  const { watch } = filing;
  const small = await makeSmall({ module, inputs }, found.aspect, options, wanted, watch);
  const unseen = `${found.detail} (not seen again when the report was made)`;
  const shown = small ?? { module, inputs };
  const { subject = options.subjects[0], settings = options.settings ?? DEFAULT_SETTINGS } =
    small ?? {};
  const own = { ...options, subjects: [subject], settings };
  const simple = { ...found, subject: found.subject === null ? null : subject.name };
  // The row that is written wrong may be found in a small program only.
  const isOpen = first.cause !== null && isWithoutRow(first.cause);
  const shownCause = isOpen ? locate(shown, simple, own, false).cause : first.cause;
  const smallFamily = bucketOf({ ...found, cause: shownCause });
  const { bucket, outline } = splitBucket(filing.reported, smallFamily, outlineOf(shown.module));
  const size = filing.reported[bucket]?.values ?? null;
  if (size !== null && coreSize(shown.module) >= size) {
    await confirming;
    return { kind: "instance", bucket };
  }
  const { executions, detail } = executionsOf(shown, simple, own);
  const evidence = { module: shown.module, executions, ...original, options: own };
  const isDrawn = subject.traced && settings.thresholds === null;
  const words = wordsOf(settings, subject.chaos || isDrawn);
  const confirmingReduced =
    small === null ? null : confirmReduced(simple, programText(evidence), words, filing.canary);
  const last = locate(shown, simple, own, true);
  const [confirmed, confirmedReduced] = await Promise.all([confirming, confirmingReduced]);
  const facts: Partial<FindingFacts> = {
    input,
    text: printModule(shown.module),
    settings: words,
    foundBy: found.subject,
    cause: last.cause,
    confirmed,
    confirmedReduced,
    values: coreSize(shown.module),
    outline,
  };
  // An error differs in no execution.
  const isSeen = small !== null && kind !== "difference";
  const said = { ...simple, detail: detail ?? (isSeen ? found.detail : unseen) };
  return { kind: "report", entry: fileAs(said, filing, facts, evidence, last.place) };
}

/** Whether one more finding of a bucket is looked at closer. */
function isWorthwhile(known: Reported, cause: Cause | null, module: Module): boolean {
  // Of a bucket whose program is large, the next one may be made smaller.
  const isBetter =
    known.values !== null && (known.values > ENOUGH || coreSize(module) < known.values);
  return isBetter || isLookedAtAgain(cause, known);
}

/** Where the difference comes from; null where no subject differs, or where it cannot be asked. */
function locate(
  { module, inputs }: Shown,
  { subject: name, what, detail }: Symptom,
  options: LocateOptions,
  looksFor: boolean,
): { readonly place: Located | null; readonly cause: Cause | null } {
  const claim = causeOfClaim(what);
  if (claim !== null) return { place: { stage: "analysis", cause: claim, detail }, cause: claim };
  if (name === null) return { place: null, cause: null };
  const [subject] = options.subjects;
  try {
    const place = localize(module, inputs, subject, options, looksFor);
    return { place, cause: causeOf(place, subject) };
  } catch (error) {
    if (error instanceof InternalError) return { place: null, cause: null };
    throw error;
  }
}

/**
 * Those that show the finding come first.
 * @returns detail: what differs in the first of them; null if none does
 */
function executionsOf(
  { module, inputs }: Shown,
  found: Symptom,
  options: JudgeOptions,
): { readonly executions: readonly Execution[]; readonly detail: string | null } {
  const { expected, results } = judgeOnce({ module, inputs }, options);
  const judgements = results.find(({ subject }) => subject === found.subject)?.judgements;
  const [first, others]: [Execution[], Execution[]] = [[], []];
  let detail: string | null = null;
  inputs.forEach((input, i) => {
    const judgement = judgements?.[i];
    const execution = { input, expected: expected[i], got: judgement?.outcome ?? null };
    const { verdict } = judgement ?? {};
    const isIt = verdict?.kind === "different" && verdict.aspect === found.aspect;
    if (isIt) detail ??= describeDifference(verdict.difference);
    (isIt ? first : others).push(execution);
  });
  return { executions: [...first, ...others], detail };
}

/** Where a subject throws, what the oracle says is still known. */
function judgeOnce({ module, inputs }: Shown, options: JudgeOptions): ProgramResult {
  const judge = new Judge(options);
  try {
    return judge.judge(module, inputs);
  } catch (error) {
    if (!(error instanceof InternalError) || options.subjects.length === 0) throw error;
    return judgeOnce({ module, inputs }, { ...options, subjects: [] });
  } finally {
    judge.close();
  }
}
