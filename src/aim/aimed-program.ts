// Which programs have aimed inputs and constants, and which of their inputs are.

import type { Generated, Program } from "../generate/generate-program.js";
import type { Source } from "../support/source.js";
import { aimedInputs } from "./aim.js";
import { moveConstants } from "./aimed-constants.js";

/** Of so many programs one has inputs that are moved: what that costs is a share of all programs. */
const AIMED_OF = 4;
/** Inputs that are replaced: those behind the first, copies of which they become. */
const REPLACED = 5;

/** The program; at times with some of its inputs and constants moved. The same choices move the same. */
export function withAimedInputs(program: Generated, source: Source): Program {
  if (source.below(AIMED_OF) !== 0) return program;
  const { module, inputs } = program;
  const aimed = aimedInputs(module, inputs[0], Math.min(REPLACED, inputs.length - 1), source);
  const moved = aimed.map(({ input }) => input);
  const all = [inputs[0], ...moved, ...inputs.slice(1 + moved.length)];
  moveConstants(program, all[source.below(1 + moved.length)], source);
  return { ...program, inputs: all };
}
