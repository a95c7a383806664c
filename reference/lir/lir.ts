// Defines LIR: instructions over virtual registers, with a policy on each operand that states which
// locations the instruction accepts. The design is IonMonkey's: uses, definitions, temps; one
// structure for every target.
//
// Everything is a structure of arrays in one arena that a compile context owns and resets. An
// instruction is an index; its operands are the slice [operandStart[i], operandStart[i + 1]) of
// `operand`. Their order is definitions, uses, temps, then KEEPALIVE uses. The KEEPALIVE uses of a
// guard belong to its snapshot; those of a call are the references that live across it.
//
// A use at start and a temp in the same fixed register are a copy in that register: the value is in
// the register at the input half, and the instruction may overwrite it.

import type { Snapshot, SwitchCases, Value } from "../../src/ir/procedure.js";
import type { Type } from "../../src/ir/types.js";
import {
  type Block,
  FIRST_INSTRUCTION,
  type IndexArray,
  type Instruction,
  indexBefore,
  type Location,
  type None,
  newColumn,
  type PhysicalRegister,
  type VirtualRegister,
} from "./indices.js";

/** The role of an operand in its instruction. */
export const OperandRole = {
  /** Read before any definition or temp is written; it may share their register. */
  UseAtStart: 0,
  /** Alive until the instruction ends. */
  Use: 1,
  Definition: 2,
  /** A register of the instruction alone, alive from its start to its end. */
  Temp: 3,
} as const;
export type OperandRole = (typeof OperandRole)[keyof typeof OperandRole];

/** The locations that an operand accepts. */
export const OperandPolicy = {
  /** Use: a register or the spill slot. */
  Any: 0,
  /** Any register of the bank (IonMonkey's DEFAULT, for definitions). */
  Register: 1,
  /** The register that the operand names (IonMonkey's PRESET, for definitions). */
  Fixed: 2,
  /**
   * Use by a snapshot, or of a reference that lives across a call: in any location; never a reason
   * to load or keep it.
   */
  KeepAlive: 3,
  /**
   * Definition: in the register of a use, which is copied there before: the n-th such definition in
   * that of the n-th use. Other uses at start of the same virtual register may share that register:
   * the instruction reads all of them before it writes.
   */
  MustReuseInput: 4,
  /**
   * Use: in the spill slot. Definition: the instruction writes it to its slot, and nowhere else; at
   * the entry, the caller has written it there (IonMonkey's LArgument).
   */
  Stack: 5,
  /**
   * Use: in a register that the instruction may overwrite, while the virtual register lives on in
   * another location. Temp: that register: the n-th such temp has the location of the n-th such
   * use.
   */
  Copy: 6,
  /**
   * Definition: the use after it under another name, in the same location: nothing is written. Its
   * type is no wider, and of the same bank. An instruction has at most one, as its first operand,
   * and the use is at start: ANY, REGISTER or STACK. (IonMonkey's REDEFINED.)
   */
  Redefined: 7,
} as const;
export type OperandPolicy = (typeof OperandPolicy)[keyof typeof OperandPolicy];

/**
 * Returns the type in a word: the type columns of virtual registers and of moves contain only
 * types.
 */
export const typeOfWord = (word: number): Type => word as Type;

/**
 * The part of a value that a virtual register holds: the whole, or one half of a value in halves.
 */
export const ValueHalf = { Low: 0, High: 1, Whole: 2 } as const;
export type ValueHalf = (typeof ValueHalf)[keyof typeof ValueHalf];

// One int32 per operand: virtual register 20 bits, fixed register 6, policy 3, role 2.
const VREG_BITS = 20;
export const VREG_MAX = (1 << VREG_BITS) - 1;
// The casts hold because packOperand writes only these values into the bits.
export const vregOf = (operand: number): VirtualRegister => (operand & VREG_MAX) as VirtualRegister;
export const fixedOf = (operand: number): PhysicalRegister =>
  ((operand >> 20) & 63) as PhysicalRegister;
export const policyOf = (operand: number): OperandPolicy => ((operand >> 26) & 7) as OperandPolicy;
export const roleOf = (operand: number): OperandRole => ((operand >> 29) & 3) as OperandRole;
export const packOperand = (
  vreg: VirtualRegister | 0,
  role: OperandRole,
  policy: OperandPolicy,
  fixed = 0,
): number => vreg | (fixed << 20) | (policy << 26) | (role << 29);

