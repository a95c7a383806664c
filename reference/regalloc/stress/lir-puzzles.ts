// Generates random LIR that no program was lowered to: more operands, fixed registers, calls and
// control flow at once than lowering ever makes. Only the constraints have a meaning: a toy row
// table marks calls and terminators, and the operands carry their policies.
//
// 1. Any control flow, also irreducible, in any layout; critical edges are split.
// 2. Definitions dominate uses.
// 3. Every instruction fits the allocatable registers (`RegisterDemand`), so that each puzzle has a solution.
//    Operands in fixed registers may name any register of the machine.

import { Double, Float, Int32, Int64, isFloating, VALUE_TYPES } from "../../../src/ir/types.js";
import type { ChoiceSource } from "../../../src/support/source.js";
import { blockAt, type VirtualRegister } from "../../lir/indices.js";
import {
  type Lir,
  type LirFacts,
  OperandPolicy,
  OperandRole,
  packOperand,
  policyOf,
  type RegisterSet,
  roleOf,
  VECTOR,
  vregOf,
} from "../../lir/lir.js";
import { nameReferences } from "../../lir/name-references.js";
import { STACK_ARGUMENT_UNITS } from "../../target/arguments.js";
import { bitOf, destroyedMask, maskOf, RegisterDemand } from "../room.js";

const fact = (name: string, what: Partial<LirFacts> = {}): LirFacts => ({
  name,
  isCall: false,
  isTerminator: false,
  rematerializable: false,
  derivable: false,
  ...what,
});
export const Row = {
  entry: 0,
  op: 1,
  call: 2,
  jump: 3,
  branch: 4,
  return: 5,
  constant: 6,
  derivation: 7,
} as const;
export const PUZZLE_ROWS: readonly LirFacts[] = [
  fact("entry"),
  fact("op"),
  fact("call", { isCall: true }),
  fact("jump", { isTerminator: true }),
  fact("branch", { isTerminator: true }),
  fact("return", { isTerminator: true }),
  fact("constant", { rematerializable: true }),
  fact("derivation", { derivable: true }),
];

interface PuzzleBlock {
  successors: number[];
  predecessors: number[];
  /** Instructions: opcode and operand words. */
  code: { opcode: number; operands: number[] }[];
  phis: VirtualRegister[];
  /** Virtual registers defined here. */
  defined: VirtualRegister[];
  dominators: Set<number>;
}

export interface PuzzleSize {
  readonly blocks: number;
  readonly instructions: number;
}

/**
 * Generates a puzzle into `lir`, which was reset.
 *
 * @param registers the allocatable registers
 * @param machine the registers that operands may name
 */
export function makePuzzle(
  source: ChoiceSource,
  registers: RegisterSet,
  machine: RegisterSet,
  size: PuzzleSize,
  lir: Lir,
): void {
  const blocks = makeGraph(source, 1 + source.below(size.blocks));
  const maker = new PuzzleMaker(source, registers, machine, lir, blocks);
  maker.fill(1 + source.below(size.instructions));
  maker.emit();
  maker.markReferences();
  nameReferences(lir, PUZZLE_ROWS);
}

// --- control flow ---

function makeGraph(source: ChoiceSource, count: number): PuzzleBlock[] {
  const blocks: PuzzleBlock[] = [];
  for (let b = 0; b < count; b++) blocks.push(newBlock());
  for (let b = 1; b < count; b++) {
    // A tree first, so that every block is reachable and comes after its dominators.
    let parent = source.below(b);
    while (blocks[parent].successors.length === 2) parent = (parent + 1) % b;
    blocks[parent].successors.push(b);
  }
  for (let b = 0; b < count && count > 1; b++) {
    if (blocks[b].successors.length < 2 && source.below(3) > 0) {
      const to = 1 + source.below(count - 1);
      if (!blocks[b].successors.includes(to)) blocks[b].successors.push(to);
    }
  }
  splitCriticalEdges(blocks);
  for (const [b, block] of blocks.entries()) {
    for (const to of block.successors) blocks[to].predecessors.push(b);
  }
  findDominators(blocks);
  return blocks;
}

