// Tracks the values that are addresses of objects.
//
// Allocate returns the address of an object; moves, sums and differences pass it on. It is tracked through cells and
// variables, and through eight bytes of memory that were stored whole. Calls and exits pass it together with the bits.

import {
  ATOMIC,
  EFFECTS,
  Op,
  type Opcode,
  READS_MEMORY,
  specOf,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import { isWide, sizeOf } from "../../ir/types.js";
import { heapOffset, slotOffset } from "./addresses.js";
import { atomicAddressCell, atomicSize, comparesFirst, givesOld } from "./atomic-steps.js";
import type { OracleMachine } from "./machine.js";
import {
  ADDRESS_BYTES,
  forget,
  NO_OBJECT,
  type ObjectAddresses,
  type ObjectTable,
} from "./objects.js";
import { A, B, C, DEST, type DecodedSlot, NO_CELL, NO_SLOT, X, Y } from "./program.js";

/** Records whether the instruction at `pc`, which has executed, wrote an address. */
export function followAddresses(m: OracleMachine, objects: ObjectTable, pc: number): void {
  const { code, cellObjects } = m;
  // The decoded program contains an index of OPCODES.
  const opcode = m.opcodeAt(pc) as Opcode;
  if (opcode === Op.Allocate) return;
  if ((EFFECTS[opcode] & ATOMIC) !== 0) {
    followAtomic(m, objects, pc, opcode);
    return;
  }
  if ((EFFECTS[opcode] & WRITES_MEMORY) !== 0) noteStored(m, objects, pc, opcode);
  const dest = code[pc + DEST];
  if (dest !== NO_CELL) cellObjects[dest] = resultOf(m, objects, pc, opcode);
}

// Tracks an atomic operation. Eight bytes that are exchanged whole remain addresses; a sum or other result computed in
// memory is none.
function followAtomic(m: OracleMachine, { inHeap }: ObjectTable, pc: number, opcode: Opcode): void {
  const { code, cellObjects } = m;
  const size = atomicSize(opcode, m.typeOf(code[pc + A]));
  const at = heapOffset(m, atomicAddressCell(m, pc), code[pc + X]);
  const old = size === ADDRESS_BYTES ? (inHeap.get(at) ?? NO_OBJECT) : NO_OBJECT;
  cellObjects[code[pc + DEST]] = givesOld(opcode) ? old : NO_OBJECT;
  const isCompared = comparesFirst(opcode);
  if (isCompared && !hasExchanged(m, pc, opcode, 8 * size)) return;
  forget(inHeap, at, size);
  const stored = isCompared ? B : opcode === Op.AtomicXchg ? A : null;
  const object = stored === null || size !== ADDRESS_BYTES ? NO_OBJECT : objectIn(m, pc, stored);
  if (object !== NO_OBJECT) inHeap.set(at, object);
}

/** Returns whether a comparison has written, from its result. */
function hasExchanged(
  { code, i64 }: OracleMachine,
  pc: number,
  opcode: Opcode,
  width: number,
): boolean {
  const result = i64[code[pc + DEST]];
  if (!givesOld(opcode)) return result !== 0n;
  return BigInt.asUintN(width, result) === BigInt.asUintN(width, i64[code[pc + A]]);
}

function noteStored(m: OracleMachine, objects: ObjectTable, pc: number, opcode: Opcode): void {
  const [cell, addressCell] = [m.code[pc + A], m.code[pc + B]];
  const memory = addressesAt(m, objects, pc);
  const at = accessOffset(m, pc, addressCell);
  const slot = m.code[pc + Y] === NO_SLOT ? null : m.procedure.slots[m.code[pc + Y]];
  // A store to an anonymous slot makes the other bytes of the slot unwritten.
  if (slot !== null && !slot.isLocked) forget(memory, slot.start, slot.size);
  forget(memory, at, specOf(opcode).bytes ?? sizeOf(m.typeOf(cell)));
  const object = opcode === Op.Store ? m.cellObjects[cell] : NO_OBJECT;
  if (object !== NO_OBJECT) memory.set(at, object);
}

function addressesAt(m: OracleMachine, { inHeap }: ObjectTable, pc: number): ObjectAddresses {
  return m.code[pc + Y] === NO_SLOT ? inHeap : m.slotAddresses;
}

function resultOf(m: OracleMachine, objects: ObjectTable, pc: number, opcode: Opcode): number {
  const { code } = m;
  if ((EFFECTS[opcode] & READS_MEMORY) !== 0) {
    const isWhole = isWide(m.typeOf(code[pc + DEST]));
    const at = accessOffset(m, pc, code[pc + A]);
    return isWhole ? (addressesAt(m, objects, pc).get(at) ?? NO_OBJECT) : NO_OBJECT;
  }
  const [first, second] = [objectIn(m, pc, A), objectIn(m, pc, B)];
  switch (opcode) {
    case Op.Add:
    case Op.CheckAdd:
      if (first !== NO_OBJECT && second !== NO_OBJECT) return NO_OBJECT;
      return first === NO_OBJECT ? second : first;
    case Op.Sub:
    case Op.CheckSub:
      return second === NO_OBJECT ? first : NO_OBJECT;
    case Op.Select: {
      const condition = code[pc + A] << 1;
      const isFirst = (m.i32[condition] | m.i32[condition + 1]) !== 0;
      return isFirst ? second : objectIn(m, pc, C);
    }
    case Op.Identity:
    case Op.Opaque:
    case Op.BitwiseCast:
    case Op.Upsilon:
    case Op.Phi:
    case Op.Extract:
    case Op.ArgumentReg:
      return first;
    default:
      return NO_OBJECT;
  }
}

function objectIn(m: OracleMachine, pc: number, operand: number): number {
  const cell = m.code[pc + operand];
  return cell === NO_CELL ? NO_OBJECT : m.cellObjects[cell];
}

/** Returns the offset of the instruction's access, in the heap or in the slots. */
function accessOffset(m: OracleMachine, pc: number, addressCell: number): number {
  const [offset, slot] = [m.code[pc + X], m.code[pc + Y]];
  return slot === NO_SLOT
    ? heapOffset(m, addressCell, offset)
    : slotOffset(m, addressCell, offset, slot);
}

/** Marks the addresses in the frames of an exit as given away. */
export function giveFrames(m: OracleMachine, objects: ObjectTable, exitIndex: number): void {
  for (const { slots } of m.procedure.exits[exitIndex].frames) {
    for (const slot of slots) giveSlot(m, objects, slot);
  }
}

function giveSlot(m: OracleMachine, objects: ObjectTable, slot: DecodedSlot): void {
  if (slot === null) return;
  if ("cell" in slot) objects.give(m.cellObjects[slot.cell]);
  else if ("fields" in slot) for (const { cell } of slot.fields) objects.give(m.cellObjects[cell]);
  else if ("start" in slot) {
    for (const [at, object] of m.slotAddresses) {
      if (at >= slot.start && at < slot.start + slot.size) objects.give(object);
    }
  }
}
