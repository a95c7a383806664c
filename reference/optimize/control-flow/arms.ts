// Recognizes arms (blocks between a branch and its join), and values that may be computed before
// the branch.

import { EFFECTS, isTotal, OPCODE_COUNT, Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Value } from "../../../src/ir/procedure.js";
import { resolve } from "../edit/sweep.js";
import { writtenIn } from "../edit/upsilons.js";

/** By opcode: 1 if the value will be removed. */
const IS_FREE = new Uint8Array(OPCODE_COUNT);
IS_FREE[Op.Nop] = 1;
IS_FREE[Op.Identity] = 1;

/** By opcode: 1 if it is too expensive to compute when it may not be needed. */
const IS_COSTLY = new Uint8Array(OPCODE_COUNT);
for (const opcode of [
  ...[Op.Div, Op.Mod, Op.ChillDiv, Op.ChillMod, Op.FloorMod, Op.Sqrt, Op.PopCnt],
  ...[Op.UToD, Op.UToF, Op.TruncU64],
]) {
  IS_COSTLY[opcode] = 1;
}

/** True if the block has one predecessor, and ends in a jump (to the join). */
export const isArm = ({ last, predecessors }: BasicBlock): boolean =>
  last.opcode === Op.Jump && predecessors.length === 1;

/** Returns the value that the arm writes to a Phi of the join; null if it writes none. */
export function inputFrom(arm: BasicBlock, phi: Value): Value | null {
  const input = writtenIn(arm, phi);
  return input === null ? null : resolve(input);
}

/**
 * Returns the number of values of the block that would be computed without need before its branch;
 * more than `max` if some must not be. Constants and Upsilons do not count.
 */
export function speculatedIn({ values }: BasicBlock, max: number): number {
  let count = 0;
  for (let i = 0; i < values.length - 1; i++) {
    const { opcode, type } = values[i];
    if (opcode === Op.Upsilon || values[i].isConstant || IS_FREE[opcode] === 1) continue;
    if (!maySpeculate(opcode, type) || count === max) return max + 1;
    count++;
  }
  return count;
}

const maySpeculate = (opcode: Opcode, type: Value["type"]): boolean =>
  EFFECTS[opcode] === 0 && isTotal(opcode, type) && IS_COSTLY[opcode] === 0;
