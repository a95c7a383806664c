// Implements `fuzz conform FILE...`, which checks the oracle and the subjects against expected
// values from other sources.
//
// Suites are `.jsonl` files, and WebAssembly scripts are `.wast` files. With --boundary it runs the
// project's own tables, whose only expected values are those of the oracle. A case of a suite
// passes if the oracle and every subject pass it.
//
// With --json, `missing` contains operations that the language lacks, and reasons why cases of
// scripts cannot be imported. With --boundary the counts are executions, and `missing` contains the
// opcodes without a table.

import { boundarySteps, describeUncovered } from "../src/compare/boundary.js";
import { boundaryRows } from "../src/compare/boundary-cases.js";
import { conformSteps } from "../src/compare/conform.js";
import { conformScript } from "../src/compare/conform-script.js";
import type { JudgeOptions } from "../src/compare/judge-program.js";
import { parseSuite, type SuiteCase } from "../src/compare/suite.js";
import { openWasmReader } from "../src/import/read-wasm.js";
import { readScript, type UnsupportedCommand, type WasmScript } from "../src/import/script.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { printAnswer } from "./answers/print-answer.js";
import { imported } from "./import.js";
import {
  chooseSubjects,
  chooseSubjectsForFile,
  NO_SUBJECTS,
  parseCount,
} from "./support/arguments.js";
import { takeRemote } from "./support/engines.js";
import { INTERRUPTED, LongWork } from "./support/long-work.js";
import { located, printLine, readUserText, STATUS, usageError } from "./support/output.js";

interface ConformArgs {
  readonly files?: readonly string[] | undefined;
  readonly boundary: boolean;
  readonly share?: string | undefined;
  readonly subjects: string | undefined;
  readonly json: boolean;
}

const FAILURES_SHOWN = 20;

export async function run(args: ConformArgs): Promise<number> {
  const { files = [], boundary, share } = args;
  if (boundary === files.length > 0) throw usageError("conform: expected files, or --boundary");
  if (share !== undefined && !boundary) throw usageError("--share goes with --boundary");
  return boundary ? runBoundary(args) : runSuites(files, args);
}

async function runSuites(
  files: readonly string[],
  { subjects: names, json }: ConformArgs,
): Promise<number> {
  const { subjects, left } = chooseSubjectsForFile(names);
  const options = { subjects, fuelMax: DEFAULT_FUEL };
  const missing = new Map<string, number>();
  const unjudged: ScriptCase[] = [];
  const leftOut: ScriptCase[] = [];
  let passed = 0;
  let failed = 0;
  const reader = files.some(isScript) ? await openWasmReader() : null;
  let done = 0;
  const suites = files.map((path) => {
    const text = readUserText(path);
    if (reader !== null && isScript(path)) {
      const script = imported(path, () => readScript(text, path, reader));
      return { path, run: async () => runScript(script, options) };
    }
    const cases = located(path, () => parseSuite(text));
    if (cases.length === 0) throw usageError(`${path}: expected a case in each line, found none`);
    return { path, run: (work: LongWork) => runSuite(cases, options, work) };
  });
  const work = new LongWork(
    () => `${done} of ${files.length} files, ${passed} passed, ${failed} failed`,
  );
  for (const { path, run: runFile } of suites) {
    if (await work.pause()) break;
    const result = await runFile(work);
    done++;
    passed += result.passed;
    failed += result.failed;
    unjudged.push(...result.unjudged.map((each) => ({ file: path, ...each })));
    leftOut.push(...result.leftOut.map((each) => ({ file: path, ...each })));
    for (const [what, count] of result.missing) missing.set(what, (missing.get(what) ?? 0) + count);
    if (json) continue;
    for (const { line, message } of result.failures.slice(0, FAILURES_SHOWN)) {
      printLine(`${path}:${line}: ${message}`);
    }
    const others = result.failures.length - FAILURES_SHOWN;
    if (others > 0) printLine(`${path}: ${others} more failures`);
    for (const [why, lines] of linesByReason(result.unjudged)) {
      printLine(`${path}: ${lines}: no verdict, because ${why}`);
    }
  }
  work.end();
  const interrupted = work.isInterrupted;
  if (json)
    printResult({ passed, failed, interrupted, missing: [...missing.keys()], unjudged, leftOut });
  else {
    if (interrupted) printLine(INTERRUPTED);
    for (const [op, count] of missing) printLine(`${count} cases were not run: ${op}`);
    for (const { subject, reason } of left) printLine(`${subject} was left out: ${reason}`);
    const open = `${unjudged.length} without a verdict, ${leftOut.length} not imported`;
    const reasons = `${missing.size} reasons to run no case`;
    printLine(`${passed} passed, ${failed} failed, ${open}, ${reasons}`);
  }
  const others = unjudged.length + leftOut.length + missing.size;
  if (passed + failed === 0 && others > 0 && !interrupted)
    throw usageError(`${files.join(", ")}: no case was judged; the reasons are above`);
  return failed === 0 ? STATUS.nothingFound : STATUS.found;
}

