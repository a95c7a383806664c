// Defines a program under reduction, and its size.

import { cloneModule } from "../ir/clone.js";
import { Op } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import { CONSTANT_OPCODES, type Module, type Procedure } from "../ir/procedure.js";

/** A program and its inputs. */
export interface Candidate {
  readonly module: Module;
  inputs: Input[];
}

/** Returns a copy that an edit may change. */
export function cloneCandidate({ module, inputs }: Candidate): Candidate {
  return { module: cloneModule(module), inputs: inputs.slice() };
}

/** Returns the number of values in blocks and exit blocks, and of parameters. */
export function valueCountOf(proc: Procedure): number {
  let count = proc.parameters.length;
  proc.forEachValue(() => count++);
  return count;
}

export const valueCount = ({ procedures }: Module): number =>
  procedures.reduce((sum, proc) => sum + valueCountOf(proc), 0);

/** Returns the number of values other than parameters, constants and returns: those that a reader has to understand. */
export function coreSize({ procedures }: Module): number {
  let count = 0;
  for (const proc of procedures) {
    proc.forEachValue(({ opcode }) => {
      if (opcode !== Op.Return && !CONSTANT_OPCODES.includes(opcode)) count++;
    });
  }
  return count;
}
