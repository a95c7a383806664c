// Collects facts for the one-pass allocator before it walks: one forward pass over the operands, in
// the order of walk-order.ts, without liveness.
//
// 1. Positions are those of walk-order.ts. `next` is the position at which the walk reaches a
//    virtual register again: at first its last reference, then `previous` of the operand just
//    passed. Snapshot uses are no references: they are never a reason to keep a value in a
//    register.
// 2. `barrier` is by register the last position at which a fixed operand takes it; entry CALL is
//    the last call. The walk restores earlier entries as it passes them.
// 3. Each loop has a list of the uses whose virtual registers come from outside, its own Phis
//    included. A use in a deeper loop counts as often as that loop runs. A use is recorded in at
//    most LEVELS_MAX loops.
// 4. All names of one root (`Lir.vregRoot`) are the root.
// 5. All fields are hints that may only influence what goes to memory, and where. The exceptions
//    are `remat`, `defined`, and `end`: the last position at which a virtual register is used,
//    snapshots and Phi inputs included.

import {
  type Block,
  type Index,
  type IndexArray,
  type Instruction,
  newColumn,
  type PhysicalRegister,
  type VirtualRegister,
} from "../../lir/indices.js";
import {
  fixedOf,
  type Lir,
  type LirFacts,
  NOWHERE,
  OperandPolicy,
  OperandRole,
  policyOf,
  type RegisterSet,
  roleOf,
  SLOT,
  VECTOR,
  vregOf,
} from "../../lir/lir.js";
import { NONE, sizeColumns, sized, widen } from "../arenas.js";
import { TRIPS } from "../block-weights.js";
import { destroyedMask } from "../room.js";
import type { WalkOrder, WalkPosition } from "./walk-order.js";

/** The entry of `barrier` for calls: after all registers. */
export const CALL = SLOT as PhysicalRegister;
/** A use in a loop, of a virtual register from outside. */
type LoopUse = Index<"LoopUse">;
/** The largest weight of a use in a deep nest. */
const USE_WEIGHT_MAX = TRIPS ** 4;
/**
 * The maximum number of loops in which a use is recorded. Without it the cost would be quadratic in
 * the depth of a nest.
 */
const LEVELS_MAX = 64;

export class VregReferences {
  // The following arrays are indexed by virtual register.
  defined: IndexArray<WalkPosition, VirtualRegister> = newColumn(128);
  next: IndexArray<WalkPosition, VirtualRegister> = newColumn(128);
  end: IndexArray<WalkPosition, VirtualRegister> = newColumn(128);
  /**
   * A hint: the register that its definition is fixed to, or NOWHERE; later the register that it
   * held last.
   */
  hint: IndexArray<PhysicalRegister, VirtualRegister> = newColumn(128);
  /** The instruction that rematerializes it at each use, or NONE. */
  remat: IndexArray<Instruction, VirtualRegister> = newColumn(128);
  /** By operand that is a use: the position of the previous reference. */
  previous: IndexArray<WalkPosition> = newColumn(512);
  readonly barrier: IndexArray<WalkPosition, PhysicalRegister> = newColumn(CALL + 1);
  /** By bank: the registers that calls destroy. */
  readonly calls = new Int32Array(2);

  // By block that is the head of a loop: a list of uses, and the registers that the loop destroys.
  firstUse: IndexArray<LoopUse, Block> = newColumn(64);
  destroyedGeneral: IndexArray<number, Block> = newColumn(64);
  destroyedVector: IndexArray<number, Block> = newColumn(64);
  useVreg: IndexArray<VirtualRegister, LoopUse> = newColumn(64);
  useWeight: IndexArray<number, LoopUse> = newColumn(64);
  useNext: IndexArray<LoopUse, LoopUse> = newColumn(64);
  private useCount = 0;
  /** The number of uses that are not recorded in all loops around them. */
  unnoted = 0;

  // The overwritten entries of `barrier`, in the order of positions.
  private fixedAt: IndexArray<WalkPosition> = newColumn(64);
  private fixedRegister: IndexArray<PhysicalRegister> = newColumn(64);
  private fixedBefore: IndexArray<WalkPosition> = newColumn(64);
  private fixedCount = 0;

  private readonly walk: WalkOrder;

  constructor(walk: WalkOrder) {
    this.walk = walk;
  }

