// Where loads and stores go. Each address has its place in the heap, so that any number is one: what an engine has at
// an address is not known, and need not be, as long as all phases find the same there.
//
// The memory of WebAssembly has MEMORY_BYTES; each further part of an engine's, as long as that, goes there too, moved
// by another distance, so that its parts do not lie on each other byte for byte.
//
// Of the memory of WebAssembly one address in 256 is not there, the uppermost, nor what goes over its end: an access
// that may trap leaves there. What B3 must take for a write of everything, as a call, moves all that is in memory to
// other places: so what was loaded before is not what is there behind it.

import { Op } from "../../ir/opcodes.js";
import type { StackSlot, Value } from "../../ir/procedure.js";
import { Int32, Int64 } from "../../ir/types.js";
import type { Emitter } from "../emitter.js";
import { MEMORY_BYTES, PART_BYTES, PART_STRIDE } from "./surroundings.js";

/** By how much a write of everything moves all places, and a part its own: multiples of eight, and odd beside that. */
const MOVED_BY = 0x1238;
const PART_BY = 0x9e38;
/** From here on no address is there, that of a negative number neither. */
const ABSENT = 0xff00_0000;

export class Memory {
  private readonly emitter: Emitter;
  private readonly heap: Value;
  /** By how much all places are moved. */
  private readonly moved: StackSlot;

  constructor(emitter: Emitter, heap: Value) {
    this.emitter = emitter;
    this.heap = heap;
    this.moved = emitter.proc.newSlot(8, false);
    const first = emitter.load(Op.Load, Int64, heap, 0);
    this.setMoved(emitter.emit(Op.BitAnd, Int64, first, emitter.long(PART_BYTES - 8)));
  }

  /** An address in the heap, by its distance from the start. */
  at(distance: number): Value {
    return this.emitter.emit(Op.Add, Int64, this.heap, this.emitter.long(distance));
  }

  moveAll(): void {
    const { emit, long } = this.emitter;
    this.setMoved(emit(Op.Add, Int64, this.getMoved(), long(MOVED_BY)));
  }

  /**
   * The place for so many bytes at an address of the memory of WebAssembly.
   * @param leave leaves where the operand is not 0
   */
  place(address: Value, bytes: number, leave: (condition: Value) => void): Value {
    const { emit, int, long } = this.emitter;
    const distance = emit(Op.Sub, Int64, address, this.heap);
    const part = emit(Op.ZShr, Int64, distance, int(Math.log2(MEMORY_BYTES)));
    const apart = emit(Op.Add, Int64, distance, emit(Op.Mul, Int64, part, long(PART_BY)));
    const moved = emit(Op.Add, Int64, apart, this.getMoved());
    const index = emit(Op.BitAnd, Int64, moved, long(MEMORY_BYTES - 1));
    const isAbsent = emit(Op.AboveEqual, Int32, distance, long(ABSENT));
    const isBeyond = emit(Op.Above, Int32, index, long(MEMORY_BYTES - bytes));
    leave(emit(Op.BitOr, Int32, isAbsent, isBeyond));
    return emit(Op.Add, Int64, this.heap, index);
  }

  /** The place for an access elsewhere, which cannot trap: in that part. */
  otherPlace(address: Value, part: number): Value {
    const { emit, long } = this.emitter;
    const distance = emit(Op.Sub, Int64, address, this.heap);
    const moved = emit(Op.Add, Int64, distance, this.getMoved());
    const index = emit(Op.BitAnd, Int64, moved, long(PART_BYTES - 1));
    return emit(Op.Add, Int64, this.at(MEMORY_BYTES + part * PART_STRIDE), index);
  }

  private getMoved(): Value {
    return this.emitter.load(Op.Load, Int64, this.movedAt(), 0);
  }

  private setMoved(value: Value): void {
    this.emitter.store(Op.Store, value, this.movedAt(), 0);
  }

  private movedAt(): Value {
    const base = this.emitter.emit(Op.SlotBase, Int64);
    base.extra = this.moved;
    return base;
  }
}
