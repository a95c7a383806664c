// The procedure that makes an instance in the heap: sizes, globals, segments, and the start function.
//
// The linear memory is all zeroes before it runs. Active segments are laid over each other here, not
// by the program: it stores what comes of them, eight bytes at a time, and leaves zeroes out.

import { Op } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";
import { Int32, Int64, type Type } from "../ir/types.js";
import { call } from "./calls.js";
import { evaluate, functionOfElement, initialOf } from "./constant-expression.js";
import type { Emitter } from "./emitter.js";
import type { Instance } from "./instance.js";
import { PAGE } from "./layout.js";
import type { Trap } from "./traps.js";
import type { ElementSegment } from "./wasm-module.js";

/** The procedure; null if there is nothing to do. @throws ImportError */
export function instantiateProcedure(instance: Instance): Procedure | null {
  const { wasm, layout } = instance;
  const isEmpty =
    wasm.start === null &&
    !layout.grows &&
    !wasm.globals.some(({ isMutable }) => isMutable) &&
    wasm.data.length === 0 &&
    wasm.elements.length === 0;
  if (isEmpty) return null;
  return instance.helper("instantiate", { parameters: [], results: [] }, (emitter) =>
    new Writer(instance, emitter).write(),
  );
}

class Writer {
  private readonly instance: Instance;
  private readonly emitter: Emitter;
  private readonly heap: Value;

  constructor(instance: Instance, emitter: Emitter) {
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
    wasm.globals.forEach(({ isMutable, type }, index) => {
      if (!isMutable) return;
      const { lo, hi } = initialOf(wasm, index);
      emitter.store(Op.Store, emitter.constant(type, lo, hi), heap, layout.globals[index]);
    });
    this.passive();
    if (this.elements() && this.data()) {
      if (wasm.start !== null) call(instance, { emitter, heap }, wasm.start, []);
      emitter.return();
    }
  }

  /** What memory.init and table.init read. */
  private passive(): void {
    const { wasm, layout } = this.instance;
    wasm.data.forEach(({ offset, bytes }, index) => {
      if (layout.dataLengths[index] === 0) return;
      this.store32(offset === null ? bytes.length : 0, layout.dataLengths[index]);
      if (offset === null) this.image(bytes, layout.data[index], Int64);
    });
    wasm.elements.forEach((segment, index) => {
      if (layout.elementLengths[index] === 0) return;
      const isPassive = segment.offset === null && !segment.isDeclarative;
      this.store32(isPassive ? segment.elements.length : 0, layout.elementLengths[index]);
      if (isPassive) this.image(entriesOf(segment), layout.elements[index], Int32);
    });
  }

  /** False if a segment traps, and ends the procedure. */
  private elements(): boolean {
    const { wasm, layout } = this.instance;
    const segments = wasm.elements.flatMap((segment) =>
      segment.offset === null ? [] : [{ at: this.offsetOf(segment.offset), segment }],
    );
    const parts = segments.map(({ at, segment }) => ({ at: 4 * at, bytes: entriesOf(segment) }));
    return this.overlay(parts, 4 * layout.tableSize, layout.table, Int32, {
      trap: "out of bounds table access",
    });
  }

  private data(): boolean {
    const { wasm, layout } = this.instance;
    const parts = wasm.data.flatMap(({ offset, bytes }) =>
      offset === null ? [] : [{ at: this.offsetOf(offset), bytes }],
    );
    return this.overlay(parts, layout.pages * PAGE, layout.memory, Int64, {
      trap: "out of bounds memory access",
    });
  }

  private offsetOf(expression: ElementSegment["elements"][number]): number {
    return evaluate(this.instance.wasm, expression).lo >>> 0;
  }

  /** Stores segments over each other up to the first that does not fit, which traps. */
  private overlay(
    parts: readonly { readonly at: number; readonly bytes: Uint8Array }[],
    size: number,
    place: number,
    unit: Type,
    { trap }: { readonly trap: Trap },
  ): boolean {
    const misfit = parts.findIndex(({ at, bytes }) => at + bytes.length > size);
    const fitting = misfit < 0 ? parts : parts.slice(0, misfit);
    const end = Math.max(0, ...fitting.map(({ at, bytes }) => at + bytes.length));
    const image = new Uint8Array(Math.ceil(end / 8) * 8);
    for (const { at, bytes } of fitting) image.set(bytes, at);
    this.image(image, place, unit);
    if (misfit >= 0) this.emitter.trap(trap);
    return misfit < 0;
  }

  /** Bytes, in words of the type; a word of zeroes is there already. */
  private image(bytes: Uint8Array, place: number, unit: Type): void {
    const { emitter, heap } = this;
    const size = unit === Int64 ? 8 : 4;
    const whole = new Uint8Array(Math.ceil(bytes.length / size) * size);
    whole.set(bytes);
    const view = new DataView(whole.buffer);
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

/** The elements as the table has them. */
function entriesOf({ elements }: ElementSegment): Uint8Array {
  const bytes = new Uint8Array(4 * elements.length);
  const view = new DataView(bytes.buffer);
  elements.forEach((element, i) => {
    const index = functionOfElement(element);
    view.setInt32(4 * i, index === null ? 0 : index + 1, true);
  });
  return bytes;
}
