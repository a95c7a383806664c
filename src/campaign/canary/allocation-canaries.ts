// Plants bugs in every allocator: each omits a rule of allocation that an author could have
// forgotten. The checker finds them; without the checker, the behavior of the code shows them.

import type { Lir, LirFacts } from "../../../reference/lir/lir.js";
import {
  OperandPolicy,
  OperandRole,
  packOperand,
  policyOf,
  vregOf,
} from "../../../reference/lir/lir.js";
import { PARTS } from "../../../reference/parts.js";
import { MOVE_STRIDE } from "../../../reference/regalloc/allocation.js";
import type { AllocateFunction } from "../../../reference/regalloc/allocator.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import type { JudgeOptions } from "../../compare/judge-program.js";

type PlantedAllocationBug = Pick<JudgeOptions, "parts" | "checkAllocation">;

/** Plants a bug in all allocators, with or without the allocation checker. */
const planting =
  (spoil: (allocate: AllocateFunction) => AllocateFunction) =>
  (checkAllocation: boolean): PlantedAllocationBug => {
    const allocators = { ...PARTS.allocators };
    for (const name of ALLOCATOR_NAMES) {
      allocators[name] = () => spoil(PARTS.allocators[name]());
    }
    return { parts: { ...PARTS, allocators }, checkAllocation };
  };

/** Assumes that calls destroy no register. */
export const keptByCalls = planting((allocate) => {
  let known: readonly LirFacts[] = [];
  let forgetful: readonly LirFacts[] = [];
  return (lir, rows, registers, allocation) => {
    if (rows !== known) forgetful = rows.map((row) => ({ ...row, isCall: false }));
    known = rows;
    allocate(lir, forgetful, registers, allocation);
  };
});

/** Assumes that values used only by an exit are dead before its guard ends. */
export const deadBeforeExit = planting((allocate) => (lir, rows, registers, allocation) => {
  const kept: number[] = [];
  for (let o = 0; o < lir.operandCount; o++) {
    const word = lir.operand[o];
    if (policyOf(word) !== OperandPolicy.KeepAlive) continue;
    kept.push(o);
    lir.operand[o] = packOperand(vregOf(word), OperandRole.UseAtStart, OperandPolicy.Any);
  }
  allocate(lir, rows, registers, allocation);
  for (const o of kept) {
    lir.operand[o] = packOperand(vregOf(lir.operand[o]), OperandRole.Use, OperandPolicy.KeepAlive);
  }
});

/** Loses every n-th move. */
export const loseMoves =
  (every: number) =>
  (allocate: AllocateFunction): AllocateFunction =>
  (lir, rows, registers, allocation) => {
    allocate(lir, rows, registers, allocation);
    const { moves, moveCount } = allocation;
    let kept = 0;
    for (let m = 0; m < moveCount; m++) {
      if (m % every === every - 1) continue;
      moves.copyWithin(kept * MOVE_STRIDE, m * MOVE_STRIDE, (m + 1) * MOVE_STRIDE);
      kept++;
    }
    allocation.moveCount = kept;
  };

/** Loses the last move before a jump to Phis. */
export const lostEdgeMove = planting((allocate) => (lir, rows, registers, allocation) => {
  allocate(lir, rows, registers, allocation);
  const { moves } = allocation;
  for (let b = lir.blockCount - 1; b >= 0; b--) {
    const at = lastMoveOf(lir, b, moves, allocation.moveCount);
    if (at < 0) continue;
    moves.copyWithin(at, at + MOVE_STRIDE, allocation.moveCount * MOVE_STRIDE);
    allocation.moveCount--;
    return;
  }
});

/**
 * Returns the index of the last move before the terminator of block b, if its successor has Phis;
 * else -1.
 */
function lastMoveOf(lir: Lir, b: number, moves: Int32Array, moveCount: number): number {
  if (lir.phiInputStart[b + 1] === lir.phiInputStart[b]) return -1;
  const gap = lir.blockStart[b + 1] - 1;
  for (let m = moveCount - 1; m >= 0; m--) {
    if (moves[m * MOVE_STRIDE] >> 2 === gap) return m * MOVE_STRIDE;
  }
  return -1;
}