// A location after allocation is a register of the unified numbering (general 0..31, vector 32..63)
// or a spill slot: SLOT + offset in 4-byte units from the start of the spill area, which begins with
// the stack arguments of the procedure, in the caller's frame. REMAT + i is a
// third kind: the value has no location, and instruction i, whose row is `rematerializable`,
// computes it again. Only a move has such a source, and it is emitted as that instruction with the
// move's target; no operand has it.
export const VECTOR = 32;
export const SLOT = 64;
export const REMAT = 1 << 24;
export const NOWHERE = -1 as None;
/** Returns the first register of a bank. 0: general; 1: vector. */
export const firstRegisterOf = (bank: number): PhysicalRegister =>
  (VECTOR * bank) as PhysicalRegister;
export const generalRegister = (number: number): PhysicalRegister => number as PhysicalRegister;
export const vectorRegister = (number: number): PhysicalRegister =>
  (VECTOR + number) as PhysicalRegister;
/** Casts a word of an operand or a move to a location, without a check. */
export const locationOfWord = (word: number): Location => word as Location;
export const slotAt = (unit: number): Location => (SLOT + unit) as Location;
export const rematerializedBy = (instruction: Instruction): Location =>
  (REMAT + instruction) as Location;
export const isSlot = (location: number): boolean => location >= SLOT && location < REMAT;
export const isRemat = (location: number): boolean => location >= REMAT;
export const isVector = (location: number): boolean => location >= VECTOR && location < SLOT;
export const isGeneral = (location: number): boolean => location >= 0 && location < VECTOR;

/** The facts of a target's registers that allocators need; masks are of the unified numbering. */
export interface RegisterSet {
  /** Allocatable registers in the order of preference: caller-saved first. */
  readonly general: readonly PhysicalRegister[];
  readonly vector: readonly PhysicalRegister[];
  /** By register: 1 if a call destroys it. */
  readonly callerSaved: Uint8Array;
  /** Never allocated; only moves use them. */
  readonly generalScratch: PhysicalRegister;
  readonly vectorScratch: PhysicalRegister;
}

/** Facts of a LIR opcode that the allocators read; the target's table gives one per row. */
export interface LirFacts {
  readonly name: string;
  /** Destroys every caller-saved register at its output half. */
  readonly isCall: boolean;
  /** Whether it is the last instruction of its block. */
  readonly isTerminator: boolean;
  /**
   * Whether its only operand is a definition in any register, its result is the same everywhere in
   * the procedure, and it changes no flags: a constant, an address in the frame.
   */
  readonly rematerializable: boolean;
  /**
   * Whether a move may apply it again to its use. Its operands are a definition in any register and
   * one use at start, REGISTER or ANY, of the same bank. The result depends only on the use and the
   * immediate. It destroys nothing but the flags, and uses no scratch register.
   */
  readonly derivable: boolean;
}

/** A guard's exit, as lowering records it. */
export interface GuardExit {
  readonly snapshot: Snapshot;
  /** The program's values that the exit needs, constants included (snapshotLeaves). */
  readonly leaves: readonly Value[];
  /**
   * By leaf: index of its KEEPALIVE operand, or of the patchpoint's late use that holds it;
   * CONSTANT_LEAF for a constant; outgoingLeaf for a stack argument of the patchpoint. If a
   * KEEPALIVE's register has another type than the leaf, it is the low half of a value in halves.
   * The next operand is then the high half.
   */
  readonly operands: readonly number[];
}
export const CONSTANT_LEAF = -1;
const FIRST_OUTGOING_LEAF = -2;
/** Returns the operand of a leaf among the outgoing arguments, by its offset there. */
export const outgoingLeaf = (offset: number): number => FIRST_OUTGOING_LEAF - offset;
/** Returns the offset of a leaf among the outgoing arguments; negative for other leaves. */
export const outgoingOf = (operand: number): number => FIRST_OUTGOING_LEAF - operand;

/** The layout of the program's stack slots, in an area of the frame of their own. */
export interface SlotLayout {
  /** By id: the distance from the start of the area down to the slot, in bytes. */
  readonly depths: ReadonlyMap<number, number>;
  /** Size of the area, in bytes. */
  readonly size: number;
  /** Whether some slots share bytes. */
  readonly isShared: boolean;
}
export const NO_SLOTS: SlotLayout = { depths: new Map(), size: 0, isShared: false };

