// Which registers have zeroes above a value of 32 bits: those that the defining instruction clears.
// Moves and reloads of an Int32 clear the upper half as well, so a Phi has it clear if all its
// inputs have. Found by assuming it of every Phi and taking back what does not hold.

import { EFFECTS, Op, READS_MEMORY } from "../../src/ir/opcodes.js";
import type { BasicBlock, Value } from "../../src/ir/procedure.js";
import { Int32 } from "../../src/ir/types.js";
import { zeroedBytes } from "../../src/support/program-arrays.js";
import { conditionOf } from "../target/conditions.js";
import { candidateIndex, type Plan } from "../target/plan.js";

/**
 * By value id: 1 if the register has zeroes above 32 bits.
 * @param inPieces by value id: 1 if two registers carry the value
 */
export function zeroExtendedValues(
  order: readonly BasicBlock[],
  plan: Plan,
  inPieces: Uint8Array,
): Uint8Array {
  const isClear = zeroedBytes(inPieces.length);
  const upsilons: Value[] = [];
  for (let b = 0; b < order.length; b++) {
    const { values } = order[b];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value.opcode === Op.Upsilon) {
        if (value.phi.type === Int32) upsilons.push(value);
      } else if (value.type === Int32 && !isHalf(value, inPieces)) {
        isClear[value.id] = clears(value, plan) ? 1 : 0;
      }
    }
  }
  let changed = true;
  while (changed) {
    changed = false; // ends: bits are only taken back
    for (let u = 0; u < upsilons.length; u++) {
      const { a, phi } = upsilons[u];
      if (isClear[phi.id] === 0 || (a !== null && isClear[a.id] !== 0)) continue;
      isClear[phi.id] = 0;
      changed = true;
    }
  }
  return isClear;
}

/** A half of a value in pieces has the register that it was moved to. */
function isHalf({ opcode, a }: Value, inPieces: Uint8Array): boolean {
  const cuts = opcode === Op.Trunc || opcode === Op.TruncHigh;
  return cuts && a !== null && inPieces[a.id] !== 0;
}

function clears(value: Value, plan: Plan): boolean {
  const { opcode, type, a } = value;
  if (opcode === Op.Phi || opcode === Op.Const32) return true;
  if ((EFFECTS[opcode] & READS_MEMORY) !== 0)
    return plan.clearsUpper[candidateIndex(opcode, type)] === 1;
  if (a === null) return false;
  if (conditionOf(opcode, a.type) >= 0) return plan.setClearsUpper;
  if (opcode === Op.Trunc) return isWithinWord(a);
  return plan.clearsUpper[candidateIndex(opcode, a.type)] === 1;
}

/** A value of 64 bits of which a shift has left at most 32, in a register that Trunc takes over. */
function isWithinWord({ opcode, b }: Value): boolean {
  return opcode === Op.ZShr && b !== null && b.isConstant && (b.lo & 63) >= 32;
}
