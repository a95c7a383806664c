// Performs one step of the one-pass allocator: from the position after an instruction to the
// position before it.
//
// Registers are granted to the operands in an order in which none has to be revoked:
//
// 1. Definitions release the registers that they have after the instruction.
// 2. Values that are held across the instruction leave the registers that fixed operands and calls
//    write.
// 3. Operands that need a register in both halves: late uses, temps, definitions that reuse an
//    input.
// 4. Definitions, which need the output half. A definition that does not get its later register is
//    moved there afterwards.
// 5. Uses at start, which need the input half and may share a definition's register. A reused or
//    copied input dies there if it has no register of its own; otherwise it is copied first.
// 6. Fixed uses: the same.
// 7. Uses that accept any location: in a register if the value has one or one is free, since
//    nothing is evicted for them; otherwise in the slot.
//
// A granted register is marked as taken in its halves. A value that is held across, in a register
// that is not taken, may be evicted. So each step finds registers as long as the instruction fits
// the register file.

import {
  type IndexArray,
  type Instruction,
  indexAfter,
  newColumn,
  type PhysicalRegister,
  type VirtualRegister,
} from "../../lir/indices.js";
import {
  fixedOf,
  type Lir,
  NOWHERE,
  OperandPolicy,
  OperandRole,
  policyOf,
  roleOf,
  vregOf,
} from "../../lir/lir.js";
import { MoveOrder } from "../allocation.js";
import { NONE, sized, widen } from "../arenas.js";
import { firstOf, homeOf, type RegisterContents } from "./holdings.js";
import type { VregReferences } from "./references.js";
import type { WalkPosition } from "./walk-order.js";

/** Returns a bit for each pair of role and policy. */
const kindOf = (word: number): number => 1 << ((word >>> 26) & 31);
const kind = (role: OperandRole, policy: OperandPolicy): number => 1 << (8 * role + policy);

const LATE_IN_REGISTER = kind(OperandRole.Use, OperandPolicy.Register);
const EARLY_IN_REGISTER = kind(OperandRole.UseAtStart, OperandPolicy.Register);
const TEMPS =
  kind(OperandRole.Temp, OperandPolicy.Register) |
  kind(OperandRole.Temp, OperandPolicy.Copy) |
  kind(OperandRole.Temp, OperandPolicy.Fixed);
const COPIES =
  kind(OperandRole.UseAtStart, OperandPolicy.Copy) | kind(OperandRole.Use, OperandPolicy.Copy);
const FIXED_USE =
  kind(OperandRole.UseAtStart, OperandPolicy.Fixed) | kind(OperandRole.Use, OperandPolicy.Fixed);
const FIXED =
  FIXED_USE |
  kind(OperandRole.Definition, OperandPolicy.Fixed) |
  kind(OperandRole.Temp, OperandPolicy.Fixed);
const REUSE = kind(OperandRole.Definition, OperandPolicy.MustReuseInput);

/**
 * Returns the register of a definition or temp, or NOWHERE. The cast holds because the steps before
 * have given it to the operand.
 */
const registerOf = (lir: Lir, operand: number): PhysicalRegister =>
  lir.location[operand] as PhysicalRegister;

export class InstructionAllocator {
  private readonly held: RegisterContents;
  private readonly references: VregReferences;

  /** By bank: the registers of temps; the registers that calls, temps and definitions write. */
  private readonly temps = new Int32Array(2);
  private readonly written = new Int32Array(2);
  /** By bank: the registers of fixed uses whose value is there already. */
  private readonly inPlace = new Int32Array(2);
  /** Bits of kindOf for the operands, without reused inputs. */
  private kinds = 0;
  private reuses = 0;
  /** By virtual register: the last instruction passed whose snapshot keeps it alive. */
  private keptBy: IndexArray<Instruction, VirtualRegister> = newColumn(128);

  /** Virtual registers in memory, by descending position of their definitions. */
  spilled: IndexArray<VirtualRegister> = newColumn(64);
  spilledCount = 0;
  /** Definitions with policy Redefined. */
  private redefined = new Int32Array(16);
  private redefinedCount = 0;

  constructor(held: RegisterContents, references: VregReferences) {
    this.held = held;
    this.references = references;
  }

