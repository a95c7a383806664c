// Provides generated programs for fast-check, shrunk by their choices. For tests only.

import { printModule } from "../ir/text/print.js";
import { printInput } from "../ir/text/run-line.js";
import { ChoiceArb } from "../support/choice-arb.js";
import { generateProgram, type Program } from "./generate-program.js";
import type { GeneratorProfile } from "./maker/odds.js";
import type { PatternRule } from "./maker/patterns.js";

/** Returns text that the parser reads, with each input on a line of its own. */
export const printProgram = ({ module, inputs }: Program): string =>
  `\n${printModule(module)}\n${inputs.map((input) => `; run: ${printInput(module, input)}\n`).join("")}`;

/**
 * Returns a fast-check arbitrary of random programs.
 * @param patterns rules of an optimizer to instantiate
 */
export const programs = (
  profile: GeneratorProfile = {},
  patterns: readonly PatternRule[] = [],
): ChoiceArb<Program> =>
  new ChoiceArb<Program>(
    (source) => generateProgram(source, profile, source, patterns),
    printProgram,
  );
