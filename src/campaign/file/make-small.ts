// Reduces a finding: its program, then its compilation settings, each under the same signature and
// the same cause.

import type { ReferenceJudgeOptions } from "../../compare/judge-program.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import type { Cause } from "../../localize/cause.js";
import type { LocateOptions } from "../../localize/later-stages.js";
import { CauseTest } from "../../localize/localize.js";
import { type Candidate, coreSize } from "../../reduce/candidate.js";
import { InterestTest } from "../../reduce/interest.js";
import { reduceWatched, signatureIn } from "../../reduce/reduce.js";
import { type CompilerConfiguration, harderWays, reduceWay } from "../../reduce/reduce-way.js";
import { type ReductionWatch, unwatched } from "../../reduce/reduction-watch.js";
import type { ReductionSignature } from "../../reduce/signature.js";
import { ENOUGH } from "./outline.js";

/** A program, with the settings that make it show the finding. */
interface ReducedProgram extends CompilerConfiguration {
  readonly module: Module;
  readonly inputs: readonly Input[];
}

/** Number of tests of a large program without progress, after which other settings are tried. */
const TESTS_MAX = 1000;

/**
 * Reduces a program and its settings.
 * @param options with the subject at fault, if there is one
 * @param cause the cause that must stay the same; null: any
 * @returns null if the program does not show a difference of that aspect, or an error
 */
export async function makeSmall(
  { module, inputs }: Pick<ReducedProgram, "module" | "inputs">,
  aspect: string | null,
  options: ReferenceJudgeOptions,
  cause: Cause | null,
  watch = unwatched(),
): Promise<ReducedProgram | null> {
  const signature = signatureIn({ module, inputs }, { ...options, aspect });
  if (signature === null) return null;
  const { settings = DEFAULT_SETTINGS, subjects } = options;
  const task = { options, signature, cause, watch };
  const start = { module, inputs, subject: subjects[0], settings };
  let small = await reduced(start, task);
  if (small === null || signature.kind !== "difference") return small;
  small = simplified(small, task);
  for (let before = null; before !== small && !watch.isStopped; ) {
    before = small;
    // Try the current settings first, because the limit of tests may have stopped the reduction.
    for (const way of [small, ...harderWays(small)]) {
      if (coreSize(small.module) <= ENOUGH || watch.isStopped) return small;
      const smaller = await reduced({ ...small, ...way }, task);
      if (smaller === null || coreSize(smaller.module) >= coreSize(small.module)) continue;
      small = simplified(smaller, task);
    }
  }
  return small;
}

/** The facts that stay the same during the reduction. */
interface ReductionTask {
  readonly options: ReferenceJudgeOptions;
  readonly signature: ReductionSignature;
  readonly cause: Cause | null;
  readonly watch: ReductionWatch;
}

/** Returns a smaller program with the same settings; null if it does not show the signature. */
async function reduced(start: ReducedProgram, task: ReductionTask): Promise<ReducedProgram | null> {
  const { options, signature } = compiledAs(start, task);
  const test = causeTest(task.cause, options);
  const how = { ...options, signature, keeps: test.holds, testsMax: TESTS_MAX };
  try {
    const found = await reduceWatched(start.module, start.inputs, how, task.watch);
    return found && { ...start, module: found.module, inputs: found.inputs };
  } finally {
    test.close();
  }
}

/** Returns the same program with simpler settings. */
function simplified(small: ReducedProgram, task: ReductionTask): ReducedProgram {
  const { module, inputs } = small;
  const candidate = { module, inputs: [...inputs] };
  const way = reduceWay(small, (next) => {
    if (!task.watch.mayContinue(candidate)) return false;
    const { options, signature } = compiledAs(next, task);
    const test = causeTest(task.cause, options);
    const interest = new InterestTest(candidate, signature, options, test.holds);
    try {
      return interest.holds(candidate);
    } finally {
      interest.close();
      test.close();
    }
  });
  return { module, inputs, subject: way.subject, settings: way.settings };
}

/**
 * Returns the options and the signature with which a candidate is judged under these compiler
 * settings.
 */
function compiledAs(
  { subject, settings }: CompilerConfiguration,
  { options, signature }: ReductionTask,
) {
  if (signature.kind !== "difference") return { options, signature };
  return {
    options: { ...options, subjects: [subject], settings },
    signature: { ...signature, subject: subject.name },
  };
}

function causeTest(cause: Cause | null, options: LocateOptions) {
  const test = cause === null ? null : new CauseTest(cause, options.subjects[0], options);
  return {
    holds: ({ module, inputs }: Candidate): boolean => test?.holds(module, inputs) ?? true,
    close: () => test?.close(),
  };
}
