// Runs cases with expected values of other sources through the oracle and every subject.
//
// Each operation is compiled once with its operands as parameters, for all its cases, and once for each case with its
// operands as constants, which the optimizer folds. A case passes if the oracle returns the expected value and every
// subject agrees with the oracle. A trap is expected as an exit.

import { OPERATIONS, type WasmOperation } from "../import/operations.js";
import type { Input, Outcome } from "../ir/outcome.js";
import { printOutcome } from "../ir/text/run-line.js";
import { isWide } from "../ir/types.js";
import { isNaNOf } from "./compare.js";
import { describeDifference } from "./describe-difference.js";
import { Judge, type JudgeOptions, type ProgramResult } from "./judge-program.js";
import { describeValue, type SuiteCase } from "./suite.js";
import { operationModule, TRAP_EXIT } from "./suite-operations.js";

interface ConformResult {
  readonly passed: number;
  readonly failed: number;
  /** Cases of operations that are not supported, by the operation's name. */
  readonly missing: ReadonlyMap<string, number>;
  readonly failures: readonly ConformFailure[];
}

interface ConformFailure {
  readonly case: SuiteCase;
  /** The failure in one line. */
  readonly message: string;
}

interface ConformOptions extends JudgeOptions {
  /**
   * The sampling interval: of this many cases, one also runs with constant operands; 1 by default.
   */
  readonly constantsEvery?: number;
}

export function conform(cases: readonly SuiteCase[], options: ConformOptions): ConformResult {
  const steps = conformSteps(cases, options);
  let step = steps.next(false);
  while (!step.done) step = steps.next(false);
  return step.value;
}

/** Runs one operation per step. It ends with the results so far when a step receives true. */
export function* conformSteps(
  cases: readonly SuiteCase[],
  options: ConformOptions,
): Generator<undefined, ConformResult, boolean> {
  const missing = new Map<string, number>();
  const groups = new Map<WasmOperation, SuiteCase[]>();
  const failures: ConformFailure[] = [];
  for (const each of cases) {
    const { op } = each;
    const operation = OPERATIONS.get(op);
    if (operation === undefined) {
      missing.set(op, (missing.get(op) ?? 0) + 1);
    } else if (!hasTypesOf(each, operation)) {
      failures.push({ case: each, message: `${op} has operands or a result of other types` });
    } else {
      const group = groups.get(operation);
      if (group === undefined) groups.set(operation, [each]);
      else group.push(each);
    }
  }
  const judge = new Judge(options);
  const run: SuiteCase[] = [];
  for (const [operation, group] of groups) {
    runGroup(judge, operation, group, options, failures);
    run.push(...group);
    if (yield) break;
  }
  judge.close();
  const failed = new Set(failures.map((failure) => failure.case));
  const passed = run.filter((each) => !failed.has(each)).length;
  return { passed, failed: failed.size, missing, failures };
}

function hasTypesOf({ args, expect }: SuiteCase, { takes, gives }: WasmOperation): boolean {
  const fits = takes.length === args.length && takes.every((type, i) => type === args[i].type);
  return fits && (typeof expect === "string" || expect.type === gives);
}

function runGroup(
  judge: Judge,
  operation: WasmOperation,
  group: readonly SuiteCase[],
  { constantsEvery = 1 }: ConformOptions,
  failures: ConformFailure[],
): void {
  const inputs = group.map(({ args }): Input => {
    const words = Int32Array.from(args.flatMap(({ lo, hi }) => [lo, hi]));
    return { words, heapSeed: 0 };
  });
  const result = judge.judge({ module: operationModule(operation, null), inputs });
  group.forEach((each, i) => {
    const message = faultOf(each, operation, result, i);
    if (message !== null)
      failures.push({ case: each, message: `operands as parameters: ${message}` });
    if (i % constantsEvery !== 0) return;
    const alone = judge.judge({
      module: operationModule(operation, each.args),
      inputs: [NO_INPUT],
    });
    const fault = faultOf(each, operation, alone, 0);
    if (fault !== null) failures.push({ case: each, message: `operands as constants: ${fault}` });
  });
}

const NO_INPUT: Input = { words: new Int32Array(0), heapSeed: 0 };

/** Describes the fault of an execution; null if there is none. */
function faultOf(
  { op, args, expect }: SuiteCase,
  operation: WasmOperation,
  result: ProgramResult,
  i: number,
): string | null {
  const call = `${op}(${args.map(describeValue).join(", ")})`;
  if (!isExpected(expect, operation, result.expected[i])) {
    const wanted = typeof expect === "string" ? `a ${expect}` : describeValue(expect);
    return `${call}: oracle: expected ${wanted}, got ${printOutcome(result.expected[i])}`;
  }
  for (const { subject, judgements } of result.results) {
    const { verdict } = judgements[i];
    if (verdict.kind === "different")
      return `${call}: ${subject}: ${describeDifference(verdict.difference)}`;
    if (verdict.kind === "unjudged") return `${call}: ${subject}: unjudged: ${verdict.reason}`;
  }
  return null;
}

// Returns whether the ending is the expected one. A NaN that an operation computes may have any bits, and the oracle
// marks it; one that it moves keeps its bits.
function isExpected(
  expect: SuiteCase["expect"],
  { keepsBits }: WasmOperation,
  { ending }: Outcome,
): boolean {
  if (expect === "trap") return ending.kind === "exit" && ending.exit === TRAP_EXIT;
  if (ending.kind !== "return" || ending.result === null) return false;
  const { type, lo, hi, anyNaN } = ending.result;
  if (anyNaN && keepsBits) return false;
  if (expect === "nan") return anyNaN || isNaNOf(type, lo, hi);
  return !anyNaN && expect.type === type && expect.lo === lo && (!isWide(type) || expect.hi === hi);
}
