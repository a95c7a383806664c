// Holds the state of one execution in the oracle: cells, NaN flags and stack slots of each live activation; the heap,
// the events, and how the execution ended.

import type {
  CalleeExit,
  Ending,
  ExecutedFence,
  FrameState,
  HeapImage,
  HostEvent,
  MemoryImage,
  ObservedBits,
  SlotBits,
} from "../../ir/outcome.js";
import { isWide, sizeOf, type Type } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { copyOfBytes } from "../../support/program-arrays.js";
import { OracleKeptSlots } from "./kept-slots.js";
import { OracleMemory, rangesOf } from "./memory.js";
import { NO_OBJECT, type ObjectAddresses, type ObjectTable } from "./objects.js";
import {
  type DecodedFields,
  type DecodedModule,
  type DecodedProcedure,
  type DecodedSlot,
  END,
  type SlotBytes,
  STRIDE,
} from "./program.js";

/** A live activation, stored by depth so that a return can restore the caller's. */
interface LiveActivation {
  procedure: DecodedProcedure | null;
  /** The cells, as four views of one buffer. */
  i32: Int32Array;
  i64: BigInt64Array;
  f32: Float32Array;
  f64: Float64Array;
  flags: Uint8Array;
  slots: OracleMemory;
  written: Uint8Array;
  cellObjects: Int32Array;
  slotAddresses: ObjectAddresses;
  /** Its number among all activations of the execution. */
  serial: number;
  /** The instruction of its running call. */
  callAt: number;
}

/** An activation whose call is running. */
interface CallingActivation {
  readonly procedure: number;
  /** The instruction of the call. */
  readonly callAt: number;
  /** By cell: its low and high word. */
  readonly i32: Int32Array;
}

const newActivation = (): LiveActivation => ({
  procedure: null,
  i32: new Int32Array(0),
  i64: new BigInt64Array(0),
  f32: new Float32Array(0),
  f64: new Float64Array(0),
  flags: new Uint8Array(0),
  slots: new OracleMemory(new Uint8Array(0)),
  written: new Uint8Array(0),
  cellObjects: new Int32Array(0),
  slotAddresses: new Map(),
  serial: 0,
  callAt: 0,
});

/**
 * The heap of a return to a caller. Copying a large heap would dominate the time of a small procedure that is called
 * often.
 */
const NOT_SHOWN: HeapImage = { bytes: new Uint8Array(0), anyNaN: [], masked: [] };

export class OracleMachine {
  program: DecodedModule | null = null;
  procedure!: DecodedProcedure;
  /** The code of `procedure`. */
  code!: Int32Array;
  /** The cells, as four views of one buffer. */
  i32: Int32Array = new Int32Array(0);
  i64: BigInt64Array = new BigInt64Array(0);
  f32: Float32Array = new Float32Array(0);
  f64: Float64Array = new Float64Array(0);
  /** By cell: 1 if it holds an open NaN. */
  flags: Uint8Array = new Uint8Array(0);
  readonly heap = new OracleMemory(new Uint8Array(0));
  /** The stack slots of the activation, one after the other. */
  slots = new OracleMemory(new Uint8Array(0));
  /** By byte of `slots`: 1 if it is written. */
  written: Uint8Array = new Uint8Array(0);
  /** The objects of the heap; null if their addresses are not tracked. */
  objects: ObjectTable | null = null;
  /** By cell: the object whose address it contains. */
  cellObjects: Int32Array = new Int32Array(0);
  /** Addresses of objects in `slots`. */
  slotAddresses: ObjectAddresses = new Map();
  /** The number of the activation among all activations. */
  serial = 0;
  /** The addresses that the host keeps. */
  readonly kept = new OracleKeptSlots();
  events: HostEvent[] = [];
  /**
   * The results of volatile loads; null as soon as a part of the execution ran that does not record
   * them.
   */
  volatileLoads: ObservedBits[] | null = [];
  /** The executed fences; null as soon as a part of the execution ran that does not record them. */
  fences: ExecutedFence[] | null = [];
  calleeExits: CalleeExit[] = [];
  ending: Ending | null = null;
  fuelUsed = 0;
  /** Number of callers of the activation. */
  depth = 0;
  /** Bytes of the stack slots of all live activations. */
  liveSlotBytes = 0;
  /** The depth at which the execution, or its current continuation, began. */
  baseDepth = 0;
  /** True if a watcher replaced the activation while its call ran, and has not arrived there since. */
  isReplaced = false;
  /** True if the last return requests that the caller leave. */
  asks = false;
  /** The instruction of the step that returned CALL. */
  callAt = 0;
  /**
   * Executes the instruction at `callAt` that consumes fuel of its own. Returns the next program counter, or END, and
   * sets `fuelUsed` to the consumed part of `fuel`.
   */
  readonly runWithFuel: (fuel: number) => number;
  private readonly activations: LiveActivation[] = [newActivation()];
  private serialEnd = 0;

