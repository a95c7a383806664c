// Repeats a stretch: a mutation.

import { copyValue } from "../ir/clone.js";
import type { Value } from "../ir/procedure.js";
import { type MutationInput, pickBlock } from "./mutant.js";
import { operandAt, operandsOf, setOperand } from "./operands.js";
import { pickStretch } from "./stretch.js";

/** Repeats a stretch directly after it; later uses may take either copy. */
export function duplicate(mutant: MutationInput): boolean {
  const { source } = mutant;
  const { proc, block } = pickBlock(mutant);
  const stretch = pickStretch(source, block);
  if (stretch === null) return false;
  const originals = block.values.slice(stretch.from, stretch.to);
  const twins = new Map<Value, Value>();
  const copies = originals.map((value) => {
    const copy = copyValue(proc, value, (operand) => twins.get(operand) ?? operand);
    copy.block = block;
    twins.set(value, copy);
    return copy;
  });
  block.values.splice(stretch.to, 0, ...copies);
  for (const user of block.values.slice(stretch.to + copies.length)) {
    for (const operand of operandsOf(user)) {
      const twin = twins.get(operandAt(operand) ?? user);
      if (twin !== undefined && source.below(2) === 1) setOperand(operand, twin);
    }
  }
  return true;
}
