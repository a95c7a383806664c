// Lays out the frame of a procedure, as offsets in bytes from the frame pointer. From there
// downward: callee-saved registers, stack slots of the program (../lower/pack-slots.ts), spills
// (which may share), outgoing arguments. Upward, in the caller's frame: the stack arguments.

import { assert } from "../../src/support/assert.js";
import { type Lir, SLOT } from "../lir/lir.js";
import type { Allocation } from "../regalloc/allocation.js";
import { CompileError } from "./compile-error.js";

/**
 * Bytes from the frame pointer up to the first incoming stack argument, on both targets. The saved
 * frame pointer and the return address are between.
 */
export const INCOMING_OFFSET = 16;

/**
 * Larger frames are a compile error; the language has the same limit for the slots of a procedure.
 */
const FRAME_MAX = 2 << 20;

export class ProcedureFrame {
  /** Bytes below the frame pointer; a multiple of 16. */
  size = 0;
  /**
   * Callee-saved registers that this procedure uses, unified numbering; the n-th is saved at -8 *
   * (n + 1).
   */
  saved: number[] = [];
  /** By id of a stack slot of the program: the offset of its first byte. */
  readonly slotOffsets = new Map<number, number>();
  private spillBase = 0;
  /** The units of the spill area that are stack arguments: the first ones. */
  private incomingUnits = 0;

  /** A frame without contents. */
  static readonly EMPTY: ProcedureFrame = new ProcedureFrame();

  /**
   * Returns the frame of existing code: every 4 bytes from the stack pointer upward are a spill
   * slot, including those of incoming arguments.
   */
  static ofCode(size: number, saved: number[]): ProcedureFrame {
    const frame = new ProcedureFrame();
    frame.size = size;
    frame.saved = saved;
    frame.spillBase = -size;
    return frame;
  }

  layOut(
    calleeSaved: readonly number[],
    { slotPlaces, outgoingSize, incomingUnits }: Lir,
    allocation: Allocation,
  ): void {
    this.saved = calleeSaved.filter((register) => allocation.usedRegisters[register] !== 0);
    let depth = 8 * this.saved.length;
    this.slotOffsets.clear();
    for (const [id, below] of slotPlaces.depths) this.slotOffsets.set(id, -(depth + below));
    depth += slotPlaces.size;
    depth += (4 * (allocation.spillUnits - incomingUnits) + 7) & ~7;
    this.incomingUnits = incomingUnits;
    this.spillBase = -depth;
    // The outgoing arguments of every call are at the stack pointer, which is aligned for calls.
    this.size = (depth + outgoingSize + 15) & ~15;
    if (this.size > FRAME_MAX) {
      throw new CompileError(`the frame has ${this.size} bytes, limit is ${FRAME_MAX}`);
    }
  }

  /** Returns the offset of a stack slot of the program. */
  offsetOfSlot(id: number): number {
    const offset = this.slotOffsets.get(id);
    assert(offset !== undefined, () => `stack${id} has no offset in the frame`);
    return offset;
  }

  /** Returns the location of the spill slot at that offset. */
  spillAt(offset: number): number {
    return SLOT + (offset - this.spillBase) / 4;
  }

  /** Returns the offset of a spill slot, given as a location. */
  offsetOfSpill(location: number): number {
    const unit = location - SLOT;
    return unit < this.incomingUnits
      ? INCOMING_OFFSET + 4 * unit
      : this.spillBase + 4 * (unit - this.incomingUnits);
  }

  offsetOfSaved(position: number): number {
    return -8 * (position + 1);
  }
}
