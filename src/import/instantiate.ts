// Writes the procedure that creates an instance in the heap: sizes, globals, segments and the start
// function.
//
// The linear memory is initially zero. The import overlays active segments itself. The program only
// stores the result, eight bytes at a time, without zeroes.

import { Op } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";
import { Int32, Int64, type Type } from "../ir/types.js";
import { call } from "./calls.js";
import { evaluate, functionOfElement, initialOf } from "./constant-expression.js";
import type { ProcedureEmitter } from "./emitter.js";
import { errorAt } from "./import-error.js";
import type { WasmInstance } from "./instance.js";
import { PAGE } from "./layout.js";
import { memoryTrap } from "./memory.js";
import type { TrapKind } from "./traps.js";
import type { ElementSegment } from "./wasm-module.js";

/**
 * Returns the procedure; null if the instance needs no initialization.
 * @throws ImportError
 */
export function instantiateProcedure(instance: WasmInstance): Procedure | null {
  const { wasm, layout } = instance;
  const isEmpty =
    wasm.start === null &&
    !layout.grows &&
    !wasm.globals.some(({ isMutable }) => isMutable) &&
    wasm.data.length === 0 &&
    wasm.elements.length === 0;
  if (isEmpty) return null;
  return instance.helper("instantiate", { parameters: [], results: [] }, (emitter) =>
    new SegmentWriter(instance, emitter).write(),
  );
}

/** The contents of an active segment, and the table or memory that receives them. */
interface SegmentContents {
  /** The index of the table; 0 for the memory. */
  readonly region: number;
  readonly at: number;
  readonly bytes: Uint8Array;
  /** The position of the segment in the binary. */
  readonly byte: number;
  readonly place: number;
  readonly size: number;
}

class SegmentWriter {
  private readonly instance: WasmInstance;
  private readonly emitter: ProcedureEmitter;
  private readonly heap: Value;

  constructor(instance: WasmInstance, emitter: ProcedureEmitter) {
    this.instance = instance;
    this.emitter = emitter;
    [this.heap] = emitter.proc.parameters;
  }

  write(): void {
    const { instance, emitter, heap } = this;
    const { wasm, layout } = instance;
    if (layout.grows) {
      emitter.store(Op.Store, emitter.long(layout.pages * PAGE), heap, layout.memorySize);
    }
    wasm.globals.forEach(({ isMutable, type, outside }, index) => {
      const initial = isMutable && outside === null ? initialOf(wasm, index) : null;
      if (initial === null) return;
      const { lo, hi } = initial;
      emitter.store(Op.Store, emitter.constant(type, lo, hi), heap, layout.globals[index]);
    });
    this.passive();
    if (this.elements() && this.data()) {
      if (wasm.start !== null) call(instance, { emitter, heap }, wasm.start, []);
      emitter.return();
    }
  }

  /** Stores the contents that memory.init and table.init read. */
  private passive(): void {
    const { wasm, layout } = this.instance;
    wasm.data.forEach(({ offset, bytes, at }, index) => {
      if (layout.dataLengths[index] === 0) return;
      this.store32(offset === null ? bytes.length : 0, layout.dataLengths[index]);
      if (offset === null) this.image(bytes, layout.data[index], Int64, at);
    });
    wasm.elements.forEach((segment, index) => {
      if (layout.elementLengths[index] === 0) return;
      const isPassive = segment.offset === null && !segment.isDeclarative;
      this.store32(isPassive ? segment.elements.length : 0, layout.elementLengths[index]);
      if (isPassive) this.image(entriesOf(segment), layout.elements[index], Int32, byteOf(segment));
    });
  }

