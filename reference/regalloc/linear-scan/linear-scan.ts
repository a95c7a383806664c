// Allocates registers by linear scan over live intervals, after Wimmer and Mössenböck, "Optimized
// Interval Splitting in a Linear Scan Register Allocator" (VEE 2005). Positions are those of
// positions.ts.
//
// Input:  LIR without critical edges. A terminator has no definitions; one with a single successor
//         no operands.
// Output: each interval split into pieces, so that every piece has one register or is in its slot.
//
// 1. Pieces are half-open and processed in the order of their starts. No two pieces in `active`
//    share a register, and no piece gets a register where a fixed operand or a call blocks it.
// 2. A virtual register that is ever in memory keeps one slot for life. The slot is written once,
//    right after the definition (a Phi in a slot: by its edges). So a piece that goes to memory
//    needs no move, and may begin at an output half, where no move is possible. A rematerializable
//    value has no slot: a piece of it in memory has no location, and a move from it executes its
//    instruction again (REMAT).
// 3. A register demanded over [p, e) is never freed inside that range; a piece is cut at p or not
//    before e.
// 4. A piece in memory ends before the next demand for a register; other uses read the slot.
// 5. Nothing is cut inside the terminator of a block with one successor, as its edge moves are
//    there. (It has no operands, so nothing requires a cut.)
// 6. Terminates: each step retires a piece, or cuts one at a strictly later point than its start.
// 7. The next use of each value, with loops in view, decides what is cut (next-uses.ts). A value
//    that leaves its register in a loop that has not used it leaves before the loop. A value that
//    is reloaded in a loop is reloaded before it. A piece across calls takes a register that the
//    prologue must save only where memory would cost more.
// 8. The one-pass allocator handles loops that are nested too deeply for live intervals
//    (interval-allocation.ts).
// 9. Each row must fit: the overlapping demands of one instruction must find registers. Otherwise
//    the allocator throws InternalError.

import { isFloating } from "../../../src/ir/types.js";
import { assert } from "../../../src/support/assert.js";
import {
  FIRST_VREG,
  type IndexArray,
  newColumn,
  type PhysicalRegister,
  type VirtualRegister,
} from "../../lir/indices.js";
import { type Lir, type LirFacts, NOWHERE, type RegisterSet, SLOT } from "../../lir/lir.js";
import type { Allocation } from "../allocation.js";
import type { AllocateFunction, AllocatorFactory } from "../allocator.js";
import { NONE, sized, widen } from "../arenas.js";
import { EVENT } from "../events.js";
import { IntervalAllocation } from "../interval-allocation.js";
import type { LiveIntervals, LiveRange } from "../live-intervals.js";
import { newOnePass } from "../one-pass/one-pass.js";
import { firstPieceOf, IN_SLOT, type IntervalPiece, type IntervalPieces } from "../pieces.js";
import { PositionHeap } from "../position-heap.js";
import { FIRST_POSITION, instructionAt, isOutput, NEVER, type Position } from "../positions.js";
import { NextUses } from "./next-uses.js";

/** Makes a linear scan with arenas of its own. */
export const newLinearScan: AllocatorFactory = () => {
  const scan = new LinearScan(new IntervalAllocation());
  return (lir, rows, registers, allocation) => scan.allocate(lir, rows, registers, allocation);
};

/** The cost, in executions, of a register that the prologue saves and the epilogue restores. */
const SAVE_COST = 2;

// Reasons of decisions, for the trace.
const IN_ITS_SLOT = "an instruction defines it in its slot";
const AT_CALL = "a call destroys its register";
const BEFORE_LOOP = "it leaves before the loop, which does not use it";
const EVICTED = "evicted: another interval needs the register earlier";

export class LinearScan {
  private readonly intervals: IntervalAllocation;
  private readonly live: LiveIntervals;
  private readonly pieces: IntervalPieces;
  private readonly uses: NextUses;

  /** Pieces by ascending start, in the order of processing. */
  private order: IndexArray<IntervalPiece> = newColumn(128);
  private orderCount = 0;
  private readonly unhandled = new PositionHeap<IntervalPiece>();
  private position = FIRST_POSITION;

