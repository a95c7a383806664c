// Compiles rules for the matcher: each row becomes variants, and each variant is a short program.

import { COMMUTES, type Opcode, opcodeNamed, typeOfName } from "../../../src/ir/opcodes.js";
import { assert } from "../../../src/support/assert.js";
import {
  ANY_CONSTANT,
  ANYTHING,
  FLOAT_CONSTANT,
  INTEGER_CONSTANT,
  type RuleVariantKey,
} from "./candidates.js";
import {
  bindsConstant,
  type ComputedConstant,
  type FloatLiteral,
  givenOperandsOf,
  isGivenPattern,
  isPattern,
  isVariable,
  NOTHING,
  type Opcodes,
  opcodeAt,
  operandsOf,
  optionCount,
  type Pattern,
  type PatternTerm,
  type PatternVariable,
  type Replacement,
  type Rule,
  showTerm,
  VARIABLES,
} from "./patterns.js";

// The kind of matcher instruction that descends into an operand. Each instruction has six words:
// kind, register of the parent, operand index, and three more.
export const NODE = 0; // opcode, register
export const BIND = 1; // register
export const SAME = 2; // register
export const CONSTANT = 3; // register
export const SAME_CONSTANT = 4; // register
export const INTEGER = 5; // low word, high word
const FLOATING = 6; // bits of the Float, low word, high word of the Double
export const STEP = 6;

export const ROOT_REGISTER = 0;
const VARIABLE_REGISTER = 1; // x y z c d e; then inner nodes in preorder
const NODE_REGISTER = VARIABLE_REGISTER + VARIABLES.length;
export const REGISTER_COUNT = 16;
export const registerOf = (variable: PatternVariable): number =>
  VARIABLE_REGISTER + VARIABLES.indexOf(variable);

/** A replacement with registers in place of the variables that the match binds. */
export type ReplacementPlan =
  | { readonly kind: "register"; readonly register: number }
  | { readonly kind: "integer"; readonly integer: number }
  | { readonly kind: "float"; readonly float: FloatLiteral }
  | { readonly kind: "computed"; readonly computed: ComputedConstant; readonly register: number }
  | {
      readonly kind: "node";
      readonly opcode: Opcode;
      readonly operands: readonly ReplacementPlan[];
    }
  | { readonly kind: "nothing" };

type PatternLeaf = Exclude<PatternTerm, Pattern>;

/** A pattern with one order of the operands at each node. */
interface OrderedPattern {
  readonly node: Pattern;
  readonly operands: readonly (OrderedPattern | PatternLeaf)[];
}

/** A compiled variant of a rule: one option of its opcode lists, with one order of the operands. */
export interface RuleVariant extends RuleVariantKey {
  /** The index of the row. */
  readonly rule: number;
  /** The compiled replacement; null if a function applies the rule. */
  readonly plan: ReplacementPlan | null;
  readonly code: readonly number[];
}

const EVERY_TYPE = -1;

/** Returns the variants of a row, the written order first. */
export function compileRule(rule: Rule, index: number): RuleVariant[] {
  const variants: RuleVariant[] = [];
  const nodes: Pattern[] = [];
  collectNodes(rule.match, nodes);
  assert(
    NODE_REGISTER + nodes.length <= REGISTER_COUNT,
    () => `the pattern of ${rule.name} needs more than ${REGISTER_COUNT} registers`,
  );
  let types = EVERY_TYPE;
  if (rule.over !== undefined) {
    types = 0;
    for (const name of rule.over) types |= 1 << typeOfName(name);
  }
  const count = optionCount(rule.match);
  for (let option = 0; option < count; option++) {
    const plan = rule.give === undefined ? null : compileGiven(rule.give, nodes, option);
    for (const order of ordersOf(rule.match, option, rule.inOrder === true)) {
      const code: number[] = [];
      emit(order, ROOT_REGISTER, nodes, option, new Set(), code);
      variants.push({
        rule: index,
        opcode: namedOpcode(rule.match[0], option),
        plan,
        firstNeed: needOf(order.operands[0], option),
        secondNeed: needOf(order.operands[1], option),
        types,
        code,
      });
    }
  }
  return variants;
}

