// Implements `fuzz reduce`: finds a smaller program with the same verdict, starting from a file, a
// finding or a seed; or a smaller program that passes an interest test.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { withFewerFlags } from "../../src/campaign/file/fewer-flags.js";
import { Judge, type ReferenceJudgeOptions } from "../../src/compare/judge-program.js";
import type { EngineSubject } from "../../src/engine/engine-subject.js";
import { engineNamed } from "../../src/engine/engines.js";
import type { ReferenceSubject } from "../../src/execute/reference-subject.js";
import { DEFAULT_SETTINGS } from "../../src/execute/unit.js";
import { printModule } from "../../src/ir/text/print.js";
import { type Cause, causeOf } from "../../src/localize/cause.js";
import { localize } from "../../src/localize/localize.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import { type Candidate, valueCount } from "../../src/reduce/candidate.js";
import { signatureIn, TESTS_MAX } from "../../src/reduce/reduce.js";
import {
  type CandidateJudge,
  type ReductionProgress,
  reduceTogether,
} from "../../src/reduce/reduce-together.js";
import { RemoteCandidateJudge, remoteSignatureOf } from "../../src/reduce/remote-candidates.js";
import type { ReductionSignature } from "../../src/reduce/signature.js";
import { runLineOf } from "../../src/report/expectation.js";
import { InternalError } from "../../src/support/assert.js";
import { ScratchFolder } from "../../src/support/scratch-folder.js";
import { writeWhole } from "../../src/support/whole-file.js";
import { printAnswer } from "../answers/print-answer.js";
import { chooseSubjectsForFile, parseCount, parseDuration } from "../support/arguments.js";
import { onEndingSignals } from "../support/ending-signals.js";
import { type RemoteArgs, takeRemote } from "../support/engines.js";
import { printAside, printLine, printText, STATUS, usageError } from "../support/output.js";
import { plantedBug } from "../support/program-file.js";
import { type ProgramTask, type TaskArgs, taskOf } from "../support/task.js";
import { CandidateProcesses, CommandJudge, candidateMessage } from "./candidate-processes.js";

interface ReduceArgs extends TaskArgs, RemoteArgs {
  readonly out: string | undefined;
  readonly test: string | undefined;
  readonly testSeconds: string | undefined;
  readonly for: string | undefined;
  readonly resume: boolean | undefined;
  readonly workers: string | undefined;
  readonly json: boolean;
}

const WORKERS_MAX = 64;
const TEST_SECONDS = "30";

export async function run(args: ReduceArgs): Promise<number> {
  const width =
    args.workers === undefined
      ? availableParallelism()
      : parseCount("--workers", args.workers, 1, WORKERS_MAX);
  limitOf(args);
  const scratch = new ScratchFolder();
  try {
    return await reduceTask(args, width, scratch);
  } finally {
    scratch.close();
  }
}

/** Returns the time limit in seconds; null: none. */
const limitOf = (args: ReduceArgs): number | null =>
  args.for === undefined ? null : parseDuration("--for", args.for);

async function reduceTask(
  args: ReduceArgs,
  width: number,
  scratch: ScratchFolder,
): Promise<number> {
  const { rules } = args.seed === undefined ? { rules: null } : await takeRemote(args);
  const task = taskOf("reduce", args, { rules, needsCalls: args.test === undefined });
  const start = startOf(task, args);
  if (args.test === undefined) {
    const named = args.subjects ?? (engineNamed(task.subject ?? "") && task.subject);
    const { engines } = await takeRemote({ ...args, subjects: named ?? undefined }, task.seed);
    if (engines.length > 0) return reduceByEngine(engines, task, start, args);
    return reduceDifference(task, start, width, args);
  }
  if (args.subjects !== undefined)
    throw usageError("--test: the command decides alone: expected no --subjects");
  const seconds = parseCount("--test-seconds", args.testSeconds ?? TEST_SECONDS, 1, 86_400);
  const candidateJudge = new CommandJudge(args.test, width, programText, { scratch, seconds });
  return reduceBy(
    candidateJudge,
    start,
    `a program for which ${args.test} ends with status 0`,
    args,
  );
}

/** Returns the program of an interrupted reduction, or else the given program. */
function startOf({ module, inputs }: ProgramTask, { resume, out, test }: ReduceArgs): Candidate {
  if (resume !== true) return { module, inputs: [...inputs] };
  if (out === undefined)
    throw usageError("--resume: expected --out, with the file from which to continue");
  if (!existsSync(out)) return { module, inputs: [...inputs] };
  const nothing = { seed: undefined, canary: undefined, profile: undefined, chaos: undefined };
  const best = taskOf("reduce", { what: out, ...nothing }, { needsCalls: test === undefined });
  return { module: best.module, inputs: [...best.inputs] };
}

