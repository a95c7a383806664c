// Records where virtual registers are on entry to each block, as the one-pass allocator has found
// or decided.
//
// For a block that was walked, it is the state that the walk reached. The walk reaches the head of
// a loop last, so its entry state is decided at the first back edge that the walk passes. The
// values that the loop uses are in registers, most used first. They stay there around the loop if
// the walk finds nothing better.
//
// 1. Only values defined before the head, and its Phis: they dominate all edges to the head. This
//    holds for uses in the loop, and for the values that its exits have in registers, if the head
//    dominates the loop. So at the head of an irreducible loop every value is in its slot. The same
//    holds at any other block that the walk reaches by an edge before it has walked it.
// 2. Registers that nothing in the loop writes come first.
// 3. A value that only the exits use gets a register only if many are left.

import {
  type Block,
  type Doubles,
  FIRST_BLOCK,
  type Index,
  type IndexArray,
  type IndexFlags,
  newColumn,
  newDoubles,
  newFlags,
  type PhysicalRegister,
  type VirtualRegister,
} from "../../lir/indices.js";
import { type Lir, NOWHERE } from "../../lir/lir.js";
import { NONE, sized, widen } from "../arenas.js";
import { EVENT } from "../events.js";
import { countBits } from "../room.js";
import { firstOf, type Home, homeOf, isHome, type RegisterContents } from "./holdings.js";
import type { VregReferences } from "./references.js";
import type { WalkOrder } from "./walk-order.js";

/** Registers of a bank that are left for values computed in a loop. */
const RESERVED = 2;
/** Registers that must be left after those given to values that the loop does not use. */
const RESERVED_FROM_UNUSED = 4;

/** An edge that leaves a loop. */
type Exit = Index<"Exit">;

export class LoopEntries {
  /** By block: 1 if it was walked or decided. */
  isKnown: IndexFlags<Block> = newFlags(64);
  /** By block: the slice of its entries in `vreg` and `register`, without its Phis. */
  first: IndexArray<number, Block> = newColumn(64);
  end: IndexArray<number, Block> = newColumn(64);
  vreg: IndexArray<VirtualRegister> = newColumn(256);
  register: IndexArray<PhysicalRegister> = newColumn(256);
  private count = 0;
  /** By index in `lir.phis`: the location to which the edges move it; NOWHERE if it has no use. */
  phiAt: IndexArray<PhysicalRegister | Home> = newColumn(64);

  // By head of a loop: a list of the targets of its exits.
  private firstExit: IndexArray<Exit, Block> = newColumn(64);
  private exitTo: IndexArray<Block, Exit> = newColumn(64);
  private exitNext: IndexArray<Exit, Exit> = newColumn(64);
  private exitCount = 0;

  private candidates: IndexArray<VirtualRegister> = newColumn(64);
  private candidateCount = 0;
  /** By virtual register: the weight of its uses in the loop; 0 except for candidates. */
  private weight: Doubles<VirtualRegister> = newDoubles(128);
  /** By bank: the registers given at the current head. */
  private readonly given = new Int32Array(2);

  private readonly walk: WalkOrder;
  private readonly references: VregReferences;
  private readonly held: RegisterContents;

  constructor(walk: WalkOrder, references: VregReferences, held: RegisterContents) {
    this.walk = walk;
    this.references = references;
    this.held = held;
  }

  reset(lir: Lir): void {
    const { blockCount, vregCount } = lir;
    if (this.first.length < blockCount) {
      this.first = sized(this.first, blockCount);
      this.end = sized(this.end, blockCount);
      this.firstExit = sized(this.firstExit, blockCount);
      this.isKnown = newFlags(this.first.length);
    }
    if (this.phiAt.length < lir.phiStart[blockCount]) {
      this.phiAt = sized(this.phiAt, lir.phiStart[blockCount]);
    }
    if (this.weight.length < vregCount) this.weight = newDoubles(2 * vregCount);
    this.isKnown.fill(0, 0, blockCount);
    this.count = 0;
    this.exitCount = 0;
    if (this.walk.hasRetreats) this.collectExits(lir);
  }

  /** Opens the list of a block; `add` follows. */
  open(b: Block): void {
    this.isKnown[b] = 1;
    this.first[b] = this.count;
    this.end[b] = this.count;
  }

  add(b: Block, vreg: VirtualRegister, register: PhysicalRegister): void {
    if (this.count === this.vreg.length) {
      this.vreg = widen(this.vreg);
      this.register = widen(this.register);
    }
    this.vreg[this.count] = vreg;
    this.register[this.count++] = register;
    this.end[b] = this.count;
  }

  /** Decides which values are in registers at a block that the walk has not reached. */
  decide(lir: Lir, head: Block, events: Int32Array): void {
    const { weights } = this.walk;
    this.open(head);
    for (let k = lir.phiStart[head]; k < lir.phiStart[head + 1]; k++) {
      this.phiAt[k] = this.isUsed(lir.phis[k]) ? homeOf(lir.phis[k]) : NOWHERE;
    }
    if (weights.head[head] === head && weights.isIrreducible[head] === 0) {
      this.collectCandidates(lir, head);
      this.given.fill(0);
      for (let bank = 0; bank < 2; bank++) this.giveRegisters(lir, head, bank, events);
      for (let c = 0; c < this.candidateCount; c++) this.weight[this.candidates[c]] = 0;
    }
    for (let k = lir.phiStart[head]; k < lir.phiStart[head + 1]; k++) {
      if (isHome(this.phiAt[k])) this.held.inMemory[lir.phis[k]] = 1;
    }
  }

