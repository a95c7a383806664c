// Describes the outcome and the verdict of a subject on one input: as a line of bounded length, and
// as fields of an answer.

import type { Verdict } from "../../src/compare/compare.js";
import {
  describeDifference,
  describeWithComparison,
} from "../../src/compare/describe-difference.js";
import type { ExecutionJudgement, ProgramResult } from "../../src/compare/judge-program.js";
import { printOutcome } from "../../src/ir/text/run-line.js";
import { describeOutcome } from "../../src/report/describe.js";

export function describeJudgement({ verdict, outcome }: ExecutionJudgement): string {
  const text = describeVerdict(verdict);
  return outcome === null ? text : `${text}; ${describeOutcome(outcome)}`;
}

function describeVerdict(verdict: Verdict): string {
  if (verdict.kind === "equal") return verdict.kind;
  if (verdict.kind === "unjudged") return `unjudged: ${verdict.reason}`;
  return `different: ${describeWithComparison(verdict.difference)}`;
}

/** Returns the outcomes of the oracle and of each subject on one input, for an answer. */
export const executionsOf = ({ expected, results }: ProgramResult, input: number) => ({
  oracle: printOutcome(expected[input]),
  subjects: results.map(({ subject, judgements }) => ({
    subject,
    ...verdictOf(judgements[input].verdict),
    outcome: outcomeOf(judgements[input]),
  })),
});

const outcomeOf = ({ outcome }: ExecutionJudgement): string | null =>
  outcome === null ? null : printOutcome(outcome);

export function verdictOf(verdict: Verdict) {
  const { kind } = verdict;
  if (kind === "equal") return { verdict: kind, aspect: null, detail: null };
  if (kind === "unjudged") return { verdict: kind, aspect: null, detail: verdict.reason };
  return { verdict: kind, aspect: verdict.aspect, detail: describeDifference(verdict.difference) };
}
