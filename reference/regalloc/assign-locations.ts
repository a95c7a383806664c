// Writes the decisions of an allocator: the location of each operand, and the moves that join the
// pieces.
//
// 1. One walk in layout order, so that moves come out sorted by group. Group p reads where values
//    are at before(p) and writes where they are at p (positions.ts).
// 2. A piece in memory needs no move: the slot was written after the definition. If the first piece
//    of a Phi is in memory, the edges to its block write the slot.
// 3. All moves of an edge are one group. If the predecessor has one successor, it is the Resolve
//    group in the gap of the predecessor's terminator. Otherwise it is the AfterDefinition group in
//    the successor's first gap, which contains no other moves. (The Resolve group there may contain
//    the moves of the successor's own edge, if the successor is only a jump.)
// 4. A value with a base that has no register is read from the base (derivations.ts).

import {
  type Block,
  FIRST_BLOCK,
  FIRST_VREG,
  type IndexArray,
  type Instruction,
  indexBefore,
  type Location,
  newColumn,
  type VirtualRegister,
} from "../lir/indices.js";
import {
  fixedOf,
  type Lir,
  locationOfWord,
  OperandPolicy,
  OperandRole,
  policyOf,
  rematerializedBy,
  roleOf,
  SLOT,
  vregOf,
} from "../lir/lir.js";
import { type Allocation, derivationBy, MoveOrder, NO_DERIVATION, orderOf } from "./allocation.js";
import { NONE, sized } from "./arenas.js";
import { EVENT } from "./events.js";
import { type LiveIntervals, sharedReuse } from "./live-intervals.js";
import { firstPieceOf, type IntervalPiece, type IntervalPieces } from "./pieces.js";
import {
  before,
  endOf,
  groupOf,
  inputOf,
  instructionAt,
  outputOf,
  type Position,
  resolveOf,
  startOf,
} from "./positions.js";
import type { SlotMap } from "./share-slots.js";

export class LocationWriter {
  private readonly live: LiveIntervals;
  private readonly pieces: IntervalPieces;
  private readonly slots: SlotMap;
  /** By virtual register: the piece that the walk has reached. */
  private at: IndexArray<IntervalPiece, VirtualRegister> = newColumn(128);
  /** By virtual register: the piece that `search` found last. */
  private lastFound: IndexArray<IntervalPiece, VirtualRegister> = newColumn(128);
  /** The location of the first slot: after all registers. */
  private slotBase: number = SLOT;

  constructor(live: LiveIntervals, pieces: IntervalPieces, slots: SlotMap) {
    this.live = live;
    this.pieces = pieces;
    this.slots = slots;
  }

