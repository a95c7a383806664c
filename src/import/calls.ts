// Writes calls and returns. A procedure returns up to three results; the others are passed in the
// heap.

import { Op } from "../ir/opcodes.js";
import { Procedure, type Value } from "../ir/procedure.js";
import { Int32, Int64, Void } from "../ir/types.js";
import type { ProcedureEmitter } from "./emitter.js";
import type { WasmInstance } from "./instance.js";
import { joinEdges, type OpenEdge } from "./labels.js";
import type { WasmInstruction } from "./wasm-module.js";

/** The emitter of the current procedure, and its heap parameter. */
interface CallSite {
  readonly emitter: ProcedureEmitter;
  readonly heap: Value;
}

/** Calls the function with this index and returns its results. */
export function call(
  instance: WasmInstance,
  { emitter, heap }: CallSite,
  index: number,
  args: readonly Value[],
): Value[] {
  const callee = instance.callee(index);
  if (!(callee instanceof Procedure)) {
    const called = emitter.call(callee, args);
    return called.type === Void ? [] : [called];
  }
  const called = emitter.call(callee, [heap, ...args]);
  const given = emitter.results(called, callee);
  const { type } = instance.wasm.functions[index];
  const others = type.results
    .slice(given.length)
    .map((result, i) =>
      emitter.load(Op.Load, result, heap, resultLocation(instance, given.length + i)),
    );
  return [...given, ...others];
}

/** Writes a return. Results beyond those of the procedure are stored in the heap for the caller. */
export function returnResults(
  instance: WasmInstance,
  { emitter, heap }: CallSite,
  results: readonly Value[],
): void {
  const { result, further } = emitter.proc;
  const count = result === Void ? 0 : 1 + further.length;
  for (let i = count; i < results.length; i++) {
    emitter.store(Op.Store, results[i], heap, resultLocation(instance, i));
  }
  emitter.return(...results.slice(0, count));
}

/** Returns the location in the heap of a result, by its number from 1. */
const resultLocation = ({ layout }: WasmInstance, number: number): number =>
  layout.results + 8 * (number - 1);

/** Calls the function in the table element, which must have the given type. */
export function callIndirect(
  instance: WasmInstance,
  place: CallSite,
  { index: typeIndex, table }: WasmInstruction,
  element: Value,
  args: readonly Value[],
): Value[] {
  const { emitter, heap } = place;
  const type = instance.wasm.types[typeIndex];
  const { place: tablePlace, size: tableSize } = instance.layout.tables[table];
  const size = emitter.int(tableSize);
  emitter.trapIf(emitter.emit(Op.AboveEqual, Int32, element, size), "undefined element");
  const wide = emitter.emit(Op.ZExt32, Int64, element);
  const offset = emitter.emit(Op.Shl, Int64, wide, emitter.int(2));
  const entry = emitter.emit(Op.Add, Int64, heap, offset);
  const found = emitter.load(Op.Load, Int32, entry, tablePlace);
  const isNull = emitter.emit(Op.Equal, Int32, found, emitter.int(0));
  emitter.trapIf(isNull, "uninitialized element");
  const candidates = instance.tableFunctions(type);
  const before = emitter.block;
  const blocks = candidates.map(() => emitter.startBlock());
  const otherwise = emitter.startBlock();
  emitter.trap("indirect call type mismatch");
  emitter.block = before;
  const keys = candidates.map((index) => index + 1);
  emitter.switch(found, keys, blocks, otherwise);
  const edges = candidates.map((index, i): OpenEdge => {
    emitter.block = blocks[i];
    return { block: blocks[i], locals: [], operands: call(instance, place, index, args) };
  });
  const met = joinEdges(emitter, edges);
  if (met !== null) return [...met.operands];
  emitter.startBlock(); // no function has the type, so the following code is unreachable
  return type.results.map((result) => emitter.constant(result, 0));
}
