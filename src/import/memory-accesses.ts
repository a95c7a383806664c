// Maps loads and stores of WebAssembly to opcodes.

import { Op, type Opcode } from "../ir/opcodes.js";
import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";

export interface MemoryAccess {
  readonly opcode: Opcode;
  /** The type of the loaded or stored value. */
  readonly type: Type;
  readonly bytes: number;
  /**
   * The conversion of the loaded value to the result, or of the operand to the stored value; null
   * for none.
   */
  readonly convert: { readonly opcode: Opcode; readonly to: Type } | null;
}

const SIGN_64 = { opcode: Op.SExt32, to: Int64 };
const ZERO_64 = { opcode: Op.ZExt32, to: Int64 };
const LOW_32 = { opcode: Op.Trunc, to: Int32 };

// biome-ignore format: a table
const LOADS: readonly (readonly [string, MemoryAccess])[] = [
  ["i32.load",     { opcode: Op.Load,    type: Int32,  bytes: 4, convert: null }],
  ["i64.load",     { opcode: Op.Load,    type: Int64,  bytes: 8, convert: null }],
  ["f32.load",     { opcode: Op.Load,    type: Float,  bytes: 4, convert: null }],
  ["f64.load",     { opcode: Op.Load,    type: Double, bytes: 8, convert: null }],
  ["i32.load8_s",  { opcode: Op.Load8S,  type: Int32,  bytes: 1, convert: null }],
  ["i32.load8_u",  { opcode: Op.Load8Z,  type: Int32,  bytes: 1, convert: null }],
  ["i32.load16_s", { opcode: Op.Load16S, type: Int32,  bytes: 2, convert: null }],
  ["i32.load16_u", { opcode: Op.Load16Z, type: Int32,  bytes: 2, convert: null }],
  ["i64.load8_s",  { opcode: Op.Load8S,  type: Int32,  bytes: 1, convert: SIGN_64 }],
  ["i64.load8_u",  { opcode: Op.Load8Z,  type: Int32,  bytes: 1, convert: ZERO_64 }],
  ["i64.load16_s", { opcode: Op.Load16S, type: Int32,  bytes: 2, convert: SIGN_64 }],
  ["i64.load16_u", { opcode: Op.Load16Z, type: Int32,  bytes: 2, convert: ZERO_64 }],
  ["i64.load32_s", { opcode: Op.Load,    type: Int32,  bytes: 4, convert: SIGN_64 }],
  ["i64.load32_u", { opcode: Op.Load,    type: Int32,  bytes: 4, convert: ZERO_64 }],
];
// biome-ignore format: a table
const STORES: readonly (readonly [string, MemoryAccess])[] = [
  ["i32.store",    { opcode: Op.Store,   type: Int32,  bytes: 4, convert: null }],
  ["i64.store",    { opcode: Op.Store,   type: Int64,  bytes: 8, convert: null }],
  ["f32.store",    { opcode: Op.Store,   type: Float,  bytes: 4, convert: null }],
  ["f64.store",    { opcode: Op.Store,   type: Double, bytes: 8, convert: null }],
  ["i32.store8",   { opcode: Op.Store8,  type: Int32,  bytes: 1, convert: null }],
  ["i32.store16",  { opcode: Op.Store16, type: Int32,  bytes: 2, convert: null }],
  ["i64.store8",   { opcode: Op.Store8,  type: Int32,  bytes: 1, convert: LOW_32 }],
  ["i64.store16",  { opcode: Op.Store16, type: Int32,  bytes: 2, convert: LOW_32 }],
  ["i64.store32",  { opcode: Op.Store,   type: Int32,  bytes: 4, convert: LOW_32 }],
];

export const MEMORY_LOADS: ReadonlyMap<string, MemoryAccess> = new Map(LOADS);
export const MEMORY_STORES: ReadonlyMap<string, MemoryAccess> = new Map(STORES);
