// Tracks which virtual register is in which register, at the position of the one-pass allocator. It
// walks backward, so the later code comes first: a value that gets a register here keeps it to its
// last use, which the walk has passed.
//
// 1. Before the instruction that evicts it, an evicted value is in its home slot. One move in the
//    gap after the instruction loads it. If a fixed operand or a call evicts it and another
//    register is free, the value is in that register instead.
// 2. A register is held softly while the passed operands can all read the slot (ANY, KEEPALIVE).
//    Evicting a soft holder needs no load: these operands read the slot.
// 3. Slots have no addresses yet: in moves, homeOf(v) is the slot of v. A rematerializable value is
//    not loaded from there.
// 4. Moves are recorded in descending order of gaps and groups.

import { isFloating } from "../../../src/ir/types.js";
import { assert } from "../../../src/support/assert.js";
import {
  FIRST_INSTRUCTION,
  type Index,
  type IndexArray,
  type IndexFlags,
  type Instruction,
  indexAfter,
  type Location,
  newColumn,
  newFlags,
  type PhysicalRegister,
  type VirtualRegister,
} from "../../lir/indices.js";
import {
  type Lir,
  NOWHERE,
  type RegisterSet,
  rematerializedBy,
  SLOT,
  typeOfWord,
  vregOf,
} from "../../lir/lir.js";
import { type Allocation, MOVE_STRIDE, MoveOrder, NO_DERIVATION } from "../allocation.js";
import { NONE, sized, widen } from "../arenas.js";
import { EVENT } from "../events.js";
import { endOf, groupOf } from "../positions.js";
import type { AllocationAction, AllocationTrace } from "../trace.js";
import { CALL, type VregReferences } from "./references.js";
import { WALK_NEVER, WALK_START, type WalkPosition } from "./walk-order.js";

/** The slot of a virtual register, which has no address yet: HOME + v. */
export type Home = Index<"Home">;
export type MoveLocation = Location | Home;

/** Greater than all locations. */
const HOME = 1 << 26;
export const homeOf = (vreg: VirtualRegister): Home => (HOME + vreg) as Home;
export const isHome = (place: MoveLocation): place is Home => place >= HOME;
export const vregOfHome = (home: Home): VirtualRegister => (home - HOME) as VirtualRegister;

/** Moves in the order in which they are made; words as in Allocation. */
export class MoveLog {
  words = new Int32Array(1024);
  /** In words. */
  size = 0;

  add(
    gap: Instruction,
    order: MoveOrder,
    from: MoveLocation,
    to: MoveLocation,
    type: number,
  ): void {
    const at = this.size;
    if (at + MOVE_STRIDE > this.words.length) this.words = widen(this.words);
    const { words } = this;
    words[at] = groupOf(gap, order);
    words[at + 1] = from;
    words[at + 2] = to;
    words[at + 3] = type;
    words[at + 4] = NO_DERIVATION;
    this.size = at + MOVE_STRIDE;
  }
}

export class RegisterContents {
  // The following arrays are indexed by virtual register.
  registerOf: IndexArray<PhysicalRegister, VirtualRegister> = newColumn(128);
  inMemory: IndexFlags<VirtualRegister> = newFlags(128);

  /** By register: the virtual register that it holds. */
  readonly holder: IndexArray<VirtualRegister, PhysicalRegister> = newColumn<
    VirtualRegister,
    PhysicalRegister
  >(64).fill(NONE);
  /** By register: 1 if its holder cannot read its slot instead. */
  private readonly isHard: IndexFlags<PhysicalRegister> = newFlags(64);
  /** By register, if held softly: the list of the operands passed. */
  private readonly firstSoft: IndexArray<number, PhysicalRegister> = newColumn(64);
  private nextSoft = new Int32Array(512);
  /** Operands that read slots. */
  private inSlot = new Int32Array(64);
  private inSlotCount = 0;

  // By bank, a bit for each register.
  readonly allocatable = new Int32Array(2);
  readonly callerSaved = new Int32Array(2);
  readonly held = new Int32Array(2);
  /** The registers that any instruction writes or uses. */
  readonly used = new Int32Array(2);

