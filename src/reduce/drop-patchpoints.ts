// Edits on patchpoints that end a procedure, and on parameters that are named by their registers.
// Other patchpoints are values like any: they become zero, or one of their operands.

import { Op } from "../ir/opcodes.js";
import { argumentOf } from "../ir/procedure.js";
import { replaceBy } from "../ir/tidy.js";
import type { Candidate } from "./candidate.js";
import type { Edit } from "./schedule.js";

/** Patchpoints that return become a Return of an operand that has the type of the result. */
export const patchpointsToReturn = ({ module }: Candidate): Edit[] => {
  const edits: Edit[] = [];
  for (const { blocks, result } of module.procedures) {
    for (const { last } of blocks) {
      const operand = last.rest?.find(({ type }) => type === result);
      if (last.opcode !== Op.PatchpointReturn || operand === undefined) continue;
      edits.push(() => {
        last.becomesNop();
        last.opcode = Op.Return;
        last.a = operand;
      });
    }
  }
  return edits;
};

/** Registers of arguments become the parameters that they name. */
export const argumentsToParameter = ({ module }: Candidate): Edit[] => {
  const edits: Edit[] = [];
  for (const proc of module.procedures) {
    proc.forEachValue((value) => {
      if (value.opcode !== Op.ArgumentReg) return;
      const parameter = argumentOf(proc, value.type, value.lo);
      if (parameter !== null) edits.push(() => replaceBy(value, parameter));
    });
  }
  return edits;
};
