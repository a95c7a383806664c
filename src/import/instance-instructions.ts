// Translates instructions on globals, and on whole memories, tables and segments.

import { Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64 } from "../ir/types.js";
import { copyProcedure, fillProcedure, growProcedure } from "./bulk-procedures.js";
import { initialOf, valueMissing } from "./constant-expression.js";
import type { ProcedureEmitter } from "./emitter.js";
import type { WasmInstance } from "./instance.js";
import { memoryBytes, memoryTrap } from "./memory.js";
import type { TrapKind } from "./traps.js";
import type { WasmInstruction } from "./wasm-module.js";

/** The translation state of the current function. */
interface FunctionState {
  readonly instance: WasmInstance;
  readonly emitter: ProcedureEmitter;
  readonly heap: Value;
  pop(): Value;
  push(...values: readonly Value[]): void;
}

/** A region that bulk instructions read or write. */
interface MemoryRegion {
  /** The location in the heap. */
  readonly place: number;
  /** The number of elements, as an Int64. */
  readonly length: Value;
  readonly trap: TrapKind;
}

type InstructionWriter = (body: FunctionState, index: number, instruction: WasmInstruction) => void;

export const INSTANCE_INSTRUCTIONS: ReadonlyMap<string, InstructionWriter> = new Map<
  string,
  InstructionWriter
>([
  ["global.get", (body, index) => body.push(globalValue(body.instance, body, index))],
  ["global.set", setGlobal],
  ["memory.size", (body) => body.push(pagesOf(body))],
  ["memory.grow", (body) => body.push(grow(body, body.pop()))],
  ["memory.fill", fill],
  ["memory.copy", (body) => copy(body, memory(body), memory(body), 1)],
  ["memory.init", (body, index) => copy(body, memory(body), dataSegment(body, index), 1)],
  ["data.drop", (body, index) => drop(body, body.instance.layout.dataLengths[index])],
  ["table.size", (body, index) => body.push(tableSize(body, index))],
  [
    "table.copy",
    (body, _, { table, from }) => copy(body, region(body, table), region(body, from), 4),
  ],
  [
    "table.init",
    (body, index, { table }) => copy(body, region(body, table), elementSegment(body, index), 4),
  ],
  ["elem.drop", (body, index) => drop(body, body.instance.layout.elementLengths[index])],
]);

export function globalValue(
  { wasm, layout, imports }: WasmInstance,
  { emitter, heap }: Pick<FunctionState, "emitter" | "heap">,
  index: number,
): Value {
  const { isMutable, type } = wasm.globals[index];
  const initial = initialOf(wasm, index);
  if (initial === null) {
    if (imports === "refuse") throw valueMissing(wasm, index, emitter.at);
    emitter.trapIf(emitter.int(1), "not imported");
  }
  if (isMutable) return emitter.load(Op.Load, type, heap, layout.globals[index]);
  const { lo, hi } = initial ?? { lo: 0, hi: 0 };
  return emitter.constant(type, lo, hi);
}

function setGlobal(body: FunctionState, index: number): void {
  const { instance, emitter, heap } = body;
  emitter.store(Op.Store, body.pop(), heap, instance.layout.globals[index]);
}

function pagesOf({ instance: { layout }, emitter, heap }: FunctionState): Value {
  if (!layout.grows) return emitter.int(layout.pages + layout.missingPages);
  const pages = emitter.emit(Op.ZShr, Int64, memoryBytes(emitter, heap, layout), emitter.int(16));
  const held = emitter.emit(Op.Trunc, Int32, pages);
  if (layout.missingPages === 0) return held;
  return emitter.emit(Op.Add, Int32, held, emitter.int(layout.missingPages));
}

function grow({ instance, emitter, heap }: FunctionState, pages: Value): Value {
  return emitter.call(growProcedure(instance), [heap, pages]);
}

const memory = ({ instance: { layout }, emitter, heap }: FunctionState): MemoryRegion => ({
  place: layout.memory,
  length: memoryBytes(emitter, heap, layout),
  trap: memoryTrap(layout),
});

const tableSize = ({ instance: { layout }, emitter }: FunctionState, index: number): Value =>
  emitter.int(layout.tables[index].size);

const region = ({ instance: { layout }, emitter }: FunctionState, table: number): MemoryRegion => ({
  place: layout.tables[table].place,
  length: emitter.long(layout.tables[table].size),
  trap: "out of bounds table access",
});

const dataSegment = (body: FunctionState, index: number): MemoryRegion => ({
  place: body.instance.layout.data[index],
  length: lengthAt(body, body.instance.layout.dataLengths[index]),
  trap: "out of bounds memory access",
});

const elementSegment = (body: FunctionState, index: number): MemoryRegion => ({
  place: body.instance.layout.elements[index],
  length: lengthAt(body, body.instance.layout.elementLengths[index]),
  trap: "out of bounds table access",
});

const lengthAt = ({ emitter, heap }: FunctionState, cell: number): Value =>
  emitter.emit(Op.ZExt32, Int64, emitter.load(Op.Load, Int32, heap, cell));

/** Copies elements of `bytes` bytes between regions, which may be the same. */
function copy(body: FunctionState, to: MemoryRegion, from: MemoryRegion, bytes: 1 | 4): void {
  const { instance, emitter, heap } = body;
  const count = emitter.emit(Op.ZExt32, Int64, body.pop());
  const source = place(body, from, emitter.emit(Op.ZExt32, Int64, body.pop()), count, bytes);
  const target = place(body, to, emitter.emit(Op.ZExt32, Int64, body.pop()), count, bytes);
  emitter.call(copyProcedure(instance), [heap, target, source, scaled(emitter, count, bytes)]);
}

function fill(body: FunctionState): void {
  const { instance, emitter, heap } = body;
  const count = emitter.emit(Op.ZExt32, Int64, body.pop());
  const byte = body.pop();
  const start = emitter.emit(Op.ZExt32, Int64, body.pop());
  const target = place(body, memory(body), start, count, 1);
  emitter.call(fillProcedure(instance), [heap, target, byte, count]);
}

/** Traps unless `count` elements from `start` are in the region, and returns their address. */
function place(
  { emitter, heap }: FunctionState,
  region: MemoryRegion,
  start: Value,
  count: Value,
  bytes: 1 | 4,
): Value {
  const end = emitter.emit(Op.Add, Int64, start, count); // both are less than 2^32
  emitter.trapIf(emitter.emit(Op.Above, Int32, end, region.length), region.trap);
  const base = emitter.emit(Op.Add, Int64, heap, emitter.long(region.place));
  return emitter.emit(Op.Add, Int64, base, scaled(emitter, start, bytes));
}

const scaled = (emitter: ProcedureEmitter, count: Value, bytes: 1 | 4): Value =>
  bytes === 1 ? count : emitter.emit(Op.Shl, Int64, count, emitter.int(2));

function drop({ emitter, heap }: FunctionState, cell: number): void {
  // if the cell is 0, nothing reads the length
  if (cell !== 0) emitter.store(Op.Store, emitter.int(0), heap, cell);
}
