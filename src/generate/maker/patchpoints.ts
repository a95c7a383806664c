// Emits patchpoints, registers of arguments, and addresses in the frame.

import { Op, type Opcode } from "../../ir/opcodes.js";
import {
  opcodeNameOf,
  PATCHPOINTS,
  type PatchpointKind,
  type PatchpointName,
  type PatchpointParameter,
} from "../../ir/patchpoints.js";
import { argumentOf, type Snapshot, type Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, Void } from "../../ir/types.js";
import { pickSpecial } from "./conditions.js";
import { pickSnapshot, snapshotOf } from "./exits.js";
import type { ProcedureMaker } from "./maker.js";
import { lockedAddress, pickAddress, placeIn } from "./memory.js";

/** Appends a patchpoint of some kind of the opcode; nothing if no kind suits the program. */
export function emitPatchpoint(maker: ProcedureMaker, opcode: Opcode): void {
  const kind = drawKind(maker, opcode, () => true);
  if (kind === null) return;
  const operands = operandsOf(maker, kind, null);
  const snapshot = kind.effect === "exit" ? snapshotBeside(maker, kind, operands) : null;
  const hasResult = kind.result !== Void;
  const value = hasResult ? maker.emit(opcode, kind.result) : maker.append(opcode, Void);
  fill(value, kind, operands);
  value.extra = snapshot;
  if (!hasResult && kind.bytes > 0 && maker.chance(60)) loadWritten(maker, operands[0], kind.bytes);
}

/** Returns a snapshot for the patchpoint, which shows one or all of its late operands by chance. */
function snapshotBeside(
  maker: ProcedureMaker,
  { parameters }: PatchpointKind,
  operands: readonly Value[],
): Snapshot {
  const late = operands.filter((value, k) => parameters[k].isLate && !value.isConstant);
  if (late.length === 0 || !maker.chance(SHOWN)) return pickSnapshot(maker);
  return snapshotOf(maker, maker.chance(50) ? late : [late[maker.below(late.length)]]);
}

/** Percentage of snapshots that show a late operand of their patchpoint, where it may. */
const SHOWN = 80;

/** Loads the bytes that a kind without a result wrote, so that they matter. */
function loadWritten(maker: ProcedureMaker, address: Value, bytes: number): void {
  const type = bytes === 8 && maker.swarm.hasType[Int64] ? Int64 : Int32;
  maker.emit(Op.Load, type, address);
}

/** Appends a patchpoint whose result is a reference. */
export function emitReference(maker: ProcedureMaker): Value {
  const kind = REFERENCES[maker.below(REFERENCES.length)];
  const operands = operandsOf(maker, kind, null);
  const value = maker.append(Op.Patchpoint, kind.result);
  fill(value, kind, operands);
  return value;
}

/** Kinds whose operands are all plain values. */
const REFERENCES: readonly PatchpointKind[] = PATCHPOINTS.filter(
  ({ isReference, isTotal }) => isReference && isTotal,
);

/**
 * Ends the procedure with a patchpoint that uses `value`; returns false if no kind has the result
 * type.
 */
export function emitPatchpointReturn(maker: ProcedureMaker, value: Value): boolean {
  const { result } = maker.proc;
  const kind = drawKind(maker, Op.PatchpointReturn, (each) => each.result === result);
  if (kind === null || value.type !== result) return false;
  const operands = operandsOf(maker, kind, maker.closed(value));
  fill(maker.append(Op.PatchpointReturn, Void), kind, operands);
  return true;
}

function fill(value: Value, kind: PatchpointKind, operands: Value[]): void {
  value.patchpointKind = kind.index;
  value.rest = operands;
  for (const operand of operands) operand.uses++;
}

/** Kinds by opcode, in the order of the table. */
const KINDS = new Map<Opcode, PatchpointKind[]>();
for (const kind of PATCHPOINTS) {
  const opcode = Op[opcodeNameOf(kind)];
  KINDS.set(opcode, [...kindsOf(opcode), kind]);
}

function kindsOf(opcode: Opcode): readonly PatchpointKind[] {
  return KINDS.get(opcode) ?? [];
}

