// Makes the report of a finding of a remote subject. The subject runs each candidate of the
// reduction, the remaining opcodes name the bucket, and the report has files that need nothing of
// Touchstone.

import { judge } from "../../compare/compare.js";
import { nameOfCrash } from "../../compare/crash-message.js";
import { describeDifference } from "../../compare/describe-difference.js";
import { Judge, type ProgramResult } from "../../compare/judge-program.js";
import type { EngineSubject, FileContents } from "../../engine/engine-subject.js";
import { observations } from "../../engine/engines.js";
import { outcomeOfRun } from "../../engine/run-answer.js";
import { nameOfOpcode, Op, type OpcodeName } from "../../ir/opcodes.js";
import { type Input, isJudged, type Outcome } from "../../ir/outcome.js";
import { CONSTANT_OPCODES, type Module } from "../../ir/procedure.js";
import { printModule } from "../../ir/text/print.js";
import { printInput, printOutcome } from "../../ir/text/run-line.js";
import { type Cause, causeOfKnownBugs } from "../../localize/cause.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { type Candidate, coreSize } from "../../reduce/candidate.js";
import { reduceTogether } from "../../reduce/reduce-together.js";
import { unwatched } from "../../reduce/reduction-watch.js";
import { RemoteCandidateJudge, remoteSignatureOf } from "../../reduce/remote-candidates.js";
import { bucketOf } from "../../report/bucket.js";
import type { ComparedExecution, Reproducer } from "../../report/evidence.js";
import { programText } from "../../report/write-report.js";
import { engineFor, type RemoteSubjectShare, remoteWords } from "../run/judge-elsewhere.js";
import { confirm, confirmReduced } from "./confirm.js";
import { type CausingBugs, curedBy, nameOfBugs } from "./cured-by.js";
import { withFewerFlags } from "./fewer-flags.js";
import {
  type FilingContext,
  type FilingResult,
  fileAs,
  type ProgramSymptom,
  type ReportedProgram,
} from "./filing.js";
import { isKnownEngineBug } from "./known-engine-bugs.js";
import { locatePart } from "./locate-part.js";
import { openBits } from "./open-bits.js";

/** The longest delay of a timer, in milliseconds. */
const TIMER_MAX = 2 ** 31;

/** The largest number of candidates: beyond it the program is reported as it is. */
const TESTS_MAX = 3000;

/**
 * Writes the report of a program that an external compiler, named by `--subjects`, executes wrong.
 */
export function fileRemote(
  shown: ReportedProgram,
  found: ProgramSymptom,
  share: RemoteSubjectShare,
  again: readonly string[],
  filing: FilingContext,
): Promise<FilingResult> {
  const words = remoteWords(share);
  const reproduction = { again: [...again, ...words], settings: words };
  return fileDifference(shown, found, engineFor(share, found.seed), reproduction, filing);
}

/** The arguments of `fuzz` that reproduce a difference, without subjects. */
interface ReproductionArguments {
  /** The arguments that reproduce the original program. */
  readonly again: readonly string[];
  /** The arguments for the reduced program, in addition to its file. */
  readonly settings: readonly string[];
}

/**
 * Makes the report.
 * @param reproduction null for a subject that `fuzz` cannot name
 */
