// Runs the phases of a level over a module, or over the procedures that a root reaches. At load it
// checks that the order of every level is correct and profitable.

import type { Module, Procedure } from "../src/ir/procedure.js";
import { assert } from "../src/support/assert.js";
import { LEVELS, type Level } from "./levels.js";
import { calleesFirst, reachedFrom } from "./optimize/analysis/call-order.js";
import { FEATURES, featuresOf } from "./optimize/analysis/features.js";
import {
  type ApplicationObserver,
  type CountedApplication,
  OptimizeContext,
} from "./optimize/edit/context.js";
import { removeUnusedSnapshots } from "./optimize/edit/sweep.js";
import type { Rule } from "./optimize/rules/patterns.js";
import { RULES } from "./optimize/rules/rules.js";
import {
  LOWERING_REQUIRES,
  ORDER_THAT_PAYS,
  PHASES,
  type Phase,
  PIPELINES,
  type PipelineStep,
  type ProgramProperty,
} from "./pipeline.js";
import type { TargetName } from "./target/target.js";

export interface OptimizeOptions {
  readonly level: Level;
  /** The target of the code; null to run only the phases that all targets share. */
  readonly target: TargetName | null;
  readonly rules: readonly Rule[];
  /** The maximum number of applications of rules and optional phases; later ones are skipped. */
  readonly applicationsMax: number;
  /** Names of disabled phases and rules. Required phases run anyway. */
  readonly disabled: ReadonlySet<string>;
  /** Replaces the level's list: names in order. Missing required phases are inserted. */
  readonly phases: readonly string[] | null;
  /** PHASES, or the same rows with some phases replaced by planted bugs. */
  readonly rows: readonly Phase[];
  /** Called after each phase that ran on a procedure. */
  readonly afterPhase: AfterPhase | null;
  /** Called for each application with the name of the rule, or of the phase if it has no rules. */
  readonly onApplication: ApplicationObserver | null;
  /** Called when a phase starts and stops, to measure it. */
  readonly clock: PhaseClock | null;
}

export interface PhaseClock {
  start(): void;
  stop(phase: string): void;
}

/**
 * A function that is called after each phase.
 * @param applications the number of applications so far
 */
export type AfterPhase = (phase: string, proc: Procedure, applications: number) => void;

export interface OptimizeReport {
  readonly applications: number;
  /** The last application; null if there was none. */
  readonly last: CountedApplication | null;
  /** The number of applications of each rule, by index in `rules`. */
  readonly fired: Int32Array;
  /**
   * The number of applications of each phase, by index in PHASES. They include the applications of
   * its rules.
   */
  readonly byPhase: Int32Array;
  /** The limits that made a phase do less than it could: see edit/limits.ts. */
  readonly limits: ReadonlySet<string>;
}

const NOTHING_DISABLED: ReadonlySet<string> = new Set();

/**
 * Optimizes every procedure of a valid module in place, and brings it to the form that lowering
 * requires.
 * @throws RangeError if `phases` contains an unknown phase or an order in which a fact is missing
 */
export function optimize(module: Module, options: OptimizerOptions): OptimizeReport {
  return new Optimizer(module, options).finishAll();
}

/**
 * Runs the rest of `optimize` for one target, on a module that `optimize` has processed without a
 * target.
 * @param applied the number of applications so far, which count toward the same limit
 */
export function optimizeForTarget(
  module: Module,
  options: OptimizerOptions,
  applied: number,
): OptimizeReport {
  return new Optimizer(module, options, applied).finishAll();
}

type OptimizerOptions = Partial<OptimizeOptions> & Pick<OptimizeOptions, "level">;

/**
 * Optimizes procedures of a module in place, on demand. Without a limit of applications, the result
 * for a procedure depends neither on the time of the request nor on other requests.
 */
export class Optimizer {
  readonly report: OptimizeReport;
  private readonly context: OptimizeContext;
  private readonly options: OptimizerOptions;
  private readonly steps: readonly ResolvedStep[];
  /** All procedures of the module, callees first in the call order before optimization. */
  private readonly order: readonly Procedure[];
  /** Indices in `order`; computed when `finish` is first called. */
  private positions: ReadonlyMap<Procedure, number> | null = null;

  /**
   * @param applied null: runs all phases, or without a target the phases that all targets share. A
   * number: runs the phases of the target alone, after that many applications.
   * @param order the procedures of the module, callees first
   * @throws RangeError as `optimize` does
   */
  constructor(
    module: Module,
    options: OptimizerOptions,
    applied: number | null = null,
    order: readonly Procedure[] = calleesFirst(module),
  ) {
    const { phases, level, target = null } = options;
    const plannedStep = phases ? phasesByName(phases) : PLANNED[level];
    if (applied !== null) this.steps = plannedStep.filter((step) => !isShared(step));
    else this.steps = target === null ? plannedStep.filter(isShared) : plannedStep;
    this.context = newContext(options, applied ?? 0);
    this.report = this.context;
    this.options = options;
    this.order = order;
  }