const newBlock = (): PuzzleBlock => ({
  successors: [],
  predecessors: [],
  code: [],
  phis: [],
  defined: [],
  dominators: new Set(),
});

function splitCriticalEdges(blocks: PuzzleBlock[]): void {
  const count = blocks.length;
  const entering = new Array<number>(count).fill(0);
  for (const { successors } of blocks) for (const to of successors) entering[to]++;
  for (let b = 0; b < count; b++) {
    const { successors } = blocks[b];
    if (successors.length < 2) continue;
    for (const [k, to] of successors.entries()) {
      if (entering[to] < 2) continue;
      const between = newBlock();
      between.successors.push(to);
      successors[k] = blocks.push(between) - 1;
    }
  }
}

function findDominators(blocks: PuzzleBlock[]): void {
  const all = blocks.map((_, b) => b);
  for (const [b, block] of blocks.entries()) block.dominators = new Set(b === 0 ? [0] : all);
  for (let changed = true; changed; ) {
    changed = false;
    for (let b = 1; b < blocks.length; b++) {
      const { predecessors, dominators } = blocks[b];
      const kept = all.filter(
        (d) => d === b || predecessors.every((p) => blocks[p].dominators.has(d)),
      );
      changed ||= kept.length !== dominators.size;
      blocks[b].dominators = new Set(kept);
    }
  }
}

// --- instructions ---

class PuzzleMaker {
  private readonly source: ChoiceSource;
  private readonly registers: RegisterSet;
  private readonly machine: RegisterSet;
  private readonly lir: Lir;
  private readonly blocks: PuzzleBlock[];
  private readonly rooms = [new RegisterDemand(), new RegisterDemand()] as const;

  /** Values that moves may derive, with their bases. */
  private readonly derivations: [value: VirtualRegister, base: VirtualRegister][] = [];

  constructor(
    source: ChoiceSource,
    registers: RegisterSet,
    machine: RegisterSet,
    lir: Lir,
    blocks: PuzzleBlock[],
  ) {
    this.source = source;
    this.registers = registers;
    this.machine = machine;
    this.lir = lir;
    this.blocks = blocks;
  }

  fill(instructions: number): void {
    const { blocks, source } = this;
    for (let b = 0; b < blocks.length; b++) {
      if (b === 0) this.addEntry();
      else if (blocks[b].predecessors.length > 1) this.addPhis(b);
      const isBare = b > 0 && blocks[b].successors.length === 1 && source.below(4) === 0;
      const count = isBare ? 0 : source.below(instructions);
      for (let i = 0; i < count; i++) {
        const kind = source.below(8);
        if (kind === 0) this.addRedefinition(b);
        else if (kind <= 2) this.addConstant(b);
        else if (kind <= 4) this.addDerivation(b);
        else this.addInstruction(b, source.below(6) === 0);
      }
      this.addTerminator(b);
    }
  }

  /**
   * Adds arguments in fixed registers, at least two of each type, so that every Phi finds an input.
   */
  private addEntry(): void {
    const { general, vector } = this.machine;
    const operands: number[] = [];
    for (const bank of [general, vector]) {
      const types = bank === general ? [Int32, Int64] : [Float, Double];
      const count = Math.min(bank.length, 2 + this.source.below(6));
      for (let k = 0; k < count; k++) {
        const vreg = this.lir.newVreg(types[k & 1]);
        this.blocks[0].defined.push(vreg);
        operands.push(packOperand(vreg, OperandRole.Definition, OperandPolicy.Fixed, bank[k]));
      }
    }
    // stack arguments
    for (let k = this.source.below(4); k > 0; k--) {
      const vreg = this.lir.newVreg(VALUE_TYPES[this.source.below(4)]);
      this.lir.vregArgumentUnit[vreg] = this.lir.incomingUnits;
      this.lir.incomingUnits += STACK_ARGUMENT_UNITS;
      this.blocks[0].defined.push(vreg);
      operands.push(packOperand(vreg, OperandRole.Definition, OperandPolicy.Stack));
    }
    this.blocks[0].code.push({ opcode: Row.entry, operands });
  }

