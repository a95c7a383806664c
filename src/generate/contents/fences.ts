// Emits fences between accesses of one location, which must not be merged across the fence. Also
// emits loads whose address depends on another load.

import { FENCES } from "../../ir/fences.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";

const SIZE = 8;

export function emitFence(maker: ProcedureMaker): void {
  const { heapBase } = maker;
  const isBetween = heapBase !== null && maker.chance(75);
  const address = isBetween ? pickAddress(maker, heapBase) : null;
  const offset = address === null ? 0 : placeIn(maker, address, SIZE);
  if (address !== null) access(maker, address.value, offset);
  maker.append(Op.Fence, Void).fenceKind = maker.below(FENCES.length);
  if (address === null) return;
  if (maker.chance(30)) dependentLoad(maker, address.value, offset);
  else access(maker, address.value, offset);
}

/** Emits a load or a store of the location. */
function access(maker: ProcedureMaker, address: Value, offset: number): void {
  if (maker.chance(60)) maker.append(Op.Store, Void, maker.pick(Int32), address).offset = offset;
  else maker.emit(Op.Load, Int32, address).offset = offset;
}

/**
 * Emits a load that executes after another load because its address depends on the loaded value.
 */
function dependentLoad(maker: ProcedureMaker, address: Value, offset: number): void {
  const first = maker.emit(Op.Load, Int32, address);
  first.offset = offset;
  const zero = maker.append(Op.ZExt32, Int64, maker.emit(Op.Depend, Int32, first));
  const behind = maker.append(Op.Add, Int64, address, zero);
  maker.emit(Op.Load, Int32, behind).offset = offset;
}