  /** Pieces with a register that do not end before `position`: active ones and those in a hole. */
  private held: IndexArray<IntervalPiece> = newColumn(64);
  private heldCount = 0;
  /** By register: the active piece that holds it, or NONE. */
  private holder: IndexArray<IntervalPiece, PhysicalRegister> = newColumn(64);
  /** The first position at which one of `held` enters or leaves a range. */
  private nextChange = FIRST_POSITION;
  /** By register: the first blocked range that ends after `position`. */
  private blocked: IndexArray<LiveRange, PhysicalRegister> = newColumn(64);
  /** Index of the first call at `position` or after. */
  private call = 0;

  // For the current piece.
  /** By register: the first position at which a fixed operand or a call blocks it. */
  private barrier: IndexArray<Position, PhysicalRegister> = newColumn(64);
  /** By register: the first position at which a piece that is in a hole now needs it again. */
  private holeEnd: IndexArray<Position, PhysicalRegister> = newColumn(64);
  /** By register: the lateness of the next demand of its holders; 0 where it is not allowed. */
  private holderDemand: IndexArray<number, PhysicalRegister> = newColumn(64);
  /** The first call that the piece lives across, and the piece for which it was found. */
  private firstCallOf = NEVER;
  private callOf: IntervalPiece = NONE;

  private isAllocatable = new Uint8Array(64);
  /** By register: 1 if a piece has it; then the prologue saves it already, if it must be saved. */
  private isSaved = new Uint8Array(64);
  /** By row of EVENTS; belongs to the current allocation. */
  private events: Int32Array<ArrayBuffer> = new Int32Array(0);

  /** By virtual register: its latest register, or NOWHERE. */
  private lastRegister: IndexArray<PhysicalRegister, VirtualRegister> = newColumn(128);

  /** Allocates procedures whose loops are nested too deeply; made on demand. */
  private onePass: AllocateFunction | null = null;

  constructor(intervals: IntervalAllocation) {
    const { live, weights, pieces } = intervals;
    this.intervals = intervals;
    this.live = live;
    this.pieces = pieces;
    this.uses = new NextUses(live, weights, pieces);
  }

  allocate(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): void {
    const { intervals } = this;
    if (!intervals.begin(lir, rows, registers, allocation)) {
      assert(registers.callerSaved.length <= SLOT, () => "one pass has no unlimited registers");
      this.onePass ??= newOnePass();
      this.onePass(lir, rows, registers, allocation);
      allocation.events[EVENT["deep-loops"]]++;
      return;
    }
    this.run(lir, registers, allocation.events);
    const registerCount = registers.callerSaved.length;
    intervals.finish(lir, this.order, this.orderCount, registerCount, allocation);
  }

  private run(lir: Lir, registers: RegisterSet, events: Int32Array<ArrayBuffer>): void {
    this.events = events;
    this.reset(lir, registers);
    for (let v = FIRST_VREG; v < lir.vregCount; v++) {
      if (this.live.firstRange[v] !== NONE) this.enqueue(firstPieceOf(v));
    }
    while (this.unhandled.count > 0) {
      const piece = this.unhandled.pop();
      if (this.pieces.start[piece] > this.position) this.advance(lir, this.pieces.start[piece]);
      this.record(piece);
      if (this.cutSlotDefinition(piece)) this.toMemory(lir, piece, this.position, IN_ITS_SLOT);
      else if (!this.takeFree(lir, piece, registers)) this.takeOccupied(lir, piece, registers);
    }
  }

  private reset(lir: Lir, { general, vector, callerSaved }: RegisterSet): void {
    if (this.holder.length !== callerSaved.length) this.resize(callerSaved.length);
    if (this.lastRegister.length < lir.vregCount) {
      this.lastRegister = sized(this.lastRegister, lir.vregCount);
    }
    this.uses.reset(lir);
    this.lastRegister.fill(NOWHERE, 0, lir.vregCount);
    this.orderCount = 0;
    this.unhandled.count = 0;
    this.position = FIRST_POSITION;
    this.nextChange = NEVER;
    this.heldCount = 0;
    this.holder.fill(NONE);
    this.blocked.fill(NONE);
    this.blocked.set(this.live.firstBlocked);
    this.call = this.live.callStart;
    this.callOf = NONE;
    this.isAllocatable.fill(0);
    this.isSaved.fill(0);
    for (let k = 0; k < general.length; k++) this.isAllocatable[general[k]] = 1;
    for (let k = 0; k < vector.length; k++) this.isAllocatable[vector[k]] = 1;
  }

