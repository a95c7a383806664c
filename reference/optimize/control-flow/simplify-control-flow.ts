// Removes blocks and jumps, and keeps the values and their order.
//
// Assumes a valid program, in any form of Phi. Removing unreachable blocks is not counted. Then,
// until nothing changes:
//
// 1. A branch or Switch whose edges all lead to one block, directly or through empty blocks,
//    becomes a jump there.
// 2. A block with only Upsilons and a jump is skipped by all its predecessors that jump to it,
//    and they write its Upsilons. No value comes between, so each write happens as late as before.
//    The block stays after a branch, where it splits an edge.
// 3. A block with one successor is merged with it if the successor has no other predecessor.
// 4. A loop of one block is removed if nothing in it is observed and no other block uses its
//    values. It may have a second block that splits its back edge. A judged execution leaves the
//    loop, so its exit can be taken at once (language, termination).
//
// It terminates because each step removes blocks, edges or loops.

import { analyzeControlFlow } from "../../../src/ir/control-flow.js";
import {
  CALLS,
  CONTROL,
  EFFECTS,
  KEEPS_ALIVE,
  Op,
  WRITES_VARIABLE,
} from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  forEachOperand,
  forEachSlotValue,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import type { OptimizeContext } from "../edit/context.js";
import { jumpTo, mergeWithSuccessor, removeBlocks } from "../edit/edit-blocks.js";
import { removeUnreachableBlocks, removeUnusedSnapshots, sweep } from "../edit/sweep.js";
import { newUpsilon } from "../edit/upsilons.js";

const NAME = "simplify-control-flow";

export function simplifyControlFlow(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  const isCut = removeUnreachableBlocks(proc, context.flow(proc));
  if (isCut) {
    context.blocksChanged();
    removeUnusedSnapshots(proc);
    sweep(proc);
  }
  while (simplifyOnce(proc, context)) {
    if (removeUnreachableBlocks(proc, analyzeControlFlow(proc))) removeUnusedSnapshots(proc);
    sweep(proc);
  }
  return isCut || context.applications !== before;
}

/** Simplifies each block once. Returns true if anything changed; then more may change. */
function simplifyOnce(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  proc.computePredecessors();
  const { blocks } = proc;
  for (let b = 0; b < blocks.length; b++) {
    if (!joinEdges(blocks[b], context)) return context.applications !== before;
  }
  if (context.applications !== before) return true;
  for (let b = 1; b < blocks.length; b++) {
    if (!skipBlock(proc, blocks[b], context)) return context.applications !== before;
  }
  if (context.applications !== before) return true;
  removeLoops(proc, context);
  if (context.applications !== before) return true;
  mergeChains(proc, context);
  return false; // merging adds no edge, so no new case
}

/**
 * Applies the simplification to the block; returns false if the limit of applications is reached.
 */
function joinEdges(block: BasicBlock, context: OptimizeContext): boolean {
  const { successors, last } = block;
  if (successors.length < 2) return true;
  const target = targetThroughEmpty(successors[0]);
  for (let s = 1; s < successors.length; s++) {
    if (targetThroughEmpty(successors[s]) !== target) return true;
  }
  if (!context.claim(NAME, last)) return false;
  jumpTo(block, target);
  return true;
}

// Returns the block to which an edge leads through empty blocks. Such blocks may form an
// unreachable loop.
function targetThroughEmpty(block: BasicBlock): BasicBlock {
  let at = block;
  for (let count = 0; count < EMPTY_MAX && at.values.length === 1; count++) {
    if (at.last.opcode !== Op.Jump) break;
    at = at.successors[0];
  }
  return at;
}
const EMPTY_MAX = 100;

/**
 * Applies the simplification to the block; returns false if the limit of applications is reached.
 */
function skipBlock(proc: Procedure, block: BasicBlock, context: OptimizeContext): boolean {
  const { predecessors, successors, values, last } = block;
  const [target] = successors;
  if (last.opcode !== Op.Jump || target === block || predecessors.length === 0) return true;
  for (let i = 0; i < values.length - 1; i++) if (values[i].opcode !== Op.Upsilon) return true;
  for (let p = 0; p < predecessors.length; p++) {
    if (predecessors[p].successors.length > 1) return true;
  }
  if (!context.claim(NAME, last)) return false;
  for (let p = 0; p < predecessors.length; p++) redirectPast(proc, predecessors[p], block, target);
  // Update only the target's predecessors, which the following blocks need.
  target.predecessors = target.predecessors.filter((one) => one !== block).concat(predecessors);
  block.predecessors = [];
  return true;
}

