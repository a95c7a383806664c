// Allocates registers without liveness, as an example. Each value lives in its own slot. An
// instruction loads its operands before it runs, and stores its results after it. An operand has
// its register in the input half of the instruction, in the output half, or in both. The demands
// for both halves choose first. Moves are added in the order of their gaps.

import { isFloating, isWide } from "../../../src/ir/types.js";
import { assert } from "../../../src/support/assert.js";
import {
  type Block,
  FIRST_BLOCK,
  FIRST_VREG,
  type IndexArray,
  type Instruction,
  indexAfter,
  type Location,
  newColumn,
  type PhysicalRegister,
  type VirtualRegister,
} from "../../lir/indices.js";
import {
  fixedOf,
  type Lir,
  OperandPolicy,
  OperandRole,
  policyOf,
  type RegisterSet,
  roleOf,
  SLOT,
  slotAt,
  vregOf,
} from "../../lir/lir.js";
import { type Allocation, MoveOrder } from "../allocation.js";
import type { AllocatorFactory } from "../allocator.js";

export const newSpillEverywhere: AllocatorFactory = () => (lir, rows, registers, allocation) => {
  const slots = assignSlots(lir, allocation);
  const step = new InstructionAllocator(lir, registers, allocation, slots);
  for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      if (i === lir.blockStart[b + 1] - 1) movePhiInputs(lir, b, allocation, slots);
      step.run(i, rows[lir.opcode[i]].isCall);
    }
  }
};

/** Gives each virtual register a slot of its own, at an even unit if it is wide. */
function assignSlots(lir: Lir, allocation: Allocation): IndexArray<Location, VirtualRegister> {
  const slots = newColumn<Location, VirtualRegister>(lir.vregCount);
  let units = lir.incomingUnits;
  for (let v = FIRST_VREG; v < lir.vregCount; v++) {
    if (lir.vregArgumentUnit[v] >= 0) {
      slots[v] = slotAt(lir.vregArgumentUnit[v]); // the caller's
      continue;
    }
    if (isWide(lir.typeOf(v))) units = (units + 1) & ~1;
    slots[v] = slotAt(units);
    units += isWide(lir.typeOf(v)) ? 2 : 1;
  }
  allocation.spillUnits = units;
  return slots;
}

/** Moves the inputs of the successor's Phis, all at once, before the jump at the block's end. */
function movePhiInputs(
  lir: Lir,
  b: Block,
  allocation: Allocation,
  slots: IndexArray<Location, VirtualRegister>,
): void {
  const [jump, first] = [lir.terminatorOf(b), lir.phiInputStart[b]];
  for (let k = first; k < lir.phiInputStart[b + 1]; k++) {
    const phi = lir.phis[lir.phiStart[lir.successors[lir.successorStart[b]]] + k - first];
    const from = slots[lir.vregRoot[lir.phiInputs[k]]];
    if (from === slots[phi]) continue;
    allocation.addMove(jump, MoveOrder.Resolve, from, slots[phi], lir.vregType[phi]);
  }
}

/** The halves of an instruction in which an operand occupies its register. */
const [INPUT, OUTPUT] = [1, 2];
const IN_SLOT: ReadonlySet<OperandPolicy> = new Set([
  OperandPolicy.Any,
  OperandPolicy.KeepAlive,
  OperandPolicy.Stack,
]);

class InstructionAllocator {
  private readonly lir: Lir;
  private readonly registers: RegisterSet;
  private readonly allocation: Allocation;
  private readonly slots: IndexArray<Location, VirtualRegister>;
  /** By register: the halves of the current instruction in which it is occupied. */
  private readonly occupied = new Uint8Array(SLOT);

  constructor(
    lir: Lir,
    registers: RegisterSet,
    allocation: Allocation,
    slots: IndexArray<Location, VirtualRegister>,
  ) {
    this.lir = lir;
    this.registers = registers;
    this.allocation = allocation;
    this.slots = slots;
  }

