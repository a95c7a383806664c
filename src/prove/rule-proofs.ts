// Proves the rules of the optimizer. It makes a query for each reading of a row at each choice of
// types, and reuses results of earlier runs.
//
// Proofs are stored by a hash of the whole query (corpus/proofs/rules.json). A changed rule,
// condition or meaning changes the query, so a stored proof always matches its claim.

import { createHash } from "node:crypto";
import { type TypedRule, typedRulesOf } from "../../reference/optimize/rules/instantiate.js";
import type { PatternVariable, Rule } from "../../reference/optimize/rules/patterns.js";
import { ALL_OPCODES, COMMUTES, nameOfOpcode, Op, type OpcodeName } from "../ir/opcodes.js";
import { Int32, nameOfType, Void } from "../ir/types.js";
import {
  NO_HELP,
  NotApplicable,
  NotExpressible,
  type QueryVariation,
  queryOfConditions,
  queryOfRule,
} from "./rule-query.js";
import { bits, equal, extract, type SmtTerm } from "./smt.js";
import type { Solver, SolverAnswer } from "./solver.js";
import type { ConditionContext } from "./symbolic-conditions.js";
import { UnknownToSolver } from "./symbolic-meanings.js";
import { integerOf, type SymbolicValue, widthOf } from "./symbolic-value.js";

/** A rule that is excluded from the proofs, with the reason. */
interface ExcludedRule {
  readonly rule: string;
  /** The opcode for which alone the rule is excluded; absent: for all. */
  readonly opcode?: OpcodeName;
  readonly because: string;
}

const DOUBLE_ROUNDING =
  "rounding twice is beyond the solver at these widths: Figueroa, When is double rounding innocuous? (1995)";

const SCALING =
  "too hard for the solver: x / c and x * (1 / c) round one real number once, since 1 / c is exact";

const EXACT_PRODUCT =
  "too hard for the solver: fused and not, one real number is rounded once, since the product is exact, or the sum is";

const WIDE_PRODUCT =
  "too hard for the solver: a product of two 32-bit integers is at most 2^62 in size, and fits 64 bits";

/** The rules that are excluded from the proofs. The tests print this list, and it may not grow. */
// biome-ignore format: a table
const EXCLUDED: readonly ExcludedRule[] = [
  { rule: "narrow-arithmetic", because: DOUBLE_ROUNDING },
  { rule: "narrow-unary",      because: DOUBLE_ROUNDING },
  { rule: "div-power-of-two",  because: SCALING },
  { rule: "fused-one",         because: EXACT_PRODUCT },
  { rule: "fused-minus-one",   because: EXACT_PRODUCT },
  { rule: "fused-minus-zero",  because: EXACT_PRODUCT },
  { rule: "overflow-of-sext",  because: WIDE_PRODUCT, opcode: "MulOverflows" },
  { rule: "check-of-sext",     because: WIDE_PRODUCT, opcode: "CheckMul" },
];

export interface RuleClaim {
  /**
   * The name of the rule; if it makes several claims, with the reading and the types of its
   * variables.
   */
  readonly name: string;
  readonly shape: TypedRule;
  /** The solver query; null if the claim is excluded. */
  readonly question: string | null;
  readonly hash: string;
  /** The reason why the claim is excluded; null if it is not. */
  readonly excluded: string | null;
}

export type ProofResult = "proved" | "refuted" | "unknown";

/** The claims that an opcode commutes, as rules. Other rules rely on them. */
export const COMMUTATIONS: readonly Rule[] = ALL_OPCODES.filter(
  (opcode) => COMMUTES[opcode] === 1,
).map((opcode) => ({
  name: `commutes-${nameOfOpcode(opcode)}`,
  match: [nameOfOpcode(opcode), "x", "y"],
  give: [nameOfOpcode(opcode), "y", "x"],
  inOrder: true,
}));

/** Returns every claim about the rules, in the order of the rows. */
export const instancesOf = (rules: readonly Rule[]): RuleClaim[] =>
  rules.flatMap((rule) => typedRulesOf(rule).flatMap(instanceOf));

function instanceOf(shape: TypedRule): RuleClaim[] {
  const name = nameOf(shape);
  const excludedBy = EXCLUDED.find(
    ({ rule, opcode }) =>
      rule === shape.rule.name && (opcode === undefined || Op[opcode] === shape.root.opcode),
  );
  if (excludedBy !== undefined) {
    return [{ name, shape, question: null, hash: "", excluded: excludedBy.because }];
  }
  try {
    const question = queryOfRule(shape);
    const hash = createHash("sha256").update(question).digest("hex").slice(0, HASH_DIGITS);
    return [{ name, shape, question, hash, excluded: null }];
  } catch (error) {
    if (error instanceof NotApplicable) return [];
    if (!(error instanceof NotExpressible || error instanceof UnknownToSolver)) throw error;
    return [{ name, shape, question: null, hash: "", excluded: error.message }];
  }
}