  private isUsed(vreg: VirtualRegister): boolean {
    return this.references.end[vreg] > this.references.defined[vreg];
  }

  private collectExits(lir: Lir): void {
    const { weights } = this.walk;
    this.firstExit.fill(NONE, 0, lir.blockCount);
    for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
      if (weights.head[b] === NONE) continue;
      for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
        const to = lir.successors[e];
        let loop = weights.head[b];
        while (loop !== NONE && !weights.isInside(to, loop)) {
          this.addExit(loop, to);
          loop = weights.outer[loop];
        }
      }
    }
  }

  private addExit(loop: Block, to: Block): void {
    const x = this.exitCount++ as Exit;
    if (x === this.exitTo.length) {
      this.exitTo = widen(this.exitTo);
      this.exitNext = widen(this.exitNext);
    }
    this.exitTo[x] = to;
    this.exitNext[x] = this.firstExit[loop];
    this.firstExit[loop] = x;
  }

  private collectCandidates(lir: Lir, head: Block): void {
    const { references } = this;
    this.candidateCount = 0;
    for (let k = lir.phiStart[head]; k < lir.phiStart[head + 1]; k++) {
      if (this.isUsed(lir.phis[k])) this.consider(lir.phis[k], 1);
    }
    for (let u = references.firstUse[head]; u !== NONE; u = references.useNext[u]) {
      this.consider(references.useVreg[u], references.useWeight[u]);
    }
    for (let x = this.firstExit[head]; x !== NONE; x = this.exitNext[x]) {
      const to = this.exitTo[x];
      if (this.isKnown[to] === 0) continue;
      for (let k = this.first[to]; k < this.end[to]; k++) {
        const vreg = this.vreg[k];
        if (references.defined[vreg] < this.walk.start[head]) this.consider(vreg, UNUSED);
      }
    }
  }

  private consider(vreg: VirtualRegister, weight: number): void {
    if (this.weight[vreg] === 0) {
      if (this.candidateCount === this.candidates.length) this.candidates = widen(this.candidates);
      this.candidates[this.candidateCount++] = vreg;
    }
    this.weight[vreg] += weight;
  }

  /** Gives registers to candidates, and then makes their weights negative. */
  private giveRegisters(lir: Lir, head: Block, bank: number, events: Int32Array): void {
    const { candidates, weight, held } = this;
    const capacity = countBits(held.allocatable[bank]);
    let unused = 0;
    for (let c = 0; c < this.candidateCount; c++) {
      if (weight[candidates[c]] < 1 && held.bankOf(candidates[c]) === bank) unused++;
    }
    let given = 0;
    for (; given < capacity - RESERVED; given++) {
      const vreg = this.heaviest(bank);
      if (vreg === NONE) break;
      this.give(lir, head, vreg, bank);
      events[EVENT["kept-round-loop"]]++;
    }
    const isRoomy = given + unused <= capacity - RESERVED_FROM_UNUSED;
    for (let c = 0; c < this.candidateCount; c++) {
      const vreg = candidates[c];
      if (weight[vreg] <= 0 || held.bankOf(vreg) !== bank) continue;
      if (isRoomy) {
        this.give(lir, head, vreg, bank);
        events[EVENT["kept-through-loop"]]++;
      } else {
        if (this.references.remat[vreg] === NONE) held.inMemory[vreg] = 1;
        events[EVENT["home-at-loop"]]++;
      }
    }
  }

  /**
   * Returns the candidate with the most uses in the loop; NONE if no candidate is left with a use
   * there.
   */
  private heaviest(bank: number): VirtualRegister {
    const { candidates, weight, held } = this;
    let best: VirtualRegister = NONE;
    let most = 0.5;
    for (let c = 0; c < this.candidateCount; c++) {
      const vreg = candidates[c];
      if (weight[vreg] <= most || held.bankOf(vreg) !== bank) continue;
      best = vreg;
      most = weight[vreg];
    }
    return best;
  }

  private give(lir: Lir, head: Block, vreg: VirtualRegister, bank: number): void {
    const register = this.choose(head, vreg, bank);
    this.given[bank] |= 1 << register;
    this.weight[vreg] = -1;
    if (this.references.defined[vreg] < this.walk.start[head]) {
      this.add(head, vreg, register);
      return;
    }
    let k = lir.phiStart[head];
    while (lir.phis[k] !== vreg) k++;
    this.phiAt[k] = register;
    // so that the value of the next iteration may get the same register
    this.references.hint[vreg] = register;
  }

  private choose(head: Block, vreg: VirtualRegister, bank: number): PhysicalRegister {
    const { references, held } = this;
    const hint = references.hint[vreg];
    const all = held.allocatable[bank] & ~this.given[bank];
    const destroyed = bank === 0 ? references.destroyedGeneral : references.destroyedVector;
    const kept = all & ~destroyed[head];
    const free = kept === 0 ? all : kept;
    if (hint !== NOWHERE && hint >> 5 === bank && (free & (1 << hint)) !== 0) return hint;
    const cheap = free & (held.callerSaved[bank] | held.used[bank]);
    return firstOf(cheap === 0 ? free : cheap, bank);
  }
}

/** The weight of a value that a loop does not use: less than any use, however often it is found. */
const UNUSED = 2 ** -20;