  isFinished(proc: Procedure): boolean {
    return this.context.isFinished(proc);
  }

  finishAll(): OptimizeReport {
    this.run(this.order);
    return this.report;
  }

  /** Optimizes the procedures that the root reaches, and the root itself. */
  finish(root: Procedure): void {
    if (this.isFinished(root)) return;
    this.positions ??= new Map(this.order.map((proc, position) => [proc, position]));
    const { positions } = this;
    const positionOf = (proc: Procedure): number => positions.get(proc) ?? -1;
    const reached = [...new Set(reachedFrom(root))].filter((proc) => positions.has(proc));
    this.run(reached.sort((x, y) => positionOf(x) - positionOf(y)));
  }

  private run(procedures: readonly Procedure[]): void {
    const { context, steps, options } = this;
    context.start();
    for (let p = 0; p < procedures.length; p++) {
      const proc = procedures[p];
      if (context.isFinished(proc)) continue;
      context.enter(proc);
      removeUnusedSnapshots(proc); // the program may contain some from the start
      runSteps(proc, steps, context, options);
      context.finish(proc);
    }
    context.end();
  }
}

function newContext(
  { rules = RULES, applicationsMax, disabled, target, onApplication }: Partial<OptimizeOptions>,
  applied = 0,
): OptimizeContext {
  return new OptimizeContext({
    rules,
    applicationsMax: applicationsMax ?? Number.POSITIVE_INFINITY,
    disabled: disabled ?? NOTHING_DISABLED,
    target: target ?? null,
    phaseCount: PHASES.length,
    applications: applied,
    onApplication: onApplication ?? null,
  });
}

function runSteps(
  proc: Procedure,
  steps: readonly ResolvedStep[],
  context: OptimizeContext,
  options: OptimizerOptions,
): void {
  const { disabled = NOTHING_DISABLED, rows = PHASES, afterPhase = null, clock = null } = options;
  /** The features of the procedure; null if it has changed since they were computed. */
  let features: number | null = null;
  const hasChanged = new Uint8Array(PHASES.length);
  for (let s = 0; s < steps.length; s++) {
    const { phase, index, after, needs } = steps[s];
    if (phase.required !== true && disabled.has(phase.name)) continue;
    const isDue = after === NO_PHASE || hasChanged[after] === 1;
    hasChanged[index] = 0;
    if (!isDue) continue;
    if (needs !== 0) {
      features ??= featuresOf(proc, context.flow(proc));
      if ((needs & ~features) !== 0) continue;
    }
    context.begin(index, phase.name);
    clock?.start();
    if (rows[index].run(proc, context)) {
      hasChanged[index] = 1;
      features = null;
      removeUnusedSnapshots(proc); // the phase may have removed their guards, or copied snapshots that no guard uses
      if (phase.editsBlocks === true) context.blocksChanged();
    }
    clock?.stop(phase.name);
    if (afterPhase === null) continue;
    // If a caller observes each phase, check that the phase reported its changes of blocks.
    assert(
      context.isFlowCurrent(proc),
      () => `${phase.name} changed blocks without calling blocksChanged`,
    );
    afterPhase(phase.name, proc, context.applications);
  }
}

/** True if the list contains phases that differ by target. */
export const hasTargetPhases = (level: Level, phases: readonly string[] | null): boolean =>
  !(phases ? phasesByName(phases) : PLANNED[level]).every(isShared);

/** A step with its names resolved. */
interface ResolvedStep {
  readonly phase: Phase;
  /** The index in PHASES. */
  readonly index: number;
  /** The index in PHASES of the phase that must have changed the procedure; or NO_PHASE. */
  readonly after: number;
  /** The features that the procedure must have, as a bit set. */
  readonly needs: number;
}

const NO_PHASE = -1;

const isShared = ({ phase }: ResolvedStep): boolean => phase.perTarget !== true;

function plannedStep(name: string, afterChangeBy: string | undefined): ResolvedStep | null {
  const index = PHASES.findIndex((phase) => phase.name === name);
  if (index < 0) return null;
  const phase = PHASES[index];
  const after = PHASES.findIndex((row) => row.name === afterChangeBy);
  const needs = (phase.needs ?? []).reduce((bits, feature) => bits | FEATURES[feature], 0);
  return { phase, index, after, needs };
}

function plan(steps: readonly PipelineStep[]): ResolvedStep[] {
  return steps.map(({ phase, afterChangeBy }) => {
    const step = plannedStep(phase, afterChangeBy);
    assert(step !== null, () => `no phase is named '${phase}'`);
    return step;
  });
}

