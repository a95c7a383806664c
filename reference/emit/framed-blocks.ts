// Selects the blocks of a procedure that run with a frame, and the positions at which the frame is
// made: as late as possible, and nowhere if no block needs one (shrink-wrapping: Chow, Minimizing
// Register Usage Penalty at Procedure Calls, PLDI 1988).
//
// 1. A block needs the frame if it accesses it, or changes a register that the frame preserves.
//    Such accesses are a row with the flag EmittedRow.needsFrame, a call, a guard whose exit reads
//    stack slots of the program, a spill slot, and a register that is preserved for the caller. The
//    stub of an exit without a frame makes an empty one.
// 2. Every block that may follow a block with a frame has the frame, too. Only a return removes it.
//    So no path makes it twice, and a loop with a block that needs it has it as a whole.
// 3. It is made on the edges from blocks without to blocks with a frame. If all edges to a block
//    are such edges, it is made at the start of that block; otherwise at the end of each block that
//    such an edge leaves. Critical edges are split, so one of the two is always possible.
// 4. If more than PLACES_MAX copies of the code that makes it would be needed, it is made at the
//    entry.

import {
  type GuardExit,
  isRemat,
  isSlot,
  type Lir,
  OperandRole,
  REMAT,
  roleOf,
  vregOf,
} from "../lir/lir.js";
import { type Allocation, MOVE_STRIDE } from "../regalloc/allocation.js";
import type { EmittedRow } from "./machine-writer.js";

const PLACES_MAX = 2;

/** The position in a block at which the frame is made. */
const Place = { None: 0, Start: 1, End: 2 } as const;

/** The fields of a row that decide whether it needs a frame. */
type FrameFacts = Pick<EmittedRow<never>, "needsFrame" | "isCall">;

/**
 * Decides where the frame of a procedure is made.
 *
 * @param saved registers that the frame preserves, unified numbering
 */
export type FramePlacement = (
  framed: FramedBlocks,
  lir: Lir,
  rows: readonly FrameFacts[],
  allocation: Allocation,
  saved: readonly number[],
) => void;

export const placeFrameLate: FramePlacement = (framed, lir, rows, allocation, saved) =>
  framed.placeLate(lir, rows, allocation, saved);

export const placeFrameAtEntry: FramePlacement = (framed, lir) => framed.placeAtEntry(lir);

export class FramedBlocks {
  /** The number of places where the frame is made: none if no block needs it. */
  places = 0;
  /** By block: 1 if it ends with a frame. */
  private isFramed = new Uint8Array(64);
  /** By block: a `Place`. */
  private place = new Uint8Array(64);
  /** By block: 1 if a block with a frame is its predecessor. */
  private isEntered = new Uint8Array(64);
  private pending = new Int32Array(64);
  /** By register of the unified numbering: 1 if the frame preserves the caller's value. */
  private readonly isSaved = new Uint8Array(64);

  /** Makes the frame at the entry. */
  placeAtEntry({ blockCount }: Lir): void {
    this.reset(blockCount);
    this.isFramed.fill(1, 0, blockCount);
    this.place[0] = Place.Start;
    this.places = 1;
  }

  placeLate(
    lir: Lir,
    rows: readonly FrameFacts[],
    allocation: Allocation,
    saved: readonly number[],
  ): void {
    this.reset(lir.blockCount);
    this.isSaved.fill(0);
    for (let k = 0; k < saved.length; k++) this.isSaved[saved[k]] = 1;
    this.spread(lir, this.findNeeds(lir, rows, allocation));
    if (this.isFramed[0] === 1) this.placeAtEntry(lir);
    else this.findPlaces(lir);
    if (this.places > PLACES_MAX) this.placeAtEntry(lir);
  }

  isFramedIn(block: number): boolean {
    return this.isFramed[block] === 1;
  }

  isMadeAtStartOf(block: number): boolean {
    return this.place[block] === Place.Start;
  }

  isMadeAtEndOf(block: number): boolean {
    return this.place[block] === Place.End;
  }

