// A program under reduction, and its size.

import { cloneModule } from "../ir/clone.js";
import { Op } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import { CONSTANT_OPCODES, type Module, type Procedure } from "../ir/procedure.js";

/** A program and what it is called with. */
export interface Candidate {
  readonly module: Module;
  inputs: Input[];
}

/** A copy that an edit may change. */
export function cloneCandidate({ module, inputs }: Candidate): Candidate {
  return { module: cloneModule(module), inputs: inputs.slice() };
}

/** Values in blocks and exit blocks, and parameters. */
export function valueCountOf(proc: Procedure): number {
  let count = proc.parameters.length;
  proc.forEachValue(() => count++);
  return count;
}

/** Of all procedures. */
export const valueCount = ({ procedures }: Module): number =>
  procedures.reduce((sum, proc) => sum + valueCountOf(proc), 0);

/** Values that are more than parameters, constants and returns: what a reader has to understand. */
export function coreSize({ procedures }: Module): number {
  let count = 0;
  for (const proc of procedures) {
    proc.forEachValue(({ opcode }) => {
      if (opcode !== Op.Return && !CONSTANT_OPCODES.includes(opcode)) count++;
    });
  }
  return count;
}
