// The phases of the optimizer, in order: start reading here.
//
// `OPTIMIZER` is the table; `optimize` walks it. Order is data: a row says which facts it needs,
// makes and breaks, and why it stands where it stands; the order of each level is checked against
// that at load.

import type { Module, Procedure } from "../src/ir/procedure.js";
import { assert } from "../src/support/assert.js";
import { canonicalizePhis } from "./optimize/canonicalize-phis.js";
import { type Application, OptimizeContext } from "./optimize/context.js";
import { eliminateCommonSubexpressions } from "./optimize/eliminate-common-subexpressions.js";
import { eliminateDeadCode } from "./optimize/eliminate-dead-code.js";
import type { Rule } from "./optimize/patterns.js";
import { reduceStrength } from "./optimize/reduce-strength.js";
import { RULES } from "./optimize/rules.js";

export const LEVELS = ["O0", "O1"] as const;
export type Level = (typeof LEVELS)[number];

/** What holds of a program at some point of the list. */
export type Fact = "edge-form-phis" | "no-critical-edges" | "no-unreachable-blocks";

export interface Phase {
  readonly name: string;
  /** True if anything changed. */
  readonly run: (proc: Procedure, context: OptimizeContext) => boolean;
  readonly levels: readonly Level[];
  /** Runs at every level and whatever is disabled; its work is never counted. */
  readonly required?: true;
  /** Runs only if the phase of that name changed the procedure at its last place in the list. */
  readonly afterChangeBy?: string;
  readonly requires: readonly Fact[];
  readonly establishes: readonly Fact[];
  readonly invalidates: readonly Fact[];
  /** Why it stands here. */
  readonly because: string;
}

export const OPTIMIZER: readonly Phase[] = [
  {
    name: "reduce-strength",
    run: reduceStrength,
    levels: ["O1"],
    requires: [],
    establishes: ["no-unreachable-blocks"],
    invalidates: ["edge-form-phis"], // a branch on a constant leaves a Phi with an edge less
    because: "the others look at canonical forms",
  },
  {
    name: "eliminate-common-subexpressions",
    run: eliminateCommonSubexpressions,
    levels: ["O1"],
    requires: [],
    establishes: [],
    invalidates: [],
    because: "equal values have equal forms now",
  },
  {
    name: "reduce-strength",
    run: reduceStrength,
    levels: ["O1"],
    afterChangeBy: "eliminate-common-subexpressions",
    requires: [],
    establishes: ["no-unreachable-blocks"],
    invalidates: ["edge-form-phis"],
    because: "what was two values may be one now: x - x",
  },
  {
    name: "eliminate-common-subexpressions",
    run: eliminateCommonSubexpressions,
    levels: ["O1"],
    afterChangeBy: "reduce-strength",
    requires: [],
    establishes: [],
    invalidates: [],
    because: "merges what the second round made; there is no third",
  },
  {
    name: "eliminate-dead-code",
    run: eliminateDeadCode,
    levels: ["O1"],
    requires: [],
    establishes: [],
    invalidates: [],
    because: "the phases above leave operands that nobody uses any more",
  },
  {
    name: "canonicalize-phis",
    run: canonicalizePhis,
    levels: ["O0", "O1"],
    required: true,
    requires: [],
    establishes: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks"],
    invalidates: [],
    because: "lowering maps edge form one to one",
  },
];

/** What lowering relies on. */
export const LOWERING_REQUIRES: readonly Fact[] = [
  "edge-form-phis",
  "no-critical-edges",
  "no-unreachable-blocks",
];

export interface OptimizeOptions {
  readonly level: Level;
  readonly rules: readonly Rule[];
  /** Of the applications of rules and optional phases, only so many happen. */
  readonly applicationsMax: number;
  /** Phases and rules by name; required phases run all the same. */
  readonly disabled: ReadonlySet<string>;
  /** Instead of the level's list: names in order; required phases that it lacks come last. */
  readonly phases: readonly string[] | null;
  /** Called after each phase that ran on a procedure. */
  readonly afterPhase: ((phase: string, proc: Procedure) => void) | null;
}