  collect(lir: Lir, rows: readonly LirFacts[], registers: RegisterSet): void {
    this.reset(lir);
    this.calls[0] = destroyedMask(registers.callerSaved, 0);
    this.calls[1] = destroyedMask(registers.callerSaved, VECTOR);
    const { walk } = this;
    for (let k = 0; k < walk.count; k++) {
      const b = walk.order[k];
      const loop = walk.hasRetreats ? walk.weights.head[b] : NONE;
      const start = walk.start[b];
      for (let p = lir.phiStart[b]; p < lir.phiStart[b + 1]; p++) {
        this.define(lir.phis[p], start);
      }
      for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
        const position = walk.positionOf(lir, b, i);
        if (rows[lir.opcode[i]].isCall) this.fix(CALL, position, loop);
        this.scan(lir, i, position, loop);
        if (rows[lir.opcode[i]].rematerializable) {
          this.remat[vregOf(lir.operand[lir.operandStart[i]])] = i;
        }
      }
    }
    if (walk.hasRetreats) this.spreadDestroyed();
    for (let k = 0; k < walk.count; k++) this.endPhiInputs(lir, walk.order[k]);
  }

  /** Undoes the entries of `barrier` that were made at `position` or after. */
  retreatTo(position: WalkPosition): void {
    while (this.fixedCount > 0 && this.fixedAt[this.fixedCount - 1] >= position) {
      const f = --this.fixedCount;
      this.barrier[this.fixedRegister[f]] = this.fixedBefore[f];
    }
  }

  private reset(lir: Lir): void {
    const { vregCount, blockCount, operandCount } = lir;
    if (this.defined.length < vregCount) {
      sizeColumns(this, BY_VREG, vregCount);
    }
    if (this.previous.length < operandCount) this.previous = sized(this.previous, operandCount);
    if (this.firstUse.length < blockCount) {
      sizeColumns(this, BY_BLOCK, blockCount);
    }
    this.barrier.fill(NONE);
    this.fixedCount = 0;
    this.useCount = 0;
    this.unnoted = 0;
    if (!this.walk.hasRetreats) return;
    this.firstUse.fill(NONE, 0, blockCount);
    this.destroyedGeneral.fill(0, 0, blockCount);
    this.destroyedVector.fill(0, 0, blockCount);
  }

  private scan(lir: Lir, i: Instruction, position: WalkPosition, loop: Block): void {
    const { operand, operandStart, vregRoot } = lir;
    const { next } = this;
    for (let o = operandStart[i]; o < operandStart[i + 1]; o++) {
      const word = operand[o];
      const vreg = vregRoot[vregOf(word)];
      const role = roleOf(word);
      const policy = policyOf(word);
      if (role >= OperandRole.Definition) {
        if (policy === OperandPolicy.Redefined) {
          // a redefinition reads its register, and a rematerialized value has none
          this.remat[vreg] = NONE;
          continue;
        }
        this.define(vreg, position);
        if (policy !== OperandPolicy.Fixed) continue;
        if (role === OperandRole.Definition) this.hint[vreg] = fixedOf(word);
      } else if (policy === OperandPolicy.KeepAlive) {
        this.end[vreg] = position;
        continue;
      } else {
        this.previous[o] = next[vreg];
        next[vreg] = position;
        this.end[vreg] = position;
        if (loop !== NONE) this.noteUse(vreg, loop);
      }
      if (policy === OperandPolicy.Fixed) this.fix(fixedOf(word), position, loop);
    }
  }

  private define(vreg: VirtualRegister, position: WalkPosition): void {
    this.defined[vreg] = position;
    this.next[vreg] = position;
    this.end[vreg] = position;
    this.hint[vreg] = NOWHERE;
    this.remat[vreg] = NONE;
  }

  private fix(register: PhysicalRegister, position: WalkPosition, loop: Block): void {
    const { barrier } = this;
    if (loop !== NONE) this.destroy(register, loop);
    if (barrier[register] === position) return;
    const f = this.fixedCount++;
    if (f === this.fixedAt.length) {
      this.fixedAt = widen(this.fixedAt);
      this.fixedRegister = widen(this.fixedRegister);
      this.fixedBefore = widen(this.fixedBefore);
    }
    this.fixedAt[f] = position;
    this.fixedRegister[f] = register;
    this.fixedBefore[f] = barrier[register];
    barrier[register] = position;
  }

  private destroy(register: PhysicalRegister, loop: Block): void {
    if (register === CALL) {
      this.destroyedGeneral[loop] |= this.calls[0];
      this.destroyedVector[loop] |= this.calls[1];
    } else if (register < VECTOR) this.destroyedGeneral[loop] |= 1 << register;
    else this.destroyedVector[loop] |= 1 << register;
  }

  private noteUse(vreg: VirtualRegister, innermost: Block): void {
    const { walk } = this;
    const { outer } = walk.weights;
    let weight = 1;
    let levels = 0;
    for (let loop = innermost; loop !== NONE; loop = outer[loop]) {
      if (this.defined[vreg] > walk.start[loop]) return;
      if (levels++ === LEVELS_MAX) {
        this.unnoted++;
        return;
      }
      const u = this.useCount++ as LoopUse;
      if (u === this.useVreg.length) {
        this.useVreg = widen(this.useVreg);
        this.useWeight = widen(this.useWeight);
        this.useNext = widen(this.useNext);
      }
      this.useVreg[u] = vreg;
      this.useWeight[u] = weight;
      this.useNext[u] = this.firstUse[loop];
      this.firstUse[loop] = u;
      if (weight < USE_WEIGHT_MAX) weight *= TRIPS;
    }
  }

  /** Adds the registers that a loop destroys to those of the loops around it. */
  private spreadDestroyed(): void {
    const { walk, destroyedGeneral, destroyedVector } = this;
    const { head, outer } = walk.weights;
    for (let k = walk.count - 1; k >= 0; k--) {
      const b = walk.order[k];
      if (head[b] !== b || outer[b] === NONE) continue;
      destroyedGeneral[outer[b]] |= destroyedGeneral[b];
      destroyedVector[outer[b]] |= destroyedVector[b];
    }
  }

  private endPhiInputs(lir: Lir, b: Block): void {
    const at = this.walk.positionOf(lir, b, lir.terminatorOf(b));
    for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
      const input = lir.vregRoot[lir.phiInputs[k]];
      if (this.end[input] < at) this.end[input] = at;
    }
  }
}

const BY_VREG = ["defined", "next", "end", "hint", "remat"] as const;
const BY_BLOCK = ["firstUse", "destroyedGeneral", "destroyedVector"] as const;