function redirectPast(
  proc: Procedure,
  from: BasicBlock,
  block: BasicBlock,
  target: BasicBlock,
): void {
  from.successors = from.successors.map((to) => (to === block ? target : to));
  if (block.values.length === 1) return;
  const control = from.values.pop();
  for (let i = 0; i < block.values.length - 1; i++) {
    const { a, phi } = block.values[i];
    if (a !== null) from.values.push(newUpsilon(proc, from, a, phi));
  }
  if (control !== undefined) from.values.push(control);
}

function mergeChains(proc: Procedure, context: OptimizeContext): void {
  proc.computePredecessors();
  const gone = new Uint8Array(proc.blocks.length);
  let changed = false;
  for (let b = 0; b < proc.blocks.length; b++) {
    const block = proc.blocks[b];
    if (gone[b] === 1) continue;
    for (;;) {
      const [next] = block.successors;
      if (block.last.opcode !== Op.Jump || next.predecessors.length > 1 || next === block) break;
      if (!context.claim(NAME, block.last)) break;
      mergeWithSuccessor(block);
      gone[next.index] = 1;
      changed = true;
    }
  }
  if (changed) removeBlocks(proc, gone);
}

function removeLoops(proc: Procedure, context: OptimizeContext): void {
  const { blocks } = proc;
  for (let b = 1; b < blocks.length; b++) {
    const block = blocks[b];
    const [first, second] = block.successors;
    if (block.successors.length !== 2 || first === second) continue;
    const isFirst = isLatchOf(first, block);
    if (!isFirst && !isLatchOf(second, block)) continue;
    const [latch, exit] = isFirst ? [first, second] : [second, first];
    if (!isUnobserved(block, latch) || (latch !== block && !isUnobserved(latch, block))) continue;
    if (isUsedOutside(proc, block, latch)) continue;
    if (!context.claim(NAME, block.last)) return;
    // Remove the loop: only its own Phis read its Upsilons.
    jumpTo(block, exit);
  }
}

/**
 * True if `latch` closes a loop of one block: it is the block itself, or only splits the back edge.
 */
const isLatchOf = (latch: BasicBlock, block: BasicBlock): boolean =>
  latch === block ||
  (latch.predecessors.length === 1 &&
    latch.successors.length === 1 &&
    latch.successors[0] === block);

/** The effects that keep a value alive, without those that any loop has. */
const OBSERVED = KEEPS_ALIVE & ~(WRITES_VARIABLE | CONTROL);

// True if only the two blocks can observe the block's values.
function isUnobserved(block: BasicBlock, other: BasicBlock): boolean {
  const { values } = block;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const effects = EFFECTS[value.opcode];
    if ((effects & OBSERVED) !== 0) return false;
    if ((effects & CALLS) !== 0 && !value.isUnobserved) return false;
    if ((effects & WRITES_VARIABLE) === 0) continue;
    if (value.phi.block !== block && value.phi.block !== other) return false;
  }
  return true;
}

/**
 * True if a value of another block, or a snapshot, uses a value of one of the two. A Phi that
 * another block also writes does not count, because that is how a loop starts.
 */
function isUsedOutside(proc: Procedure, block: BasicBlock, latch: BasicBlock): boolean {
  let isUsed = false;
  const check = (operand: Value): void => {
    if (operand.block === block || operand.block === latch) isUsed = true;
  };
  for (let b = 0; b < proc.blocks.length && !isUsed; b++) {
    const one = proc.blocks[b];
    if (one === block || one === latch) continue;
    for (let i = 0; i < one.values.length; i++) forEachOperand(one.values[i], check);
  }
  for (let s = 0; s < proc.snapshots.length && !isUsed; s++) {
    const snapshot = proc.snapshots[s];
    forEachSlotValue(snapshot, check);
    for (let i = 0; i < snapshot.values.length; i++) forEachOperand(snapshot.values[i], check);
  }
  return isUsed;
}
