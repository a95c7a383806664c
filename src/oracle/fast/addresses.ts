// The first byte of an access, and the bytes that an exit names as dead.

import { HEAP_BASE } from "../../ir/outcome.js";
import type { Machine } from "./machine.js";
import { type DecodedDeadBytes, NO_CELL } from "./program.js";

const HEAP_START = Number(HEAP_BASE);
const TWO_TO_32 = 2 ** 32;

/**
 * The address operand plus the instruction's offset. Addresses are modulo 2^64 and doubles are
 * exact up to 2^53 only; but a larger number, rounded or wrapped, is far outside of heap and
 * slots, and no rounding changes that.
 */
function addressAt(m: Machine, cell: number, offset: number): number {
  return m.i32[(cell << 1) + 1] * TWO_TO_32 + (m.i32[cell << 1] >>> 0) + offset;
}

/** Where in `m.heap` an access begins; outside if it is not within the heap's size. */
export const heapOffset = (m: Machine, addressCell: number, offset: number): number =>
  addressAt(m, addressCell, offset) - HEAP_START;

/** Where in `m.slots` it begins: the cell of a slot's address holds the offset in the slot. */
export const slotOffset = (m: Machine, addressCell: number, offset: number, slot: number): number =>
  addressAt(m, addressCell, offset) + m.procedure.slots[slot].start;

/** The dead bytes that lie in the heap: where they begin, and how many. */
export function deadRange(m: Machine, { cell, offset, size }: DecodedDeadBytes): [number, number] {
  const at = cell === NO_CELL ? offset : heapOffset(m, cell, offset);
  const from = Math.max(0, at);
  const end = Math.min(m.heap.bytes.length, at + size);
  return end > from ? [from, end - from] : [0, 0];
}
