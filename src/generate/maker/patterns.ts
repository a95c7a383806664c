// Declares patterns of rewrite rules in the form of the generator: typed trees.

import type { Opcode } from "../../ir/opcodes.js";
import type { Type } from "../../ir/types.js";
import type { WordPair } from "../../ir/words.js";

/** An operation, a variable, or a literal. */
export interface PatternNode {
  /** The opcode of an operation; null for a leaf. */
  readonly opcode: Opcode | null;
  readonly type: Type;
  readonly operands: readonly PatternNode[];
  /** The name of a leaf that is not a literal. */
  readonly variable: string | null;
  /** Whether the variable represents only constants. */
  readonly isConstant: boolean;
  /** The words of a literal. */
  readonly literal: WordPair | null;
}

/** Words for each variable that must be a constant. */
export type VariableConstants = Readonly<Record<string, WordPair>>;

/** The pattern of one rule with one choice of types. */
export interface PatternShape {
  readonly root: PatternNode;
  /** Known operands that satisfy the rule's conditions. */
  readonly taken: readonly VariableConstants[];
}

export interface PatternRule {
  readonly name: string;
  /** All forms of the rule, at all types. */
  readonly shapes: readonly PatternShape[];
}
