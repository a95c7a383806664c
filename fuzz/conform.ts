// `fuzz conform FILE.jsonl...`: expected values by somebody else, through the oracle and the
// subjects.

import { conform } from "../src/compare/conform.js";
import { parseSuite, type SuiteCase } from "../src/compare/suite.js";
import { DEFAULT_FUEL } from "../src/execute/subjects.js";
import { chooseSubjectsForFile } from "./arguments.js";
import { located, printJson, printLine, readUserText, STATUS } from "./output.js";

export interface ConformArgs {
  readonly files: readonly string[];
  readonly subjects: string | undefined;
  readonly json: boolean;
}

const FAILURES_SHOWN = 20;

export async function run({ files, subjects: names, json }: ConformArgs): Promise<number> {
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
