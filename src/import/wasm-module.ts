// Declares a decoded WebAssembly module, in which only types are interpreted.

import type { Type } from "../ir/types.js";

export interface FunctionType {
  readonly parameters: readonly Type[];
  readonly results: readonly Type[];
  /** The reason why the language cannot express the type, with the location; absent if it can. */
  readonly outside?: string;
}

/** One instruction. Immediates that it does not have are zero, empty or null. */
export interface WasmInstruction {
  /** The name in the text format: `i32.add`. */
  readonly name: string;
  /** The position in the binary. */
  readonly at: number;
  /** The index of a local, global, function, type or segment; otherwise that of a table. */
  readonly index: number;
  /** The index of a table: that of call_indirect and table.init, the destination of table.copy. */
  readonly table: number;
  /** The table that table.copy reads. */
  readonly from: number;
  /** The label of `br` and `br_if`; all labels of `br_table`, with the default last. */
  readonly labels: readonly number[];
  /** The type of `block`, `loop` and `if`. */
  readonly blockType: FunctionType | null;
  /** The bits of a constant; `lo` is the offset of a memory access as an unsigned number. */
  readonly lo: number;
  readonly hi: number;
}

export interface WasmImport {
  readonly module: string;
  readonly name: string;
}

export interface WasmFunction {
  readonly type: FunctionType;
  /** Unique in the module, with the prefix `$`. */
  name: string;
  readonly imported: WasmImport | null;
  /** Types of the locals after the parameters. */
  readonly locals: readonly Type[];
  readonly body: readonly WasmInstruction[];
  readonly at: number;
  /** The reason why the language cannot express the function, with the location; null if it can. */
  readonly outside: string | null;
}

export interface WasmGlobal {
  readonly type: Type;
  readonly isMutable: boolean;
  readonly imported: WasmImport | null;
  readonly initial: readonly WasmInstruction[];
  /** The reason why the language cannot express the type, with the location; null if it can. */
  readonly outside: string | null;
}

/** The size of a memory in pages, or of a table in elements. */
export interface SizeLimits {
  readonly initial: number;
  readonly maximum: number | null;
  readonly imported: WasmImport | null;
}

export interface WasmTable extends SizeLimits {
  /**
   * The reason why the language cannot express the elements, with the location; null for a table of
   * functions.
   */
  readonly outside: string | null;
}

export interface DataSegment {
  /** null for a passive segment */
  readonly offset: readonly WasmInstruction[] | null;
  readonly bytes: Uint8Array;
  /** Its position in the binary. */
  readonly at: number;
}

export interface ElementSegment {
  readonly table: number;
  /** null for a segment that is not active */
  readonly offset: readonly WasmInstruction[] | null;
  readonly isDeclarative: boolean;
  /** An expression for each element. */
  readonly elements: readonly (readonly WasmInstruction[])[];
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
  readonly memory: SizeLimits | null;
  readonly tables: readonly WasmTable[];
  readonly data: readonly DataSegment[];
  readonly elements: readonly ElementSegment[];
  readonly exports: readonly WasmExport[];
  readonly start: number | null;
}
