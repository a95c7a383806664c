// From what a worker found to a report's folder: the program is made again from its seed, what is to
// blame is located, and if nobody knows that yet, the program is confirmed, reduced under the same
// signature and the same cause, and judged once more for the evidence.

import { Judge, type JudgeOptions, type ProgramResult } from "../compare/judge-program.js";
import type { Subject } from "../execute/subject.js";
import { printModule } from "../ir/print.js";
import { printInput } from "../ir/run-line.js";
import { type Cause, causeOf, isSameCause } from "../localize/cause.js";
import { type Located, localize } from "../localize/localize.js";
import { coreSize } from "../reduce/candidate.js";
import { reduceProgram } from "../reduce/reduce.js";
import { bucketIdOf, bucketOf } from "../report/bucket.js";
import { type FindingFacts, makeFinding } from "../report/finding.js";
import {
  type Evidence,
  type Execution,
  reportFolder,
  writeReport,
} from "../report/write-report.js";
import { InternalError } from "../support/assert.js";
import { confirm } from "./confirm.js";
import type { Found } from "./found.js";
import { type JudgeSettings, judgeOptionsOf } from "./judge-seed.js";
import { type News, newsOf, readKnown } from "./known.js";
import { programOf } from "./seeds.js";

/** A finding, as a summary lists it. */
export interface FindingEntry {
  readonly id: string;
  readonly bucket: string;
  readonly bucketId: string;
  readonly news: News;
  readonly kind: string;
  /** Decimal; null for a program that came from a file. */
  readonly seed: string | null;
  readonly detail: string;
  /** The folder of the report. */
  readonly path: string;
  /** The argument vector that shows it again. */
  readonly command: readonly string[];
  /** Findings of the bucket that were looked at, this one included. */
  readonly instances: number;
  /** As in finding.json. */
  readonly values: number | null;
}

/** Where findings go, and what is known already. */
export interface Filing {
  /** The name of a planted bug. */
  readonly canary: string | null;
  /** The folder in which each report gets one of its own. */
  readonly reports: string;
  /** By bucket: the size of the program in its report. */
  readonly reported: Readonly<Record<string, number | null>>;
}

/** What became of a finding: a report, or one more instance of a bucket that has a better one. */
export type Filed =
  | { readonly kind: "report"; readonly entry: FindingEntry }
  | { readonly kind: "instance"; readonly bucket: string };

/** Writes a report without a program: the seed is all that is known. */
export const fileBare = (found: Symptom, filing: Filing): FindingEntry =>
  file(found, filing, {}, null, null);

/**
 * Writes the whole report, unless the bucket has one of a program that is smaller than this one. Makes
 * the program, and runs it unless it took a worker, for seconds; so callers are workers. What does
 * not show again is filed as it was found.
 */
export function fileWhole(found: Found, filing: Filing, settings: JudgeSettings): Filed {
  const { seed } = found;
  const subjects = found.subject === null ? settings.subjects : [found.subject];
  const again = ["--seed", String(seed)];
  const options = judgeOptionsOf({ ...settings, subjects }, seed);
  return fileProgram(programOf(seed), found, options, again, filing);
}

/**
 * The same for any program.
 * @param options with the subject at fault, if there is one
 * @param again what `fuzz` is told to show the difference again, but for subjects and planted bugs
 */
export function fileProgram(
  { module, inputs }: Shown,
  found: Symptom,
  options: JudgeOptions,
  again: readonly string[],
  filing: Filing,
): Filed {
  const { kind, input: index } = found;
  const original = { original: module, originalInputs: inputs };
  // Neither may be executed; the seed shows them again.
  if (kind !== "difference" && kind !== "internal-error") {
    const evidence = { module, executions: [], ...original };
    return { kind: "report", entry: file(found, filing, {}, evidence, null) };
  }
  const subject = kind === "difference" ? options.subjects[0] : null;
  const first = located({ module, inputs }, subject, options);
  const cause = first === null ? null : causeOf(first, options.subjects[0]);
  const bucket = bucketOf({ ...found, cause });
  const known = filing.reported[bucket];
  if (known !== undefined && !(known !== null && coreSize(module) < known)) {
    return { kind: "instance", bucket };
  }
  const confirmed = confirm(found, again, filing.canary);
  const input = index === null ? null : { index, text: printInput(module, inputs[index]) };
  const { aspect } = found;
  const keeps = (shown: Shown): boolean =>
    cause === null || hasCause(located(shown, subject, options), cause, options.subjects[0]);
  const reduced = reduceProgram(module, inputs, { ...options, aspect, keeps });
  const small = reduced ?? { module, inputs };
  const { executions, detail: seen } = executionsOf(small, found, options);
  const evidence = { module: small.module, executions, ...original, options };
  const values = coreSize(small.module);
  const facts = { input, text: printModule(small.module), cause, confirmed, values };
  const detail =
    reduced === null
      ? `${found.detail} (not seen again when the report was made)`
      : (seen ?? found.detail);
  const last = located(small, subject, options);
  return { kind: "report", entry: file({ ...found, detail }, filing, facts, evidence, last) };
}

/** Null where no subject differs, or where it cannot be asked. */
function located(
  { module, inputs }: Shown,
  subject: Subject | null,
  options: JudgeOptions,
): Located | null {
  if (subject === null) return null;
  try {
    return localize(module, inputs, subject, options);
  } catch (error) {
    if (error instanceof InternalError) return null;
    throw error;
  }
}

const hasCause = (place: Located | null, cause: Cause, subject: Subject): boolean =>
  place !== null && isSameCause(causeOf(place, subject), cause);

function file(
  found: Symptom,
  { canary, reports }: Filing,
  known: Partial<FindingFacts>,
  evidence: Evidence | null,
  place: Located | null,
): FindingEntry {
  const { kind, seed, subject, aspect, detail } = found;
  const seen = { kind, seed, subject, aspect, detail, canary };
  const unknown = { input: null, text: null, cause: null, confirmed: null, values: null };
  const finding = makeFinding({ ...seen, ...unknown, ...known }, reports);
  const path = reportFolder(reports, finding);
  writeReport(path, finding, evidence, place);
  const { id, bucket, bucketId, command, values } = finding;
  const news = newsOf(bucketIdOf(bucket), readKnown());
  const about = { id, bucket, bucketId, news, kind, seed: seed?.toString() ?? null, detail };
  return { ...about, path, command, instances: 1, values };
}

/** What is wrong with a program; null is the seed of one from a file. */
export type Symptom = Omit<Found, "seed"> & { readonly seed: bigint | null };

type Shown = Pick<Evidence, "module"> & { readonly inputs: Evidence["originalInputs"] };

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
    if (isIt) detail ??= verdict.detail;
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
