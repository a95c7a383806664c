// Reads the patterns of rewrite rules from which the generator creates exact and near-miss
// instances.
//
// The patterns are data (corpus/patterns/rules.json), so a seed names the same program before and
// after a change of the compiler's rules. `node ci/refresh-patterns.mjs` adds the patterns of new
// rules to the file, which changes the version of the generator.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { opcodeNamed } from "../ir/opcodes.js";
import { type Type, typeNamed } from "../ir/types.js";
import { assert } from "../support/assert.js";
import { projectRoot } from "../support/project-root.js";
import type { PatternNode, PatternRule, VariableConstants } from "./maker/patterns.js";

/**
 * The text form of a node: `["Sub:Int32", operand, ...]` for an operation, `"x:Int32"` for a
 * variable, `"c!:Int32"` for a variable that must be a constant, `"#lo,hi:Int32"` for a literal.
 */
export type NodeText = string | readonly [string, ...NodeText[]];

export interface RuleText {
  readonly name: string;
  readonly shapes: readonly {
    readonly root: NodeText;
    /** Words of the constants that satisfy the rule's conditions. */
    readonly taken: readonly VariableConstants[];
  }[];
}

export const PATTERNS_FILE = join("corpus", "patterns", "rules.json");

export const RULE_PATTERNS: readonly PatternRule[] = readPatterns();

function readPatterns(): PatternRule[] {
  const rules: readonly RuleText[] = JSON.parse(
    readFileSync(join(projectRoot(), PATTERNS_FILE), "utf8"),
  );
  return rules.map(({ name, shapes }) => ({
    name,
    shapes: shapes.map(({ root, taken }) => ({ root: nodeOf(root), taken })),
  }));
}

function nodeOf(text: NodeText): PatternNode {
  const [head, ...operands] = typeof text === "string" ? [text] : text;
  const [name, typeName] = head.split(":");
  const type = typeNamed(typeName);
  assert(type !== null, () => `${PATTERNS_FILE}: ${head} has no type`);
  if (typeof text === "string") return leafOf(name, type);
  const opcode = opcodeNamed(name);
  assert(opcode !== null, () => `${PATTERNS_FILE}: no opcode is named ${name}`);
  const rest = { variable: null, isConstant: false, literal: null };
  return { opcode, type, operands: operands.map(nodeOf), ...rest };
}

function leafOf(name: string, type: Type): PatternNode {
  const isLiteral = name.startsWith("#");
  const [lo, hi] = name.slice(1).split(",").map(Number);
  return {
    opcode: null,
    type,
    operands: [],
    variable: isLiteral ? null : name.replace("!", ""),
    isConstant: name.endsWith("!"),
    literal: isLiteral ? [lo, hi] : null,
  };
}