function phasesByName(names: readonly string[]): readonly ResolvedStep[] {
  if (lastNamed.names === names) return lastNamed.steps;
  const steps = withRequiredPhases(names);
  const fault = orderFault(steps.map(({ phase }) => phase));
  if (fault !== null) throw new RangeError(fault);
  lastNamed = { names, steps };
  return steps;
}

interface PhaseSelection {
  readonly names: readonly string[];
  readonly steps: readonly ResolvedStep[];
}

// A cache of one list: a program is compiled in several ways with one drawn list.
let lastNamed: PhaseSelection = { names: [], steps: [] };

/** Returns the phases of these names, with the missing required phases inserted. */
function withRequiredPhases(names: readonly string[]): readonly ResolvedStep[] {
  const steps = names.map((name) => {
    const step = plannedStep(name, undefined);
    if (step === null)
      throw new RangeError(`no phase is named '${name}'; fuzz list phases lists the names`);
    return step;
  });
  for (const { name, required } of PHASES) {
    const step = required === true && !names.includes(name) ? plannedStep(name, undefined) : null;
    if (step !== null) steps.splice(positionFor(step, steps), 0, step);
  }
  return steps;
}

/**
 * Returns the position for a required phase: before the last step that establishes a fact that it
 * invalidates, or else after all steps that the targets share.
 */
function positionFor({ phase }: ResolvedStep, steps: readonly ResolvedStep[]): number {
  const { invalidates = [] } = phase;
  const at = steps.findLastIndex((step) =>
    (step.phase.establishes ?? []).some((fact) => invalidates.includes(fact)),
  );
  const end = steps.findIndex((step) => !isShared(step));
  return at >= 0 ? at : end < 0 ? steps.length : end;
}

/** Returns the phases that `optimize` runs for these names. */
export const phasesOf = (names: readonly string[]): readonly Phase[] =>
  withRequiredPhases(names).map(({ phase }) => phase);

/**
 * Checks the names and the order of phases.
 * @throws RangeError as `optimize` does
 */
export const checkOrder = (names: readonly string[]): void => {
  phasesByName(names);
};

/**
 * Returns a message about the first required fact that is missing in an order of phases; null if
 * all hold.
 */
export function orderFault(phases: readonly Phase[]): string | null {
  const facts = new Set<ProgramProperty>();
  let isShared = true;
  for (const phase of phases) {
    const { name, requires = [], establishes = [], invalidates = [], perTarget } = phase;
    if (perTarget === true) isShared = false;
    else if (!isShared)
      return `${name} is shared by all targets, but runs after a phase for one target`;
    for (const fact of requires) if (!facts.has(fact)) return `${name} requires ${fact}`;
    for (const fact of invalidates) facts.delete(fact);
    for (const fact of establishes) facts.add(fact);
  }
  for (const fact of LOWERING_REQUIRES) if (!facts.has(fact)) return `lowering requires ${fact}`;
  return null;
}

/**
 * Returns a message about the first row of ORDER_THAT_PAYS that a list of steps violates; null if
 * it violates none. Steps that wait for a change are exempt: they clean up for the next step, and
 * run again later.
 */
export function payoffFault(steps: readonly Omit<PipelineStep, "because">[]): string | null {
  for (const { phase, before, because } of ORDER_THAT_PAYS) {
    const early = steps.findIndex((step) => step.phase === phase);
    const late = steps.findIndex(
      (step) => step.phase === before && step.afterChangeBy === undefined,
    );
    if (late >= 0 && late < early) return `${before} runs before ${phase}, but ${because}`;
  }
  return null;
}

/**
 * Returns a message about the first step that waits for a phase that does not run before it; null
 * if there is none.
 */
export function waitFault(steps: readonly PipelineStep[]): string | null {
  for (let s = 0; s < steps.length; s++) {
    const { phase, afterChangeBy } = steps[s];
    if (afterChangeBy === undefined) continue;
    if (steps.slice(0, s).some((step) => step.phase === afterChangeBy)) continue;
    return `${phase} waits for ${afterChangeBy}, which does not run before it`;
  }
  return null;
}

const PLANNED: { readonly [L in Level]: readonly ResolvedStep[] } = {
  O0: plan(PIPELINES.O0),
  O1: plan(PIPELINES.O1),
  O2: plan(PIPELINES.O2),
};
for (const level of LEVELS) {
  const phases = PLANNED[level].map(({ phase }) => phase);
  const steps = PIPELINES[level];
  const fault = orderFault(phases) ?? payoffFault(steps) ?? waitFault(steps);
  assert(fault === null, () => `${level}: ${fault}`);
}
