// Makes programs of the operations of suites. An operation without a row in OPERATIONS is missing.

import type { ValueEmitter, WasmOperation } from "../import/operations.js";
import { Op } from "../ir/opcodes.js";
import { type FrameSlot, Module, Procedure, type Snapshot, type Value } from "../ir/procedure.js";
import { Void } from "../ir/types.js";
import type { SuiteValue } from "./suite.js";

/** The exit that represents a trap. */
export const TRAP_EXIT = 1;

/**
 * Returns a program that returns the operation's result, or takes the exit TRAP_EXIT, which shows the operands, if the
 * operation traps.
 * @param constants the operands; null: they are the parameters
 */
export function operationModule(
  { takes, gives, make }: WasmOperation,
  constants: readonly SuiteValue[] | null,
): Module {
  const module = new Module();
  const proc = new Procedure("f", gives);
  module.procedures.push(proc);
  const parameters = constants === null ? takes.map((type) => proc.newParameter(type)) : [];
  const block = proc.newBlock();
  const constant: ValueEmitter["constant"] = (type, lo, hi) =>
    block.append(proc.newConstant(type, lo, hi));
  const given = (constants ?? []).map(({ type, lo, hi }) => constant(type, lo, hi));
  const operands = [...parameters, ...given];
  const emit: ValueEmitter["emit"] = (opcode, type, x, y) =>
    block.append(proc.newValue(opcode, type, x, y));
  const trapIf: ValueEmitter["trapIf"] = (condition) => {
    emit(Op.Check, Void, condition).extra = proc.snapshots[0] ?? trapSnapshot(proc, operands);
  };
  const [x, y = x] = operands;
  emit(Op.Return, Void, make({ emit, constant, trapIf }, x, y));
  return module;
}

function trapSnapshot(proc: Procedure, operands: readonly Value[]): Snapshot {
  const snapshot = proc.newSnapshot(TRAP_EXIT);
  const slots = operands.map((value): FrameSlot => ({ kind: "value", value }));
  snapshot.frames.push({ name: proc.name, point: 0, slots });
  return snapshot;
}
