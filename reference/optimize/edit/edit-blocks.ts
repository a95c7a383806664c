// Changes blocks and edges, for several phases.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { EFFECTS, Op, WRITES_VARIABLE } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "./context.js";

/** Replaces the end of the block by a jump to `target`. */
export function jumpTo(block: BasicBlock, target: BasicBlock): void {
  const { last } = block;
  last.opcode = Op.Jump;
  last.a = null;
  last.extra = null;
  block.successors = [target];
}

/**
 * Appends the successor of a jump to the block, which must be its only predecessor. The caller
 * removes the empty successor by `removeBlocks`.
 */
export function mergeWithSuccessor(block: BasicBlock): void {
  const [next] = block.successors;
  block.values.pop();
  for (let i = 0; i < next.values.length; i++) {
    next.values[i].block = block;
    block.values.push(next.values[i]);
  }
  next.values = [];
  redirectEdges(next, block);
}

/** Moves the outgoing edges of `from` to `to`, whose own are dropped. */
export function redirectEdges(from: BasicBlock, to: BasicBlock): void {
  to.successors = from.successors;
  for (let s = 0; s < from.successors.length; s++) {
    const { predecessors } = from.successors[s];
    for (let p = 0; p < predecessors.length; p++) {
      if (predecessors[p] === from) predecessors[p] = to;
    }
  }
  from.successors = [];
}

/**
 * Returns the position of the Upsilons directly before the control value; the control value's
 * position if there are none.
 */
export function tailStart(values: readonly Value[]): number {
  let at = values.length - 1;
  while (at > 0 && (EFFECTS[values[at - 1].opcode] & WRITES_VARIABLE) !== 0) at--;
  return at;
}

/** Removes the blocks whose index is marked. */
export function removeBlocks(proc: Procedure, marked: Uint8Array): void {
  proc.blocks = proc.blocks.filter((_, b) => marked[b] === 0);
}

/**
 * Returns by index of block: 1 if an edge to it comes from the block itself or from a later one.
 */
export function loopHeaders(
  { order, position }: ControlFlow,
  context: OptimizeContext,
): Int32Array {
  const isHeader = context.table(position.length);
  for (let i = 0; i < order.length; i++) {
    const { successors } = order[i];
    for (let s = 0; s < successors.length; s++) {
      const { index } = successors[s];
      if (position[index] <= i) isHeader[index] = 1;
    }
  }
  return isHeader;
}
