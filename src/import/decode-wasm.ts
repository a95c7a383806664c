// Decodes a valid binary to a WasmModule.
//
// wasmparser reads the format, with four workarounds. It returns float constants as numbers, which
// lose the payload of a NaN, so this file reads their bits from the binary. It reads the table of a
// call_indirect and the memory of a memory.grow as one byte, so this file reads them again. It
// trusts counts in custom sections, which nothing validates, so these sections are blanked. Its
// enumeration of states is not usable with strict modules. A function, type, global or table that
// the language cannot express records the reason; the import refuses only what reaches it. Several
// memories refuse the whole module.

import {
  BinaryReader,
  type IDataSegment,
  type IDataSegmentBody,
  type IElementSegment,
  type IExportEntry,
  type IFunctionEntry,
  type IFunctionInformation,
  type IGlobalType,
  type IGlobalVariable,
  type IImportEntry,
  type IMemoryType,
  Int64 as Int64Literal,
  type IOperatorInformation,
  type IResizableLimits,
  type IStartEntry,
  type ITableType,
  type ITypeEntry,
  OperatorCodeNames,
  type Type as TypeOfParser,
} from "wasmparser";
import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";
import { errorAt, ImportError } from "./import-error.js";
import { functionNames, integersAt, textOf, withoutCustomSections } from "./sections.js";
import type {
  DataSegment,
  ElementSegment,
  FunctionType,
  SizeLimits,
  WasmExport,
  WasmFunction,
  WasmGlobal,
  WasmImport,
  WasmInstruction,
  WasmModule,
  WasmTable,
} from "./wasm-module.js";

// States of the reader. Its own enumeration has no values at run time that strict modules may use.
const AT = {
  error: -1,
  type: 11,
  import: 12,
  function: 13,
  table: 14,
  memory: 15,
  export: 17,
  start: 22,
  endExpression: 27,
  expression: 26,
  body: 28,
  operator: 30,
  elements: 33,
  endElements: 35,
  data: 36,
  dataBytes: 37,
  global: 39,
  endGlobal: 40,
  offset: 45,
  endOffset: 46,
} as const;

const VALUE_TYPES = new Map<number, Type>([
  [-1, Int32],
  [-2, Int64],
  [-3, Float],
  [-4, Double],
]);
const EMPTY_BLOCK_TYPE = -64;
const FUNCTION_TYPE = -32;
const FUNCREF = -16;
const VECTOR = -5;
/** Kinds of imports and exports. */
const KIND = { function: 0, table: 1, memory: 2, global: 3 } as const;

/**
 * Decodes a valid binary.
 * @throws ImportError for a feature outside of the import
 */
export function decodeWasm(bytes: Uint8Array): WasmModule {
  return new WasmDecoder(bytes).decode();
}

/** Handlers of items, by the state of the reader. */
const SECTIONS: ReadonlyMap<number, (decoder: WasmDecoder) => void> = new Map([
  [AT.type, (decoder) => decoder.type(decoder.result())],
  [AT.import, (decoder) => decoder.import(decoder.result())],
  [AT.function, (decoder) => decoder.function(decoder.result<IFunctionEntry>().typeIndex, null)],
  [AT.table, (decoder) => decoder.table(decoder.result(), null)],
  [AT.memory, (decoder) => decoder.memory(decoder.result(), null)],
  [AT.global, (decoder) => decoder.global(decoder.result())],
  [AT.export, (decoder) => decoder.export(decoder.result())],
  [AT.start, (decoder) => decoder.startAt(decoder.result())],
  [AT.elements, (decoder) => decoder.elementSegment(decoder.result())],
  [AT.data, (decoder) => decoder.dataSegment(decoder.result())],
  [AT.body, (decoder) => decoder.body(decoder.result())],
] satisfies [number, (decoder: WasmDecoder) => void][]);

