// Maps the numeric instructions of WebAssembly to opcodes.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";
import type { TrapKind } from "./traps.js";

/** The receiver of an operation's values. */
export interface ValueEmitter {
  /** Appends a value. */
  emit(opcode: Opcode, type: Type, ...operands: Value[]): Value;
  constant(type: Type, lo: number, hi: number): Value;
  /** Appends a Check: a trap of the operation is an exit of the program. */
  trapIf(condition: Value, trap: TrapKind): void;
}

export interface WasmOperation {
  readonly takes: readonly Type[];
  readonly gives: Type;
  /** The operation only moves the bits of a NaN, so none of them is open. */
  readonly keepsBits: boolean;
  readonly make: (body: ValueEmitter, x: Value, y: Value) => Value;
}

const rows = new Map<string, WasmOperation>();
const KEEPS_BITS: readonly Opcode[] = [Op.Neg, Op.Abs, Op.CopySign, Op.BitwiseCast];

function row(
  name: string,
  takes: readonly Type[],
  gives: Type,
  make: WasmOperation["make"],
  keepsBits = false,
): void {
  rows.set(name, { takes, gives, keepsBits, make });
}

/** Adds a row of one or two opcodes; the first of two opcodes returns an Int32 to the second. */
function unary(name: string, takes: Type, gives: Type, ...opcodes: Opcode[]): void {
  const make: WasmOperation["make"] = ({ emit }, x) =>
    opcodes.reduce(
      (value, opcode, i) => emit(opcode, i < opcodes.length - 1 ? Int32 : gives, value),
      x,
    );
  row(name, [takes], gives, make, KEEPS_BITS.includes(opcodes[0]));
}

function binary(name: string, takes: Type, gives: Type, opcode: Opcode): void {
  const make: WasmOperation["make"] = ({ emit }, x, y) => emit(opcode, gives, x, y);
  row(name, [takes, takes], gives, make, KEEPS_BITS.includes(opcode));
}

// biome-ignore format: a table
const ARITHMETIC = {
  integer: [["add", Op.Add], ["sub", Op.Sub], ["mul", Op.Mul], ["and", Op.BitAnd], ["or", Op.BitOr], ["xor", Op.BitXor]],
  float: [
    ["add", Op.Add], ["sub", Op.Sub], ["mul", Op.Mul], ["div", Op.Div],
    ["min", Op.FMin], ["max", Op.FMax], ["copysign", Op.CopySign],
  ],
} as const;
// biome-ignore format: a table
const COMPARISONS = {
  integer: [
    ["eq", Op.Equal], ["ne", Op.NotEqual],
    ["lt_s", Op.LessThan], ["gt_s", Op.GreaterThan], ["le_s", Op.LessEqual], ["ge_s", Op.GreaterEqual],
    ["lt_u", Op.Below], ["gt_u", Op.Above], ["le_u", Op.BelowEqual], ["ge_u", Op.AboveEqual],
  ],
  float: [
    ["eq", Op.Equal], ["ne", Op.NotEqual],
    ["lt", Op.LessThan], ["gt", Op.GreaterThan], ["le", Op.LessEqual], ["ge", Op.GreaterEqual],
  ],
} as const;
// biome-ignore format: a table
const SHIFTS = [
  ["shl", Op.Shl], ["shr_s", Op.SShr], ["shr_u", Op.ZShr], ["rotl", Op.RotL], ["rotr", Op.RotR],
] as const;
// biome-ignore format: a table
const UNARY = {
  integer: [["clz", Op.Clz], ["ctz", Op.Ctz], ["popcnt", Op.PopCnt]],
  float: [
    ["neg", Op.Neg], ["abs", Op.Abs], ["sqrt", Op.Sqrt],
    ["ceil", Op.Ceil], ["floor", Op.Floor], ["trunc", Op.FTrunc], ["nearest", Op.Nearest],
  ],
} as const;
// The preceding Checks exclude all cases in which Div is undefined. MIN % -1 is 0 in WebAssembly
// and does not trap.
// biome-ignore format: a table
const DIVISIONS = [
  ["div_s", Op.Div], ["div_u", Op.UDiv], ["rem_s", Op.ChillMod], ["rem_u", Op.UMod],
] as const;

const INTEGERS = [
  ["i32", Int32],
  ["i64", Int64],
] as const;
const FLOATS = [
  ["f32", Float],
  ["f64", Double],
] as const;

const MIN = -(2 ** 31);

for (const [prefix, type] of INTEGERS) {
  for (const [name, opcode] of ARITHMETIC.integer) binary(`${prefix}.${name}`, type, type, opcode);
  for (const [name, opcode] of COMPARISONS.integer)
    binary(`${prefix}.${name}`, type, Int32, opcode);
  for (const [name, opcode] of UNARY.integer) unary(`${prefix}.${name}`, type, type, opcode);
  for (const [name, opcode] of SHIFTS) {
    // Shift counts are 32 bits wide; both languages use only their low 5 or 6 bits.
    row(`${prefix}.${name}`, [type, type], type, ({ emit }, x, y) =>
      emit(opcode, type, x, type === Int64 ? emit(Op.Trunc, Int32, y) : y),
    );
  }
  for (const [name, opcode] of DIVISIONS) {
    row(`${prefix}.${name}`, [type, type], type, (body, x, y) => {
      const { emit, constant, trapIf } = body;
      trapIf(emit(Op.Equal, Int32, y, constant(type, 0, 0)), "integer divide by zero");
      if (opcode === Op.Div) trapIf(overflows(body, type, x, y), "integer overflow");
      return emit(opcode, type, x, y);
    });
  }
  row(`${prefix}.eqz`, [type], Int32, ({ emit, constant }, x) =>
    emit(Op.Equal, Int32, x, constant(type, 0, 0)),
  );
}