  reset({ vregCount }: Lir): void {
    if (this.keptBy.length < vregCount) this.keptBy = sized(this.keptBy, vregCount);
    this.keptBy.fill(NONE, 0, vregCount);
    this.spilledCount = 0;
    this.redefinedCount = 0;
  }

  /** Gives each redefinition the location of the use after it. */
  finish({ location }: Lir): void {
    for (let k = 0; k < this.redefinedCount; k++) {
      location[this.redefined[k]] = location[this.redefined[k] + 1];
    }
  }

  noteSpilled(vreg: VirtualRegister): void {
    if (this.spilledCount === this.spilled.length) this.spilled = widen(this.spilled);
    this.spilled[this.spilledCount++] = vreg;
  }

  /** Walks from the position after instruction `i` to the position before it. */
  run(lir: Lir, i: Instruction, position: WalkPosition, isCall: boolean): void {
    const start = lir.operandStart[i];
    const end = lir.operandStart[i + 1];
    this.held.begin(i, position);
    if (start === end && !isCall) return;
    this.kinds = 0;
    this.reuses = 0;
    for (let bank = 0; bank < 2; bank++) {
      this.temps[bank] = 0;
      this.written[bank] = 0;
      this.inPlace[bank] = 0;
    }
    const firstUse = this.releaseDefinitions(lir, start, end);
    this.scanInputs(lir, i, firstUse, end);
    if (isCall) this.destroy();
    if (isCall || (this.kinds & FIXED) !== 0) this.clear();
    const { kinds } = this;
    if ((kinds & LATE_IN_REGISTER) !== 0) this.placeLate(lir, firstUse, end);
    if ((kinds & TEMPS) !== 0) this.placeTemps(lir, firstUse, end);
    if (firstUse > start) this.placeDefinitions(lir, i, start, firstUse);
    if (this.reuses > 0) this.endReused(lir, i, start, firstUse);
    if ((kinds & EARLY_IN_REGISTER) !== 0) this.placeEarly(lir, i, firstUse, end);
    if (this.reuses > 0) this.moveReused(lir, i, start, firstUse);
    if ((kinds & COPIES) !== 0) this.moveCopied(lir, i, firstUse, end);
    if ((kinds & FIXED_USE) !== 0) this.placeFixed(lir, i, firstUse, end);
    this.placeOthers(lir, firstUse, end);
  }

