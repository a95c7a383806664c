// The rules of the reference compiler, as the generator takes patterns: read from the rows
// themselves, so that a new rule has its makers the day it is written.

import {
  type ConstantChoice,
  instantiate,
  literalWords,
  type Shape,
  shapesOf,
  type TypedTerm,
} from "../../reference/optimize/instantiate.js";
import { Matcher } from "../../reference/optimize/match.js";
import {
  bindsConstant,
  isPattern,
  isVariable,
  type Rule,
  VARIABLES,
} from "../../reference/optimize/patterns.js";
import { RULES } from "../../reference/optimize/rules.js";
import { drawBoundary } from "../generate/constants.js";
import type { Choice, PatternNode, PatternRule, PatternShape } from "../generate/patterns.js";
import { Void } from "../ir/types.js";
import { SeedSource } from "../support/source.js";

export const RULE_PATTERNS: readonly PatternRule[] = RULES.map((rule) => ({
  name: rule.name,
  shapes: once(() => shapesOf(rule).map((shape) => patternOf(rule, shape))),
}));

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const patternOf = (rule: Rule, shape: Shape): PatternShape => ({
  root: nodeOf(shape.root),
  taken: once(() => choicesOf(rule, shape)),
});

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

// Drawn from the rule's own name, so that they are the same in every process.
function choicesOf(rule: Rule, shape: Shape): Choice[] {
  const constants = VARIABLES.filter((v) => bindsConstant(v) && shape.types[v] !== Void);
  if (constants.length === 0) return [{}];
  const matcher = new Matcher([rule]);
  const nothingOff = new Uint8Array(1);
  const source = new SeedSource(0n, rule.name);
  const choices: Choice[] = [];
  for (let tries = 0; tries < DRAWN && choices.length < KEPT; tries++) {
    const choice = Object.fromEntries(
      constants.map((v) => [v, drawBoundary(source, shape.types[v])] as const),
    );
    const choose: ConstantChoice = (place, _type, literal) => literal ?? choice[place] ?? [0, 0];
    if (matcher.find(instantiate(shape, choose).root, nothingOff) >= 0) choices.push(choice);
  }
  return choices;
}
