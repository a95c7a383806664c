// Executes a patchpoint: reads its operands, applies its meaning, writes its result.

import type { UndefinedRule } from "../../ir/outcome.js";
import type { PatchpointKind } from "../../ir/patchpoints.js";
import { isWide, type Type } from "../../ir/types.js";
import type { OperandMemory, PatchpointMeaning } from "../../ir/user-patchpoints.js";
import { assert } from "../../support/assert.js";
import { meaningOf } from "../patchpoints.js";
import { heapOffset, slotOffset } from "./addresses.js";
import type { OracleMachine } from "./machine.js";
import { CLOSED, DEAD, type OracleMemory } from "./memory.js";
import { forget } from "./objects.js";
import { DEST, END, NO_SLOT, STRIDE, X, Y } from "./program.js";
import type { StepFunction } from "./pure-steps.js";

const ENDED = "ended";
/** Returns the result, if there is one; null for a guard that exits; ENDED if the activation has ended. */
function evaluate(m: OracleMachine, pc: number): ReturnType<PatchpointMeaning> | typeof ENDED {
  const { kind, argCells } = m.procedure.patchpoints[m.code[pc + Y]];
  const operands: (number | bigint | OperandMemory)[] = [];
  for (let i = 0; i < argCells.length; i++) {
    const cell = argCells[i];
    if (m.flags[cell] !== 0 && kind.parameters[i].place !== "keepAlive") {
      m.nanBits(pc);
      return ENDED;
    }
    operands.push(isWide(kind.parameters[i].type) ? m.i64[cell] : m.i32[cell << 1]);
  }
  if (kind.bytes > 0) {
    const window = windowAt(m, pc, kind);
    if (window === null) return ENDED;
    operands.push(window);
  }
  return meaningOf(kind)(...operands);
}

/** Returns the offset of the access in the heap or in the slots; see `heapOffset` and `slotOffset`. */
export function patchpointOffset(m: OracleMachine, pc: number): number {
  const { argCells, slot } = m.procedure.patchpoints[m.code[pc + Y]];
  return slot === NO_SLOT ? heapOffset(m, argCells[0], 0) : slotOffset(m, argCells[0], 0, slot);
}

// Returns the bytes that a patchpoint accesses. A read and a write touch the same bytes, so one check covers both.
function windowAt(
  m: OracleMachine,
  pc: number,
  { bytes, effect }: PatchpointKind,
): OperandMemory | null {
  const { slot } = m.procedure.patchpoints[m.code[pc + Y]];
  const at = patchpointOffset(m, pc);
  const memory = slot === NO_SLOT ? m.heap : m.slots;
  if (!(slot === NO_SLOT ? isInHeap(m, pc, at, bytes) : isInSlot(m, pc, at, bytes, slot))) {
    return null;
  }
  const look = memory.look(at, bytes);
  const undefinedBy = (rule: UndefinedRule): null => {
    m.endAs({ kind: "undefined", rule, value: m.idAt(pc) });
    return null;
  };
  if (look === DEAD) return undefinedBy("dead heap byte");
  if (look !== CLOSED) {
    m.nanBits(pc);
    return null;
  }
  if (effect !== "write") return new MemoryWindow(memory, at, bytes);
  if (memory.isFrozen(at, bytes)) return undefinedBy("invariant byte written");
  memory.overwrite(at, bytes, false);
  if (slot === NO_SLOT) m.objects?.overwrite(at, bytes);
  else forget(m.slotAddresses, at, bytes);
  return new MemoryWindow(memory, at, bytes);
}

function isInHeap(m: OracleMachine, pc: number, at: number, bytes: number): boolean {
  if (at >= 0 && at <= m.heap.bytes.length - bytes) {
    const [cell] = m.procedure.patchpoints[m.code[pc + Y]].argCells;
    if (m.objects === null || m.objects.allows(at, bytes, m.cellObjects[cell])) return true;
    m.endAs({ kind: "undefined", rule: "byte of an object", value: m.idAt(pc) });
    return false;
  }
  m.endAs({ kind: "undefined", rule: "heap access out of bounds", value: m.idAt(pc) });
  return false;
}

function isInSlot(m: OracleMachine, pc: number, at: number, bytes: number, slot: number): boolean {
  const { start, size } = m.procedure.slots[slot];
  const isIn = at >= start && at <= start + size - bytes;
  const isWritten = isIn && !m.written.subarray(at, at + bytes).includes(0);
  if (isWritten) return true;
  const rule = isIn ? "unwritten slot byte" : "slot access out of bounds";
  m.endAs({ kind: "undefined", rule, value: m.idAt(pc) });
  return false;
}

class MemoryWindow implements OperandMemory {
  private readonly memory: OracleMemory;
  private readonly at: number;
  private readonly bytes: number;

  constructor(memory: OracleMemory, at: number, bytes: number) {
    this.memory = memory;
    this.at = at;
    this.bytes = bytes;
  }

  read(): bigint {
    const { view } = this.memory;
    return this.bytes === 8
      ? view.getBigInt64(this.at, true)
      : BigInt(view.getInt32(this.at, true));
  }

  write(value: bigint): undefined {
    const { view } = this.memory;
    if (this.bytes === 8) view.setBigInt64(this.at, value, true);
    else view.setInt32(this.at, Number(BigInt.asIntN(32, value)), true);
  }
}

function setResult(m: OracleMachine, cell: number, type: Type, result: number | bigint): void {
  if (typeof result === "number") m.i32[cell << 1] = result;
  else m.i64[cell] = result;
  assert(isWide(type) === (typeof result === "bigint"), () => `a result is not of its type`);
}

/** Executes Patchpoint and PatchpointCheck; the latter continues at its exit block if it has no result. */
export const patchpoint: StepFunction = (m, pc) => {
  const result = evaluate(m, pc);
  if (result === ENDED) return END;
  if (result === null) return m.code[pc + X];
  if (result === undefined) return pc + STRIDE;
  const { kind } = m.procedure.patchpoints[m.code[pc + Y]];
  setResult(m, m.code[pc + DEST], kind.result, result);
  return pc + STRIDE;
};

export const patchpointReturn: StepFunction = (m, pc) => {
  const result = evaluate(m, pc);
  if (result === ENDED) return END;
  assert(result !== null && result !== undefined, () => `@${m.idAt(pc)} returns nothing`);
  const { kind } = m.procedure.patchpoints[m.code[pc + Y]];
  const wide = BigInt(result);
  const bits = {
    type: kind.result,
    lo: Number(BigInt.asIntN(32, wide)),
    hi: isWide(kind.result) ? Number(BigInt.asIntN(32, wide >> 32n)) : 0,
    anyNaN: false,
  };
  return m.returnAs(bits);
};
