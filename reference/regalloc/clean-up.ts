// Cleans up the moves of an allocation, from any allocator. It drops a move if its target already
// holds the value or is never read. It replaces a load by a register move if a register holds the
// value.
//
// Input:  a correct allocation. Slots are identical or disjoint.
// Output: a correct allocation with fewer moves, or cheaper ones. Operands keep their locations.
//
// 1. Forward: each content of a location has a number, from its definition on or from the first
//    time that it is read. A move to a location that already holds the same number is dropped. A
//    load becomes a move from a register that holds the same number.
// 2. All moves of a group read the contents before the group.
// 3. A block starts with the contents at the end of the previous block, if that is its only
//    predecessor; otherwise with none.
// 4. A content has a width, that of the move or definition that wrote it. A read in another width
//    is another content.
// 5. Backward: a move is dropped if its target is written again before it is read. At the end of a
//    block every register counts as live, and every slot that is read anywhere; at a return nothing
//    is live.
// 6. Redefinitions rename a value: they change nothing here.
// 7. A move with a derivation writes the value that the instruction defines. It becomes a copy if a
//    register holds that value.

import { isFloating, isWide, type Type } from "../../src/ir/types.js";
import {
  isRemat,
  isSlot,
  type Lir,
  type LirFacts,
  NOWHERE,
  OperandPolicy,
  OperandRole,
  policyOf,
  REMAT,
  type RegisterSet,
  roleOf,
  SLOT,
  typeOfWord,
  vregOf,
} from "../lir/lir.js";
import { type Allocation, derivingInstruction, MOVE_STRIDE, NO_DERIVATION } from "./allocation.js";
import type { AllocatorFactory } from "./allocator.js";
import { NONE, sized, widen } from "./arenas.js";
import { EVENT } from "./events.js";

/**
 * Makes a clean-up with arenas of its own. It is called like an allocator, and changes that
 * allocation.
 */
export const newCleanUp: AllocatorFactory = () => {
  const cleaner = new MoveCleaner();
  return (lir, rows, registers, allocation) => cleaner.cleanUp(lir, rows, registers, allocation);
};

const UNKNOWN = 0;

class MoveCleaner {
  /** By location: the number of its content, or UNKNOWN. */
  private content = new Int32Array(128);
  /** By location: 1 if the content was written in 8 bytes. */
  private width = new Uint8Array(128);
  /** Slots whose content may have a number; a slot may be listed several times. */
  private written = new Int32Array(64);
  private writtenCount = 0;
  /**
   * The next free number, for a content without a definition in this block. Smaller numbers belong
   * to virtual registers.
   */
  private nextNumber = 0;
  /** The number of locations: registers and units of slots. */
  private locations = 0;
  /** The contents that the moves of the current group read. */
  private sourceContent = new Int32Array(64);
  /** By block: its only predecessor, or NONE. */
  private predecessor = new Int32Array(64);
  /** By location: 1 if an operand or a move reads the slot there. */
  private isRead = new Uint8Array(128);
  // The locations that are written before they are read, at the position of the backward walk. Most
  // locations have the same state as at the block's end, which `isDeadAt` derives from `isReturn` and
  // `isRead`. So a block does not cost time for every slot of the procedure.
  /** By location: the block in which `isDead` was set, counted from 1 in the order of the walk. */
  private setIn = new Int32Array(128);
  private isDead = new Uint8Array(128);
  private blocksWalked = 0;
  private isReturn = false;

  cleanUp(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): void {
    if (allocation.moveCount === 0) return;
    this.reset(lir, allocation);
    this.walkForward(lir, rows, registers, allocation);
    this.countReads(lir, allocation);
    this.walkBackward(lir, rows, registers, allocation);
    this.compact(allocation);
  }