  constructor(runWithFuel: (fuel: number) => number) {
    this.runWithFuel = runWithFuel;
  }

  load(program: DecodedModule): void {
    this.program = program;
    this.depth = 0;
    this.liveSlotBytes = 0;
    this.baseDepth = 0;
    this.isReplaced = false;
    this.objects = null;
  }

  /** Starts an activation in place of the current one: constants in their cells, no flags set, slots unwritten. */
  enter(procedure: DecodedProcedure): void {
    const activation = this.activations[this.depth];
    activation.procedure = procedure;
    activation.serial = this.serialEnd++;
    makeRoom(activation, procedure);
    this.show(activation, procedure);
    this.i32.set(procedure.firstCells);
    this.flags.fill(0, 0, procedure.cellTypes.length);
    if (procedure.slotBytes > 0) {
      this.written.fill(0, 0, procedure.slotBytes);
      this.slots.forget(0, procedure.slotBytes);
    }
    if (this.objects !== null) {
      this.cellObjects.fill(NO_OBJECT, 0, procedure.cellTypes.length);
      this.slotAddresses.clear();
    }
    this.ending = null;
  }

  /** Starts an activation that the current one calls, by the instruction at `callAt`. */
  push(procedure: DecodedProcedure, callAt: number): void {
    this.activations[this.depth].callAt = callAt;
    this.liveSlotBytes += this.procedure.slotBytes;
    this.depth++;
    if (this.depth === this.activations.length) this.activations.push(newActivation());
    this.enter(procedure);
  }

  /** Returns to the caller's activation, which is unchanged. */
  pop(): void {
    this.depth--;
    const activation = this.activations[this.depth];
    const { procedure } = activation;
    assert(procedure !== null, () => "an activation without a caller returned");
    this.liveSlotBytes -= procedure.slotBytes;
    this.show(activation, procedure);
  }

  /** Returns the caller of the activation at `depth`; null if no activation of the program called it. */
  callerOf(depth: number): CallingActivation | null {
    if (depth <= this.baseDepth) return null;
    const { procedure, callAt, i32 } = this.activations[depth - 1];
    assert(procedure !== null, () => "an activation has no caller");
    return { procedure: procedure.index, callAt, i32 };
  }

  /** True if the activation returns to a caller, so that its result shows no heap. */
  private get returnsToCaller(): boolean {
    return this.depth > this.baseDepth;
  }

  private show(activation: LiveActivation, procedure: DecodedProcedure): void {
    this.procedure = procedure;
    this.code = procedure.code;
    this.i32 = activation.i32;
    this.i64 = activation.i64;
    this.f32 = activation.f32;
    this.f64 = activation.f64;
    this.flags = activation.flags;
    this.slots = activation.slots;
    this.written = activation.written;
    this.cellObjects = activation.cellObjects;
    this.slotAddresses = activation.slotAddresses;
    this.serial = activation.serial;
  }

  /** Returns whether that activation is still live. */
  isLive(depth: number, serial: number): boolean {
    return depth <= this.depth && this.activations[depth].serial === serial;
  }

  /** Sets a cell. The high word of a 32-bit value is ignored. */
  setCell(cell: number, lo: number, hi: number, anyNaN: boolean, object = NO_OBJECT): void {
    this.i32[cell << 1] = lo;
    this.i32[(cell << 1) + 1] = isWide(this.typeOf(cell)) ? hi : 0;
    this.flags[cell] = anyNaN ? 1 : 0;
    this.cellObjects[cell] = object;
  }

  setBits(cell: number, { lo, hi, anyNaN, object }: ObservedBits): void {
    this.setCell(cell, lo, hi, anyNaN, object);
  }

  /** Ends the activation. A step returns this result. */
  endAs(ending: Ending): typeof END {
    this.ending = ending;
    return END;
  }

  /** Ends the activation by a return. */
  returnAs(result: ObservedBits | null, further: readonly ObservedBits[] = []): typeof END {
    this.asks = false;
    if (!this.returnsToCaller) {
      this.objects?.give(result?.object ?? NO_OBJECT);
      for (const { object = NO_OBJECT } of further) this.objects?.give(object);
    }
    const heap = this.returnsToCaller ? NOT_SHOWN : this.heapImage();
    if (further.length === 0) return this.endAs({ kind: "return", result, heap });
    return this.endAs({ kind: "return", result, further, heap });
  }

