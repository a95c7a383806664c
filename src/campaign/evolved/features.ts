// Computes the features of a judged program: its coverage, as small integers. All features are
// derived from the tables of the compiler at load time; their names are only for people.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { ProgramResult } from "../../compare/judge-program.js";
import { EFFECTS, EXITS } from "../../ir/opcodes.js";
import type { Outcome } from "../../ir/outcome.js";
import type { Module, Value } from "../../ir/procedure.js";
import { APPLICABLE } from "../count/applied.js";
import { COUNTER_KINDS } from "../count/counters.js";
import { COUNT } from "../file/shapes.js";
import { formsOf, STATIC_FORMS } from "./exit-forms.js";

interface FeatureRange {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

const RULES = APPLICABLE.rules;
const exitName = (form: string): string => `exit: ${form}`;

const SINGLE: readonly { readonly name: string; readonly names: readonly string[] }[] = [
  { name: "rules", names: RULES }, // first, so that the index of a rule is its feature
  { name: "phases", names: APPLICABLE.phases },
  ...COUNTER_KINDS,
  { name: "forms of exits taken", names: STATIC_FORMS.map(exitName) },
];
const NAMES = SINGLE.flatMap(({ names }) => names);
const FEATURES: ReadonlyMap<string, number> = new Map(NAMES.map((name, f) => [name, f]));

/**
 * The number of the first feature that stands for a pair of rules: both were applied to one
 * program.
 */
const PAIRS = NAMES.length;
const pairOf = (rule: number, earlier: number): number => PAIRS + (rule * (rule - 1)) / 2 + earlier;
export const FEATURE_COUNT = pairOf(RULES.length, 0);
export const FEATURE_LIST = z.array(COUNT.max(FEATURE_COUNT - 1));

/** Ranges of features, in order. */
export const FEATURE_KINDS: readonly FeatureRange[] = kindsOf();

function kindsOf(): FeatureRange[] {
  let begin = 0;
  const kinds = SINGLE.map(({ name, names }): FeatureRange => {
    begin += names.length;
    return { name, begin: begin - names.length, end: begin };
  });
  return [...kinds, { name: "pairs of rules", begin: PAIRS, end: FEATURE_COUNT }];
}

/**
 * A hash of the names of all features: it changes when the number of a feature changes its meaning.
 */
export const featuresVersion: string = createHash("sha256")
  .update(NAMES.join("\n"))
  .digest("hex")
  .slice(0, 16);

export function nameOfFeature(feature: number): string {
  if (feature < PAIRS) return NAMES[feature];
  let rule = 1;
  while (pairOf(rule + 1, 0) <= feature) rule++;
  return `${RULES[rule]} and ${RULES[feature - pairOf(rule, 0)]}`;
}

/** Returns each feature once, in no particular order. */
export function featuresOf(
  module: Module,
  { applied, results, expected }: ProgramResult,
): number[] {
  const found = new Set<number>();
  for (const name of applied) addNamed(found, name);
  const rules = [...found].filter((feature) => feature < RULES.length).sort((a, b) => a - b);
  for (const { counts } of results) {
    for (const name of counts?.events ?? []) addNamed(found, name);
  }
  addExits(found, module, expected);
  for (let r = 0; r < rules.length; r++) {
    for (let e = 0; e < r; e++) found.add(pairOf(rules[r], rules[e]));
  }
  return [...found];
}

/** Returns the features that are not common. */
export const uncommonIn = (module: Module, result: ProgramResult, common: Uint8Array): number[] =>
  featuresOf(module, result).filter((feature) => common[feature] === 0);

/** Returns the number of values in all procedures. */
export function sizeOf({ procedures }: Module): number {
  let size = 0;
  for (const { blocks } of procedures) for (const { values } of blocks) size += values.length;
  return size;
}

// Adds a feature by name. Phases that always run, and names in no table, cover nothing.
function addNamed(found: Set<number>, name: string): void {
  const feature = FEATURES.get(name);
  if (feature !== undefined) found.add(feature);
}

// Adds the forms of taken exits. An outcome contains the exit but not the guard: all guards that
// share an exit count.
function addExits(found: Set<number>, module: Module, expected: readonly Outcome[]): void {
  const taken = new Set<number>();
  for (const outcome of expected) addTaken(taken, outcome);
  if (taken.size === 0) return;
  for (const { blocks } of module.procedures) {
    const values: Value[] = blocks.flatMap((block) => block.values);
    for (const value of values) {
      if ((EFFECTS[value.opcode] & EXITS) === 0 || !taken.has(value.snapshot.exit)) continue;
      for (const form of formsOf(module, value, values)) addNamed(found, exitName(form));
    }
  }
}

function addTaken(taken: Set<number>, { ending, calleeExits }: Outcome): void {
  for (const callee of calleeExits ?? []) addTakenBy(taken, callee.ending);
  if (ending.kind === "exit") addTakenBy(taken, ending);
}

function addTakenBy(taken: Set<number>, { exit, resumed }: ExitEnding): void {
  taken.add(exit);
  for (const outcome of resumed) addTaken(taken, outcome);
}
type ExitEnding = Extract<Outcome["ending"], { kind: "exit" }>;
