// Finds the copies that colouring coalesces: moves that disappear if both of their sides have one
// register.
//
// The copies that the LIR demands are found once: operands in fixed registers, definitions that
// reuse an input, copied uses, inputs of Phis. Moves also join the pieces of split intervals; these
// change with every split. Positions are those at which the moves read and write
// (assign-locations.ts).

import {
  type Block,
  FIRST_BLOCK,
  type IndexArray,
  type Instruction,
  newColumn,
  type VirtualRegister,
} from "../../lir/indices.js";
import {
  fixedOf,
  type Lir,
  OperandPolicy,
  OperandRole,
  policyOf,
  roleOf,
  vregOf,
} from "../../lir/lir.js";
import { NONE, widen } from "../arenas.js";
import type { BlockWeights } from "../block-weights.js";
import type { LiveIntervals } from "../live-intervals.js";
import { firstPieceOf, IN_SLOT, type IntervalPiece, type IntervalPieces } from "../pieces.js";
import { before, endOf, inputOf, outputOf, type Position, startOf } from "../positions.js";
import type { GraphColouring } from "./colour-graph.js";
import {
  type GraphNode,
  type InterferenceGraph,
  isNode,
  isRegisterSide,
  type RegisterSide,
  sideOf,
} from "./interference-graph.js";

/**
 * The cost of one side of a copy in memory, as a fraction of the copy's weight. The copy becomes a
 * load or a store; if both sides had registers, half of the copies would disappear.
 */
const COST_SHARE = 0.5;

/**
 * The cost of a copy to the first of two joined pieces in memory, which is a load, as a fraction of
 * the copy's weight.
 */
const JOINT_SHARE = 1;

export class CopyCandidates {
  private readonly live: LiveIntervals;
  private readonly weights: BlockWeights;
  private readonly pieces: IntervalPieces;
  private readonly graph: InterferenceGraph;

  // By copy of the LIR: a virtual register and its position; another virtual register, or a
  // register as a side, and its position; and the block.
  private vreg: IndexArray<VirtualRegister> = newColumn(64);
  private position: IndexArray<Position> = newColumn(64);
  private other: IndexArray<VirtualRegister | RegisterSide> = newColumn(64);
  private otherPosition: IndexArray<Position> = newColumn(64);
  private block: IndexArray<Block> = newColumn(64);
  private count = 0;

  constructor(
    live: LiveIntervals,
    weights: BlockWeights,
    pieces: IntervalPieces,
    graph: InterferenceGraph,
  ) {
    this.live = live;
    this.weights = weights;
    this.pieces = pieces;
    this.graph = graph;
  }

