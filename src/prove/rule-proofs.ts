// The rules of the optimizer, proved: a question for each reading of a row at each choice of types,
// and what is known of each from an earlier run.
//
// What was proved is kept by a hash of the whole question (corpus/proofs/rules.json). A changed rule,
// condition or meaning is another question, so a proof never outlives what it was about.

import { createHash } from "node:crypto";
import { type Shape, shapesOf } from "../../reference/optimize/rules/instantiate.js";
import type { Rule, Variable } from "../../reference/optimize/rules/patterns.js";
import { ALL_OPCODES, COMMUTES, nameOfOpcode, Op } from "../ir/opcodes.js";
import { Int32, nameOfType, Void } from "../ir/types.js";
import { EXCLUDED } from "./excluded.js";
import {
  type Help,
  NO_HELP,
  NotApplicable,
  NotAsked,
  queryOfConditions,
  queryOfRule,
} from "./rule-query.js";
import { bits, equal, extract, type Term } from "./smt.js";
import type { Answer, Solver } from "./solver.js";
import type { Place } from "./symbolic-conditions.js";
import { UnknownToSolver } from "./symbolic-meanings.js";
import { integerOf, type SymbolicValue, widthOf } from "./symbolic-value.js";

export interface Instance {
  /** The rule, and where it says more than one thing the reading and the types of its variables. */
  readonly name: string;
  readonly shape: Shape;
  /** The question; null if it is excluded. */
  readonly question: string | null;
  /** Of the question. */
  readonly hash: string;
  /** Why it is excluded; null if it is not. */
  readonly excluded: string | null;
}

export type Result = "proved" | "refuted" | "unknown";

/** That an opcode of the table commutes is a claim like a rule's, and others rely on it. */
export const COMMUTATIONS: readonly Rule[] = ALL_OPCODES.filter(
  (opcode) => COMMUTES[opcode] === 1,
).map((opcode) => ({
  name: `commutes-${nameOfOpcode(opcode)}`,
  match: [nameOfOpcode(opcode), "x", "y"],
  give: [nameOfOpcode(opcode), "y", "x"],
  inOrder: true,
}));

/** Every question about the rules, in the order of the rows. */
export const instancesOf = (rules: readonly Rule[]): Instance[] =>
  rules.flatMap((rule) => shapesOf(rule).flatMap(instanceOf));

function instanceOf(shape: Shape): Instance[] {
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
    if (!(error instanceof NotAsked || error instanceof UnknownToSolver)) throw error;
    return [{ name, shape, question: null, hash: "", excluded: error.message }];
  }
}

const HASH_DIGITS = 24;

function nameOf({ rule, option, types, root }: Shape): string {
  const bound = Object.entries(types).filter(([, type]) => type !== Void);
  const typed = bound.map(([variable, type]) => `${variable}: ${nameOfType(type)}`);
  const opcode = root.opcode === null ? "" : nameOfOpcode(root.opcode);
  return `${rule.name}, reading ${option} (${opcode}; ${typed.join(", ")})`;
}

/** Whether the rule's conditions hold of any constants, at any types; true if the solver has no words. */
export async function canApply(rule: Rule, solver: Solver): Promise<boolean> {
  for (const shape of shapesOf(rule)) {
    const question = wordedOrNull(() => queryOfConditions(shape));
    if (question === undefined) return true;
    if (question === null) continue;
    if ((await solver.ask(question, LIMITS.question)) === "sat") return true;
  }
  return false;
}

/** Null at types at which a condition never holds; undefined where the solver has no words. */
function wordedOrNull(make: () => string): string | null | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotApplicable) return null;
    if (error instanceof NotAsked || error instanceof UnknownToSolver) return undefined;
    throw error;
  }
}

/** Seconds that the solver may take for one question, and for each case of one. */
interface Limits {
  readonly question: number;
  readonly each: number;
}

export const LIMITS: Limits = { question: 60, each: 60 };
/** What is easy is answered at once; what is not is worth a better question first. */
const FIRST_SECONDS = 3;

/** Asks the question as it is, then with help, then as it is and for long. */
export async function prove(
  { shape, question }: Instance,
  solver: Solver,
  limits: Limits = LIMITS,
): Promise<Result> {
  if (question === null) return "unknown";
  const first = await solver.ask(question, Math.min(FIRST_SECONDS, limits.question));
  if (first !== "unknown") return resultOf(first);
  for (const cases of waysOf(shape)) {
    if (await holdsInAll(shape, cases, solver, limits)) return "proved";
  }
  return resultOf(await solver.ask(question, limits.question));
}

const resultOf = (answer: Answer): Result =>
  answer === "unsat" ? "proved" : answer === "sat" ? "refuted" : "unknown";

async function holdsInAll(
  shape: Shape,
  cases: readonly Help[],
  solver: Solver,
  limits: Limits,
): Promise<boolean> {
  const questions = cases.map((help) => queryOfRule(shape, help));
  // Another wording may word nothing of this question otherwise.
  if (questions.includes(queryOfRule(shape))) return false;
  for (const question of questions) {
    const answer = await solver.ask(question, limits.each);
    // With an unknown function a counterexample may be about another function than division.
    if (answer !== "unsat") return false;
  }
  return true;
}

type Assumption = (value: SymbolicValue, place: Place) => Term;

/** Ways to split a question into easier ones, each a list of cases that together are all. */
function waysOf(shape: Shape): (readonly Help[])[] {
  const ways: (readonly Help[])[] = [[{ ...NO_HELP, wording: { hasUnknownFunctions: true } }]];
  const of = (name: string): readonly Variable[] =>
    (shape.rule.where ?? []).find((condition) => condition.name.startsWith(name))?.on ?? [];
  const [power] = [...of("isPowerOfTwo"), ...of("isPositivePowerOfTwo")];
  if (power !== undefined) ways.push(splitBy(shape, power, isPowerOfTwo));
  if (shape.types.c === Int32) ways.push(splitBy(shape, "c", hasCount));
  return ways;
}

function splitBy(
  shape: Shape,
  variable: Variable,
  assume: (k: number) => Assumption,
): readonly Help[] {
  const count = Math.max(widthOf(shape.types[variable]), widthOf(shape.types.x));
  return Array.from({ length: count }, (_, k) => ({
    ...NO_HELP,
    assumed: new Map([[variable, assume(k)]]),
  }));
}

/** The constant is 2^k. */
const isPowerOfTwo =
  (k: number): Assumption =>
  (value) =>
    equal(integerOf(value), bits(widthOf(value.type), 1n << BigInt(k)));

/** The low six bits of a count are k. */
const hasCount =
  (k: number): Assumption =>
  (value) =>
    equal(extract(5, 0, integerOf(value)), `#b${k.toString(2).padStart(6, "0")}`);