export async function fileDifference(
  { module, inputs }: ReportedProgram,
  found: ProgramSymptom,
  given: EngineSubject,
  reproduction: ReproductionArguments | null,
  filing: FilingContext,
): Promise<FilingResult> {
  const { canary } = filing;
  const explained =
    found.known === undefined ? null : bucketOf({ ...found, cause: causeOfKnownBugs(found.known) });
  if (explained !== null && explained in filing.reported)
    return { kind: "instance", bucket: explained };
  const confirming =
    reproduction === null ? null : concurrently(confirm(found, reproduction.again, canary));
  const start = { module, inputs: [...inputs] };
  // Flags that are not needed are removed first, and again when the program is small.
  const needed = await withFewerFlags(start, found.aspect, given);
  const small = await reduced(start, found, needed, filing.watch);
  const subject = small === null ? needed : await withFewerFlags(small, found.aspect, needed);
  const shown = small ?? start;
  const met = small === null ? null : await causingBugsOf(subject, small);
  const { executions, detail } = await executionsOf(shown, found, subject);
  const crash = nameOfCrash(executions[0]?.got ?? null);
  const cause = small === null ? null : await causeIn(subject, small, found, { met, crash });
  const bucket = bucketOf({ ...found, cause });
  const known = filing.reported[bucket]?.values ?? null;
  if (known !== null && known <= coreSize(shown.module)) return { kind: "instance", bucket };
  const text = programText({ module: shown.module, executions });
  // With drawn flags, the finding names the engine with these flags.
  const named = subject.row === undefined ? found : { ...found, subject: subject.name };
  const confirmingReduced =
    reproduction === null || small === null
      ? null
      : concurrently(confirmReduced(named, text, reproduction.settings, canary));
  const reproducer = await reproducerOf(shown.module, executions, subject);
  const evidence = {
    ...{ module: shown.module, executions, original: module, originalInputs: inputs },
    ...(reproducer === null ? {} : { reproducer }),
  };
  const { input: index } = found;
  const input = index === null ? null : { index, text: printInput(module, inputs[index]) };
  const [confirmed, confirmedReduced] = await Promise.all([confirming, confirmingReduced]);
  const facts = {
    ...{ input, cause, confirmed, confirmedReduced, values: coreSize(shown.module) },
    text: printModule(shown.module),
    engine: subject.version(),
    subject: named.subject,
    settings: reproduction?.settings ?? [],
  };
  const unseen = `${found.detail} (not reproduced when the report was made)`;
  const said = { ...found, detail: detail ?? unseen };
  const entry = fileAs(said, filing, facts, evidence, null);
  const isKnown =
    met !== null ||
    (small !== null &&
      isKnownEngineBug({
        ...{ engine: subject.row ?? subject.name, version: subject.version(), detail: said.detail },
        ...{ opcodes: opcodesOf(shown.module), values: facts.values },
      }));
  return { kind: "report", entry: isKnown ? { ...entry, news: "known" } : entry };
}

/**
 * Lets work run concurrently. Its error is thrown where it is awaited: before, an unhandled
 * rejection would end this process.
 */
function concurrently<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/**
 * Reduces a program; null if the difference is not reproduced. A program that hangs is not reduced:
 * each test would wait.
 */
async function reduced(
  start: Candidate,
  { aspect }: ProgramSymptom,
  subject: EngineSubject,
  watch = unwatched(),
): Promise<Candidate | null> {
  const wanted = await remoteSignatureOf(start, subject, aspect);
  if (wanted === null) return null;
  const { signature } = wanted;
  if (signature.kind === "difference" && signature.endings.includes("hang")) return start;
  const options = { fuelMax: DEFAULT_FUEL, width: subject.batch };
  watch.mayContinue(start);
  const interest = new RemoteCandidateJudge(start, subject, wanted, options);
  const ending = new AbortController();
  const onProgress = ({ best }: { readonly best: Candidate }): void => {
    if (!watch.mayContinue(best)) ending.abort();
  };
  // A timer ends the reduction at its limit, even while the subject judges a candidate.
  const { millisecondsLeft } = watch;
  const stop = (): void => {
    watch.stop();
    ending.abort();
  };
  const timer = millisecondsLeft < TIMER_MAX ? setTimeout(stop, millisecondsLeft) : undefined;
  try {
    const how = { testsMax: TESTS_MAX, signal: ending.signal, onProgress };
    return (await reduceTogether(start, interest, how))?.best ?? null;
  } finally {
    clearTimeout(timer);
    interest.close();
  }
}

const PARTS_MAX = 4;

/** Returns the known bugs whose avoidance makes the program right; null if there are none. */
async function causingBugsOf(
  { cures }: EngineSubject,
  small: Candidate,
): Promise<CausingBugs | null> {
  const met = cures === undefined ? null : await curedBy(small, cures);
  return met === null || met.bugs.length === 0 ? null : met;
}

/** Facts that name a cause with precedence over opcodes. */
interface PrecedingCauses {
  /** The known bugs whose avoidance makes the program right. */
  readonly met: CausingBugs | null;
  readonly crash: string | null;
}

/**
 * Returns the cause. It is the known bugs that make the program wrong, else the message of a crash.
 * Otherwise it is the wrong part, if the engine can omit parts, and the remaining opcodes.
 */