  // For the current instruction, by bank.
  /** The registers that its operands occupy in its input and its output half. */
  readonly input = new Int32Array(2);
  readonly output = new Int32Array(2);
  /** The registers held after it. */
  readonly heldAfter = new Int32Array(2);
  /** The registers that its definitions prefer. */
  readonly preferred = new Int32Array(2);
  /**
   * True at the end of a block with several successors: the successors load the values evicted
   * there.
   */
  isAtExit = false;
  /**
   * The registers whose holders were moved there by this instruction, and the index of each move.
   */
  private readonly moved = new Int32Array(2);
  private readonly movedBy: IndexArray<number, PhysicalRegister> = newColumn(64);
  private instruction = FIRST_INSTRUCTION;
  private position = WALK_START;

  readonly moves = new MoveLog();
  private readonly references: VregReferences;
  private vregType = new Uint8Array(0);
  private events: Int32Array<ArrayBuffer> = new Int32Array(0);
  private trace: AllocationTrace | null = null;
  private registers: RegisterSet | null = null;

  constructor(references: VregReferences) {
    this.references = references;
  }

  reset(lir: Lir, registers: RegisterSet, { events, trace }: Allocation): void {
    this.trace = trace;
    const { vregCount } = lir;
    if (this.registerOf.length < vregCount) {
      this.registerOf = sized(this.registerOf, vregCount);
      this.inMemory = newFlags(this.registerOf.length);
    }
    if (this.nextSoft.length < lir.operandCount) {
      this.nextSoft = sized(this.nextSoft, lir.operandCount);
    }
    this.registerOf.fill(NOWHERE, 0, vregCount);
    this.inMemory.fill(0, 0, vregCount);
    this.holder.fill(NONE);
    this.held.fill(0);
    this.used.fill(0);
    this.inSlotCount = 0;
    this.moves.size = 0;
    this.vregType = lir.vregType;
    this.events = events;
    if (registers === this.registers) return;
    this.registers = registers;
    for (let bank = 0; bank < 2; bank++) {
      const list = bank === 0 ? registers.general : registers.vector;
      let all = 0;
      let saved = 0;
      for (let k = 0; k < list.length; k++) {
        all |= 1 << list[k];
        if (registers.callerSaved[list[k]] === 1) saved |= 1 << list[k];
      }
      this.allocatable[bank] = all;
      this.callerSaved[bank] = saved;
    }
  }

  bankOf(vreg: VirtualRegister): number {
    return isFloating(typeOfWord(this.vregType[vreg])) ? 1 : 0;
  }

  move(
    gap: Instruction,
    order: MoveOrder,
    vreg: VirtualRegister,
    from: MoveLocation,
    to: MoveLocation,
  ): void {
    if (to < SLOT) this.used[to >> 5] |= 1 << to;
    this.moves.add(gap, order, from, to, this.vregType[vreg]);
  }

  /**
   * Adds a move in `gap`, at the position after instruction `gap` - 1, from the value's home to
   * `register`.
   */
  load(gap: Instruction, vreg: VirtualRegister, register: PhysicalRegister): void {
    this.move(gap, MoveOrder.AfterDefinition, vreg, this.home(vreg), register);
  }

  /** Starts the next instruction in backward order. */
  begin(instruction: Instruction, position: WalkPosition): void {
    this.instruction = instruction;
    this.position = position;
    this.references.retreatTo(position);
    for (let bank = 0; bank < 2; bank++) {
      this.input[bank] = 0;
      this.output[bank] = 0;
      this.preferred[bank] = 0;
      this.moved[bank] = 0;
      this.heldAfter[bank] = this.held[bank];
    }
  }

  /**
   * Returns the location from which a value without a register is read, and marks the value as in
   * memory there.
   */
  home(vreg: VirtualRegister): MoveLocation {
    const remat = this.references.remat[vreg];
    if (remat !== NONE) {
      this.events[EVENT.rematerialized]++;
      this.traceDecision(vreg, "goes to memory", NOWHERE, "its instruction is repeated");
      return rematerializedBy(remat);
    }
    this.inMemory[vreg] = 1;
    this.traceDecision(vreg, "goes to memory", NOWHERE, "it is read from its slot");
    return homeOf(vreg);
  }

  private traceDecision(
    vreg: VirtualRegister,
    action: AllocationAction,
    register: PhysicalRegister,
    reason: string,
  ): void {
    const end = endOf(this.instruction);
    this.trace?.({ vreg, start: NOWHERE, end, action, register, at: NOWHERE, reason });
  }