/** The answer that `--json` prints. */
interface ConformAnswer {
  readonly passed: number;
  readonly failed: number;
  readonly interrupted: boolean;
  readonly missing: readonly string[];
  readonly unjudged: readonly ScriptCase[];
  readonly leftOut: readonly ScriptCase[];
}

/** A case of a script without a verdict. */
interface UnjudgedCase {
  readonly line: number;
  readonly why: string;
}

interface ScriptCase extends UnjudgedCase {
  readonly file: string;
}

/** Joins the lines of each reason into one text. */
function linesByReason(cases: readonly UnjudgedCase[]): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const { line, why } of cases) {
    const known = lines.get(why);
    lines.set(why, known === undefined ? `line ${line}` : `${known}, ${line}`);
  }
  return lines;
}

const printResult = (told: ConformAnswer): void => printAnswer("touchstone.conform", told);

const isScript = (path: string): boolean => path.endsWith(".wast");

interface FileResult {
  readonly passed: number;
  readonly failed: number;
  /** Reasons why cases were not run, with their counts. */
  readonly missing: ReadonlyMap<string, number>;
  readonly failures: readonly { readonly line: number; readonly message: string }[];
  readonly unjudged: readonly UnjudgedCase[];
  readonly leftOut: readonly UnjudgedCase[];
}

async function runSuite(
  cases: readonly SuiteCase[],
  options: JudgeOptions,
  work: LongWork,
): Promise<FileResult> {
  const result = await work.through(conformSteps(cases, options));
  const failures = result.failures.map(({ case: { line }, message }) => ({ line, message }));
  return { ...result, failures, unjudged: [], leftOut: [] };
}

function runScript(script: WasmScript, options: JudgeOptions): FileResult {
  const { passed, failures, unjudged, outside } = conformScript(script, options);
  const missing = new Map<string, number>();
  for (const { message } of outside) {
    // Removes positions, so that equal reasons have equal texts.
    const why = message.replace(/\S*\.wast:\d+:\d+: |byte 0x[\da-f]+: |of line \d+/g, "");
    missing.set(why, (missing.get(why) ?? 0) + 1);
  }
  return {
    passed,
    failed: failures.length,
    missing,
    failures,
    unjudged: unjudged.map(withReason),
    leftOut: outside.map(withReason),
  };
}

const withReason = ({ line, message }: UnsupportedCommand): UnjudgedCase => ({
  line,
  why: message,
});

async function runBoundary({ subjects: names, share = "1", json }: ConformArgs): Promise<number> {
  const { engines, others } = await takeRemote({ subjects: names });
  const { subjects: own, left } = others === null ? NO_SUBJECTS : chooseSubjects(others);
  const subjects = [...own, ...engines];
  const options = { subjects, fuelMax: DEFAULT_FUEL, share: parseCount("--share", share) };
  const all = boundaryRows().length;
  const work = new LongWork((steps) => `${steps} of ${all} opcodes at their types`);
  const result = await work.through(boundarySteps(options));
  work.end();
  const { rows, cases, failed, failures, unjudged, uncovered } = result;
  const interrupted = work.isInterrupted;
  const passed = cases - failed;
  if (json) {
    const missing = [...uncovered.values()].flat();
    printResult({ passed, failed, interrupted, missing, unjudged: [], leftOut: [] });
  } else {
    if (interrupted) printLine(INTERRUPTED);
    for (const failure of failures.slice(0, FAILURES_SHOWN)) printLine(failure);
    const others = failures.length - FAILURES_SHOWN;
    if (others > 0) printLine(`${others} more failures`);
    printLine(describeUncovered(uncovered));
    for (const [reason, count] of unjudged)
      printLine(`${count} executions have no verdict: ${reason}`);
    for (const { subject, reason } of left) printLine(`${subject} was left out: ${reason}`);
    printLine(`${rows} opcodes at their types: ${passed} passed, ${failed} failed`);
  }
  return failed === 0 ? STATUS.nothingFound : STATUS.found;
}
