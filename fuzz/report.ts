// `fuzz report`: what a campaign does with a finding, by hand: of a file, of a finding, or of a
// seed. Each cause gets one folder.

import { fileProgram } from "../src/campaign/file/file-finding.js";
import type { FindingEntry, Symptom } from "../src/campaign/file/filing.js";
import { describeDifference } from "../src/compare/describe-difference.js";
import { Judge, type ReferenceJudgeOptions } from "../src/compare/judge-program.js";
import type { ReferenceSubject } from "../src/execute/reference-subject.js";
import { DEFAULT_SETTINGS } from "../src/execute/unit.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { describeError, InternalError } from "../src/support/assert.js";
import { makeFolder, printEntries } from "./run/attend.js";
import { chooseSubjectsForFile } from "./support/arguments.js";
import { printJson, printLine, STATUS } from "./support/output.js";
import { plantedBug } from "./support/program-file.js";
import { type Task, type TaskArgs, taskOf } from "./support/task.js";

interface ReportArgs extends TaskArgs {
  readonly subjects: string | undefined;
  readonly out: string;
  readonly json: boolean;
}

export async function run(args: ReportArgs): Promise<number> {
  const task = taskOf("report", args);
  const { planted, subjects: usual } = plantedBug(task.canary);
  const { subjects } = chooseSubjectsForFile(args.subjects, task.subject ?? usual);
  const settings = { ...DEFAULT_SETTINGS, ...planted.settings, chaos: task.chaos, verify: true };
  const options = { fuelMax: DEFAULT_FUEL, ...planted, settings, subjects };
  const reports = makeFolder(args.out, "");
  const entries = new Map<string, FindingEntry>();
  for (const subject of subjects) {
    const found = symptomOf(task, subject, options);
    if (found === null) continue;
    const reported = Object.fromEntries(
      [...entries].map(([bucket, { values }]) => [bucket, values] as const),
    );
    const { profile } = task;
    const filing = { canary: task.canary ?? null, profile, reports, reported };
    // Only what is ours runs on the processor, and a file if a native subject was named.
    const mayRunNatively = args.what === undefined || subjects.some(({ native }) => native);
    const own = { ...options, subjects: [subject], mayRunNatively };
    const filed = await fileProgram(task, found, own, task.again, filing);
    if (filed.kind === "report") entries.set(filed.entry.bucket, filed.entry);
    else {
      const known = entries.get(filed.bucket);
      if (known !== undefined) {
        entries.set(filed.bucket, { ...known, instances: known.instances + 1 });
      }
    }
  }
  const findings = [...entries.values()];
  if (args.json) printJson({ schema: "touchstone.report", version: 1, findings });
  else if (findings.length === 0) printLine("no subject differs: there is nothing to report");
  else printEntries(findings);
  return findings.length === 0 ? STATUS.nothingFound : STATUS.found;
}

/** What the subject does wrong first; null if nothing. */
function symptomOf(
  { module, inputs, aspect, seed, parents }: Task,
  subject: ReferenceSubject,
  options: ReferenceJudgeOptions,
): Symptom | null {
  const about = { seed, parents, subject: subject.name };
  const judge = new Judge({ ...options, subjects: [subject] });
  try {
    const [{ judgements }] = judge.judge(module, inputs).results;
    for (const { input, verdict } of judgements) {
      if (verdict.kind !== "different" || (aspect !== null && verdict.aspect !== aspect)) continue;
      const detail = describeDifference(verdict.difference);
      return { ...about, kind: "difference", aspect: verdict.aspect, input, detail };
    }
    return null;
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
    const detail = describeError(error);
    return { ...about, kind: "internal-error", aspect: null, input: null, detail };
  } finally {
    judge.close();
  }
}
