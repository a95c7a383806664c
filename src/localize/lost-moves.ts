// Finds the move that an allocation lacks. If the allocator has omitted a move, the reader of the place finds another
// value there, so only the reader is known. The search inserts moves that bring the value from a location that it has
// to the location that is read. It selects the one that leaves the checker the fewest faults.
// 1. It may be missing on an edge, before the reader, or, if it is a spill store, after the definition.
// 2. A value comes from locations that other instructions use; a Phi, on its edges, from those of its inputs.
// 3. It may end in the reader's location, or in one from which moves before the reader take the value.
// 4. If several moves are equally good, the first of them is selected.

import { Compiler, type GenerateOptions } from "../../reference/compile.js";
import type { Lir } from "../../reference/lir/lir.js";
import { REMAT, Role, roleOf, vregOf } from "../../reference/lir/lir.js";
import type { Parts } from "../../reference/parts.js";
import { type Allocation, MoveOrder } from "../../reference/regalloc/allocation.js";
import { AllocationChecker } from "../../reference/regalloc/check/check.js";
import type { LoweringPlan } from "../../reference/target/plan.js";
import { InternalError } from "../support/assert.js";
import {
  describeGroup,
  type Generate,
  type Move,
  movesOf,
  type WrongMoves,
  withMoves,
} from "./wrong-moves.js";

/** The greatest number of readers that are tried. */
const READERS_MAX = 8;
/** The greatest number of places that are tried for each reader. */
const TARGETS_MAX = 6;
/**
 * The number of blocks from which on only the edges to the reader's own block are tried: each try is a run of the
 * checker.
 */
const BLOCKS_MAX = 200;

/** Returns the move that the first wrong procedure lacks; null if no single one reduces the faults. */
export function lostByAllocator(parts: Parts, generate: Generate): WrongMoves | null {
  let found: WrongMoves | null = null;
  const unclean: Parts = { ...parts, cleanUp: () => () => {} };
  const onLir: GenerateOptions["onLir"] = (stage, lir, allocation, plan, { name }) => {
    if (stage === "lower" || found !== null) return;
    const search = new LostMoveSearch(lir, allocation, plan);
    const lost = search.find();
    if (lost === null) return;
    const made = search.moves.filter(({ word }) => word === lost.word);
    found = describeGroup([...made, lost], made, lost, null, { lir, plan, name });
  };
  try {
    generate(new Compiler(unclean), { checkAllocation: false, onLir });
  } catch (error) {
    if (!(error instanceof InternalError)) throw error; // emission may fail on a wrong allocation
  }
  return found;
}

class LostMoveSearch {
  readonly moves: readonly Move[];
  private readonly lir: Lir;
  private readonly allocation: Allocation;
  private readonly plan: LoweringPlan;
  private readonly checker = new AllocationChecker();
  private readonly blockOf: Int32Array;

  constructor(lir: Lir, allocation: Allocation, plan: LoweringPlan) {
    this.lir = lir;
    this.allocation = allocation;
    this.plan = plan;
    this.moves = movesOf(allocation);
    this.blockOf = new Int32Array(lir.instructionCount);
    for (let b = 0; b < lir.blockCount; b++) {
      this.blockOf.fill(b, lir.blockStart[b], lir.blockStart[b + 1]);
    }
  }

  find(): Move | null {
    const faults = this.faultsWith(null);
    if (faults === 0) return null;
    for (const reader of this.checker.missingOperands().slice(0, READERS_MAX)) {
      let [best, least]: [Move | null, number] = [null, faults];
      for (const move of this.candidates(reader)) {
        if (move.from === move.to) continue;
        const left = this.faultsWith(move);
        if (left < least) [best, least] = [move, left];
      }
      if (best !== null) return best;
    }
    return null;
  }