  private resize(registerCount: number): void {
    this.holder = newColumn(registerCount);
    this.blocked = newColumn(registerCount);
    this.barrier = newColumn(registerCount);
    this.holeEnd = newColumn(registerCount);
    this.holderDemand = newColumn(registerCount);
    this.isAllocatable = new Uint8Array(registerCount);
    this.isSaved = new Uint8Array(registerCount);
  }

  // Demands over both halves of an instruction go first: they have fewer registers to choose from.
  private enqueue(piece: IntervalPiece): void {
    const start = this.pieces.start[piece];
    const use = this.pieces.use[piece];
    const isUrgent =
      use !== NONE && this.live.usePosition[use] === start && isWhole(this.live.useEnd[use]);
    this.unhandled.push(2 * start + (isUrgent ? 0 : 1), piece);
  }

  /**
   * Cuts the piece where a definition writes it in its slot. Returns true if the piece starts
   * there. In the layout, blocks may precede the definition that dominates them.
   */
  private cutSlotDefinition(piece: IntervalPiece): boolean {
    const definition = this.live.slotDefinition[this.pieces.vreg[piece]];
    if (definition === NONE || definition >= this.pieces.end[piece]) return false;
    if (definition > this.pieces.start[piece])
      this.enqueue(this.pieces.cut(piece, definition, IN_ITS_SLOT));
    return definition === this.pieces.start[piece];
  }

  private record(piece: IntervalPiece): void {
    if (this.orderCount === this.order.length) this.order = widen(this.order);
    this.order[this.orderCount++] = piece;
  }

  /** Updates which pieces hold their registers, and removes those that have ended. */
  private advance(lir: Lir, position: Position): void {
    this.position = position;
    this.uses.advance(lir, position);
    while (this.call < this.live.calls.length && this.live.calls[this.call] < position) this.call++;
    if (position < this.nextChange) return;
    const { rangeStart, rangeEnd, rangeNext } = this.live;
    const { range, location } = this.pieces;
    const { held, holder } = this;
    holder.fill(NONE);
    let count = 0;
    let change = NEVER;
    for (let k = 0; k < this.heldCount; k++) {
      const piece = held[k];
      let r = range[piece];
      while (r !== NONE && rangeEnd[r] <= position) r = rangeNext[r];
      range[piece] = r;
      if (r === NONE) continue;
      held[count++] = piece;
      if (rangeStart[r] <= position) {
        holder[location[piece]] = piece;
        if (rangeEnd[r] < change) change = rangeEnd[r];
      } else if (rangeStart[r] < change) change = rangeStart[r];
    }
    this.heldCount = count;
    this.nextChange = change;
  }

  private give(piece: IntervalPiece, register: PhysicalRegister, reason: string): void {
    if (this.pieces.trace !== null) {
      this.pieces.traceDecision(piece, "takes", register, NOWHERE, reason);
    }
    this.isSaved[register] = 1;
    this.pieces.location[piece] = register;
    this.lastRegister[this.pieces.vreg[piece]] = register;
    this.holder[register] = piece;
    if (this.heldCount === this.held.length) this.held = widen(this.held);
    this.held[this.heldCount++] = piece;
    const end = this.live.rangeEnd[this.pieces.range[piece]];
    if (end < this.nextChange) this.nextChange = end;
  }

  /** Removes the register from a piece, as if the piece had never had it. */
  private revoke(piece: IntervalPiece): void {
    if (this.pieces.trace !== null) {
      this.pieces.traceDecision(piece, "leaves", this.pieces.location[piece], NOWHERE, EVICTED);
    }
    const { held } = this;
    let k = 0;
    while (held[k] !== piece) k++;
    held[k] = held[--this.heldCount];
    this.holder[this.pieces.location[piece]] = NONE;
    this.pieces.location[piece] = NOWHERE;
  }