  private addPhis(b: number): void {
    for (let k = this.source.below(6); k > 0; k--) {
      const vreg = this.lir.newVreg(VALUE_TYPES[this.source.below(4)]);
      this.blocks[b].phis.push(vreg);
      this.blocks[b].defined.push(vreg);
    }
  }

  private addConstant(b: number): void {
    const vreg = this.lir.newVreg(VALUE_TYPES[this.source.below(4)]);
    this.blocks[b].defined.push(vreg);
    const operands = [packOperand(vreg, OperandRole.Definition, OperandPolicy.Register)];
    this.blocks[b].code.push({ opcode: Row.constant, operands });
  }

  /** Adds a value that moves may derive from its use. */
  private addDerivation(b: number): void {
    const available = this.availableIn(b);
    const base = available[this.source.below(available.length)];
    const types = isFloating(this.lir.typeOf(base)) ? [Float, Double] : [Int32, Int64];
    const vreg = this.lir.newVreg(types[this.source.below(2)]);
    this.derivations.push([vreg, base]);
    const policy = this.source.below(2) === 0 ? OperandPolicy.Register : OperandPolicy.Any;
    this.blocks[b].defined.push(vreg);
    const operands = [
      packOperand(vreg, OperandRole.Definition, OperandPolicy.Register),
      packOperand(base, OperandRole.UseAtStart, policy),
    ];
    this.blocks[b].code.push({ opcode: Row.derivation, operands });
  }

  private addInstruction(b: number, isCall: boolean): void {
    const available = this.availableIn(b);
    this.openRooms(isCall);
    const fixedUses = this.several(isCall ? 5 : 2, () => this.fixedUse(this.pick(available)));
    const fixedDefinitions = this.several(isCall ? 3 : 2, () => this.fixedDefinition());
    const fixedTemps = this.several(2, () => this.fixedTemp());
    const fixedCopies = this.pairs(1, () => this.fixedCopy(this.pick(available)));
    const copies = this.pairs(2, () => this.copy(this.pick(available)));
    const reuses: (readonly [definition: number, use: number])[] = [];
    for (let k = Math.max(0, this.source.below(6) - 3); k > 0; k--) {
      const reuse = this.reuse(available);
      if (reuse !== null) reuses.push(reuse);
    }
    const temps = this.several(3, () => this.temp());
    const definitions = this.several(3, () => this.definition());
    const uses = this.several(5, () => this.use(this.pickOperand(available)));
    const kept = this.source.below(3) > 0 ? [] : this.several(8, () => this.keepAlive(available));
    const operands = [
      ...reuses.map(([definition]) => definition),
      ...definitions,
      ...fixedDefinitions,
      ...reuses.map(([, use]) => use),
      ...uses,
      ...copies.map(([use]) => use),
      ...fixedUses,
      ...fixedCopies.map(([use]) => use),
      ...temps,
      ...copies.map(([, temp]) => temp),
      ...fixedTemps,
      ...fixedCopies.map(([, temp]) => temp),
      ...kept,
    ];
    for (const word of operands) {
      if (roleOf(word) === OperandRole.Definition) this.blocks[b].defined.push(vregOf(word));
    }
    this.blocks[b].code.push({ opcode: isCall ? Row.call : Row.op, operands });
  }

