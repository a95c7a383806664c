// Replaces a guard that cannot fail.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";

/** By opcode of a checked operation: the unchecked one. */
export const UNCHECKED: { readonly [opcode: number]: Opcode | undefined } = {
  [Op.CheckAdd]: Op.Add,
  [Op.CheckSub]: Op.Sub,
  [Op.CheckMul]: Op.Mul,
};

/**
 * Turns a guard that cannot fail into its unchecked operation; removes a Check, which has no
 * result.
 */
export function dropGuard(guard: Value): void {
  const unchecked = UNCHECKED[guard.opcode];
  if (unchecked === undefined) {
    guard.becomesNop();
    return;
  }
  guard.opcode = unchecked;
  guard.extra = null;
}
