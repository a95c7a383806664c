// Lists the values of the program that compiled code must keep for an exit.

import { type FrameSlot, forEachOperand, type Snapshot, type Value } from "./procedure.js";

/**
 * Returns the values that the snapshot's exit block and slots show or use, including constants, each once. The order is
 * that of first uses: operands of the exit block, value by value; then slots, frame by frame, innermost first. Values
 * of the exit block itself are excluded, and so are addresses of dead bytes: nothing reads there.
 */
export function snapshotLeaves(snapshot: Snapshot): Value[] {
  const leaves: Value[] = [];
  const seen = new Set<Value>(snapshot.values);
  const add = (value: Value): void => {
    if (seen.has(value)) return;
    seen.add(value);
    leaves.push(value);
  };
  for (const value of snapshot.values) forEachOperand(value, add);
  for (const { slots } of snapshot.frames) for (const slot of slots) forEachShown(slot, add);
  return leaves;
}

function forEachShown(slot: FrameSlot, visit: (value: Value) => void): void {
  if (slot.kind === "value") visit(slot.value);
  else if (slot.kind === "fields") for (const { value } of slot.fields) visit(value);
}
