// Allocate becomes what it is to a machine: a load of the pointer, a sum, and a store.
//
//   @p = Allocate(@pointer, @size)    ->    @p = Load(@pointer); @end = Add(@p, @size); Store(@end, @pointer)
//
// Two in a row are one movement once forward-loads and eliminate-dead-stores have seen them. From here on
// nothing says that an address is that of an object, so what only holds of objects comes before. Callers that inline the
// procedure get it as it was: to them its objects are objects.
//
// Assumes a valid program, in any form of Phi. Required: lowering has no row for it. It stops because
// none is left.

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int64, Void } from "../../../src/ir/types.js";
import { codeSizeOf, INLINED_MAX } from "../analysis/code-size.js";
import type { OptimizeContext } from "../edit/context.js";

export function lowerAllocations(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  if (!order.some(({ values }) => values.some(isAllocation))) return false;
  if (codeSizeOf(proc.blocks) <= INLINED_MAX) context.keepBody(proc);
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

/** Makes a load of the allocation; gives what moves the pointer, to stand behind it. */
function moveOfPointer(proc: Procedure, allocation: Value): Value[] {
  const { a: pointer, b: size, block } = allocation;
  const end = proc.newValue(Op.Add, Int64);
  [end.a, end.b] = [allocation, size];
  const store = proc.newValue(Op.Store, Void);
  [store.a, store.b] = [end, pointer];
  end.block = block;
  store.block = block;
  allocation.opcode = Op.Load;
  allocation.b = null;
  return [end, store];
}
