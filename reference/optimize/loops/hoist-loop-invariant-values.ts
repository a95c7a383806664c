// Moves loop-invariant values before the loop.
//
// Assumes a valid program, in any form of Phi. A total value may move from any position, because it
// may be executed even if the loop would not execute it. A partial value (a division, a load) moves
// only if every entry of the loop reaches it before the loop can end, exit, or be observed. Then
// the program would have executed it anyway. A load also stays if a value in the loop may write its
// bytes. A LoadInvariant stays only if a value before it in the first iteration may write them.
// Guards never move, because an exit uses the state at its position. Constants move only with a
// value that needs them; lowering places them.
//
// Values are visited in reverse postorder, so their operands have already moved. Each moves at once
// before the outermost loop that it can leave. One application is one value.

import {
  ATOMIC,
  CALLS,
  CONSTANT,
  EFFECTS,
  EXITS,
  isTotal,
  Op,
  PARTIAL,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { writesAnyHeap } from "../analysis/alias.js";
import { type LoopWrites, mayWrite, slotOf, writesOfLoops } from "../analysis/loop-writes.js";
import {
  analyzeLoops,
  isInLoop,
  type Loop,
  type LoopForest,
  placePreheaders,
  preheaderOf,
  unplacedPreheader,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { tailStart } from "../edit/edit-blocks.js";
import { LIMITS } from "../edit/limits.js";

const NAME = "hoist-loop-invariant-values";
export function hoistLoopInvariantValues(proc: Procedure, context: OptimizeContext): boolean {
  const loops = analyzeLoops(proc, context.flow(proc));
  if (loops.all.length === 0) return false;
  const hoisting = new InvariantHoister(proc, context, loops);
  const { order } = loops.flow;
  for (let b = 0; b < order.length; b++) {
    const known = loops.innermost[order[b].id];
    if (known !== 0 && !hoisting.visit(order[b], loops.all[known - 1])) break;
  }
  return hoisting.finish();
}

class InvariantHoister {
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private readonly loops: LoopForest;
  /** By loop: the values to insert before it, in order; undefined if there are none. */
  private readonly hoisted: (Value[] | undefined)[] = [];
  private readonly preheaders: (BasicBlock | undefined)[] = [];
  /** The preheaders that are not yet among the procedure's blocks. */
  private readonly unplaced: BasicBlock[] = [];
  /** By loop: its writes; null until the first use. */
  private writes: readonly LoopWrites[] | null = null;
  /** By id of a block: the number of the last search that reached it. */
  private readonly searched: Int32Array;
  private searches = 0;

  constructor(proc: Procedure, context: OptimizeContext, loops: LoopForest) {
    this.proc = proc;
    this.context = context;
    this.loops = loops;
    this.searched = context.table(loops.innermost.length);
  }

  /**
   * Hoists the invariant values of a block; returns false if the limit of applications is reached.
   */
  visit(block: BasicBlock, innermost: Loop): boolean {
    const { values } = block;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (!isCandidate(value)) continue;
      let target: Loop | null = null;
      let loop: Loop | null = innermost;
      const outermost = innermost.depth - LIMITS["loop levels"];
      while (loop !== null && this.mayLeave(value, block, i, loop)) {
        if (loop.depth <= outermost) {
          this.context.reachLimit("loop levels");
          break;
        }
        target = loop;
        loop = loop.parent;
      }
      if (target === null) continue;
      if (!this.context.claim(NAME, value)) return false;
      this.hoist(value, target);
    }
    return true;
  }

  private mayLeave(value: Value, block: BasicBlock, at: number, loop: Loop): boolean {
    const { a, b, c, rest } = value;
    if (a !== null && !this.isInvariant(a, loop)) return false;
    if (b !== null && !this.isInvariant(b, loop)) return false;
    if (c !== null && !this.isInvariant(c, loop)) return false;
    for (let i = 0; rest !== null && i < rest.length; i++) {
      if (!this.isInvariant(rest[i], loop)) return false;
    }
    if (isTotal(value.opcode, value.type) || value.patchpoint?.isTotal) return true;
    if (!this.isCertain(block, at, loop)) return false;
    if ((EFFECTS[value.opcode] & (READS_MEMORY | CALLS)) === 0) return true;
    if (value.isPureCall) return true;
    if (isReadFirst(value, block, at, loop)) return true;
    this.writes ??= writesOfLoops(this.loops);
    const writes = this.writes[loop.index];
    if (writes.isUnbounded) this.context.reachLimit("loop writes");
    return !mayWrite(writes, value);
  }

  private isInvariant(operand: Value, loop: Loop): boolean {
    if ((EFFECTS[operand.opcode] & CONSTANT) !== 0 || operand.block === null) return true;
    return !isInLoop(this.loops, loop, operand.block);
  }

  /**
   * Returns whether every execution that enters the loop reaches the position before anything can
   * be observed. From the header, no path that avoids the position leaves the loop, exits or has an
   * effect.
   */
  private isCertain(block: BasicBlock, at: number, loop: Loop): boolean {
    const { searched } = this;
    const search = ++this.searches;
    const reached = [loop.header];
    searched[loop.header.id] = search;
    for (let s = 0; s < reached.length; s++) {
      if (s === LIMITS["searched blocks"]) {
        this.context.reachLimit("searched blocks");
        return false;
      }
      const isHere = reached[s] === block;
      if (isObserved(reached[s].values, isHere ? at : reached[s].values.length)) return false;
      const { successors } = reached[s];
      if (isHere) continue;
      if (successors.length === 0) return false;
      for (let i = 0; i < successors.length; i++) {
        if (!isInLoop(this.loops, loop, successors[i])) return false;
        if (searched[successors[i].id] === search) continue;
        searched[successors[i].id] = search;
        reached.push(successors[i]);
      }
    }
    return true;
  }

  private hoist(value: Value, loop: Loop): void {
    const preheader = this.preheader(loop);
    const hoisted = this.hoisted[loop.index] ?? [];
    this.hoisted[loop.index] = hoisted;
    const moveConstant = (operand: Value | null): void => {
      if (operand === null || (EFFECTS[operand.opcode] & CONSTANT) === 0) return;
      if (operand.block === null || !isInLoop(this.loops, loop, operand.block)) return;
      operand.block = preheader;
      hoisted.push(operand);
    };
    moveConstant(value.a);
    moveConstant(value.b);
    moveConstant(value.c);
    value.rest?.forEach(moveConstant);
    value.block = preheader;
    hoisted.push(value);
  }

  private preheader(loop: Loop): BasicBlock {
    const known = this.preheaders[loop.index];
    if (known !== undefined) return known;
    let block = preheaderOf(this.loops, loop);
    if (block === null) {
      block = unplacedPreheader(this.proc, this.loops, loop);
      this.unplaced.push(block);
    }
    this.preheaders[loop.index] = block;
    return block;
  }

  /** Inserts the hoisted values; returns true if there are any. */
  finish(): boolean {
    if (this.hoisted.length === 0) return false;
    if (this.unplaced.length > 0) placePreheaders(this.proc, this.unplaced);
    const { blocks } = this.proc;
    for (let b = 0; b < blocks.length; b++) {
      if (this.loops.innermost[blocks[b].id] !== 0) dropMoved(blocks[b]);
    }
    this.hoisted.forEach((hoisted, index) => {
      const preheader = this.preheaders[index];
      if (hoisted === undefined || preheader === undefined) return;
      // Skip values that were moved on to an outer loop.
      const here = hoisted.filter(({ block }) => block === preheader);
      preheader.values.splice(tailStart(preheader.values), 0, ...here);
    });
    return true;
  }
}

function isCandidate(value: Value): boolean {
  const effects = EFFECTS[value.opcode];
  if (effects === CALLS) return value.isUnobserved;
  if ((effects & ~(READS_MEMORY | PARTIAL)) !== 0) return false;
  return value.opcode !== Op.Nop && value.opcode !== Op.Identity;
}

/**
 * True for an invariant load of the heap before all writes of the first iteration. It always reads
 * the same bytes.
 */
function isReadFirst(load: Value, block: BasicBlock, at: number, { header }: Loop): boolean {
  if (load.opcode !== Op.LoadInvariant || block !== header) return false;
  if (slotOf(load.address) !== null) return false;
  return !header.values.some((value, i) => i < at && writesHeapOrSlot(value));
}

const writesHeapOrSlot = (value: Value): boolean =>
  (EFFECTS[value.opcode] & WRITES_MEMORY) !== 0 || writesAnyHeap(value);

// True if one of the first `count` values exits or is observed.
function isObserved(values: readonly Value[], count: number): boolean {
  for (let i = 0; i < count; i++) {
    const effects = EFFECTS[values[i].opcode];
    if ((effects & EXITS) !== 0) return true;
    const isCall = (effects & (CALLS | ATOMIC)) === CALLS;
    if (isCall && !values[i].isUnobserved) return true;
  }
  return false;
}

function dropMoved(block: BasicBlock): void {
  const { values } = block;
  let kept = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i].block === block) values[kept++] = values[i];
  }
  values.length = kept;
}
