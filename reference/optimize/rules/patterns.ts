// The words in which rules are written: patterns, literals, side conditions, computed constants.
//
// `match` is a pattern over opcodes; x y z bind any value, c d e bind constants. A variable that
// comes twice stands for one value (a constant: for equal bits). A number is an integer constant of
// the width it meets, sign-extended; floats are matched by their bits. Where a list of opcodes
// stands for one, the row is read once for each position, and all its lists go in step. `give` is
// built from the same words: what it shares with `match` is not built again, and what has only
// constants for operands is folded.

import type { OpcodeName } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import type { Type, ValueTypeName } from "../../../src/ir/types.js";
import type { ConstantWords } from "./fold.js";

export const VARIABLES = ["x", "y", "z", "c", "d", "e"] as const;
export type Variable = (typeof VARIABLES)[number];
export type Opcodes = OpcodeName | readonly OpcodeName[];
export type Pattern = readonly [opcode: Opcodes, ...operands: Term[]];
export type Term = Variable | number | FloatLiteral | Pattern;
export type Given = Variable | number | FloatLiteral | Computed | GivenPattern;
type GivenPattern = readonly [opcode: Opcodes, ...operands: Given[]];

/** One number, by its bits in both formats. */
export interface FloatLiteral {
  readonly name: string;
  /** Bits of the Float. */
  readonly float: number;
  /** Low and high word of the Double. */
  readonly double: readonly [lo: number, hi: number];
}

/** A constant worked out from another; `type` is the type T of the matched value. */
export interface Computed {
  readonly name: string;
  readonly from: Variable | null;
  readonly compute: (type: Type, c: Value | null, out: ConstantWords) => void;
}

/** A side condition: `holds` sees the matched value and what its variables bind. */
export interface Condition {
  readonly name: string;
  readonly on: readonly Variable[];
  readonly holds: (root: Value, first: Value, second: Value, third: Value) => boolean;
}

interface RuleHead {
  readonly name: string;
  readonly match: Pattern;
  /** What T of the matched value may be, where the table of opcodes allows more. */
  readonly over?: readonly ValueTypeName[];
  readonly where?: readonly Condition[];
  /** The operands of commutative opcodes are matched only as they stand. */
  readonly inOrder?: true;
  /** What follows the matched value in its block is never reached. */
  readonly endsBlock?: true;
}

export const NOTHING = null;

/**
 * `give`: the replacement; NOTHING removes the value. `apply`: for what no pattern says, with the
 * reason.
 */
export type Rule = RuleHead &
  (
    | { readonly give: Given | typeof NOTHING; readonly apply?: never }
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

export const isPattern = (term: Term): term is Pattern => Array.isArray(term);
export const isGivenPattern = (term: Given): term is GivenPattern => Array.isArray(term);
export const isVariable = (term: Given): term is Variable => typeof term === "string";
/** c, d and e: they bind constants only. */
export const bindsConstant = (variable: Variable): boolean => "cde".includes(variable);

/** How often the row is read: the length of its lists, 1 without one. */
export function optionCount(pattern: Pattern): number {
  if (typeof pattern[0] !== "string") return pattern[0].length;
  for (const term of operandsOf(pattern)) {
    const count = isPattern(term) ? optionCount(term) : 1;
    if (count > 1) return count;
  }
  return 1;
}

/** The opcode of a node when its row is read for the `option`-th time. */
export const opcodeAt = (opcodes: Opcodes, option: number): OpcodeName =>
  typeof opcodes === "string" ? opcodes : opcodes[option];

export const operandsOf = ([, ...operands]: Pattern): readonly Term[] => operands;
export const givenOperandsOf = ([, ...operands]: GivenPattern): readonly Given[] => operands;

/** The text of a term when its row is read for the `option`-th time: to see what is equal. */
export function showTerm(term: Given, option: number): string {
  if (isVariable(term)) return term;
  if (typeof term === "number") return String(term);
  if (!isGivenPattern(term)) {
    return "compute" in term ? `${term.name}(${term.from ?? ""})` : term.name;
  }
  const operands = givenOperandsOf(term).map((operand) => showTerm(operand, option));
  return `${opcodeAt(term[0], option)}(${operands.join(", ")})`;
}