async function reduceDifference(
  task: ProgramTask,
  start: Candidate,
  width: number,
  args: ReduceArgs,
): Promise<number> {
  const { planted, subjects: usual } = plantedBug(task.canary);
  const chosen = chooseSubjectsForFile(args.subjects, task.subject ?? usual);
  const settings = { ...DEFAULT_SETTINGS, ...planted.settings, chaos: task.chaos, verify: true };
  const options = { fuelMax: DEFAULT_FUEL, ...planted, settings, subjects: chosen.subjects };
  const signature = signatureIn(start, { ...options, aspect: task.aspect });
  if (signature === null) {
    return sayNothing("no subject differs: there is nothing to reduce", start, args);
  }
  const subject = subjectOf(signature, chosen.subjects);
  const charge = {
    subject: subject.name,
    canary: task.canary ?? null,
    settings: { ...DEFAULT_SETTINGS, chaos: task.chaos, verify: true },
    signature,
    cause: signature.kind === "difference" ? causeIn(start, subject, options) : null,
    start: candidateMessage(start),
  };
  const what =
    signature.kind === "difference"
      ? `${signature.subject}: ${signature.aspect}`
      : [signature.subject, signature.what].filter((part) => part !== null).join(": ");
  return reduceBy(new CandidateProcesses(charge, width), start, what, args);
}

/** Reduces by the first of these external engines that differs. */
async function reduceByEngine(
  engines: readonly EngineSubject[],
  task: ProgramTask,
  start: Candidate,
  args: ReduceArgs,
): Promise<number> {
  for (const given of engines) {
    if ((await remoteSignatureOf(start, given, task.aspect)) === null) continue;
    const engine = await withFewerFlags(start, task.aspect, given);
    const wanted = await remoteSignatureOf(start, engine, task.aspect);
    if (wanted === null) continue;
    const options = { fuelMax: DEFAULT_FUEL, width: engine.batch };
    const candidateJudge = new RemoteCandidateJudge(start, engine, wanted, options);
    const { signature } = wanted;
    const aspect = signature.kind === "difference" ? signature.aspect : signature.what;
    return reduceBy(candidateJudge, start, `${engine.name}: ${aspect}`, args);
  }
  return sayNothing("no subject differs: there is nothing to reduce", start, args);
}

/** @param why the reason that there is nothing to reduce */
function sayNothing(why: string, start: Candidate, { json }: ReduceArgs): number {
  if (json) {
    const before = valueCount(start.module);
    const nothing = { what: null, program: null, out: null, after: null };
    printAnswer("touchstone.reduce", { ...nothing, why, before, tests: 0, interrupted: false });
  } else printLine(`; ${why}`);
  return STATUS.found;
}

const subjectOf = (
  signature: ReductionSignature,
  subjects: readonly ReferenceSubject[],
): ReferenceSubject =>
  subjects.find(({ name }) => signature.kind === "difference" && signature.subject === name) ??
  subjects[0];

/** Returns null if the cause cannot be located; then only the signature is kept. */
function causeIn(
  { module, inputs }: Candidate,
  subject: ReferenceSubject,
  options: ReferenceJudgeOptions,
): Cause | null {
  try {
    return causeOf(localize(module, inputs, subject, options, false), subject);
  } catch (error) {
    if (error instanceof InternalError) return null;
    throw error;
  }
}

async function reduceBy(
  candidateJudge: CandidateJudge & { readonly slow?: string | null; close(): void },
  start: Candidate,
  what: string,
  args: ReduceArgs,
): Promise<number> {
  const { out, json } = args;
  const limit = limitOf(args);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  const leaveSignals = onEndingSignals(interrupt);
  const timer = limit === null ? undefined : setTimeout(interrupt, limit * 1000);
  try {
    const reduced = await reduceTogether(start, candidateJudge, {
      testsMax: TESTS_MAX,
      signal: stop.signal,
      onProgress: (progress, isBetter) => {
        if (isBetter && out !== undefined) writeWhole(out, programText(progress.best));
        showProgress(progress);
      },
    });
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    if (reduced === null) {
      const why = `the initial program is not interesting: there is nothing to reduce to ${what}`;
      return sayNothing(why, start, args);
    }
    if (candidateJudge.slow != null) printAside(`fuzz: ${candidateJudge.slow}`);
    const { best, tests } = reduced;
    const interrupted = stop.signal.aborted;
    const [before, after] = [valueCount(start.module), valueCount(best.module)];
    const counts = `${before} values before, ${after} after, ${tests} tests`;
    const head = `; ${what}; ${counts}${interrupted ? ", interrupted" : ""}\n`;
    const text = `${head}${programText(best)}`;
    if (out !== undefined) writeWhole(out, text);
    if (json) {
      const made = { what, program: out === undefined ? text : null, out: out ?? null, why: null };
      printAnswer("touchstone.reduce", { ...made, before, after, tests, interrupted });
    } else if (out === undefined) printText(text);
    return STATUS.nothingFound;
  } finally {
    clearTimeout(timer);
    leaveSignals();
    candidateJudge.close();
  }
}

function showProgress({ best, tests }: ReductionProgress): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r${valueCount(best.module)} values, ${tests} tests\x1b[K`);
}

function programText({ module, inputs }: Candidate): string {
  const judge = new Judge({ subjects: [], fuelMax: DEFAULT_FUEL });
  const { expected } = judge.judge({ module, inputs });
  judge.close();
  const lines = inputs.map((input, i) => `${runLineOf(module, input, expected[i])}\n`);
  return `${printModule(module)}\n${lines.join("")}`;
}
