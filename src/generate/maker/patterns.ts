// Patterns of rules that some optimizer looks for, as the generator takes them: trees with types. Who
// knows an optimizer hands them in; the generator knows none.

import type { Opcode } from "../../ir/opcodes.js";
import type { Type } from "../../ir/types.js";
import type { Words } from "./constants.js";

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

/** Words for each variable that stands for constants. */
export type Choice = Readonly<Record<string, Words>>;

/** One reading of a rule at its types. */
export interface PatternShape {
  readonly root: PatternNode;
  /** Choices that the rule takes, as far as some are known. */
  readonly taken: () => readonly Choice[];
}

export interface PatternRule {
  readonly name: string;
  /** Made when they are first asked for. */
  readonly shapes: () => readonly PatternShape[];
}
