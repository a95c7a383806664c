// Decides which programs get aimed inputs and constants, and which of their inputs are replaced.

import type { GeneratedProgram, Program } from "../generate/generate-program.js";
import type { ChoiceSource } from "../support/source.js";
import { aimedInputs } from "./aim.js";
import { moveConstants } from "./aimed-constants.js";

/** One in this many programs gets moved inputs; the cost is shared by all programs. */
const AIMED_OF = 4;
/** The number of replaced inputs, which follow the first and become moved copies of it. */
const REPLACED = 5;

/**
 * Returns the program, in some cases with moved inputs and constants. The same choices make the
 * same moves.
 */
export function withAimedInputs(program: GeneratedProgram, source: ChoiceSource): Program {
  if (source.below(AIMED_OF) !== 0) return program;
  const { module, inputs } = program;
  const aimed = aimedInputs(module, inputs[0], Math.min(REPLACED, inputs.length - 1), source);
  const moved = aimed.map(({ input }) => input);
  const all = [inputs[0], ...moved, ...inputs.slice(1 + moved.length)];
  moveConstants(program, all[source.below(1 + moved.length)], source);
  return { ...program, inputs: all };
}