  private faultsWith(move: Move | null): number {
    const { lir, allocation, plan, moves, checker } = this;
    const tried = move === null ? allocation : withMoves(allocation, inserted(moves, move));
    return checker.check(lir, plan.rows, plan.target.registers, tried).length;
  }

  private *candidates(reader: number): Generator<Move> {
    const { lir } = this;
    const i = instructionOf(lir, reader);
    const targets = new Set([lir.location[reader]]);
    for (const target of targets) {
      yield* this.movesTo(target, reader, i);
      // The nearest first: a register is loaded for many readers.
      for (const { word, from, to } of this.moves.toReversed()) {
        if (to === target && word >> 2 <= i && targets.size < TARGETS_MAX) targets.add(from);
      }
    }
  }

  private *movesTo(to: number, reader: number, i: number): Generator<Move> {
    const { lir, blockOf } = this;
    const vreg = vregOf(lir.operand[reader]);
    const type = lir.typeOf(vreg);
    const sources = this.placesOf(vreg);
    const at = (gap: number, order: MoveOrder, from: number): Move => {
      return { word: 4 * gap + order, from, to, type };
    };
    for (const defined of definitionsOf(lir, vreg)) {
      for (const from of sources) yield at(defined + 1, MoveOrder.AfterDefinition, from);
    }
    for (let b = 0; b < lir.blockCount; b++) {
      for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
        const target = lir.successors[e];
        if (lir.blockCount > BLOCKS_MAX && target !== blockOf[i]) continue;
        const isJump = lir.successorStart[b + 1] - lir.successorStart[b] === 1;
        const gap = isJump ? lir.blockStart[b + 1] - 1 : lir.blockStart[target];
        const order = isJump ? MoveOrder.Resolve : MoveOrder.AfterDefinition;
        for (const from of this.sourcesOn(b, target, vreg)) yield at(gap, order, from);
      }
    }
    for (const from of sources) yield at(i, MoveOrder.BeforeUse, from);
  }

  /** Returns the possible locations of the value on that edge: a Phi is in the location of its input. */
  private sourcesOn(from: number, to: number, vreg: number): Iterable<number> {
    const { lir } = this;
    for (let k = lir.phiStart[to]; k < lir.phiStart[to + 1]; k++) {
      if (lir.phis[k] !== vreg) continue;
      return this.placesOf(lir.phiInputs[lir.phiInputStart[from] + k - lir.phiStart[to]]);
    }
    return this.placesOf(vreg);
  }

  /**
   * Returns the locations in which any instruction has the value, or to which moves take it; and the instruction that
   * rematerializes it.
   */
  private placesOf(vreg: number): ReadonlySet<number> {
    const { lir, plan } = this;
    const root = lir.vregRoot[vreg];
    const places = new Set<number>();
    for (let o = 0; o < lir.operandCount; o++) {
      if (lir.vregRoot[vregOf(lir.operand[o])] === root) places.add(lir.location[o]);
    }
    for (const { from, to } of this.moves) {
      if (places.has(from)) places.add(to);
      else if (places.has(to)) places.add(from);
    }
    for (const i of definitionsOf(lir, root)) {
      if (plan.rows[lir.opcode[i]].rematerializable) places.add(REMAT + i);
    }
    return places;
  }
}

function inserted(moves: readonly Move[], move: Move): Move[] {
  const behind = moves.findIndex(({ word }) => word > move.word);
  const at = behind < 0 ? moves.length : behind;
  return [...moves.slice(0, at), move, ...moves.slice(at)];
}

function instructionOf(lir: Lir, operand: number): number {
  let i = 0;
  while (lir.operandStart[i + 1] <= operand) i++;
  return i;
}

/** Returns at most one definition; none for a Phi. */
function definitionsOf(lir: Lir, vreg: number): number[] {
  for (let o = 0; o < lir.operandCount; o++) {
    const word = lir.operand[o];
    if (roleOf(word) === Role.Definition && vregOf(word) === vreg) return [instructionOf(lir, o)];
  }
  return [];
}
