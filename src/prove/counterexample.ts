// Converts the solver's counterexample to a runnable program: the pattern of the rule with the
// found constants, and an input with the found operands. The oracle confirms the difference by
// running the program before and after the rule.

import {
  type ConstantChoice,
  instantiate,
  type TypedRule,
  valueVariablesOf,
} from "../../reference/optimize/rules/instantiate.js";
import { optimize } from "../../reference/optimize.js";
import { type Input, isJudged, type Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { printOutcome } from "../ir/text/run-line.js";
import { Void } from "../ir/types.js";
import { type WordPair, wideWords } from "../ir/words.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import type { Solver } from "./solver.js";

interface Counterexample {
  readonly module: Module;
  readonly input: Input;
  /** The oracle's outcomes for the program, and for the program after the rule. */
  readonly expected: Outcome;
  readonly got: Outcome;
}

/**
 * Returns null if the solver finds no counterexample in time, or if the oracle sees no difference.
 * In the latter case, the solver's meaning of some opcode differs from the oracle's.
 */
export async function counterexampleOf(
  shape: TypedRule,
  question: string,
  solver: Solver,
  secondsMax: number,
): Promise<Counterexample | null> {
  const bound = Object.entries(shape.types).filter(([, type]) => type !== Void);
  const names = bound.map(([name]) => name);
  // Inputs of programs contain no open NaN, so the first query excludes them.
  const closed = names
    .map((name) => `${name}IsOpen`)
    .filter((name) => question.includes(`(declare-const ${name} `))
    .map((name) => `(assert (not ${name}))\n`)
    .join("");
  const values = await solver.counterexample(`${question}${closed}`, names, secondsMax);
  if (values === null) return null;
  const wordsOf = (name: string): WordPair => wordsOfLiteral(values.get(name) ?? "#x0");
  const choose: ConstantChoice = (place, _type, literal) => literal ?? wordsOf(String(place));
  const make = (): Module => instantiate(shape, choose).module;
  const words = valueVariablesOf(shape).flatMap(wordsOf);
  const input: Input = { words: Int32Array.from(words), heapSeed: 0 };
  const module = make();
  const changed = make();
  optimize(changed, { level: "O1", rules: [shape.rule], phases: ["reduce-strength"] });
  const [expected, got] = [module, changed].map((program) =>
    new Oracle().run(decodeModule(program), input, DEFAULT_FUEL),
  );
  if (!isJudged(expected) || printOutcome(expected) === printOutcome(got)) return null;
  return { module, input, expected, got };
}

/** Splits `#x...` into the low and the high word. */
function wordsOfLiteral(literal: string): WordPair {
  return wideWords(BigInt(literal.replace("#", "0")));
}
