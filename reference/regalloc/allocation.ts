// What an allocator gives back: a location for every operand (in Lir.location), the moves between
// instructions, and what the frame must hold.
//
// Moves stand in gaps: gap i is the place just before instruction i. In one gap up to three groups
// run one after the other; the moves inside a group happen all at once (a parallel move).

import { EVENTS } from "./events.js";

/** The order of groups in a gap. */
export const MoveOrder = {
  /** From the registers that instruction i - 1 was made to define to where its results live. */
  AfterDefinition: 0,
  /**
   * Joins the pieces of an interval: at a split, at the start of a block, at its end before the
   * jump.
   */
  Resolve: 1,
  /** Puts the inputs of instruction i where its policies demand. */
  BeforeUse: 2,
} as const;
export type MoveOrder = (typeof MoveOrder)[keyof typeof MoveOrder];

/** The order of a move of that first word. The cast: addMove puts nothing else into these bits. */
export const orderOf = (word: number): MoveOrder => (word & 3) as MoveOrder;

/** Int32s per move: gap * 4 + order, from, to, type. */
export const MOVE_STRIDE = 4;

export class Allocation {
  /** Sorted by the first word; `MOVE_STRIDE` words each. */
  moves = new Int32Array(MOVE_STRIDE * 256);
  moveCount = 0;
  /** Size of the spill area in 4-byte units. */
  spillUnits = 0;
  /** By register of the unified numbering: 1 if anything is ever put there. */
  readonly usedRegisters = new Uint8Array(64);
  /** By row of EVENTS: how often it occurred. */
  readonly events: Int32Array<ArrayBuffer> = new Int32Array(EVENTS.length);

  reset(): void {
    this.moveCount = 0;
    this.spillUnits = 0;
    this.usedRegisters.fill(0);
    this.events.fill(0);
  }

  addMove(gap: number, order: MoveOrder, from: number, to: number, type: number): void {
    const at = MOVE_STRIDE * this.moveCount++;
    if (at === this.moves.length) {
      const larger = new Int32Array(this.moves.length * 2);
      larger.set(this.moves);
      this.moves = larger;
    }
    this.moves[at] = gap * 4 + order;
    this.moves[at + 1] = from;
    this.moves[at + 2] = to;
    this.moves[at + 3] = type;
  }
}
