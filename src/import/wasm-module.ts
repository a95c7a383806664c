// A decoded module of WebAssembly, with nothing interpreted but its types.

import type { Type } from "../ir/types.js";

export interface FunctionType {
  readonly parameters: readonly Type[];
  readonly results: readonly Type[];
  /** Why the language cannot express the type, with the place; absent if it can. */
  readonly outside?: string;
}

/** One instruction. What its name does not take is absent. */
export interface Instruction {
  /** As the text format has it: `i32.add`. */
  readonly name: string;
  /** Where it begins in the binary. */
  readonly at: number;
  /** The index of a local, global, function, type or segment; else that of a table. */
  readonly index: number;
  /** The index of a table: that of call_indirect and table.init, the destination of table.copy. */
  readonly table: number;
  /** The table that table.copy reads. */
  readonly from: number;
  /** Labels: that of `br` and `br_if`; all of `br_table`, with the default last. */
  readonly labels: readonly number[];
  /** Of `block`, `loop` and `if`. */
  readonly blockType: FunctionType | null;
  /** The bits of a constant; `lo` is the offset of a memory access as an unsigned number. */
  readonly lo: number;
  readonly hi: number;
}

export interface Import {
  readonly module: string;
  readonly name: string;
}

export interface WasmFunction {
  readonly type: FunctionType;
  /** Unique in the module, with a `$` in front. */
  name: string;
  readonly imported: Import | null;
  /** Types of the locals behind the parameters. */
  readonly locals: readonly Type[];
  readonly body: readonly Instruction[];
  readonly at: number;
  /** Why the locals or a block's type cannot be expressed, with the place; null if they can. */
  readonly outside: string | null;
}

export interface WasmGlobal {
  readonly type: Type;
  readonly isMutable: boolean;
  readonly imported: Import | null;
  readonly initial: readonly Instruction[];
  /** Why the type cannot be expressed, with the place; null if it can. */
  readonly outside: string | null;
}

/** Of a memory in pages, of a table in elements. */
export interface Limits {
  readonly initial: number;
  readonly maximum: number | null;
  readonly imported: Import | null;
}

export interface Table extends Limits {
  /** Why its elements cannot be expressed, with the place; null for a table of functions. */
  readonly outside: string | null;
}

export interface DataSegment {
  /** null: passive. */
  readonly offset: readonly Instruction[] | null;
  readonly bytes: Uint8Array;
}

export interface ElementSegment {
  readonly table: number;
  /** null: not active. */
  readonly offset: readonly Instruction[] | null;
  readonly isDeclarative: boolean;
  /** An expression for each element. */
  readonly elements: readonly (readonly Instruction[])[];
}

export interface WasmExport {
  readonly name: string;
  readonly kind: "function" | "global" | "other";
  readonly index: number;
}

export interface WasmModule {
  readonly types: readonly FunctionType[];
  readonly functions: readonly WasmFunction[];
  readonly globals: readonly WasmGlobal[];
  readonly memory: Limits | null;
  readonly tables: readonly Table[];
  readonly data: readonly DataSegment[];
  readonly elements: readonly ElementSegment[];
  readonly exports: readonly WasmExport[];
  readonly start: number | null;
}
