// Computes the range of each integer at each position, and the order of pairs of integers.
//
// Assumes edge form and no unreachable blocks. The ranges (ranges.ts) hold wherever the visitor is
// called, and include the facts that dominating branches, switches and guards imply.
//
// A walk down the dominator tree evaluates definitions before uses. A branch or a guard narrows
// ranges for the dominated blocks, and leaving a block undoes that. The range of a Phi is the union
// of the ranges that its Upsilons write, as known in their blocks. One such walk is a step F.
//
// 1. Phis at the heads of loops and of irreducible cycles start empty. Blocks other than the entry
//    start unreached. F is repeated until nothing grows. From the second step on, a bound that grows
//    is widened to its limit at once, so the iteration terminates. Growth may still propagate by only
//    one Phi or one loop per step. So after STEPS_MAX steps all these Phis are widened to their
//    limits, and all blocks are reached.
// 2. If F maps a state to itself or to a smaller one, the state is an invariant. F of the state is
//    an invariant too, and not larger. So one more step undoes excessive widening.
//
// Soundness requires only the soundness of each single rule.

import { type ControlFlow, UNREACHABLE } from "../../../src/ir/control-flow.js";
import { EFFECTS, EXITS, Op, WRITES_VARIABLE } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int64, isInteger } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { LIMITS } from "../edit/limits.js";
import { roundedHigh, roundedLow, widthOf } from "./bounds.js";
import { DominatorTree } from "./dominator-tree.js";
import { hasLoop } from "./features.js";
import { KnownRanges } from "./known-ranges.js";
import { transfer } from "./ranges.js";
import { casesOf } from "./relations.js";
import { TransferRanges } from "./transfer.js";

type ValueVisitor = (value: Value) => void;

/** From this step on, growing bounds are widened to their limits. */
const WIDEN_FROM = 1;
/** If something still grows after this many steps, everything is widened to its limits. */
const STEPS_MAX = LIMITS["range steps"];

export class RangeAnalysis {
  /** By id, for integers: the range at the visited position. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  private readonly known: KnownRanges;
  private readonly flow: ControlFlow;
  private readonly context: OptimizeContext;
  private readonly tree: DominatorTree;
  /** By id of a Phi: the union of the ranges written to it in this step. */
  private readonly nextMin: Float64Array;
  private readonly nextMax: Float64Array;
  /** By id of a Phi: its assumed range if it is at the head of a cycle; else empty. */
  private readonly assumedMin: Float64Array;
  private readonly assumedMax: Float64Array;
  private readonly phis: Value[] = [];
  private readonly cyclic: Value[] = [];
  /**
   * By position: `reached` is 1 if control may arrive; `ended` is 1 if no path reaches the block's
   * end in this step.
   */
  private readonly reached: Int32Array;
  private readonly ended: Int32Array;
  private isGrowing = false;
  private readonly scratch = new TransferRanges();
  private visit: ValueVisitor | null = null;

  constructor(proc: Procedure, context: OptimizeContext) {
    const flow = context.flow(proc);
    this.flow = flow;
    this.context = context;
    this.tree = new DominatorTree(flow, context);
    const { valueIdEnd } = proc;
    this.min = context.numbers(valueIdEnd);
    this.max = context.numbers(valueIdEnd);
    this.known = new KnownRanges(this.min, this.max);
    this.nextMin = context.numbers(valueIdEnd);
    this.nextMax = context.numbers(valueIdEnd);
    this.assumedMin = context.numbers(valueIdEnd);
    this.assumedMax = context.numbers(valueIdEnd);
    this.reached = context.table(flow.order.length);
    this.ended = context.table(flow.order.length);
    this.reached[0] = 1;
    for (let p = 0; p < proc.parameters.length; p++) this.setAny(proc.parameters[p]);
    for (let at = 0; at < flow.order.length; at++) this.scan(at);
    this.solve();
  }

  /** Calls `visit` at each value that may be reached, while the ranges at that position hold. */
  walk(visit: ValueVisitor): void {
    this.visit = visit;
    this.step();
    this.visit = null;
  }

