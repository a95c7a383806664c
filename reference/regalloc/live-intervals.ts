// Computes the live intervals of LIR.
//
// Input:  LIR in which each virtual register has one definition that dominates its uses; any
//         control flow.
// Output: for each virtual register the positions where it is live (ranges, with holes between
//         them) and where it must be in a register; for each fixed register the positions where it
//         is not available.
//
// Ranges of positions (positions.ts) are half-open. Two pieces of an interval that share the boundary p are joined by a
// move of group p, and no group reads an incomplete result of another group.
//
// 1. A block spans [startOf(first), endOf(last)). Phis are defined at its first position. Their
//    inputs, and the values that are live into a successor, live to its end.
// 2. A use at start lives to outputOf(i); a late use and a KEEPALIVE to endOf(i). A use that a
//    BeforeUse move satisfies (a fixed register, the input of a reused register) lives to
//    inputOf(i): the move is its reader.
// 3. A definition starts at outputOf(i). One that reuses its input's register starts at inputOf(i).
//    One in a fixed register starts at endOf(i), after an AfterDefinition move has copied it from
//    there; if it has no use, it has no range. One in its slot starts at outputOf(i), in memory. A
//    second use at start of an input whose register is reused reads that register: it has no range.
// 4. A temp is [inputOf(i), endOf(i)). A copied use ends at inputOf(i), where a move copies it into
//    its temp. A fixed register is blocked in the halves where its instruction owns it. Every
//    caller-saved register is blocked at outputOf(c) for a call c.
// 5. A rematerializable value (`remat`) has no slot, so a use that could read the slot demands a
//    register. If this register might be one too many for the instruction, or if an exit or the
//    instruction requires the slot, the virtual register is spilled like others.
// 6. `use` lists only the demands for a register: the position, and until when the register must
//    stay. Other uses, which can read the slot or are copied first, are wishes: only the choice of
//    what goes to memory depends on them.
// 7. All names of one root (`Lir.vregRoot`) have one interval, that of the root.

import {
  type Block,
  FIRST_INSTRUCTION,
  type Index,
  type IndexArray,
  type Instruction,
  newColumn,
  type PhysicalRegister,
  type VirtualRegister,
} from "../lir/indices.js";
import {
  fixedOf,
  type Lir,
  type LirFacts,
  OperandPolicy,
  OperandRole,
  policyOf,
  type RegisterSet,
  roleOf,
  vregOf,
} from "../lir/lir.js";
import { NONE, sized, widen } from "./arenas.js";
import { confirmBases, excludeBases } from "./derivations.js";
import { Liveness } from "./liveness.js";
import { after, endOf, inputOf, outputOf, type Position, startOf } from "./positions.js";

/** A bank of this many registers fits every instruction with at most as many operands. */
const ROOMY = 4;

/** A range of positions in which an interval is live, or in which a register is blocked. */
export type LiveRange = Index<"LiveRange">;
/** A demand for a register. */
export type Use = Index<"Use">;
/** A use that can read the slot or is copied first. */
export type Wish = Index<"Wish">;

export class LiveIntervals {
  readonly liveness = new Liveness();

  /** Ranges in lists of ascending positions: [rangeStart, rangeEnd). */
  rangeStart: IndexArray<Position, LiveRange> = newColumn(512);
  rangeEnd: IndexArray<Position, LiveRange> = newColumn(512);
  rangeNext: IndexArray<LiveRange, LiveRange> = newColumn(512);
  private rangeCount = 0;

  /** Demands for a register in lists of ascending positions: needed in [usePosition, useEnd). */
  usePosition: IndexArray<Position, Use> = newColumn(512);
  useEnd: IndexArray<Position, Use> = newColumn(512);
  useNext: IndexArray<Use, Use> = newColumn(512);
  private useCount = 0;

  /** Wishes for a register in lists of ascending positions. */
  wishPosition: IndexArray<Position, Wish> = newColumn(512);
  wishNext: IndexArray<Wish, Wish> = newColumn(512);
  /** If the use can read the slot: the end of the demand that it is without a slot; or NONE. */
  wishEnd: IndexArray<Position, Wish> = newColumn(512);
  private wishCount = 0;