  /** Returns false after a segment that traps, which ends the procedure. */
  private elements(): boolean {
    const { wasm, layout } = this.instance;
    const parts = wasm.elements.flatMap((segment): SegmentContents[] => {
      const { offset, table } = segment;
      if (offset === null || wasm.tables[table].outside !== null) return [];
      const { place, size } = layout.tables[table];
      const at = 4 * this.offsetOf(offset);
      return [
        {
          region: table,
          at,
          bytes: entriesOf(segment),
          byte: byteOf(segment),
          place,
          size: 4 * size,
        },
      ];
    });
    return this.overlay(parts, Int32, "out of bounds table access");
  }

  private data(): boolean {
    const { wasm, layout } = this.instance;
    const place = { region: 0, place: layout.memory, size: layout.pages * PAGE };
    const parts = wasm.data.flatMap(({ offset, bytes, at: byte }): SegmentContents[] =>
      offset === null ? [] : [{ ...place, at: this.offsetOf(offset), bytes, byte }],
    );
    return this.overlay(parts, Int64, memoryTrap(layout));
  }

  private offsetOf(expression: ElementSegment["elements"][number]): number {
    const offset = evaluate(this.instance.wasm, expression);
    if (offset !== null) return offset.lo >>> 0;
    throw errorAt(expression[0].at, "the offset of the segment has no known value");
  }

  /** Overlays and stores segments up to the first that does not fit, which traps. */
  private overlay(parts: readonly SegmentContents[], unit: Type, trap: TrapKind): boolean {
    const misfit = parts.findIndex(({ at, bytes, size }) => at + bytes.length > size);
    const fitting = misfit < 0 ? parts : parts.slice(0, misfit);
    for (const region of new Set(fitting.map((part) => part.region))) {
      const own = fitting.filter((part) => part.region === region);
      const end = Math.max(...own.map(({ at, bytes }) => at + bytes.length));
      const image = new Uint8Array(Math.ceil(end / 8) * 8);
      for (const { at, bytes } of own) image.set(bytes, at);
      this.image(image, own[0].place, unit, own[0].byte);
    }
    if (misfit >= 0) this.emitter.trap(trap);
    return misfit < 0;
  }

  /**
   * Stores bytes as words of the type, except words that are zero already.
   * @param byte the position of the bytes in the binary
   */
  private image(bytes: Uint8Array, place: number, unit: Type, byte: number): void {
    const { emitter, heap } = this;
    const size = unit === Int64 ? 8 : 4;
    const whole = new Uint8Array(Math.ceil(bytes.length / size) * size);
    whole.set(bytes);
    const view = new DataView(whole.buffer);
    const words = unit === Int64 ? new BigUint64Array(whole.buffer) : new Uint32Array(whole.buffer);
    // A constant and a Store for each word.
    emitter.expectValues(2 * countNonZero(words), byte);
    for (let at = 0; at < whole.length; at += size) {
      const lo = view.getInt32(at, true);
      const hi = unit === Int64 ? view.getInt32(at + 4, true) : 0;
      if (lo === 0 && hi === 0) continue;
      emitter.store(Op.Store, emitter.constant(unit, lo, hi), heap, place + at);
    }
  }

  private store32(value: number, place: number): void {
    this.emitter.store(Op.Store, this.emitter.int(value), this.heap, place);
  }
}

function countNonZero(words: BigUint64Array | Uint32Array): number {
  let count = 0;
  for (let w = 0; w < words.length; w++) if (Number(words[w]) !== 0) count++;
  return count;
}

/** Returns the position of a segment in the binary: that of its first expression; 0 if it has none. */
const byteOf = ({ offset, elements }: ElementSegment): number =>
  (offset ?? elements[0])?.[0]?.at ?? 0;

/** Returns the elements in the format of a table. */
function entriesOf({ elements }: ElementSegment): Uint8Array {
  const bytes = new Uint8Array(4 * elements.length);
  const view = new DataView(bytes.buffer);
  elements.forEach((element, i) => {
    const index = functionOfElement(element);
    view.setInt32(4 * i, index === null ? 0 : index + 1, true);
  });
  return bytes;
}