function drawKind(
  maker: ProcedureMaker,
  opcode: Opcode,
  suits: (kind: PatchpointKind) => boolean,
): PatchpointKind | null {
  const { hasType } = maker.swarm;
  const kinds = kindsOf(opcode).filter((kind) => {
    const { parameters, result, bytes } = kind;
    if (!suits(kind)) return false;
    if (result !== Void && !hasType[result]) return false;
    if (bytes > 0 && parameters[0].address === null && maker.heapBase === null) return false;
    return parameters.every((parameter) => isAddress(kind, parameter) || hasType[parameter.type]);
  });
  return kinds.length === 0 ? null : kinds[maker.below(kinds.length)];
}

const isAddress = ({ bytes, parameters }: PatchpointKind, parameter: PatchpointParameter) =>
  parameter.address !== null || (bytes > 0 && parameter === parameters[0]);

/** @param first the first operand of its type; null for any value */
function operandsOf(maker: ProcedureMaker, kind: PatchpointKind, first: Value | null): Value[] {
  let given = first;
  return kind.parameters.map((parameter, k) => {
    const { type, place, address } = parameter;
    if (isAddress(kind, parameter)) return addressOf(maker, kind, address);
    if (place === "constant") return maker.constant(type);
    if (given !== null && given.type === type) {
      const taken = given;
      given = null;
      return taken;
    }
    const value = maker.chance(kind.effect === "exit" ? 35 : 10)
      ? pickSpecial(maker, type)
      : maker.pick(type);
    // A kept value's bits are never read, so it may be any NaN.
    return restrictedOperand(
      maker,
      kind.name,
      k,
      place === "keepAlive" ? value : maker.closed(value),
    );
  });
}

function addressOf(
  maker: ProcedureMaker,
  { bytes }: PatchpointKind,
  from: PatchpointParameter["address"],
): Value {
  if (from === "slot") return lockedAddress(maker, bytes);
  if (from === "frame") return frameAddress(maker);
  const heapBase = maker.heapBase ?? maker.constant(Int64); // drawKind has checked it
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, bytes);
  if (offset === 0) return address.value;
  return maker.append(Op.Add, Int64, address.value, maker.integer(Int64, offset));
}

function frameAddress(maker: ProcedureMaker): Value {
  const base = maker.append(Op.FramePointer, Int64);
  const roll = maker.below(4);
  if (roll === 0) return base;
  if (roll === 1) return maker.append(Op.Opaque, Int64, base);
  const distance = maker.swarm.hasType[Int64] ? maker.pick(Int64) : maker.constant(Int64);
  return maker.append(Op.Add, Int64, base, distance);
}

// Restricts an operand, since most guards would fail with arbitrary operands, and many would end
// each run at its start.
function restrictedOperand(
  maker: ProcedureMaker,
  name: PatchpointName,
  k: number,
  value: Value,
): Value {
  if (maker.chance(maker.dials.failing)) return value;
  if (name === "addOrExit") {
    return maker.emit(Op.BitAnd, Int32, value, maker.integer(Int32, 0x7fff_ffff));
  }
  if (name === "exitIfOdd" && k === 0) {
    return maker.emit(Op.BitAnd, Int32, value, maker.integer(Int32, -2));
  }
  if (name === "addPassed" && k === 2) return maker.emit(Op.Abs, Float, value);
  if (name === "exitIfNegative" && k === 1) return maker.emit(Op.Abs, Double, value);
  return value;
}

/** Appends an ArgumentReg; returns false if no parameter is passed in a register. */
export function emitArgument(maker: ProcedureMaker): boolean {
  const { proc, heapBase, swarm } = maker;
  const found: { parameter: Value; number: number }[] = [];
  for (const type of [Int64, Double]) {
    for (let number = 0; number < proc.parameters.length && swarm.hasType[type]; number++) {
      const parameter = argumentOf(proc, type, number);
      if (parameter?.type === type && parameter !== heapBase) found.push({ parameter, number });
    }
  }
  if (found.length === 0) return false;
  const { parameter, number } = found[maker.below(found.length)];
  const value = maker.emit(Op.ArgumentReg, parameter.type);
  value.argumentIndex = number;
  maker.setOpen(value, maker.isOpen(parameter));
  return true;
}
