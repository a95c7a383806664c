// Maps the addresses of loads and stores to the heap. Every number maps to a location in the heap.
// The actual contents of the engine's memory are unknown, and need not be known if all phases read
// the same.
//
// The memory of WebAssembly has MEMORY_BYTES. Each further part of the address space with that size
// maps to the same bytes, shifted by another distance. So two parts do not overlap byte for byte.
//
// The uppermost 1/256 of the WebAssembly address space is absent. An access that may trap exits for
// these addresses and beyond the end of the memory. A call, which B3 must treat as a write of
// everything, shifts all locations. A load after the call therefore reads another value than a load
// before it.

import { Op } from "../../ir/opcodes.js";
import type { StackSlot, Value } from "../../ir/procedure.js";
import { Int32, Int64 } from "../../ir/types.js";
import type { ProcedureEmitter } from "../emitter.js";
import { MEMORY_BYTES, PART_BYTES, PART_STRIDE } from "./surroundings.js";

/**
 * The shift by a write of everything, and the shift of each further part. Both are odd multiples of
 * eight.
 */
const SHIFT = 0x1238;
const PART_SHIFT = 0x9e38;
/** The first absent address. The addresses of negative numbers are absent too. */
const ABSENT = 0xff00_0000;

export class B3Memory {
  private readonly emitter: ProcedureEmitter;
  private readonly heap: Value;
  /** The current shift of all locations. */
  private readonly shiftSlot: StackSlot;

  constructor(emitter: ProcedureEmitter, heap: Value) {
    this.emitter = emitter;
    this.heap = heap;
    this.shiftSlot = emitter.proc.newSlot(8, false);
    const first = emitter.load(Op.Load, Int64, heap, 0);
    this.setShift(emitter.emit(Op.BitAnd, Int64, first, emitter.long(PART_BYTES - 8)));
  }

  /** Returns the address at this distance from the start of the heap. */
  at(distance: number): Value {
    return this.emitter.emit(Op.Add, Int64, this.heap, this.emitter.long(distance));
  }

  shiftAll(): void {
    const { emit, long } = this.emitter;
    this.setShift(emit(Op.Add, Int64, this.getShift(), long(SHIFT)));
  }

  /**
   * Returns the location of an access to the WebAssembly memory.
   * @param leave exits if its operand is not 0
   */
  location(address: Value, bytes: number, leave: (condition: Value) => void): Value {
    const { emit, int, long } = this.emitter;
    const distance = emit(Op.Sub, Int64, address, this.heap);
    const part = emit(Op.ZShr, Int64, distance, int(Math.log2(MEMORY_BYTES)));
    const apart = emit(Op.Add, Int64, distance, emit(Op.Mul, Int64, part, long(PART_SHIFT)));
    const moved = emit(Op.Add, Int64, apart, this.getShift());
    const index = emit(Op.BitAnd, Int64, moved, long(MEMORY_BYTES - 1));
    const isAbsent = emit(Op.AboveEqual, Int32, distance, long(ABSENT));
    const isBeyond = emit(Op.Above, Int32, index, long(MEMORY_BYTES - bytes));
    leave(emit(Op.BitOr, Int32, isAbsent, isBeyond));
    return emit(Op.Add, Int64, this.heap, index);
  }

  /** Returns the location of another access, which cannot trap, in the given part. */
  otherLocation(address: Value, part: number): Value {
    const { emit, long } = this.emitter;
    const distance = emit(Op.Sub, Int64, address, this.heap);
    const moved = emit(Op.Add, Int64, distance, this.getShift());
    const index = emit(Op.BitAnd, Int64, moved, long(PART_BYTES - 1));
    return emit(Op.Add, Int64, this.at(MEMORY_BYTES + part * PART_STRIDE), index);
  }

  private getShift(): Value {
    return this.emitter.load(Op.Load, Int64, this.shiftAddress(), 0);
  }

  private setShift(value: Value): void {
    this.emitter.store(Op.Store, value, this.shiftAddress(), 0);
  }

  private shiftAddress(): Value {
    const base = this.emitter.emit(Op.SlotBase, Int64);
    base.extra = this.shiftSlot;
    return base;
  }
}
