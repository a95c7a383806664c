// Makes classical mutants of the compiler's sources: an operator swapped, a statement dropped, a
// constant changed or off by one, two arguments swapped, a condition negated. The TypeScript parser
// finds the mutable code; the mutants are drawn.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isIfStatement,
  isImportDeclaration,
  isNumericLiteral,
  isPrefixUnaryExpression,
  isTypeAliasDeclaration,
  isWhileStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { assert } from "../../../src/support/assert.js";
import { SeedSource } from "../../../src/support/source.js";

/** A part of a file's text, from one offset to before another. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A binary operator and its replacement. Both can be evaluated on the same operand values. */
interface OperatorSwap {
  readonly left: TextRange;
  readonly right: TextRange;
  readonly plain: string;
  readonly swapped: string;
}

/** A range of a file and its replacement. */
export interface Mutant extends TextRange {
  /** Unique; depends only on the location and its text. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  readonly before: string;
  readonly after: string;
  readonly form: MutantForm;
  /** The swapped operator; null unless the mutant swaps a binary operator. */
  readonly binary: OperatorSwap | null;
}

/**
 * The form of the replaced range: an expression, a statement that is dropped, a block, or no text, at
 * which declarations are inserted.
 */
export type MutantForm = "expression" | "dropped" | "block" | "inserted";

interface NodeReplacement {
  readonly operator: string;
  readonly node: Node;
  readonly after: string;
  readonly swapped?: string;
}

const SWAPPED: Readonly<Record<string, readonly string[]>> = {
  "+": ["-"],
  "-": ["+"],
  "*": ["+"],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&"],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<", ">>>"],
  ">>>": [">>"],
};

/**
 * Operators that may not evaluate their right operand, or whose replacement always has another
 * result.
 */
const WITHOUT_VALUES: ReadonlySet<string> = new Set(["&&", "||", "===", "!=="]);

const STATEMENT_DROPPED = "statement dropped";

/** The mutations of one node: a function for each kind. */
const OPERATORS: readonly ((node: Node, text: (node: Node) => string) => NodeReplacement[])[] = [
  (node, text) => {
    if (!isBinaryExpression(node)) return [];
    const { left, operatorToken, right } = node;
    return (SWAPPED[text(operatorToken)] ?? []).map((swapped) => ({
      operator: "operator swapped",
      node,
      after: `${text(left)} ${swapped} ${text(right)}`,
      swapped,
    }));
  },
  (node, text) => {
    const isCondition = isIfStatement(node) || isWhileStatement(node) ? node.expression : null;
    const condition = isCondition ?? (isConditionalExpression(node) ? node.condition : null);
    if (condition === null) return [];
    return [{ operator: "condition negated", node: condition, after: `!(${text(condition)})` }];
  },
  (node, text) => {
    if (!isPrefixUnaryExpression(node) || node.operator !== SyntaxKind.ExclamationToken) return [];
    return [{ operator: "condition negated", node, after: text(node.operand) }];
  },
  (node, text) => {
    if (!isCallExpression(node) || node.arguments.length < 2) return [];
    // With optional chaining the call may be skipped, including its arguments.
    if (text(node.expression).includes("?.")) return [];
    const [first, second, ...rest] = [...node.arguments].map(text);
    const after = `${text(node.expression)}(${[second, first, ...rest].join(", ")})`;
    return first === second ? [] : [{ operator: "arguments swapped", node, after }];
  },
  (node) =>
    isExpressionStatement(node) ? [{ operator: STATEMENT_DROPPED, node, after: "{}" }] : [],
  (node, text) => {
    if (!isNumericLiteral(node) || text(node).includes(".")) return [];
    const operator = "constant changed";
    return [`(${text(node)} + 1)`, `(${text(node)} - 1)`].map((after) => ({
      operator,
      node,
      after,
    }));
  },
];

/**
 * Returns all mutants of the non-test files below the folder, in the order of files and positions.
 */
function mutantsOf(root: string, folder: string): Mutant[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .sort();
  const parser = new API({ cwd: root });
  try {
    const config = join(root, "tsconfig.json");
    const project = parser.updateSnapshot({ openProjects: [config] }).getProject(config);
    assert(project !== undefined, () => `the parser does not open ${config}`);
    return files.flatMap((file) => {
      const source = project.program.getSourceFile(join(root, file));
      assert(source !== undefined, () => `the parser does not give ${file}`);
      return mutantsIn(file, source);
    });
  } finally {
    parser.close();
  }
}

function mutantsIn(file: string, source: SourceFile): Mutant[] {
  const { text: whole } = source;
  const text = (node: Node): string => whole.slice(node.getStart(source), node.end);
  const rangeOf = (node: Node): TextRange => ({ from: node.getStart(source), to: node.end });
  const binaryOf = (node: Node, swapped: string): OperatorSwap | null => {
    if (!isBinaryExpression(node)) return null;
    const plain = text(node.operatorToken);
    if (WITHOUT_VALUES.has(plain)) return null;
    return { left: rangeOf(node.left), right: rangeOf(node.right), plain, swapped };
  };
  const mutants: Mutant[] = [];
  const visit = (node: Node): void => {
    if (isImportDeclaration(node) || isTypeAliasDeclaration(node)) return;
    for (const changes of OPERATORS) {
      for (const { operator, node: changed, after, swapped } of changes(node, text)) {
        const { from, to } = rangeOf(changed);
        const line = whole.slice(0, from).split("\n").length;
        const before = whole.slice(from, to);
        const id = `${file}:${line}: ${oneLine(before)} -> ${oneLine(after)}`;
        const binary = swapped === undefined ? null : binaryOf(changed, swapped);
        const form = operator === STATEMENT_DROPPED ? "dropped" : "expression";
        mutants.push({ id, file, line, operator, from, to, before, after, form, binary });
      }
    }
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return mutants;
}

const SHOWN_MAX = 80;
const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, " ");
  return line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)}...`;
};

/** The cumulative share of drawn mutants, by folder. */
const SHARES = [
  { folder: join("reference", "optimize"), of: 0.6 },
  { folder: "reference", of: 1 },
] as const;

/**
 * Draws mutants, at least half of them in the optimizer. It draws the kind before the position,
 * because there are many more constants than statements. A larger count extends the list of a
 * smaller count.
 */
export function drawMutants(root: string, count: number, seed: bigint): Mutant[] {
  const source = new SeedSource(seed, "mutants");
  const all = mutantsOf(root, "reference");
  const drawn = new Map<string, Mutant>();
  for (let tries = 0; drawn.size < count && tries < 100 * count; tries++) {
    const roll = source.below(100) / 100;
    const { folder } = SHARES.find(({ of }) => roll < of) ?? SHARES[1];
    const here = all.filter(({ file }) => file.startsWith(folder));
    const operators = [...new Set(here.map(({ operator }) => operator))];
    const operator = operators[source.below(operators.length)];
    const list = here.filter((mutant) => mutant.operator === operator);
    const mutant = list[source.below(list.length)];
    drawn.set(mutant.id, mutant);
  }
  return [...drawn.values()];
}

/**
 * Returns the file's text with the mutant. A replaced operator is parenthesized, so that it keeps
 * its operands.
 */
export const mutated = (text: string, { from, to, before, after, binary }: Mutant): string => {
  assert(text.slice(from, to) === before, () => `${before} is missing at its position`);
  const whole = binary === null ? after : `(${after})`;
  return text.slice(0, from) + whole + text.slice(to);
};
