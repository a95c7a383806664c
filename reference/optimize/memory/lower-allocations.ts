// Lowers Allocate to a load of the pointer, a sum, and a store.
//
//   @p = Allocate(@pointer, @size)    ->    @p = Load(@pointer); @end = Add(@p, @size); Store(@end, @pointer)
//
// After forward-loads and eliminate-dead-stores, two consecutive allocations update the pointer
// once. The lowered form does not mark an address as that of an object, so phases on objects run
// earlier. Callers that inline the procedure get its code from before this phase.
//
// Assumes a valid program, in any form of Phi. Required, because lowering has no row for Allocate.
// It terminates because none is left.

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int64, Void } from "../../../src/ir/types.js";
import { codeSizeOf, INLINED_MAX } from "../analysis/code-size.js";
import type { OptimizeContext } from "../edit/context.js";

export function lowerAllocations(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  if (!order.some(({ values }) => values.some(isAllocation))) return false;
  if (codeSizeOf(proc.blocks) <= INLINED_MAX) context.saveInlineBody(proc);
  let changed = false;
  for (let b = 0; b < order.length; b++) if (lowerIn(proc, order[b])) changed = true;
  return changed;
}

function lowerIn(proc: Procedure, block: BasicBlock): boolean {
  if (!block.values.some(isAllocation)) return false;
  block.values = block.values.flatMap((value) =>
    isAllocation(value) ? [value, ...moveOfPointer(proc, value)] : [value],
  );
  return true;
}

const isAllocation = ({ opcode }: Value): boolean => opcode === Op.Allocate;

/**
 * Turns the allocation into a load; returns the values that update the pointer, to be inserted
 * after it.
 */
function moveOfPointer(proc: Procedure, allocation: Value): Value[] {
  const { a: pointer, b: size, block } = allocation;
  const end = proc.newValue(Op.Add, Int64, allocation, size);
  const store = proc.newValue(Op.Store, Void, end, pointer);
  end.block = block;
  store.block = block;
  allocation.opcode = Op.Load;
  allocation.b = null;
  return [end, store];
}