  // By virtual register: heads of the lists, and hints.
  firstRange: IndexArray<LiveRange, VirtualRegister> = newColumn(128);
  firstUse: IndexArray<Use, VirtualRegister> = newColumn(128);
  firstWish: IndexArray<Wish, VirtualRegister> = newColumn(128);
  /** End of the last range. */
  lastEnd: IndexArray<Position, VirtualRegister> = newColumn(128);
  /** The register that a fixed operand requires, or NONE. */
  hintRegister: IndexArray<PhysicalRegister, VirtualRegister> = newColumn(128);
  /**
   * The Phi that it is an input of, a Phi's input, or the definition that reuses its register; or
   * NONE.
   */
  hintVreg: IndexArray<VirtualRegister, VirtualRegister> = newColumn(128);
  /** The input whose register it reuses, or NONE. */
  hintReused: IndexArray<VirtualRegister, VirtualRegister> = newColumn(128);
  /** The instruction that rematerializes it at each use, so that it needs no slot; or NONE. */
  remat: IndexArray<Instruction, VirtualRegister> = newColumn(128);
  /** If an instruction with an operand rematerializes it: that virtual register; or NONE. */
  base: IndexArray<VirtualRegister, VirtualRegister> = newColumn(128);
  private hasBases = false;

  /** Virtual registers that some use requires in their slot; one may be listed several times. */
  inSlot: IndexArray<VirtualRegister> = newColumn(16);
  inSlotCount = 0;
  /** By virtual register: the position at which a definition writes it in its slot, or NONE. */
  slotDefinition: IndexArray<Position, VirtualRegister> = newColumn(128);

  /**
   * By register: the ranges where fixed operands block it. Calls are separate: each blocks many
   * registers at once.
   */
  readonly firstBlocked: IndexArray<LiveRange, PhysicalRegister> = newColumn(64);
  /** Output halves of calls, ascending from `callStart`, as the walk goes backward. */
  calls: IndexArray<Position> = newColumn(32);
  callStart = 32;

  compute(lir: Lir, rows: readonly LirFacts[], registers: RegisterSet): void {
    this.liveness.compute(lir);
    this.reset(lir);
    this.findRematerializable(lir, rows, registers);
    this.build(lir, rows);
    if (this.hasBases) confirmBases(lir, this);
  }

  /** Adds a range before the list `next`; cuts use it as well. */
  newRange(start: Position, end: Position, next: LiveRange): LiveRange {
    const range = this.rangeCount++ as LiveRange;
    if (range === this.rangeStart.length) {
      this.rangeStart = widen(this.rangeStart);
      this.rangeEnd = widen(this.rangeEnd);
      this.rangeNext = widen(this.rangeNext);
    }
    this.rangeStart[range] = start;
    this.rangeEnd[range] = end;
    this.rangeNext[range] = next;
    return range;
  }

  private reset({ vregCount }: Lir): void {
    if (this.firstRange.length < vregCount) {
      this.firstRange = sized(this.firstRange, vregCount);
      this.firstUse = sized(this.firstUse, vregCount);
      this.firstWish = sized(this.firstWish, vregCount);
      this.lastEnd = sized(this.lastEnd, vregCount);
      this.hintRegister = sized(this.hintRegister, vregCount);
      this.hintVreg = sized(this.hintVreg, vregCount);
      this.hintReused = sized(this.hintReused, vregCount);
      this.remat = sized(this.remat, vregCount);
      this.base = sized(this.base, vregCount);
      this.slotDefinition = sized(this.slotDefinition, vregCount);
    }
    this.slotDefinition.fill(NONE, 0, vregCount);
    this.firstRange.fill(NONE, 0, vregCount);
    this.firstUse.fill(NONE, 0, vregCount);
    this.firstWish.fill(NONE, 0, vregCount);
    this.hintRegister.fill(NONE, 0, vregCount);
    this.hintVreg.fill(NONE, 0, vregCount);
    this.hintReused.fill(NONE, 0, vregCount);
    this.remat.fill(NONE, 0, vregCount);
    this.base.fill(NONE, 0, vregCount);
    this.hasBases = false;
    this.firstBlocked.fill(NONE);
    this.rangeCount = 0;
    this.useCount = 0;
    this.wishCount = 0;
    this.inSlotCount = 0;
    this.callStart = this.calls.length;
  }

