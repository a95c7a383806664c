// Computes the state that an exit shows, and marks its dead bytes: docs/language.md, section 7, step 2.

import type { Ending, SlotBits } from "../ir/outcome.js";
import type { FrameSlot, Snapshot } from "../ir/procedure.js";
import { Int64, sizeOf } from "../ir/types.js";
import { checkNotCut, checkObject } from "./accesses.js";
import {
  datumOf,
  imageOf,
  integerOf,
  type MemoryObject,
  markMissing,
  newMemory,
  show,
  writeBytes,
} from "./memory.js";
import { endIfNaNBits, get, type ProcedureActivation } from "./state.js";

export type ExitEnding = Extract<Ending, { kind: "exit" }>;

/** Returns the exit of a snapshot whose exit block has run (language.md, section 7, step 2). */
export function observeExit(
  activation: ProcedureActivation,
  { exit, frames }: Snapshot,
): ExitEnding {
  activation.run.valueId = -1;
  for (const slot of frames.flatMap(({ slots }) => slots)) makeDead(activation, slot);
  const states = frames.map(({ name, point, slots }) => {
    return { name, point, slots: slots.map((slot) => slotBits(activation, slot)) };
  });
  return { kind: "exit", exit, frames: states, heap: imageOf(activation.run.heap), resumed: [] };
}

/** Marks the slot's dead bytes, as far as they lie in the heap (language.md, section 7, step 2). */
function makeDead(activation: ProcedureActivation, slot: FrameSlot): void {
  const { run } = activation;
  const { heap } = run;
  if (slot.kind !== "deadHeap" && slot.kind !== "deadBytes") return;
  const address =
    slot.kind === "deadHeap" ? datumOf(Int64, heap.start) : get(activation, slot.address);
  endIfNaNBits(run, address.anyNaN);
  const first = Number(BigInt.asIntN(64, integerOf(address) - heap.start)) + slot.offset;
  const [from, end] = [Math.max(0, first), Math.min(heap.bytes.length, first + slot.size)];
  if (from >= end) return;
  const range = { memory: heap, at: from, size: end - from };
  checkObject(run, address.object, range);
  checkNotCut(run, range);
  markMissing(range);
}

/**
 * Returns the bits of a frame's slot, or null if it is dead. Objects whose addresses it contains become shown
 * (language.md, section 7).
 */
function slotBits(activation: ProcedureActivation, slot: FrameSlot): SlotBits {
  const { heap } = activation.run;
  if (slot.kind === "constant") return datumOf(slot.type, integerOf(slot));
  if (slot.kind === "value") {
    show(heap, [get(activation, slot.value)]);
    return get(activation, slot.value);
  }
  const bytes =
    slot.kind === "contents" ? activation.slots.get(slot.slot) : fieldsOf(activation, slot);
  if (!bytes) return null;
  show(heap, bytes.whole.values());
  return imageOf(bytes);
}

/** Returns the bytes of a slot of fields, in the form of a stack slot (language.md, section 7, step 2). */
function fieldsOf(activation: ProcedureActivation, slot: FrameSlot): MemoryObject | null {
  if (slot.kind !== "fields") return null;
  const memory = newMemory({ isLocked: true }, slot.size);
  for (const { offset, value } of slot.fields) {
    writeBytes({ memory, at: offset, size: sizeOf(value.type) }, get(activation, value));
  }
  return memory;
}