  /**
   * Sets the location of each definition to its register after the instruction; returns the first
   * use.
   */
  private releaseDefinitions(lir: Lir, start: number, end: number): number {
    const { held, written } = this;
    let o = start;
    for (; o < end; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Definition) break;
      this.kinds |= kindOf(word);
      const policy = policyOf(word);
      if (policy === OperandPolicy.Redefined) {
        this.noteRedefined(o);
        continue;
      }
      const register = held.registerOf[lir.vregRoot[vregOf(word)]];
      lir.location[o] = register;
      if (register !== NOWHERE) held.release(register);
      if (policy === OperandPolicy.Fixed) {
        held.take(fixedOf(word), false, true);
        written[fixedOf(word) >> 5] |= 1 << fixedOf(word);
      } else if (policy === OperandPolicy.MustReuseInput) this.reuses++;
      if (register !== NOWHERE) held.preferred[register >> 5] |= 1 << register;
    }
    return o;
  }

  private noteRedefined(o: number): void {
    if (this.redefinedCount === this.redefined.length) this.redefined = widen(this.redefined);
    this.redefined[this.redefinedCount++] = o;
  }

  private scanInputs(lir: Lir, i: Instruction, firstUse: number, end: number): void {
    const { held, written, temps, inPlace } = this;
    for (let o = firstUse + this.reuses; o < end; o++) {
      const word = lir.operand[o];
      this.kinds |= kindOf(word);
      const policy = policyOf(word);
      if (policy === OperandPolicy.KeepAlive) this.keptBy[lir.vregRoot[vregOf(word)]] = i;
      if (policy !== OperandPolicy.Fixed) continue;
      const register = fixedOf(word);
      const role = roleOf(word);
      held.take(register, true, role !== OperandRole.UseAtStart);
      if (role === OperandRole.Temp) {
        written[register >> 5] |= 1 << register;
        temps[register >> 5] |= 1 << register;
      } else if (held.registerOf[lir.vregRoot[vregOf(word)]] === register) {
        inPlace[register >> 5] |= 1 << register;
      }
    }
  }

  private destroy(): void {
    const { held, written } = this;
    const { calls } = this.references;
    for (let bank = 0; bank < 2; bank++) {
      held.output[bank] |= calls[bank];
      written[bank] |= calls[bank];
    }
  }

  /** Evicts values from the registers that the instruction writes or names. */
  private clear(): void {
    const { held } = this;
    for (let bank = 0; bank < 2; bank++) {
      const named = held.input[bank] | held.output[bank];
      const stays = this.inPlace[bank] & ~this.written[bank];
      for (let bits = held.held[bank] & named & ~stays; bits !== 0; bits &= bits - 1) {
        held.evict(firstOf(bits, bank), true);
      }
    }
  }

  private placeLate(lir: Lir, firstUse: number, end: number): void {
    const { held } = this;
    for (let o = firstUse + this.reuses; o < end; o++) {
      const word = lir.operand[o];
      if (kindOf(word) !== LATE_IN_REGISTER) continue;
      const vreg = lir.vregRoot[vregOf(word)];
      let register = held.registerOf[vreg];
      if (register === NOWHERE) {
        const bank = held.bankOf(vreg);
        register = held.demand(vreg, bank, held.input[bank] | held.output[bank]);
        held.hold(vreg, register, "an operand needs a register");
      } else held.harden(register);
      held.take(register, true, true);
      lir.location[o] = register;
    }
  }

  private placeTemps(lir: Lir, firstUse: number, end: number): void {
    for (let o = firstUse; o < end; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Temp) continue;
      if (policyOf(word) === OperandPolicy.Fixed) {
        lir.location[o] = fixedOf(word);
        continue;
      }
      const register = this.demandWhole(vregOf(word));
      this.temps[register >> 5] |= 1 << register;
      lir.location[o] = register;
    }
  }

  /** Returns a register for both halves, which the instruction writes. */
  private demandWhole(vreg: VirtualRegister): PhysicalRegister {
    const { held } = this;
    const bank = held.bankOf(vreg);
    const register = held.demand(vreg, bank, held.input[bank] | held.output[bank]);
    held.take(register, true, true);
    this.written[bank] |= 1 << register;
    return register;
  }

  private placeDefinitions(lir: Lir, i: Instruction, start: number, end: number): void {
    if ((this.kinds & REUSE) !== 0) {
      for (let o = start; o < end; o++) {
        if (policyOf(lir.operand[o]) === OperandPolicy.MustReuseInput) this.placeReusing(lir, i, o);
      }
    }
    for (let o = start; o < end; o++) {
      const policy = policyOf(lir.operand[o]);
      if (policy === OperandPolicy.Register) this.placeChosen(lir, i, o);
      else if (policy === OperandPolicy.Fixed) {
        this.finishDefinition(lir, i, o, fixedOf(lir.operand[o]), registerOf(lir, o));
      } else if (policy === OperandPolicy.Stack) this.placeInSlot(lir, i, o);
    }
    this.held.preferred[0] = 0; // granted, or not
    this.held.preferred[1] = 0;
  }

  private placeReusing(lir: Lir, i: Instruction, o: number): void {
    const { held, written } = this;
    const wanted = registerOf(lir, o);
    if (wanted !== NOWHERE && this.isFree(wanted, true)) {
      held.take(wanted, true, true);
      written[wanted >> 5] |= 1 << wanted;
      this.finishDefinition(lir, i, o, wanted, wanted);
    } else {
      this.finishDefinition(lir, i, o, this.demandWhole(vregOf(lir.operand[o])), wanted);
    }
  }

  private placeChosen(lir: Lir, i: Instruction, o: number): void {
    const { held, written } = this;
    const vreg = vregOf(lir.operand[o]);
    const wanted = registerOf(lir, o);
    let register = wanted;
    if (wanted === NOWHERE || !this.isFree(wanted, false)) {
      const bank = held.bankOf(vreg);
      register = held.demand(vreg, bank, held.output[bank]);
    }
    held.take(register, false, true);
    written[register >> 5] |= 1 << register;
    this.finishDefinition(lir, i, o, register, wanted);
  }

  private isFree(register: PhysicalRegister, isWhole: boolean): boolean {
    const { held } = this;
    const bank = register >> 5;
    const taken = held.held[bank] | held.output[bank] | (isWhole ? held.input[bank] : 0);
    return (taken & (1 << register)) === 0;
  }

  private finishDefinition(
    lir: Lir,
    i: Instruction,
    o: number,
    register: PhysicalRegister,
    wanted: PhysicalRegister,
  ): void {
    const { held } = this;
    const vreg = vregOf(lir.operand[o]);
    lir.location[o] = register;
    if (wanted !== NOWHERE && wanted !== register) {
      held.move(indexAfter(i), MoveOrder.AfterDefinition, vreg, register, wanted);
    }
    if (held.inMemory[vreg] === 0) return;
    held.move(indexAfter(i), MoveOrder.AfterDefinition, vreg, register, homeOf(vreg));
    this.noteSpilled(vreg);
  }

  private placeInSlot(lir: Lir, i: Instruction, o: number): void {
    const { held } = this;
    const vreg = vregOf(lir.operand[o]);
    const wanted = registerOf(lir, o);
    if (wanted !== NOWHERE) {
      held.move(indexAfter(i), MoveOrder.AfterDefinition, vreg, homeOf(vreg), wanted);
    }
    held.placeInSlot(lir, o);
    this.noteSpilled(vreg);
  }

  /**
   * Holds inputs in the register of the definition that reuses them, where no other operand
   * prevents that.
   */
  private endReused(lir: Lir, i: Instruction, start: number, firstUse: number): void {
    const { held, references } = this;
    let d = start;
    for (let o = firstUse; o < firstUse + this.reuses; o++) {
      while (policyOf(lir.operand[d]) !== OperandPolicy.MustReuseInput) d++;
      const register = registerOf(lir, d++);
      const vreg = lir.vregRoot[vregOf(lir.operand[o])];
      if (held.registerOf[vreg] !== NOWHERE || this.keptBy[vreg] === i) continue;
      if (held.barrierOf(register) > references.defined[vreg]) continue;
      held.hold(vreg, register, "a result reuses its register");
    }
  }

  private placeEarly(lir: Lir, i: Instruction, firstUse: number, end: number): void {
    const { held } = this;
    for (let o = firstUse + this.reuses; o < end; o++) {
      const word = lir.operand[o];
      if (kindOf(word) !== EARLY_IN_REGISTER) continue;
      const vreg = lir.vregRoot[vregOf(word)];
      let register = held.registerOf[vreg];
      if (register === NOWHERE) {
        const bank = held.bankOf(vreg);
        const whole = held.input[bank] | held.output[bank];
        if (this.keptBy[vreg] === i) register = held.pick(vreg, bank, held.free(bank, whole));
        if (register === NOWHERE) register = held.demand(vreg, bank, held.input[bank]);
        held.hold(vreg, register, "an operand needs a register");
      } else held.harden(register);
      held.take(register, true, false);
      lir.location[o] = register;
    }
  }

  private moveReused(lir: Lir, i: Instruction, start: number, firstUse: number): void {
    let d = start;
    for (let o = firstUse; o < firstUse + this.reuses; o++) {
      while (policyOf(lir.operand[d]) !== OperandPolicy.MustReuseInput) d++;
      this.moveInto(lir, i, o, registerOf(lir, d++));
    }
  }

  private moveCopied(lir: Lir, i: Instruction, firstUse: number, end: number): void {
    let temp: number = NONE;
    for (let o = firstUse + this.reuses; o < end; o++) {
      if ((kindOf(lir.operand[o]) & COPIES) === 0) continue;
      temp = lir.copyTemp(temp === NONE ? o : temp);
      this.moveInto(lir, i, o, registerOf(lir, temp));
    }
  }

  /** Moves a use to `target`, which belongs to the instruction in both halves. */
  private moveInto(lir: Lir, i: Instruction, o: number, target: PhysicalRegister): void {
    const { held } = this;
    const vreg = lir.vregRoot[vregOf(lir.operand[o])];
    lir.location[o] = target;
    this.placeInput(i, vreg, target, held.holder[target] === NONE, this.keptBy[vreg] === i);
  }

  /**
   * Holds the virtual register at `target` before the instruction, or moves it there from its own
   * location.
   *
   * @param isKept whether a snapshot uses it as well, in another location than `target`
   */
  private placeInput(
    i: Instruction,
    vreg: VirtualRegister,
    target: PhysicalRegister,
    canHold: boolean,
    isKept: boolean,
  ): void {
    const { held, references } = this;
    let register = held.registerOf[vreg];
    if (register === NOWHERE) {
      const from = references.defined[vreg];
      if (canHold && !isKept && held.barrierOf(target) <= from) {
        held.hold(vreg, target, "the operand has this register");
        return;
      }
      const bank = target >> 5;
      const taken = held.input[bank] | (isKept ? held.output[bank] : 0);
      register = held.pick(vreg, bank, held.free(bank, taken));
      const isBetter = register !== NOWHERE && (isKept || held.barrierOf(register) <= from);
      if (canHold && !isBetter) {
        held.hold(vreg, target, "the operand has this register");
        return;
      }
      if (register !== NOWHERE) {
        held.hold(vreg, register, "a move copies it to the operand's register");
      }
    } else held.harden(register);
    const source = register === NOWHERE ? held.home(vreg) : register;
    if (source !== target) held.move(i, MoveOrder.BeforeUse, vreg, source, target);
  }

  private placeFixed(lir: Lir, i: Instruction, firstUse: number, end: number): void {
    const { held } = this;
    for (let o = firstUse + this.reuses; o < end; o++) {
      const word = lir.operand[o];
      if ((kindOf(word) & FIXED_USE) === 0) continue;
      const vreg = lir.vregRoot[vregOf(word)];
      const register = fixedOf(word);
      const bit = 1 << register;
      const bank = register >> 5;
      const canHold = (held.allocatable[bank] & ~held.held[bank] & bit) !== 0;
      const isKept = this.keptBy[vreg] === i && (this.written[bank] & bit) !== 0;
      lir.location[o] = register;
      this.placeInput(i, vreg, register, canHold, isKept);
    }
  }

  private placeOthers(lir: Lir, firstUse: number, end: number): void {
    const { next, previous } = this.references;
    for (let o = firstUse; o < end; o++) {
      const word = lir.operand[o];
      if (roleOf(word) > OperandRole.Use) continue;
      const vreg = lir.vregRoot[vregOf(word)];
      const policy = policyOf(word);
      const isKept = policy === OperandPolicy.KeepAlive;
      if (isKept) this.placeAnywhere(lir, o, vreg, true);
      else {
        const isReused = o < firstUse + this.reuses;
        if (policy === OperandPolicy.Stack) this.held.placeInSlot(lir, o);
        else if (policy === OperandPolicy.Any && !isReused) {
          this.placeAnywhere(lir, o, vreg, roleOf(word) === OperandRole.Use);
        }
        if (previous[o] < next[vreg]) next[vreg] = previous[o];
      }
    }
  }

  private placeAnywhere(lir: Lir, o: number, vreg: VirtualRegister, isLate: boolean): void {
    const { held } = this;
    const known = held.registerOf[vreg];
    if (known !== NOWHERE) {
      const others = isLate ? this.written[known >> 5] : this.temps[known >> 5];
      if ((others & (1 << known)) === 0) held.place(lir, o, known);
      else held.placeInSlot(lir, o);
      return;
    }
    if (lir.vregArgumentUnit[vreg] >= 0) {
      held.placeInSlot(lir, o); // the caller has stored it
      return;
    }
    const bank = held.bankOf(vreg);
    const free = held.free(bank, held.input[bank] | (isLate ? held.output[bank] : 0));
    // A prologue that saves one more register would cost more.
    const register = held.pick(vreg, bank, free & (held.callerSaved[bank] | held.used[bank]));
    if (register === NOWHERE) held.placeInSlot(lir, o);
    else {
      held.holdSoftly(vreg, register);
      held.place(lir, o, register);
    }
  }
}