  private findRematerializable(
    lir: Lir,
    rows: readonly LirFacts[],
    { general, vector }: RegisterSet,
  ): void {
    const { opcode, operand, operandStart, instructionCount, vregRoot } = lir;
    const { remat, base } = this;
    let found = 0;
    for (let i = FIRST_INSTRUCTION; i < instructionCount; i++) {
      const { rematerializable, derivable } = rows[opcode[i]];
      if (!rematerializable && !derivable) continue;
      const first = operandStart[i];
      const vreg = vregOf(operand[first]);
      remat[vreg] = i;
      if (derivable) {
        base[vreg] = vregRoot[vregOf(operand[first + 1])];
        this.hasBases = true;
      }
      found++;
    }
    if (found === 0) return;
    const isRoomy = general.length >= ROOMY && vector.length >= ROOMY;
    for (let i = FIRST_INSTRUCTION; i < instructionCount; i++) {
      for (let o = operandStart[i]; o < operandStart[i + 1]; o++) {
        const word = operand[o];
        // A redefinition reads the register of the value that it renames. A rematerialized value
        // has none.
        if (policyOf(word) === OperandPolicy.Redefined) remat[vregOf(operand[o + 1])] = NONE;
        if (roleOf(word) > OperandRole.Use || remat[vregOf(word)] === NONE) continue;
        const policy = policyOf(word);
        if (policy === OperandPolicy.KeepAlive || policy === OperandPolicy.Stack)
          remat[vregOf(word)] = NONE;
        else if (policy === OperandPolicy.Any && !(isRoomy && this.isSmall(lir, rows, i))) {
          remat[vregOf(word)] = NONE;
        }
      }
    }
    if (this.hasBases) excludeBases(lir, this);
  }

