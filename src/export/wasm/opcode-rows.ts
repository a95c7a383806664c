// Maps each opcode to WebAssembly instructions in the text format; `$0` is the first operand. An
// operand that a row uses twice must be a local. Opcodes without a row are expanded before
// (LACKING).

import { nameOfOpcode, Op, type Opcode } from "../../ir/opcodes.js";
import type { Type } from "../../ir/types.js";
import {
  all,
  type ByTypeColumn,
  entryOf,
  lackingOf,
  type OpcodeRow,
  type RowTable,
} from "../opcode-rows.js";
import { parseSteps, type WasmInstruction } from "./instructions.js";

/** Returns the same instruction for two or four types. */
const integers = (name: string): OpcodeRow => ({
  Int32: `$0 $1 i32.${name}`,
  Int64: `$0 $1 i64.${name}`,
});
const floats = (name: string): OpcodeRow => ({
  Float: `$0 $1 f32.${name}`,
  Double: `$0 $1 f64.${name}`,
});
const unaryIntegers = (name: string): OpcodeRow => ({
  Int32: `$0 i32.${name}`,
  Int64: `$0 i64.${name}`,
});
const unaryFloats = (name: string): OpcodeRow => ({
  Float: `$0 f32.${name}`,
  Double: `$0 f64.${name}`,
});
const numbers = (name: string, signed = name): OpcodeRow => ({
  ...integers(signed),
  ...floats(name),
});
/** Returns a shift whose Int32 count is taken modulo the width. */
const shifts = (name: string): OpcodeRow => ({
  Int32: `$0 $1 i32.${name}`,
  Int64: `$0 $1 i64.extend_i32_u i64.${name}`,
});

// biome-ignore format: a table
const ROWS: RowTable<OpcodeRow> = {
  Identity: all("$0"),
  Opaque:   all("$0"),

  Add:  numbers("add"),
  Sub:  numbers("sub"),
  Mul:  numbers("mul"),
  Div:  numbers("div", "div_s"),
  Mod:  { ...integers("rem_s"), Double: "$0 $1 call -1", // REMAINDER
          Float: "$0 f64.promote_f32 $1 f64.promote_f32 call -1 f32.demote_f64" },
  UDiv: integers("div_u"),
  UMod: integers("rem_u"),
  Neg:  { Int32: "i32.const 0 $0 i32.sub", Int64: "i64.const 0 $0 i64.sub", ...unaryFloats("neg") },
  BitAnd: integers("and"),
  BitOr:  integers("or"),
  BitXor: integers("xor"),
  Shl:  shifts("shl"),
  SShr: shifts("shr_s"),
  ZShr: shifts("shr_u"),
  RotL: shifts("rotl"),
  RotR: shifts("rotr"),
  Clz:    unaryIntegers("clz"),
  Ctz:    unaryIntegers("ctz"),
  PopCnt: unaryIntegers("popcnt"),

  Abs:     unaryFloats("abs"),
  Ceil:    unaryFloats("ceil"),
  Sqrt:    unaryFloats("sqrt"),
  Floor:   unaryFloats("floor"),
  FTrunc:  unaryFloats("trunc"),
  Nearest: unaryFloats("nearest"),
  FMin:     floats("min"),
  FMax:     floats("max"),
  CopySign: floats("copysign"),

  SExt8:      all("$0 i32.extend8_s"),
  SExt16:     all("$0 i32.extend16_s"),
  SExt8To64:  all("$0 i64.extend_i32_u i64.extend8_s"),
  SExt16To64: all("$0 i64.extend_i32_u i64.extend16_s"),
  SExt32:     all("$0 i64.extend_i32_s"),
  ZExt32:     all("$0 i64.extend_i32_u"),
  Trunc:      all("$0 i32.wrap_i64"),
  TruncHigh:  all("$0 i64.const 32 i64.shr_u i32.wrap_i64"),
  Stitch:     all("$0 i64.extend_i32_u i64.const 32 i64.shl $1 i64.extend_i32_u i64.or"),
  IToD: { Int32: "$0 f64.convert_i32_s", Int64: "$0 f64.convert_i64_s" },
  IToF: { Int32: "$0 f32.convert_i32_s", Int64: "$0 f32.convert_i64_s" },
  UToD: { Int32: "$0 f64.convert_i32_u", Int64: "$0 f64.convert_i64_u" },
  UToF: { Int32: "$0 f32.convert_i32_u", Int64: "$0 f32.convert_i64_u" },
  TruncS32: { Float: "$0 i32.trunc_sat_f32_s", Double: "$0 i32.trunc_sat_f64_s" },
  TruncU32: { Float: "$0 i32.trunc_sat_f32_u", Double: "$0 i32.trunc_sat_f64_u" },
  TruncS64: { Float: "$0 i64.trunc_sat_f32_s", Double: "$0 i64.trunc_sat_f64_s" },
  TruncU64: { Float: "$0 i64.trunc_sat_f32_u", Double: "$0 i64.trunc_sat_f64_u" },
  FloatToDouble: all("$0 f64.promote_f32"),
  DoubleToFloat: all("$0 f32.demote_f64"),
  BitwiseCast: { Int32: "$0 f32.reinterpret_i32", Int64: "$0 f64.reinterpret_i64",
                 Float: "$0 i32.reinterpret_f32", Double: "$0 i64.reinterpret_f64" },
  PurifyNaN: { Float:  "$0 f32.const 0x7fc00000 $0 $0 f32.eq select",
               Double: "$0 f64.const 0x7ff80000 $0 $0 f64.eq select" },

  Equal:        numbers("eq"),
  NotEqual:     numbers("ne"),
  LessThan:     numbers("lt", "lt_s"),
  GreaterThan:  numbers("gt", "gt_s"),
  LessEqual:    numbers("le", "le_s"),
  GreaterEqual: numbers("ge", "ge_s"),
  Above:      integers("gt_u"),
  Below:      integers("lt_u"),
  AboveEqual: integers("ge_u"),
  BelowEqual: integers("le_u"),
  EqualOrUnordered: { Float:  "$0 $1 f32.lt $0 $1 f32.gt i32.or i32.eqz",
                      Double: "$0 $1 f64.lt $0 $1 f64.gt i32.or i32.eqz" },
  Select: { Int32: "$1 $2 $0 select", Int64: "$1 $2 $0 i64.const 0 i64.ne select" },
};

