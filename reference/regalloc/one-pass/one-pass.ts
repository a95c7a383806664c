// Allocates registers in one reverse pass, after LuaJIT (lj_asm.c) and Nanojit (Assembler.cpp), for
// any control flow. It walks backward and gives each value a register at its last use, which it
// reaches first.
//
// Input:  LIR without critical edges. A terminator has no definitions; one with a single successor
//         no operands.
// Output: locations and moves. There are no intervals, and there is no liveness: the values that
//         the walk holds are live, and in a register.
//
// 1. Blocks are walked in descending order (walk-order.ts), so the successors of a block were
//    walked before, except in loops. A block starts from the states of its successors, or from the
//    state decided at the head of a loop (loop-entries.ts). So an edge to a block with several
//    predecessors needs moves only for Phis.
// 2. If there are several successors, each has this predecessor only. The successor in the deepest
//    loop decides; the others begin with moves.
// 3. A value that loses its register is in its home slot before that position, and is loaded after
//    it; or it is rematerialized there. A value that is ever in a slot is stored once, after its
//    definition. A Phi is stored by its edges if it has no register at its block, and in its block
//    otherwise.
// 4. All moves between two instructions are one group, AfterDefinition. The exceptions are the
//    moves of an edge before a jump (Resolve) and copies of inputs to demanded locations
//    (BeforeUse). So the walk makes moves in descending order.
// 5. The time is linear in operands and moves, times the nesting of loops, plus the values that
//    each loop keeps.

import {
  type Block,
  FIRST_BLOCK,
  type IndexArray,
  type Instruction,
  type Location,
  newColumn,
  type PhysicalRegister,
  type VirtualRegister,
} from "../../lir/indices.js";
import type { Lir, LirFacts, RegisterSet } from "../../lir/lir.js";
import { NOWHERE } from "../../lir/lir.js";
import { type Allocation, gapOf, MOVE_STRIDE, MoveOrder, orderOf } from "../allocation.js";
import type { AllocatorFactory } from "../allocator.js";
import { NONE, sized } from "../arenas.js";
import { EVENT } from "../events.js";
import {
  firstOf,
  homeOf,
  isHome,
  type MoveLocation,
  MoveLog,
  RegisterContents,
  vregOfHome,
} from "./holdings.js";
import { HomeSlots } from "./home-slots.js";
import { LoopEntries } from "./loop-entries.js";
import { InstructionAllocator } from "./one-pass-instruction.js";
import { VregReferences } from "./references.js";
import { WalkOrder } from "./walk-order.js";

/** The reason of a decision, for the trace. */
const AS_SUCCESSOR = "a successor has it there";

/** Makes a one-pass allocator with arenas of its own. */
export const newOnePass: AllocatorFactory = () => {
  const onePass = new OnePassAllocator();
  return (lir, rows, registers, allocation) => onePass.allocate(lir, rows, registers, allocation);
};

class OnePassAllocator {
  private readonly walk = new WalkOrder();
  private readonly references = new VregReferences(this.walk);
  private readonly held = new RegisterContents(this.references);
  private readonly entries = new LoopEntries(this.walk, this.references, this.held);
  private readonly step = new InstructionAllocator(this.held, this.references);
  private readonly slots = new HomeSlots();

  // By block: its slice of the walk's moves, which are in descending order.
  private firstMove: IndexArray<number, Block> = newColumn(64);
  private endMove: IndexArray<number, Block> = newColumn(64);
  /** By block: its slice of the moves of the edge that enters it. */
  private firstEdgeMove: IndexArray<number, Block> = newColumn(64);
  private endEdgeMove: IndexArray<number, Block> = newColumn(64);
  private readonly edgeMoves = new MoveLog();
  /**
   * By virtual register, at a head of a loop: the register to which the edges move it, or NOWHERE.
   */
  private arrivesAt: IndexArray<PhysicalRegister, VirtualRegister> = newColumn<
    PhysicalRegister,
    VirtualRegister
  >(128).fill(NOWHERE);
  private events: Int32Array<ArrayBuffer> = new Int32Array(0);

  allocate(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): void {
    const { walk, references, held, entries, step, slots } = this;
    allocation.reset();
    walk.compute(lir);
    references.collect(lir, rows, registers);
    allocation.events[EVENT["unnoted-uses"]] += references.unnoted;
    held.reset(lir, registers, allocation);
    step.reset(lir);
    entries.reset(lir);
    this.run(lir, rows, allocation.events);
    allocation.spillUnits = slots.assign(lir, walk, references, step.spilled, step.spilledCount);
    held.placeSlots(lir, slots.locationOf);
    step.finish(lir);
    this.writeMoves(lir, allocation);
    for (let bank = 0; bank < 2; bank++) {
      for (let bits = held.used[bank]; bits !== 0; bits &= bits - 1) {
        allocation.usedRegisters[firstOf(bits, bank)] = 1;
      }
    }
  }

