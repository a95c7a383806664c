// Implements `fuzz --seed N`: judges one program, and prints the outcome of each subject and the
// verdict. The printed text is a program file: everything else is in comments, including `; run:`
// lines. Every run prints the same bytes, so no time and no path is printed.

import { NO_PARENTS } from "../src/campaign/program/lineage.js";
import { readOutside } from "../src/campaign/program/outside.js";
import { newBreeder, programOf, readingOf, USUAL } from "../src/campaign/program/seeds.js";
import { judgeOptions } from "../src/campaign/run/judge-seed.js";
import { Judge, type ProgramResult } from "../src/compare/judge-program.js";
import type { Program } from "../src/generate/generate-program.js";
import { generatorVersion } from "../src/generate/version.js";
import { printModule } from "../src/ir/text/print.js";
import { printInput } from "../src/ir/text/run-line.js";
import { describeFault, verify } from "../src/ir/verify/verify.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { describeOutcome } from "../src/report/describe.js";
import { printAnswer } from "./answers/print-answer.js";
import type { AnswerFields } from "./answers/schemas.js";
import {
  type ChosenSubjects,
  chooseSubjects,
  NO_SUBJECTS,
  parseCanary,
  parseParents,
  parseProfile,
  parseSeed,
} from "./support/arguments.js";
import { describeJudgement, executionsOf } from "./support/describe-judgement.js";
import {
  checkReferenceOptions,
  judgeByEngines,
  type RemoteArgs,
  takeRemote,
} from "./support/engines.js";
import { describeClaim, type FalseClaimText, judgeWithClaim } from "./support/judge-with-claim.js";
import { printLine, printText, STATUS } from "./support/output.js";

interface SeedArgs extends RemoteArgs {
  readonly seed: string;
  readonly canary: string | undefined;
  readonly profile: string | undefined;
  readonly parents: string | undefined;
  readonly outside?: string | undefined;
  readonly json: boolean;
}

type SeedAnswer = AnswerFields<"touchstone.seed">;
/** The description of a program before it is judged. */
type ProgramDescription = Pick<
  SeedAnswer,
  "seed" | "generator" | "profile" | "parents" | "canary" | "program"
>;

export async function run(args: SeedArgs): Promise<number> {
  const { json } = args;
  const seed = parseSeed(args.seed);
  const canary = args.canary === undefined ? null : parseCanary(args.canary);
  const named = await takeRemote(args, seed);
  checkReferenceOptions(args, named);
  const { engines, others, rules } = named;
  const { subjects, left } =
    others === null ? NO_SUBJECTS : chooseSubjects(others ?? canary?.subjects.join(","));
  const profile = parseProfile(args.profile);
  const texts = await textsOf(args.outside);
  const parents = parseParents(args.parents, profile, texts);
  const breeder = newBreeder(readOutside(texts));
  const program = programOf(seed, profile, parents, breeder, rules);
  const { module, inputs } = program;
  const about: ProgramDescription = {
    ...{ seed: String(seed), generator: generatorVersion },
    ...{ profile: readingOf(seed, profile), parents, program: printModule(module) },
    canary: canary && { name: canary.name, says: canary.says },
  };
  // Printed before judging, so that it is visible if judging fails with an internal error.
  if (!json) printProgram(about);
  const faults = verify(module).map(describeFault);
  if (faults.length > 0) {
    if (json) printAnswer("touchstone.seed", { ...about, ...NOT_JUDGED, missing: left, faults });
    else for (const fault of faults) printLine(`; invalid: ${fault}`);
    return STATUS.found;
  }
  const names = subjects.map(({ name }) => name);
  const options = judgeOptions({ subjects: names, canary: canary?.name ?? null });
  const own = { chaos: seed, verify: true };
  const judge = new Judge({ ...options, isPlain: true });
  const { result: ours, claim } = judgeWithClaim(judge, options, module, inputs, own);
  const theirs = await judgeByEngines(engines, module, inputs, DEFAULT_FUEL);
  judge.close();
  const result = { ...ours, results: [...ours.results, ...theirs] };
  const judged = { ...verdictOf(result, claim), claim, faults };
  if (json) {
    const ran = inputs.map((input, i) => ({
      input: printInput(module, input),
      ...executionsOf(result, i),
    }));
    printAnswer("touchstone.seed", { ...about, ...judged, missing: left, inputs: ran });
  } else printJudged(program, result, judged, left);
  return judged.verdict === "different" ? STATUS.found : STATUS.nothingFound;
}

const NOT_JUDGED = {
  verdict: "invalid",
  counts: { equal: 0, different: 0, unjudged: 0 },
  claim: null,
  inputs: [],
} as const;

function printProgram({
  seed,
  generator,
  profile,
  parents,
  canary,
  program,
}: ProgramDescription): void {
  const mutates = parents === NO_PARENTS ? "" : `, parents ${parents}`;
  const says = profile === USUAL ? "" : `, profile ${profile}${mutates}`;
  printLine(`; seed ${seed} of generator ${generator}${says}`);
  if (canary !== null) printLine(`; canary ${canary.name}: ${canary.says}`);
  printText(program);
}

function printJudged(
  { module, inputs }: Program,
  result: ProgramResult,
  { verdict, counts, claim }: Pick<SeedAnswer, "verdict" | "counts" | "claim">,
  left: ChosenSubjects["left"],
): void {
  inputs.forEach((input, i) => {
    printLine("");
    printLine(`; run: ${printInput(module, input)}`);
    printExecutions(result, i);
  });
  if (claim !== null) printLine(`; ${describeClaim(claim)}`);
  for (const { subject, reason } of left) printLine(`; ${subject} was left out: ${reason}`);
  const { equal, different, unjudged } = counts;
  printLine("");
  printLine(`; verdict: ${verdict} (${equal} equal, ${different} different, ${unjudged} unjudged)`);
}

function printExecutions({ expected, results }: ProgramResult, input: number): void {
  const width = Math.max(6, ...results.map(({ subject }) => subject.length));
  printLine(`;   ${"oracle".padEnd(width)}  ${describeOutcome(expected[input])}`);
  for (const { subject, judgements } of results) {
    printLine(`;   ${subject.padEnd(width)}  ${describeJudgement(judgements[input])}`);
  }
}

function verdictOf(
  { results }: ProgramResult,
  claim: FalseClaimText | null,
): Pick<SeedAnswer, "verdict" | "counts"> {
  const counts = { equal: 0, different: 0, unjudged: 0 };
  for (const { judgements } of results)
    for (const { verdict } of judgements) counts[verdict.kind]++;
  const isDifferent = counts.different > 0 || claim !== null;
  const verdict = isDifferent ? "different" : counts.equal > 0 ? "equal" : "unjudged";
  return { verdict, counts };
}

/**
 * Returns the texts of the programs from --outside. The WebAssembly reader is loaded only if
 * needed.
 */
async function textsOf(outside: string | undefined): Promise<readonly string[]> {
  if (outside === undefined) return [];
  const { readOutsideFiles } = await import("./support/outside.js");
  return readOutsideFiles(outside);
}
