// Positions in a procedure: the order in which instructions and move groups read and write. A position is the word of a
// move group, 4 * gap + order (MoveOrder). So the four positions of instruction i are
//   startOf(i)    the AfterDefinition moves of its gap are done; at a block's start: its edge moves
//   resolveOf(i)  the Resolve moves
//   inputOf(i)    the BeforeUse moves: the instruction reads its inputs (its input half)
//   outputOf(i)   the instruction writes its outputs (its output half)
// A move of group p reads where values are at before(p) and writes where they are at p.

import type { Index, Instruction } from "../lir/indices.js";

export type Position = Index<"Position">;

const positionAt = (word: number): Position => word as Position;

export const FIRST_POSITION = positionAt(0);
/** Later than every position. */
export const NEVER = positionAt(0x7fff_ffff);

/**
 * Returns the position of a move group, which is its word.
 *
 * @param order a MoveOrder (allocation.ts)
 */
export const groupOf = (gap: Instruction, order: 0 | 1 | 2): Position =>
  positionAt(4 * gap + order);

export const startOf = (instruction: Instruction): Position => positionAt(4 * instruction);
export const resolveOf = (instruction: Instruction): Position => positionAt(4 * instruction + 1);
export const inputOf = (instruction: Instruction): Position => positionAt(4 * instruction + 2);
export const outputOf = (instruction: Instruction): Position => positionAt(4 * instruction + 3);
/** Returns the position after the instruction: the start of the next one. */
export const endOf = (instruction: Instruction): Position => positionAt(4 * instruction + 4);

export const before = (position: Position): Position => positionAt(position - 1);
export const after = (position: Position): Position => positionAt(position + 1);

export const instructionAt = (position: Position): Instruction => (position >> 2) as Instruction;

/** Returns whether an instruction writes at this position: no move is possible there. */
export const isOutput = (position: Position): boolean => (position & 3) === 3;
