// Writes an exit: its record, then the calls of its continuations.

import { type FrameSlot, parameterTypeFor, type Snapshot } from "../../ir/procedure.js";
import { Void } from "../../ir/types.js";
import { SET_DEOPT_FLAG } from "../answers.js";
import { variablesOf } from "../further-results.js";
import { EXIT, exitParts, exitRecordBytes, type RecordPart } from "../observation.js";
import { ENDED } from "../status.js";
import type { FunctionWriter } from "./function-writer.js";
import { WASM_TYPES, writeConstant } from "./instructions.js";
import { storeOf } from "./opcode-rows.js";
import { TYPES, typeCode } from "./value-types.js";

/** Writes the exit after the values of the exit block. */
export function writeExit(writer: FunctionWriter, snapshot: Snapshot): void {
  writeRecord(writer, snapshot);
  writer.popFrame();
  const { linked } = writer;
  const continuations = linked.continuationsOf(snapshot.exit);
  if (continuations.length === 0) {
    writer.endExecution(ENDED);
    return;
  }
  let inner: number | null = null; // the local of the last continuation's result
  continuations.forEach((continuation, f) => {
    for (const slot of snapshot.frames[f].slots) pushArgument(writer, slot);
    if (inner !== null) writer.op("local.get", inner);
    if (f > 0) {
      for (const { take } of variablesOf(continuations[f - 1]))
        writer.op("call", linked.hostFunction(take));
    }
    writer.op("i32.const", 0);
    writer.op("call", linked.functionOf(continuation));
    const { result } = continuation;
    inner = result === Void ? null : writer.newLocal(typeCode(result));
    if (inner !== null) writer.op("local.tee", inner);
    writer.op("i32.const", linked.positionOf(continuation));
    writer.op("call", linked.returnRecorder(result));
  });
  if (linked.hasCallCheck) {
    writer.op("i32.const", 0); // continuations clear the flag
    writer.op("call", linked.hostFunction(SET_DEOPT_FLAG));
  }
  if (inner !== null) writer.op("local.get", inner);
  writer.op("return");
}

/** Pushes the argument that a continuation takes for the slot, if any. */
function pushArgument(writer: FunctionWriter, slot: FrameSlot): void {
  if (parameterTypeFor(slot) === Void) return;
  if (slot.kind === "value") writer.push(slot.value);
  else if (slot.kind === "constant") {
    writeConstant(writer.code, TYPES[slot.type].name, slot.lo, slot.hi);
  }
}

/** Writes the record of observation.ts. */
function writeRecord(writer: FunctionWriter, snapshot: Snapshot): void {
  const { linked, proc } = writer;
  const { heap, heapSize } = linked.layout;
  const record = writer.newLocal(WASM_TYPES.i32);
  const bytes = exitRecordBytes(snapshot);
  writer.op("i32.const", bytes + heapSize);
  writer.op("call", linked.reserve);
  writer.op("local.tee", record);
  writer.op("i32.const", EXIT);
  if (linked.isFlagged) {
    // The tag of a callee's exit is EXIT + 1.
    writer.op("local.get", writer.flagLocal);
    writer.op("i32.add");
  }
  writer.op("i32.store");
  storeWord(writer, record, 4, linked.positionOf(proc));
  storeWord(writer, record, 8, proc.snapshots.indexOf(snapshot));
  for (const part of exitParts(snapshot)) showPart(writer, record, part);
  writer.op("local.get", record);
  writer.op("i32.const", bytes);
  writer.op("i32.add");
  writer.op("i32.const", heap);
  writer.op("i32.const", heapSize);
  writer.op("call", linked.copier());
}

function storeWord(writer: FunctionWriter, record: number, at: number, word: number): void {
  writer.op("local.get", record);
  writer.op("i32.const", word);
  writer.op("i32.store", at);
}

function showPart(writer: FunctionWriter, record: number, part: RecordPart): void {
  writer.op("local.get", record);
  if ("value" in part) {
    writer.push(part.value);
    writer.op(storeOf(part.value.type), part.at);
    return;
  }
  writer.op("i32.const", part.at);
  writer.op("i32.add");
  writer.pushSlotAddress(writer.proc.slots.indexOf(part.slot));
  writer.op("i32.const", part.slot.size);
  writer.op("call", writer.linked.copier());
}
