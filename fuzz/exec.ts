// Implements `fuzz exec FILE.ir`: judges each run line of a file by the oracle and every subject.
// Status 1 if a subject differs, an expectation fails or an analysis makes a false claim; 2 if
// nothing was compared. With --bisect the launcher turns each status above 1 into 125, which `git
// bisect run` skips.
//
// With --each-exit the program is rewritten so that an input can name a guard, which then fails on
// its first visit. Each run line is judged unchanged, then once for each guard. The printed program
// is valid input.

import type { ForcedExit, ForcedExitProgram } from "../src/campaign/program/each-exit.js";
import { UNJUDGED_REASONS, unjudged } from "../src/compare/compare.js";
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
import { printAnswer } from "./answers/print-answer.js";
import {
  type ChosenSubjects,
  chooseSubjectsForFile,
  NO_SUBJECTS,
  parseCount,
} from "./support/arguments.js";
import { describeJudgement, executionsOf } from "./support/describe-judgement.js";
import {
  checkReferenceOptions,
  judgeByEngines,
  type RemoteArgs,
  takeRemote,
} from "./support/engines.js";
import { describeClaim, type FalseClaimText, judgeWithClaim } from "./support/judge-with-claim.js";
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
  /** Used by the launcher, because failures before this module is loaded count too. */
  readonly bisect?: boolean | undefined;
  readonly json: boolean;
}

const FUEL_MAX = 2 ** 31 - 1;

export async function run(args: ExecArgs): Promise<number> {
  const { planted, subjects: usual } = plantedBug(args.canary);
  const named = await takeRemote(args);
  checkReferenceOptions(args, named);
  const { engines, others } = named;
  const { subjects, left } = others === null ? NO_SUBJECTS : chooseSubjectsForFile(others, usual);
  const settings = { ...planted.settings, ...optimizeSettings(args) };
  const fuelMax =
    args.fuel === undefined ? DEFAULT_FUEL : parseCount("--fuel", args.fuel, 1, FUEL_MAX);
  const { module, lines, withoutColon } = readProgram(args.file, args.args);
  if (lines.length === 0) {
    throw usageError(
      `${args.file}${withoutColon === null ? "" : `:${withoutColon}`}: has no line '; run: ${module.entry.name}(...)'` +
        `${withoutColon === null ? "" : ", and this line has no colon after 'run'"}: give --args`,
    );
  }
  const plan = planOf(args, module, lines);
  if (!args.json && plan.rewritten !== null) printRewritten(plan.rewritten);
  const inputs = plan.lines.map(({ input }) => input);
  const options = { fuelMax, ...planted, subjects, settings, isPlain: true };
  const judge = new Judge(options);
  const { result: ours, claim } = judgeWithClaim(judge, options, plan.module, inputs);
  judge.close();
  const theirs = await judgeByEngines(engines, plan.module, inputs, fuelMax);
  const result = { ...ours, results: [...ours.results, ...theirs] };
  const expectations = plan.lines.map(({ expected }, i) =>
    expected === null ? null : { failure: checkExpectation(expected, result.expected[i]) },
  );
  const differences = differencesOf(result, expectations) + (claim === null ? 0 : 1);
  const nothing = claim === null ? whyNothingJudged(result, expectations) : null;
  const executed = { plan, result, expectations, claim, differences, left };
  if (!args.json) print(executed);
  if (nothing !== null) throw usageError(`${args.file}: no execution was judged: ${nothing}`);
  if (args.json) answer(executed);
  else printLine(differences === 0 ? "; as expected" : `; ${differences} differences`);
  return differences === 0 ? STATUS.nothingFound : STATUS.found;
}

/** Returns why no execution was compared; null if one was. */
function whyNothingJudged(
  { expected, results }: ProgramResult,
  expectations: readonly ExpectationResult[],
): string | null {
  if (expectations.some((each) => each !== null)) return null;
  const verdicts = [
    ...expected.map(unjudged).filter((verdict) => verdict !== null),
    ...results.flatMap(({ judgements }) => judgements.map(({ verdict }) => verdict)),
  ];
  const reasons = new Set<string>();
  for (const verdict of verdicts) {
    if (verdict.kind !== "unjudged") return null;
    const option = verdict.reason === "out-of-fuel" ? " (--fuel N)" : "";
    reasons.add(`${UNJUDGED_REASONS[verdict.reason]}${option}`);
  }
  return reasons.size === 0 ? "no subject ran" : [...reasons].join(", ");
}