  /** Adds a redefinition of an available value, alone or with other uses. */
  private addRedefinition(b: number): void {
    const available = this.availableIn(b);
    const use = this.pick(available);
    const type = this.lir.typeOf(use);
    const narrow = isFloating(type) ? Float : Int32;
    const name = this.lir.newVreg(this.source.below(2) === 0 ? narrow : type);
    this.openRooms(false);
    const isInRegister = this.source.below(3) === 0 && this.demand(use, "input");
    const isInSlot = this.source.below(6) === 0;
    const elsewhere = isInSlot ? OperandPolicy.Stack : OperandPolicy.Any;
    const policy = isInRegister ? OperandPolicy.Register : elsewhere;
    const uses = [packOperand(use, OperandRole.UseAtStart, policy)];
    if (this.source.below(3) === 0) {
      uses.push(...this.several(2, () => this.use(this.pick(available))));
    }
    this.lir.redefine(name, use);
    this.blocks[b].defined.push(name);
    const definition = packOperand(name, OperandRole.Definition, OperandPolicy.Redefined);
    this.blocks[b].code.push({ opcode: Row.op, operands: [definition, ...uses] });
  }

  private addTerminator(b: number): void {
    const { successors, code } = this.blocks[b];
    if (successors.length === 1) {
      code.push({ opcode: Row.jump, operands: [] });
      return;
    }
    const available = this.availableIn(b);
    this.openRooms(false);
    const fixedUses = this.several(2, () => this.fixedUse(this.pick(available)));
    const temps = this.several(2, () => this.temp());
    const uses = this.several(4, () => this.use(this.pickOperand(available)));
    const opcode = successors.length === 0 ? Row.return : Row.branch;
    code.push({ opcode, operands: [...uses, ...fixedUses, ...temps] });
  }

  private availableIn(b: number): VirtualRegister[] {
    const available: VirtualRegister[] = [];
    for (const d of this.blocks[b].dominators) available.push(...this.blocks[d].defined);
    return available;
  }

  // Usually a recent value, sometimes any, so that some live ranges are long.
  private pick(available: readonly VirtualRegister[]): VirtualRegister {
    const window = this.source.below(3) > 0 ? Math.min(8, available.length) : available.length;
    return available[available.length - 1 - this.source.below(window)];
  }

  // Often a derived value or a base: moves can derive a value only while its base lives.
  private pickOperand(available: readonly VirtualRegister[]): VirtualRegister {
    const { derivations, source } = this;
    if (derivations.length > 0 && source.below(2) === 0) {
      const vreg = derivations[source.below(derivations.length)][source.below(2)];
      if (available.includes(vreg)) return vreg;
    }
    return this.pick(available);
  }

  private several(limit: number, make: () => number | null): number[] {
    const words: number[] = [];
    for (let k = this.source.below(limit + 1); k > 0; k--) {
      const word = make();
      if (word !== null) words.push(word);
    }
    return words;
  }

  private pairs(limit: number, make: () => [number, number] | null): [number, number][] {
    const pairs: [number, number][] = [];
    for (let k = this.source.below(limit + 1); k > 0; k--) {
      const pair = make();
      if (pair !== null) pairs.push(pair);
    }
    return pairs;
  }

  private openRooms(isCall: boolean): void {
    const { general, vector, callerSaved } = this.registers;
    this.rooms[0].open(maskOf(general), isCall ? destroyedMask(callerSaved, 0) : 0);
    this.rooms[1].open(maskOf(vector), isCall ? destroyedMask(callerSaved, VECTOR) : 0);
  }

  private roomOf(vreg: VirtualRegister): RegisterDemand {
    return this.rooms[isFloating(this.lir.typeOf(vreg)) ? 1 : 0];
  }

  /** Adds a demand. Returns false, without adding it, if the instruction would no longer fit. */
  private demand(vreg: VirtualRegister, half: "whole" | "input" | "output"): boolean {
    const room = this.roomOf(vreg);
    room[half]++;
    if (room.fits()) return true;
    room[half]--;
    return false;
  }