  run(i: Instruction, isCall: boolean): void {
    const { operand, operandStart, location, vregRoot } = this.lir;
    const { occupied, registers } = this;
    for (let r = 0; r < SLOT; r++) occupied[r] = isCall ? OUTPUT * registers.callerSaved[r] : 0;
    const [first, end] = [operandStart[i], operandStart[i + 1]];
    const operands = Array.from({ length: end - first }, (_, k) => first + k);
    const owners = this.ownersOf(operands);
    const chosen: number[] = [];
    for (const o of operands) {
      const policy = policyOf(operand[o]);
      if (policy === OperandPolicy.Redefined || owners.has(o)) continue; // another operand decides
      if (policy === OperandPolicy.Fixed) this.take(o, fixedOf(operand[o]));
      else if (IN_SLOT.has(policy)) location[o] = this.slots[vregRoot[vregOf(operand[o])]];
      else chosen.push(o);
    }
    chosen.sort((x, y) => this.halvesOf(y) - this.halvesOf(x));
    for (const o of chosen) this.take(o, this.choose(o));
    for (const [use, owner] of owners) location[use] = location[owner];
    this.addMoves(i, operands);
  }

  /** Maps the n-th use to the n-th definition that reuses an input; the n-th copy to its temp. */
  private ownersOf(operands: readonly number[]): Map<number, number> {
    const { operand } = this.lir;
    const uses = operands.filter((o) => roleOf(operand[o]) <= OperandRole.Use);
    const reusing = operands.filter((o) => policyOf(operand[o]) === OperandPolicy.MustReuseInput);
    const copies = operands.filter((o) => policyOf(operand[o]) === OperandPolicy.Copy);
    const owners = new Map(reusing.map((owner, n) => [uses[n], owner]));
    for (let n = 0; n < copies.length / 2; n++)
      owners.set(copies[n], copies[copies.length / 2 + n]);
    return owners;
  }

  private halvesOf(o: number): number {
    const word = this.lir.operand[o];
    if (roleOf(word) === OperandRole.UseAtStart) return INPUT;
    const isResult =
      roleOf(word) === OperandRole.Definition && policyOf(word) !== OperandPolicy.MustReuseInput;
    return isResult ? OUTPUT : INPUT | OUTPUT;
  }

  private take(o: number, register: PhysicalRegister): void {
    this.lir.location[o] = register;
    this.allocation.usedRegisters[register] = 1;
    this.occupied[register] |= this.halvesOf(o);
  }

  /** Returns the first register that is free in the halves of the operand. */
  private choose(o: number): PhysicalRegister {
    const { general, vector } = this.registers;
    const bank = isFloating(this.lir.typeOf(vregOf(this.lir.operand[o]))) ? vector : general;
    const register = bank.find((r) => (this.occupied[r] & this.halvesOf(o)) === 0);
    assert(register !== undefined, () => "the instruction does not fit the registers");
    return register;
  }

  /** Adds the loads before the instruction, and the stores after it. */
  private addMoves(i: Instruction, operands: readonly number[]): void {
    const { allocation, slots } = this;
    const { BeforeUse, AfterDefinition } = MoveOrder;
    const { operand, location, vregRoot, vregType } = this.lir;
    for (const o of operands) {
      if (policyOf(operand[o]) === OperandPolicy.Redefined) location[o] = location[o + 1];
      if (roleOf(operand[o]) > OperandRole.Use || location[o] >= SLOT) continue;
      const vreg = vregRoot[vregOf(operand[o])];
      allocation.addMove(i, BeforeUse, slots[vreg], location[o], vregType[vreg]);
    }
    for (const o of operands) {
      if (roleOf(operand[o]) !== OperandRole.Definition) break;
      if (policyOf(operand[o]) === OperandPolicy.Redefined || location[o] >= SLOT) continue;
      const vreg = vregOf(operand[o]);
      allocation.addMove(indexAfter(i), AfterDefinition, location[o], slots[vreg], vregType[vreg]);
    }
  }
}
