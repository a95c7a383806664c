// Compares the records of exits with the allocation. The LIR interpreter reads the same records, so a wrong record looks
// like wrong LIR. This file derives each record again, from guards and locations, and compares both as text.

import { ProcedureFrame } from "../../reference/emit/frame.js";
import { copyLir } from "../../reference/lir/interpret/lir-procedure.js";
import {
  CONSTANT_LEAF,
  type GuardExit,
  isGeneral,
  isVector,
  type Lir,
  outgoingOf,
  VECTOR,
  vregOf,
} from "../../reference/lir/lir.js";
import type { Allocation } from "../../reference/regalloc/allocation.js";
import {
  type ExitLocation,
  type ExitRecord,
  LocationKind,
} from "../../reference/snapshot/exit-record.js";
import type { LoweringPlan } from "../../reference/target/plan.js";
import type { FrameSlot, Value } from "../ir/procedure.js";
import { Int32 } from "../ir/types.js";

/** The expected records of a program's exits, in the order in which they are recorded. */
export class ExpectedRecords {
  private readonly expected: {
    readonly slots: readonly string[];
    /** Callee-saved registers that the frame saves, in order. */
    readonly saved: readonly number[];
  }[] = [];

  /** Adds a procedure whose registers are allocated. */
  add(lir: Lir, allocation: Allocation, plan: LoweringPlan): void {
    const frame = new ProcedureFrame();
    frame.layOut(plan.target.calleeSaved, lir, allocation);
    const copy = copyLir(lir);
    const saved = [...frame.saved];
    for (const guard of lir.guards) {
      this.expected.push({ slots: slotsOf(guard, copy, frame), saved });
    }
  }

  /** Returns the first part of a record that differs, in a sentence; null if none does. */
  faultIn(records: readonly ExitRecord[]): string | null {
    for (const [k, { exit, frames, saved: own }] of records.entries()) {
      const { slots, saved } = this.expected[k];
      if (own.join() !== saved.join()) {
        return `exit ${exit} is recorded with the saved registers [${own}], but the frame has [${saved}]`;
      }
      const recorded = frames.flatMap(({ slots }) => slots.map(textOf));
      const s = recorded.findIndex((text, i) => text !== slots[i]);
      if (s < 0) continue;
      return `slot ${s} of exit ${exit} is recorded as ${recorded[s]}, but is ${slots[s]}`;
    }
    return null;
  }
}

const slotsOf = (guard: GuardExit, lir: Lir, frame: ProcedureFrame): string[] =>
  guard.snapshot.frames.flatMap(({ slots }) =>
    slots.map((slot) => slotText(slot, guard, lir, frame)),
  );

function slotText(slot: FrameSlot, guard: GuardExit, lir: Lir, frame: ProcedureFrame): string {
  switch (slot.kind) {
    case "dead":
    case "deadHeap":
    case "deadBytes":
      return "dead";
    case "contents":
      return `${slot.slot.size} bytes at ${frame.offsetOfSlot(slot.slot.id)}`;
    case "fields":
      return `fields of ${slot.size} bytes`;
    case "constant":
      return `constant ${slot.lo}, ${slot.hi}`;
    case "value": {
      const result = guard.snapshot.values.indexOf(slot.value);
      return result >= 0 ? `result ${result}` : leafText(slot.value, guard, lir, frame);
    }
  }
}

function leafText(value: Value, guard: GuardExit, lir: Lir, frame: ProcedureFrame): string {
  const operand = guard.operands[guard.leaves.indexOf(value)];
  if (operand === CONSTANT_LEAF) {
    let constant = value;
    while (!constant.isConstant && constant.a !== null) constant = constant.a;
    return `constant ${constant.constantLow}, ${constant.constantHigh}`;
  }
  if (outgoingOf(operand) >= 0) return `frame at ${outgoingOf(operand) - frame.size}`;
  const place = (at: number): string => {
    const location = lir.location[at];
    if (isGeneral(location)) return `register ${location}`;
    if (isVector(location)) return `vector ${location - VECTOR}`;
    return `frame at ${frame.offsetOfSpill(location)}`;
  };
  const isHalf = value.type !== Int32 && lir.typeOf(vregOf(lir.operand[operand])) === Int32;
  return isHalf ? `${place(operand)} and ${place(operand + 1)}` : place(operand);
}

function textOf({ place, index, lo, hi, halves }: ExitLocation): string {
  switch (place) {
    case LocationKind.Dead:
      return "dead";
    case LocationKind.General:
      return `register ${index}`;
    case LocationKind.Vector:
      return `vector ${index}`;
    case LocationKind.Frame:
      return `frame at ${-index}`;
    case LocationKind.Constant:
      return `constant ${lo}, ${hi}`;
    case LocationKind.Result:
      return `result ${index}`;
    case LocationKind.Contents:
      return `${lo} bytes at ${-index}`;
    case LocationKind.Fields:
      return `fields of ${index} bytes`;
    case LocationKind.Halves:
      return halves === null ? "halves" : halves.map(textOf).join(" and ");
  }
}