  private run(lir: Lir, rows: readonly LirFacts[], events: Int32Array<ArrayBuffer>): void {
    this.reset(lir);
    this.events = events;
    for (let k = this.walk.count - 1; k >= 0; k--) {
      const b = this.walk.order[k];
      const first = lir.blockStart[b];
      const last = lir.terminatorOf(b);
      this.firstMove[b] = this.held.moves.size;
      const isJump = lir.successorStart[b + 1] - lir.successorStart[b] === 1;
      if (isJump) this.leaveByJump(lir, b, last);
      else this.joinSuccessors(lir, b);
      for (let i = last; i >= first; i--) {
        if (i === last && isJump) continue;
        this.held.isAtExit = i === last;
        this.step.run(lir, i, this.walk.positionOf(lir, b, i), rows[lir.opcode[i]].isCall);
        if (i === last) this.loadForSuccessors(lir, b);
      }
      if (this.entries.isKnown[b] === 1) this.enterDecided(lir, b, first);
      else this.enter(lir, b, first);
      this.held.releaseAll();
      this.endMove[b] = this.held.moves.size;
    }
  }

  private reset({ blockCount, vregCount }: Lir): void {
    if (this.firstMove.length < blockCount) {
      this.firstMove = sized(this.firstMove, blockCount);
      this.endMove = sized(this.endMove, blockCount);
      this.firstEdgeMove = sized(this.firstEdgeMove, blockCount);
      this.endEdgeMove = sized(this.endEdgeMove, blockCount);
    }
    this.firstMove.fill(0, 0, blockCount);
    this.endMove.fill(0, 0, blockCount);
    this.firstEdgeMove.fill(0, 0, blockCount);
    this.endEdgeMove.fill(0, 0, blockCount);
    if (this.arrivesAt.length < vregCount) {
      this.arrivesAt = sized(this.arrivesAt, vregCount).fill(NOWHERE);
    }
    this.edgeMoves.size = 0;
  }

  // --- the end of a block ---

