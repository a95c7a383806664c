// Checks accesses to the heap: bounds, objects, classes, dead and frozen bytes.

import { heapOffset } from "./addresses.js";
import type { OracleMachine } from "./machine.js";
import { CLASS, X } from "./program.js";

/** Returns the offset of a heap access; END if it ended the activation. */
export function heapAccess(
  m: OracleMachine,
  pc: number,
  addressCell: number,
  size: number,
): number {
  if (m.flags[addressCell] !== 0) return m.nanBits(pc);
  const at = heapOffset(m, addressCell, m.code[pc + X]);
  if (at < 0 || at > m.heap.bytes.length - size) {
    return m.endAs({ kind: "undefined", rule: "heap access out of bounds", value: m.idAt(pc) });
  }
  if (!mayAccess(m, at, size, addressCell)) return objectByte(m, pc);
  const accessClass = m.code[pc + CLASS];
  if (accessClass === 0 || m.heap.enter(at, size, accessClass)) return at;
  return m.endAs({ kind: "undefined", rule: "byte of another class", value: m.idAt(pc) });
}

export const frozenByte = (m: OracleMachine, pc: number): number =>
  m.endAs({ kind: "undefined", rule: "invariant byte written", value: m.idAt(pc) });

/**
 * Returns whether the address may access the bytes: only an address of an object may access the object's bytes, and it
 * may access no others.
 */
export const mayAccess = (
  m: OracleMachine,
  at: number,
  size: number,
  addressCell: number,
): boolean => m.objects === null || m.objects.allows(at, size, m.cellObjects[addressCell]);

export const objectByte = (m: OracleMachine, pc: number): number =>
  m.endAs({ kind: "undefined", rule: "byte of an object", value: m.idAt(pc) });

export const deadByte = (m: OracleMachine, pc: number): number =>
  m.endAs({ kind: "undefined", rule: "dead heap byte", value: m.idAt(pc) });