async function causeIn(
  { name, row: stage = name, family, parts }: EngineSubject,
  small: Candidate,
  { aspect }: ProgramSymptom,
  { met, crash }: PrecedingCauses,
): Promise<Cause> {
  if (met !== null) return causeOfKnownBugs(nameOfBugs(met));
  if (crash !== null) return { stage, part: crash, rule: null };
  const names = opcodesOf(small.module);
  const opcodes = names.size > PARTS_MAX ? "several" : [...names].sort().join("+");
  const part = parts === undefined ? null : await locatePart(small, aspect, parts);
  if (part === null) return { stage, part: opcodes, rule: null };
  return {
    stage: family === undefined ? stage : versionedFamily(family, stage),
    part,
    rule: opcodes,
  };
}

/** Returns `LLVM@21` for the family LLVM and the row `llvm-O2@21`. */
function versionedFamily(family: string, row: string): string {
  const at = row.indexOf("@");
  return at === -1 ? family : family + row.slice(at);
}

/** Returns all opcodes except constants and returns. */
function opcodesOf(module: Module): ReadonlySet<OpcodeName> {
  const names = new Set<OpcodeName>();
  for (const proc of module.procedures) {
    proc.forEachValue(({ opcode }) => {
      if (opcode === Op.Return || CONSTANT_OPCODES.includes(opcode)) return;
      names.add(nameOfOpcode(opcode));
    });
  }
  return names;
}

async function judgeOnce(
  { module, inputs }: ReportedProgram,
  subject: EngineSubject,
): Promise<ProgramResult> {
  const open = new Judge({ subjects: [subject], fuelMax: DEFAULT_FUEL, keepOutcomes: true });
  try {
    const [result] = await open.judgeAll([{ module, inputs }]);
    return result;
  } finally {
    open.close();
  }
}

/**
 * Executes the inputs, and puts those that show the finding first; `detail` is the first
 * difference.
 */
async function executionsOf(
  shown: ReportedProgram,
  found: ProgramSymptom,
  subject: EngineSubject,
): Promise<{ readonly executions: readonly ComparedExecution[]; readonly detail: string | null }> {
  const { expected, results } = await judgeOnce(shown, subject);
  const [first, others]: [ComparedExecution[], ComparedExecution[]] = [[], []];
  let detail: string | null = null;
  for (const { input: i, verdict, outcome } of results[0].judgements) {
    const execution = { input: shown.inputs[i], expected: expected[i], got: outcome };
    const isIt = verdict.kind === "different" && verdict.aspect === found.aspect;
    if (isIt) detail ??= describeDifference(verdict.difference);
    (isIt ? first : others).push(execution);
  }
  return { executions: [...first, ...others], detail };
}

/**
 * Returns the files that repeat the difference without Touchstone; null if no other implementation
 * gives the oracle's outcome.
 */
async function reproducerOf(
  module: Module,
  executions: readonly ComparedExecution[],
  subject: EngineSubject,
): Promise<Reproducer | null> {
  if (executions.length === 0) return null;
  const [{ input, expected }] = executions;
  const right = await rightObservation(module, input, expected);
  if (right === null) return null;
  const files = subject.reproducer({
    ...{ module, input, expected: right },
    inputs: executions.flatMap((one) => (isJudged(one.expected) ? [one.input] : [])),
    open: openBits(module, expected, right),
  });
  const answer = { "expected.txt": `${printOutcome(expected)}\n` };
  return {
    files: { ...answer, ...(await textsOf(files)), ...files },
    says: [
      "Without Touchstone: `reproduce.sh` runs the first execution. Unless a command answers lines, it compares the result",
      `with \`expected.txt\`, the oracle's outcome. Engine: ${subject.version()}.`,
    ],
  };
}

/** Returns each module of WebAssembly as text, too. */
async function textsOf(files: FileContents): Promise<FileContents> {
  const texts: Record<string, string> = {};
  for (const [name, bytes] of Object.entries(files)) {
    if (typeof bytes === "string" || !name.endsWith(WASM)) continue;
    // Imported here because it loads wabt, which few reports need.
    const { textOfWasm } = await import("../../export/wasm/text-of-wasm.js");
    const text = await textOfWasm(bytes);
    if (text !== null) texts[`${name.slice(0, -WASM.length)}.wat`] = text;
  }
  return texts;
}

const WASM = ".wasm";

async function rightObservation(module: Module, input: Input, expected: Outcome) {
  for await (const answer of observations(module, input)) {
    const verdict = judge(expected, outcomeOfRun(module, answer), new Set());
    if (verdict.kind === "equal") return answer;
  }
  return null;
}
