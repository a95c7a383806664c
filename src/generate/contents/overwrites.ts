// Emits stores that a later store overwrites completely or nearly. Between them are guards whose
// exits show the first store, other accesses, calls, or the back edge of a loop.

import { HOST_FUNCTIONS, readsHeap } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, sizeOf, type Type, Void } from "../../ir/types.js";
import { callProcedure } from "../maker/calls.js";
import { emitCheck } from "../maker/exits.js";
import type { HeapAddress, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { canCall, emitCall, observe } from "../maker/observe.js";
import { drawType } from "../maker/swarm.js";

/** Appends both stores, with a few other values between them. */
export function emitOverwrite(maker: ProcedureMaker, heapBase: Value): void {
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, 8);
  const type = drawType(maker.source, maker.swarm);
  const first = storeIn(maker, type, address, offset);
  for (let i = maker.below(4); i > 0; i--) emitBetween(maker, heapBase, address, offset);
  const other = maker.chance(70) ? type : drawType(maker.source, maker.swarm);
  const spare = 8 - sizeOf(other);
  const second = maker.chance(75) ? Math.min(first - offset, spare) : maker.below(spare + 1);
  storeAt(maker, other, address, offset + second);
}

/** Stores at some position in eight bytes, and returns its offset. */
function storeIn(maker: ProcedureMaker, type: Type, address: HeapAddress, offset: number): number {
  const spare = 8 - sizeOf(type);
  const at = spare > 0 && maker.chance(30) ? offset + spare : offset;
  storeAt(maker, type, address, at);
  return at;
}

function storeAt(maker: ProcedureMaker, type: Type, address: HeapAddress, offset: number): void {
  const stored = maker.closed(maker.pick(type));
  maker.append(Op.Store, Void, stored, address.value).offset = offset;
}

/**
 * Appends a loop with an advancing address. The next iteration stores to the same expression but
 * does not overwrite the last store of the current iteration.
 */
export function emitWalk(maker: ProcedureMaker, heapBase: Value): void {
  const { proc } = maker;
  const { windows } = maker.context.layout;
  const { start } = windows[maker.below(windows.length)];
  const type = drawType(maker.source, maker.swarm);
  const pointer = proc.newValue(Op.Phi, Int64);
  const count = proc.newValue(Op.Phi, Int32);
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.upsilon(heapBase, pointer);
  maker.upsilon(maker.integer(Int32, 2 + maker.below(2)), count);
  maker.jump(header);
  maker.block = header;
  for (const phi of [pointer, count]) {
    header.append(phi);
  }
  const address = { value: pointer, low: 0, high: 0 };
  for (let i = 2 + maker.below(2); i > 0; i--) storeIn(maker, type, address, start);
  const step = maker.integer(Int64, maker.chance(50) ? 4 : 8);
  maker.upsilon(maker.append(Op.Add, Int64, pointer, step), pointer);
  const left = maker.append(Op.Sub, Int32, count, maker.integer(Int32, 1));
  maker.upsilon(left, count);
  maker.branch(left, header, exit);
  maker.block = exit;
  // Overwrites a store of the last iteration only.
  if (maker.chance(60)) storeIn(maker, type, address, start);
}

/** Functions that observe the first store. */
const READERS = HOST_FUNCTIONS.filter(readsHeap);

function emitBetween(
  maker: ProcedureMaker,
  heapBase: Value,
  address: HeapAddress,
  offset: number,
): void {
  const roll = maker.below(8);
  if (roll < 4 && maker.dials.guards > 0) emitCheck(maker);
  else if (roll === 4) callReader(maker);
  else if (roll === 5) observe(maker, maker.pickValue(Int32));
  else {
    // Next to the eight bytes, or anywhere.
    const isBeside = maker.chance(40) && address.low === address.high;
    const other = isBeside ? { value: heapBase, low: 0, high: 0 } : pickAddress(maker, heapBase);
    const at = isBeside ? address.low + offset : placeIn(maker, other, 1);
    if (roll === 6) maker.append(Op.Store8, Void, maker.pick(Int32), other.value).offset = at;
    else maker.emit(Op.Load8S, Int32, other.value).offset = at;
  }
}

// Calls a host function that reads the heap, or a procedure, which may read it.
function callReader(maker: ProcedureMaker): void {
  const readers = READERS.filter((host) => canCall(maker, host));
  if (readers.length === 0 || maker.chance(25)) {
    callProcedure(maker);
    return;
  }
  const host = readers[maker.below(readers.length)];
  const call = emitCall(
    maker,
    host,
    host.parameters.map((type) => maker.pick(type)),
  );
  if (call.type === Void || maker.chance(50)) return;
  observe(maker, call);
}
