// Reduces a program that shows a difference to a small one that shows the same difference.

import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { tidy } from "../ir/tidy.js";
import { InternalError } from "../support/assert.js";
import { type Candidate, cloneCandidate } from "./candidate.js";
import { costOf } from "./cost.js";
import { InterestTest } from "./interest.js";
import { reducersOf } from "./reducers.js";
import type { ReductionWatch } from "./reduction-watch.js";
import { renumberModule } from "./renumber.js";
import { type CandidateSchedule, NONE, schedule } from "./schedule.js";
import { type ReductionSignature, signatureOfError, signaturesIn } from "./signature.js";

/** The number of tests after which the best program so far is returned, unless the options set another limit. */
export const TESTS_MAX = 4000;

interface ReduceOptions extends JudgeOptions {
  /** The signature to keep; by default that of the first difference that the program shows. */
  readonly signature?: ReductionSignature;
  /** Without a `signature`: the aspect of the difference to keep; null accepts any. */
  readonly aspect?: string | null;
  readonly testsMax?: number;
  /** Called with each candidate before it is judged. Returns whether to judge it; one that is not judged is rejected. */
  readonly tries?: (candidate: Candidate) => boolean;
  /** Called with a candidate that shows the signature. Returns whether the reduction may continue from it. */
  readonly keeps?: (candidate: Candidate) => boolean;
}

interface ReductionResult {
  readonly module: Module;
  readonly inputs: readonly Input[];
  readonly signature: ReductionSignature;
  /** The number of candidates that were judged. */
  readonly tests: number;
}

/**
 * Returns the smallest program that reducers reach under the same signature; null if the program does not show it. The
 * given module is not changed. Candidates that the verifier rejects are not run, and candidates whose execution the
 * oracle does not judge are not accepted.
 */
export function reduceProgram(
  module: Module,
  inputs: readonly Input[],
  options: ReduceOptions,
): ReductionResult | null {
  const work = reductionSteps(module, inputs, options);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Reduces in a process that has other work in between, until the watch ends it. */
export async function reduceWatched(
  module: Module,
  inputs: readonly Input[],
  options: ReduceOptions,
  watch: ReductionWatch,
): Promise<ReductionResult | null> {
  const work = reductionSteps(module, inputs, options);
  for (let step = work.next(); ; step = work.next(watch.mayContinue(step.value))) {
    if (step.done === true) return step.value;
    await watch.turn();
  }
}

/** Yields the best program so far before each candidate; the answer `false` ends it. */
function* reductionSteps(
  module: Module,
  inputs: readonly Input[],
  options: ReduceOptions,
): Generator<Candidate, ReductionResult | null, boolean | undefined> {
  const start = { module, inputs: inputs.slice() };
  const signature = options.signature ?? signatureIn(start, options);
  if (signature === null) return null;
  const interest = new InterestTest(start, signature, options, options.keeps);
  try {
    if (!interest.holds(start)) return null;
    const { testsMax = TESTS_MAX, tries = () => true } = options;
    const steps = stepsFrom(start, 1);
    let best: Candidate = start;
    let tests = 0;
    for (let step = steps.next(NONE); step.done !== true && tests < testsMax; ) {
      if ((yield best) === false) break;
      const [candidate] = step.value;
      tests++;
      const isInteresting = tries(candidate) && interest.holds(candidate);
      if (isInteresting) best = candidate;
      step = steps.next(isInteresting ? 0 : NONE);
    }
    return { module: best.module, inputs: best.inputs, signature, tests };
  } finally {
    interest.close();
  }
}

/**
 * Yields all steps, in order: the tidied program, the schedule, and at the end the ids without gaps. The driver keeps
 * the last interesting candidate.
 * @param width the greatest number of candidates that are judged at once
 */
export function* stepsFrom(start: Candidate, width: number): CandidateSchedule {
  const tidied = cloneCandidate(start);
  tidy(tidied.module, false);
  // If the tidied program does not show the difference, unused values remain, and reducers remove
  // them one by one.
  const keepsUnused = (yield [tidied]) === NONE;
  let best = keepsUnused ? start : tidied;
  const prepare = (candidate: Candidate, current: Candidate): Candidate | null => {
    tidy(candidate.module, keepsUnused);
    return costOf(candidate) < costOf(current) ? candidate : null;
  };
  const steps = schedule(best, reducersOf(best.module), prepare, width);
  for (let step = steps.next(NONE); step.done !== true; ) {
    const found = yield step.value;
    if (found !== NONE) best = step.value[found];
    step = steps.next(found);
  }
  // A difference may depend on the order of ids, so this is a step like any other.
  yield [{ module: renumberModule(best.module), inputs: best.inputs }];
}

/** Returns the signature of the first difference, in the order of subjects and inputs; null if there is none. */
export function signatureIn(
  { module, inputs }: Pick<Candidate, "module"> & { readonly inputs: readonly Input[] },
  options: JudgeOptions & { readonly aspect?: string | null },
): ReductionSignature | null {
  const judge = new Judge(options);
  const { aspect = null } = options;
  try {
    const signatures = signaturesIn(judge.judge({ module, inputs }));
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
