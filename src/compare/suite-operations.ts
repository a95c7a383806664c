// Operations of suites, by the names of WebAssembly, as programs of ours. An operation that no row
// names is missing.

import { Op, type Opcode } from "../ir/opcodes.js";
import { type BasicBlock, Module, Procedure, type Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, Void } from "../ir/types.js";
import type { SuiteValue } from "./suite.js";

/** Appends a value. */
type Emit = (opcode: Opcode, type: Type, ...operands: Value[]) => Value;

export interface Operation {
  readonly takes: readonly Type[];
  readonly gives: Type;
  readonly make: (emit: Emit, x: Value, y: Value) => Value;
}

const rows = new Map<string, Operation>();

function unary(name: string, takes: Type, gives: Type, ...opcodes: Opcode[]): void {
  const make: Operation["make"] = (emit, x) =>
    opcodes.reduce(
      (value, opcode, i) => emit(opcode, i < opcodes.length - 1 ? Int32 : gives, value),
      x,
    );
  rows.set(name, { takes: [takes], gives, make });
}

function binary(name: string, takes: Type, gives: Type, opcode: Opcode): void {
  rows.set(name, { takes: [takes, takes], gives, make: (emit, x, y) => emit(opcode, gives, x, y) });
}

// biome-ignore format: a table
const ARITHMETIC = {
  integer: [["add", Op.Add], ["sub", Op.Sub], ["mul", Op.Mul], ["and", Op.BitAnd], ["or", Op.BitOr], ["xor", Op.BitXor]],
  float: [["add", Op.Add], ["sub", Op.Sub], ["mul", Op.Mul], ["div", Op.Div]],
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
const SHIFTS = [
  ["shl", Op.Shl],
  ["shr_s", Op.SShr],
  ["shr_u", Op.ZShr],
] as const;
const FLOAT_UNARY = [
  ["neg", Op.Neg],
  ["abs", Op.Abs],
  ["ceil", Op.Ceil],
  ["sqrt", Op.Sqrt],
] as const;

const INTEGERS = [
  ["i32", Int32],
  ["i64", Int64],
] as const;
const FLOATS = [
  ["f32", Float],
  ["f64", Double],
] as const;

for (const [prefix, type] of INTEGERS) {
  for (const [name, opcode] of ARITHMETIC.integer) binary(`${prefix}.${name}`, type, type, opcode);
  for (const [name, opcode] of COMPARISONS.integer)
    binary(`${prefix}.${name}`, type, Int32, opcode);
  for (const [name, opcode] of SHIFTS) {
    // Our counts are 32 bits wide, and only their low 5 or 6 bits count in either language.
    const make: Operation["make"] = (emit, x, y) =>
      emit(opcode, type, x, type === Int64 ? emit(Op.Trunc, Int32, y) : y);
    rows.set(`${prefix}.${name}`, { takes: [type, type], gives: type, make });
  }
  rows.set(`${prefix}.eqz`, {
    takes: [type],
    gives: Int32,
    make: (emit, x) =>
      emit(Op.Equal, Int32, x, emit(type === Int64 ? Op.Const64 : Op.Const32, type)),
  });
}
for (const [prefix, type] of FLOATS) {
  for (const [name, opcode] of ARITHMETIC.float) binary(`${prefix}.${name}`, type, type, opcode);
  for (const [name, opcode] of COMPARISONS.float) binary(`${prefix}.${name}`, type, Int32, opcode);
  for (const [name, opcode] of FLOAT_UNARY) unary(`${prefix}.${name}`, type, type, opcode);
}
unary("i32.extend8_s", Int32, Int32, Op.SExt8);
unary("i32.extend16_s", Int32, Int32, Op.SExt16);
unary("i64.extend8_s", Int64, Int64, Op.Trunc, Op.SExt8, Op.SExt32);
unary("i64.extend16_s", Int64, Int64, Op.Trunc, Op.SExt16, Op.SExt32);
unary("i64.extend32_s", Int64, Int64, Op.Trunc, Op.SExt32);
unary("i64.extend_i32_s", Int32, Int64, Op.SExt32);
unary("i64.extend_i32_u", Int32, Int64, Op.ZExt32);
unary("i32.wrap_i64", Int64, Int32, Op.Trunc);
unary("f64.convert_i32_s", Int32, Double, Op.IToD);
unary("f64.convert_i64_s", Int64, Double, Op.IToD);
unary("f64.promote_f32", Float, Double, Op.FloatToDouble);
unary("f32.demote_f64", Double, Float, Op.DoubleToFloat);
unary("f32.reinterpret_i32", Int32, Float, Op.BitwiseCast);
unary("f64.reinterpret_i64", Int64, Double, Op.BitwiseCast);
unary("i32.reinterpret_f32", Float, Int32, Op.BitwiseCast);
unary("i64.reinterpret_f64", Double, Int64, Op.BitwiseCast);

export const OPERATIONS: ReadonlyMap<string, Operation> = rows;

/**
 * A program that returns the operation's result.
 * @param constants its operands; null: they are the parameters
 */
export function operationModule(
  { takes, gives, make }: Operation,
  constants: readonly SuiteValue[] | null,
): Module {
  const module = new Module();
  const proc = new Procedure("f", gives);
  module.procedures.push(proc);
  const parameters = constants === null ? takes.map((type) => proc.newParameter(type)) : [];
  const block = proc.newBlock();
  const given = (constants ?? []).map(({ type, lo, hi }) =>
    append(block, proc.newConstant(type, lo, hi)),
  );
  const emit: Emit = (opcode, type, ...operands) => {
    const value = append(block, proc.newValue(opcode, type));
    value.a = operands[0] ?? null;
    value.b = operands[1] ?? null;
    return value;
  };
  const [x, y = x] = [...parameters, ...given];
  const end = proc.newValue(Op.Return, Void);
  end.a = make(emit, x, y);
  append(block, end);
  return module;
}

function append(block: BasicBlock, value: Value): Value {
  value.block = block;
  block.values.push(value);
  return value;
}
