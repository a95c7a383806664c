// Checks an allocation. The checker reads the LIR, the locations and the moves, but not how they
// were chosen; it shares nothing with the allocators. It checks for every use on every path:
//
// 1. The use's location holds its virtual register, in full width. Moves of a group happen all at
//    once.
// 2. Policies: REGISTER is a register of the bank, FIXED the named one, STACK the slot. A
//    definition that reuses an input has the location of that input; a copy has the location of its
//    temp. An operand with a free choice is in an allocatable register. (check-operands.ts checks
//    this and the next requirement.)
// 3. Definitions and temps of one instruction are in distinct locations. Temps are also distinct
//    from all uses except the one that is copied there. Definitions are also distinct from late
//    uses and KEEPALIVEs, which a call must not destroy either.
// 4. Calls destroy the contents of caller-saved registers, and temps those of their registers.
// 5. After an edge's moves each Phi has the value of its input.
// 6. Moves are sorted and in gaps that exist. No two of a group overlap in their targets. Their
//    registers are of the bank of their type, their slots inside the spill area and aligned. No
//    move uses a scratch register. A move rematerializes or derives only through a row that allows
//    it; the source of a derivation holds the use of that instruction, and the target is a register.
// 7. Every register that is written is reported as used, because the prologue saves by that list.
// 8. A redefinition (REDEFINED) is no wider than the value that it renames, of its bank, and in its
//    location. From there on both are in the same locations.
// 9. A stack argument is in the caller's slot at the entry.
// 10. A call names the location of each reference that lives across it (check-safepoints.ts).
//
// The checker stores the contents of all slots for every block. If there are too many
// (SLOT_STATES_MAX), it does not check the allocation, and counts that as an event.
//
// Method: abstract interpretation. Each register and each 4-byte unit of the spill area holds a set
// of virtual registers, or unknown contents. An 8-byte value has its content in the first unit and
// the negative of it in the second. Joins intersect the sets until nothing changes; sets only
// shrink, so this terminates. Each virtual register has one definition, which dominates its uses.
// So on entry to a block, the virtual registers that it defines are removed from all locations.
// Unreachable blocks are not checked.

import { isFloating, isWide, nameOfType, type Type } from "../../../src/ir/types.js";
import {
  isRemat,
  isSlot,
  isVector,
  type Lir,
  type LirFacts,
  OperandPolicy,
  OperandRole,
  policyOf,
  REMAT,
  type RegisterSet,
  roleOf,
  SLOT,
  typeOfWord,
  vregOf,
} from "../../lir/lir.js";
import {
  type Allocation,
  derivingInstruction,
  MOVE_STRIDE,
  NO_DERIVATION,
  sourceType,
} from "../allocation.js";
import { EVENT } from "../events.js";
import { CheckerFaults, nameOf } from "./check-faults.js";
import { type AllocationUnderTest, OperandChecker } from "./check-operands.js";
import { checkSafepoints } from "./check-safepoints.js";
import { contentOf, SET_BASE, UNKNOWN, VregSets } from "./vreg-sets.js";

interface ProcedureUnderTest extends AllocationUnderTest {
  readonly rows: readonly LirFacts[];
}

/** Returns the content that instruction `i` defines. */
const resultOf = (lir: Lir, i: number): number =>
  contentOf(vregOf(lir.operand[lir.operandStart[i]]));

const NONE = -1;
/** The maximum number of slot units times blocks: time and memory grow with them. */
const SLOT_STATES_MAX = 1 << 18;
/** From this many words on, arenas grow to the required size instead of twice that. */
const ROOM_FOR_TWICE = 1 << 24;

/** The checker with arenas of its own, which it reuses from one allocation to the next. */
export class AllocationChecker {
  private readonly sets = new VregSets();
  /** Contents by location; negative in the second unit of an 8-byte slot. */
  private state = new Int32Array(128);
  /** Contents on entry to each block, a row of `width` each. */
  private entry = new Int32Array(1024);
  private width = 0;
  /**
   * The locations that may hold a value: registers that are reported as used (a write to another is
   * a fault), and all units of slots.
   */
  private locations = new Int32Array(128);
  private locationCount = 0;
  /** Those of these registers that calls destroy. */
  private readonly destroyed = new Int32Array(64);
  private destroyedCount = 0;
  private isVisited = new Uint8Array(64);
  private isDirty = new Uint8Array(64);

