// Finds the results that may be poison, so that the others need no flag in Phis.

import type { LlvmFunction, LlvmInstruction, TypedOperand } from "../../llvm/module.js";

const ALWAYS = new Set(["load", "call", "fptosi", "fptoui", "shl", "lshr", "ashr"]);
const NEVER = new Set(["alloca", "freeze"]);

/** Returns the names of results and parameters that may be poison. */
export function poisonNames({ blocks, parameters }: LlvmFunction): ReadonlySet<string> {
  const names = new Set(parameters.map(({ name }) => name));
  const isPoison = ({ operand }: TypedOperand): boolean =>
    operand.kind === "local"
      ? names.has(operand.name)
      : !/^(?:int|float|null|zero)$/.test(operand.kind);
  const mayBe = ({ opcode, flags, operands }: LlvmInstruction): boolean => {
    if (NEVER.has(opcode)) return false;
    return ALWAYS.has(opcode) || flags.size > 0 || operands.some(isPoison);
  };
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { instructions } of blocks ?? []) {
      for (const instruction of instructions) {
        const { result } = instruction;
        if (result === null || names.has(result) || !mayBe(instruction)) continue;
        names.add(result);
        isNew = true;
      }
    }
  }
  return names;
}
