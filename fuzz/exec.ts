// `fuzz exec FILE.ir`: each run line of a file through the oracle and every subject. Status 1 if a
// subject differs or an expectation fails, so that `git bisect run` finds the commit that broke it.

import { Judge, type ProgramResult } from "../src/compare/judge-program.js";
import { DEFAULT_FUEL } from "../src/execute/subjects.js";
import { checkExpectation, printInput, printOutcome, type RunLine } from "../src/ir/run-line.js";
import { chooseSubjectsForFile, parseCount } from "./arguments.js";
import { describeJudgement } from "./describe-judgement.js";
import { printLine, STATUS, usageError } from "./output.js";
import { type OptimizeArgs, optimizeSettings, plantedBug, readProgram } from "./program-file.js";

export interface ExecArgs extends OptimizeArgs {
  readonly file: string;
  readonly args: string | undefined;
  readonly subjects: string | undefined;
  readonly fuel: string | undefined;
  readonly canary?: string | undefined;
}

const FUEL_MAX = 2 ** 31 - 1;

export async function run(args: ExecArgs): Promise<number> {
  const { planted, subjects: usual } = plantedBug(args.canary);
  const { subjects, left } = chooseSubjectsForFile(args.subjects, usual);
  const settings = { ...planted.settings, ...optimizeSettings(args) };
  const fuelMax =
    args.fuel === undefined ? DEFAULT_FUEL : parseCount("--fuel", args.fuel, 1, FUEL_MAX);
  const { module, lines } = readProgram(args.file, args.args);
  if (lines.length === 0) {
    throw usageError(`${args.file}: has no line '; run: ${module.entry.name}(...)': give --args`);
  }
  const judge = new Judge({ fuelMax, ...planted, subjects, settings });
  const result = judge.judge(
    module,
    lines.map(({ input }) => input),
  );
  judge.close();
  let failures = 0;
  lines.forEach((line, i) => {
    printLine(`; run: ${printInput(module, line.input)}`);
    failures += printExecutions(line, result, i);
  });
  for (const { subject, reason } of left) printLine(`; ${subject} was left out: ${reason}`);
  printLine(failures === 0 ? "; as expected" : `; ${failures} differences`);
  return failures === 0 ? STATUS.nothingFound : STATUS.found;
}

/**
 * Prints what everybody did on one input; gives the number of differences and failed expectations.
 */
function printExecutions(line: RunLine, { expected, results }: ProgramResult, i: number): number {
  const width = Math.max(
    ...["expectation", ...results.map(({ subject }) => subject)].map(lengthOf),
  );
  const print = (who: string, what: string): void => printLine(`;   ${who.padEnd(width)}  ${what}`);
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
