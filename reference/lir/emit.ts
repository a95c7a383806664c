// Emission: allocated LIR to machine code, for any target. The order of everything is decided
// before; here each instruction is written by its row, and the moves of each gap before it.

import type { Type } from "../../src/ir/types.js";
import type { Target } from "../lower/target.js";
import { type Allocation, MOVE_STRIDE } from "../regalloc/allocation.js";
import type { MoveList, Sequentialize } from "../regalloc/parallel-moves.js";
import type { CodeBuffer } from "./code-buffer.js";
import type { EmitContext } from "./emit-context.js";
import { NOWHERE } from "./lir.js";

export interface EmitTools<Asm> {
  readonly target: Target<Asm>;
  readonly asm: Asm;
  readonly code: CodeBuffer;
  readonly sequentialize: Sequentialize;
  /** Reused: the single moves that a parallel move becomes. */
  readonly singles: MoveList;
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
  for (let b = 0; b <= lir.blockCount; b++) context.blockLabels[b] = code.newLabel();
  for (let g = 0; g < lir.guards.length; g++) context.stubLabels[g] = code.newLabel();
  context.epilogue = () => target.writer.epilogue(asm, context);
  target.writer.prologue(asm, context);
  let move = 0;
  for (let b = 0; b < lir.blockCount; b++) {
    context.block = b;
    code.bind(context.blockLabels[b]);
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      move = emitMoves(tools, context, allocation, move, i);
      beforeInstruction?.(i);
      target.rows[lir.opcode[i]].emit(asm, context, i);
    }
  }
  code.bind(context.blockLabels[lir.blockCount]);
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