  /**
   * Sets `holeEnd` to the first position at which the piece intersects a piece that has the register
   * and is in a hole now.
   */
  private measureHoles(piece: IntervalPiece): void {
    const { holeEnd, holder, held } = this;
    const { range, location, firstRange } = this.pieces;
    holeEnd.fill(NEVER);
    for (let k = 0; k < this.heldCount; k++) {
      const other = held[k];
      const register = location[other];
      if (holder[register] === other) continue;
      const meeting = this.intersection(range[other], firstRange[piece], this.pieces.end[piece]);
      if (meeting < holeEnd[register]) holeEnd[register] = meeting;
    }
  }

  /** Returns until when the register is free. */
  private freeUntil(
    register: PhysicalRegister,
    piece: IntervalPiece,
    registers: RegisterSet,
  ): Position {
    if (this.holder[register] !== NONE) return this.position;
    const barrier = this.barrierOf(register, piece, registers);
    return barrier < this.holeEnd[register] ? barrier : this.holeEnd[register];
  }

  /**
   * Returns the first position at which a fixed operand or a call ends the piece's use of the
   * register.
   */
  private barrierOf(
    register: PhysicalRegister,
    piece: IntervalPiece,
    registers: RegisterSet,
  ): Position {
    const end = this.pieces.end[piece];
    const fixed = this.firstBlock(register, piece, end);
    if (registers.callerSaved[register] === 0) return fixed;
    if (this.callOf !== piece) {
      this.callOf = piece;
      this.firstCallOf = this.firstCall(piece, end);
    }
    return fixed < this.firstCallOf ? fixed : this.firstCallOf;
  }

  /** Returns the first position at which a call destroys the piece's register. */
  private firstCall(piece: IntervalPiece, end: Position): Position {
    const { calls, rangeStart, rangeEnd, rangeNext } = this.live;
    let range = this.pieces.firstRange[piece];
    for (let c = this.call; c < calls.length && calls[c] < end; c++) {
      while (rangeEnd[range] <= calls[c]) range = rangeNext[range];
      if (rangeStart[range] <= calls[c]) return calls[c];
    }
    return NEVER;
  }

  /**
   * Returns the first position at which a fixed operand blocks the register and the piece is live.
   */
  private firstBlock(register: PhysicalRegister, piece: IntervalPiece, end: Position): Position {
    let block = this.blocked[register];
    while (block !== NONE && this.live.rangeEnd[block] <= this.position)
      block = this.live.rangeNext[block];
    this.blocked[register] = block;
    return block === NONE ? NEVER : this.intersection(block, this.pieces.firstRange[piece], end);
  }

  /**
   * Gives a free register to the piece, or to a first part of it. Returns false if there is none.
   */
  private takeFree(lir: Lir, piece: IntervalPiece, registers: RegisterSet): boolean {
    const end = this.pieces.end[piece];
    const bank = bankOf(lir, this.pieces.vreg[piece], registers);
    this.measureHoles(piece);
    const hinted = this.hinted(piece, registers);
    if (hinted !== NOWHERE) {
      this.events[EVENT["took-hint"]]++;
      this.give(piece, hinted, "a hint: it saves a move");
      return true;
    }
    let best: PhysicalRegister = NOWHERE;
    let longest = this.position;
    for (let k = 0; k < bank.length && longest < end; k++) {
      const until = this.freeUntil(bank[k], piece, registers);
      if (until <= longest) continue;
      if (best !== NOWHERE && !this.isWorthSaving(lir, bank[k], piece, registers)) continue;
      longest = until;
      best = bank[k];
    }
    if (best === NOWHERE) return false;
    if (longest < end) {
      const cut = this.cutBefore(piece, longest);
      if (cut <= this.position) return false;
      if (isOutput(cut) && this.pieces.firstDemand(piece, NEVER) >= cut) {
        best = this.registerBeforeCall(lir, piece, cut, registers);
        if (best === NOWHERE) {
          this.toMemory(
            lir,
            piece,
            this.position,
            "a call destroys it before it must be in a register",
          );
          return true;
        }
      } else if (isOutput(cut)) this.leaveAtCall(lir, piece, cut);
      else this.cutAway(lir, piece, cut, "no register is free for longer");
    }
    this.give(piece, best, "free for longest");
    return true;
  }

