// Finds natural loops: a header that dominates the blocks that jump back to it, and all blocks
// between.
//
// A cycle with more than one entry (an irreducible region) has no such back edge, so it is not a
// loop here. A loop around it is one. Loops with the same header are one loop. Any two loops are
// nested or disjoint.

import {
  analyzeControlFlow,
  type ControlFlow,
  dominates,
  UNREACHABLE,
} from "../../../src/ir/control-flow.js";
import { Op } from "../../../src/ir/opcodes.js";
import { BasicBlock, type Procedure, type Value } from "../../../src/ir/procedure.js";
import { Void } from "../../../src/ir/types.js";
import { zeroedWords } from "../../../src/support/program-arrays.js";
import { LIMITS } from "../edit/limits.js";

export interface Loop {
  /** The index in `LoopForest.all`. */
  readonly index: number;
  readonly header: BasicBlock;
  /** The smallest loop around this one. */
  parent: Loop | null;
  /** 1 for an outermost loop. */
  depth: number;
  /** The header first, then in reverse postorder. Blocks of inner loops are not included. */
  readonly blocks: BasicBlock[];
  /** Blocks of the loop, or of inner loops, that jump back to the header. */
  readonly latches: BasicBlock[];
  /** The loop and its inner loops have the numbers from `begin` to before `end`. */
  begin: number;
  end: number;
}

export interface LoopForest {
  readonly flow: ControlFlow;
  /** Inner loops come before the loops around them. */
  readonly all: readonly Loop[];
  /**
   * By `block.id`: the index plus 1 of the smallest loop that contains the block; 0 for none. The
   * table has space for a preheader of each loop.
   */
  readonly innermost: Int32Array;
}

export function analyzeLoops(proc: Procedure, flow = analyzeControlFlow(proc)): LoopForest {
  const { order } = flow;
  const innermost = zeroedWords(2 * proc.blockIdEnd);
  const finder = new LoopFinder(flow, innermost);
  // Headers of inner loops come later in the order than headers of the loops around them.
  for (let at = order.length - 1; at >= 0; at--) {
    const latches = latchesOf(flow, at);
    if (latches.length > 0) finder.add(order[at], latches);
  }
  const { all } = finder;
  for (let at = 0; at < order.length; at++) {
    const known = innermost[order[at].id];
    if (known !== 0) all[known - 1].blocks.push(order[at]);
  }
  numberLoops(all);
  return { flow, all, innermost };
}

/** Assigns each loop its depth and its number range. */
function numberLoops(all: readonly Loop[]): void {
  // `end` temporarily holds the number of loops within, including the loop itself.
  for (let i = 0; i < all.length; i++) {
    const { parent } = all[i];
    all[i].end++;
    if (parent !== null) parent.end += all[i].end;
  }
  let next = 0;
  /** By loop: the number at which its next inner loop begins. */
  const free = zeroedWords(all.length);
  for (let i = all.length - 1; i >= 0; i--) {
    const loop = all[i];
    const { parent } = loop;
    const size = loop.end;
    loop.depth = parent === null ? 1 : parent.depth + 1;
    loop.begin = parent === null ? next : free[parent.index];
    loop.end = loop.begin + size;
    free[i] = loop.begin + 1;
    if (parent === null) next = loop.end;
    else free[parent.index] = loop.end;
  }
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

class LoopFinder {
  readonly all: Loop[] = [];
  private readonly flow: ControlFlow;
  private readonly innermost: Int32Array;
  /** By loop: itself, or a loop around it on the path to the outermost known one. */
  private readonly around: number[] = [];

  constructor(flow: ControlFlow, innermost: Int32Array) {
    this.flow = flow;
    this.innermost = innermost;
  }

  // Walks back from the latches to the header. An inner loop is skipped as a whole: the walk
  // continues from the predecessors of its header. So every edge is visited once.
  add(header: BasicBlock, latches: BasicBlock[]): void {
    const { all, around, innermost, flow } = this;
    const index = all.length;
    const loop = { index, header, parent: null, depth: 0, blocks: [], latches, begin: 0, end: 0 };
    all.push(loop);
    around.push(index);
    innermost[header.id] = index + 1;
    const work = latches.slice();
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      if (flow.position[block.index] === UNREACHABLE) continue;
      const known = innermost[block.id];
      let { predecessors } = block;
      if (known === 0) innermost[block.id] = index + 1;
      else {
        const outermost = this.outermost(known - 1);
        if (outermost === index) continue;
        all[outermost].parent = loop;
        around[outermost] = index;
        predecessors = all[outermost].header.predecessors;
      }
      for (let p = 0; p < predecessors.length; p++) work.push(predecessors[p]);
    }
  }

  // Halves paths on the walk, so each long path is walked once.
  private outermost(index: number): number {
    const { around } = this;
    let at = index;
    while (around[at] !== at) {
      around[at] = around[around[at]];
      at = around[at];
    }
    return at;
  }
}