class WasmDecoder {
  private readonly reader = new BinaryReader();
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly names: ReadonlyMap<number, string>;
  private readonly types: FunctionType[] = [];
  private readonly functions: WasmFunction[] = [];
  private readonly globals: WasmGlobal[] = [];
  private readonly memories: SizeLimits[] = [];
  private readonly tables: WasmTable[] = [];
  private readonly data: DataSegment[] = [];
  private readonly elements: ElementSegment[] = [];
  private readonly exports: WasmExport[] = [];
  private start: number | null = null;
  /** The index of the next function with a body. */
  private nextBody = 0;
  /** The start of the current item. */
  private at = 0;

  constructor(bytes: Uint8Array) {
    const copy = withoutCustomSections(bytes); // a copy with a buffer of its own
    this.bytes = copy;
    this.view = new DataView(copy.buffer);
    this.names = functionNames(bytes);
    this.reader.setData(copy.buffer, 0, copy.length, true);
  }

  decode(): WasmModule {
    while (this.next()) this.section();
    const { types, functions, globals, memories, tables, data, elements, exports, start } = this;
    const [memory = null] = memories;
    for (const [index, name] of this.names) {
      if (index < functions.length) functions[index].name = `$${name}`;
    }
    nameFunctions(functions, exports);
    return { types, functions, globals, memory, tables, data, elements, exports, start };
  }

  private next(): boolean {
    const { reader } = this;
    this.at = reader.position;
    const more = reader.hasMoreBytes() && this.read();
    if (reader.state === AT.error) throw errorAt(this.at, `malformed: ${reader.error.message}`);
    return more;
  }

  private read(): boolean {
    try {
      return this.reader.read();
    } catch (error) {
      // The binary is valid, so it uses a feature that wasmparser does not support.
      const reason = error instanceof Error ? error.message : String(error);
      throw errorAt(this.at, `outside of the import: ${reason}`);
    }
  }

  // The state determines the type of the result.
  result<T>(): T {
    return this.reader.result as T;
  }

  private section(): void {
    SECTIONS.get(this.reader.state as number)?.(this);
  }

  type({ form, params = [], returns = [] }: ITypeEntry): void {
    if (form !== FUNCTION_TYPE) throw errorAt(this.at, "a type that is not a function's");
    const outside = this.reasonOutside(() => {
      const parameters = params.map((type) => this.valueType(type));
      this.types.push({ parameters, results: returns.map((type) => this.valueType(type)) });
    });
    if (outside !== null) this.types.push({ parameters: [], results: [], outside });
  }

  /** Runs an action and returns the message of its ImportError, or null. */
  private reasonOutside(act: () => void): string | null {
    try {
      act();
      return null;
    } catch (error) {
      if (error instanceof ImportError) return error.message;
      throw error;
    }
  }

  private valueType({ kind }: TypeOfParser): Type {
    const type = VALUE_TYPES.get(kind);
    if (type !== undefined) return type;
    throw errorAt(
      this.at,
      `${kind === VECTOR ? "vectors" : "references"} are outside of the import`,
    );
  }

  import({ module, field, kind, funcTypeIndex, type }: IImportEntry): void {
    const imported = { module: textOf(module), name: textOf(field) };
    // The kind determines the type of the descriptor.
    if (kind === KIND.function) this.function(funcTypeIndex ?? 0, imported);
    else if (kind === KIND.table) this.table(type as ITableType, imported);
    else if (kind === KIND.memory) this.memory(type as IMemoryType, imported);
    else if (kind === KIND.global) this.addGlobal(type as IGlobalType, imported, []);
  }

  function(typeIndex: number, imported: WasmImport | null): void {
    const type = this.types[typeIndex];
    const index = this.functions.length;
    const { outside = null } = type;
    const name = `$${imported === null ? index : `${imported.module}.${imported.name}`}`;
    this.functions.push({ type, name, imported, locals: [], body: [], at: this.at, outside });
    if (imported !== null) this.nextBody = this.functions.length;
  }

