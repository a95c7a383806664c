// Emits the start of a callee that tests one or two conditions and may return at once. About half
// of the calls in a recursion end that way, and a compiler may move the test before the call.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32 } from "../../ir/types.js";
import { COMPARISONS, compare, pickParameter } from "../maker/conditions.js";
import { endScope } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { oneOf } from "../maker/rows.js";
import { emitReturn } from "./shape.js";

export function returnEarly(maker: ProcedureMaker): void {
  const { proc } = maker;
  const [early, rest] = [proc.newBlock(), proc.newBlock()];
  const flag = earlyCondition(maker);
  if (maker.chance(50)) maker.branch(flag, early, rest);
  else maker.branch(flag, rest, early);
  const scope = maker.mark();
  maker.block = early;
  if (maker.chance(35)) maker.emit(Op.Add, Int32, maker.pickValue(Int32), maker.constant(Int32));
  endScope(maker, scope);
  emitReturn(maker, null);
  maker.release(scope);
  maker.block = rest;
}

/** Returns a condition, mostly on the parameters alone, at times on memory. */
function earlyCondition(maker: ProcedureMaker): Value {
  const { heapBase } = maker;
  const roll = maker.below(10);
  if (roll < 2) return compare(maker);
  if (roll < 4 && heapBase !== null) {
    const address = pickAddress(maker, heapBase);
    const loaded = maker.append(Op.Load, Int32, address.value);
    loaded.offset = placeIn(maker, address, 4);
    return maker.append(Op.BitAnd, Int32, loaded, maker.integer(Int32, 1 << maker.below(8)));
  }
  const x = pickParameter(maker, Int32);
  const bound = maker.integer(Int32, maker.below(8) - 2);
  return maker.append(oneOf(maker, COMPARISONS), Int32, x, bound);
}