export class Lir {
  // Per instruction.
  opcode = new Int32Array(256);
  operandStart = new Int32Array(257);
  /** Immediate, displacement or condition, depending on the row. */
  immLo = new Int32Array(256);
  immHi = new Int32Array(256);
  /** Index into `guards`, or -1. */
  guard = new Int32Array(256);
  /** Id of the value that the instruction comes from, or -1. */
  origin = new Int32Array(256);
  instructionCount = 0;

  // Per operand. The allocator fills `location`.
  operand = new Int32Array(1024);
  location: IndexArray<Location> = newColumn(1024);
  operandCount = 0;

  /** Type of each virtual register. */
  vregType = new Uint8Array(256);
  /**
   * By virtual register: the one that it renames, itself if it renames none (`redefine`). All names
   * of one root have one location: allocators give a location to the root, whose type is the
   * widest.
   */
  vregRoot: IndexArray<VirtualRegister> = newColumn(256);
  /**
   * By virtual register: the id of its value, -1 if none, and the half of it. With the operands'
   * locations they describe the location of each value; the compiler does not read them.
   */
  vregValue = new Int32Array(256);
  vregHalf = new Uint8Array(256);
  /**
   * By virtual register: 1 if it is a reference. Every call across which it lives has a late use of
   * it, KEEPALIVE as lowering writes it.
   */
  vregIsReference = new Uint8Array(256);
  /**
   * By virtual register: the unit of the caller's stack slot that is its slot, for a stack argument;
   * -1 for others, whose slots the allocator chooses.
   */
  vregArgumentUnit = new Int32Array(256);
  /**
   * Units of four bytes of the stack arguments. They are the first units of the spill area: its
   * other units follow, in the frame of the procedure.
   */
  incomingUnits = 0;
  /** How many virtual registers are references. */
  referenceCount = 0;
  vregCount = 0;

  // Per block, in layout order. Critical edges are split, so the successors of a block with several
  // successors have one predecessor each.
  /** First instruction of block b; block b ends at blockStart[b + 1]. */
  blockStart: IndexArray<Instruction> = newColumn(65);
  /** Slices of `edges`: successors of block b. */
  successorStart = new Int32Array(65);
  successors: IndexArray<Block> = newColumn(128);
  /** Slices of `phis`: virtual registers defined at the block's start. */
  phiStart = new Int32Array(65);
  phis: IndexArray<VirtualRegister> = newColumn(64);
  /**
   * Slices of `phiInputs`: at the end of block b, for each Phi of its only successor, the register
   * moved to it.
   */
  phiInputStart = new Int32Array(65);
  phiInputs: IndexArray<VirtualRegister> = newColumn(64);
  blockCount = 0;

  guards: GuardExit[] = [];
  /** Cases of each Switch, in the order of the block's successors; the instruction has the index. */
  switches: SwitchCases[] = [];
  /** Patchpoints in order, for the emission of their code; the instruction has the index. */
  patchpoints: Value[] = [];
  /** The largest size of a call's stack arguments, in bytes. */
  outgoingSize = 0;
  slotPlaces = NO_SLOTS;

  reset(): void {
    this.instructionCount = 0;
    this.operandCount = 0;
    this.vregCount = 0;
    this.referenceCount = 0;
    this.incomingUnits = 0;
    this.blockCount = 0;
    this.guards = [];
    this.switches = [];
    this.patchpoints = [];
    this.outgoingSize = 0;
    this.slotPlaces = NO_SLOTS;
    this.operandStart[0] = 0;
    this.blockStart[0] = FIRST_INSTRUCTION;
    this.successorStart[0] = 0;
    this.phiStart[0] = 0;
    this.phiInputStart[0] = 0;
  }

  newVreg(type: Type): VirtualRegister {
    const vreg = this.vregCount++ as VirtualRegister;
    if (vreg === this.vregType.length) {
      this.vregType = widen8(this.vregType);
      this.vregRoot = widenColumn(this.vregRoot);
      this.vregValue = widen(this.vregValue);
      this.vregHalf = widen8(this.vregHalf);
      this.vregIsReference = widen8(this.vregIsReference);
      this.vregArgumentUnit = widen(this.vregArgumentUnit);
    }
    this.vregType[vreg] = type;
    this.vregRoot[vreg] = vreg;
    this.vregValue[vreg] = -1;
    this.vregHalf[vreg] = ValueHalf.Whole;
    this.vregIsReference[vreg] = 0;
    this.vregArgumentUnit[vreg] = -1;
    return vreg;
  }