  private definingBlock = new Int32Array(128);
  /**
   * By virtual register, on the current edge: the first of its Phi inputs; `phiInputNext` has the
   * others.
   */
  private phiInputHead = new Int32Array(128).fill(NONE);
  private phiInputNext = new Int32Array(16);
  /** By gap: its first move. */
  private firstMove = new Int32Array(256);
  /** The contents that the moves of a group read. */
  private moved = new Int32Array(64);
  /** By location: the number of the last group that wrote it, in the order of the walk. */
  private writtenBy = new Int32Array(128);
  private group = 0;
  private readonly faults = new CheckerFaults();
  private readonly operands = new OperandChecker(this.faults);

  /** Returns every fault; none if the allocation is correct. */
  check(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
  ): string[] {
    if (allocation.spillUnits * lir.blockCount > SLOT_STATES_MAX) {
      allocation.events[EVENT.unchecked]++;
      return [];
    }
    const faults = this.run({ lir, rows, registers, allocation });
    checkSafepoints(lir, rows, faults);
    return faults;
  }

  private run(subject: ProcedureUnderTest): string[] {
    this.prepare(subject);
    const { lir } = subject;
    this.isVisited[0] = 1;
    this.isDirty[0] = 1;
    for (let again = true; again; ) {
      again = false;
      for (let b = 0; b < lir.blockCount; b++) {
        if (this.isDirty[b] === 0) continue;
        this.isDirty[b] = 0;
        this.walkBlock(subject, b);
        for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
          if (this.leave(lir, b, lir.successors[e]) && lir.successors[e] <= b) again = true;
        }
      }
    }
    return this.faults.all();
  }

  private prepare(subject: ProcedureUnderTest): void {
    const { lir, allocation } = subject;
    this.faults.reset();
    this.sets.reset();
    this.width = SLOT + allocation.spillUnits;
    this.reserve(lir);
    this.isVisited.fill(0, 0, lir.blockCount);
    this.isDirty.fill(0, 0, lir.blockCount);
    this.entry.fill(UNKNOWN, 0, this.width);
    this.writtenBy.fill(0);
    this.group = 0;
    this.findLocations(subject);
    this.operands.prepare(subject, this.width);
    this.findDefinitions(lir);
    this.indexMoves(lir, allocation);
  }

  private reserve(lir: Lir): void {
    const { width } = this;
    if (this.state.length < width) {
      this.state = new Int32Array(2 * width);
      this.writtenBy = new Int32Array(2 * width);
      this.locations = new Int32Array(2 * width);
    }
    const words = width * lir.blockCount;
    if (this.entry.length < words) {
      this.entry = new Int32Array(words < ROOM_FOR_TWICE ? 2 * words : words);
    }
    if (this.isVisited.length < lir.blockCount) {
      this.isVisited = new Uint8Array(2 * lir.blockCount);
      this.isDirty = new Uint8Array(2 * lir.blockCount);
    }
    if (this.definingBlock.length < lir.vregCount) {
      this.definingBlock = new Int32Array(2 * lir.vregCount);
      this.phiInputHead = new Int32Array(2 * lir.vregCount).fill(NONE);
    }
    const phiInputs = lir.phiInputStart[lir.blockCount];
    if (this.phiInputNext.length < phiInputs) this.phiInputNext = new Int32Array(2 * phiInputs);
    if (this.firstMove.length < lir.instructionCount + 1) {
      this.firstMove = new Int32Array(2 * lir.instructionCount);
    }
  }

  private findLocations({ registers, allocation }: ProcedureUnderTest): void {
    const { locations, destroyed, width } = this;
    this.state.fill(UNKNOWN, 0, SLOT);
    this.locationCount = 0;
    this.destroyedCount = 0;
    for (let r = 0; r < SLOT; r++) {
      if (allocation.usedRegisters[r] === 0) continue;
      locations[this.locationCount++] = r;
      if (registers.callerSaved[r] === 1) destroyed[this.destroyedCount++] = r;
    }
    for (let u = SLOT; u < width; u++) locations[this.locationCount++] = u;
  }

  private findDefinitions(lir: Lir): void {
    const { definingBlock } = this;
    definingBlock.fill(NONE, 0, lir.vregCount);
    for (let b = 0; b < lir.blockCount; b++) {
      for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) this.define(lir.phis[k], b);
      const end = lir.operandStart[lir.blockStart[b + 1]];
      for (let o = lir.operandStart[lir.blockStart[b]]; o < end; o++) {
        if (roleOf(lir.operand[o]) >= OperandRole.Definition)
          this.define(vregOf(lir.operand[o]), b);
      }
    }
  }

  private define(vreg: number, b: number): void {
    if (this.definingBlock[vreg] !== NONE) this.faults.add(`v${vreg} is defined twice`);
    this.definingBlock[vreg] = b;
  }

  private indexMoves(lir: Lir, { moves, moveCount }: Allocation): void {
    let m = 0;
    for (let gap = 0; gap < lir.instructionCount; gap++) {
      this.firstMove[gap] = m;
      while (m < moveCount && moves[m * MOVE_STRIDE] >> 2 === gap) m++;
    }
    this.firstMove[lir.instructionCount] = m;
    if (m !== moveCount) this.faults.add(`move ${m} is not sorted, or not in a gap`);
    if (this.firstMove[1] > 0) this.faults.add("move 0 is before the entry");
    for (let k = 0; k < m; k++) {
      const word = moves[k * MOVE_STRIDE];
      const isSorted = k === 0 || moves[(k - 1) * MOVE_STRIDE] <= word;
      if (!isSorted || (word & 3) === 3)
        this.faults.add(`move ${k} is not sorted, or not in a group`);
    }
  }

  private walkBlock(subject: ProcedureUnderTest, b: number): void {
    const { lir } = subject;
    this.faults.beginBlock(b);
    const { state, entry, width, locations, locationCount } = this;
    const row = b * width;
    for (let p = 0; p < locationCount; p++) state[locations[p]] = entry[row + locations[p]];
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      const end = this.firstMove[i + 1];
      for (let m = this.firstMove[i]; m < end; ) m = this.moveGroup(subject, m, end);
      this.walkInstruction(subject, i);
    }
  }

  // --- moves ---

  /**
   * Executes all moves of the group of move `first` at once. Returns the first move of the next
   * group.
   */
  private moveGroup(subject: ProcedureUnderTest, first: number, end: number): number {
    const { moves } = subject.allocation;
    const word = moves[first * MOVE_STRIDE];
    let after = first;
    for (; after < end && moves[after * MOVE_STRIDE] === word; after++) {
      const from = moves[after * MOVE_STRIDE + 1];
      const type = typeOfWord(moves[after * MOVE_STRIDE + 3]);
      if (after - first === this.moved.length) {
        const larger = new Int32Array(2 * this.moved.length);
        larger.set(this.moved);
        this.moved = larger;
      }
      const derivation = moves[after * MOVE_STRIDE + 4];
      const content =
        derivation === NO_DERIVATION
          ? this.copied(subject, from, type, after)
          : this.derived(subject, from, derivation, type, after);
      this.moved[after - first] = this.narrowed(subject.lir, content, type);
    }
    this.group++;
    for (let m = first; m < after; m++) {
      const to = moves[m * MOVE_STRIDE + 2];
      const type = typeOfWord(moves[m * MOVE_STRIDE + 3]);
      if (!this.isLocation(subject, to, type, m)) continue;
      if (isSlot(to) && moves[m * MOVE_STRIDE + 4] !== NO_DERIVATION) {
        this.faults.add(`move ${m}: it derives a value in ${nameOf(to)}, expected a register`);
      }
      this.claimTarget(to, type, m);
      if (!isSlot(to) && subject.allocation.usedRegisters[to] === 0) {
        this.faults.add(`move ${m}: ${nameOf(to)} is written, but not reported as used`);
      }
      this.write(to, type, this.moved[m - first]);
    }
    return after;
  }

  /** Returns whether a move may read or write the location; otherwise adds a fault. */
  private isLocation(
    { allocation }: ProcedureUnderTest,
    location: number,
    type: Type,
    m: number,
  ): boolean {
    if (!(type > 0 && type <= 4)) {
      this.faults.add(`move ${m}: type ${type} does not exist`);
      return false;
    }
    const unit = location - SLOT;
    let isSound: boolean;
    if (isSlot(location)) {
      const units = isWide(type) ? 2 : 1;
      isSound = unit + units <= allocation.spillUnits && unit % units === 0;
    } else {
      isSound = location >= 0 && location < SLOT && isVector(location) === isFloating(type);
      isSound &&= this.operands.isMovable(location);
    }
    if (!isSound)
      this.faults.add(`move ${m}: no ${nameOfType(type)} can be in ${nameOf(location)}`);
    return isSound;
  }

  /** Returns whether a move may execute that instruction again; otherwise adds a fault. */
  private canRematerialize(
    { lir, rows }: ProcedureUnderTest,
    fact: "rematerializable" | "derivable",
    i: number,
    type: Type,
    m: number,
  ): boolean {
    const isRow = i < lir.instructionCount && rows[lir.opcode[i]][fact];
    const made = lir.typeOf(vregOf(lir.operand[lir.operandStart[i]]));
    const isSound =
      isRow && isFloating(made) === isFloating(type) && (isWide(made) || !isWide(type));
    if (!isSound)
      this.faults.add(`move ${m}: instruction ${i} cannot rematerialize a ${nameOfType(type)}`);
    return isSound;
  }

  /** Returns the content that a move copies or rematerializes. */
  private copied(subject: ProcedureUnderTest, from: number, type: Type, m: number): number {
    if (!isRemat(from)) {
      return this.isLocation(subject, from, type, m) ? this.read(from, type) : UNKNOWN;
    }
    const isSound = this.canRematerialize(subject, "rematerializable", from - REMAT, type, m);
    return isSound ? resultOf(subject.lir, from - REMAT) : UNKNOWN;
  }

  /** Returns the content that a move derives from its source. */
  private derived(
    subject: ProcedureUnderTest,
    from: number,
    derivation: number,
    type: Type,
    m: number,
  ): number {
    const { lir } = subject;
    const i = derivingInstruction(derivation);
    if (!this.canRematerialize(subject, "derivable", i, type, m)) return UNKNOWN;
    const base = vregOf(lir.operand[lir.operandStart[i] + 1]);
    const read = sourceType(type, derivation);
    if (read !== lir.typeOf(base)) {
      this.faults.add(`move ${m}: instruction ${i} derives from a ${nameOfType(lir.typeOf(base))}`);
      return UNKNOWN;
    }
    if (!this.isLocation(subject, from, read, m)) return UNKNOWN;
    return this.sets.has(this.read(from, read), base) ? resultOf(lir, i) : UNKNOWN;
  }

  private claimTarget(to: number, type: Type, m: number): void {
    const units = isSlot(to) && isWide(type) ? 2 : 1;
    for (let u = to; u < to + units; u++) {
      if (this.writtenBy[u] === this.group)
        this.faults.add(`move ${m}: its group writes ${nameOf(u)} twice`);
    }
    for (let u = to; u < to + units; u++) this.writtenBy[u] = this.group;
  }

  private read(location: number, type: Type): number {
    const content = this.state[location];
    if (content < 0) return UNKNOWN; // the second half of a value
    if (!isSlot(location) || !isWide(type)) return content;
    return this.state[location + 1] === -content ? content : UNKNOWN;
  }

  private write(location: number, type: Type, content: number): void {
    this.state[location] = content;
    if (isSlot(location) && isWide(type)) this.state[location + 1] = -content;
  }

  /** Returns the content without the virtual registers that are wider than `type`. */
  private narrowed(lir: Lir, content: number, type: Type): number {
    if (content === UNKNOWN || isWide(type)) return content;
    const { sets } = this;
    sets.begin();
    for (let k = 0; k < sets.sizeOf(content); k++) {
      const vreg = sets.memberOf(content, k);
      if (!isWide(lir.typeOf(vreg))) sets.add(vreg);
    }
    return sets.end();
  }

  // --- instructions ---

  private walkInstruction(subject: ProcedureUnderTest, i: number): void {
    const { lir, rows } = subject;
    const { state, operands } = this;
    const isCall = rows[lir.opcode[i]].isCall;
    const start = lir.operandStart[i];
    const end = lir.operandStart[i + 1];
    let hasTemps = false;
    let hasDefinitions = false;
    for (let o = start; o < end; o++) {
      const role = roleOf(lir.operand[o]);
      if (role <= OperandRole.Use) {
        if (operands.checkUse(subject, i, o, isCall)) this.checkContent(lir, i, o);
      } else if (role === OperandRole.Temp) hasTemps = true;
      else hasDefinitions = true;
    }
    for (let o = start; hasTemps && o < end; o++) {
      if (roleOf(lir.operand[o]) === OperandRole.Temp) operands.checkTemp(subject, i, o);
    }
    for (let o = start; hasDefinitions && o < end; o++) {
      if (roleOf(lir.operand[o]) === OperandRole.Definition)
        operands.checkDefinition(subject, i, o);
    }
    if (isCall) {
      for (let k = 0; k < this.destroyedCount; k++) state[this.destroyed[k]] = UNKNOWN;
    }
    for (let o = start; o < end; o++) {
      const location = lir.location[o];
      // checkUse or checkWritten has added a fault
      if (!(location >= 0 && location < this.width)) continue;
      operands.vacate(location);
      const word = lir.operand[o];
      const role = roleOf(word);
      if (role === OperandRole.Temp) state[location] = UNKNOWN;
      if (role !== OperandRole.Definition) continue;
      if (policyOf(word) === OperandPolicy.Redefined) this.rename(lir, i, vregOf(word));
      else this.write(location, lir.typeOf(vregOf(word)), contentOf(vregOf(word)));
    }
  }

  /** Adds `name` to every location that holds the first use of instruction i. */
  private rename(lir: Lir, i: number, name: number): void {
    const { state, sets, width, locations } = this;
    const use = vregOf(lir.operand[lir.operandStart[i] + 1]);
    for (let p = 0; p < this.locationCount; p++) {
      const location = locations[p];
      const content = state[location];
      if (content <= 0 || !sets.has(content, use)) continue;
      sets.begin();
      for (let k = 0; k < sets.sizeOf(content); k++) sets.add(sets.memberOf(content, k));
      sets.add(name);
      const named = sets.end();
      state[location] = named;
      if (isSlot(location) && location + 1 < width && state[location + 1] === -content) {
        state[location + 1] = -named;
      }
    }
  }

  private checkContent(lir: Lir, i: number, o: number): void {
    const vreg = vregOf(lir.operand[o]);
    const location = lir.location[o];
    const found = this.read(location, lir.typeOf(vreg));
    if (this.sets.has(found, vreg)) return;
    const expected = `v${vreg} in ${nameOf(location)}`;
    this.faults.addOperand(lir, i, o, expected, this.contentText(found));
  }

  private contentText(content: number): string {
    const names: string[] = [];
    for (let k = 0; k < this.sets.sizeOf(content); k++) {
      names.push(`v${this.sets.memberOf(content, k)}`);
    }
    return names.length === 0 ? "nothing known" : names.join(" = ");
  }

  // --- edges ---

  /**
   * Joins the contents at the end of `from` into the entry of `to`. Returns true if `to` must be
   * walked (again).
   */
  private leave(lir: Lir, from: number, to: number): boolean {
    const firstPhi = lir.phiStart[to];
    const phiCount = lir.phiStart[to + 1] - firstPhi;
    const firstInput = lir.phiInputStart[from];
    if (lir.phiInputStart[from + 1] - firstInput !== phiCount) {
      this.faults.add(`edge from block ${from} to ${to}: Phi inputs and Phis differ in number`);
      return false;
    }
    for (let k = 0; k < phiCount; k++) {
      const input = lir.phiInputs[firstInput + k];
      this.phiInputNext[k] = this.phiInputHead[input];
      this.phiInputHead[input] = k;
    }
    const { state, entry, locations, locationCount } = this;
    const row = to * this.width;
    const isFirst = this.isVisited[to] === 0;
    let changed = isFirst;
    for (let p = 0; p < locationCount; p++) {
      const u = locations[p];
      const content = state[u];
      let arriving = content;
      if (content !== UNKNOWN) {
        arriving = content > 0 ? this.arrive(lir, content, to) : -this.arrive(lir, -content, to);
      }
      if (isFirst) entry[row + u] = arriving;
      else if (entry[row + u] !== arriving) {
        const met = this.meet(entry[row + u], arriving);
        if (met !== entry[row + u]) changed = true;
        entry[row + u] = met;
      }
    }
    for (let k = 0; k < phiCount; k++) this.phiInputHead[lir.phiInputs[firstInput + k]] = NONE;
    this.isVisited[to] = 1;
    if (changed) this.isDirty[to] = 1;
    return changed;
  }

  /**
   * Returns `content` as it is at the entry of block `to`: without the definitions of `to`, and
   * with the Phis of which its members are inputs.
   */
  private arrive(lir: Lir, content: number, to: number): number {
    const { definingBlock, phiInputHead, phiInputNext, sets } = this;
    if (content < SET_BASE && phiInputHead[content - 1] === NONE) {
      return definingBlock[content - 1] === to ? UNKNOWN : content;
    }
    const size = sets.sizeOf(content);
    sets.begin();
    for (let m = 0; m < size; m++) {
      const vreg = sets.memberOf(content, m);
      if (definingBlock[vreg] !== to) sets.add(vreg);
      for (let k = phiInputHead[vreg]; k !== NONE; k = phiInputNext[k]) {
        sets.add(lir.phis[lir.phiStart[to] + k]);
      }
    }
    return sets.end();
  }

  private meet(x: number, y: number): number {
    if (x === UNKNOWN || y === UNKNOWN || x > 0 !== y > 0) return UNKNOWN;
    return x > 0 ? this.sets.intersect(x, y) : -this.sets.intersect(-x, -y);
  }
}
