// Computes which values are addresses of stack slots, and of which slot: a static property.

import { analyzeControlFlow } from "../../ir/control-flow.js";
import { CONSTANT, EFFECTS, Op, READS_MEMORY, WRITES_MEMORY } from "../../ir/opcodes.js";
import type { PatchpointKind } from "../../ir/patchpoints.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { assert } from "../../support/assert.js";
import { zeroedWords } from "../../support/program-arrays.js";
import { FRAME_SLOT, NO_SLOT } from "./program.js";

/**
 * Returns, by value id: the position in `proc.slots` of the slot whose address the value is, FRAME_SLOT for an address
 * in the frame, or NO_SLOT.
 */
export function slotsOfAddresses(proc: Procedure): Int32Array {
  const slotOf = zeroedWords(proc.valueIdEnd).fill(NO_SLOT);
  // Each block comes after its dominators, so one pass visits definitions first.
  for (const block of analyzeControlFlow(proc).order) {
    for (const value of block.values) {
      slotOf[value.id] = derivedSlot(proc, value, slotOf);
      checkOperands(value, slotOf);
    }
  }
  for (const snapshot of proc.snapshots) {
    for (const value of snapshot.values) checkOperands(value, slotOf);
  }
  return slotOf;
}

function derivedSlot(proc: Procedure, value: Value, slotOf: Int32Array): number {
  if (value.opcode === Op.FramePointer) return FRAME_SLOT;
  if (value.opcode === Op.SlotBase) return proc.slots.indexOf(value.slot);
  if (value.a === null) return NO_SLOT;
  if (value.opcode === Op.Identity || value.opcode === Op.Opaque) return slotOf[value.a.id];
  if (value.opcode !== Op.Add || value.b === null) return NO_SLOT;
  return slotOf[value.a.id] === NO_SLOT ? slotOf[value.b.id] : slotOf[value.a.id];
}

// Checks that a slot's address is used only as an address. Its cell contains only an offset, which would be a wrong
// number elsewhere.
function checkOperands(value: Value, slotOf: Int32Array): void {
  const isAccess = (EFFECTS[value.opcode] & (READS_MEMORY | WRITES_MEMORY)) !== 0;
  const { a, b, c, rest } = value;
  let addresses = 0;
  let all = countAddress(a, slotOf) + countAddress(b, slotOf) + countAddress(c, slotOf);
  if (rest !== null) for (let i = 0; i < rest.length; i++) all += countAddress(rest[i], slotOf);
  if (isAccess && slotOf[value.address.id] !== NO_SLOT) addresses++;
  if (slotOf[value.id] !== NO_SLOT && (EFFECTS[value.opcode] & CONSTANT) === 0) addresses++;
  if (value.patchpoint !== null) addresses += takenAddresses(value.patchpoint);
  if (value.host?.kept === "takes") addresses++;
  assert(all === addresses, () => `@${value.id} uses the address of a stack slot as a number`);
}

const countAddress = (operand: Value | null, slotOf: Int32Array): number =>
  operand !== null && slotOf[operand.id] !== NO_SLOT ? 1 : 0;

const takenAddresses = ({ parameters }: PatchpointKind): number =>
  parameters.filter(({ address }) => address !== null).length;
