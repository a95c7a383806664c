// Computes the features of a program: pairs of opcodes, operand types, and the form of the
// surrounding graph.

import { HOST_FUNCTIONS } from "../../src/ir/host-functions.js";
import { CALLS_ADDRESS } from "../../src/ir/opcodes.js";
import {
  type FrameSlot,
  isMemoryAccess,
  type Module,
  type Procedure,
  type Snapshot,
  SwitchCases,
  type Value,
} from "../../src/ir/procedure.js";
import { isFloating } from "../../src/ir/types.js";
import { FEATURE, type FeatureCollector, magnitude } from "./features.js";

export function hitModule(module: Module, features: FeatureCollector): void {
  features.hit(FEATURE.moduleShape, 0, magnitude(module.procedures.length));
  features.hit(FEATURE.moduleShape, 1, magnitude(module.heapSize));
  features.hit(FEATURE.moduleShape, 2, magnitude(module.continuations.size));
  for (const proc of module.procedures) hitProcedure(proc, features);
}

function hitProcedure(proc: Procedure, features: FeatureCollector): void {
  features.hit(FEATURE.moduleShape, 3, magnitude(proc.blocks.length));
  features.hit(FEATURE.moduleShape, 4, proc.result);
  for (const { type } of proc.parameters) features.hit(FEATURE.moduleShape, 5, type);
  for (const slot of proc.slots) {
    features.hit(FEATURE.moduleShape, slot.isLocked ? 6 : 7, magnitude(slot.size));
  }
  for (const snapshot of proc.snapshots) hitSnapshot(snapshot, features);
  for (const block of proc.blocks) {
    if (block.frequency !== 1) features.hit(FEATURE.moduleShape, 8, block.frequency < 1 ? 0 : 1);
    hitValues(block.values, features);
  }
}

function hitSnapshot(snapshot: Snapshot, features: FeatureCollector): void {
  features.hit(FEATURE.snapshotShape, 0, magnitude(snapshot.frames.length));
  features.hit(FEATURE.snapshotShape, 1, magnitude(snapshot.values.length));
  hitValues(snapshot.values, features);
  for (const { slots } of snapshot.frames) {
    features.hit(FEATURE.snapshotShape, 2, magnitude(slots.length));
    for (const slot of slots) hitSlot(slot, features);
  }
}

function hitSlot(slot: FrameSlot, features: FeatureCollector): void {
  if (slot.kind === "value") features.hit(FEATURE.slotKind, slot.value.opcode, 1);
  else if (slot.kind === "constant") features.hit(FEATURE.slotKind, slot.type, 2);
  else if (slot.kind === "dead") features.hit(FEATURE.slotKind, 0, 3);
  else if (slot.kind === "contents") {
    features.hit(FEATURE.slotKind, magnitude(slot.slot.size), 4);
  } else if (slot.kind === "fields") {
    features.hit(FEATURE.slotKind, magnitude(slot.size), 7);
    features.hit(FEATURE.slotKind, magnitude(slot.fields.length), 8);
  } else if (slot.kind === "deadBytes") {
    features.hit(FEATURE.slotKind, slot.address.opcode, 9);
    features.hit(FEATURE.slotKind, magnitude(slot.size), 10);
  } else {
    features.hit(FEATURE.slotKind, magnitude(slot.offset), 5);
    features.hit(FEATURE.slotKind, magnitude(slot.size), 6);
  }
}

function hitValues(values: readonly Value[], features: FeatureCollector): void {
  let before = 0;
  for (const value of values) {
    const { opcode, type, a, b } = value;
    features.hit(FEATURE.opcodePair, before, opcode);
    features.hit(FEATURE.opcodeType, opcode, type * 8 + (a === null ? 0 : a.type));
    if (a !== null) features.hit(FEATURE.opcodeOfOperand, opcode, a.opcode * 2);
    if (b !== null) features.hit(FEATURE.opcodeOfOperand, opcode, b.opcode * 2 + 1);
    if (isMemoryAccess(value)) features.hit(FEATURE.offsetBits, magnitude(value.offset));
    if (value.isConstant) {
      const { constantLow: lo, constantHigh: hi } = value;
      // For a float the exponent distinguishes more than the length of its bits.
      const top = isFloating(type) ? (hi | lo) >>> 20 : magnitude(hi) * 64 + magnitude(lo);
      features.hit(FEATURE.constantBits, top, type);
    }
    if (value.rest !== null) hitCall(value, value.rest.length, features);
    if (value.extra instanceof SwitchCases) hitCases(value.extra, features);
    before = opcode;
  }
}

function hitCall({ opcode, host, type }: Value, count: number, features: FeatureCollector): void {
  if (host !== null) {
    features.hit(FEATURE.callee, host.index);
    return;
  }
  const kind = HOST_FUNCTIONS.length + CALLS_ADDRESS[opcode];
  features.hit(FEATURE.callee, kind, type * 16 + magnitude(count));
}

function hitCases({ lo, hi, count }: SwitchCases, features: FeatureCollector): void {
  features.hit(FEATURE.switchShape, 0, magnitude(count));
  for (let k = 0; k < count; k++) {
    features.hit(FEATURE.switchShape, 1, magnitude(hi[k]) * 64 + magnitude(lo[k]));
    // The density of the cases determines the generated code.
    if (k > 0) features.hit(FEATURE.switchShape, 2, magnitude((lo[k] - lo[k - 1]) | 0));
  }
}