  /**
   * @param order pieces by ascending start; those in memory may be absent
   * @param slotBase the location of the first slot: SLOT, unless there are more registers than code
   *   can name
   */
  write(
    lir: Lir,
    order: IndexArray<IntervalPiece>,
    orderCount: number,
    slotBase: number,
    allocation: Allocation,
  ): void {
    this.slotBase = slotBase;
    if (this.at.length < lir.vregCount) {
      this.at = sized(this.at, lir.vregCount);
      this.lastFound = sized(this.lastFound, lir.vregCount);
    }
    for (let v = FIRST_VREG; v < lir.vregCount; v++) {
      this.at[v] = firstPieceOf(v);
      this.lastFound[v] = firstPieceOf(v);
    }
    let next = 0;
    for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
      const first = lir.blockStart[b];
      const last = lir.terminatorOf(b);
      this.enterBlock(lir, b, first, allocation);
      for (let i = first; i <= last; i++) {
        if (i > first) this.finishDefinitions(lir, indexBefore(i), allocation);
        next = this.joinPieces(lir, order, orderCount, next, startOf(i), i > first, allocation);
        if (i === first) this.storePhis(lir, b, first, allocation);
        if (i === last && lir.successorStart[b + 1] - lir.successorStart[b] === 1) {
          const to = lir.successors[lir.successorStart[b]];
          this.joinEdge(lir, b, to, last, MoveOrder.Resolve, allocation);
        }
        next = this.joinPieces(lir, order, orderCount, next, inputOf(i), true, allocation);
        this.placeOperands(lir, i, allocation);
      }
    }
  }

  /**
   * Adds a move, unless it has no effect. Marks a target register as used, so that the prologue
   * saves it if necessary.
   */
  private move(
    lir: Lir,
    group: Position,
    vreg: VirtualRegister,
    from: Location,
    to: Location,
    allocation: Allocation,
    derivation = NO_DERIVATION,
  ): void {
    if (from === to && derivation === NO_DERIVATION) return;
    if (to < this.slotBase) allocation.usedRegisters[to] = 1;
    const type = lir.vregType[vreg];
    allocation.addMove(instructionAt(group), orderOf(group), from, to, type, derivation);
  }

  /** Adds a move from a piece, whose location is read at `position`. */
  private moveFrom(
    lir: Lir,
    group: Position,
    piece: IntervalPiece,
    position: Position,
    target: VirtualRegister,
    to: Location,
    allocation: Allocation,
  ): void {
    const value = this.pieces.vreg[piece];
    const base = this.live.base[value];
    if (base === NONE || this.pieces.location[piece] >= 0) {
      this.move(lir, group, target, this.locationOf(piece), to, allocation);
      return;
    }
    const i = this.live.remat[value];
    const read = lir.typeOf(vregOf(lir.operand[lir.operandStart[i] + 1]));
    const from = this.search(base, position);
    allocation.events[EVENT.derived]++;
    this.move(lir, group, target, from, to, allocation, derivationBy(i, read));
  }

  private locationOf(piece: IntervalPiece): Location {
    const location = this.pieces.location[piece];
    if (location >= 0) return location;
    const vreg = this.pieces.vreg[piece];
    const remat = this.live.remat[vreg];
    return remat === NONE ? this.slotOf(vreg) : rematerializedBy(remat);
  }

  private slotOf(vreg: VirtualRegister): Location {
    return locationOfWord(this.slotBase + this.slots.unit[vreg]);
  }

  /**
   * Returns the location of `vreg` at `position`, which is after `reached`, the position of the
   * walk.
   */
  private find(vreg: VirtualRegister, reached: Position, position: Position): Location {
    return this.locationOf(this.findPiece(vreg, reached, position));
  }

  private findPiece(vreg: VirtualRegister, reached: Position, position: Position): IntervalPiece {
    const { end, next } = this.pieces;
    let piece = this.at[vreg];
    while (end[piece] <= reached) piece = next[piece];
    this.at[vreg] = piece;
    while (end[piece] <= position) piece = next[piece];
    return piece;
  }

  /**
   * Returns the location at any position. Edges are mostly short, so the search starts at the piece
   * that it found last.
   */
  private search(vreg: VirtualRegister, position: Position): Location {
    return this.locationOf(this.searchPiece(vreg, position));
  }

  private searchPiece(vreg: VirtualRegister, position: Position): IntervalPiece {
    const { start, end, next, previous } = this.pieces;
    let piece = this.lastFound[vreg];
    while (start[piece] > position && previous[piece] !== NONE) piece = previous[piece];
    while (end[piece] <= position) piece = next[piece];
    this.lastFound[vreg] = piece;
    return piece;
  }

  private enterBlock(lir: Lir, b: Block, first: Instruction, allocation: Allocation): void {
    const { predecessorStart, predecessors } = this.live.liveness;
    if (predecessorStart[b + 1] - predecessorStart[b] !== 1) return;
    const from = predecessors[predecessorStart[b]];
    if (lir.successorStart[from + 1] - lir.successorStart[from] === 1) return;
    this.joinEdge(lir, from, b, first, MoveOrder.AfterDefinition, allocation);
  }

  private joinEdge(
    lir: Lir,
    from: Block,
    to: Block,
    gap: Instruction,
    order: MoveOrder,
    allocation: Allocation,
  ): void {
    const { words, liveIn, globals, firstWord, endWord, marks, markWords } = this.live.liveness;
    const terminator = lir.terminatorOf(from);
    // With one successor: the position just before the edge's own group.
    const leaving = order === MoveOrder.Resolve ? startOf(terminator) : outputOf(terminator);
    const entering = startOf(lir.blockStart[to]);
    const group = groupOf(gap, order);
    for (let s = firstWord[to] >>> 5; 32 * s < endWord[to]; s++) {
      for (let marked = marks[to * markWords + s]; marked !== 0; marked &= marked - 1) {
        const w = 32 * s + 31 - Math.clz32(marked & -marked);
        for (let bits = liveIn[to * words + w]; bits !== 0; bits &= bits - 1) {
          const vreg = globals[32 * w + 31 - Math.clz32(bits & -bits)];
          if (this.pieces.next[firstPieceOf(vreg)] === NONE) continue; // the location never changes
          const target = this.search(vreg, entering);
          if (target >= this.slotBase) continue;
          const piece = this.searchPiece(vreg, leaving);
          this.moveFrom(lir, group, piece, leaving, vreg, target, allocation);
        }
      }
    }
    const phi = lir.phiStart[to] - lir.phiInputStart[from];
    for (let k = lir.phiInputStart[from]; k < lir.phiInputStart[from + 1]; k++) {
      const target = lir.phis[phi + k];
      const source = this.search(lir.vregRoot[lir.phiInputs[k]], leaving);
      this.move(lir, group, target, source, this.search(target, entering), allocation);
    }
  }

  private storePhis(lir: Lir, b: Block, first: Instruction, allocation: Allocation): void {
    for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) {
      const phi = lir.phis[k];
      const location = this.search(phi, startOf(first));
      if (this.slots.unit[phi] === NONE || location >= this.slotBase) continue;
      this.move(lir, resolveOf(first), phi, location, this.slotOf(phi), allocation);
    }
  }

  /**
   * Adds the moves after instruction i: from fixed registers to the results' locations, and to
   * their slots.
   */
  private finishDefinitions(lir: Lir, i: Instruction, allocation: Allocation): void {
    const group = endOf(i);
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Definition) return;
      const vreg = vregOf(word);
      // false for a redefinition: the value that it renames is in its slot already
      const hasSlot = this.slots.unit[vreg] !== NONE;
      const location = lir.location[o];
      if (policyOf(word) === OperandPolicy.Fixed) {
        if (this.live.firstRange[vreg] === NONE) continue;
        const target = this.search(vreg, group);
        this.move(lir, group, vreg, location, target, allocation);
        if (target >= this.slotBase) continue;
      }
      if (hasSlot) this.move(lir, group, vreg, location, this.slotOf(vreg), allocation);
    }
  }

  /** Adds moves to the pieces that start at `group`; passes over those that start earlier. */
  private joinPieces(
    lir: Lir,
    order: IndexArray<IntervalPiece>,
    orderCount: number,
    from: number,
    group: Position,
    isInBlock: boolean,
    allocation: Allocation,
  ): number {
    const { start, end, previous, location, vreg } = this.pieces;
    let at = from;
    for (; at < orderCount && start[order[at]] <= group; at++) {
      const piece = order[at];
      const last = previous[piece];
      // The edges join a piece that starts with its block. After a hole there is no value to move.
      if (start[piece] < group || !isInBlock || last === NONE || end[last] < group) continue;
      if (location[piece] < 0) continue;
      const to = location[piece];
      this.moveFrom(lir, group, last, before(group), vreg[piece], to, allocation);
    }
    return at;
  }

  /** Moves the virtual register to the location that an operand demands, before instruction i. */
  private moveInput(
    lir: Lir,
    i: Instruction,
    vreg: VirtualRegister,
    to: Location,
    allocation: Allocation,
  ): void {
    const input = inputOf(i);
    const piece = this.findPiece(vreg, startOf(i), before(input));
    this.moveFrom(lir, input, piece, before(input), vreg, to, allocation);
  }

  private placeOperands(lir: Lir, i: Instruction, allocation: Allocation): void {
    const { location } = lir;
    const reached = startOf(i);
    const input = inputOf(i);
    // The n-th definition that reuses an input has the location of the n-th such use
    // (live-intervals.ts).
    let reuses = 0;
    const start = lir.operandStart[i];
    let nextReuse = start;
    let nextCopy = -1;
    for (let o = start; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      const vreg = lir.vregRoot[vregOf(word)];
      const policy = policyOf(word);
      const role = roleOf(word);
      if (policy === OperandPolicy.Fixed) {
        location[o] = fixedOf(word);
        if (role <= OperandRole.Use) {
          this.moveInput(lir, i, vreg, location[o], allocation);
        }
      } else if (policy === OperandPolicy.Stack) {
        location[o] = this.slotOf(vreg);
      } else if (policy === OperandPolicy.Redefined) {
        continue; // handled below
      } else if (role >= OperandRole.Definition) {
        location[o] = this.find(vreg, reached, outputOf(i));
        if (policy === OperandPolicy.MustReuseInput) reuses++;
      } else if (reuses > 0) {
        reuses--;
        while (policyOf(lir.operand[nextReuse]) !== OperandPolicy.MustReuseInput) nextReuse++;
        location[o] = location[nextReuse++];
        this.moveInput(lir, i, vreg, location[o], allocation);
      } else if (policy === OperandPolicy.Copy) {
        nextCopy = lir.copyTemp(nextCopy < 0 ? o : nextCopy);
        location[o] = this.find(vregOf(lir.operand[nextCopy]), reached, input);
        this.moveInput(lir, i, vreg, location[o], allocation);
      } else if (
        policy === OperandPolicy.Register ||
        (role === OperandRole.UseAtStart && policy === OperandPolicy.Any)
      ) {
        const shared = sharedReuse(lir, o, start);
        location[o] = shared === NONE ? this.find(vreg, reached, input) : location[shared];
      } else {
        location[o] = this.find(vreg, reached, outputOf(i));
      }
      if (location[o] < this.slotBase) allocation.usedRegisters[location[o]] = 1;
    }
    if (start === lir.operandStart[i + 1]) return;
    if (policyOf(lir.operand[start]) === OperandPolicy.Redefined)
      location[start] = location[start + 1];
  }
}