  table({ elementType, limits }: ITableType, imported: WasmImport | null): void {
    const outside =
      elementType.kind === FUNCREF
        ? null
        : errorAt(this.at, "tables of other references than functions are outside of the import")
            .message;
    this.tables.push({ ...limitsOf(limits), imported, outside });
  }

  memory({ limits }: IMemoryType, imported: WasmImport | null): void {
    if (this.memories.length > 0) {
      throw errorAt(this.at, "several memories are outside of the import");
    }
    this.memories.push({ ...limitsOf(limits), imported });
  }

  global({ type }: IGlobalVariable): void {
    this.addGlobal(type, null, this.expressionUntil(AT.endGlobal));
  }

  private addGlobal(
    { contentType, mutability }: IGlobalType,
    imported: WasmImport | null,
    initial: readonly WasmInstruction[],
  ): void {
    const isMutable = mutability !== 0;
    const outside = this.reasonOutside(() => {
      const type = this.valueType(contentType);
      this.globals.push({ type, isMutable, imported, initial, outside: null });
    });
    if (outside !== null) {
      this.globals.push({ type: Int32, isMutable, imported, initial, outside });
    }
  }

  export({ field, kind, index }: IExportEntry): void {
    const known = kind === KIND.function ? "function" : kind === KIND.global ? "global" : "other";
    this.exports.push({ name: textOf(field), kind: known, index });
  }

  elementSegment({ mode, tableIndex = 0 }: IElementSegment): void {
    let offset: readonly WasmInstruction[] | null = null;
    const elements: WasmInstruction[][] = [];
    let expression: WasmInstruction[] = [];
    while (this.next() && (this.reader.state as number) !== AT.endElements) {
      const state = this.reader.state as number;
      if (state === AT.offset || state === AT.expression) this.push(expression);
      if (state === AT.endOffset) offset = expression;
      if (state === AT.endExpression) elements.push(expression);
      if (state === AT.endOffset || state === AT.endExpression) expression = [];
    }
    this.elements.push({ table: tableIndex, offset, isDeclarative: mode === 2, elements });
  }

  dataSegment({ mode }: IDataSegment): void {
    const offset: WasmInstruction[] = [];
    const { at } = this;
    while (this.next() && (this.reader.state as number) !== AT.dataBytes) {
      if ((this.reader.state as number) === AT.offset) this.push(offset);
    }
    const { data } = this.result<IDataSegmentBody>();
    this.data.push({ offset: mode === 0 ? offset : null, bytes: Uint8Array.from(data), at });
  }

  private expressionUntil(end: number): WasmInstruction[] {
    const expression: WasmInstruction[] = [];
    while (this.next() && (this.reader.state as number) !== end) {
      if ((this.reader.state as number) === AT.expression) this.push(expression);
    }
    return expression;
  }

  body({ locals }: IFunctionInformation): void {
    const types: Type[] = [];
    let outside = this.reasonOutside(() => {
      for (const { count, type } of locals) {
        if (types.length + count > LOCALS_MAX) {
          throw errorAt(this.at, `more than ${LOCALS_MAX} locals are outside of the import`);
        }
        for (let i = 0; i < count; i++) types.push(this.valueType(type));
      }
    });
    const body: WasmInstruction[] = [];
    while (this.next() && (this.reader.state as number) === AT.operator) {
      const last = this.readAgain(); // also in functions that are outside of the import
      if (outside === null) outside = this.reasonOutside(() => this.push(body, last));
    }
    const index = this.nextBody++;
    const { [index]: declared } = this.functions;
    outside = declared.outside ?? outside;
    this.functions[index] = { ...declared, locals: types, body, outside };
  }