/** Returns the condition of MIN / -1. */
function overflows({ emit, constant }: ValueEmitter, type: Type, x: Value, y: Value): Value {
  const min = type === Int64 ? constant(type, 0, MIN) : constant(type, MIN, 0);
  const minusOne = constant(type, -1, type === Int64 ? -1 : 0);
  return emit(Op.BitAnd, Int32, emit(Op.Equal, Int32, x, min), emit(Op.Equal, Int32, y, minusOne));
}

for (const [prefix, type] of FLOATS) {
  for (const [name, opcode] of ARITHMETIC.float) binary(`${prefix}.${name}`, type, type, opcode);
  for (const [name, opcode] of COMPARISONS.float) binary(`${prefix}.${name}`, type, Int32, opcode);
  for (const [name, opcode] of UNARY.float) unary(`${prefix}.${name}`, type, type, opcode);
}

// A truncation without a trap has an operand between the limits. -2^63 - 1 is not a Double, so the
// lower limit of that row is inclusive.
// biome-ignore format: a table
const TRUNCATIONS = [
  { to: "i32", sign: "s", gives: Int32, opcode: Op.TruncS32, above: Op.GreaterThan,  low: -(2 ** 31) - 1, high: 2 ** 31 },
  { to: "i32", sign: "u", gives: Int32, opcode: Op.TruncU32, above: Op.GreaterThan,  low: -1,             high: 2 ** 32 },
  { to: "i64", sign: "s", gives: Int64, opcode: Op.TruncS64, above: Op.GreaterEqual, low: -(2 ** 63),     high: 2 ** 63 },
  { to: "i64", sign: "u", gives: Int64, opcode: Op.TruncU64, above: Op.GreaterThan,  low: -1,             high: 2 ** 64 },
] as const;

for (const { to, sign, gives, opcode, above, low, high } of TRUNCATIONS) {
  for (const [from, type] of FLOATS) {
    unary(`${to}.trunc_sat_${from}_${sign}`, type, gives, opcode);
    row(`${to}.trunc_${from}_${sign}`, [type], gives, (body, x) => {
      const { emit, constant, trapIf } = body;
      trapIf(emit(Op.NotEqual, Int32, x, x), "invalid conversion to integer");
      const wide = type === Float ? emit(Op.FloatToDouble, Double, x) : x;
      const trapUnless = (comparison: Opcode, limit: number): void => {
        const holds = emit(comparison, Int32, wide, double(body, limit));
        trapIf(emit(Op.Equal, Int32, holds, constant(Int32, 0, 0)), "integer overflow");
      };
      trapUnless(above, low);
      trapUnless(Op.LessThan, high);
      return emit(opcode, gives, x);
    });
  }
}

function double({ constant }: ValueEmitter, number: number): Value {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  return constant(Double, view.getInt32(4), view.getInt32(0));
}

for (const [from, type] of INTEGERS) {
  unary(`f32.convert_${from}_s`, type, Float, Op.IToF);
  unary(`f32.convert_${from}_u`, type, Float, Op.UToF);
  unary(`f64.convert_${from}_s`, type, Double, Op.IToD);
  unary(`f64.convert_${from}_u`, type, Double, Op.UToD);
}
unary("i32.extend8_s", Int32, Int32, Op.SExt8);
unary("i32.extend16_s", Int32, Int32, Op.SExt16);
unary("i64.extend8_s", Int64, Int64, Op.Trunc, Op.SExt8To64);
unary("i64.extend16_s", Int64, Int64, Op.Trunc, Op.SExt16To64);
unary("i64.extend32_s", Int64, Int64, Op.Trunc, Op.SExt32);
unary("i64.extend_i32_s", Int32, Int64, Op.SExt32);
unary("i64.extend_i32_u", Int32, Int64, Op.ZExt32);
unary("i32.wrap_i64", Int64, Int32, Op.Trunc);
unary("f64.promote_f32", Float, Double, Op.FloatToDouble);
unary("f32.demote_f64", Double, Float, Op.DoubleToFloat);
unary("f32.reinterpret_i32", Int32, Float, Op.BitwiseCast);
unary("f64.reinterpret_i64", Int64, Double, Op.BitwiseCast);
unary("i32.reinterpret_f32", Float, Int32, Op.BitwiseCast);
unary("i64.reinterpret_f64", Double, Int64, Op.BitwiseCast);

export const OPERATIONS: ReadonlyMap<string, WasmOperation> = rows;
