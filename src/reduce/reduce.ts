// A program that shows a difference in, a small one that shows the same difference out.

import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { tidy } from "../ir/tidy.js";
import { InternalError } from "../support/assert.js";
import { type Candidate, cloneCandidate } from "./candidate.js";
import { costOf } from "./cost.js";
import { Interest } from "./interest.js";
import { reducersOf } from "./reducers.js";
import type { ReductionWatch } from "./reduction-watch.js";
import { renumberModule } from "./renumber.js";
import { NONE, type Schedule, schedule } from "./schedule.js";
import { type Signature, signatureOfError, signaturesIn } from "./signature.js";

/** Tests after which the best so far is returned, unless the options set another bound. */
export const TESTS_MAX = 4000;

interface ReduceOptions extends JudgeOptions {
  /** What must stay; by default the first difference that the program shows. */
  readonly signature?: Signature;
  /** By default, only differences of this aspect; null for any. */
  readonly aspect?: string | null;
  readonly testsMax?: number;
  /** Called with a candidate that shows the signature: may the reduction continue from it? */
  readonly keeps?: (candidate: Candidate) => boolean;
}

interface Reduced {
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
  const work = reducing(module, inputs, options);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The same for a process that has other work meanwhile, and with an end that the watch sets. */
export async function reduceWatched(
  module: Module,
  inputs: readonly Input[],
  options: ReduceOptions,
  watch: ReductionWatch,
): Promise<Reduced | null> {
  const work = reducing(module, inputs, options);
  for (let step = work.next(); ; step = work.next(watch.goesOn(step.value))) {
    if (step.done === true) return step.value;
    await watch.turn();
  }
}

/** Gives the best so far before each candidate; what answers `false` ends it. */
function* reducing(
  module: Module,
  inputs: readonly Input[],
  options: ReduceOptions,
): Generator<Candidate, Reduced | null, boolean | undefined> {
  const start = { module, inputs: inputs.slice() };
  const signature = options.signature ?? signatureIn(start, options);
  if (signature === null) return null;
  const interest = new Interest(start, signature, options, options.keeps);
  try {
    if (!interest.holds(start)) return null;
    const { testsMax = TESTS_MAX } = options;
    const steps = stepsFrom(start, 1);
    let best: Candidate = start;
    let tests = 0;
    for (let step = steps.next(NONE); step.done !== true && tests < testsMax; ) {
      if ((yield best) === false) break;
      const [candidate] = step.value;
      tests++;
      const isInteresting = interest.holds(candidate);
      if (isInteresting) best = candidate;
      step = steps.next(isInteresting ? 0 : NONE);
    }
    return { module: best.module, inputs: best.inputs, signature, tests };
  } finally {
    interest.close();
  }
}

/**
 * Everything that is tried, in order: the tidied program, the schedule, the ids without gaps at the end.
 * The driver keeps the last that was interesting.
 * @param width candidates that are judged at once, at most
 */
export function* stepsFrom(start: Candidate, width: number): Schedule {
  const tidied = cloneCandidate(start);
  tidy(tidied.module, false);
  // Where the difference lives in values that nothing uses, they stay until a reducer drops them one
  // by one.
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
  // A difference may hang on the order of ids, so that this is a step as any other.
  yield [{ module: renumberModule(best.module), inputs: best.inputs }];
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
