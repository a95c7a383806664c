// Orders of phases drawn from choices, unlike any pipeline: phases twice or never, rules switched off.
// They show where one phase relies on an effect of another that no fact states.

import type { Source } from "../../src/support/source.js";
import { RULES } from "../optimize/rules/rules.js";
import { type Fact, PHASES, type Phase } from "../pipeline.js";

/** What `optimize` is told of a chaotic run: plain settings, so that it can be told by hand too. */
interface ChaosPlan {
  readonly phases: readonly string[];
  readonly disabled: ReadonlySet<string>;
}

/** Per hundred phases: left out; run a second time. */
const OFF = 30;
const AGAIN = 30;
/** Of a hundred rules, how many are off; one of these is drawn. */
const RULES_OFF = [0, 0, 5, 30, 80];

/**
 * Every phase stands in the list once, twice or not at all, in any order in which each finds the
 * facts that it requires; a required phase that makes a missing fact is put in where needed. Those
 * for one target come last.
 */
export function drawChaos(source: Source): ChaosPlan {
  const chance = (percent: number): boolean => source.below(100) < percent;
  const shared: Phase[] = [];
  const perTarget: Phase[] = [];
  for (const phase of PHASES) {
    if (phase.required === true || chance(OFF)) continue;
    const list = phase.perTarget === true ? perTarget : shared;
    list.push(phase);
    if (chance(AGAIN)) list.push(phase);
  }
  const required = PHASES.filter((phase) => phase.required === true);
  const order = [...shuffled(source, shared), ...required, ...shuffled(source, perTarget)];
  const disabled = new Set<string>();
  const share = RULES_OFF[source.below(RULES_OFF.length)];
  for (const { name } of RULES) if (chance(share)) disabled.add(name);
  return { phases: withFacts(order, required).map(({ name }) => name), disabled };
}

function shuffled(source: Source, phases: readonly Phase[]): Phase[] {
  const rest = phases.slice();
  const order: Phase[] = [];
  while (rest.length > 0) order.push(...rest.splice(source.below(rest.length), 1));
  return order;
}

function withFacts(order: readonly Phase[], required: readonly Phase[]): Phase[] {
  const facts = new Set<Fact>();
  const whole: Phase[] = [];
  const add = (phase: Phase): void => {
    for (const fact of phase.requires ?? []) {
      if (facts.has(fact)) continue;
      const maker = required.find(({ establishes = [] }) => establishes.includes(fact));
      if (maker !== undefined) add(maker);
    }
    for (const fact of phase.invalidates ?? []) facts.delete(fact);
    for (const fact of phase.establishes ?? []) facts.add(fact);
    whole.push(phase);
  };
  for (const phase of order) add(phase);
  return whole;
}