  /** @param reason why, for the trace */
  hold(vreg: VirtualRegister, register: PhysicalRegister, reason: string): void {
    this.traceDecision(vreg, "takes", register, reason);
    this.registerOf[vreg] = register;
    this.references.hint[vreg] = register;
    this.holder[register] = vreg;
    this.isHard[register] = 1;
    const bank = register >> 5;
    this.held[bank] |= 1 << register;
    this.used[bank] |= 1 << register;
  }

  holdSoftly(vreg: VirtualRegister, register: PhysicalRegister): void {
    this.hold(vreg, register, "it is free, and a use accepts any location");
    this.isHard[register] = 0;
    this.firstSoft[register] = NONE;
  }

  /** Marks the register as needed from here upward: a slot would not do. */
  harden(register: PhysicalRegister): void {
    this.isHard[register] = 1;
  }

  release(register: PhysicalRegister): void {
    this.registerOf[this.holder[register]] = NOWHERE;
    this.holder[register] = NONE;
    this.held[register >> 5] &= ~(1 << register);
  }

  releaseAll(): void {
    for (let bank = 0; bank < 2; bank++) {
      for (let bits = this.held[bank]; bits !== 0; bits &= bits - 1) {
        const register = firstOf(bits, bank);
        this.registerOf[this.holder[register]] = NOWHERE;
        this.holder[register] = NONE;
      }
      this.held[bank] = 0;
    }
  }

  /** Gives an operand that could read the slot the register of its virtual register. */
  place(lir: Lir, operand: number, register: PhysicalRegister): void {
    lir.location[operand] = register;
    if (this.isHard[register] === 1) return;
    this.nextSoft[operand] = this.firstSoft[register];
    this.firstSoft[register] = operand;
  }

  placeInSlot(lir: Lir, operand: number): void {
    this.inMemory[lir.vregRoot[vregOf(lir.operand[operand])]] = 1;
    this.noteInSlot(operand);
  }

  private noteInSlot(operand: number): void {
    if (this.inSlotCount === this.inSlot.length) this.inSlot = widen(this.inSlot);
    this.inSlot[this.inSlotCount++] = operand;
  }

  /**
   * Gives the recorded operands the locations of their slots.
   *
   * @param locationOf the locations of slots
   */
  placeSlots(lir: Lir, locationOf: IndexArray<Location, VirtualRegister>): void {
    for (let k = 0; k < this.inSlotCount; k++) {
      const o = this.inSlot[k];
      lir.location[o] = locationOf[lir.vregRoot[vregOf(lir.operand[o])]];
    }
  }

  /** Marks the register as occupied by the instruction in these halves. */
  take(register: PhysicalRegister, inInput: boolean, inOutput: boolean): void {
    const bank = register >> 5;
    const bit = 1 << register;
    if (inInput) this.input[bank] |= bit;
    if (inOutput) this.output[bank] |= bit;
    this.used[bank] |= bit;
  }

  /** Returns the registers of a bank that are neither held nor in `taken`. */
  free(bank: number, taken: number): number {
    return this.allocatable[bank] & ~this.held[bank] & ~taken;
  }

  /**
   * Returns the best register in `free`, or NOWHERE. The hint comes first. Next comes a register
   * that no fixed operand or call takes after the definition. The last choice is the one that is
   * taken earliest. Registers that the prologue must save come last, but first for a value that
   * lives across a call.
   */
  pick(vreg: VirtualRegister, bank: number, free: number): PhysicalRegister {
    if (free === 0) return NOWHERE;
    const from = this.references.defined[vreg];
    const hint = this.references.hint[vreg];
    if (hint !== NOWHERE && (free & (1 << hint)) !== 0 && hint >> 5 === bank) {
      if (this.barrierOf(hint) <= from) return hint;
    }
    const cheap = free & this.callerSaved[bank];
    const crosses = this.references.barrier[CALL] > from;
    let best: PhysicalRegister = NOWHERE;
    let least = WALK_NEVER;
    for (let bits = crosses ? free & ~cheap : cheap; bits !== 0; bits &= bits - 1) {
      const register = firstOf(bits, bank);
      const barrier = this.barrierOf(register);
      if (barrier <= from) return register;
      if (barrier >= least) continue;
      best = register;
      least = barrier;
    }
    for (let bits = crosses ? cheap : free & ~cheap; bits !== 0; bits &= bits - 1) {
      const register = firstOf(bits, bank);
      const barrier = this.barrierOf(register);
      if (barrier <= from) return register;
      if (barrier >= least) continue;
      best = register;
      least = barrier;
    }
    return best;
  }