export interface OptimizeReport {
  readonly applications: number;
  /** The last application; null if there was none. */
  readonly last: Application | null;
  /** By index in `rules`: how often each fired. */
  readonly fired: Int32Array;
}

const NOTHING_DISABLED: ReadonlySet<string> = new Set();

/**
 * Optimizes every procedure of a valid module in place, and brings it to the form that lowering
 * takes.
 * @throws RangeError if `phases` names an unknown phase or an order in which a fact is missing
 */
export function optimize(
  module: Module,
  options: Partial<OptimizeOptions> & Pick<OptimizeOptions, "level">,
): OptimizeReport {
  const rules = options.rules ?? RULES;
  const disabled = options.disabled ?? NOTHING_DISABLED;
  const applicationsMax = options.applicationsMax ?? Number.POSITIVE_INFINITY;
  const context = new OptimizeContext(rules, applicationsMax, disabled);
  const phases = options.phases ? phasesNamed(options.phases) : phasesOf(options.level);
  for (let p = 0; p < module.procedures.length; p++) {
    context.enter(module.procedures[p]);
    runPhases(module.procedures[p], phases, context, disabled, options.afterPhase ?? null);
  }
  return { applications: context.applications, last: context.last, fired: context.fired };
}

function runPhases(
  proc: Procedure,
  phases: readonly Phase[],
  context: OptimizeContext,
  disabled: ReadonlySet<string>,
  afterPhase: ((phase: string, proc: Procedure) => void) | null,
): void {
  const changedBy = new Set<string>();
  for (let p = 0; p < phases.length; p++) {
    const { name, run, required, afterChangeBy } = phases[p];
    if (required !== true && disabled.has(name)) continue;
    const isDue = afterChangeBy === undefined || changedBy.has(afterChangeBy);
    changedBy.delete(name);
    if (!isDue) continue;
    if (run(proc, context)) changedBy.add(name);
    afterPhase?.(name, proc);
  }
}

/** The phases of a level, in order. */
export const phasesOf = (level: Level): readonly Phase[] => BY_LEVEL[level];

/** The phases of that names, in that order; required ones that are missing follow. */
export function phasesNamed(names: readonly string[]): readonly Phase[] {
  const phases = names.map((name) => {
    const phase = OPTIMIZER.find((row) => row.name === name && row.afterChangeBy === undefined);
    if (phase === undefined) throw new RangeError(`no phase is named '${name}'`);
    return phase;
  });
  for (const phase of OPTIMIZER) {
    if (phase.required === true && !names.includes(phase.name)) phases.push(phase);
  }
  const fault = orderFault(phases);
  if (fault !== null) throw new RangeError(fault);
  return phases;
}

/** What is wrong with an order of phases; null if every fact that is required holds where it is. */
export function orderFault(phases: readonly Phase[]): string | null {
  const facts = new Set<Fact>();
  for (const { name, requires, establishes, invalidates } of phases) {
    for (const fact of requires) if (!facts.has(fact)) return `${name} requires ${fact}`;
    for (const fact of invalidates) facts.delete(fact);
    for (const fact of establishes) facts.add(fact);
  }
  for (const fact of LOWERING_REQUIRES) if (!facts.has(fact)) return `lowering requires ${fact}`;
  return null;
}

const BY_LEVEL: { readonly [L in Level]: readonly Phase[] } = {
  O0: OPTIMIZER.filter(({ levels }) => levels.includes("O0")),
  O1: OPTIMIZER.filter(({ levels }) => levels.includes("O1")),
};
for (const level of LEVELS) {
  const fault = orderFault(BY_LEVEL[level]);
  assert(fault === null, () => `${level}: ${fault}`);
}
