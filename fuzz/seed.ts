// `fuzz --seed N`: one program, what each subject did with it, and the verdict. The text that is
// printed is a program file: what is not the program stands in comments, and `; run:` lines are
// such. The same bytes come on every run, so no time and no path is printed.

import { NO_PARENTS } from "../src/campaign/program/lineage.js";
import { readOutside } from "../src/campaign/program/outside.js";
import { newBreeder, programOf, readingOf, USUAL } from "../src/campaign/program/seeds.js";
import { judgeOptions } from "../src/campaign/run/judge-seed.js";
import { Judge, type ProgramResult } from "../src/compare/judge-program.js";
import { generatorVersion } from "../src/generate/version.js";
import { printModule } from "../src/ir/text/print.js";
import { printInput, printOutcome } from "../src/ir/text/run-line.js";
import { describeFault, verify } from "../src/ir/verify/verify.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import {
  chooseSubjects,
  NO_SUBJECTS,
  parseCanary,
  parseParents,
  parseProfile,
  parseSeed,
} from "./support/arguments.js";
import { describeJudgement } from "./support/describe-judgement.js";
import { judgeByEngines, type RemoteArgs, takeRemote } from "./support/engines.js";
import { printLine, printText, STATUS } from "./support/output.js";

interface SeedArgs extends RemoteArgs {
  readonly seed: string;
  readonly canary: string | undefined;
  readonly profile: string | undefined;
  readonly parents: string | undefined;
  readonly outside?: string | undefined;
}

export async function run(args: SeedArgs): Promise<number> {
  const seed = parseSeed(args.seed);
  const canary = args.canary === undefined ? null : parseCanary(args.canary);
  const { engines, others } = await takeRemote(args, seed);
  const { subjects, left } =
    others === null ? NO_SUBJECTS : chooseSubjects(others ?? canary?.subjects.join(","));
  const profile = parseProfile(args.profile);
  const texts = await textsOf(args.outside);
  const parents = parseParents(args.parents, profile, texts);
  const { module, inputs } = programOf(seed, profile, parents, newBreeder(readOutside(texts)));
  const mutates = parents === NO_PARENTS ? "" : `, parents ${parents}`;
  const reading = readingOf(seed, profile);
  const says = reading === USUAL ? "" : `, profile ${reading}${mutates}`;
  printLine(`; seed ${seed} of generator ${generatorVersion}${says}`);
  if (canary !== null) printLine(`; canary ${canary.name}: ${canary.says}`);
  printText(printModule(module));
  const faults = verify(module);
  if (faults.length > 0) {
    for (const fault of faults) printLine(`; invalid: ${describeFault(fault)}`);
    return STATUS.found;
  }
  const names = subjects.map(({ name }) => name);
  const judge = new Judge(judgeOptions({ subjects: names, canary: canary?.name ?? null }));
  const ours = judge.judge(module, inputs, { chaos: seed, verify: true });
  const theirs = await judgeByEngines(engines, module, inputs, DEFAULT_FUEL);
  const result = { ...ours, results: [...ours.results, ...theirs] };
  inputs.forEach((input, i) => {
    printLine("");
    printLine(`; run: ${printInput(module, input)}`);
    printExecutions(result, i);
  });
  judge.close();
  for (const { subject, reason } of left) printLine(`; ${subject} was left out: ${reason}`);
  return printVerdict(result);
}

function printExecutions({ expected, results }: ProgramResult, input: number): void {
  const width = Math.max(6, ...results.map(({ subject }) => subject.length));
  printLine(`;   ${"oracle".padEnd(width)}  ${printOutcome(expected[input])}`);
  for (const { subject, judgements } of results) {
    printLine(`;   ${subject.padEnd(width)}  ${describeJudgement(judgements[input])}`);
  }
}

function printVerdict({ results }: ProgramResult): number {
  const counts = { equal: 0, different: 0, unjudged: 0 };
  for (const { judgements } of results)
    for (const { verdict } of judgements) counts[verdict.kind]++;
  const { equal, different, unjudged } = counts;
  const verdict = different > 0 ? "different" : equal > 0 ? "equal" : "unjudged";
  printLine("");
  printLine(`; verdict: ${verdict} (${equal} equal, ${different} different, ${unjudged} unjudged)`);
  return different > 0 ? STATUS.found : STATUS.nothingFound;
}

/** Texts of programs from outside. What reads WebAssembly is loaded where there is something to read. */
async function textsOf(outside: string | undefined): Promise<readonly string[]> {
  if (outside === undefined) return [];
  const { readOutsideFiles } = await import("./support/outside.js");
  return readOutsideFiles(outside);
}
