// The result of an allocator: a location for every operand (in Lir.location), the moves between
// instructions, and the size of the frame's spill area.
//
// Moves belong to gaps: gap i is the gap just before instruction i. A gap has up to three groups of
// moves, which run one after the other. The moves of one group run all at once (a parallel move).

import type { Type } from "../../src/ir/types.js";
import type { Instruction, Location } from "../lir/indices.js";
import { typeOfWord } from "../lir/lir.js";
import { EVENTS } from "./events.js";
import { groupOf } from "./positions.js";
import type { AllocationTrace } from "./trace.js";

/** The order of groups in a gap. */
export const MoveOrder = {
  /**
   * From the registers in which the policies of instruction i - 1 put its results to the locations
   * of these results.
   */
  AfterDefinition: 0,
  /**
   * Joins the pieces of an interval: at a split, at the start of a block, or at its end before the
   * jump.
   */
  Resolve: 1,
  /** Moves the inputs of instruction i to the locations that its policies demand. */
  BeforeUse: 2,
} as const;
export type MoveOrder = (typeof MoveOrder)[keyof typeof MoveOrder];

/**
 * Returns the group order in a move's first word. The cast holds because addMove writes only a
 * MoveOrder into these bits.
 */
export const orderOf = (word: number): MoveOrder => (word & 3) as MoveOrder;

/** Returns the gap in a move's first word. The cast holds because addMove writes a gap there. */
export const gapOf = (word: number): Instruction => (word >> 2) as Instruction;

/** Int32s per move: its group (groupOf), from, to, type, derivation. */
export const MOVE_STRIDE = 5;

/** The derivation of a move that copies its source. */
export const NO_DERIVATION = 0;

/**
 * Returns the derivation of a move that applies instruction `i` to its source, of type `base`, and
 * writes the result to a register. The row of `i` is `derivable`.
 */
export const derivationBy = (i: Instruction, base: Type): number => (i << TYPE_BITS) | base;
const TYPE_BITS = 3;

/** Returns the instruction that a derivation applies. */
export const derivingInstruction = (derivation: number): Instruction =>
  (derivation >> TYPE_BITS) as Instruction;

/** Returns the type that a move reads from its source. */
export const sourceType = (type: number, derivation: number): Type =>
  typeOfWord(derivation === NO_DERIVATION ? type : derivation & ((1 << TYPE_BITS) - 1));

export class Allocation {
  /** Sorted by the first word; `MOVE_STRIDE` words each. */
  moves = new Int32Array(MOVE_STRIDE * 256);
  moveCount = 0;
  /** Size of the spill area in 4-byte units. */
  spillUnits = 0;
  /** By register of the unified numbering: 1 if any operand or move writes it. */
  readonly usedRegisters = new Uint8Array(64);
  /** By row of EVENTS: how often it occurred. */
  readonly events: Int32Array<ArrayBuffer> = new Int32Array(EVENTS.length);
  /** Receives each decision of the allocator; null: nobody does. `reset` keeps it. */
  trace: AllocationTrace | null = null;

  reset(): void {
    this.moveCount = 0;
    this.spillUnits = 0;
    this.usedRegisters.fill(0);
    this.events.fill(0);
  }

  addMove(
    gap: Instruction,
    order: MoveOrder,
    from: Location,
    to: Location,
    type: number,
    derivation = NO_DERIVATION,
  ): void {
    const at = MOVE_STRIDE * this.moveCount++;
    if (at === this.moves.length) {
      const larger = new Int32Array(this.moves.length * 2);
      larger.set(this.moves);
      this.moves = larger;
    }
    this.moves[at] = groupOf(gap, order);
    this.moves[at + 1] = from;
    this.moves[at + 2] = to;
    this.moves[at + 3] = type;
    this.moves[at + 4] = derivation;
  }
}
