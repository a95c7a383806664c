// The rules of the reference compiler in the form in which the generator takes patterns. They are
// read from the rows of the rules, so a new rule is generated without further work. What is drawn
// here is drawn from the name of the rule, so it is the same in every process. What a seed names
// depends on this file and on the rules: a change of either changes the generator's version.

import {
  type ConstantChoice,
  instantiate,
  literalWords,
  type Shape,
  shapesOf,
  type TypedTerm,
} from "../../../reference/optimize/rules/instantiate.js";
import { Matcher } from "../../../reference/optimize/rules/match.js";
import {
  bindsConstant,
  isPattern,
  isVariable,
  type Rule,
  VARIABLES,
} from "../../../reference/optimize/rules/patterns.js";
import { RULES } from "../../../reference/optimize/rules/rules.js";
import { drawBoundary } from "../../generate/maker/constants.js";
import type {
  Choice,
  PatternNode,
  PatternRule,
  PatternShape,
} from "../../generate/maker/patterns.js";
import type { Value } from "../../ir/procedure.js";
import { Void } from "../../ir/types.js";
import { SeedSource } from "../../support/source.js";

export const RULE_PATTERNS: readonly PatternRule[] = RULES.map((rule) => {
  const matcher = once(() => new Matcher([rule]));
  const patternOf = (shape: Shape): PatternShape => ({
    root: nodeOf(shape.root),
    taken: once(() => choicesOf(rule, shape, matcher())),
  });
  return { name: rule.name, shapes: once(() => shapesOf(rule).map(patternOf)) };
});

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function nodeOf({ term, type, opcode, operands }: TypedTerm): PatternNode {
  const isLeaf = !isPattern(term);
  const variable = isLeaf && isVariable(term) ? term : null;
  return {
    opcode,
    type,
    operands: operands.map(nodeOf),
    variable,
    isConstant: variable !== null && bindsConstant(variable),
    literal: isLeaf && !isVariable(term) ? literalWords(term, type) : null,
  };
}

/** So many choices are drawn, and so many of those that the rule takes are kept. */
const DRAWN = 90;
const KEPT = 10;
/** Stands for a constant, until it is given words: the first, and one more for the next. */
const MARK = 0x3c5a_9600;

// Drawn from the rule's own name, so that they are the same in every process. One instance is made,
// and its constants are given words after words.
function choicesOf(rule: Rule, shape: Shape, matcher: Matcher): Choice[] {
  const constants = VARIABLES.filter((v) => bindsConstant(v) && shape.types[v] !== Void);
  if (constants.length === 0) return [{}];
  const choose: ConstantChoice = (place, _type, literal) =>
    literal ?? [MARK + constants.findIndex((v) => v === place), 0];
  const { module, root } = instantiate(shape, choose);
  const values: Value[][] = constants.map(() => []);
  module.entry.forEachValue((value) => {
    const at = value.isConstant ? value.lo - MARK : -1;
    if (at >= 0 && at < values.length) values[at].push(value);
  });
  const source = new SeedSource(0n, rule.name);
  const choices: Choice[] = [];
  for (let tries = 0; tries < DRAWN && choices.length < KEPT; tries++) {
    const words = constants.map((v) => drawBoundary(source, shape.types[v]));
    values.forEach((list, k) => {
      for (const value of list) [value.lo, value.hi] = words[k];
    });
    if (matcher.find(root, NOTHING_OFF) < 0) continue;
    choices.push(Object.fromEntries(constants.map((v, k) => [v, words[k]] as const)));
  }
  return choices;
}
const NOTHING_OFF = new Uint8Array(1);
