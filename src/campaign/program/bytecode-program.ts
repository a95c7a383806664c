// The profile `bytecode`: random bytecode as a program, with the plain interpreter as a second
// implementation.

import { generateCode } from "../../bytecode/generate-code.js";
import { codeOf, moduleOf, rememberCode } from "../../bytecode/interpreter-module.js";
import { endsWithin, plainDifference } from "../../bytecode/plain-difference.js";
import type { Program } from "../../generate/generate-program.js";
import { isJudged, type Outcome } from "../../ir/outcome.js";
import { InternalError } from "../../support/assert.js";
import { SeedSource } from "../../support/source.js";

/**
 * The largest number of words that an input may execute. Each costs some dozens of values in the
 * oracle, and more if it is traced. The few programs that execute more take seconds with each
 * subject.
 */
const WORDS_MAX = 8000;

export function bytecodeProgram(seed: bigint): Program {
  const source = new SeedSource(seed, "bytecode");
  for (;;) {
    const { code, inputs } = generateCode(source);
    if (!inputs.every((input) => endsWithin(code, input, WORDS_MAX))) continue;
    const module = moduleOf(code);
    rememberCode(module, code);
    return { module, inputs: [...inputs], made: [] };
  }
}

/**
 * Compares the oracle, which interprets the interpreter, with the plain interpreter.
 * @param expected the oracle's outcomes, by input
 * @throws InternalError if they differ
 */
export function checkPlain({ module, inputs }: Program, expected: readonly Outcome[]): void {
  const code = codeOf(module);
  if (code === null)
    throw new InternalError("the module of a bytecode program has no bytecode", {
      what: "bytecode",
    });
  inputs.forEach((input, i) => {
    const outcome = expected[i];
    const difference = isJudged(outcome) ? plainDifference(code, input, outcome) : null;
    if (difference === null) return;
    throw new InternalError(`the plain interpreter differs: ${difference}`, { what: "bytecode" });
  });
}
