import { Op } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";

/** Returns the values that Upsilons give to each Phi. */
export function inputsOfPhis(proc: Procedure): ReadonlyMap<Value, readonly Value[]> {
  const inputs = new Map<Value, Value[]>();
  for (const value of proc.blocks.flatMap(({ values }) => values)) {
    if (value.opcode !== Op.Upsilon || value.a === null) continue;
    inputs.set(value.phi, [...(inputs.get(value.phi) ?? []), value.a]);
  }
  return inputs;
}