  /** Returns the cases in which the two integers may be at the visited position. */
  relation(x: Value, y: Value): number {
    return this.known.relation(x, y);
  }

  private scan(at: number): void {
    const { values, predecessors } = this.flow.order[at];
    if (values[0].opcode !== Op.Phi) return;
    let isCyclic = false;
    for (let p = 0; p < predecessors.length; p++) {
      if (this.flow.position[predecessors[p].index] >= at) isCyclic = true;
    }
    for (let i = 0; i < values.length && values[i].opcode === Op.Phi; i++) {
      if (!isInteger(values[i].type)) continue;
      this.phis.push(values[i]);
      this.assumedMin[values[i].id] = Number.POSITIVE_INFINITY;
      this.assumedMax[values[i].id] = Number.NEGATIVE_INFINITY;
      if (isCyclic) this.cyclic.push(values[i]);
    }
  }

  private solve(): void {
    // Without a loop, one pass suffices.
    if (this.cyclic.length === 0 && !hasLoop(this.flow)) return;
    let steps = 0;
    do {
      this.isGrowing = false;
      this.step();
      for (let p = 0; p < this.cyclic.length; p++) this.grow(this.cyclic[p], steps);
      if (++steps > STEPS_MAX && this.isGrowing) this.widenAll();
    } while (this.isGrowing);
    if (steps <= WIDEN_FROM + 1) return;
    this.step();
    for (let p = 0; p < this.cyclic.length; p++) this.tighten(this.cyclic[p].id);
  }

  private grow({ id, type }: Value, steps: number): void {
    const { nextMin, nextMax, assumedMin, assumedMax } = this;
    if (nextMin[id] > nextMax[id]) return;
    const isFirst = assumedMin[id] > assumedMax[id];
    const isWide = !isFirst && steps >= WIDEN_FROM;
    if (nextMin[id] < assumedMin[id]) {
      assumedMin[id] = isWide ? widthOf(type).least : nextMin[id];
      this.isGrowing = true;
    }
    if (nextMax[id] > assumedMax[id]) {
      assumedMax[id] = isWide ? widthOf(type).greatest : nextMax[id];
      this.isGrowing = true;
    }
  }

  // Widens everything, so that nothing can grow afterwards.
  private widenAll(): void {
    const { cyclic, assumedMin, assumedMax } = this;
    this.context.reachLimit("range steps");
    this.reached.fill(1, 0, this.flow.order.length);
    for (let p = 0; p < cyclic.length; p++) {
      const { id, type } = cyclic[p];
      assumedMin[id] = widthOf(type).least;
      assumedMax[id] = widthOf(type).greatest;
    }
  }

  private tighten(id: number): void {
    if (this.nextMin[id] > this.nextMax[id]) return;
    this.assumedMin[id] = this.nextMin[id];
    this.assumedMax[id] = this.nextMax[id];
  }

  private step(): void {
    for (let p = 0; p < this.phis.length; p++) {
      this.nextMin[this.phis[p].id] = Number.POSITIVE_INFINITY;
      this.nextMax[this.phis[p].id] = Number.NEGATIVE_INFINITY;
    }
    this.tree.walk(this);
  }

  /** Implements the visitor of the dominator-tree walk. */
  enter(block: BasicBlock): boolean {
    const at = this.flow.position[block.index];
    this.known.enter();
    const isOpen = at === 0 || this.ended[this.flow.dominator[at]] === 0;
    const isAlive = isOpen && this.reached[at] === 1 && this.assumeEdge(block) && this.run(block);
    this.ended[at] = isAlive ? 0 : 1;
    if (isAlive) this.markSuccessors(block, at);
    return true;
  }

  /** Implements the visitor of the dominator-tree walk. */
  leave(): void {
    this.known.leave();
  }