  /**
   * Returns a register that no fixed operand occupies in these halves; null if the instruction
   * would no longer fit.
   */
  private fix(
    vreg: VirtualRegister,
    halves: readonly ("fixedInput" | "fixedOutput")[],
  ): number | null {
    const room = this.roomOf(vreg);
    const { general, vector } = this.machine;
    const bank = isFloating(this.lir.typeOf(vreg)) ? vector : general;
    const register = bank[this.source.below(bank.length)];
    const bit = bitOf(register);
    if (halves.some((half) => (room[half] & bit) !== 0)) return null;
    for (const half of halves) room[half] |= bit;
    if (room.fits()) return register;
    for (const half of halves) room[half] &= ~bit;
    return null;
  }

  private fixedUse(vreg: VirtualRegister): number | null {
    const isLate = this.source.below(4) === 0;
    const register = this.fix(vreg, isLate ? ["fixedInput", "fixedOutput"] : ["fixedInput"]);
    if (register === null || (isLate && this.roomOf(vreg).destroys(register))) return null;
    return packOperand(
      vreg,
      isLate ? OperandRole.Use : OperandRole.UseAtStart,
      OperandPolicy.Fixed,
      register,
    );
  }

  private fixedDefinition(): number | null {
    const vreg = this.lir.newVreg(VALUE_TYPES[this.source.below(4)]);
    const register = this.fix(vreg, ["fixedOutput"]);
    if (register === null) return null;
    return packOperand(vreg, OperandRole.Definition, OperandPolicy.Fixed, register);
  }

  private fixedTemp(): number | null {
    const vreg = this.lir.newVreg(VALUE_TYPES[this.source.below(4)]);
    const register = this.fix(vreg, ["fixedInput", "fixedOutput"]);
    return register === null
      ? null
      : packOperand(vreg, OperandRole.Temp, OperandPolicy.Fixed, register);
  }

  /** Returns a use, and the temp that has its register. */
  private copy(vreg: VirtualRegister): [use: number, temp: number] | null {
    const temp = this.lir.newVreg(this.lir.typeOf(vreg));
    if (!this.demand(temp, "whole")) return null;
    return [
      packOperand(vreg, OperandRole.UseAtStart, OperandPolicy.Copy),
      packOperand(temp, OperandRole.Temp, OperandPolicy.Copy),
    ];
  }

  /** Returns the same in a fixed register. */
  private fixedCopy(vreg: VirtualRegister): [use: number, temp: number] | null {
    const temp = this.lir.newVreg(this.lir.typeOf(vreg));
    const register = this.fix(temp, ["fixedInput", "fixedOutput"]);
    if (register === null) return null;
    return [
      packOperand(vreg, OperandRole.UseAtStart, OperandPolicy.Fixed, register),
      packOperand(temp, OperandRole.Temp, OperandPolicy.Fixed, register),
    ];
  }

  /** Returns a definition that reuses an input, and that input. */
  private reuse(available: readonly VirtualRegister[]): [definition: number, use: number] | null {
    const input = this.pick(available);
    const vreg = this.lir.newVreg(this.lir.typeOf(input));
    if (!this.demand(vreg, "whole")) return null;
    return [
      packOperand(vreg, OperandRole.Definition, OperandPolicy.MustReuseInput),
      packOperand(input, OperandRole.UseAtStart, OperandPolicy.Register),
    ];
  }

  private definition(): number | null {
    const vreg = this.lir.newVreg(VALUE_TYPES[this.source.below(4)]);
    if (this.source.below(6) === 0)
      return packOperand(vreg, OperandRole.Definition, OperandPolicy.Stack);
    if (!this.demand(vreg, "output")) return null;
    return packOperand(vreg, OperandRole.Definition, OperandPolicy.Register);
  }

  private temp(): number | null {
    const vreg = this.lir.newVreg(VALUE_TYPES[this.source.below(4)]);
    return this.demand(vreg, "whole")
      ? packOperand(vreg, OperandRole.Temp, OperandPolicy.Register)
      : null;
  }