  /**
   * Returns false if the prologue would have to save the register, and the piece can be in memory
   * from its first call on at less cost.
   */
  private isWorthSaving(
    lir: Lir,
    register: PhysicalRegister,
    piece: IntervalPiece,
    { callerSaved }: RegisterSet,
  ): boolean {
    if (callerSaved[register] !== 0 || this.isSaved[register] !== 0) return true;
    if (register >= SLOT) return true; // in an unlimited register file: no prologue saves it
    if (this.callOf !== piece || this.firstCallOf >= this.pieces.end[piece]) return true;
    if (this.uses.memoryCost(lir, piece, this.firstCallOf) >= SAVE_COST) return true;
    this.events[EVENT["not-worth-saving"]]++;
    return false;
  }

  /** Cuts the piece at the call that destroys its register, or before the loop of the call. */
  private leaveAtCall(lir: Lir, piece: IntervalPiece, call: Position): void {
    this.events[EVENT["cut-at-call"]]++;
    const leaving = this.uses.leavingBefore(lir, piece, call);
    if (leaving < call) this.events[EVENT["left-before-loop"]]++;
    this.leaveAt(lir, piece, leaving, leaving < call ? BEFORE_LOOP : AT_CALL);
  }

  /**
   * Handles a piece without a demand before the call. Sends the part from the call's loop on to
   * memory. Returns the hinted register for the part with wishes before it, or NOWHERE.
   */
  private registerBeforeCall(
    lir: Lir,
    piece: IntervalPiece,
    call: Position,
    registers: RegisterSet,
  ): PhysicalRegister {
    const leaving = this.uses.leavingAfterWish(lir, piece, call);
    if (leaving === NEVER) return NOWHERE;
    this.leaveAt(lir, piece, leaving, "no later use before the call needs a register");
    // No hinted register suited the whole piece.
    const hinted = this.hinted(piece, registers);
    if (hinted !== NOWHERE) this.events[EVENT["read-before-call"]]++;
    return hinted;
  }

  private leaveAt(lir: Lir, piece: IntervalPiece, position: Position, reason: string): void {
    this.uses.noteCut(piece, position);
    this.toMemory(lir, this.pieces.cut(piece, position, reason), position, reason);
  }

  /** Returns a register that saves a move and is free for the whole piece; or NOWHERE. */
  private hinted(piece: IntervalPiece, registers: RegisterSet): PhysicalRegister {
    const vreg = this.pieces.vreg[piece];
    const last = this.lastRegister[vreg];
    if (this.suits(last, piece, registers)) return last;
    const other = this.live.hintVreg[vreg];
    if (this.suits(this.lastOf(other), piece, registers)) return this.lastRegister[other];
    // The hint above saves a move here. The hints below may save a later one, and there can be
    // several.
    const reused = this.lastOf(this.live.hintReused[vreg]);
    if (this.suits(reused, piece, registers)) return reused;
    const fixed = this.live.hintRegister[vreg];
    if (this.suits(fixed, piece, registers)) return fixed;
    if (other === NONE || this.lastRegister[other] !== NOWHERE) return NOWHERE;
    // A Phi without a register may get that of its first input.
    const beyond = this.lastOf(this.live.hintVreg[other]);
    return this.suits(beyond, piece, registers) ? beyond : NOWHERE;
  }

  /** Returns the latest register of the virtual register, or NOWHERE; `vreg` may be NONE. */
  private lastOf(vreg: VirtualRegister): PhysicalRegister {
    return vreg === NONE ? NOWHERE : this.lastRegister[vreg];
  }

  private suits(register: PhysicalRegister, piece: IntervalPiece, registers: RegisterSet): boolean {
    if (register === NOWHERE || this.isAllocatable[register] === 0) return false;
    return this.freeUntil(register, piece, registers) >= this.pieces.end[piece];
  }