  typeOf(vreg: number): Type {
    return typeOfWord(this.vregType[vreg]);
  }

  holdHalf(vreg: VirtualRegister, value: number, half: ValueHalf): void {
    this.vregValue[vreg] = value;
    this.vregHalf[vreg] = half;
  }

  markReference(vreg: VirtualRegister): void {
    if (this.vregIsReference[vreg] === 1) return;
    this.vregIsReference[vreg] = 1;
    this.referenceCount++;
  }

  /** Records that a definition of policy Redefined is `use` under another name. */
  redefine(vreg: VirtualRegister, use: VirtualRegister): void {
    this.vregRoot[vreg] = this.vregRoot[use];
  }

  /** Adds an operand to the instruction that `endInstruction` will end; returns its index. */
  addOperand(word: number): number {
    const index = this.operandCount++;
    if (index === this.operand.length) {
      this.operand = widen(this.operand);
      this.location = widenColumn(this.location);
    }
    this.operand[index] = word;
    this.location[index] = NOWHERE;
    return index;
  }

  /** Ends an instruction with the operands added since the last one; returns its index. */
  endInstruction(opcode: number, immLo: number, immHi: number, origin: number): Instruction {
    const index = this.instructionCount++ as Instruction;
    if (index === this.opcode.length) {
      this.opcode = widen(this.opcode);
      this.operandStart = widen(this.operandStart);
      this.immLo = widen(this.immLo);
      this.immHi = widen(this.immHi);
      this.guard = widen(this.guard);
      this.origin = widen(this.origin);
    }
    this.opcode[index] = opcode;
    this.immLo[index] = immLo;
    this.immHi[index] = immHi;
    this.guard[index] = -1;
    this.origin[index] = origin;
    this.operandStart[index + 1] = this.operandCount;
    return index;
  }

  /**
   * Returns the temp that has the register of a copied use: the first of policy Copy after operand
   * `o`.
   */
  copyTemp(o: number): number {
    let temp = o + 1;
    while (
      roleOf(this.operand[temp]) !== OperandRole.Temp ||
      policyOf(this.operand[temp]) !== OperandPolicy.Copy
    )
      temp++;
    return temp;
  }

  addSuccessor(block: Block): void {
    const at = this.successorStart[this.blockCount + 1]++;
    if (at === this.successors.length) this.successors = widenColumn(this.successors);
    this.successors[at] = block;
  }

  addPhi(vreg: VirtualRegister): void {
    const at = this.phiStart[this.blockCount + 1]++;
    if (at === this.phis.length) this.phis = widenColumn(this.phis);
    this.phis[at] = vreg;
  }

  addPhiInput(vreg: VirtualRegister): void {
    const at = this.phiInputStart[this.blockCount + 1]++;
    if (at === this.phiInputs.length) this.phiInputs = widenColumn(this.phiInputs);
    this.phiInputs[at] = vreg;
  }

  /** Opens the next block; its instructions, successors, Phis and Phi inputs follow. */
  beginBlock(): void {
    const b = this.blockCount;
    if (b + 2 > this.blockStart.length) {
      this.blockStart = widenColumn(this.blockStart);
      this.successorStart = widen(this.successorStart);
      this.phiStart = widen(this.phiStart);
      this.phiInputStart = widen(this.phiInputStart);
    }
    this.blockStart[b] = this.nextInstruction;
    this.successorStart[b + 1] = this.successorStart[b];
    this.phiStart[b + 1] = this.phiStart[b];
    this.phiInputStart[b + 1] = this.phiInputStart[b];
  }

  endBlock(): void {
    this.blockCount++;
    this.blockStart[this.blockCount] = this.nextInstruction;
  }

  // Loops that descend begin with these; `--` keeps the kind.
  get lastVreg(): VirtualRegister {
    return (this.vregCount - 1) as VirtualRegister;
  }
  get lastBlock(): Block {
    return (this.blockCount - 1) as Block;
  }

  terminatorOf(block: number): Instruction {
    return indexBefore(this.blockStart[block + 1]);
  }

  /** The instruction that `endInstruction` will end. */
  get nextInstruction(): Instruction {
    return this.instructionCount as Instruction;
  }
}

function widen(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

function widen8(array: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(array.length * 2);
  larger.set(array);
  return larger;
}

function widenColumn<Element extends number>(column: IndexArray<Element>): IndexArray<Element> {
  const larger = newColumn<Element>(column.length * 2);
  larger.set(column);
  return larger;
}
