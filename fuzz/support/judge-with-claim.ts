// Judges one program for a command. A false claim of an analysis becomes a finding instead of
// ending the command.

import { Judge, type JudgeOptions, type ProgramResult } from "../../src/compare/judge-program.js";
import type { OptimizeSettings } from "../../src/execute/unit.js";
import type { Input } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";
import { causeOfClaim, nameOfCause } from "../../src/localize/cause.js";
import { InternalError } from "../../src/support/assert.js";

/** A false claim: an analysis claims something that an execution contradicts. */
export interface FalseClaimText {
  /** The subject whose compilation relies on the claim. */
  readonly subject: string | null;
  /** The cause, in the form of `nameOfCause`. */
  readonly cause: string;
  /** The claim, and the value that contradicts it. */
  readonly detail: string;
}

interface JudgedProgramWithClaim {
  readonly result: ProgramResult;
  readonly claim: FalseClaimText | null;
}

/**
 * Judges once. If a claim is false, it judges again without checking claims, on which no other
 * check depends.
 * @param judge stays open and usable
 * @param options those of the judge
 * @throws InternalError if a subject breaks an invariant
 */
export function judgeWithClaim(
  judge: Judge,
  options: JudgeOptions,
  module: Module,
  inputs: readonly Input[],
  own: Partial<OptimizeSettings> = {},
): JudgedProgramWithClaim {
  try {
    return { result: judge.judge({ module, inputs, own }), claim: null };
  } catch (error) {
    const claim = error instanceof InternalError ? claimOf(error) : null;
    if (claim === null) throw error;
    const second = new Judge(options);
    try {
      return {
        result: second.judge({ module, inputs, own: { ...own, ...WITHOUT_CLAIMS } }),
        claim,
      };
    } finally {
      second.close();
    }
  }
}

const WITHOUT_CLAIMS = { verify: false, holdsClaims: false } as const;

function claimOf({ what, subject, evidence }: InternalError): FalseClaimText | null {
  const cause = causeOfClaim(what);
  return cause && { subject, cause: nameOfCause(cause), detail: evidence };
}

export const describeClaim = ({ subject, cause, detail }: FalseClaimText): string =>
  `${subject ?? "the optimizer"} relies on a false claim of ${cause}: ${detail}`;
