// Maps the types of the language to types of WebAssembly.

import type { Type } from "../../ir/types.js";
import { WASM_TYPES, type WasmType } from "./instructions.js";

interface TypeRow {
  readonly name: WasmType;
  readonly code: number;
}
const row = (name: WasmType): TypeRow => ({ name, code: WASM_TYPES[name] });

/** Rows by type. The row of Void is a placeholder that nothing reads. */
export const TYPES: readonly TypeRow[] = [
  row("i32"),
  row("i32"),
  row("i64"),
  row("f32"),
  row("f64"),
];

export const typeCode = (type: Type): number => TYPES[type].code;