interface ExecutionPlan {
  readonly module: Module;
  readonly lines: readonly RunLine[];
  /** The rewritten program with its forced exits; null without --each-exit. */
  readonly rewritten: ForcedExitProgram | null;
}

function planOf(
  { file, eachExit }: ExecArgs,
  module: Module,
  lines: readonly RunLine[],
): ExecutionPlan {
  if (eachExit !== true) return { module, lines, rewritten: null };
  const given = lines.map(({ input }) => input);
  const rewritten = eachExitOfText(file, module, given);
  const all = rewritten.inputs.map(
    (input, i): RunLine => ({
      line: lines[i]?.line ?? 0,
      input,
      expected: lines[i]?.expected ?? null,
    }),
  );
  return { module: rewritten.module, lines: all, rewritten };
}

/** Why the expectation of a run line fails (null if it holds); null if the line has none. */
type ExpectationResult = { readonly failure: string | null } | null;

interface ExecutionReport {
  readonly plan: ExecutionPlan;
  readonly result: ProgramResult;
  readonly expectations: readonly ExpectationResult[];
  readonly claim: FalseClaimText | null;
  readonly differences: number;
  readonly left: ChosenSubjects["left"];
}

/** Counts differing subjects and failed expectations. */
function differencesOf(
  { results }: ProgramResult,
  expectations: readonly ExpectationResult[],
): number {
  const failed = expectations.filter((each) => each !== null && each.failure !== null).length;
  const different = results.flatMap(({ judgements }) =>
    judgements.filter(({ verdict }) => verdict.kind === "different"),
  );
  return failed + different.length;
}

function answer({ plan, result, expectations, claim, differences, left }: ExecutionReport): void {
  const { module, lines, rewritten } = plan;
  printAnswer("touchstone.exec", {
    program: rewritten === null ? null : printModule(module),
    guards: (rewritten?.exits ?? []).map(({ proc, guard, input }) => ({
      procedure: proc.name,
      value: guard.id,
      opcode: nameOfOpcode(guard.opcode),
      exit: guard.snapshot.exit,
      input,
    })),
    inputs: lines.map(({ line, input }, i) => ({
      line: line === 0 ? null : line,
      input: printInput(module, input),
      expectation: expectations[i],
      ...executionsOf(result, i),
    })),
    missing: left,
    claim,
    differences,
  });
}

function print({ plan, result, expectations, claim, left }: ExecutionReport): void {
  plan.lines.forEach(({ input }, i) => {
    printLine(`; run: ${printInput(plan.module, input)}`);
    printExecutions(expectations[i], result, i);
  });
  if (claim !== null) printLine(`; ${describeClaim(claim)}`);
  for (const { subject, reason } of left) printLine(`; ${subject} was left out: ${reason}`);
}

/** Prints the rewritten program, and for each guard the run line that makes it fail. */
function printRewritten({ module, inputs, exits }: ForcedExitProgram): void {
  printText(printModule(module));
  for (const exit of exits) printLine(`; ${describeExit(module, inputs, exit)}`);
  const taken = exits.filter(({ input }) => input !== null).length;
  printLine(`; ${taken} of ${exits.length} guards are reached`);
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

/** Prints the outcomes of the oracle and of each subject on one input. */
function printExecutions(
  expectation: ExpectationResult,
  { expected, results }: ProgramResult,
  i: number,
): void {
  const width = Math.max(
    ...["expectation", ...results.map(({ subject }) => subject)].map(lengthOf),
  );
  const print = (by: string, what: string): void => printLine(`;   ${by.padEnd(width)}  ${what}`);
  print("oracle", printOutcome(expected[i]));
  if (expectation !== null) print("expectation", expectation.failure ?? "holds");
  for (const { subject, judgements } of results) print(subject, describeJudgement(judgements[i]));
}

const lengthOf = (text: string): number => text.length;