  private reset(lir: Lir, allocation: Allocation): void {
    const locations = SLOT + allocation.spillUnits + 1;
    if (this.content.length < locations) {
      this.content = sized(this.content, locations);
      this.width = new Uint8Array(this.content.length);
      this.isRead = new Uint8Array(this.content.length);
      this.isDead = new Uint8Array(this.content.length);
      this.setIn = sized(this.setIn, this.content.length);
    }
    this.setIn.fill(0, 0, locations);
    this.blocksWalked = 0;
    this.content.fill(UNKNOWN, 0, locations);
    this.writtenCount = 0;
    this.locations = locations;
    this.nextNumber = lir.vregCount + 1;
    if (this.predecessor.length < lir.blockCount) {
      this.predecessor = sized(this.predecessor, lir.blockCount);
    }
    const { predecessor } = this;
    predecessor.fill(NONE, 0, lir.blockCount);
    for (let b = 0; b < lir.blockCount; b++) {
      for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
        const to = lir.successors[e];
        predecessor[to] = predecessor[to] === NONE ? b : SEVERAL;
      }
    }
  }

  // --- forward ---

  private walkForward(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): void {
    const { moves } = allocation;
    const end = allocation.moveCount * MOVE_STRIDE;
    let at = 0;
    for (let b = 0; b < lir.blockCount; b++) {
      if (b === 0 || this.predecessor[b] !== b - 1) this.forgetAll();
      for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
        while (at < end && moves[at] >> 2 <= i) {
          const first = at;
          while (at < end && moves[at] === moves[first]) at += MOVE_STRIDE;
          this.passGroup(lir, registers, allocation, first, at);
        }
        if (rows[lir.opcode[i]].isCall) this.forgetCalls(registers);
        this.passInstruction(lir, i);
      }
    }
  }

  private passGroup(
    lir: Lir,
    registers: RegisterSet,
    { moves, events }: Allocation,
    first: number,
    end: number,
  ): void {
    if (this.sourceContent.length < (end - first) / MOVE_STRIDE) {
      this.sourceContent = sized(this.sourceContent, (end - first) / MOVE_STRIDE);
    }
    for (let m = first, k = 0; m < end; m += MOVE_STRIDE, k++) {
      const from = moves[m + 1];
      const to = moves[m + 2];
      const type = typeOfWord(moves[m + 3]);
      const isDerived = moves[m + 4] !== NO_DERIVATION;
      const number = isDerived
        ? numberOfResult(lir, derivingInstruction(moves[m + 4]))
        : this.read(lir, from, isWide(type) ? 1 : 0);
      this.sourceContent[k] = number;
      if (this.content[to] === number && this.width[to] === (isWide(type) ? 1 : 0)) {
        events[from < SLOT && to >= SLOT ? EVENT["stored-already"] : EVENT["there-already"]]++;
        moves[m + 1] = NOWHERE;
      } else if (from >= SLOT || isDerived) {
        const register = this.registerWith(number, type, registers);
        if (register === NOWHERE) continue;
        events[EVENT["loaded-from-register"]]++;
        moves[m + 1] = register;
        moves[m + 4] = NO_DERIVATION;
      }
    }
    for (let m = first, k = 0; m < end; m += MOVE_STRIDE, k++) {
      if (moves[m + 1] === NOWHERE) continue;
      this.write(moves[m + 2], this.sourceContent[k], isWide(typeOfWord(moves[m + 3])) ? 1 : 0);
    }
  }

  private read(lir: Lir, from: number, width: number): number {
    if (isRemat(from)) return numberOfResult(lir, from - REMAT);
    if (this.content[from] === UNKNOWN) this.write(from, this.nextNumber++, width);
    return this.width[from] === width ? this.content[from] : this.nextNumber++;
  }

  private write(location: number, number: number, width: number): void {
    this.content[location] = number;
    this.width[location] = width;
    if (location < SLOT) return;
    if (this.writtenCount === this.written.length) this.written = widen(this.written);
    this.written[this.writtenCount++] = location;
    if (width === 1) this.content[location + 1] = UNKNOWN;
    if (location > SLOT && this.width[location - 1] === 1) this.content[location - 1] = UNKNOWN;
  }

  private registerWith(number: number, type: Type, { general, vector }: RegisterSet): number {
    const bank = isFloating(type) ? vector : general;
    const width = isWide(type) ? 1 : 0;
    for (let k = 0; k < bank.length; k++) {
      if (this.content[bank[k]] === number && this.width[bank[k]] === width) return bank[k];
    }
    return NOWHERE;
  }

  private forgetAll(): void {
    const { content, written } = this;
    content.fill(UNKNOWN, 0, SLOT);
    for (let k = 0; k < this.writtenCount; k++) content[written[k]] = UNKNOWN;
    this.writtenCount = 0;
  }

  private forgetCalls({ callerSaved }: RegisterSet): void {
    for (let r = 0; r < SLOT; r++) if (callerSaved[r] === 1) this.content[r] = UNKNOWN;
  }

  private passInstruction(lir: Lir, i: number): void {
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      const role = roleOf(word);
      if (role === OperandRole.Temp) this.content[lir.location[o]] = UNKNOWN;
    }
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Definition) break;
      if (policyOf(word) === OperandPolicy.Redefined) continue;
      const vreg = vregOf(word);
      this.write(lir.location[o], vreg + 1, isWide(lir.typeOf(vreg)) ? 1 : 0);
    }
  }

  // --- backward ---

  /** Records in `isRead` which slots any operand or move reads. */
  private countReads(lir: Lir, { moves, moveCount }: Allocation): void {
    this.isRead.fill(0, 0, this.locations);
    for (let o = 0; o < lir.operandCount; o++) {
      const location = lir.location[o];
      if (isSlot(location) && roleOf(lir.operand[o]) <= OperandRole.Use) this.isRead[location] = 1;
    }
    for (let m = 0; m < moveCount * MOVE_STRIDE; m += MOVE_STRIDE) {
      if (isSlot(moves[m + 1])) this.isRead[moves[m + 1]] = 1;
    }
  }

  private walkBackward(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): void {
    const { moves } = allocation;
    let at = allocation.moveCount * MOVE_STRIDE;
    for (let b = lir.blockCount - 1; b >= 0; b--) {
      this.blocksWalked++;
      this.isReturn = lir.successorStart[b + 1] === lir.successorStart[b];
      for (let i = lir.blockStart[b + 1] - 1; i >= lir.blockStart[b]; i--) {
        this.passUpward(lir, rows, registers, i);
        while (at > 0 && moves[at - MOVE_STRIDE] >> 2 >= i) {
          const end = at;
          const group = moves[end - MOVE_STRIDE];
          while (at > 0 && moves[at - MOVE_STRIDE] === group) at -= MOVE_STRIDE;
          this.passGroupUpward(allocation, at, end);
        }
      }
    }
  }

  private setDead(location: number, isDead: 0 | 1): void {
    this.isDead[location] = isDead;
    this.setIn[location] = this.blocksWalked;
  }

  private isDeadAt(location: number): boolean {
    if (this.setIn[location] === this.blocksWalked) return this.isDead[location] === 1;
    return this.isReturn || (location >= SLOT && this.isRead[location] === 0);
  }

  private passUpward(
    lir: Lir,
    rows: readonly LirFacts[],
    { callerSaved }: RegisterSet,
    i: number,
  ): void {
    if (rows[lir.opcode[i]].isCall) {
      for (let r = 0; r < SLOT; r++) if (callerSaved[r] === 1) this.setDead(r, 1);
    }
    const start = lir.operandStart[i];
    const end = lir.operandStart[i + 1];
    for (let o = start; o < end; o++) {
      const word = lir.operand[o];
      if (roleOf(word) >= OperandRole.Definition && policyOf(word) !== OperandPolicy.Redefined) {
        this.setDead(lir.location[o], 1);
      }
    }
    for (let o = start; o < end; o++) {
      if (roleOf(lir.operand[o]) <= OperandRole.Use) this.setDead(lir.location[o], 0);
    }
  }

  private passGroupUpward({ moves, events }: Allocation, first: number, end: number): void {
    for (let m = first; m < end; m += MOVE_STRIDE) {
      if (moves[m + 1] === NOWHERE || !this.isDeadAt(moves[m + 2])) continue;
      events[moves[m + 2] < SLOT ? EVENT["move-never-read"] : EVENT["store-never-read"]]++;
      moves[m + 1] = NOWHERE;
    }
    for (let m = first; m < end; m += MOVE_STRIDE) {
      if (moves[m + 1] !== NOWHERE) this.setDead(moves[m + 2], 1);
    }
    for (let m = first; m < end; m += MOVE_STRIDE) {
      const from = moves[m + 1];
      if (from !== NOWHERE && !isRemat(from)) this.setDead(from, 0);
    }
  }

  /** Removes the moves whose source is NOWHERE or their own target. */
  private compact(allocation: Allocation): void {
    const { moves } = allocation;
    let kept = 0;
    for (let m = 0; m < allocation.moveCount * MOVE_STRIDE; m += MOVE_STRIDE) {
      const isCopy = moves[m + 1] === moves[m + 2] && moves[m + 4] === NO_DERIVATION;
      if (moves[m + 1] === NOWHERE || isCopy) continue;
      for (let w = 0; w < MOVE_STRIDE; w++) moves[kept + w] = moves[m + w];
      kept += MOVE_STRIDE;
    }
    allocation.moveCount = kept / MOVE_STRIDE;
  }
}

/** Returns the number of the content that instruction `i` defines. */
const numberOfResult = (lir: Lir, i: number): number =>
  lir.vregRoot[vregOf(lir.operand[lir.operandStart[i]])] + 1;

/** In `predecessor`: the block has several predecessors. */
const SEVERAL = -2;
