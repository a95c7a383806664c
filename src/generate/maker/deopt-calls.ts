// Emits calls of procedures that may set the deoptimization flag, and returns that set it.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, type Type, Void } from "../../ir/types.js";
import { condition, pickSpecial } from "./conditions.js";
import { pickSnapshot, snapshotWithResult } from "./exits.js";
import type { CallableProcedure, ProcedureMaker } from "./maker.js";
import { appendReturn } from "./results.js";

/**
 * Creates a CallCheck of a procedure with this result. It exits if the callee sets the
 * deoptimization flag; the exit may show the result.
 */
export function newCheckedCall(maker: ProcedureMaker, result: Type): Value {
  const call = maker.proc.newValue(Op.CallCheck, result);
  const showsResult = result !== Void && maker.chance(60);
  call.extra = showsResult ? snapshotWithResult(maker, call) : pickSnapshot(maker);
  return call;
}

/**
 * At times ends the procedure, under a condition, with a return that sets the deoptimization flag.
 * Continues in a block where the condition does not hold.
 * @param value the result of the procedure
 */
export function emitDeoptReturn(maker: ProcedureMaker, value: Value | null): void {
  if (!maker.chance(deoptReturnPercent(maker))) return;
  const leaving = maker.proc.newBlock();
  const end = maker.proc.newBlock();
  maker.branch(maker.chance(30) ? condition(maker, Int32) : oneIn(maker), leaving, end);
  const mark = maker.mark();
  maker.block = leaving;
  if (value === null) maker.append(Op.ReturnDeopt, Void);
  else appendReturn(maker, Op.ReturnDeopt, deoptResult(maker, value));
  maker.release(mark);
  maker.block = end;
}

/**
 * Returns the result of a return that sets the flag. It often differs from the usual result, so
 * that an exit distinguishes the two.
 */
function deoptResult(maker: ProcedureMaker, value: Value): Value {
  const roll = maker.below(10);
  if (roll < 3) return value;
  return roll < 6 ? maker.pick(value.type) : pickSpecial(maker, value.type);
}

/**
 * Returns the percentage of such returns. It is highest in procedures that a CallCheck calls;
 * elsewhere such a return is an ordinary one.
 */
function deoptReturnPercent({ context, proc, dials }: ProcedureMaker): number {
  const callee: CallableProcedure | undefined = context.callees.find((each) => each.proc === proc);
  if (callee === undefined) return dials.deoptCalls >> 2;
  return callee.isCheckedCall ? 75 : dials.deoptCalls;
}

/** Returns a condition that holds for one number in two or in eight. */
function oneIn(maker: ProcedureMaker): Value {
  const mask = [1, 7, 7][maker.below(3)];
  const low = maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, mask));
  return maker.append(Op.Equal, Int32, low, maker.integer(Int32, maker.below(mask + 1)));
}