  /**
   * Returns whether the instruction fits any bank of ROOMY registers, however many operands demand
   * one.
   */
  private isSmall(lir: Lir, rows: readonly LirFacts[], i: number): boolean {
    if (rows[lir.opcode[i]].isCall) return false;
    let demands = 0;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const policy = policyOf(lir.operand[o]);
      if (policy === OperandPolicy.Fixed) return false;
      if (policy !== OperandPolicy.KeepAlive) demands++;
    }
    return demands <= ROOMY;
  }

  private build(lir: Lir, rows: readonly LirFacts[]): void {
    for (let b = lir.lastBlock; b >= 0; b--) {
      const from = startOf(lir.blockStart[b]);
      const to = startOf(lir.blockStart[b + 1]);
      this.addLiveOut(lir, b, from, to);
      for (let i = lir.terminatorOf(b); i >= lir.blockStart[b]; i--) {
        if (rows[lir.opcode[i]].isCall) this.addCall(outputOf(i));
        this.addOperands(lir, i, from);
      }
      for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) {
        this.define(lir.phis[k], from, after(from));
        this.hintPhi(lir, b, k);
      }
    }
  }

  private addLiveOut(lir: Lir, b: Block, from: Position, to: Position): void {
    const { words, liveIn, globals, marks, markWords, firstWord, endWord } = this.liveness;
    const firstEdge = lir.successorStart[b];
    const lastEdge = lir.successorStart[b + 1];
    let [first, end] = [words, 0];
    for (let e = firstEdge; e < lastEdge; e++) {
      if (firstWord[lir.successors[e]] < first) first = firstWord[lir.successors[e]];
      if (endWord[lir.successors[e]] > end) end = endWord[lir.successors[e]];
    }
    for (let s = first >>> 5; 32 * s < end; s++) {
      let marked = 0;
      for (let e = firstEdge; e < lastEdge; e++) marked |= marks[lir.successors[e] * markWords + s];
      for (; marked !== 0; marked &= marked - 1) {
        const w = 32 * s + 31 - Math.clz32(marked & -marked);
        let bits = 0;
        for (let e = firstEdge; e < lastEdge; e++) bits |= liveIn[lir.successors[e] * words + w];
        for (; bits !== 0; bits &= bits - 1) {
          this.addRange(globals[32 * w + 31 - Math.clz32(bits & -bits)], from, to);
        }
      }
    }
    if (firstEdge === lastEdge) return;
    const phi = lir.phiStart[lir.successors[firstEdge]];
    for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
      const input = lir.vregRoot[lir.phiInputs[k]];
      this.addRange(input, from, to);
      const target = lir.phis[phi + k - lir.phiInputStart[b]];
      if (this.hintVreg[input] === NONE) this.hintVreg[input] = target;
      if (this.hintRegister[input] === NONE) this.hintRegister[input] = this.hintRegister[target];
    }
  }

  /**
   * Hints a Phi to the input that most edges from earlier blocks write, or else to that of the first
   * edge. Inputs of other edges have no register yet when the Phi gets one.
   */
  private hintPhi(lir: Lir, b: Block, k: number): void {
    const { predecessorStart, predecessors } = this.liveness;
    const first = predecessorStart[b];
    const end = predecessorStart[b + 1];
    if (first === end) return;
    const inputOn = (p: number): VirtualRegister =>
      lir.vregRoot[lir.phiInputs[lir.phiInputStart[predecessors[p]] + k - lir.phiStart[b]]];
    // Each input cancels a different one; an input of more than half of the edges remains.
    let common = inputOn(first);
    let left = 0;
    let edges = 0;
    for (let p = first; p < end; p++) {
      if (predecessors[p] >= b) continue;
      edges++;
      if (left === 0) common = inputOn(p);
      left += inputOn(p) === common ? 1 : -1;
    }
    let count = 0;
    for (let p = first; p < end; p++) {
      if (predecessors[p] < b && inputOn(p) === common) count++;
    }
    this.hintVreg[lir.phis[k]] = 2 * count > edges ? common : inputOn(first);
  }

  private addOperands(lir: Lir, i: Instruction, blockFrom: Position): void {
    const input = inputOf(i);
    const start = lir.operandStart[i];
    const end = lir.operandStart[i + 1];
    // Each definition that reuses an input takes one of the first uses: a second pass over these
    // definitions, in the same order, finds it.
    let reuses = 0;
    let nextReuse = start;
    let nextCopy = end;
    for (let o = start; o < end; o++) {
      const word = lir.operand[o];
      const vreg = lir.vregRoot[vregOf(word)];
      const policy = policyOf(word);
      switch (roleOf(word)) {
        case OperandRole.Definition:
          if (policy === OperandPolicy.MustReuseInput) reuses++;
          this.addDefinition(vreg, policy, fixedOf(word), i);
          break;
        case OperandRole.Temp:
          if (policy === OperandPolicy.Fixed) this.block(fixedOf(word), input, endOf(i));
          else {
            this.define(vreg, input, endOf(i));
            this.addUse(vreg, input, endOf(i));
          }
          break;
        default: {
          if (reuses > 0) {
            reuses--;
            while (policyOf(lir.operand[nextReuse]) !== OperandPolicy.MustReuseInput) nextReuse++;
            this.addMovedUse(vreg, vregOf(lir.operand[nextReuse++]), blockFrom, input);
            break;
          }
          if (policy === OperandPolicy.Copy) {
            nextCopy = lir.copyTemp(nextCopy === end ? o : nextCopy);
            this.addMovedUse(vreg, vregOf(lir.operand[nextCopy]), blockFrom, input);
            break;
          }
          if (sharedReuse(lir, o, start) !== NONE) break;
          const isLate = roleOf(word) === OperandRole.Use || policy === OperandPolicy.KeepAlive;
          const until = isLate ? endOf(i) : outputOf(i);
          if (policy === OperandPolicy.Fixed) {
            this.block(fixedOf(word), input, until);
            this.addRange(vreg, blockFrom, input);
            this.hintRegister[vreg] = fixedOf(word);
          } else {
            this.addRange(vreg, blockFrom, until);
            if (policy === OperandPolicy.Register) this.addUse(vreg, input, until);
            else if (policy === OperandPolicy.Any) {
              if (this.remat[vreg] === NONE || this.base[vreg] !== NONE)
                this.addWish(vreg, input, until);
              else this.addUse(vreg, input, until);
            } else if (policy === OperandPolicy.Stack) this.addInSlot(vreg);
          }
        }
      }
    }
  }

  /** Adds a use that a move copies to the location of `owner` in the instruction. */
  private addMovedUse(
    vreg: VirtualRegister,
    owner: VirtualRegister,
    blockFrom: Position,
    input: Position,
  ): void {
    this.addRange(vreg, blockFrom, input);
    this.addWish(vreg, input, NONE);
    this.hintReused[owner] = vreg;
    if (this.hintVreg[vreg] === NONE) this.hintVreg[vreg] = owner;
    if (this.hintRegister[vreg] === NONE) this.hintRegister[vreg] = this.hintRegister[owner];
  }

  private addInSlot(vreg: VirtualRegister): void {
    if (this.inSlotCount === this.inSlot.length) this.inSlot = widen(this.inSlot);
    this.inSlot[this.inSlotCount++] = vreg;
  }

  private addDefinition(
    vreg: VirtualRegister,
    policy: OperandPolicy,
    fixed: PhysicalRegister,
    i: Instruction,
  ): void {
    if (policy === OperandPolicy.Redefined) return;
    if (policy === OperandPolicy.Stack) {
      this.define(vreg, outputOf(i), endOf(i));
      this.addInSlot(vreg);
      this.slotDefinition[vreg] = outputOf(i);
      return;
    }
    if (policy === OperandPolicy.Fixed) {
      this.block(fixed, outputOf(i), endOf(i));
      if (this.firstRange[vreg] !== NONE) this.define(vreg, endOf(i), after(endOf(i)));
      this.hintRegister[vreg] = fixed;
      return;
    }
    const from = policy === OperandPolicy.MustReuseInput ? inputOf(i) : outputOf(i);
    this.define(vreg, from, endOf(i));
    this.addUse(vreg, from, endOf(i));
  }

  /**
   * Starts the register's first range at `start`; if it has no use, adds the range [start, end).
   */
  private define(vreg: VirtualRegister, start: Position, end: Position): void {
    const range = this.firstRange[vreg];
    if (range === NONE) this.addRange(vreg, start, end);
    else this.rangeStart[range] = start;
  }

  private addRange(vreg: VirtualRegister, start: Position, end: Position): void {
    const range = this.firstRange[vreg];
    if (range === NONE) this.lastEnd[vreg] = end;
    else if (this.rangeStart[range] <= end) {
      if (start < this.rangeStart[range]) this.rangeStart[range] = start;
      if (end > this.rangeEnd[range]) {
        this.rangeEnd[range] = end;
        if (this.rangeNext[range] === NONE) this.lastEnd[vreg] = end;
      }
      return;
    }
    this.firstRange[vreg] = this.newRange(start, end, range);
  }

  private addWish(vreg: VirtualRegister, position: Position, end: Position): void {
    const wish = this.wishCount++ as Wish;
    if (wish === this.wishPosition.length) {
      this.wishPosition = widen(this.wishPosition);
      this.wishNext = widen(this.wishNext);
      this.wishEnd = widen(this.wishEnd);
    }
    this.wishPosition[wish] = position;
    this.wishEnd[wish] = end;
    this.wishNext[wish] = this.firstWish[vreg];
    this.firstWish[vreg] = wish;
  }

  private addUse(vreg: VirtualRegister, position: Position, end: Position): void {
    const first = this.firstUse[vreg];
    // Two uses by one instruction are one demand, which ends with the longer.
    if (first !== NONE && this.usePosition[first] === position) {
      if (end > this.useEnd[first]) this.useEnd[first] = end;
      return;
    }
    this.firstUse[vreg] = this.newUse(position, end, first);
  }

  /** Adds a demand before the list `next`. */
  newUse(position: Position, end: Position, next: Use): Use {
    const use = this.useCount++ as Use;
    if (use === this.usePosition.length) {
      this.usePosition = widen(this.usePosition);
      this.useEnd = widen(this.useEnd);
      this.useNext = widen(this.useNext);
    }
    this.usePosition[use] = position;
    this.useEnd[use] = end;
    this.useNext[use] = next;
    return use;
  }

  private block(register: PhysicalRegister, start: Position, end: Position): void {
    const range = this.firstBlocked[register];
    if (range !== NONE && this.rangeStart[range] <= end) {
      if (start < this.rangeStart[range]) this.rangeStart[range] = start;
      if (end > this.rangeEnd[range]) this.rangeEnd[range] = end;
      return;
    }
    this.firstBlocked[register] = this.newRange(start, end, range);
  }

  private addCall(position: Position): void {
    if (this.callStart === 0) {
      const length = this.calls.length;
      const larger = newColumn<Position>(2 * length);
      larger.set(this.calls, length);
      this.calls = larger;
      this.callStart = length;
    }
    this.calls[--this.callStart] = position;
  }
}

/**
 * Finds a definition that reuses the register of another use of the same virtual register as use
 * `o`, which is at start. Then use `o` can read that register as well. Returns NONE if there is no
 * such definition.
 *
 * @param start first operand of the instruction
 */
export function sharedReuse({ operand, vregRoot }: Lir, o: number, start: number): number {
  const word = operand[o];
  if (
    roleOf(word) !== OperandRole.UseAtStart ||
    policyOf(operand[start]) === OperandPolicy.Redefined
  )
    return NONE;
  if (policyOf(word) !== OperandPolicy.Register && policyOf(word) !== OperandPolicy.Any)
    return NONE;
  const vreg = vregRoot[vregOf(word)];
  let use = start;
  while (roleOf(operand[use]) === OperandRole.Definition) use++;
  for (let d = start; use < o; d++) {
    if (roleOf(operand[d]) !== OperandRole.Definition) return NONE;
    if (policyOf(operand[d]) !== OperandPolicy.MustReuseInput) continue;
    if (vregRoot[vregOf(operand[use++])] === vreg) return d;
  }
  return NONE;
}
