// The frame of a procedure, as offsets in bytes from the frame pointer. From there downward:
// callee-saved registers, locked slots, anonymous slots and spills (which may share), outgoing
// arguments.

import type { StackSlot } from "../../src/ir/procedure.js";
import { SLOT } from "../lir/lir.js";
import type { Allocation } from "../regalloc/allocation.js";
import { CompileError } from "./code-buffer.js";

/** Larger frames are a compile error; the language limits the slots of a procedure to the same. */
const FRAME_MAX = 2 << 20;

export class Frame {
  /** Bytes below the frame pointer; a multiple of 16. */
  size = 0;
  /**
   * Callee-saved registers that this procedure uses, unified numbering; the n-th is saved at -8 *
   * (n + 1).
   */
  saved: number[] = [];
  private slotOffsets: number[] = [];
  private spillBase = 0;

  /**
   * The frame of code that has been written: every 4 bytes from the stack pointer upward are a spill slot,
   * also those of incoming arguments.
   */
  static ofCode(size: number, saved: number[]): Frame {
    const frame = new Frame();
    frame.size = size;
    frame.saved = saved;
    frame.spillBase = -size;
    return frame;
  }

  layOut(
    calleeSaved: readonly number[],
    slots: readonly StackSlot[],
    allocation: Allocation,
    outgoingSize: number,
  ): void {
    this.saved = calleeSaved.filter((register) => allocation.usedRegisters[register] !== 0);
    let depth = 8 * this.saved.length;
    this.slotOffsets = [];
    for (const isLocked of [true, false]) {
      for (const slot of slots) {
        if (slot.isLocked !== isLocked) continue;
        depth += (slot.size + 7) & ~7;
        this.slotOffsets[slot.id] = -depth;
      }
    }
    depth += (4 * allocation.spillUnits + 7) & ~7;
    this.spillBase = -depth;
    // The outgoing arguments of every call lie at the stack pointer, which is aligned for calls.
    this.size = (depth + outgoingSize + 15) & ~15;
    if (this.size > FRAME_MAX) {
      throw new CompileError(`frame of ${this.size} bytes, limit is ${FRAME_MAX}`);
    }
  }

  /** Offset of a stack slot of the program. */
  offsetOfSlot(id: number): number {
    return this.slotOffsets[id];
  }

  /** The location of the spill slot at that offset. */
  spillAt(offset: number): number {
    return SLOT + (offset - this.spillBase) / 4;
  }

  /** Offset of a spill slot, given as a location. */
  offsetOfSpill(location: number): number {
    return this.spillBase + 4 * (location - SLOT);
  }

  offsetOfSaved(position: number): number {
    return -8 * (position + 1);
  }
}
