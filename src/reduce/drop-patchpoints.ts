// Lists edits of patchpoints that end a procedure, and of parameters that registers name. Other patchpoints are edited
// like any value: they become zero, or one of their operands.

import { Op } from "../ir/opcodes.js";
import { argumentOf } from "../ir/procedure.js";
import { replaceBy } from "../ir/tidy.js";
import type { Candidate } from "./candidate.js";
import type { CandidateEdit } from "./schedule.js";

/** Lists edits that turn patchpoints that return into a Return of an operand of the result's type. */
export const patchpointsToReturn = ({ module }: Candidate): CandidateEdit[] => {
  const edits: CandidateEdit[] = [];
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

/** Lists edits that replace registers of arguments by their parameters. */
export const argumentsToParameter = ({ module }: Candidate): CandidateEdit[] => {
  const edits: CandidateEdit[] = [];
  for (const proc of module.procedures) {
    proc.forEachValue((value) => {
      if (value.opcode !== Op.ArgumentReg) return;
      const parameter = argumentOf(proc, value.type, value.argumentIndex);
      if (parameter !== null) edits.push(() => replaceBy(value, parameter));
    });
  }
  return edits;
};
