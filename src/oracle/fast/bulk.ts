// Executes CopyBytes and FillBytes: an operand gives the number of bytes of the heap. They look at the bits of all
// bytes that they touch, including overwritten ones; so none may belong to an open NaN.

import { ATOMIC, EFFECTS, Op, type Opcode } from "../../ir/opcodes.js";
import { heapOffset } from "./addresses.js";
import { atomicAddressCell, atomicSize } from "./atomic-steps.js";
import type { OracleMachine } from "./machine.js";
import { ADDRESS_BYTES } from "./objects.js";
import { A, B, C, STRIDE, X } from "./program.js";

/** The bytes of the heap that a bulk operation touches. */
interface BulkRange {
  /** Offset of the first byte written, and of the first byte read; -1 if it reads none. */
  readonly to: number;
  readonly from: number;
  readonly length: number;
}

/**
 * Returns the bytes that the instruction at `pc` touches; null if one lies outside of the heap. For an Allocate these
 * are its allocation pointer, for an atomic operation the bytes that it accesses.
 */
export function bulkRange(m: OracleMachine, pc: number): BulkRange | null {
  const { code } = m;
  const isFill = m.opcodeAt(pc) === Op.FillBytes;
  if (m.opcodeAt(pc) === Op.Allocate) {
    const pointer = heapOffset(m, code[pc + A], 0);
    return { to: pointer, from: pointer, length: ADDRESS_BYTES };
  }
  // The decoder has written an index of OPCODES.
  const opcode = m.opcodeAt(pc) as Opcode;
  if ((EFFECTS[opcode] & ATOMIC) !== 0) {
    const at = heapOffset(m, atomicAddressCell(m, pc), code[pc + X]);
    return { to: at, from: at, length: atomicSize(opcode, m.typeOf(code[pc + A])) };
  }
  const length = unsigned(m, code[pc + C]);
  if (length === 0) return { to: 0, from: -1, length };
  const to = heapOffset(m, code[pc + (isFill ? B : A)], 0);
  const from = isFill ? -1 : heapOffset(m, code[pc + B], 0);
  const last = m.heap.bytes.length - length;
  if (to < 0 || to > last || (!isFill && (from < 0 || from > last))) return null;
  return { to, from, length };
}

/** Returns an unsigned Int64 as a double. It is rounded beyond 2^53, which exceeds every heap size. */
function unsigned(m: OracleMachine, cell: number): number {
  return (m.i32[(cell << 1) + 1] >>> 0) * 2 ** 32 + (m.i32[cell << 1] >>> 0);
}

function mayAccessObjects(m: OracleMachine, pc: number, { to, from, length }: BulkRange): boolean {
  const { code, objects, cellObjects } = m;
  if (objects === null || length === 0) return true;
  const targetCell = code[pc + (from < 0 ? B : A)];
  if (!objects.allows(to, length, cellObjects[targetCell])) return false;
  return from < 0 || objects.allows(from, length, cellObjects[code[pc + B]]);
}

/** Executes the bulk operation at `pc`. Returns the next program counter, or END. Each byte costs a unit of fuel. */
export function moveBytes(m: OracleMachine, pc: number, fuel: number): number {
  const { code, flags, heap } = m;
  m.fuelUsed = 0;
  if ((flags[code[pc + A]] | flags[code[pc + B]] | flags[code[pc + C]]) !== 0) return m.nanBits(pc);
  const place = bulkRange(m, pc);
  const value = m.idAt(pc);
  if (place === null) {
    return m.endAs({ kind: "undefined", rule: "heap access out of bounds", value });
  }
  const { to, from, length } = place;
  if (length > fuel) {
    m.fuelUsed = fuel;
    return m.endAs({ kind: "out-of-fuel" });
  }
  m.fuelUsed = length;
  if (!mayAccessObjects(m, pc, place)) {
    return m.endAs({ kind: "undefined", rule: "byte of an object", value });
  }
  if (from >= 0) {
    if (heap.holdsDeadAmong(from, length)) {
      return m.endAs({ kind: "undefined", rule: "dead heap byte", value });
    }
    if (heap.holdsOpen(from, length)) return m.nanBits(pc);
  }
  if (heap.isFrozen(to, length)) {
    return m.endAs({ kind: "undefined", rule: "invariant byte written", value });
  }
  if (heap.holdsOpen(to, length)) return m.nanBits(pc);
  heap.forget(to, length);
  if (from >= 0) m.objects?.copy(to, from, length);
  else m.objects?.overwrite(to, length);
  if (from >= 0) heap.bytes.copyWithin(to, from, from + length);
  else heap.bytes.fill(m.i32[code[pc + A] << 1] & 0xff, to, to + length);
  return pc + STRIDE;
}
