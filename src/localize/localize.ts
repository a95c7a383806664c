// Locates the cause of a difference. The optimizer is tested first, with the oracle as interpreter. If its output is
// right, the fault is in a later part, and the LIR interpreter locates it.

import { PARTS } from "../../reference/parts.js";
import { Judge } from "../compare/judge-program.js";
import { checkLoweringClaims, executionsOn } from "../execute/claims/check-claims.js";
import type { ReferenceSubject } from "../execute/reference-subject.js";
import { subjectNamed } from "../execute/subjects.js";
import { CompilationUnit, chaoticSettings, DEFAULT_SETTINGS } from "../execute/unit.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { InternalError } from "../support/assert.js";
import { type Cause, causeOf, causeOfClaim, isOfCause } from "./cause.js";
import { type LaterStageCause, LaterStageSearch, type LocateOptions } from "./later-stages.js";
import type { FalseAnalysis, LocatedCause } from "./located-cause.js";
import { localizeTraced } from "./traced.js";
import {
  findWrongApplication,
  isOptimizedRight,
  type OptimizationCase,
} from "./wrong-application.js";

/**
 * Returns the part of the compiler that causes a difference.
 * @param options the options under which the difference was found
 * @param findsDetails also search the first wrong value after the optimizer and the bytes of the first
 * wrong instruction; the cause alone is faster
 */
export function localize(
  module: Module,
  inputs: readonly Input[],
  subject: ReferenceSubject,
  options: LocateOptions,
  findsDetails = true,
): LocatedCause {
  const claim = falseAnalysis(module, inputs, subject, options);
  if (claim !== null) return claim;
  if (subject.traced) return localizeTraced(module, inputs, subject, options);
  const wrong = findWrongApplication(optimizationCase(module, inputs, subject, options));
  if (wrong !== null) return { stage: OPTIMIZER, ...wrong };
  const search = new LaterStageSearch(subject, options);
  const later = search.locate(module, inputs, findsDetails);
  search.close();
  const range = falseRangeOfLowering(later, module, inputs, subject, options);
  if (range !== null) return range;
  const other = resumingSubject(later);
  const resumed = other && findWrongApplication(optimizationCase(module, inputs, other, options));
  return resumed === null ? later : { stage: OPTIMIZER, ...resumed };
}

const OPTIMIZER = "optimizer";

/** Returns the false claim that a judge reports; null if claims are not checked, or are true. */
function falseAnalysis(
  module: Module,
  inputs: readonly Input[],
  subject: ReferenceSubject,
  options: LocateOptions,
): FalseAnalysis | null {
  const { verify, checksClaims } = options.settings ?? DEFAULT_SETTINGS;
  if (!verify && !checksClaims) return null;
  const judge = new Judge({ ...options, subjects: [subject] });
  try {
    judge.judge({ module, inputs });
    return null;
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
    const cause = causeOfClaim(error.what);
    return cause && { stage: "analysis", cause, detail: error.evidence };
  } finally {
    judge.close();
  }
}

/** Returns the false bounds of a float that lowering relies on, if lowering is wrong; null if there are none. */
function falseRangeOfLowering(
  { stage, resumedBy }: LaterStageCause,
  module: Module,
  inputs: readonly Input[],
  subject: ReferenceSubject,
  { settings, parts, fuelMax }: LocateOptions,
): FalseAnalysis | null {
  if (stage !== "lowering" || resumedBy !== null) return null;
  const optimized = new CompilationUnit(module, settings, parts).optimized(subject).module;
  try {
    checkLoweringClaims(optimized, executionsOn(inputs, fuelMax));
    return null;
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
    const cause = causeOfClaim(error.what);
    return cause && { stage: "analysis", cause, detail: error.evidence };
  }
}

/**
 * Tests whether a difference has this cause: the same decision as that of `localize`, but cheaper for many programs. If
 * the cause is after the optimizer, the oracle runs only the optimized program, not the program after each phase.
 */
export class CauseTest {
  private readonly cause: Cause;
  private readonly subject: ReferenceSubject;
  private readonly options: LocateOptions;
  private readonly later: LaterStageSearch;

  /** @param options see `localize` */
  constructor(cause: Cause, subject: ReferenceSubject, options: LocateOptions) {
    this.cause = cause;
    this.subject = subject;
    // Phases are not verified here: an invalid program fails in a later part anyway.
    const { settings = DEFAULT_SETTINGS } = options;
    // Only for the cause `emulator` must the processor be right. Each difference there costs a new process.
    const processor = cause.stage === "emulator" ? {} : { mayRunNatively: false };
    this.options = { ...options, ...processor, settings: { ...settings, verify: false } };
    this.later = new LaterStageSearch(subject, this.options);
  }

  holds(module: Module, inputs: readonly Input[]): boolean {
    const { cause, subject } = this;
    try {
      if (cause.stage === OPTIMIZER || subject.traced) {
        const located = localize(module, inputs, subject, this.options, false);
        return isOfCause(causeOf(located, subject), cause);
      }
      if (!this.isOptimizedRight(module, inputs, subject)) return false;
      const later = this.later.locate(module, inputs, false);
      const range = falseRangeOfLowering(later, module, inputs, subject, this.options);
      if (!isOfCause(causeOf(range ?? later, subject), cause)) return false;
      const other = resumingSubject(later);
      return other === null || this.isOptimizedRight(module, inputs, other);
    } catch (error) {
      if (error instanceof InternalError) return false;
      throw error;
    }
  }

  private isOptimizedRight(
    module: Module,
    inputs: readonly Input[],
    subject: ReferenceSubject,
  ): boolean {
    return isOptimizedRight(optimizationCase(module, inputs, subject, this.options));
  }

  close(): void {
    this.later.close();
  }
}

/** Returns the subject of a continuation, which was optimized for another subject; that may be the cause. */
const resumingSubject = ({ stage, resumedBy }: LaterStageCause): ReferenceSubject | null =>
  stage === "lowering" && resumedBy !== null ? subjectNamed(resumedBy) : null;

function optimizationCase(
  module: Module,
  inputs: readonly Input[],
  { level, target, chaos }: ReferenceSubject,
  { settings = DEFAULT_SETTINGS, parts = PARTS, fuelMax }: LocateOptions,
): OptimizationCase {
  const drawn = chaos ? chaoticSettings(settings) : settings;
  return { module, inputs, level, target, settings: drawn, parts, fuelMax };
}
