// Computes the memory that a set of blocks may write, and whether a load depends on it.
//
// Every access belongs statically to the heap or to one stack slot. Two accesses at constant
// distances from one address are compared by bytes. Any other two accesses of the heap may overlap,
// and so may two offsets in one slot. A patchpoint accesses the slot whose address it takes, at any
// offset, or the heap. A call may write any locked slot, because a host function may keep its
// address.

import { ATOMIC, CALLS, EFFECTS, Op, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import { accessSize, StackSlot, type Value } from "../../../src/ir/procedure.js";
import { LIMITS } from "../edit/limits.js";
import { haveDifferentClasses, touchesKeptSlots, writesAnyHeap } from "./alias.js";
import type { LoopForest } from "./loops.js";

export interface LoopWrites {
  /** Stores and atomic operations. */
  readonly stores: Value[];
  /** Patchpoints that write. */
  readonly patchpoints: Value[];
  /** True if some value may write any byte of the heap. */
  clobbersHeap: boolean;
  /** True if some value may write slots whose addresses host functions keep. */
  clobbersKept: boolean;
  /** True if there are too many writes to compare them one by one: they may write anything. */
  isUnbounded: boolean;
}

/** Returns the writes of each loop. The lists of a loop contain those of its inner loops. */
export function writesOfLoops({ all }: LoopForest): readonly LoopWrites[] {
  const writes = all.map((): LoopWrites => {
    return {
      stores: [],
      patchpoints: [],
      clobbersHeap: false,
      clobbersKept: false,
      isUnbounded: false,
    };
  });
  for (let l = 0; l < all.length; l++) {
    const { blocks, parent } = all[l];
    for (let b = 0; b < blocks.length; b++) addWrites(writes[l], blocks[b].values);
    if (writes[l].stores.length + writes[l].patchpoints.length > LIMITS["loop writes"]) {
      writes[l].isUnbounded = true;
    }
    if (parent !== null) include(writes[parent.index], writes[l]);
  }
  return writes;
}

function include(outer: LoopWrites, inner: LoopWrites): void {
  outer.clobbersHeap ||= inner.clobbersHeap;
  outer.clobbersKept ||= inner.clobbersKept;
  outer.isUnbounded ||= inner.isUnbounded;
  if (outer.isUnbounded) return;
  for (let s = 0; s < inner.stores.length; s++) outer.stores.push(inner.stores[s]);
  for (let p = 0; p < inner.patchpoints.length; p++) outer.patchpoints.push(inner.patchpoints[p]);
}

function addWrites(writes: LoopWrites, values: readonly Value[]): void {
  for (let i = 0; i < values.length; i++) {
    const effects = EFFECTS[values[i].opcode];
    if ((effects & (WRITES_MEMORY | ATOMIC)) !== 0) writes.stores.push(values[i]);
    else if (values[i].patchpoint?.effect === "write") writes.patchpoints.push(values[i]);
    else if (writesAnyHeap(values[i])) writes.clobbersHeap = true;
    if (touchesKeptSlots(values[i])) writes.clobbersKept = true;
  }
}

/**
 * True if one of the writes may change the memory that `reader` reads: a load, or a call or
 * patchpoint that reads.
 */
export function mayWrite(
  { stores, patchpoints, clobbersHeap, clobbersKept, isUnbounded }: LoopWrites,
  reader: Value,
): boolean {
  if (isUnbounded) return true;
  const isCall = (EFFECTS[reader.opcode] & CALLS) !== 0;
  const slot = isCall ? slotOfCall(reader) : slotOf(reader.address);
  if (clobbersHeap && slot === null) return true;
  if (clobbersKept && slot?.isLocked === true) return true;
  for (let p = 0; p < patchpoints.length; p++) {
    if (slotOfCall(patchpoints[p]) === slot) return true;
  }
  for (let s = 0; s < stores.length; s++) {
    if (slotOf(stores[s].address) !== slot) continue;
    if (isCall || mayOverlap(stores[s], reader)) return true;
  }
  return false;
}

/** Returns the stack slot that a call or patchpoint accesses; null for the heap. */
function slotOfCall({ patchpoint, rest }: Value): StackSlot | null {
  return patchpoint === null || rest === null ? null : slotOf(rest[0]);
}

/** Returns the stack slot of an address; null for the heap. */
export function slotOf(address: Value): StackSlot | null {
  const { opcode, a, b, extra } = address;
  if (opcode === Op.SlotBase) return extra instanceof StackSlot ? extra : null;
  if (a === null) return null;
  if (opcode === Op.Identity || opcode === Op.Opaque) return slotOf(a);
  if (opcode !== Op.Add || b === null) return null;
  return slotOf(a) ?? slotOf(b);
}

function mayOverlap(store: Value, load: Value): boolean {
  if (haveDifferentClasses(store, load)) return false;
  const slot = slotOf(store.address);
  // A store to a part of an anonymous slot makes its other bytes unwritten.
  if (slot !== null && !slot.isLocked) return true;
  if (store.address !== load.address) return true;
  return (
    store.offset < load.offset + accessSize(load) && load.offset < store.offset + accessSize(store)
  );
}