export function isInLoop({ all, innermost }: LoopForest, loop: Loop, block: BasicBlock): boolean {
  const known = innermost[block.id];
  if (known === 0) return false;
  const { begin } = all[known - 1];
  return begin >= loop.begin && begin < loop.end;
}

/** A loop that contains no other loop, and its preheader. */
interface InnerLoop {
  readonly loop: Loop;
  readonly preheader: BasicBlock;
}

/** Returns the innermost loops that have a preheader. */
export function innerLoops(loops: LoopForest): readonly InnerLoop[] {
  const outer = new Set(loops.all.map(({ parent }) => parent));
  return loops.all.flatMap((loop) => {
    const preheader = outer.has(loop) ? null : preheaderOf(loops, loop);
    return preheader === null ? [] : [{ loop, preheader }];
  });
}

/**
 * Returns the only block from which the loop is entered, if it has no other successor; else null.
 */
export function preheaderOf(loops: LoopForest, loop: Loop): BasicBlock | null {
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
 * Creates a block that becomes the only entry to the loop. `loops` stays correct except for its
 * `flow`. The caller may have to restore edge form.
 */
export function newPreheader(proc: Procedure, loops: LoopForest, loop: Loop): BasicBlock {
  const block = unplacedPreheader(proc, loops, loop);
  placePreheaders(proc, [block]);
  return block;
}

/**
 * Creates a preheader without adding it to the procedure's blocks. `placePreheaders` adds many at
 * the cost of one.
 */
export function unplacedPreheader(proc: Procedure, loops: LoopForest, loop: Loop): BasicBlock {
  const { header, parent } = loop;
  const block = new BasicBlock(proc.blockIdEnd++);
  block.append(proc.newValue(Op.Jump, Void));
  block.frequency = 0;
  for (let p = 0; p < header.predecessors.length; p++) {
    const { successors, frequency } = header.predecessors[p];
    if (isInLoop(loops, loop, header.predecessors[p])) continue;
    for (let s = 0; s < successors.length; s++) {
      if (successors[s] !== header) continue;
      successors[s] = block;
      block.frequency = Math.max(block.frequency, frequency);
    }
  }
  block.successors.push(header);
  if (parent !== null) {
    parent.blocks.push(block);
    loops.innermost[block.id] = parent.index + 1;
  }
  if (block.frequency === 0) block.frequency = 1;
  return block;
}

/**
 * Inserts each preheader directly before its header. If the header is the entry, the preheader
 * becomes the entry.
 */
export function placePreheaders(proc: Procedure, preheaders: readonly BasicBlock[]): void {
  const before = new Map(preheaders.map((block) => [block.successors[0], block]));
  const placed: BasicBlock[] = [];
  for (let b = 0; b < proc.blocks.length; b++) {
    const preheader = before.get(proc.blocks[b]);
    if (preheader !== undefined) placed.push(preheader);
    placed.push(proc.blocks[b]);
  }
  proc.blocks = placed;
}

/** True if each operand is defined outside the loop. */
export function isInvariant({ a, b, c, rest }: Value, loops: LoopForest, loop: Loop): boolean {
  return (
    isFromOutside(a, loops, loop) &&
    isFromOutside(b, loops, loop) &&
    isFromOutside(c, loops, loop) &&
    (rest === null || rest.every((operand) => isFromOutside(operand, loops, loop)))
  );
}

/** True if the block dominates each latch, so every complete iteration executes it. */
export function isInEachIteration(
  { flow }: LoopForest,
  { latches }: Loop,
  block: BasicBlock,
): boolean {
  const at = flow.position[block.index];
  for (let l = 0; l < latches.length; l++) {
    if (!dominates(flow, at, flow.position[latches[l].index])) return false;
  }
  return true;
}

export const isFromOutside = (operand: Value | null, loops: LoopForest, loop: Loop): boolean =>
  operand === null || operand.block === null || !isInLoop(loops, loop, operand.block);

/** The maximum number of values of a loop that is copied. */
const LOOP_SIZE_MAX = 60;

/** True for a small loop without inner loops, in a procedure that is not too large. */
export function mayBeCopied(proc: Procedure, { begin, end, blocks }: Loop): boolean {
  if (isTooLargeForCopies(proc) || end - begin > 1) return false;
  return blocks.reduce((size, { values }) => size + values.length, 0) <= LOOP_SIZE_MAX;
}

/** True if no loop of the procedure may be copied. */
export const isTooLargeForCopies = (proc: Procedure): boolean =>
  proc.valueIdEnd > LIMITS["procedure size"];
