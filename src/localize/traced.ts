// Locates the cause of a difference in a traced execution. The same program runs with less and less processing of its
// traces: recorded and interpreted; optimized and interpreted, then without one phase after the other; as code whose
// exits are not linked; as LIR; as code. The first wrong form identifies the part.

import { PIPELINES } from "../../reference/pipeline.js";
import { describeWithComparison } from "../compare/describe-difference.js";
import { Judge } from "../compare/judge-program.js";
import { openInterpreted } from "../execute/interpreted-subject.js";
import { openLir } from "../execute/lir-subject.js";
import {
  type ReferenceSubject,
  referenceSubject,
  type SubjectOpener,
} from "../execute/reference-subject.js";
import { openTraced } from "../execute/traced-subject.js";
import { chaoticSettings, DEFAULT_SETTINGS, type OptimizeSettings } from "../execute/unit.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { thresholdsOfSeed } from "../record/thresholds.js";
import { InternalError } from "../support/assert.js";
import { causeInStage, type LaterStageCause, type LocateOptions } from "./later-stages.js";
import type { LocatedCause } from "./located-cause.js";

export function localizeTraced(
  module: Module,
  inputs: readonly Input[],
  subject: ReferenceSubject,
  options: LocateOptions,
): LocatedCause {
  return new TracedSearch(module, inputs, subject, options).locate();
}

/** Parts after the optimizer: the form in which traces run, and the cause if that form is the first wrong one. */
const LATER_FORMS: readonly (readonly [stage: LaterStageCause["stage"], open: SubjectOpener])[] = [
  ["lowering", openLir("lower")],
  ["allocation", openLir("allocate")],
  ["moves", openLir("moves")],
];

const DOES_NOT_RECUR = "it does not recur";

class TracedSearch {
  private readonly module: Module;
  private readonly inputs: readonly Input[];
  private readonly subject: ReferenceSubject;
  private readonly options: LocateOptions;
  private runs = 0;

  constructor(
    module: Module,
    inputs: readonly Input[],
    subject: ReferenceSubject,
    options: LocateOptions,
  ) {
    this.module = module;
    this.inputs = inputs;
    this.subject = subject;
    this.options = options;
  }

  locate(): LocatedCause {
    const { subject } = this;
    if (this.differenceOf(subject) === null) return causeInStage("code generation", DOES_NOT_RECUR);
    const recorded = this.difference(openInterpreted, { level: "O0", chaos: false });
    if (recorded !== null) return causeInStage("recorder", recorded);
    const optimized = this.difference(openInterpreted);
    if (optimized !== null) return this.locateInOptimizer(optimized);
    if (subject.target === null) return causeInStage("code generation", DOES_NOT_RECUR);
    const { settings = DEFAULT_SETTINGS } = this.options;
    const thresholds = settings.thresholds ?? thresholdsOfSeed(settings.chaos);
    const unlinked = { ...settings, thresholds: { ...thresholds, patches: false } };
    if (thresholds.patches && this.differenceOf(subject, unlinked) === null) {
      return causeInStage("links", "traces are right while no exit is linked");
    }
    for (const [stage, open] of LATER_FORMS) {
      const wrong = this.difference(open);
      if (wrong !== null) return causeInStage(stage, wrong);
    }
    return causeInStage("emission", "traces are right as LIR");
  }

  /** Returns the first phase without which traces are right. */
  private locateInOptimizer(detail: string): LocatedCause {
    const { subject, options } = this;
    const { settings = DEFAULT_SETTINGS } = options;
    const drawn = subject.chaos ? chaoticSettings(settings) : settings;
    const phases = drawn.phases ?? PIPELINES[subject.level].map(({ phase }) => phase);
    const wrong = [...new Set(phases)].find((phase) => {
      const disabled = new Set([...drawn.disabled, phase]);
      return this.difference(openInterpreted, { chaos: false }, { ...drawn, disabled }) === null;
    });
    return {
      stage: "optimizer",
      phase: wrong ?? "more than one phase",
      procedure: "a trace",
      detail,
      application: null,
      claim: null,
      index: 0,
      applications: 0,
      before: "",
      after: "",
      runs: this.runs,
    };
  }

  /**
   * Judges the program with traces in this form (interpreted, as LIR, as code); returns the
   * difference, or null.
   */
  private difference(
    open: SubjectOpener,
    other: Partial<ReferenceSubject> = {},
    settings?: OptimizeSettings,
  ): string | null {
    const target = open === openInterpreted ? { target: null } : {};
    const facts = { ...this.subject, ...target, ...other };
    return this.differenceOf(referenceSubject(facts, openTraced(open)), settings);
  }

  private differenceOf(
    subject: ReferenceSubject,
    settings = this.options.settings ?? DEFAULT_SETTINGS,
  ): string | null {
    this.runs++;
    const judge = new Judge({ ...this.options, settings, subjects: [subject] });
    try {
      const [{ judgements }] = judge.judge({ module: this.module, inputs: this.inputs }).results;
      for (const { verdict } of judgements) {
        if (verdict.kind === "different") return describeWithComparison(verdict.difference);
      }
      return null;
    } catch (error) {
      if (error instanceof InternalError) return error.message;
      throw error;
    } finally {
      judge.close();
    }
  }
}