  isMadeIn(block: number): boolean {
    return this.place[block] !== Place.None;
  }

  private reset(blockCount: number): void {
    if (this.isFramed.length < blockCount) {
      this.isFramed = new Uint8Array(2 * blockCount);
      this.place = new Uint8Array(2 * blockCount);
      this.isEntered = new Uint8Array(2 * blockCount);
      this.pending = new Int32Array(2 * blockCount);
    }
    this.isFramed.fill(0, 0, blockCount);
    this.place.fill(Place.None, 0, blockCount);
    this.isEntered.fill(0, 0, blockCount);
    this.places = 0;
  }

  /** Marks the blocks that need a frame, and lists them in `pending`; returns their number. */
  private findNeeds(lir: Lir, rows: readonly FrameFacts[], allocation: Allocation): number {
    const { moves, moveCount } = allocation;
    const { blockStart } = lir;
    const movesEnd = MOVE_STRIDE * moveCount;
    let move = 0;
    let count = 0;
    for (let b = 0; b < lir.blockCount; b++) {
      const end = blockStart[b + 1];
      let needs = false;
      for (; move < movesEnd && moves[move] >> 2 < end; move += MOVE_STRIDE) {
        needs ||= this.moveNeeds(lir, rows, moves[move + 1], moves[move + 2]);
      }
      for (let i = blockStart[b]; i < end && !needs; i++)
        needs = this.instructionNeeds(lir, rows, i);
      if (!needs) continue;
      this.isFramed[b] = 1;
      this.pending[count++] = b;
    }
    return count;
  }

  private moveNeeds(lir: Lir, rows: readonly FrameFacts[], from: number, to: number): boolean {
    if (isRemat(from)) return rows[lir.opcode[from - REMAT]].needsFrame || this.isKept(to);
    return this.isKept(from) || this.isKept(to);
  }

  private instructionNeeds(lir: Lir, rows: readonly FrameFacts[], i: number): boolean {
    const { needsFrame, isCall } = rows[lir.opcode[i]];
    if (needsFrame || isCall) return true;
    if (lir.guard[i] >= 0 && readsSlots(lir.guards[lir.guard[i]])) return true;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (this.isKept(lir.location[o]) && !isIncoming(lir, o)) return true;
    }
    return false;
  }

  /**
   * Returns whether the location is in the frame, or a register that the frame preserves. An
   * operand may have no location.
   */
  private isKept(location: number): boolean {
    return isSlot(location) || (location >= 0 && this.isSaved[location] === 1);
  }

  /** Marks all blocks that may follow the pending blocks. */
  private spread({ successors, successorStart }: Lir, pendingCount: number): void {
    const { pending, isFramed, isEntered } = this;
    let count = pendingCount;
    while (count > 0) {
      const b = pending[--count];
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        const to = successors[e];
        isEntered[to] = 1;
        if (isFramed[to] === 1) continue;
        isFramed[to] = 1;
        pending[count++] = to;
      }
    }
  }

  private findPlaces({ blockCount, successors, successorStart }: Lir): void {
    const { isFramed, isEntered, place } = this;
    for (let b = 0; b < blockCount; b++) {
      if (isFramed[b] === 1) continue;
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
        const to = successors[e];
        if (isFramed[to] === 0) continue;
        const at = isEntered[to] === 1 ? b : to;
        if (place[at] !== Place.None) continue;
        place[at] = at === b ? Place.End : Place.Start;
        this.places++;
      }
    }
  }
}

/** Returns whether the operand defines a stack argument, which the caller has written. */
const isIncoming = (lir: Lir, o: number): boolean =>
  roleOf(lir.operand[o]) === OperandRole.Definition &&
  lir.vregArgumentUnit[vregOf(lir.operand[o])] >= 0;

const readsSlots = ({ snapshot }: GuardExit): boolean =>
  snapshot.frames.some(({ slots }) => slots.some(({ kind }) => kind === "contents"));
