// Natural loops: a header that dominates the blocks that jump back to it, and all blocks between.
//
// A cycle with more than one entry (an irreducible region) has no such back edge, so it is no loop
// here; a loop around it is one. Loops with one header are one loop. Of two loops one contains the
// other, or they are disjoint.

import {
  analyzeControlFlow,
  type ControlFlow,
  dominates,
  UNREACHABLE,
} from "../../../src/ir/control-flow.js";
import { Op } from "../../../src/ir/opcodes.js";
import { BasicBlock, type Procedure, type Value } from "../../../src/ir/procedure.js";
import { Void } from "../../../src/ir/types.js";

export interface Loop {
  /** In `Loops.all`. */
  readonly index: number;
  readonly header: BasicBlock;
  /** The smallest loop around this one. */
  parent: Loop | null;
  /** 1 for an outermost loop. */
  depth: number;
  /** The header first, then in reverse postorder; those of inner loops too. */
  readonly blocks: BasicBlock[];
  /** Blocks of the loop that go back to the header. */
  readonly latches: BasicBlock[];
}

export interface Loops {
  readonly flow: ControlFlow;
  /** Each before the loops that it lies in. */
  readonly all: readonly Loop[];
  /**
   * By `block.id`: the smallest loop that the block is in, as index + 1; 0 if it is in none. Has
   * room for a preheader of each.
   */
  readonly innermost: Int32Array;
}

export function analyzeLoops(proc: Procedure): Loops {
  const flow = analyzeControlFlow(proc);
  const innermost = new Int32Array(2 * proc.blockIdEnd);
  const all: Loop[] = [];
  // Inner headers come later in the order than those around them.
  for (let at = flow.order.length - 1; at >= 0; at--) {
    const latches = latchesOf(flow, at);
    if (latches.length > 0) all.push(newLoop(all, innermost, flow, at, latches));
  }
  for (let i = all.length - 1; i >= 0; i--) {
    const { parent } = all[i];
    all[i].depth = parent === null ? 1 : parent.depth + 1;
  }
  return { flow, all, innermost };
}

function latchesOf({ order, position, dominator }: ControlFlow, header: number): BasicBlock[] {
  const latches: BasicBlock[] = [];
  const { predecessors } = order[header];
  for (let p = 0; p < predecessors.length; p++) {
    const at = position[predecessors[p].index];
    if (at < header || !dominates({ order, position, dominator }, header, at)) continue;
    if (!latches.includes(predecessors[p])) latches.push(predecessors[p]);
  }
  return latches;
}

// Back from the latches to the header. A block of an inner loop stands for the outermost known loop
// around it, which gets its parent here.
function newLoop(
  all: readonly Loop[],
  innermost: Int32Array,
  flow: ControlFlow,
  header: number,
  latches: BasicBlock[],
): Loop {
  const index = all.length;
  const loop: Loop = {
    index,
    header: flow.order[header],
    parent: null,
    depth: 0,
    blocks: [],
    latches,
  };
  const seen = new Uint8Array(flow.order.length);
  seen[header] = 1;
  const work = latches.slice();
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    const at = flow.position[block.index];
    if (at === UNREACHABLE || seen[at] === 1) continue;
    seen[at] = 1;
    for (let p = 0; p < block.predecessors.length; p++) work.push(block.predecessors[p]);
  }
  for (let at = header; at < seen.length; at++) {
    if (seen[at] === 0) continue;
    const block = flow.order[at];
    loop.blocks.push(block);
    const known = innermost[block.id];
    if (known === 0) innermost[block.id] = index + 1;
    else outermostOf(all[known - 1], loop).parent = loop;
  }
  return loop;
}

function outermostOf(inner: Loop, beyond: Loop): Loop {
  let at = inner;
  while (at.parent !== null && at.parent !== beyond) at = at.parent;
  return at;
}

/** True if the block lies in the loop. */
export function isInLoop({ all, innermost }: Loops, loop: Loop, block: BasicBlock): boolean {
  const known = innermost[block.id];
  let at = known === 0 ? null : all[known - 1];
  while (at !== null && at.depth > loop.depth) at = at.parent;
  return at === loop;
}

/**
 * The block from which alone the loop is entered, and which goes nowhere else; null if there is
 * none.
 */
export function preheaderOf(loops: Loops, loop: Loop): BasicBlock | null {
  let found: BasicBlock | null = null;
  const { predecessors } = loop.header;
  for (let p = 0; p < predecessors.length; p++) {
    const block = predecessors[p];
    if (loops.flow.position[block.index] === UNREACHABLE) continue;
    if (isInLoop(loops, loop, block)) continue;
    if (found !== null || block.successors.length !== 1) return null;
    found = block;
  }
  return loop.header.index === 0 ? null : found;
}

/**
 * Makes a block through which all entries of the loop lead from now on. `loops` stays right, but for
 * its `flow`; Phis may have to be brought to edge form.
 */
export function newPreheader(proc: Procedure, loops: Loops, loop: Loop): BasicBlock {
  const { header, parent } = loop;
  const block = new BasicBlock(proc.blockIdEnd++);
  const jump = proc.newValue(Op.Jump, Void);
  jump.block = block;
  block.values.push(jump);
  block.frequency = 0;
  for (let b = 0; b < proc.blocks.length; b++) {
    const { successors, frequency } = proc.blocks[b];
    if (isInLoop(loops, loop, proc.blocks[b])) continue;
    for (let s = 0; s < successors.length; s++) {
      if (successors[s] !== header) continue;
      successors[s] = block;
      block.frequency = Math.max(block.frequency, frequency);
    }
  }
  block.successors.push(header);
  // Right before the header: if that is the entry, the new block is.
  proc.blocks.splice(proc.blocks.indexOf(header), 0, block);
  for (let around = parent; around !== null; around = around.parent) around.blocks.push(block);
  if (parent !== null) loops.innermost[block.id] = parent.index + 1;
  if (block.frequency === 0) block.frequency = 1;
  return block;
}

/** True if each operand comes from outside of the loop. */
export function isInvariant({ a, b, c, rest }: Value, loops: Loops, loop: Loop): boolean {
  return (
    isFromOutside(a, loops, loop) &&
    isFromOutside(b, loops, loop) &&
    isFromOutside(c, loops, loop) &&
    (rest === null || rest.every((operand) => isFromOutside(operand, loops, loop)))
  );
}

export const isFromOutside = (operand: Value | null, loops: Loops, loop: Loop): boolean =>
  operand === null || operand.block === null || !isInLoop(loops, loop, operand.block);

/** Values of a loop that is copied, at most. */
const LOOP_SIZE_MAX = 60;
/** Values of a procedure, above which nothing is copied. */
const PROCEDURE_SIZE_MAX = 3000;

/** True of a small loop that contains no loop, in a procedure that is not too large already. */
export function mayBeCopied(proc: Procedure, { all }: Loops, loop: Loop): boolean {
  if (proc.valueIdEnd > PROCEDURE_SIZE_MAX || all.some(({ parent }) => parent === loop))
    return false;
  return loop.blocks.reduce((size, { values }) => size + values.length, 0) <= LOOP_SIZE_MAX;
}
