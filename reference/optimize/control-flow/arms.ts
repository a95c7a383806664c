// Arms: blocks between a branch and the join of its two ways, and what may be computed in front of the branch.

import { EFFECTS, isTotal, OPCODE_COUNT, Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Value } from "../../../src/ir/procedure.js";
import { resolve } from "../edit/sweep.js";
import { writtenIn } from "../edit/upsilons.js";

/** By opcode: 1 if it will be gone. */
const IS_FREE = new Uint8Array(OPCODE_COUNT);
IS_FREE[Op.Nop] = 1;
IS_FREE[Op.Identity] = 1;

/** By opcode: 1 if it costs too much to be computed where it may not be needed. */
const IS_COSTLY = new Uint8Array(OPCODE_COUNT);
for (const opcode of [
  ...[Op.Div, Op.Mod, Op.ChillDiv, Op.ChillMod, Op.FloorMod, Op.Sqrt, Op.PopCnt],
  ...[Op.UToD, Op.UToF, Op.TruncU64],
]) {
  IS_COSTLY[opcode] = 1;
}

/** One branch leads to it, and it leads to the join. */
export const isArm = ({ last, predecessors }: BasicBlock): boolean =>
  last.opcode === Op.Jump && predecessors.length === 1;

/** What the Phi of the join is where the arm leads there; null if the arm writes nothing. */
export function inputFrom(arm: BasicBlock, phi: Value): Value | null {
  const input = writtenIn(arm, phi);
  return input === null ? null : resolve(input);
}

/**
 * Values of the block that would be computed without need if they stood in front of its branch; more than `max` if some
 * must not be. Constants and Upsilons are none.
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
