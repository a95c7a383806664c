// Draws orders of phases that no pipeline has: phases run twice or never, and some rules are
// disabled.
// Such an order reveals a phase that relies on an effect of another phase without requiring a fact.

import type { ChoiceSource } from "../../src/support/source.js";
import { RULES } from "../optimize/rules/rules.js";
import { PHASES, type Phase, type ProgramProperty } from "../pipeline.js";

/**
 * The options that `optimize` takes for a chaotic run. They are plain settings, so a user can also
 * pass them by hand.
 */
interface ChaosPlan {
  readonly phases: readonly string[];
  readonly disabled: ReadonlySet<string>;
}

/** Percentages of phases that are left out, and of phases that run a second time. */
const OMIT_PERCENT = 30;
const REPEAT_PERCENT = 30;
/** Percentages of rules that are disabled; each program draws one of them. */
const DISABLED_RULES_PERCENTS = [0, 0, 5, 30, 80];

/**
 * Draws a list of phases. Every phase appears once, twice or not at all, in an order in which each
 * phase finds the facts that it requires. If a fact is missing, the required phase that establishes
 * it is inserted. Phases for one target come last.
 */
export function drawChaos(source: ChoiceSource): ChaosPlan {
  const chance = (percent: number): boolean => source.below(100) < percent;
  const shared: Phase[] = [];
  const perTarget: Phase[] = [];
  for (const phase of PHASES) {
    if (phase.required === true || chance(OMIT_PERCENT)) continue;
    const list = phase.perTarget === true ? perTarget : shared;
    list.push(phase);
    if (chance(REPEAT_PERCENT)) list.push(phase);
  }
  const required = PHASES.filter((phase) => phase.required === true);
  const order = [...shuffled(source, shared), ...required, ...shuffled(source, perTarget)];
  const disabled = new Set<string>();
  const share = DISABLED_RULES_PERCENTS[source.below(DISABLED_RULES_PERCENTS.length)];
  for (const { name } of RULES) if (chance(share)) disabled.add(name);
  return { phases: withFacts(order, required).map(({ name }) => name), disabled };
}

function shuffled(source: ChoiceSource, phases: readonly Phase[]): Phase[] {
  const rest = phases.slice();
  const order: Phase[] = [];
  while (rest.length > 0) order.push(...rest.splice(source.below(rest.length), 1));
  return order;
}

function withFacts(order: readonly Phase[], required: readonly Phase[]): Phase[] {
  const facts = new Set<ProgramProperty>();
  const complete: Phase[] = [];
  const add = (phase: Phase): void => {
    for (const fact of phase.requires ?? []) {
      if (facts.has(fact)) continue;
      const maker = required.find(({ establishes = [] }) => establishes.includes(fact));
      if (maker !== undefined) add(maker);
    }
    for (const fact of phase.invalidates ?? []) facts.delete(fact);
    for (const fact of phase.establishes ?? []) facts.add(fact);
    complete.push(phase);
  };
  for (const phase of order) add(phase);
  return complete;
}