  // Applies the condition of the block's only incoming edge. Returns false if no value satisfies
  // it.
  private assumeEdge(block: BasicBlock): boolean {
    const { predecessors } = block;
    if (predecessors.length !== 1 || block.index === 0) return true;
    const { last, successors } = predecessors[0];
    const { a } = last;
    if (a === null) return true;
    if (last.opcode === Op.Branch) return this.known.assume(a, successors[0] === block, 0);
    if (last.opcode !== Op.Switch) return true;
    const key = successors.indexOf(block); // unique, because a block has one predecessor entry per edge
    if (key === last.cases.count) return true;
    const { lo, hi } = last.cases;
    const exact = a.type === Int64 ? hi[key] * 2 ** 32 + (lo[key] >>> 0) : lo[key];
    return this.known.limit(
      a,
      roundedLow(widthOf(a.type), exact),
      roundedHigh(widthOf(a.type), exact),
      0,
    );
  }

  private markSuccessors({ last, successors }: BasicBlock, at: number): void {
    const { reached, flow } = this;
    for (let s = 0; s < successors.length; s++) {
      if (last.opcode === Op.Branch && last.a !== null) {
        const min = this.min[last.a.id];
        const max = this.max[last.a.id];
        if (s === 0 ? min === 0 && max === 0 : min > 0 || max < 0) continue;
      }
      const to = flow.position[successors[s].index];
      if (to === UNREACHABLE || reached[to] === 1) continue;
      reached[to] = 1;
      if (to <= at) this.isGrowing = true;
    }
  }

  // Evaluates the block. Returns false if its end is not reached.
  private run({ values }: BasicBlock): boolean {
    const { visit } = this;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (isInteger(value.type) && !this.evaluate(value)) return false;
      const effects = EFFECTS[value.opcode];
      if (visit !== null) visit(value);
      if ((effects & WRITES_VARIABLE) !== 0) this.write(value);
      if (value.opcode !== Op.Check || value.a === null) continue;
      if ((effects & EXITS) !== 0 && !this.known.assume(value.a, false, 0)) return false;
    }
    return true;
  }

  private write({ phi, a }: Value): void {
    if (a === null || !isInteger(a.type)) return;
    const { nextMin, nextMax } = this;
    nextMin[phi.id] = Math.min(nextMin[phi.id], this.min[a.id]);
    nextMax[phi.id] = Math.max(nextMax[phi.id], this.max[a.id]);
  }

  // Evaluates a value. Returns false if no result is possible.
  private evaluate(value: Value): boolean {
    const { min, max, scratch } = this;
    const { id, opcode, type, a, b, c } = value;
    if (opcode === Op.Const32 || opcode === Op.Const64) {
      const exact =
        type === Int64
          ? value.constantHigh * 2 ** 32 + (value.constantLow >>> 0)
          : value.constantLow;
      this.setConstant(value, exact);
    } else if (opcode === Op.Phi) {
      min[id] = Math.min(this.nextMin[id], this.assumedMin[id]);
      max[id] = Math.max(this.nextMax[id], this.assumedMax[id]);
    } else if (opcode === Op.Select && b !== null && c !== null) {
      min[id] = Math.min(min[b.id], min[c.id]);
      max[id] = Math.max(max[b.id], max[c.id]);
    } else if (casesOf(opcode) !== 0 && a !== null && b !== null && isInteger(a.type)) {
      const cases = this.known.relation(a, b);
      min[id] = (cases & ~casesOf(opcode)) === 0 ? 1 : 0;
      max[id] = (cases & casesOf(opcode)) === 0 ? 0 : 1;
    } else {
      this.transferFor(value);
      transfer(value, scratch);
      min[id] = scratch.low;
      max[id] = scratch.high;
    }
    return min[id] <= max[id];
  }

  /** Returns the transfer of a value at the visited position, with the ranges of its operands. */
  transferFor({ a, b }: Value): TransferRanges {
    const { min, max, scratch } = this;
    if (a !== null) {
      scratch.from = widthOf(a.type);
      scratch.xMin = min[a.id];
      scratch.xMax = max[a.id];
    }
    if (b !== null) {
      scratch.yMin = min[b.id];
      scratch.yMax = max[b.id];
    }
    return scratch;
  }

  private setAny({ id, type }: Value): void {
    this.min[id] = widthOf(type).least;
    this.max[id] = widthOf(type).greatest;
  }

  private setConstant({ id, type }: Value, exact: number): void {
    this.min[id] = roundedLow(widthOf(type), exact);
    this.max[id] = roundedHigh(widthOf(type), exact);
  }
}
