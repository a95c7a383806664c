// Reads the rules of the reference compiler as the text that corpus/patterns/rules.json holds: all readings of each
// rule, at all types, with constants that its conditions accept. Constants are drawn from the name of the rule, so the
// text is the same in every process.

import {
  type ConstantChoice,
  instantiate,
  literalWords,
  type TypedRule,
  type TypedTerm,
  typedRulesOf,
} from "../reference/optimize/rules/instantiate.js";
import { RuleMatcher } from "../reference/optimize/rules/match.js";
import {
  bindsConstant,
  isPattern,
  isVariable,
  type Rule,
  VARIABLES,
} from "../reference/optimize/rules/patterns.js";
import { RULES } from "../reference/optimize/rules/rules.js";
import { drawBoundary } from "../src/generate/maker/constants.js";
import type { VariableConstants } from "../src/generate/maker/patterns.js";
import { type NodeText, RULE_PATTERNS, type RuleText } from "../src/generate/rule-patterns.js";
import { nameOfOpcode } from "../src/ir/opcodes.js";
import type { Value } from "../src/ir/procedure.js";
import { nameOfType, Void } from "../src/ir/types.js";
import { assert } from "../src/support/assert.js";
import { SeedSource } from "../src/support/source.js";

/** Returns the text of every rule, in the order of the compiler's table. */
export const allRuleTexts = (): RuleText[] => RULES.map(ruleTextOf);

/** Prints one line for each shape, so that a change of one rule is a change of few lines. */
export function printRuleTexts(rules: readonly RuleText[]): string {
  const ruleLines = ({ name, shapes }: RuleText): string => {
    const lines = shapes.map((shape) => `  ${JSON.stringify(shape)}`).join(",\n");
    return `{ "name": ${JSON.stringify(name)}, "shapes": [\n${lines}\n] }`;
  };
  return `[\n${rules.map(ruleLines).join(",\n")}\n]\n`;
}

/** Returns the names of the rules that the generator has no patterns of. */
export function uncoveredRules(rules: readonly Pick<Rule, "name">[] = RULES): string[] {
  const covered = new Set(RULE_PATTERNS.map(({ name }) => name));
  return rules.map(({ name }) => name).filter((name) => !covered.has(name));
}

function ruleTextOf(rule: Rule): RuleText {
  const matcher = new RuleMatcher([rule]);
  return {
    name: rule.name,
    shapes: typedRulesOf(rule).map((shape) => ({
      root: nodeText(shape.root),
      taken: choicesOf(rule, shape, matcher),
    })),
  };
}

function nodeText({ term, type, opcode, operands }: TypedTerm): NodeText {
  const typeName = nameOfType(type);
  if (isPattern(term)) {
    assert(opcode !== null, () => `${typeName}: a pattern without an opcode`);
    return [`${nameOfOpcode(opcode)}:${typeName}`, ...operands.map(nodeText)];
  }
  if (isVariable(term)) return `${term}${bindsConstant(term) ? "!" : ""}:${typeName}`;
  return `#${literalWords(term, type).join(",")}:${typeName}`;
}

/** The number of choices that are drawn, and the most that are kept. */
const DRAWN = 90;
const KEPT = 10;
/** Marks the constants of an instance, consecutively, until they get their words. */
const MARK = 0x3c5a_9600;

/** Makes one instance, and tries words for its constants. */
function choicesOf(rule: Rule, shape: TypedRule, matcher: RuleMatcher): VariableConstants[] {
  const constants = VARIABLES.filter((v) => bindsConstant(v) && shape.types[v] !== Void);
  if (constants.length === 0) return [{}];
  const choose: ConstantChoice = (place, _type, literal) =>
    literal ?? [MARK + constants.findIndex((v) => v === place), 0];
  const { module, root } = instantiate(shape, choose);
  const values: Value[][] = constants.map(() => []);
  module.entry.forEachValue((value) => {
    const at = value.isConstant ? value.constantLow - MARK : -1;
    if (at >= 0 && at < values.length) values[at].push(value);
  });
  const source = new SeedSource(0n, rule.name);
  const choices: VariableConstants[] = [];
  for (let tries = 0; tries < DRAWN && choices.length < KEPT; tries++) {
    const words = constants.map((v) => drawBoundary(source, shape.types[v]));
    values.forEach((list, k) => {
      for (const value of list) [value.constantLow, value.constantHigh] = words[k];
    });
    if (matcher.find(root, NOTHING_OFF) < 0) continue;
    choices.push(Object.fromEntries(constants.map((v, k) => [v, words[k]] as const)));
  }
  return choices;
}
const NOTHING_OFF = new Uint8Array(1);
