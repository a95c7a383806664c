// A program that shows a difference in, a small one that shows the same difference out.

import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import type { Subject } from "../execute/subject.js";
import { type Input, isJudged } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { verify } from "../ir/verify.js";
import { decodeModule } from "../oracle/decode.js";
import { InternalError } from "../support/assert.js";
import { type Candidate, cloneCandidate, tidy } from "./candidate.js";
import { costOf } from "./cost.js";
import { REDUCERS } from "./reducers.js";
import { renumberModule } from "./renumber.js";
import { runSchedule } from "./schedule.js";
import { isSameSignature, type Signature, signatureOfError, signaturesIn } from "./signature.js";

/** Tests after which the best so far is given back, unless the caller says otherwise. */
export const TESTS_MAX = 4000;

export interface ReduceOptions extends JudgeOptions {
  /** What must stay; by default the first difference that the program shows. */
  readonly signature?: Signature;
  /** By default, only differences of this aspect; null for any. */
  readonly aspect?: string | null;
  readonly testsMax?: number;
  /** Asked of what shows the signature: may it be gone on with? */
  readonly keeps?: (candidate: Candidate) => boolean;
}

export interface Reduced {
  readonly module: Module;
  readonly inputs: readonly Input[];
  readonly signature: Signature;
  /** Candidates that were judged. */
  readonly tests: number;
}

/**
 * The smallest program that reducers reach under the same signature; null if the program does not
 * show it. The given module is not changed. No candidate is run that the verifier refuses, and none
 * counts whose execution the oracle does not judge.
 */
export function reduceProgram(
  module: Module,
  inputs: readonly Input[],
  options: ReduceOptions,
): Reduced | null {
  const start = { module, inputs: inputs.slice() };
  const signature = options.signature ?? signatureIn(start, options);
  if (signature === null) return null;
  const { keeps = () => true } = options;
  const interest = new Interest(start, signature, options);
  try {
    if (!interest.holds(start)) return null;
    const { testsMax = TESTS_MAX } = options;
    // Where the difference lives in values that nothing uses, they stay until somebody drops them
    // one by one.
    const tidied = cloneCandidate(start);
    tidy(tidied, false);
    const keepsUnused = !interest.holds(tidied) || !keeps(tidied);
    const smallest = runSchedule(
      keepsUnused ? start : tidied,
      REDUCERS,
      (candidate, current) => {
        tidy(candidate, keepsUnused);
        return costOf(candidate) < costOf(current) && interest.holds(candidate) && keeps(candidate)
          ? candidate
          : null;
      },
      () => interest.tests >= testsMax,
    );
    const renumbered = { module: renumberModule(smallest.module), inputs: smallest.inputs };
    // A difference may hang on the order of ids.
    const result = interest.holds(renumbered) && keeps(renumbered) ? renumbered : smallest;
    return { ...result, signature, tests: interest.tests };
  } finally {
    interest.close();
  }
}

/**
 * The signature of the first difference, in the order of subjects and inputs; null if there is
 * none.
 */
export function signatureIn(
  { module, inputs }: Pick<Candidate, "module"> & { readonly inputs: readonly Input[] },
  options: JudgeOptions & { readonly aspect?: string | null },
): Signature | null {
  const judge = new Judge(options);
  const { aspect = null } = options;
  try {
    const signatures = signaturesIn(judge.judge(module, inputs));
    return (
      signatures.find((s) => aspect === null || (s.kind === "difference" && s.aspect === aspect)) ??
      null
    );
  } catch (error) {
    if (error instanceof InternalError) return signatureOfError(error);
    throw error;
  } finally {
    judge.close();
  }
}

/** Loops that an edit has made endless must not cost the fuel of a campaign. */
const FUEL_FACTOR = 4;
const FUEL_MIN = 2000;

class Interest {
  tests = 0;
  private readonly signature: Signature;
  private readonly judge: Judge;
  private readonly fuelMax: number;

  constructor(start: Candidate, signature: Signature, options: JudgeOptions) {
    this.signature = signature;
    const subjects = options.subjects.filter(({ name }) => concerns(signature, name));
    this.fuelMax = signature.kind === "difference" ? fuelFor(start, options) : options.fuelMax;
    this.judge = new Judge({ ...options, subjects, fuelMax: this.fuelMax });
  }

  holds({ module, inputs }: Candidate): boolean {
    if (verify(module).length > 0) return false;
    this.tests++;
    const { judge, signature } = this;
    try {
      if (signature.kind === "difference" && !this.isAnyJudged(module, inputs)) return false;
      const signatures = signaturesIn(judge.judge(module, inputs));
      return signatures.some((found) => isSameSignature(signature, found));
    } catch (error) {
      if (!(error instanceof InternalError)) throw error;
      return isSameSignature(signature, signatureOfError(error));
    }
  }

  // Asked first because it is cheap: most candidates that are not interesting fail here.
  private isAnyJudged(module: Module, inputs: readonly Input[]): boolean {
    const program = decodeModule(module);
    return inputs.some((input) => isJudged(this.judge.oracle.run(program, input, this.fuelMax)));
  }

  close(): void {
    this.judge.close();
  }
}

const concerns = (signature: Signature, subject: Subject["name"]): boolean =>
  signature.kind === "internal-error" || signature.subject === subject;

function fuelFor({ module, inputs }: Candidate, options: JudgeOptions): number {
  const judge = new Judge({ ...options, subjects: [] });
  const { fuelUsed } = judge.judge(module, inputs);
  judge.close();
  return Math.min(options.fuelMax, FUEL_MIN + FUEL_FACTOR * Math.max(...fuelUsed));
}
