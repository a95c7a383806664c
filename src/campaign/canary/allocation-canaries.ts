// Bugs planted in every allocator: each is a rule of allocation that an author could have
// forgotten. The checker finds them; where it is switched off, what the code does shows them.

import type { Lir, LirFacts } from "../../../reference/lir/lir.js";
import { Policy, packOperand, policyOf, Role, vregOf } from "../../../reference/lir/lir.js";
import { PARTS } from "../../../reference/parts.js";
import { MOVE_STRIDE } from "../../../reference/regalloc/allocation.js";
import type { Allocate } from "../../../reference/regalloc/allocator.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import type { JudgeOptions } from "../../compare/judge-program.js";

type Planted = Pick<JudgeOptions, "parts" | "checkAllocation">;

/** The bug, in parts whose allocations are checked or not. */
const planting =
  (spoil: (allocate: Allocate) => Allocate) =>
  (checkAllocation: boolean): Planted => {
    const allocators = { ...PARTS.allocators };
    for (const name of ALLOCATOR_NAMES) {
      allocators[name] = () => spoil(PARTS.allocators[name]());
    }
    return { parts: { ...PARTS, allocators }, checkAllocation };
  };

/** Calls are thought to destroy nothing. */
export const keptByCalls = planting((allocate) => {
  let known: readonly LirFacts[] = [];
  let forgetful: readonly LirFacts[] = [];
  return (lir, rows, registers, allocation) => {
    if (rows !== known) forgetful = rows.map((row) => ({ ...row, isCall: false }));
    known = rows;
    allocate(lir, forgetful, registers, allocation);
  };
});

/** What only an exit needs is thought to be dead before its guard is done. */
export const deadBeforeExit = planting((allocate) => (lir, rows, registers, allocation) => {
  const kept: number[] = [];
  for (let o = 0; o < lir.operandCount; o++) {
    const word = lir.operand[o];
    if (policyOf(word) !== Policy.KeepAlive) continue;
    kept.push(o);
    lir.operand[o] = packOperand(vregOf(word), Role.UseAtStart, Policy.Any);
  }
  allocate(lir, rows, registers, allocation);
  for (const o of kept) {
    lir.operand[o] = packOperand(vregOf(lir.operand[o]), Role.Use, Policy.KeepAlive);
  }
});

/** One move in so many is lost, wherever it stands. */
export const losesMoves =
  (every: number) =>
  (allocate: Allocate): Allocate =>
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

/** Of the moves in front of a jump the last is lost. */
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

/** Where the last move before the terminator of block b is, if that goes to Phis; else -1. */
function lastMoveOf(lir: Lir, b: number, moves: Int32Array, moveCount: number): number {
  if (lir.phiInputStart[b + 1] === lir.phiInputStart[b]) return -1;
  const gap = lir.blockStart[b + 1] - 1;
  for (let m = moveCount - 1; m >= 0; m--) {
    if (moves[m * MOVE_STRIDE] >> 2 === gap) return m * MOVE_STRIDE;
  }
  return -1;
}
