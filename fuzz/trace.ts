// `fuzz trace FILE.ir|FILE.bc`: each run line of a file with traces: what was recorded, where it leads, how often
// each exit was taken. Status 1 if an execution with traces differs from one without.

import { codeOf } from "../src/bytecode/interpreter-module.js";
import { plainDifference } from "../src/bytecode/plain.js";
import { recordableOf } from "../src/bytecode/recorded-words.js";
import { listingOf } from "../src/bytecode/text.js";
import { judge } from "../src/compare/compare.js";
import { describeDifference } from "../src/compare/describe-difference.js";
import { fuelFor } from "../src/execute/interpreted-subject.js";
import { isJudged } from "../src/ir/outcome.js";
import { printInput, printOutcome } from "../src/ir/text/run-line.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { Oracle } from "../src/oracle/oracle.js";
import { describeCounts, describeTraces } from "../src/record/describe-traces.js";
import { ProgramFacts } from "../src/record/program-facts.js";
import {
  hotAt,
  type Thresholds,
  thresholdsOfSeed,
  USUAL_THRESHOLDS,
} from "../src/record/thresholds.js";
import { InterpretedTraces } from "../src/record/trace-runner.js";
import { TracingMachine } from "../src/record/tracing-machine.js";
import { parseCount, parseSeed } from "./support/arguments.js";
import { printLine, STATUS, usageError } from "./support/output.js";
import { readProgram } from "./support/program-file.js";

interface TraceArgs {
  readonly file: string;
  readonly args: string | undefined;
  readonly hot: string | undefined;
  readonly seed: string | undefined;
}

const HOT_MAX = 1_000_000;

export async function run({ file, args, hot, seed }: TraceArgs): Promise<number> {
  const thresholds = thresholdsOf(hot, seed);
  const { module, lines } = readProgram(file, args);
  if (lines.length === 0) {
    throw usageError(`${file}: has no line '; run: ${module.entry.name}(...)': give --args`);
  }
  const facts = new ProgramFacts(module);
  const code = codeOf(module);
  if (code !== null) for (const line of listingOf(code)) printLine(`; ${line}`);
  const recordable = recordableOf(facts);
  const oracle = new Oracle();
  let differences = 0;
  for (const { input } of lines) {
    const expected = oracle.run(facts.program, input, DEFAULT_FUEL);
    const fuelMax = fuelFor(Math.max(oracle.fuelUsed, oracle.resumedFuel));
    const runner = new InterpretedTraces(fuelMax);
    const machine = new TracingMachine(facts, { thresholds, runner, fault: null, recordable });
    const seen = machine.run(input, fuelMax);
    printLine(`; run: ${printInput(module, input)}`);
    for (const line of describeTraces(facts, machine.traces)) printLine(line);
    for (const line of describeCounts(machine.counts)) printLine(line);
    printLine(`; interpreted alone: ${printOutcome(expected)}`);
    const verdict = judge(expected, seen);
    if (verdict.kind === "different") {
      differences++;
      printLine(`; with traces: ${describeDifference(verdict.difference)}`);
    } else printLine(`; with traces: ${verdict.kind}`);
    const plain =
      code === null || !isJudged(expected) ? null : plainDifference(code, input, expected);
    if (plain === null) continue;
    differences++;
    printLine(`; the plain interpreter of bytecode: ${plain}`);
  }
  return differences === 0 ? STATUS.nothingFound : STATUS.found;
}

function thresholdsOf(hot: string | undefined, seed: string | undefined): Thresholds {
  if (hot !== undefined && seed !== undefined) throw usageError("--hot: --seed draws it");
  if (hot !== undefined) return hotAt(parseCount("--hot", hot, 1, HOT_MAX));
  return seed === undefined ? USUAL_THRESHOLDS : thresholdsOfSeed(parseSeed(seed));
}
