// Judges the run lines of a program by the oracle and by each subject of the page.

import type { PlantedBug } from "../campaign/canary/canary.js";
import { UNJUDGED_REASONS } from "../compare/compare.js";
import { describeWithComparison } from "../compare/describe-difference.js";
import {
  type ExecutionJudgement,
  Judge,
  type JudgeOptions,
  type SubjectResult,
} from "../compare/judge-program.js";
import type { Outcome } from "../ir/outcome.js";
import { checkExpectation, printInput, printOutcome, type RunLine } from "../ir/text/run-line.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { coreSize } from "../reduce/candidate.js";
import type { ProgramText } from "../report/page-state.js";
import { describeError, InternalError } from "../support/assert.js";
import { floatsOf, printNumber } from "./numbers.js";
import { PAGE_SUBJECTS } from "./page-subjects.js";
import { RequestError, readProgram } from "./program-text.js";
import type { CellVerdict, JudgedCell, JudgedProgram } from "./protocol.js";

/** The fuel of an execution: enough for a page, and a tenth of that of a campaign. */
export const PAGE_FUEL = 1_000_000;

/** Options of every judge of the page. Continuations run as allocated LIR. */
export const PAGE_OPTIONS = {
  subjects: PAGE_SUBJECTS.map(({ subject }) => subject),
  fuelMax: PAGE_FUEL,
  isPlain: true,
  resumes: "allocate",
  onlyJudged: true,
} as const satisfies JudgeOptions;

/** @throws ParseError, RequestError */
export function judgeText(program: ProgramText): JudgedProgram {
  const { module, lines, planted } = readProgram(program);
  if (lines.length === 0) {
    throw new RequestError(
      `nothing to run: add a line such as '; run: ${module.entry.name}(...)' below the program`,
    );
  }
  const inputs = lines.map(({ input }) => input);
  const oracle = new Oracle();
  const decoded = decodeLazily(module);
  const expected = inputs.map((input) => oracle.run(decoded, input, PAGE_FUEL));
  const runs = lines.map((line, i) => ({
    ...{ line: line.line, input: printInput(module, line.input) },
    outcome: printOutcome(expected[i]),
    floats: floatsOf(expected[i]),
    failure: failureOf(line, expected[i]),
  }));
  const results = resultsOf((chosen) => {
    const judge = judgeFor(program.canary, planted);
    try {
      return judge.judge({ module, inputs, chosen }).results;
    } catch (error) {
      closeJudge(); // an error may have left its compilers in any state
      throw error;
    }
  });
  const cells = PAGE_SUBJECTS.map((_, s) => cellOf(s, results[s]));
  return { kind: "judged", values: coreSize(module), runs, cells };
}

/** The judge of the last program: its machines and arenas cost more than most programs. */
let kept: { readonly canary: string | null; readonly judge: Judge } | null = null;

function judgeFor(canary: string | null, planted: PlantedBug): Judge {
  if (kept !== null && kept.canary === canary) return kept.judge;
  closeJudge();
  kept = { canary, judge: new Judge({ ...PAGE_OPTIONS, ...planted }) };
  return kept.judge;
}

function closeJudge(): void {
  kept?.judge.close();
  kept = null;
}

function failureOf({ expected }: RunLine, outcome: Outcome): string | null {
  return expected === null ? null : (checkExpectation(expected, outcome) ?? "");
}

type SubjectJudge = (chosen: Uint8Array | null) => readonly SubjectResult[];

/** Judges all subjects at once. After an internal error it judges each alone, to find whose it is. */
function resultsOf(judge: SubjectJudge): readonly (SubjectResult | InternalError)[] {
  try {
    return judge(null);
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
  }
  return PAGE_SUBJECTS.map((_, s) => {
    const chosen = new Uint8Array(PAGE_SUBJECTS.length);
    chosen[s] = 1;
    try {
      return judge(chosen)[0];
    } catch (error) {
      if (error instanceof InternalError) return error;
      throw error;
    }
  });
}

function cellOf(s: number, result: SubjectResult | InternalError): JudgedCell {
  const { target, level, allocator, by } = PAGE_SUBJECTS[s];
  const place = { target, level, allocator, by };
  if (result instanceof InternalError) {
    return { ...place, verdicts: [], error: describeError(result) };
  }
  return {
    ...place,
    verdicts: result.judgements.map((each) =>
      target === "arm64" && each.outcome?.ending.kind === "runaway" ? UNFINISHED : verdictOf(each),
    ),
    error: null,
  };
}

/** The simulator reports no reason for an abnormal end, and a campaign repeats such runs in an emulator. */
const UNFINISHED: CellVerdict = {
  kind: "unjudged",
  detail:
    "the simulator cannot finish: the code is wrong, or has an instruction that it does not know; " +
    "fuzz exec runs it in an emulator",
};

export function verdictOf({ verdict }: ExecutionJudgement): CellVerdict {
  const { kind } = verdict;
  if (kind === "equal") return { kind, detail: "" };
  if (kind === "unjudged") return { kind, detail: UNJUDGED_REASONS[verdict.reason] };
  return { kind, detail: describeWithComparison(verdict.difference, printNumber) };
}
