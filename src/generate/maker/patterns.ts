// Patterns of rewrite rules as the generator takes them: trees with types.

import type { Opcode } from "../../ir/opcodes.js";
import type { Type } from "../../ir/types.js";
import type { Words } from "../../ir/words.js";

/** An operation, a variable, or a literal. */
export interface PatternNode {
  /** Null: a leaf. */
  readonly opcode: Opcode | null;
  readonly type: Type;
  readonly operands: readonly PatternNode[];
  /** Of a leaf that is no literal. */
  readonly variable: string | null;
  /** The variable stands for constants only. */
  readonly isConstant: boolean;
  /** Of a literal. */
  readonly literal: Words | null;
}

/** Words for each variable that must be a constant. */
export type Choice = Readonly<Record<string, Words>>;

/** One rule at one choice of types. */
export interface PatternShape {
  readonly root: PatternNode;
  /** Operands that satisfy the rule's conditions, as far as some are known. */
  readonly taken: readonly Choice[];
}

export interface PatternRule {
  readonly name: string;
  /** All readings, at all types. */
  readonly shapes: readonly PatternShape[];
}