export const LACKING = lackingOf(ROWS);

/** The number of the function in remainder.ts, as rows call it. */
export const REMAINDER = -1;

/** An instruction, or the index of an operand. */
export type RowItem = WasmInstruction | number;

/** Parsed rows, by their text. */
const PARSED = new Map<string, readonly RowItem[]>();

function parseRow(text: string): RowItem[] {
  return text
    .split(/(\$\d)/)
    .flatMap((part): RowItem[] => (part.startsWith("$") ? [Number(part[1])] : parseSteps(part)));
}

/** Returns the instructions of an opcode; `type` is the type of the first operand. */
export function rowOf(opcode: Opcode, type: Type): readonly RowItem[] {
  const text = entryOf("WebAssembly", ROWS, opcode, type);
  const row = PARSED.get(text) ?? parseRow(text);
  PARSED.set(text, row);
  return row;
}

/**
 * Returns whether a row computes the opcode. Opcodes with a row are pure operations and divisions.
 */
export const hasRow = (opcode: Opcode): boolean => ROWS[nameOfOpcode(opcode)] !== undefined;

/** Returns whether the row uses the operand more than once. */
export const repeats = (row: readonly RowItem[], operand: number): boolean =>
  row.filter((step) => step === operand).length > 1;

// biome-ignore format: a table
const ACCESSES: RowTable<ByTypeColumn<WasmInstruction["name"]>> = {
  Load8Z:  { Int32: "i32.load8_u" },
  Load8S:  { Int32: "i32.load8_s" },
  Load16Z: { Int32: "i32.load16_u" },
  Load16S: { Int32: "i32.load16_s" },
  Load:    { Int32: "i32.load", Int64: "i64.load", Float: "f32.load", Double: "f64.load" },
  LoadInvariant: { Int32: "i32.load", Int64: "i64.load", Float: "f32.load", Double: "f64.load" },
  LoadVolatile: { Int32: "i32.load", Int64: "i64.load", Float: "f32.load", Double: "f64.load" },
  Store8:  { Int32: "i32.store8" },
  Store16: { Int32: "i32.store16" },
  Store:   { Int32: "i32.store", Int64: "i64.store", Float: "f32.store", Double: "f64.store" },
};

/** Returns the instruction of a load or store; `type` is the type of the loaded or stored value. */
export const accessOf = (opcode: Opcode, type: Type): WasmInstruction["name"] =>
  entryOf("WebAssembly", ACCESSES, opcode, type);

/** Returns the full-width store and load of a type, which records use. */
export const storeOf = (type: Type): WasmInstruction["name"] => accessOf(Op.Store, type);
export const loadOf = (type: Type): WasmInstruction["name"] => accessOf(Op.Load, type);
