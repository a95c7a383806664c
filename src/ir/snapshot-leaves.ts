// The values of the program that compiled code must keep for an exit.

import { forEachOperand, type Slot, type Snapshot, type Value } from "./procedure.js";

/**
 * The values of the program that the snapshot's exit block and slots show or use, constants
 * included, each once. Order: operands of the exit block, value by value, each in the order of its
 * operands; then slots, frame by frame, innermost first; each at its first use. Values of the exit
 * block itself are not among them, and neither is where dead bytes are: nothing looks there.
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

function forEachShown(slot: Slot, visit: (value: Value) => void): void {
  if (slot.kind === "value") visit(slot.value);
  else if (slot.kind === "fields") for (const { value } of slot.fields) visit(value);
}