  /** Returns the last position at which a fixed operand or a call takes the register. */
  barrierOf(register: PhysicalRegister): WalkPosition {
    const { barrier } = this.references;
    const own = barrier[register];
    const isSafe = (this.callerSaved[register >> 5] & (1 << register)) === 0;
    return isSafe || own > barrier[CALL] ? own : barrier[CALL];
  }

  /**
   * Returns a register for an operand that must have one: a free one, one that a definition
   * prefers, or the one whose holder has the farthest previous use.
   */
  demand(vreg: VirtualRegister, bank: number, taken: number): PhysicalRegister {
    const free = this.free(bank, taken);
    let register = this.pick(vreg, bank, free & ~this.preferred[bank]);
    if (register === NOWHERE) register = this.pick(vreg, bank, free);
    if (register !== NOWHERE) return register;
    register = this.farthest(bank, this.held[bank] & ~taken);
    assert(register !== NOWHERE, () => {
      return `no register for v${vreg}: instruction ${this.instruction} does not fit`;
    });
    this.evict(register, false);
    return register;
  }

  private farthest(bank: number, registers: number): PhysicalRegister {
    const { next, remat } = this.references;
    let best: PhysicalRegister = NOWHERE;
    let most = -1;
    for (let bits = registers; bits !== 0; bits &= bits - 1) {
      const register = firstOf(bits, bank);
      const vreg = this.holder[register];
      let distance = this.position - next[vreg];
      // A value that is stored anyway costs less, and a soft holder needs no load.
      if (this.inMemory[vreg] === 1 || remat[vreg] !== NONE) distance *= 2;
      if (this.isHard[register] === 0) distance *= 4;
      if (distance <= most) continue;
      best = register;
      most = distance;
    }
    return best;
  }

  /** Frees the register of its holder, for the current instruction. */
  evict(register: PhysicalRegister, mayMove: boolean): void {
    const { events, instruction } = this;
    const vreg = this.holder[register];
    this.release(register);
    if (this.isHard[register] === 0) {
      events[EVENT["soft-use-to-slot"]]++;
      this.traceDecision(vreg, "leaves", register, "its uses can read the slot");
      this.soften(vreg, register);
      return;
    }
    const bank = register >> 5;
    if (mayMove) {
      const taken =
        this.heldAfter[bank] | this.input[bank] | this.output[bank] | this.preferred[bank];
      const other = this.pick(vreg, bank, this.free(bank, taken));
      if (other !== NOWHERE) {
        events[EVENT["moved-over"]]++;
        this.hold(vreg, other, "the instruction writes its register");
        if (this.isAtExit) return;
        this.moved[bank] |= 1 << other;
        this.movedBy[other] = this.moves.size;
        this.move(indexAfter(instruction), MoveOrder.AfterDefinition, vreg, other, register);
        return;
      }
    }
    events[EVENT.evicted]++;
    this.traceDecision(vreg, "leaves", register, "an operand needs the register");
    // At an exit the edges load it: they call home().
    if ((this.moved[bank] & (1 << register)) !== 0) {
      // the register that this move reads is lost
      this.moves.words[this.movedBy[register] + 1] = this.home(vreg);
    } else if (!this.isAtExit) this.load(indexAfter(instruction), vreg, register);
  }

  /**
   * Returns whether the last holder of a released register held it softly. Its operands then read
   * the slot.
   */
  isSoft(register: PhysicalRegister): boolean {
    return this.isHard[register] === 0;
  }

  soften(vreg: VirtualRegister, register: PhysicalRegister): void {
    this.inMemory[vreg] = 1;
    for (let o = this.firstSoft[register]; o !== NONE; o = this.nextSoft[o]) this.noteInSlot(o);
  }
}

/** Returns the register of the lowest bit. */
export const firstOf = (bits: number, bank: number): PhysicalRegister =>
  (32 * bank + 31 - Math.clz32(bits & -bits)) as PhysicalRegister;