function namedOpcode(opcodes: Opcodes, option: number): Opcode {
  const opcode = opcodeNamed(opcodeAt(opcodes, option));
  assert(opcode !== null, () => `no opcode at ${option} of ${opcodes}`);
  return opcode;
}

const nodeRegister = (nodes: readonly Pattern[], node: Pattern): number =>
  NODE_REGISTER + nodes.indexOf(node);

// Collects the nodes in preorder, without the root.
function collectNodes(pattern: Pattern, nodes: Pattern[]): void {
  for (const term of operandsOf(pattern)) {
    if (!isPattern(term)) continue;
    nodes.push(term);
    collectNodes(term, nodes);
  }
}

function ordersOf(pattern: Pattern, option: number, inOrder: boolean): OrderedPattern[] {
  let rows: (OrderedPattern | PatternLeaf)[][] = [[]];
  const terms = operandsOf(pattern);
  for (const term of terms) {
    const choices = isPattern(term) ? ordersOf(term, option, inOrder) : [term];
    rows = rows.flatMap((row) => choices.map((choice) => [...row, choice]));
  }
  const commutes = COMMUTES[namedOpcode(pattern[0], option)] === 1 && !inOrder;
  const isAlike = terms.length > 1 && showTerm(terms[0], option) === showTerm(terms[1], option);
  const orders = rows.map((operands) => ({ node: pattern, operands }));
  if (!commutes || isAlike) return orders;
  return orders.concat(rows.map((row) => ({ node: pattern, operands: row.toReversed() })));
}

const isOrderedPattern = (term: OrderedPattern | PatternLeaf): term is OrderedPattern =>
  typeof term === "object" && "node" in term;

function emit(
  order: OrderedPattern,
  parent: number,
  nodes: readonly Pattern[],
  option: number,
  seen: Set<PatternVariable>,
  code: number[],
): void {
  order.operands.forEach((term, i) => {
    if (isOrderedPattern(term)) {
      const register = nodeRegister(nodes, term.node);
      code.push(NODE, parent, i, namedOpcode(term.node[0], option), register, 0);
      emit(term, register, nodes, option, seen, code);
    } else if (isVariable(term)) {
      const kinds = bindsConstant(term) ? [CONSTANT, SAME_CONSTANT] : [BIND, SAME];
      code.push(kinds[seen.has(term) ? 1 : 0], parent, i, registerOf(term), 0, 0);
      seen.add(term);
    } else if (typeof term === "number") {
      code.push(INTEGER, parent, i, term | 0, term < 0 ? -1 : 0, 0);
    } else {
      code.push(FLOATING, parent, i, term.float, ...term.double);
    }
  });
}

function needOf(term: OrderedPattern | PatternLeaf | undefined, option: number): number {
  if (term === undefined) return ANYTHING;
  if (isOrderedPattern(term)) return namedOpcode(term.node[0], option);
  if (isVariable(term)) return bindsConstant(term) ? ANY_CONSTANT : ANYTHING;
  return typeof term === "number" ? INTEGER_CONSTANT : FLOAT_CONSTANT;
}

function compileGiven(
  given: Replacement | typeof NOTHING,
  nodes: readonly Pattern[],
  option: number,
): ReplacementPlan {
  if (given === NOTHING) return { kind: "nothing" };
  if (isVariable(given)) return { kind: "register", register: registerOf(given) };
  if (typeof given === "number") return { kind: "integer", integer: given };
  if (!isGivenPattern(given)) {
    if (!("compute" in given)) return { kind: "float", float: given };
    const register = given.from === null ? ROOT_REGISTER : registerOf(given.from);
    return { kind: "computed", computed: given, register };
  }
  const text = showTerm(given, option);
  const same = nodes.find((node) => showTerm(node, option) === text);
  if (same !== undefined) return { kind: "register", register: nodeRegister(nodes, same) };
  const operands = givenOperandsOf(given).map((term) => compileGiven(term, nodes, option));
  return { kind: "node", opcode: namedOpcode(given[0], option), operands };
}