  /**
   * Takes the register whose holders demand it last; or sends the piece to memory, if that is
   * better.
   */
  private takeOccupied(lir: Lir, piece: IntervalPiece, registers: RegisterSet): void {
    const { holderDemand, position } = this;
    const bank = bankOf(lir, this.pieces.vreg[piece], registers);
    this.measureDemands(lir, piece, bank, registers);
    let best = bank[0];
    for (let k = 1; k < bank.length; k++)
      if (holderDemand[bank[k]] > holderDemand[best]) best = bank[k];
    const demand = this.pieces.firstDemand(piece, NEVER);
    if (demand > position && this.uses.lateness(lir, piece, demand) >= holderDemand[best]) {
      this.toMemory(lir, piece, position, "every holder of a register needs it earlier");
      return;
    }
    if (holderDemand[best] <= position) best = this.findMovable(bank);
    assert(best !== NOWHERE, () => {
      const instruction = instructionAt(position);
      return `no register for v${this.pieces.vreg[piece]}: instruction ${instruction} does not fit`;
    });
    this.evict(lir, best, piece);
    if (this.barrier[best] < this.pieces.end[piece]) {
      const cut = this.cutBefore(piece, this.barrier[best]);
      this.cutAway(lir, piece, cut, "a fixed operand or a call blocks the register");
    }
    this.give(piece, best, "its last holder needs it latest");
  }

  /**
   * Sets `holderDemand` to the next demand of the holders of each register; to 0 where `piece` is not
   * allowed.
   */
  private measureDemands(
    lir: Lir,
    piece: IntervalPiece,
    bank: readonly PhysicalRegister[],
    registers: RegisterSet,
  ): void {
    const { holderDemand, barrier, holder, held, position } = this;
    holderDemand.fill(0);
    for (let k = 0; k < bank.length; k++) {
      const register = bank[k];
      const limit = this.barrierOf(register, piece, registers);
      barrier[register] = limit;
      const fits = limit >= this.pieces.end[piece] || this.cutBefore(piece, limit) > position;
      holderDemand[register] = fits ? limit : 0;
    }
    for (let k = 0; k < this.heldCount; k++) {
      const other = held[k];
      const register = this.pieces.location[other];
      if (holderDemand[register] <= position) continue;
      const isActive = holder[register] === other;
      if (!isActive) {
        const meeting = this.intersection(
          this.pieces.range[other],
          this.pieces.firstRange[piece],
          this.pieces.end[piece],
        );
        if (meeting === NEVER) continue;
      }
      const demand = this.uses.nextDemand(other);
      const use = demand <= position ? position : this.uses.lateness(lir, other, demand);
      if (use < holderDemand[register]) holderDemand[register] = use;
    }
  }

  /**
   * Returns a register whose holder can move aside. Every suitable register is demanded here. The
   * row fits, and demands over both halves go first. So only this piece has such a demand, and an
   * earlier piece has not. That one can move in this gap, to a register that is blocked in the
   * other half.
   */
  private findMovable(bank: readonly PhysicalRegister[]): PhysicalRegister {
    const { holder, position, holderDemand } = this;
    if (isOutput(position)) return NOWHERE;
    for (let k = 0; k < bank.length; k++) {
      const other = holder[bank[k]];
      if (
        holderDemand[bank[k]] < position ||
        other === NONE ||
        this.pieces.start[other] === position
      )
        continue;
      if (!isWhole(this.live.useEnd[this.pieces.use[other]])) return bank[k];
    }
    return NOWHERE;
  }

