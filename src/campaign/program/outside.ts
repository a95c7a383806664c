// Programs from outside: parents that a user names, such as imported WebAssembly. A lineage names
// each by a hash of its text (`o3fa9c1d2e4b5`). A report that contains the text is therefore
// complete.

import { createHash } from "node:crypto";
import type { Program } from "../../generate/generate-program.js";
import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { ParseError } from "../../ir/text/lexer.js";
import { parseModule } from "../../ir/text/parse.js";
import { printModule } from "../../ir/text/print.js";
import { printInput, runLines } from "../../ir/text/run-line.js";
import { SeedSource } from "../../support/source.js";

/** The user's programs (`--outside`), by name. */
export type OutsidePrograms = ReadonlyMap<string, Program>;
export const NO_OUTSIDE: OutsidePrograms = new Map();

const DIGITS = 12;
export const isOutsideName = (text: string): boolean => /^[0-9a-f]{12}$/.test(text);

const nameOfText = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, DIGITS);

/** Returns the canonical text of a program and its inputs, independent of its file. */
export const textOfOutside = (module: Module, inputs: readonly Input[]): string =>
  `${printModule(module)}\n${inputs.map((input) => `; run: ${printInput(module, input)}\n`).join("")}`;

/**
 * Parses programs.
 * @param texts as `textOfOutside` returns them
 */
export function readOutside(texts: readonly string[] = []): OutsidePrograms {
  return new Map(
    texts.map((text) => {
      const module = parseModule(text);
      const inputs = runLines(text, module).map(({ input }) => input);
      return [nameOfText(text), { module, inputs, made: [] }];
    }),
  );
}

/**
 * Checks texts from another machine. Returns an error, or null if `textOfOutside` reproduces each
 * text.
 */
export function outsideFault(texts: readonly string[] = []): string | null {
  for (const [t, text] of texts.entries()) {
    const fault = faultIn(text);
    if (fault !== null) return `program ${t + 1} of ${texts.length} from outside: ${fault}`;
  }
  return null;
}

function faultIn(text: string): string | null {
  try {
    const module = parseModule(text);
    const inputs = runLines(text, module).map(({ input }) => input);
    if (inputs.length === 0) return "has no line '; run: ...'";
    return textOfOutside(module, inputs) === text
      ? null
      : "the text differs from the text that this build prints for the program";
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

/** Returns the lineage steps of programs, sorted, so that the order of files does not matter. */
export const outsideSteps = (texts: readonly string[] = []): readonly string[] =>
  texts.map((text) => `o${nameOfText(text)}`).sort();

/**
 * Draws one of the steps by a seed: the parent in the profile `mutated`, if there are programs from
 * outside.
 */
export function drawOutside(steps: readonly string[], seed: bigint): string {
  if (steps.length === 0) return "";
  return steps[new SeedSource(seed, "outside").below(steps.length)];
}

/** Returns the texts of those programs that parents name, by file name. */
export const outsideFiles = (
  texts: readonly string[] = [],
  parents: string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    texts
      .filter((text) => parents.split(",").includes(`o${nameOfText(text)}`))
      .map((text) => [`outside-${nameOfText(text)}.ir`, text]),
  );