  /** Finds the copies that the LIR demands. */
  collect(lir: Lir): void {
    this.count = 0;
    for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
      for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) this.collectAt(lir, b, i);
      const leaving = leavingOf(lir, b);
      for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
        const to = lir.successors[lir.successorStart[b]];
        const phi = lir.phis[lir.phiStart[to] + k - lir.phiInputStart[b]];
        this.add(lir.vregRoot[lir.phiInputs[k]], leaving, phi, startOf(lir.blockStart[to]), b);
      }
    }
  }

  private collectAt(lir: Lir, b: Block, i: Instruction): void {
    const input = inputOf(i);
    // The n-th definition that reuses an input reuses that of the n-th such use
    // (live-intervals.ts).
    let reuses = 0;
    let nextReuse = lir.operandStart[i];
    let nextCopy: number = NONE;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      const vreg = lir.vregRoot[vregOf(word)];
      const policy = policyOf(word);
      const role = roleOf(word);
      if (role === OperandRole.Temp) continue;
      if (role === OperandRole.Definition) {
        if (policy === OperandPolicy.MustReuseInput) reuses++;
        else if (policy === OperandPolicy.Fixed && this.live.firstRange[vreg] !== NONE) {
          this.add(vreg, endOf(i), sideOf(fixedOf(word)), NONE, b);
        }
      } else if (reuses > 0) {
        reuses--;
        while (policyOf(lir.operand[nextReuse]) !== OperandPolicy.MustReuseInput) nextReuse++;
        this.add(vreg, before(input), vregOf(lir.operand[nextReuse++]), input, b);
      } else if (policy === OperandPolicy.Copy) {
        nextCopy = lir.copyTemp(nextCopy === NONE ? o : nextCopy);
        this.add(vreg, before(input), vregOf(lir.operand[nextCopy]), input, b);
      } else if (policy === OperandPolicy.Fixed) {
        this.add(vreg, before(input), sideOf(fixedOf(word)), NONE, b);
      }
    }
  }

  private add(
    vreg: VirtualRegister,
    position: Position,
    other: VirtualRegister | RegisterSide,
    otherPosition: Position,
    block: Block,
  ): void {
    const copy = this.count++;
    if (copy === this.vreg.length) {
      this.vreg = widen(this.vreg);
      this.position = widen(this.position);
      this.other = widen(this.other);
      this.otherPosition = widen(this.otherPosition);
      this.block = widen(this.block);
    }
    this.vreg[copy] = vreg;
    this.position[copy] = position;
    this.other[copy] = other;
    this.otherPosition[copy] = otherPosition;
    this.block[copy] = block;
  }

  /** Adds the copies between nodes to `colouring`, and their shares to the costs. */
  addTo(lir: Lir, colouring: GraphColouring): void {
    const { weight } = this.weights;
    for (let c = 0; c < this.count; c++) {
      const x = this.nodeAt(this.vreg[c], this.position[c]);
      const other = this.other[c];
      const y = isRegisterSide(other) ? other : this.nodeAt(other, this.otherPosition[c]);
      const saved = weight[this.block[c]];
      if (x !== NONE) colouring.cost[x] += COST_SHARE * saved;
      if (isNode(y)) colouring.cost[y] += COST_SHARE * saved;
      if (x !== NONE && y !== NONE) colouring.addCopy(x, y, saved);
    }
    if (this.pieces.count === lir.vregCount) return; // nothing was split
    for (let b = FIRST_BLOCK; b < lir.blockCount; b++) this.addOnEdges(lir, b, colouring);
  }

  /** Adds the copy between two pieces of one interval that are adjacent inside a block. */
  addJoint(
    before: IntervalPiece,
    after: IntervalPiece,
    weight: number,
    colouring: GraphColouring,
  ): void {
    const x = this.graph.nodeOf[before];
    const y = this.graph.nodeOf[after];
    if (x !== NONE && y !== NONE) this.addJointOf(x, y, weight, colouring);
  }

  /**
   * Adds the copy. If the first piece is in memory, the second must be loaded; if the second is in
   * memory, nothing is moved.
   */
  private addJointOf(
    before: GraphNode,
    after: GraphNode,
    weight: number,
    colouring: GraphColouring,
  ): void {
    colouring.cost[before] += JOINT_SHARE * weight;
    colouring.addJoint(before, after, weight);
  }

  private nodeAt(vreg: VirtualRegister, position: Position): GraphNode {
    const { end, next, location } = this.pieces;
    let piece = firstPieceOf(vreg);
    while (end[piece] <= position) piece = next[piece];
    return location[piece] === IN_SLOT ? NONE : this.graph.nodeOf[piece];
  }

  /** Adds the copies between pieces of one interval that are joined on the edges to block `to`. */
  private addOnEdges(lir: Lir, to: Block, colouring: GraphColouring): void {
    const { words, liveIn, globals, firstWord, endWord } = this.live.liveness;
    const { predecessorStart, predecessors } = this.live.liveness;
    const entering = startOf(lir.blockStart[to]);
    for (let w = firstWord[to]; w < endWord[to]; w++) {
      for (let bits = liveIn[to * words + w]; bits !== 0; bits &= bits - 1) {
        const vreg = globals[32 * w + 31 - Math.clz32(bits & -bits)];
        if (this.pieces.next[firstPieceOf(vreg)] === NONE) continue;
        const y = this.nodeAt(vreg, entering);
        if (y === NONE) continue;
        for (let e = predecessorStart[to]; e < predecessorStart[to + 1]; e++) {
          const from = predecessors[e];
          const x = this.nodeAt(vreg, leavingOf(lir, from));
          if (x === NONE || x === y) continue;
          const isOnly = lir.successorStart[from + 1] - lir.successorStart[from] === 1;
          this.addJointOf(x, y, this.weights.weight[isOnly ? from : to], colouring);
        }
      }
    }
  }
}

/** Returns the position at which the moves of the block's outgoing edges read. */
function leavingOf(lir: Lir, b: Block): Position {
  const terminator = lir.terminatorOf(b);
  const hasOneSuccessor = lir.successorStart[b + 1] - lir.successorStart[b] === 1;
  return hasOneSuccessor ? startOf(terminator) : outputOf(terminator);
}
