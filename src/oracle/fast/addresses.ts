// Computes the first byte of an access, and the bytes that an exit makes dead.

import { HEAP_BASE } from "../../ir/outcome.js";
import type { OracleMachine } from "./machine.js";
import { type DecodedDeadBytes, NO_CELL } from "./program.js";

const HEAP_START = Number(HEAP_BASE);
const TWO_TO_32 = 2 ** 32;

/**
 * Returns the address operand plus the instruction's offset. Addresses are modulo 2^64, and doubles are exact up to
 * 2^53 only. A larger number, rounded or wrapped, remains far outside of heap and slots.
 */
function addressAt(m: OracleMachine, cell: number, offset: number): number {
  return m.i32[(cell << 1) + 1] * TWO_TO_32 + (m.i32[cell << 1] >>> 0) + offset;
}

/** Returns the offset in `m.heap` at which an access begins; it may be out of bounds. */
export const heapOffset = (m: OracleMachine, addressCell: number, offset: number): number =>
  addressAt(m, addressCell, offset) - HEAP_START;

/**
 * Returns the offset in `m.slots` at which an access begins: the cell of a slot's address contains the offset in the
 * slot.
 */
export const slotOffset = (
  m: OracleMachine,
  addressCell: number,
  offset: number,
  slot: number,
): number => addressAt(m, addressCell, offset) + m.procedure.slots[slot].start;

/** Returns the dead bytes that lie in the heap: the first offset, and the number of bytes. */
export function deadRange(
  m: OracleMachine,
  { cell, offset, size }: DecodedDeadBytes,
): [number, number] {
  const at = cell === NO_CELL ? offset : heapOffset(m, cell, offset);
  const from = Math.max(0, at);
  const end = Math.min(m.heap.bytes.length, at + size);
  return end > from ? [from, end - from] : [0, 0];
}