  /** Starts from the entry state of the only successor, and adds the moves to its Phis. */
  private leaveByJump(lir: Lir, b: Block, last: Instruction): void {
    const to = lir.successors[lir.successorStart[b]];
    if (this.entries.isKnown[to] === 0) this.entries.decide(lir, to, this.events);
    for (let k = this.entries.first[to]; k < this.entries.end[to]; k++) {
      this.held.hold(this.entries.vreg[k], this.entries.register[k], AS_SUCCESSOR);
    }
    this.held.begin(last, this.walk.positionOf(lir, b, last));
    const toPhi = lir.phiStart[to] - lir.phiInputStart[b];
    for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
      const target = this.entries.phiAt[k + toPhi];
      const input = lir.vregRoot[lir.phiInputs[k]];
      if (target !== NOWHERE && !isHome(target) && this.held.registerOf[input] === NOWHERE) {
        this.held.hold(input, target, "the Phi has this register");
      }
    }
    for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
      const target = this.entries.phiAt[k + toPhi];
      if (target !== NOWHERE) this.moveToPhi(lir, last, k, lir.phis[k + toPhi], target);
    }
  }

  private moveToPhi(
    lir: Lir,
    last: Instruction,
    k: number,
    phi: VirtualRegister,
    target: MoveLocation,
  ): void {
    const input = lir.vregRoot[lir.phiInputs[k]];
    let register = this.held.registerOf[input];
    if (register === NOWHERE) {
      const bank = this.held.bankOf(input);
      const free = this.held.free(bank, 0);
      register = this.held.pick(
        input,
        bank,
        free & (this.held.callerSaved[bank] | this.held.used[bank]),
      );
      if (register !== NOWHERE) this.held.hold(input, register, "a move copies it to a Phi");
    }
    const source = register === NOWHERE ? this.held.home(input) : register;
    if (isHome(target)) this.events[EVENT["home-at-edge"]]++;
    if (source !== target) this.held.move(last, MoveOrder.Resolve, phi, source, target);
  }

  /** Starts from the entry states of the successors, as far as they agree. */
  private joinSuccessors(lir: Lir, b: Block): void {
    const { depth } = this.walk.weights;
    const first = lir.successorStart[b];
    const end = lir.successorStart[b + 1];
    for (let e = first; e < end; e++) {
      const to = lir.successors[e];
      if (!this.walk.hasRetreats || depth[to] >= depth[b]) this.join(to, false);
    }
    if (!this.walk.hasRetreats) return;
    for (let e = first; e < end; e++) {
      const to = lir.successors[e];
      if (depth[to] < depth[b]) this.join(to, true);
    }
  }

  /**
   * Takes over the entry state of successor `to`, where it is compatible with the current one.
   *
   * @param isExit whether it runs less often: a value that is in memory anyway is loaded there
   */
  private join(to: Block, isExit: boolean): void {
    for (let k = this.entries.first[to]; k < this.entries.end[to]; k++) {
      const vreg = this.entries.vreg[k];
      const register = this.entries.register[k];
      if (this.held.registerOf[vreg] !== NOWHERE) continue;
      if (isExit && this.held.inMemory[vreg] === 1) continue;
      if (this.held.holder[register] === NONE) this.held.hold(vreg, register, AS_SUCCESSOR);
      else {
        const bank = register >> 5;
        const other = this.held.pick(vreg, bank, this.held.free(bank, 0));
        if (other !== NOWHERE) this.held.hold(vreg, other, "a successor has it in a register");
      }
    }
  }

  /**
   * Adds moves to the start of each successor that has a value in another register than this
   * block's end.
   */
  private loadForSuccessors(lir: Lir, b: Block): void {
    for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
      const to = lir.successors[e];
      this.firstEdgeMove[to] = this.edgeMoves.size;
      for (let k = this.entries.first[to]; k < this.entries.end[to]; k++) {
        const vreg = this.entries.vreg[k];
        const target = this.entries.register[k];
        const register = this.held.registerOf[vreg];
        const source = register === NOWHERE ? this.held.home(vreg) : register;
        if (register === NOWHERE) this.events[EVENT["loaded-at-edge"]]++;
        else this.held.harden(register);
        if (source === target) continue;
        const gap = lir.blockStart[to];
        const type = lir.vregType[vreg];
        this.edgeMoves.add(gap, MoveOrder.AfterDefinition, source, target, type);
      }
      this.endEdgeMove[to] = this.edgeMoves.size;
    }
  }

  // --- the start of a block ---

  /** Makes the state that the walk has reached the entry state of the block. */
  private enter(lir: Lir, b: Block, first: Instruction): void {
    for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) {
      const phi = lir.phis[k];
      const register = this.held.registerOf[phi];
      this.entries.phiAt[k] = register;
      if (register !== NOWHERE) this.held.release(register);
      if (this.held.inMemory[phi] === 0) continue;
      this.step.noteSpilled(phi);
      if (register === NOWHERE) this.entries.phiAt[k] = homeOf(phi);
      else this.held.move(first, MoveOrder.AfterDefinition, phi, register, homeOf(phi));
    }
    this.entries.open(b);
    for (let bank = 0; bank < 2; bank++) {
      for (let bits = this.held.held[bank]; bits !== 0; bits &= bits - 1) {
        const register = firstOf(bits, bank);
        this.entries.add(b, this.held.holder[register], register);
      }
    }
  }

  /** Adds moves from the decided entry state to the state that the walk has reached. */
  private enterDecided(lir: Lir, b: Block, first: Instruction): void {
    const { arrivesAt } = this;
    for (let k = this.entries.first[b]; k < this.entries.end[b]; k++) {
      arrivesAt[this.entries.vreg[k]] = this.entries.register[k];
    }
    for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) {
      const phi = lir.phis[k];
      const at = this.entries.phiAt[k];
      if (isHome(at)) this.step.noteSpilled(phi);
      else {
        arrivesAt[phi] = at;
        if (at === NOWHERE || this.held.inMemory[phi] === 0) continue;
        this.step.noteSpilled(phi);
        this.held.move(first, MoveOrder.AfterDefinition, phi, at, homeOf(phi));
      }
    }
    for (let bank = 0; bank < 2; bank++) {
      for (let bits = this.held.held[bank]; bits !== 0; bits &= bits - 1) {
        const register = firstOf(bits, bank);
        const vreg = this.held.holder[register];
        const at = arrivesAt[vreg];
        if (at === NOWHERE) this.loadAtHead(first, vreg, register);
        else if (at !== register) {
          this.events[EVENT["moved-at-loop"]]++;
          this.held.move(first, MoveOrder.AfterDefinition, vreg, at, register);
        }
      }
    }
    for (let k = this.entries.first[b]; k < this.entries.end[b]; k++)
      arrivesAt[this.entries.vreg[k]] = NOWHERE;
    for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) arrivesAt[lir.phis[k]] = NOWHERE;
  }

  private loadAtHead(first: Instruction, vreg: VirtualRegister, register: PhysicalRegister): void {
    if (this.held.isSoft(register)) this.held.soften(vreg, register);
    else {
      this.events[EVENT["loaded-at-loop"]]++;
      this.held.load(first, vreg, register);
    }
  }

  // --- the end ---

  /** Writes the moves in the order of the layout, with the slots' final locations. */
  private writeMoves(lir: Lir, allocation: Allocation): void {
    const { words } = this.held.moves;
    for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
      for (let m = this.firstEdgeMove[b]; m < this.endEdgeMove[b]; m += MOVE_STRIDE) {
        this.writeMove(this.edgeMoves.words, m, allocation);
      }
      for (let m = this.endMove[b] - MOVE_STRIDE; m >= this.firstMove[b]; m -= MOVE_STRIDE) {
        this.writeMove(words, m, allocation);
      }
    }
  }

  private writeMove(words: Int32Array, m: number, allocation: Allocation): void {
    allocation.addMove(
      gapOf(words[m]),
      orderOf(words[m]),
      this.locate(words[m + 1]),
      this.locate(words[m + 2]),
      words[m + 3],
      words[m + 4],
    );
  }

  /** Returns the location of a place in a recorded move. */
  private locate(word: number): Location {
    const place = word as MoveLocation;
    return isHome(place) ? this.slots.locationOf[vregOfHome(place)] : place;
  }
}
