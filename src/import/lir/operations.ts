// Translates the instructions that compute a result from operands.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, Void } from "../../ir/types.js";
import type { LirLetter, LirSpec } from "../../lir/names.js";
import { assert } from "../../support/assert.js";
import type { LirEmitter } from "./lir-emitter.js";

const TYPES: Readonly<Record<LirLetter, Type>> = {
  ...{ i: Int32, q: Int64, p: Int64, d: Double, f: Float, v: Void },
};
export const typeOf = (letter: LirLetter): Type => TYPES[letter];

export function writeOperation(
  e: LirEmitter,
  { name, opcode, gives }: LirSpec,
  operands: readonly Value[],
): Value {
  if (opcode !== null) return e.emit(opcode, typeOf(gives), ...operands);
  const [x, y] = operands;
  const write = SEVERAL.get(name);
  assert(write !== undefined, () => `${name} has no opcode and no script`);
  return write(e, x, y);
}

/** Writes the load of a value; `at` is the displacement. */
export function writeLoad(e: LirEmitter, { opcode, gives }: LirSpec, base: Value, at: number) {
  if (opcode !== null) return e.load(opcode, typeOf(gives), base, at);
  return e.emit(Op.FloatToDouble, Double, e.load(Op.Load, Float, base, at));
}

export function writeStore(
  e: LirEmitter,
  { opcode }: LirSpec,
  value: Value,
  base: Value,
  at: number,
): void {
  const stored = opcode === null ? e.emit(Op.DoubleToFloat, Float, value) : value;
  e.store(opcode ?? Op.Store, stored, base, at);
}

type OperationWriter = (e: LirEmitter, x: Value, y: Value) => Value;

/** Instructions that several opcodes express, by name. */
const SEVERAL: ReadonlyMap<string, OperationWriter> = new Map<string, OperationWriter>([
  ["noti", (e, x) => e.emit(Op.BitXor, Int32, x, e.int(-1))],
  ["notq", (e, x) => e.emit(Op.BitXor, Int64, x, e.long(-1))],
  ["d2i", (e, x) => truncated(e, x, Op.TruncS32)],
  ["f2i", (e, x) => truncated(e, x, Op.TruncS32)],
  ["d2q", (e, x) => truncated(e, x, Op.TruncS64)],
  ["dlo2i", (e, x) => e.emit(Op.Trunc, Int32, e.emit(Op.BitwiseCast, Int64, x))],
  ["dhi2i", (e, x) => e.emit(Op.TruncHigh, Int32, e.emit(Op.BitwiseCast, Int64, x))],
  ["ii2d", (e, low, high) => e.emit(Op.BitwiseCast, Double, e.emit(Op.Stitch, Int64, high, low))],
]);

/** Rounds toward zero; out of range, and for a NaN, it gives the least integer, as x86 does. */
function truncated(e: LirEmitter, x: Value, opcode: Opcode): Value {
  const type = opcode === Op.TruncS64 ? Int64 : Int32;
  const exponent = type === Int64 ? 63 : 31;
  const limit = constantOf(e, x.type, 2 ** exponent);
  const isBelow = e.emit(Op.LessThan, Int32, x, limit);
  const least = type === Int64 ? e.constant(Int64, 0, 1 << 31) : e.int(1 << 31);
  return e.emit(Op.Select, type, isBelow, e.emit(opcode, type, x), least);
}

function constantOf(e: LirEmitter, type: Type, number: number): Value {
  const view = new DataView(new ArrayBuffer(8));
  if (type === Float) {
    view.setFloat32(0, number);
    return e.constant(Float, view.getInt32(0));
  }
  view.setFloat64(0, number);
  return e.constant(Double, view.getInt32(4), view.getInt32(0));
}

/** Instructions whose result is a condition of a jump, a guard or a conditional move. */
const COMPARISONS: readonly (Opcode | null)[] = [
  ...[Op.Equal, Op.LessThan, Op.GreaterThan, Op.LessEqual, Op.GreaterEqual],
  ...[Op.Below, Op.Above, Op.BelowEqual, Op.AboveEqual],
];

export const isCondition = ({ form, opcode }: LirSpec): boolean =>
  form === "flag" || form === "immediate" || (form === "value" && COMPARISONS.includes(opcode));
