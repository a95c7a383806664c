// `fuzz exec FILE.ir`: each run line of a file through the oracle and every subject. Status 1 if a
// subject differs or an expectation fails, so that `git bisect run` finds the commit that broke it.
//
// With --each-exit the program is rewritten so that inputs can name a guard, which then fails on
// its first visit: each run line comes as it was, then one for each guard. What is printed is the
// rewritten program, a file that runs again.

import type { ForcedExit } from "../src/campaign/program/each-exit.js";
import { Judge, type ProgramResult } from "../src/compare/judge-program.js";
import { nameOfOpcode } from "../src/ir/opcodes.js";
import type { Input } from "../src/ir/outcome.js";
import type { Module } from "../src/ir/procedure.js";
import { printName } from "../src/ir/text/literals.js";
import { printModule } from "../src/ir/text/print.js";
import {
  checkExpectation,
  printInput,
  printOutcome,
  type RunLine,
} from "../src/ir/text/run-line.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { chooseSubjectsForFile, NO_SUBJECTS, parseCount } from "./support/arguments.js";
import { describeJudgement } from "./support/describe-judgement.js";
import { judgeByEngines, type RemoteArgs, takeRemote } from "./support/engines.js";
import { printLine, printText, STATUS, usageError } from "./support/output.js";
import {
  eachExitOfText,
  type OptimizeArgs,
  optimizeSettings,
  plantedBug,
  readProgram,
} from "./support/program-file.js";

interface ExecArgs extends OptimizeArgs, RemoteArgs {
  readonly file: string;
  readonly args: string | undefined;
  readonly fuel: string | undefined;
  readonly canary?: string | undefined;
  readonly eachExit?: boolean | undefined;
}

const FUEL_MAX = 2 ** 31 - 1;

export async function run(args: ExecArgs): Promise<number> {
  const { planted, subjects: usual } = plantedBug(args.canary);
  const { engines, others } = await takeRemote(args);
  const { subjects, left } = others === null ? NO_SUBJECTS : chooseSubjectsForFile(others, usual);
  const settings = { ...planted.settings, ...optimizeSettings(args) };
  const fuelMax =
    args.fuel === undefined ? DEFAULT_FUEL : parseCount("--fuel", args.fuel, 1, FUEL_MAX);
  const { module, lines } = readProgram(args.file, args.args);
  if (lines.length === 0) {
    throw usageError(`${args.file}: has no line '; run: ${module.entry.name}(...)': give --args`);
  }
  const plan =
    args.eachExit === true ? eachExitOfFile(args.file, module, lines) : { module, lines };
  const judge = new Judge({ fuelMax, ...planted, subjects, settings });
  const inputs = plan.lines.map(({ input }) => input);
  const ours = judge.judge(plan.module, inputs);
  judge.close();
  const theirs = await judgeByEngines(engines, plan.module, inputs, fuelMax);
  const result = { ...ours, results: [...ours.results, ...theirs] };
  let failures = 0;
  plan.lines.forEach((line, i) => {
    printLine(`; run: ${printInput(plan.module, line.input)}`);
    failures += printExecutions(line, result, i);
  });
  for (const { subject, reason } of left) printLine(`; ${subject} was left out: ${reason}`);
  printLine(failures === 0 ? "; as expected" : `; ${failures} differences`);
  return failures === 0 ? STATUS.nothingFound : STATUS.found;
}

/** Prints the rewritten program, and of each guard which run line makes it fail. */
function eachExitOfFile(
  file: string,
  original: Module,
  lines: readonly RunLine[],
): { readonly module: Module; readonly lines: readonly RunLine[] } {
  const { module, inputs, exits } = eachExitOfText(
    file,
    original,
    lines.map(({ input }) => input),
  );
  printText(printModule(module));
  for (const exit of exits) printLine(`; ${describeExit(module, inputs, exit)}`);
  const taken = exits.filter(({ input }) => input !== null).length;
  printLine(`; ${taken} of ${exits.length} guards are reached`);
  const all = inputs.map(
    (input, i): RunLine => ({
      line: lines[i]?.line ?? 0,
      input,
      expected: lines[i]?.expected ?? null,
    }),
  );
  return { module, lines: all };
}

function describeExit(
  module: Module,
  inputs: readonly Input[],
  { proc, guard, input }: ForcedExit,
): string {
  const name = `${printName(proc.name)} @${guard.id} ${nameOfOpcode(guard.opcode)}, exit ${guard.snapshot.exit}`;
  const reached =
    input === null ? "is not reached" : `fails in ${printInput(module, inputs[input])}`;
  return `${name}: ${reached}`;
}

/**
 * Prints what the oracle and each subject did on one input; gives the number of differences and
 * failed expectations.
 */
function printExecutions(line: RunLine, { expected, results }: ProgramResult, i: number): number {
  const width = Math.max(
    ...["expectation", ...results.map(({ subject }) => subject)].map(lengthOf),
  );
  const print = (by: string, what: string): void => printLine(`;   ${by.padEnd(width)}  ${what}`);
  let failures = 0;
  print("oracle", printOutcome(expected[i]));
  if (line.expected !== null) {
    const difference = checkExpectation(line.expected, expected[i]);
    print("expectation", difference ?? "holds");
    if (difference !== null) failures++;
  }
  for (const { subject, judgements } of results) {
    print(subject, describeJudgement(judgements[i]));
    if (judgements[i].verdict.kind === "different") failures++;
  }
  return failures;
}

const lengthOf = (text: string): number => text.length;
