// Implements `fuzz report`: processes a program as a campaign processes a finding. The program
// comes from a file, a finding or a seed. Each cause gets one folder.

import { fileProgram } from "../src/campaign/file/file-finding.js";
import { fileRemote } from "../src/campaign/file/file-remote.js";
import {
  type FilingResult,
  type FindingEntry,
  type ProgramSymptom,
  reportedOf,
} from "../src/campaign/file/filing.js";
import { engineFor, type RemoteSubjectShare } from "../src/campaign/run/judge-elsewhere.js";
import { describeDifference } from "../src/compare/describe-difference.js";
import {
  Judge,
  type ReferenceJudgeOptions,
  type SubjectResult,
} from "../src/compare/judge-program.js";
import { engineNamed } from "../src/engine/engines.js";
import type { ReferenceSubject } from "../src/execute/reference-subject.js";
import { DEFAULT_SETTINGS } from "../src/execute/unit.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { ReductionWatch } from "../src/reduce/reduction-watch.js";
import { InternalError } from "../src/support/assert.js";
import { printAnswer } from "./answers/print-answer.js";
import { makeFolder, printEntries } from "./run/attend.js";
import { describeReducing } from "./run/progress.js";
import { chooseSubjectsForFile, NO_SUBJECTS } from "./support/arguments.js";
import { type RemoteArgs, takeRemote } from "./support/engines.js";
import { keepPlayground } from "./support/keep-playground.js";
import { printAside, printLine, STATUS } from "./support/output.js";
import { plantedBug } from "./support/program-file.js";
import { type ProgramTask, type TaskArgs, taskOf } from "./support/task.js";

interface ReportArgs extends TaskArgs, RemoteArgs {
  readonly out: string;
  readonly json: boolean;
}

export async function run(args: ReportArgs): Promise<number> {
  const { rules } = args.seed === undefined ? { rules: null } : await takeRemote(args);
  const task = taskOf("report", args, { rules });
  const named = args.subjects ?? engineNamed(task.subject ?? "")?.name;
  const { shares, others } = await takeRemote({ ...args, subjects: named });
  const { planted, subjects: usual } = plantedBug(task.canary);
  const { subjects } =
    others === null ? NO_SUBJECTS : chooseSubjectsForFile(others, task.subject ?? usual);
  const settings = { ...DEFAULT_SETTINGS, ...planted.settings, chaos: task.chaos, verify: true };
  const options = { fuelMax: DEFAULT_FUEL, ...planted, settings, subjects };
  const reports = makeFolder(args.out, "");
  const entries = new Map<string, FindingEntry>();
  const { canary = null, profile } = task;
  const filing = () => ({
    ...{ canary, profile, reports, reported: reportedOf(entries), earlier: reports },
    watch: watchOnStandardError(),
  });
  const count = subjects.length + shares.length;
  printAside(`judging the program with ${count === 1 ? "one subject" : `${count} subjects`}`);
  for (const subject of subjects) {
    const found = symptomOf(task, subject, options);
    if (found === null) continue;
    printAside(`${subject.name} differs: locating the cause, then reducing`);
    // Only generated programs run on the processor, or a file if the user named a native subject.
    const mayRunNatively = args.what === undefined || subjects.some(({ native }) => native);
    const own = { ...options, subjects: [subject], mayRunNatively };
    keepFinding(entries, found, await fileProgram(task, found, own, task.again, filing()));
  }
  for (const share of shares) {
    const found = await engineSymptom(task, share);
    if (found === null) continue;
    keepFinding(entries, found, await fileRemote(task, found, share, task.again, filing()));
  }
  const findings = [...entries.values()];
  if (findings.length > 0) keepPlayground(reports);
  if (args.json) printAnswer("touchstone.report", { findings });
  else if (findings.length === 0) printLine("no subject differs: there is nothing to report");
  else printEntries(findings);
  return findings.length === 0 ? STATUS.nothingFound : STATUS.found;
}

const PROGRESS_SECONDS = 10;

/** Prints progress lines, because a reduction may take minutes. */
function watchOnStandardError(): ReductionWatch {
  const startedAt = performance.now();
  let saidAt = startedAt;
  return new ReductionWatch(Number.POSITIVE_INFINITY, (values, candidates) => {
    const now = performance.now();
    if (now - saidAt < PROGRESS_SECONDS * 1000) return;
    saidAt = now;
    const candidatesPerMinute = (60_000 * candidates) / (now - startedAt);
    printAside(describeReducing({ begun: 1, reports: 1, values, candidatesPerMinute }));
  });
}

/** Counts a finding of a bucket. If there are two reports, it keeps the one with the smaller program. */
function keepFinding(
  entries: Map<string, FindingEntry>,
  { aspect }: Pick<ProgramSymptom, "aspect">,
  filed: FilingResult,
): void {
  const bucket = filed.kind === "report" ? filed.entry.bucket : filed.bucket;
  const known = entries.get(bucket);
  const best = filed.kind === "report" ? filed.entry : known;
  if (best === undefined) return;
  const aspects = new Set([...(known?.aspects ?? []), ...(aspect === null ? [] : [aspect])]);
  entries.set(bucket, { ...best, instances: (known?.instances ?? 0) + 1, aspects: [...aspects] });
}

/** Returns the first symptom of an external engine; null if there is none. */
async function engineSymptom(
  task: ProgramTask,
  share: RemoteSubjectShare,
): Promise<ProgramSymptom | null> {
  const judge = new Judge({ subjects: [engineFor(share, task.seed)], fuelMax: DEFAULT_FUEL });
  try {
    const [{ results }] = await judge.judgeAll([task]);
    return firstDifference(task, results[0]);
  } finally {
    judge.close();
  }
}

function firstDifference(
  { aspect, seed, parents }: ProgramTask,
  { subject, judgements }: SubjectResult,
): ProgramSymptom | null {
  for (const { input, verdict } of judgements) {
    if (verdict.kind !== "different" || (aspect !== null && verdict.aspect !== aspect)) continue;
    const detail = describeDifference(verdict.difference);
    return { seed, parents, subject, kind: "difference", aspect: verdict.aspect, input, detail };
  }
  return null;
}

/** Returns the first symptom of the subject; null if there is none. */
function symptomOf(
  task: ProgramTask,
  subject: ReferenceSubject,
  options: ReferenceJudgeOptions,
): ProgramSymptom | null {
  const judge = new Judge({ ...options, subjects: [subject] });
  try {
    return firstDifference(
      task,
      judge.judge({ module: task.module, inputs: task.inputs }).results[0],
    );
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
    const { evidence: detail, what } = error;
    const { seed, parents } = task;
    const about = { seed, parents, subject: subject.name };
    return { ...about, kind: "internal-error", aspect: null, input: null, detail, what };
  } finally {
    judge.close();
  }
}