const HASH_DIGITS = 24;

function nameOf({ rule, option, types, root }: TypedRule): string {
  const bound = Object.entries(types).filter(([, type]) => type !== Void);
  const typed = bound.map(([variable, type]) => `${variable}: ${nameOfType(type)}`);
  const opcode = root.opcode === null ? "" : nameOfOpcode(root.opcode);
  return `${rule.name}, reading ${option} (${opcode}; ${typed.join(", ")})`;
}

/**
 * Returns whether the rule's conditions hold for some constants at some types. Returns true if the
 * solver cannot express them.
 */
export async function canApply(rule: Rule, solver: Solver): Promise<boolean> {
  for (const shape of typedRulesOf(rule)) {
    const question = queryOrNull(() => queryOfConditions(shape));
    if (question === undefined) return true;
    if (question === null) continue;
    if ((await solver.ask(question, LIMITS.question)) === "sat") return true;
  }
  return false;
}

/**
 * Returns null at types at which a condition never holds, and undefined if the solver cannot
 * express the query.
 */
function queryOrNull(make: () => string): string | null | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotApplicable) return null;
    if (error instanceof NotExpressible || error instanceof UnknownToSolver) return undefined;
    throw error;
  }
}

/** Limits in seconds for one query, and for each case of a split query. */
interface QueryLimits {
  readonly question: number;
  readonly each: number;
}

export const LIMITS: QueryLimits = { question: 60, each: 60 };
/**
 * The first time limit of a query, in seconds. A query that needs more is reworded before it gets
 * more time.
 */
const FIRST_SECONDS = 3;

/** Solves the query with a short limit, then with help, and then with the full limit. */
export async function prove(
  { shape, question }: RuleClaim,
  solver: Solver,
  limits: QueryLimits = LIMITS,
): Promise<ProofResult> {
  if (question === null) return "unknown";
  const first = await solver.ask(question, Math.min(FIRST_SECONDS, limits.question));
  if (first !== "unknown") return resultOf(first);
  for (const cases of splitsOf(shape)) {
    if (await holdsInAll(shape, cases, solver, limits)) return "proved";
  }
  return resultOf(await solver.ask(question, limits.question));
}

const resultOf = (answer: SolverAnswer): ProofResult =>
  answer === "unsat" ? "proved" : answer === "sat" ? "refuted" : "unknown";

async function holdsInAll(
  shape: TypedRule,
  cases: readonly QueryVariation[],
  solver: Solver,
  limits: QueryLimits,
): Promise<boolean> {
  const questions = cases.map((help) => queryOfRule(shape, help));
  // Give up if the other wording does not change this query.
  if (questions.includes(queryOfRule(shape))) return false;
  for (const question of questions) {
    const answer = await solver.ask(question, limits.each);
    // With an uninterpreted function, a counterexample may be invalid for the real operation.
    if (answer !== "unsat") return false;
  }
  return true;
}

type OperandAssumption = (value: SymbolicValue, place: ConditionContext) => SmtTerm;

/**
 * Returns ways to split a query into easier ones. Each way is a list of cases that cover
 * everything.
 */
function splitsOf(shape: TypedRule): (readonly QueryVariation[])[] {
  const ways: (readonly QueryVariation[])[] = [
    [{ ...NO_HELP, wording: { hasUnknownFunctions: true } }],
  ];
  const of = (name: string): readonly PatternVariable[] =>
    (shape.rule.where ?? []).find((condition) => condition.name.startsWith(name))?.on ?? [];
  const [power] = [...of("isPowerOfTwo"), ...of("isPositivePowerOfTwo")];
  if (power !== undefined) ways.push(splitBy(shape, power, isPowerOfTwo));
  if (shape.types.c === Int32) ways.push(splitBy(shape, "c", hasCount));
  return ways;
}

function splitBy(
  shape: TypedRule,
  variable: PatternVariable,
  assume: (k: number) => OperandAssumption,
): readonly QueryVariation[] {
  const count = Math.max(widthOf(shape.types[variable]), widthOf(shape.types.x));
  return Array.from({ length: count }, (_, k) => ({
    ...NO_HELP,
    assumed: new Map([[variable, assume(k)]]),
  }));
}

/** Assumes that the constant is 2^k. */
const isPowerOfTwo =
  (k: number): OperandAssumption =>
  (value) =>
    equal(integerOf(value), bits(widthOf(value.type), 1n << BigInt(k)));

/** Assumes that the low six bits of a count are k. */
const hasCount =
  (k: number): OperandAssumption =>
  (value) =>
    equal(extract(5, 0, integerOf(value)), `#b${k.toString(2).padStart(6, "0")}`);
