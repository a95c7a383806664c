// From a difference to what makes it: the optimizer alone comes first, with the oracle as interpreter. If
// its output is right, the fault lies behind it, and the LIR interpreter says where.

import { PARTS } from "../../reference/parts.js";
import { Judge } from "../compare/judge-program.js";
import type { ReferenceSubject } from "../execute/reference-subject.js";
import { subjectNamed } from "../execute/subjects.js";
import { chaoticSettings, DEFAULT_SETTINGS } from "../execute/unit.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { InternalError } from "../support/assert.js";
import { type Behind, BehindOptimizer, type LocateOptions } from "./behind-optimizer.js";
import { type Cause, causeOf, causeOfClaim, isOfCause } from "./cause.js";
import { findGuilty, isOptimizedRight, type Question } from "./guilty-application.js";
import type { FalseAnalysis, Located } from "./located.js";
import { localizeTraced } from "./traced.js";

/**
 * @param options as the difference was found
 * @param looksFor the first wrong value behind the optimizer and the bytes of the first wrong instruction too; the
 *   cause alone is quicker
 */
export function localize(
  module: Module,
  inputs: readonly Input[],
  subject: ReferenceSubject,
  options: LocateOptions,
  looksFor = true,
): Located {
  const claim = falseAnalysis(module, inputs, subject, options);
  if (claim !== null) return claim;
  if (subject.traced) return localizeTraced(module, inputs, subject, options);
  const guilty = findGuilty(questionOf(module, inputs, subject, options));
  if (guilty !== null) return { stage: OPTIMIZER, ...guilty };
  const search = new BehindOptimizer(subject, options);
  const behind = search.locate(module, inputs, looksFor);
  search.close();
  const other = resumingSubject(behind);
  const resumed = other && findGuilty(questionOf(module, inputs, other, options));
  return resumed === null ? behind : { stage: OPTIMIZER, ...resumed };
}

const OPTIMIZER = "optimizer";

/** Returns the false claim that a judge reports; null where claims are not checked, or hold. */
function falseAnalysis(
  module: Module,
  inputs: readonly Input[],
  subject: ReferenceSubject,
  options: LocateOptions,
): FalseAnalysis | null {
  const { verify, holdsClaims } = options.settings ?? DEFAULT_SETTINGS;
  if (!verify && !holdsClaims) return null;
  const judge = new Judge({ ...options, subjects: [subject] });
  try {
    judge.judge(module, inputs);
    return null;
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
    const cause = causeOfClaim(error.what);
    return cause && { stage: "analysis", cause, detail: error.evidence };
  } finally {
    judge.close();
  }
}

/**
 * Whether a difference has this cause: as `localize` decides, for many programs at less cost. Where the
 * cause lies behind the optimizer, the oracle runs only the optimized program, not that of each phase.
 */
export class CauseTest {
  private readonly cause: Cause;
  private readonly subject: ReferenceSubject;
  private readonly options: LocateOptions;
  private readonly behind: BehindOptimizer;

  /** @param options as for `localize` */
  constructor(cause: Cause, subject: ReferenceSubject, options: LocateOptions) {
    this.cause = cause;
    this.subject = subject;
    // A program that a phase leaves invalid fails later too; so phases are not verified here.
    const { settings = DEFAULT_SETTINGS } = options;
    // Only for the cause `emulator` is the processor right; where it differs, each run costs a new process.
    const processor = cause.stage === "emulator" ? {} : { mayRunNatively: false };
    this.options = { ...options, ...processor, settings: { ...settings, verify: false } };
    this.behind = new BehindOptimizer(subject, this.options);
  }

  holds(module: Module, inputs: readonly Input[]): boolean {
    const { cause, subject } = this;
    try {
      if (cause.stage === OPTIMIZER || subject.traced) {
        const located = localize(module, inputs, subject, this.options, false);
        return isOfCause(causeOf(located, subject), cause);
      }
      if (!this.isOptimizedRight(module, inputs, subject)) return false;
      const behind = this.behind.locate(module, inputs, false);
      if (!isOfCause(causeOf(behind, subject), cause)) return false;
      const other = resumingSubject(behind);
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
    return isOptimizedRight(questionOf(module, inputs, subject, this.options));
  }

  close(): void {
    this.behind.close();
  }
}

/** A continuation was optimized as for another subject, which may be what is wrong. */
const resumingSubject = ({ stage, resumedBy }: Behind): ReferenceSubject | null =>
  stage === "lowering" && resumedBy !== null ? subjectNamed(resumedBy) : null;

function questionOf(
  module: Module,
  inputs: readonly Input[],
  { level, target, chaos }: ReferenceSubject,
  { settings = DEFAULT_SETTINGS, parts = PARTS, fuelMax }: LocateOptions,
): Question {
  const drawn = chaos ? chaoticSettings(settings) : settings;
  return { module, inputs, level, target, settings: drawn, parts, fuelMax };
}
