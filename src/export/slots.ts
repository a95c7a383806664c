// Finds the values that are addresses in stack slots, and lays slots out in a frame.

import { analyzeControlFlow } from "../ir/control-flow.js";
import { Op } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";

export const NO_SLOT = -1;

/**
 * Returns by value id the position in `proc.slots` of the slot that the value is an address in, or
 * NO_SLOT.
 */
export function addressSlots(proc: Procedure): Int32Array {
  const slotOf = new Int32Array(proc.valueIdEnd).fill(NO_SLOT);
  for (const { values } of analyzeControlFlow(proc).order) {
    for (const value of values) slotOf[value.id] = slotOfAddress(proc, value, slotOf);
  }
  return slotOf;
}

function slotOfAddress(proc: Procedure, value: Value, slotOf: Int32Array): number {
  const { opcode, a, b } = value;
  if (opcode === Op.SlotBase) return proc.slots.indexOf(value.slot);
  if (a === null) return NO_SLOT;
  if (opcode === Op.Identity || opcode === Op.Opaque) return slotOf[a.id];
  if (opcode !== Op.Add || b === null) return NO_SLOT;
  return slotOf[a.id] === NO_SLOT ? slotOf[b.id] : slotOf[a.id];
}

/** Returns the offset of each slot in the frame, and the frame's size, a multiple of 8. */
export function slotOffsets({ slots }: Procedure): { starts: number[]; size: number } {
  const starts: number[] = [];
  let size = 0;
  for (const slot of slots) {
    starts.push(size);
    size += slot.size;
  }
  return { starts, size: Math.ceil(size / 8) * 8 };
}