  /** Frees the register of every piece that intersects `piece`. */
  private evict(lir: Lir, register: PhysicalRegister, piece: IntervalPiece): void {
    const { position } = this;
    const active = this.holder[register];
    for (let k = 0; k < this.heldCount; k++) {
      const other = this.held[k];
      if (other === active || this.pieces.location[other] !== register) continue;
      const { firstRange, end, range } = this.pieces;
      if (this.intersection(range[other], firstRange[piece], end[piece]) === NEVER) continue;
      this.enqueue(this.pieces.cut(other, position, EVICTED)); // it is in a hole: the rest begins with a block
      this.nextChange = position;
    }
    if (active === NONE) return;
    this.events[EVENT.evicted]++;
    const demand = this.uses.nextDemand(active);
    if (demand > position && this.pieces.hadDemand[active] === 0) {
      this.events[EVENT["register-for-nothing"]]++;
      this.revoke(active); // no use there needed a register
      this.toMemory(lir, active, position, "evicted before any use needed a register");
    } else {
      const leaving = demand > position ? this.uses.leavingPosition(lir, active) : position;
      if (leaving < position) this.events[EVENT["left-before-loop"]]++;
      const rest = this.pieces.cut(active, leaving, leaving < position ? BEFORE_LOOP : EVICTED);
      this.holder[register] = NONE;
      this.nextChange = position;
      if (demand > position) this.toMemory(lir, rest, position, EVICTED);
      else this.enqueue(rest);
    }
  }

  /**
   * Cuts the piece at `position`. The rest goes to memory if no move is possible there; otherwise
   * it is queued.
   */
  private cutAway(lir: Lir, piece: IntervalPiece, position: Position, reason: string): void {
    this.uses.noteCut(piece, position);
    const rest = this.pieces.cut(piece, position, reason);
    if (isOutput(this.pieces.start[rest]))
      this.toMemory(lir, rest, position, "no move is possible at its start");
    else this.enqueue(rest);
  }

  /** Puts the piece in its slot until the next demand, which is after `position`. */
  private toMemory(lir: Lir, piece: IntervalPiece, position: Position, reason: string): void {
    if (this.pieces.trace !== null) {
      this.pieces.traceDecision(piece, "goes to memory", NOWHERE, NOWHERE, reason);
    }
    this.events[EVENT["went-to-memory"]]++;
    this.pieces.location[piece] = IN_SLOT;
    if (this.live.remat[this.pieces.vreg[piece]] === NONE)
      this.pieces.inMemory[this.pieces.vreg[piece]] = 1;
    else this.events[EVENT["left-to-rematerialize"]]++;
    const demand = this.pieces.firstDemand(piece, NEVER);
    if (demand === NEVER) return;
    const reload = this.uses.reloadPosition(lir, position, demand);
    if (reload < demand) this.events[EVENT["loaded-before-loop"]]++;
    this.enqueue(
      this.pieces.cut(
        piece,
        reload,
        reload < demand ? "reloaded before a loop" : "reloaded for a use",
      ),
    );
  }

  /** Returns the first position in both lists of ranges; NEVER if there is none before `end`. */
  private intersection(rangeX: LiveRange, rangeY: LiveRange, end: Position): Position {
    const { rangeStart, rangeEnd, rangeNext } = this.live;
    let [x, y] = [rangeX, rangeY];
    while (x !== NONE && y !== NONE) {
      if (rangeStart[x] >= end) return NEVER;
      if (rangeEnd[x] <= rangeStart[y]) x = rangeNext[x];
      else if (rangeEnd[y] <= rangeStart[x]) y = rangeNext[y];
      else return rangeStart[x] > rangeStart[y] ? rangeStart[x] : rangeStart[y];
    }
    return NEVER;
  }

  /**
   * Returns the last position up to `limit` at which the piece may be cut. The result may be the
   * piece's start, where a cut is not allowed.
   */
  private cutBefore(piece: IntervalPiece, limit: Position): Position {
    if (!isOutput(limit)) return limit;
    const { usePosition, useEnd, useNext } = this.live;
    let use = this.pieces.use[piece];
    while (use !== NONE && useEnd[use] <= limit) use = useNext[use];
    return use !== NONE && usePosition[use] < limit ? usePosition[use] : limit;
  }
}

function bankOf(
  lir: Lir,
  vreg: VirtualRegister,
  registers: RegisterSet,
): readonly PhysicalRegister[] {
  const type = lir.typeOf(vreg);
  return isFloating(type) ? registers.vector : registers.general;
}

/**
 * Returns whether a demand that ends there is for both halves of an instruction, or for its output
 * half.
 */
const isWhole = (useEnd: Position): boolean => (useEnd & 3) === 0;