  /** @param last the last integer of the instruction, as `readAgain` returns it */
  private push(to: WasmInstruction[], last = 0): void {
    const operator = this.result<IOperatorInformation>();
    const name = OperatorCodeNames[operator.code] ?? "unknown";
    const [lo, hi] = this.bitsOf(operator, name);
    const { brDepth, brTable, tableIndex = 0, destinationIndex = 0 } = operator;
    to.push({
      name,
      at: this.at,
      index: indexOf(operator),
      table: name === "call_indirect" ? last : tableIndex,
      from: destinationIndex, // wasmparser swaps source and destination
      labels: brTable ?? (brDepth === undefined ? [] : [brDepth]),
      blockType: operator.blockType === undefined ? null : this.blockType(operator.blockType),
      lo,
      hi,
    });
  }

  /**
   * Skips an instruction whose last integer wasmparser reads as one byte, and returns that integer.
   */
  private readAgain(): number {
    const name = OperatorCodeNames[this.result<IOperatorInformation>().code] ?? "unknown";
    const count = INTEGERS_AFTER.get(name);
    if (count === undefined) return 0;
    const { end, last } = integersAt(this.bytes, this.at + 1, count);
    this.reader["_pos"] = end;
    return last;
  }

  private bitsOf(operator: IOperatorInformation, name: string): readonly [number, number] {
    const { literal, memoryAddress } = operator;
    const end = this.reader.position;
    if (name === "f32.const") return [this.view.getInt32(end - 4, true), 0];
    if (name === "f64.const") {
      return [this.view.getInt32(end - 8, true), this.view.getInt32(end - 4, true)];
    }
    if (literal instanceof Int64Literal) {
      const { buffer, byteOffset } = literal.data;
      const words = new DataView(buffer, byteOffset);
      return [words.getInt32(0, true), words.getInt32(4, true)];
    }
    if (memoryAddress !== undefined) return [memoryAddress.offset >>> 0, 0];
    return [typeof literal === "number" ? literal : 0, 0];
  }

  private blockType(type: TypeOfParser): FunctionType {
    if (type.kind === EMPTY_BLOCK_TYPE) return { parameters: [], results: [] };
    if (type.isIndex) {
      const { [type.index]: known } = this.types;
      if (known.outside !== undefined) throw new ImportError(known.outside);
      return known;
    }
    return { parameters: [], results: [this.valueType(type)] };
  }

  startAt({ index }: IStartEntry): void {
    this.start = index;
  }
}

/**
 * The number of integers after the opcode, for instructions whose last integer wasmparser reads as
 * one byte.
 */
const INTEGERS_AFTER: ReadonlyMap<string, number> = new Map([
  ["call_indirect", 2],
  ["return_call_indirect", 2],
  ["memory.size", 1],
  ["memory.grow", 1],
  ["memory.fill", 2],
  ["memory.copy", 3],
  ["memory.init", 3],
]);
/** The most locals. A declaration of a few bytes may declare 2^32 of them. */
const LOCALS_MAX = 10_000;

function indexOf(operator: IOperatorInformation): number {
  const { localIndex, globalIndex, funcIndex, segmentIndex, typeIndex, tableIndex } = operator;
  return localIndex ?? globalIndex ?? funcIndex ?? segmentIndex ?? typeIndex ?? tableIndex ?? 0;
}

const limitsOf = ({ initial, maximum }: IResizableLimits) => ({
  initial,
  maximum: maximum ?? null,
});

/**
 * Makes the names of functions unique. A function without a name gets that of its first export, or
 * its number.
 */
function nameFunctions(functions: readonly WasmFunction[], exports: readonly WasmExport[]): void {
  for (const { name, kind, index } of exports) {
    const { [index]: exported } = functions;
    if (kind === "function" && exported.name === `$${index}`) exported.name = `$${name}`;
  }
  const taken = new Set<string>();
  functions.forEach((each, index) => {
    while (taken.has(each.name)) each.name = `${each.name}.${index}`;
    taken.add(each.name);
  });
}
