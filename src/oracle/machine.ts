// The state of one activation, and the loop that runs it.

import type { Bits, Ending, FrameState, HeapImage, HostEvent, SlotBits } from "../ir/outcome.js";
import { isWide, type Type } from "../ir/types.js";
import { assert } from "../support/assert.js";
import { Memory } from "./memory.js";
import { COST, type DecodedProcedure, END, type Program, STEP, STRIDE } from "./program.js";
import { STEPS } from "./steps.js";
import type { Recorder } from "./trace.js";

export class Machine {
  program: Program | null = null;
  procedure!: DecodedProcedure;
  /** Of the procedure. */
  code!: Int32Array;
  /** The cells, seen in four ways. */
  i32 = new Int32Array(0);
  i64 = new BigInt64Array(0);
  f32 = new Float32Array(0);
  f64 = new Float64Array(0);
  /** By cell: 1 if it holds an open NaN. */
  flags = new Uint8Array(0);
  readonly heap = new Memory(new Uint8Array(0));
  /** The stack slots of the activation, one after the other. */
  readonly slots = new Memory(new Uint8Array(0));
  /** By byte of `slots`: 1 if it is written. */
  written = new Uint8Array(0);
  events: HostEvent[] = [];
  ending: Ending | null = null;
  fuelUsed = 0;
  recorder: Recorder | null = null;

  load(program: Program): void {
    this.program = program;
    const { cellCountMax, slotBytesMax } = program;
    if (this.flags.length < cellCountMax) {
      const buffer = new ArrayBuffer(cellCountMax * 8);
      this.i32 = new Int32Array(buffer);
      this.i64 = new BigInt64Array(buffer);
      this.f32 = new Float32Array(buffer);
      this.f64 = new Float64Array(buffer);
      this.flags = new Uint8Array(cellCountMax);
    }
    if (this.written.length < slotBytesMax) {
      this.slots.attach(new Uint8Array(slotBytesMax));
      this.written = new Uint8Array(slotBytesMax);
    }
  }

  /** Starts an activation: constants in their cells, no flags, no events, slots unwritten. */
  enter(procedure: DecodedProcedure): void {
    this.procedure = procedure;
    this.code = procedure.code;
    this.i32.set(procedure.firstCells);
    this.flags.fill(0, 0, procedure.cellTypes.length);
    if (procedure.slotBytes > 0) {
      this.written.fill(0, 0, procedure.slotBytes);
      this.slots.forget(0, procedure.slotBytes);
    }
    this.events = [];
    this.ending = null;
  }

  /** Gives a cell its contents. Whoever calls us may leave junk above a 32-bit value. */
  setCell(cell: number, lo: number, hi: number, anyNaN: boolean): void {
    this.i32[cell << 1] = lo;
    this.i32[(cell << 1) + 1] = isWide(this.typeOf(cell)) ? hi : 0;
    this.flags[cell] = anyNaN ? 1 : 0;
  }

  /** Runs from `start` to the end of the activation. */
  run(start: number, fuelMax: number): Ending {
    if (this.recorder !== null) return this.runRecorded(start, fuelMax, this.recorder);
    const { code } = this;
    let fuel = fuelMax;
    let pc = start;
    while (pc !== END) {
      fuel -= code[pc + COST];
      if (fuel < 0) return this.outOfFuel(fuelMax);
      pc = STEPS[code[pc + STEP]](this, pc);
    }
    return this.ended(fuelMax - fuel);
  }

  private runRecorded(start: number, fuelMax: number, recorder: Recorder): Ending {
    const { code } = this;
    let fuel = fuelMax;
    let pc = start;
    while (pc !== END) {
      fuel -= code[pc + COST];
      if (fuel < 0) return this.outOfFuel(fuelMax);
      recorder.record(this, pc);
      const next = STEPS[code[pc + STEP]](this, pc);
      if (next === pc + STRIDE) recorder.recordResult(this, pc);
      pc = next;
    }
    return this.ended(fuelMax - fuel);
  }

  private outOfFuel(fuelMax: number): Ending {
    this.fuelUsed = fuelMax;
    return { kind: "out-of-fuel" };
  }

  private ended(fuelUsed: number): Ending {
    this.fuelUsed = fuelUsed;
    const { ending } = this;
    assert(ending !== null, () => "the activation ended without an ending");
    return ending;
  }

  /** Ends the activation; a step returns what this returns. */
  endAs(ending: Ending): typeof END {
    this.ending = ending;
    return END;
  }

  /** The instruction at `pc` looked at bits that the language leaves open. */
  nanBits(pc: number): typeof END {
    return this.endAs({ kind: "nan-bits", value: this.idAt(pc) });
  }

  idAt(pc: number): number {
    return this.procedure.ids[pc / STRIDE];
  }

  bitsOf(cell: number): Bits {
    return {
      type: this.typeOf(cell),
      lo: this.i32[cell << 1],
      hi: this.i32[(cell << 1) + 1],
      anyNaN: this.flags[cell] !== 0,
    };
  }

  heapImage(): HeapImage {
    return { bytes: this.heap.bytes.slice(), anyNaN: this.heap.openNaNs() };
  }

  /** The frames of an exit, after its exit block. */
  framesOf(exitIndex: number): FrameState[] {
    return this.procedure.exits[exitIndex].frames.map(({ name, point, slots }) => ({
      name,
      point,
      slots: slots.map(
        (slot): SlotBits => (slot !== null && "cell" in slot ? this.bitsOf(slot.cell) : slot),
      ),
    }));
  }

  // The cast is the border from a column of small integers: decode.ts filled it with Types.
  private typeOf(cell: number): Type {
    return this.procedure.cellTypes[cell] as Type;
  }
}
