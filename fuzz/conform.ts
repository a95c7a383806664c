// `fuzz conform FILE.jsonl...`: expected values from elsewhere, through the oracle and the
// subjects; with --boundary the tables of our own, which have no expected values but the oracle.
//
// Both print `{schema, version, passed, failed, missing}` with --json: a case of a suite passes if
// the oracle and every subject pass it. With --boundary they are executions, and `missing` names
// the opcodes that have no table.

import { describeUncovered, runBoundaryTables } from "../src/compare/boundary.js";
import { conform } from "../src/compare/conform.js";
import { parseSuite, type SuiteCase } from "../src/compare/suite.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { chooseSubjects, chooseSubjectsForFile, parseCount } from "./support/arguments.js";
import {
  located,
  printJson,
  printLine,
  readUserText,
  STATUS,
  usageError,
} from "./support/output.js";

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
  const suites = files.map((path): readonly [string, SuiteCase[]] => {
    const text = readUserText(path);
    return [path, located(path, () => parseSuite(text))];
  });
  const missing = new Map<string, number>();
  let passed = 0;
  let failed = 0;
  for (const [path, cases] of suites) {
    const result = conform(cases, { subjects, fuelMax: DEFAULT_FUEL });
    passed += result.passed;
    failed += result.failed;
    for (const [op, count] of result.missing) missing.set(op, (missing.get(op) ?? 0) + count);
    if (json) continue;
    for (const { case: each, message } of result.failures.slice(0, FAILURES_SHOWN)) {
      printLine(`${path}:${each.line}: ${message}`);
    }
    const others = result.failures.length - FAILURES_SHOWN;
    if (others > 0) printLine(`${path}: ${others} more`);
  }
  if (json) {
    printJson({
      schema: "touchstone.conform",
      version: 1,
      passed,
      failed,
      missing: [...missing.keys()],
    });
  } else {
    for (const [op, count] of missing) printLine(`missing: ${op} (${count} cases)`);
    for (const { subject, reason } of left) printLine(`${subject} was left out: ${reason}`);
    printLine(`${passed} passed, ${failed} failed, ${missing.size} operations missing`);
  }
  return failed === 0 ? STATUS.nothingFound : STATUS.found;
}

async function runBoundary({ subjects: names, share = "1", json }: ConformArgs): Promise<number> {
  const { subjects, left } = chooseSubjects(names);
  const options = { subjects, fuelMax: DEFAULT_FUEL, share: parseCount("--share", share) };
  const { rows, cases, failed, failures, unjudged, uncovered } = runBoundaryTables(options);
  const passed = cases - failed;
  if (json) {
    const missing = [...uncovered.values()].flat();
    printJson({ schema: "touchstone.conform", version: 1, passed, failed, missing });
  } else {
    for (const failure of failures.slice(0, FAILURES_SHOWN)) printLine(failure);
    const others = failures.length - FAILURES_SHOWN;
    if (others > 0) printLine(`${others} more`);
    printLine(describeUncovered(uncovered));
    for (const [reason, count] of unjudged) printLine(`unjudged: ${count} ${reason}`);
    for (const { subject, reason } of left) printLine(`${subject} was left out: ${reason}`);
    printLine(`${rows} opcodes at their types: ${passed} passed, ${failed} failed`);
  }
  return failed === 0 ? STATUS.nothingFound : STATUS.found;
}
