// Makes the report of a finding of a worker. The program is made again from its seed, and the cause
// is located. If its bucket has no small program yet, the program is confirmed, and reduced under
// the same signature and the same cause. The reduced program is judged again for the evidence, and
// confirmed.

import { describeDifference } from "../../compare/describe-difference.js";
import { INTERPRETERS_DISAGREE } from "../../compare/interpreters.js";
import { Judge, type JudgeOptions, type ProgramResult } from "../../compare/judge-program.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import type { Module } from "../../ir/procedure.js";
import { printModule } from "../../ir/text/print.js";
import { printInput } from "../../ir/text/run-line.js";
import { type Cause, causeOf, causeOfError, isWithoutRow } from "../../localize/cause.js";
import type { LocateOptions } from "../../localize/later-stages.js";
import { localize } from "../../localize/localize.js";
import type { LocatedCause } from "../../localize/located-cause.js";
import { coreSize } from "../../reduce/candidate.js";
import { bucketOf } from "../../report/bucket.js";
import type { ComparedExecution } from "../../report/evidence.js";
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
import type { RawFinding } from "../run/found.js";
import { rulesOfRemote, subsetOfRemote } from "../run/judge-elsewhere.js";
import { type JudgeSettings, judgeOptionsOf } from "../run/judge-seed.js";
import { confirm, confirmReduced } from "./confirm.js";
import { cutToWorld } from "./cut-world.js";
import { fileRemote } from "./file-remote.js";
import {
  type BucketReport,
  type FilingContext,
  type FilingResult,
  fileAs,
  type ProgramSymptom,
  type ReportedProgram,
} from "./filing.js";
import { makeSmall } from "./make-small.js";
import { ENOUGH, outlineOf } from "./outline.js";
import { isExaminedAgain, splitBucket } from "./split-bucket.js";

/**
 * Writes the whole report, unless the bucket has a report of a smaller program. Makes the program
 * and runs it for seconds, unless it ended a worker; so the callers are workers. A finding that is
 * not reproduced is reported as it was found.
 */
export function fileWhole(
  found: RawFinding,
  filing: FilingContext,
  settings: JudgeSettings,
): Promise<FilingResult> {
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
  // A generated program may run natively, even if the campaign has only emulated subjects.
  const isPlain = found.what === INTERPRETERS_DISAGREE;
  const options = {
    ...judgeOptionsOf({ ...settings, subjects }, seed),
    ...{ mayRunNatively: true, isPlain },
  };
  const { profile } = settings;
  const isMissed = found.kind !== "difference" && found.kind !== "internal-error";
  const cut = isMissed || !isWorldProfile(profile) ? null : cutToWorld(found, profile, options);
  return fileProgram(cut ?? program, found, options, again, filing);
}

/**
 * Writes the report of any program.
 * @param options with the subject at fault, if there is one
 * @param again the arguments of `fuzz` that reproduce the difference, without subjects and planted
 * bugs
 */
export async function fileProgram(
  { module, inputs }: ReportedProgram,
  found: ProgramSymptom,
  options: LocateOptions,
  again: readonly string[],
  filing: FilingContext,
): Promise<FilingResult> {
  const { kind, input: index } = found;
  const original = { original: module, originalInputs: inputs };
  // Invalid programs and dead workers have no program that may be executed: the report contains
  // only the seed.
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
  // The message of an error names its cause and stays the same. To locate it again could interpret
  // LIR that does not terminate.
  const wanted = kind === "difference" ? first.cause : null;
  const { watch } = filing;
  const small = await makeSmall({ module, inputs }, found.aspect, options, wanted, watch);
  const unseen = `${found.detail} (not reproduced when the report was made)`;
  const shown = small ?? { module, inputs };
  const { subject = options.subjects[0], settings = options.settings ?? DEFAULT_SETTINGS } =
    small ?? {};
  const own = { ...options, subjects: [subject], settings };
  const simple = { ...found, subject: found.subject === null ? null : subject.name };
  // If emission is the cause without a row, a smaller program may reveal the row.
  const isOpen = first.cause !== null && isWithoutRow(first.cause);
  const shownCause = isOpen ? locate(shown, simple, own, false).cause : first.cause;
  const smallFamily = bucketOf({ ...found, cause: shownCause });
  const { bucket, outline } = splitBucket(
    filing.reported,
    smallFamily,
    shownCause,
    outlineOf(shown.module),
  );
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
  // An internal error has no execution that differs.
  const isSeen = small !== null && kind !== "difference";
  const said = { ...simple, detail: detail ?? (isSeen ? found.detail : unseen) };
  return { kind: "report", entry: fileAs(said, filing, facts, evidence, last.place) };
}

/** Returns whether one more finding of a bucket is examined. */
function isWorthwhile(known: BucketReport, cause: Cause | null, module: Module): boolean {
  // If the bucket's program is large, the next one may be reduced further.
  const isBetter =
    known.values !== null && (known.values > ENOUGH || coreSize(module) < known.values);
  return isBetter || isExaminedAgain(cause, known);
}

/** Locates the cause; null if no subject differs, or if the subject cannot be localized. */
function locate(
  { module, inputs }: ReportedProgram,
  { subject: name, what, detail }: ProgramSymptom,
  options: LocateOptions,
  looksFor: boolean,
): { readonly place: LocatedCause | null; readonly cause: Cause | null } {
  const cause = causeOfError(what);
  // If the interpreters disagree, no part of the compiler is located.
  if (cause?.stage === "oracle") return { place: null, cause };
  if (cause !== null) return { place: { stage: "analysis", cause, detail }, cause };
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
 * Executes the inputs, and puts those that show the finding first.
 * @returns the executions, and in `detail` the first difference; null if there is none
 */
function executionsOf(
  { module, inputs }: ReportedProgram,
  found: ProgramSymptom,
  options: JudgeOptions,
): { readonly executions: readonly ComparedExecution[]; readonly detail: string | null } {
  const { expected, results } = judgeOnce({ module, inputs }, options);
  const judgements = results.find(({ subject }) => subject === found.subject)?.judgements;
  const [first, others]: [ComparedExecution[], ComparedExecution[]] = [[], []];
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

/**
 * Judges a program. If a subject throws, or the interpreters disagree, only the outcome of the fast
 * interpreter remains.
 */
function judgeOnce({ module, inputs }: ReportedProgram, options: JudgeOptions): ProgramResult {
  const judge = new Judge(options);
  try {
    return judge.judge({ module, inputs });
  } catch (error) {
    const isAlone = options.subjects.length === 0 && options.isPlain !== true;
    if (!(error instanceof InternalError) || isAlone) throw error;
    return judgeOnce({ module, inputs }, { ...options, subjects: [], isPlain: false });
  } finally {
    judge.close();
  }
}
