// Writes the procedures for instructions that work on many bytes or on the memory's size.

import { Op } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";
import { Int32, Int64 } from "../ir/types.js";
import type { ProcedureEmitter } from "./emitter.js";
import type { WasmInstance } from "./instance.js";
import { PAGE } from "./layout.js";

/** The most pages of a WebAssembly memory. */
const PAGES_MAX = 0x1_0000;
const PAGE_SHIFT = Math.log2(PAGE);

/** `copy(heap, to, from, count)` copies bytes between regions that may overlap. */
export const copyProcedure = (instance: WasmInstance): Procedure =>
  instance.helper("copy", { parameters: [Int64, Int64, Int64], results: [] }, (emitter) => {
    const [, to, from, count] = emitter.proc.parameters;
    const move = (i: Value): void => {
      const byte = emitter.load(Op.Load8Z, Int32, emitter.emit(Op.Add, Int64, from, i), 0);
      emitter.store(Op.Store8, byte, emitter.emit(Op.Add, Int64, to, i), 0);
    };
    const isForward = emitter.emit(Op.BelowEqual, Int32, to, from);
    const before = emitter.block;
    const forward = emitter.startBlock();
    countUp(emitter, count, move);
    const backward = emitter.startBlock();
    countDown(emitter, count, move);
    emitter.block = before;
    emitter.branch(isForward, forward, backward);
  });

/** `fill(heap, to, byte, count)` fills bytes. */
export const fillProcedure = (instance: WasmInstance): Procedure =>
  instance.helper("fill", { parameters: [Int64, Int32, Int64], results: [] }, (emitter) => {
    const [, to, byte, count] = emitter.proc.parameters;
    countUp(emitter, count, (i) => {
      emitter.store(Op.Store8, byte, emitter.emit(Op.Add, Int64, to, i), 0);
    });
  });

/** `grow(heap, pages)` grows the memory and returns the previous number of pages, or -1. */
export const growProcedure = (instance: WasmInstance): Procedure =>
  instance.helper("grow", { parameters: [Int32], results: [Int32] }, (emitter) => {
    const [heap, pages] = emitter.proc.parameters;
    const { memorySize, pagesMax } = instance.layout;
    const old = emitter.load(Op.Load, Int64, heap, memorySize);
    const wide = emitter.emit(Op.ZExt32, Int64, pages);
    const added = emitter.emit(Op.Shl, Int64, wide, emitter.int(PAGE_SHIFT));
    const size = emitter.emit(Op.Add, Int64, old, added);
    const isTooMuch = emitter.emit(Op.Above, Int32, size, emitter.long(pagesMax * PAGE));
    const before = emitter.block;
    const refused = emitter.startBlock();
    recordRefusedGrowth(instance, emitter, size);
    emitter.return(emitter.int(-1));
    const granted = emitter.startBlock();
    emitter.store(Op.Store, size, heap, memorySize);
    const oldPages = emitter.emit(Op.ZShr, Int64, old, emitter.int(PAGE_SHIFT));
    emitter.return(emitter.emit(Op.Trunc, Int32, oldPages));
    emitter.block = before;
    emitter.branch(isTooMuch, refused, granted);
  });

/** Sets the cell `growthRefused` if the module allows the growth but the heap is too small. */
function recordRefusedGrowth(
  { layout, wasm }: WasmInstance,
  emitter: ProcedureEmitter,
  size: Value,
): void {
  const [heap] = emitter.proc.parameters;
  const allowed = (wasm.memory?.maximum ?? PAGES_MAX) - layout.missingPages;
  const isAllowed = emitter.emit(Op.BelowEqual, Int32, size, emitter.long(allowed * PAGE));
  const cell = emitter.load(Op.Load, Int32, heap, layout.growthRefused);
  const noted = emitter.emit(Op.BitOr, Int32, cell, isAllowed);
  emitter.store(Op.Store, noted, heap, layout.growthRefused);
}

/** Writes a loop for 0 to count - 1, then returns. */
function countUp(emitter: ProcedureEmitter, count: Value, act: (i: Value) => void): void {
  loop(emitter, emitter.long(0), count, (i) => {
    act(i);
    return emitter.emit(Op.Add, Int64, i, emitter.long(1));
  });
}

/** Writes a loop for count - 1 to 0, then returns. */
function countDown(emitter: ProcedureEmitter, count: Value, act: (i: Value) => void): void {
  loop(emitter, count, emitter.long(0), (i) => {
    const next = emitter.emit(Op.Sub, Int64, i, emitter.long(1));
    act(next);
    return next;
  });
}

function loop(
  emitter: ProcedureEmitter,
  first: Value,
  end: Value,
  next: (i: Value) => Value,
): void {
  const before = emitter.block;
  const head = emitter.startBlock();
  const i = emitter.phi(Int64);
  emitter.block = before;
  emitter.upsilon(first, i);
  emitter.jump(head);
  const behind = emitter.startBlock();
  emitter.return();
  const inside = emitter.startBlock();
  emitter.upsilon(next(i), i);
  emitter.jump(head);
  emitter.block = head;
  emitter.branch(emitter.emit(Op.Equal, Int32, i, end), behind, inside);
}
