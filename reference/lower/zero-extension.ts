// Finds the registers whose bits above a value of 32 bits are zero: those that the defining
// instruction clears. Moves and reloads of an Int32 clear the upper half as well, so it is zero in
// a Phi if it is zero in all inputs. The search assumes it for every Phi and removes those for
// which it does not hold.

import { EFFECTS, Op, READS_MEMORY } from "../../src/ir/opcodes.js";
import type { BasicBlock, Value } from "../../src/ir/procedure.js";
import { Int32 } from "../../src/ir/types.js";
import { zeroedBytes } from "../../src/support/program-arrays.js";
import { conditionOf } from "../target/conditions.js";
import { candidateIndex, type LoweringPlan } from "../target/plan.js";

/**
 * Returns by value id: 1 if the register's upper 32 bits are zero.
 *
 * @param inHalves by value id: 1 if two registers carry the value
 */
export function zeroExtendedValues(
  order: readonly BasicBlock[],
  plan: LoweringPlan,
  inHalves: Uint8Array,
): Uint8Array {
  const isClear = zeroedBytes(inHalves.length);
  const upsilons: Value[] = [];
  for (let b = 0; b < order.length; b++) {
    const { values } = order[b];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value.opcode === Op.Upsilon) {
        if (value.phi.type === Int32) upsilons.push(value);
      } else if (value.type === Int32 && !isHalf(value, inHalves)) {
        isClear[value.id] = clears(value, plan) ? 1 : 0;
      }
    }
  }
  let changed = true;
  while (changed) {
    changed = false; // terminates: bits are only removed
    for (let u = 0; u < upsilons.length; u++) {
      const { a, phi } = upsilons[u];
      if (isClear[phi.id] === 0 || (a !== null && isClear[a.id] !== 0)) continue;
      isClear[phi.id] = 0;
      changed = true;
    }
  }
  return isClear;
}

/**
 * Returns whether the value is a half of a value in halves: it has the register to which that half
 * was moved.
 */
function isHalf({ opcode, a }: Value, inHalves: Uint8Array): boolean {
  const cuts = opcode === Op.Trunc || opcode === Op.TruncHigh;
  return cuts && a !== null && inHalves[a.id] !== 0;
}

function clears(value: Value, plan: LoweringPlan): boolean {
  const { opcode, type, a } = value;
  if (opcode === Op.Phi || opcode === Op.Const32) return true;
  if ((EFFECTS[opcode] & READS_MEMORY) !== 0)
    return plan.clearsUpper[candidateIndex(opcode, type)] === 1;
  if (a === null) return false;
  if (conditionOf(opcode, a.type) >= 0) return plan.setClearsUpper;
  if (opcode === Op.Trunc) return isWithinWord(a);
  return plan.clearsUpper[candidateIndex(opcode, a.type)] === 1;
}

/**
 * Returns whether a shift leaves at most 32 bits of a 64-bit value, whose register Trunc reuses.
 */
function isWithinWord({ opcode, b }: Value): boolean {
  return opcode === Op.ZShr && b !== null && b.isConstant && (b.constantLow & 63) >= 32;
}
