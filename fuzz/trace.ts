// Implements `fuzz trace FILE.ir|FILE.bc`: runs each run line of a file with traces. It prints the
// recorded traces, their targets and the count of each exit. Status 1 if an execution with traces
// differs from one without.

import { recordingLevelOf } from "../src/bytecode/bytecode-level.js";
import { codeOf } from "../src/bytecode/interpreter-module.js";
import { plainDifference } from "../src/bytecode/plain-difference.js";
import { listingOf } from "../src/bytecode/text.js";
import { judge, type Verdict } from "../src/compare/compare.js";
import { describeDifference } from "../src/compare/describe-difference.js";
import { fuelFor } from "../src/execute/fuel.js";
import { type Input, isJudged, type Outcome } from "../src/ir/outcome.js";
import { printInput, printOutcome } from "../src/ir/text/run-line.js";
import { Oracle } from "../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { describeCounts, describeTraces } from "../src/record/describe-traces.js";
import { ProgramFacts } from "../src/record/program-facts.js";
import {
  hotAt,
  type Thresholds,
  thresholdsOfSeed,
  USUAL_THRESHOLDS,
} from "../src/record/thresholds.js";
import { numbersOf } from "../src/record/trace-counts.js";
import { InterpretedTraces } from "../src/record/trace-runner.js";
import { TracingMachine } from "../src/record/tracing-machine.js";
import { printAnswer } from "./answers/print-answer.js";
import { parseCount, parseSeed } from "./support/arguments.js";
import { verdictOf } from "./support/describe-judgement.js";
import { printLine, STATUS, usageError } from "./support/output.js";
import { readProgram } from "./support/program-file.js";

interface TraceArgs {
  readonly file: string;
  readonly args: string | undefined;
  readonly hot: string | undefined;
  readonly seed: string | undefined;
  readonly json: boolean;
}

const HOT_MAX = 1_000_000;

export async function run({ file, args, hot, seed, json }: TraceArgs): Promise<number> {
  const thresholds = thresholdsOf(hot, seed);
  const { module, lines } = readProgram(file, args);
  if (lines.length === 0) {
    throw usageError(`${file}: has no line '; run: ${module.entry.name}(...)': give --args`);
  }
  const facts = new ProgramFacts(module);
  const code = codeOf(module);
  const listing = code === null ? null : listingOf(code);
  if (!json) for (const line of listing ?? []) printLine(`; ${line}`);
  const level = recordingLevelOf(facts);
  const oracle = new Oracle();
  const runs = lines.map(({ input }): TracedRun => {
    const expected = oracle.run(facts.program, input, DEFAULT_FUEL);
    const fuelMax = fuelFor(Math.max(oracle.fuelUsed, oracle.resumedFuel));
    const runner = new InterpretedTraces(fuelMax);
    const machine = new TracingMachine(facts, { thresholds, runner, fault: null, level });
    const verdict = judge(expected, machine.run(input, fuelMax));
    const plain =
      code === null || !isJudged(expected) ? null : plainDifference(code, input, expected);
    const traced = { input, machine, expected, verdict, plain };
    if (!json) print(facts, traced);
    return traced;
  });
  const differences = runs.reduce((sum, traced) => sum + differencesOf(traced), 0);
  if (json) {
    printAnswer("touchstone.trace", {
      bytecode: listing,
      runs: runs.map((traced) => answerOf(facts, traced)),
      differences,
    });
  }
  return differences === 0 ? STATUS.nothingFound : STATUS.found;
}

/** The result of one run line. */
interface TracedRun {
  readonly input: Input;
  readonly machine: TracingMachine;
  readonly expected: Outcome;
  readonly verdict: Verdict;
  /**
   * For a program that interprets bytecode: how the plain interpreter differs; null if it does not.
   */
  readonly plain: string | null;
}

const differencesOf = ({ verdict, plain }: TracedRun): number =>
  (verdict.kind === "different" ? 1 : 0) + (plain === null ? 0 : 1);

function print(facts: ProgramFacts, { input, machine, expected, verdict, plain }: TracedRun): void {
  printLine(`; run: ${printInput(facts.module, input)}`);
  for (const line of describeTraces(facts, machine.traces)) printLine(line);
  for (const line of describeCounts(machine.counts)) printLine(line);
  printLine(`; interpreted alone: ${printOutcome(expected)}`);
  if (verdict.kind === "different") {
    printLine(`; with traces: ${describeDifference(verdict.difference)}`);
  } else printLine(`; with traces: ${verdict.kind}`);
  if (plain !== null) printLine(`; the plain interpreter of bytecode: ${plain}`);
}

function answerOf(facts: ProgramFacts, { input, machine, expected, verdict, plain }: TracedRun) {
  return {
    input: printInput(facts.module, input),
    oracle: printOutcome(expected),
    traces: machine.traces.map((trace) => describeTraces(facts, [trace]).join("\n")),
    counts: numbersOf(machine.counts),
    ...verdictOf(verdict),
    plain,
  };
}

function thresholdsOf(hot: string | undefined, seed: string | undefined): Thresholds {
  if (hot !== undefined && seed !== undefined)
    throw usageError("--hot: expected no --seed, which draws the thresholds");
  if (hot !== undefined) return hotAt(parseCount("--hot", hot, 1, HOT_MAX));
  return seed === undefined ? USUAL_THRESHOLDS : thresholdsOfSeed(parseSeed(seed));
}