  private use(vreg: VirtualRegister): number | null {
    const isLate = this.source.below(4) === 0;
    const role = isLate ? OperandRole.Use : OperandRole.UseAtStart;
    if (this.source.below(3) === 0) return packOperand(vreg, role, OperandPolicy.Any);
    if (this.source.below(8) === 0) return packOperand(vreg, role, OperandPolicy.Stack);
    if (!this.demand(vreg, isLate ? "whole" : "input")) return null;
    return packOperand(vreg, role, OperandPolicy.Register);
  }

  private keepAlive(available: readonly VirtualRegister[]): number {
    return packOperand(
      this.pick(available) as VirtualRegister,
      OperandRole.Use,
      OperandPolicy.KeepAlive,
    );
  }

  /** Writes the blocks to the LIR in a random layout that begins with block 0. */
  emit(): void {
    const { blocks, lir, source } = this;
    const layout = blocks.map((_, b) => b);
    for (let k = layout.length - 1; k > 1; k--) {
      if (source.below(3) > 0) continue; // mostly in order
      const other = 1 + source.below(k);
      [layout[k], layout[other]] = [layout[other], layout[k]];
    }
    const place: number[] = [];
    for (const [at, b] of layout.entries()) place[b] = at;
    for (const b of layout) {
      const { successors, code, phis } = blocks[b];
      lir.beginBlock();
      for (const phi of phis) lir.addPhi(phi);
      for (const { opcode, operands } of code) {
        for (const word of operands) lir.addOperand(word);
        lir.endInstruction(opcode, 0, 0, -1);
      }
      for (const to of successors) lir.addSuccessor(blockAt(place[to]));
      if (successors.length === 1) this.addPhiInputs(b, blocks[successors[0]].phis);
      lir.endBlock();
    }
  }

  /**
   * Makes some definitions references, which calls must name. It skips those that a call already
   * reads late, because those need not live across it.
   */
  markReferences(): void {
    const { lir, source } = this;
    if (source.below(2) === 0) return;
    const isReadLate = this.readLateByCalls();
    for (let o = 0; o < lir.operandCount; o++) {
      const word = lir.operand[o];
      const isWhole =
        roleOf(word) === OperandRole.Definition && policyOf(word) !== OperandPolicy.Redefined;
      if (!isWhole || lir.vregType[vregOf(word)] !== Int64) continue;
      if (isReadLate[vregOf(word)] === 0 && source.below(2) === 0) lir.markReference(vregOf(word));
    }
  }

  /**
   * Returns by virtual register: 1 if some call reads it late, or reads a Phi late of which it is
   * an input.
   */
  private readLateByCalls(): Uint8Array {
    const { lir } = this;
    const isReadLate = new Uint8Array(lir.vregCount);
    for (let i = 0; i < lir.instructionCount; i++) {
      if (!PUZZLE_ROWS[lir.opcode[i]].isCall) continue;
      for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
        if (roleOf(lir.operand[o]) === OperandRole.Use) isReadLate[vregOf(lir.operand[o])] = 1;
      }
    }
    for (let again = true; again; ) {
      again = false;
      for (let b = 0; b < lir.blockCount; b++) {
        const first = lir.phiInputStart[b];
        for (let k = first; k < lir.phiInputStart[b + 1]; k++) {
          const phi = lir.phis[lir.phiStart[lir.successors[lir.successorStart[b]]] + k - first];
          if (isReadLate[phi] === 0 || isReadLate[lir.phiInputs[k]] === 1) continue;
          isReadLate[lir.phiInputs[k]] = 1;
          again = true;
        }
      }
    }
    return isReadLate;
  }

  private addPhiInputs(b: number, phis: readonly VirtualRegister[]): void {
    const available = this.availableIn(b);
    for (const phi of phis) {
      const type = this.lir.vregType[phi];
      this.lir.addPhiInput(this.pick(available.filter((v) => this.lir.vregType[v] === type)));
    }
  }
}
