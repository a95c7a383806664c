// From what a worker found to a report's folder: the program is made again from its seed, reduced under
// the same signature, and judged once more for the evidence.

import { Judge, type JudgeOptions, type ProgramResult } from "../compare/judge-program.js";
import { printModule } from "../ir/print.js";
import { printInput } from "../ir/run-line.js";
import { reduceProgram } from "../reduce/reduce.js";
import { type FindingFacts, makeFinding } from "../report/finding.js";
import {
  type Evidence,
  type Execution,
  reportFolder,
  writeReport,
} from "../report/write-report.js";
import { InternalError } from "../support/assert.js";
import { bucketOf, type Found } from "./found.js";
import { type JudgeSettings, judgeOptionsOf } from "./judge-seed.js";
import { programOf } from "./seeds.js";

/** A finding, as a summary lists it. */
export interface FindingEntry {
  readonly id: string;
  readonly bucket: string;
  readonly kind: string;
  /** Decimal. */
  readonly seed: string;
  readonly detail: string;
  /** The folder of the report. */
  readonly path: string;
  /** The argument vector that shows it again. */
  readonly command: readonly string[];
}

/** Where findings of a campaign go, and how its programs are judged. */
export interface Filing {
  readonly settings: JudgeSettings;
  /** The folder in which each report gets one of its own. */
  readonly reports: string;
}

/** Writes a report without a program: the seed is all that is known. */
export const fileBare = (found: Found, filing: Filing): FindingEntry =>
  file(found, filing, {}, null);

/**
 * Writes the whole report. Makes the program, and runs it unless it took a worker, for seconds; so callers
 * are workers. What does not show again is filed as it was found.
 */
export function fileWhole(found: Found, filing: Filing): FindingEntry {
  const { kind, seed, input: index } = found;
  const { module, inputs } = programOf(seed);
  const original = { original: module, originalInputs: inputs };
  // Neither may be executed; the seed shows them again.
  if (kind !== "difference" && kind !== "internal-error") {
    return file(found, filing, {}, { module, executions: [], ...original });
  }
  const { settings } = filing;
  const subjects = found.subject === null ? settings.subjects : [found.subject];
  const options = judgeOptionsOf({ ...settings, subjects }, seed);
  const input = index === null ? null : { index, text: printInput(module, inputs[index]) };
  const { aspect } = found;
  const reduced = reduceProgram(module, inputs, { ...options, aspect });
  const executions = executionsOf(reduced ?? { module, inputs }, found, options);
  const evidence = { module: reduced?.module ?? module, executions, ...original, options };
  const facts = { input, text: printModule(evidence.module) };
  if (reduced !== null) return file(found, filing, facts, evidence);
  const detail = `${found.detail} (not seen again when the report was made)`;
  return file({ ...found, detail }, filing, facts, evidence);
}

function file(
  found: Found,
  { settings, reports }: Filing,
  known: Partial<Pick<FindingFacts, "input" | "text">>,
  evidence: Evidence | null,
): FindingEntry {
  const { kind, seed, subject, aspect, detail } = found;
  const { canary } = settings;
  const bucket = bucketOf(found);
  const seen = { kind, seed, subject, aspect, detail, canary, bucket };
  const finding = makeFinding({ ...seen, input: null, text: null, ...known }, reports);
  const path = reportFolder(reports, finding);
  writeReport(path, finding, evidence);
  const { id, command } = finding;
  return { id, bucket, kind, seed: String(seed), detail, path, command };
}

type Shown = Pick<Evidence, "module"> & { readonly inputs: Evidence["originalInputs"] };

/** Those that show the finding come first. */
function executionsOf({ module, inputs }: Shown, found: Found, options: JudgeOptions): Execution[] {
  const { expected, results } = judgeOnce({ module, inputs }, options);
  const judgements = results.find(({ subject }) => subject === found.subject)?.judgements;
  const [first, others]: [Execution[], Execution[]] = [[], []];
  inputs.forEach((input, i) => {
    const judgement = judgements?.[i];
    const execution = { input, expected: expected[i], got: judgement?.outcome ?? null };
    const { verdict } = judgement ?? {};
    const isIt = verdict?.kind === "different" && verdict.aspect === found.aspect;
    (isIt ? first : others).push(execution);
  });
  return [...first, ...others];
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