  /** Ends the activation because the instruction at `pc` used bits that the language leaves open. */
  nanBits(pc: number): typeof END {
    return this.endAs({ kind: "nan-bits", value: this.idAt(pc) });
  }

  idAt(pc: number): number {
    return this.procedure.ids[pc / STRIDE];
  }

  opcodeAt(pc: number): number {
    return this.procedure.opcodes[pc / STRIDE];
  }

  bitsOf(cell: number): ObservedBits {
    const bits = {
      type: this.typeOf(cell),
      lo: this.i32[cell << 1],
      hi: this.i32[(cell << 1) + 1],
      anyNaN: this.flags[cell] !== 0,
    };
    const object = this.objects === null ? NO_OBJECT : this.cellObjects[cell];
    return object === NO_OBJECT ? bits : { ...bits, object };
  }

  heapImage(): HeapImage {
    const { heap, objects } = this;
    const [bytes, anyNaN, masked] = [copyOfBytes(heap.bytes), heap.openNaNs(), heap.deadRanges()];
    if (objects === null || !objects.exist) return { bytes, anyNaN, masked };
    const hidden = objects.hidden();
    return {
      bytes,
      anyNaN: pairsWhere(anyNaN, (at) => hidden[at] === 0),
      masked: withRanges(hidden, masked),
    };
  }

  /** Returns the bytes of a stack slot; unwritten bytes are masked, and 0. */
  private slotImage({ start, size }: SlotBytes): MemoryImage {
    const end = start + size;
    const bytes = this.slots.bytes.slice(start, end);
    const masked = rangesOf(this.written, start, end, 0);
    for (let i = 0; i < masked.length; i += 2) bytes.fill(0, masked[i], masked[i] + masked[i + 1]);
    return { bytes, anyNaN: this.slots.openNaNs(start, end), masked };
  }

  /** Returns the bytes of a slot of fields; bytes of no field are masked, and 0. */
  private fieldsImage({ size, fields }: DecodedFields): MemoryImage {
    const bytes = new Uint8Array(size);
    const written = new Uint8Array(size);
    const view = new DataView(bytes.buffer);
    const anyNaN: number[] = [];
    for (const { offset, cell } of fields) {
      const { type, lo, hi, anyNaN: isOpen } = this.bitsOf(cell);
      view.setInt32(offset, lo, true);
      if (isWide(type)) view.setInt32(offset + 4, hi, true);
      written.fill(1, offset, offset + sizeOf(type));
      if (isOpen) anyNaN.push(offset, sizeOf(type));
    }
    return { bytes, anyNaN, masked: rangesOf(written, 0, size, 0) };
  }

  /** Returns the frames of an exit whose exit block has run. */
  framesOf(exitIndex: number): FrameState[] {
    return this.procedure.exits[exitIndex].frames.map(({ name, point, slots }) => ({
      name,
      point,
      slots: slots.map((slot) => this.slotBits(slot)),
    }));
  }

  private slotBits(slot: DecodedSlot): SlotBits {
    if (slot !== null && "cell" in slot) return this.bitsOf(slot.cell);
    if (slot !== null && "start" in slot) return this.slotImage(slot);
    return slot !== null && "fields" in slot ? this.fieldsImage(slot) : slot;
  }

  // The cast converts a column of small integers: decode.ts filled it with Types.
  typeOf(cell: number): Type {
    return this.procedure.cellTypes[cell] as Type;
  }
}

const pairsWhere = (pairs: readonly number[], isIn: (first: number) => boolean): number[] =>
  pairs.filter((_, i) => isIn(pairs[i & -2]));

/** Returns pairs (offset, size) of the bytes that are marked or in `ranges`. */
function withRanges(marks: Uint8Array, ranges: readonly number[]): number[] {
  for (let i = 0; i < ranges.length; i += 2) marks.fill(1, ranges[i], ranges[i] + ranges[i + 1]);
  return rangesOf(marks, 0, marks.length, 1);
}

function makeRoom(activation: LiveActivation, { cellTypes, slotBytes }: DecodedProcedure): void {
  if (activation.flags.length < cellTypes.length) {
    const count = Math.max(cellTypes.length, 2 * activation.flags.length);
    const buffer = new ArrayBuffer(count * 8);
    activation.i32 = new Int32Array(buffer);
    activation.i64 = new BigInt64Array(buffer);
    activation.f32 = new Float32Array(buffer);
    activation.f64 = new Float64Array(buffer);
    activation.flags = new Uint8Array(count);
    activation.cellObjects = new Int32Array(count);
  }
  if (activation.written.length < slotBytes) {
    activation.slots.attach(new Uint8Array(slotBytes));
    activation.written = new Uint8Array(slotBytes);
  }
}
