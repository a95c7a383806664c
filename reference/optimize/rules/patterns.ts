// Defines the elements of rules: patterns, literals, side conditions, computed constants.
//
// `match` is a pattern over opcodes. x y z bind any value, c d e bind constants. If a variable
// occurs twice, both occurrences bind the same value (for a constant: equal bits). A number is an
// integer constant, sign-extended to the width of its position. Floats are matched by their bits.
// If a list of opcodes replaces a single one, the row is read once for each position, and all its
// lists advance in step. `give` consists of the same elements. Subterms that it shares with `match`
// are reused, and operations on constants are folded.

import type { OpcodeName } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import type { Type, ValueTypeName } from "../../../src/ir/types.js";
import type { ConstantWords } from "./fold.js";

export const VARIABLES = ["x", "y", "z", "c", "d", "e"] as const;
export type PatternVariable = (typeof VARIABLES)[number];
export type Opcodes = OpcodeName | readonly OpcodeName[];
export type Pattern = readonly [opcode: Opcodes, ...operands: PatternTerm[]];
export type PatternTerm = PatternVariable | number | FloatLiteral | Pattern;
export type Replacement =
  | PatternVariable
  | number
  | FloatLiteral
  | ComputedConstant
  | ReplacementPattern;
type ReplacementPattern = readonly [opcode: Opcodes, ...operands: Replacement[]];

/** A literal of a pattern that is a float, with its bits in both formats. */
export interface FloatLiteral {
  readonly name: string;
  /** The bits of the Float. */
  readonly float: number;
  /** The low and high word of the Double. */
  readonly double: readonly [lo: number, hi: number];
}

/** A constant computed from another one; `type` is the type T of the matched value. */
export interface ComputedConstant {
  readonly name: string;
  readonly from: PatternVariable | null;
  readonly compute: (type: Type, c: Value | null, out: ConstantWords) => void;
}

/** A side condition. `holds` takes the matched value and the values of its variables. */
export interface SideCondition {
  readonly name: string;
  readonly on: readonly PatternVariable[];
  readonly holds: (root: Value, first: Value, second: Value, third: Value) => boolean;
}

interface RuleHead {
  readonly name: string;
  readonly match: Pattern;
  /**
   * The allowed types T of the matched value, if the rule is restricted further than its opcodes.
   */
  readonly over?: readonly ValueTypeName[];
  readonly where?: readonly SideCondition[];
  /** The operands of commutative opcodes are matched only in the written order. */
  readonly inOrder?: true;
  /** The values after the matched value in its block are unreachable. */
  readonly endsBlock?: true;
}

export const NOTHING = null;

/**
 * A rewrite rule. `give` is the replacement; NOTHING removes the value. `apply` is a function for
 * changes that no pattern can express.
 */
export type Rule = RuleHead &
  (
    | { readonly give: Replacement | typeof NOTHING; readonly apply?: never }
    | { readonly apply: (root: Value, x: Value, c: Value) => void; readonly give?: never }
  );

function floatLiteral(name: string, x: number): FloatLiteral {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat32(0, x);
  const float = view.getInt32(0);
  view.setFloat64(0, x);
  return { name, float, double: [view.getInt32(4), view.getInt32(0)] };
}

export const POSITIVE_ZERO = floatLiteral("+0.0", 0);
export const NEGATIVE_ZERO = floatLiteral("-0.0", -0);
export const ONE = floatLiteral("1.0", 1);
export const MINUS_ONE = floatLiteral("-1.0", -1);
export const TWO = floatLiteral("2.0", 2);

export const isPattern = (term: PatternTerm): term is Pattern => Array.isArray(term);
export const isGivenPattern = (term: Replacement): term is ReplacementPattern =>
  Array.isArray(term);
export const isVariable = (term: Replacement): term is PatternVariable => typeof term === "string";
/** True for c, d and e, which bind constants only. */
export const bindsConstant = (variable: PatternVariable): boolean => "cde".includes(variable);

/** Returns the number of options of a row: the length of its lists, or 1 without a list. */
export function optionCount(pattern: Pattern): number {
  if (typeof pattern[0] !== "string") return pattern[0].length;
  for (const term of operandsOf(pattern)) {
    const count = isPattern(term) ? optionCount(term) : 1;
    if (count > 1) return count;
  }
  return 1;
}

/** Returns the opcode of a node in an option of its row. */
export const opcodeAt = (opcodes: Opcodes, option: number): OpcodeName =>
  typeof opcodes === "string" ? opcodes : opcodes[option];

export const operandsOf = ([, ...operands]: Pattern): readonly PatternTerm[] => operands;
export const givenOperandsOf = ([, ...operands]: ReplacementPattern): readonly Replacement[] =>
  operands;

/** Returns the text of a term in an option of its row. Equal terms have equal texts. */
export function showTerm(term: Replacement, option: number): string {
  if (isVariable(term)) return term;
  if (typeof term === "number") return String(term);
  if (!isGivenPattern(term)) {
    return "compute" in term ? `${term.name}(${term.from ?? ""})` : term.name;
  }
  const operands = givenOperandsOf(term).map((operand) => showTerm(operand, option));
  return `${opcodeAt(term[0], option)}(${operands.join(", ")})`;
}
