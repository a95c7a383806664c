// What a subject did with one input, and the verdict, in a line.

import type { Verdict } from "../../src/compare/compare.js";
import { describeSeen } from "../../src/compare/describe-difference.js";
import type { Judgement } from "../../src/compare/judge-program.js";
import { printOutcome } from "../../src/ir/text/run-line.js";

export function describeJudgement({ verdict, outcome }: Judgement): string {
  const text = describeVerdict(verdict);
  return outcome === null ? text : `${text}; ${printOutcome(outcome)}`;
}

function describeVerdict(verdict: Verdict): string {
  if (verdict.kind === "equal") return verdict.kind;
  if (verdict.kind === "unjudged") return `unjudged: ${verdict.reason}`;
  return `different: ${describeSeen(verdict.difference)}`;
}
