// Emission: allocated LIR to machine code, for any target. The order of everything is decided
// before; here each instruction is written by its row, and the moves of each gap before it.

import type { Type } from "../../src/ir/types.js";
import type { Target } from "../lower/target.js";
import { type Allocation, MOVE_STRIDE } from "../regalloc/allocation.js";
import type { MoveList, Sequentialize } from "../regalloc/parallel-moves.js";
import type { CodeBuffer } from "./code-buffer.js";
import type { EmitContext } from "./emit-context.js";
import { emitTables } from "./emit-switch.js";
import { NOWHERE } from "./lir.js";

export interface EmitTools<Asm> {
  readonly target: Target<Asm>;
  readonly asm: Asm;
  readonly code: CodeBuffer;
  readonly sequentialize: Sequentialize;
  /** Reused: the single moves that a parallel move becomes. */
  readonly singles: MoveList;
  /** Leave out blocks that only jump. */
  readonly threadsJumps: boolean;
  /**
   * Called before each instruction is written, with its index, for listings; null on the fast path.
   */
  readonly beforeInstruction: ((instruction: number) => void) | null;
}

/**
 * Writes one procedure; its first byte is the prologue's. Labels of exit stubs are made, not bound.
 */
export function emitProcedure<Asm>(
  tools: EmitTools<Asm>,
  context: EmitContext,
  allocation: Allocation,
): void {
  const { target, asm, code, beforeInstruction } = tools;
  const { lir } = context;
  const isLeftOut = labelBlocks(tools, context, allocation);
  for (let g = 0; g < lir.guards.length; g++) context.stubLabels[g] = code.newLabel();
  context.epilogue = () => target.writer.epilogue(asm, context);
  target.writer.prologue(asm, context);
  let move = 0;
  for (let b = 0; b < lir.blockCount; b++) {
    if (isLeftOut[b] !== 0) {
      while (move < allocation.moveCount && gapOf(allocation, move) === lir.blockStart[b]) move++;
      continue;
    }
    context.block = b;
    let next = b + 1;
    while (next < lir.blockCount && isLeftOut[next] !== 0) next++;
    context.nextLabel = context.blockLabels[next];
    code.bind(context.blockLabels[b]);
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      move = emitMoves(tools, context, allocation, move, i);
      beforeInstruction?.(i);
      target.rows[lir.opcode[i]].emit(asm, context, i);
    }
  }
  code.bind(context.blockLabels[lir.blockCount]);
  emitTables(code, context.tables);
}

/**
 * Gives every block a label. At O1 a block that does nothing but jump (a split edge without moves)
 * gets the label of where it jumps to and is left out: 1 in the result.
 */
function labelBlocks<Asm>(
  { target, code, threadsJumps }: EmitTools<Asm>,
  { lir, blockLabels }: EmitContext,
  allocation: Allocation,
): Uint8Array {
  const { blockCount, blockStart, successorStart, successors } = lir;
  const isLeftOut = new Uint8Array(blockCount);
  let move = 0;
  for (let b = 0; b < blockCount; b++) {
    const i = blockStart[b];
    while (move < allocation.moveCount && gapOf(allocation, move) < i) move++;
    const isJump =
      blockStart[b + 1] === i + 1 &&
      target.rows[lir.opcode[i]].isTerminator &&
      successorStart[b + 1] === successorStart[b] + 1;
    if (threadsJumps && isJump && !hasRealMove(allocation, move, i)) isLeftOut[b] = 1;
  }
  for (let b = 0; b <= blockCount; b++) blockLabels[b] = code.newLabel();
  for (let b = 0; b < blockCount; b++) {
    if (isLeftOut[b] === 0) continue;
    let end = b;
    let steps = 0;
    while (isLeftOut[end] !== 0 && steps++ < blockCount) end = successors[successorStart[end]];
    // An endless loop of jumps has to stand somewhere.
    if (isLeftOut[end] !== 0) isLeftOut[b] = 0;
    else blockLabels[b] = blockLabels[end];
  }
  return isLeftOut;
}

const gapOf = ({ moves }: Allocation, move: number): number => moves[move * MOVE_STRIDE] >> 2;

function hasRealMove({ moves, moveCount }: Allocation, first: number, gap: number): boolean {
  for (let m = first; m < moveCount && moves[m * MOVE_STRIDE] >> 2 === gap; m++) {
    if (moves[m * MOVE_STRIDE + 1] !== moves[m * MOVE_STRIDE + 2]) return true;
  }
  return false;
}

/**
 * Writes the moves of the gap before instruction i, group by group; returns the index of the next
 * move.
 */
function emitMoves<Asm>(
  tools: EmitTools<Asm>,
  context: EmitContext,
  { moves, moveCount }: Allocation,
  firstMove: number,
  i: number,
): number {
  let first = firstMove;
  while (first < moveCount && moves[first * MOVE_STRIDE] >> 2 === i) {
    const group = moves[first * MOVE_STRIDE];
    let end = first + 1;
    while (end < moveCount && moves[end * MOVE_STRIDE] === group) end++;
    emitParallelMove(tools, context, moves, first, end);
    first = end;
  }
  return first;
}

function emitParallelMove<Asm>(
  tools: EmitTools<Asm>,
  context: EmitContext,
  moves: Int32Array,
  first: number,
  end: number,
): void {
  const { target, asm, singles } = tools;
  tools.sequentialize(moves, first, end, target.registers, singles);
  for (let m = 0; m < singles.count; m++) {
    const [from, to] = [singles.from[m], singles.to[m]];
    if (from !== NOWHERE) {
      // A type is kept as the number that it is in memory.
      target.writer.move(asm, context, from, to, singles.type[m] as Type);
    }
  }
}
