// Turns blocks and branches into nested constructs with jumps to labels: WebAssembly and JavaScript.
//
// Each block is within the construct of its dominator (Ramsey, "Beyond Relooper", ICFP 2022). A
// block with several forward predecessors follows the end of a `block`; a block with a back edge
// starts a `loop`. Blocks that cannot return to the loop follow it, so that an engine sees only the
// iterating blocks inside.
//
// Input:  a procedure with reducible control flow, all blocks reachable.
// Output: calls of a Sink, properly nested. Control never falls out of a construct.

import { analyzeControlFlow, type ControlFlow } from "../ir/control-flow.js";
import { Op } from "../ir/opcodes.js";
import type { BasicBlock, Procedure } from "../ir/procedure.js";
import { assert } from "../support/assert.js";

/** A nested construct at its beginning. */
export interface Construct {
  readonly kind: "block" | "loop" | "if";
  /** The block that its label leads to; null for an `if`, whose label is not used. */
  readonly target: BasicBlock | null;
  /** The header whose parameters are on the operand stack; null if none are. */
  readonly entered: BasicBlock | null;
  /** Whether it is an `if` with a second arm. */
  readonly hasElse: boolean;
}

/**
 * The receiver of the structure, which writes the instructions. A depth counts the constructs
 * between a jump and its target. After a jump, the next call begins the second arm or ends the
 * innermost construct.
 */
export interface Sink {
  begin(construct: Construct): void;
  /** Starts the loop header `to`, which has no label, after `from`. */
  enter(from: BasicBlock, to: BasicBlock): void;
  /** Starts the code of a block, before the constructs inside it begin. */
  start(block: BasicBlock): void;
  /** Begins the second arm of an `if`. */
  otherwise(): void;
  end(): void;
  jump(depth: number, from: BasicBlock, to: BasicBlock): void;
  /**
   * Writes the values of the block except its terminator; the other methods write the terminator
   * with its operands.
   */
  straight(block: BasicBlock): void;
  /** Pushes the condition of the block's Branch, negated on request. */
  condition(block: BasicBlock, isNegated: boolean): void;
  /** Jumps if the condition of the block's Branch holds, negated on request. */
  jumpIf(depth: number, from: BasicBlock, to: BasicBlock, isNegated: boolean): void;
  /** Writes the Switch at the end of the block; `depths` are the targets in order. */
  table(block: BasicBlock, depths: readonly number[]): void;
  /** Writes a terminator without successors. */
  leave(block: BasicBlock): void;
}

/** The nesting of blocks, by position in reverse postorder. */
export interface NestingPlan {
  readonly flow: ControlFlow;
  readonly isHeader: Uint8Array;
  /**
   * Whether the block has its own label, which jumps reach. Its dominator's construct contains the
   * label.
   */
  readonly isLabelled: Uint8Array;
  /** The blocks that follow a `block` inside the construct of each block, in order. */
  readonly inside: readonly (readonly number[])[];
  /** The blocks that follow the loop of each block, in order. */
  readonly afterLoop: readonly (readonly number[])[];
}

type StructureTask = () => void;

/** Writes all blocks of the procedure of the plan. */
export function structure(plan: NestingPlan, sink: Sink): void {
  const { flow, isHeader, isLabelled, inside, afterLoop } = plan;
  const tasks: StructureTask[] = [];
  const positionOf = (block: BasicBlock): number => flow.position[block.index];
  const { begin, end, depthOf } = openConstructs(flow, sink);
  /**
   * Returns whether an edge is a jump. A jump to an open loop goes to its header, even if the
   * header has no label of its own.
   */
  const isJump = (from: number, to: number): boolean => isLabelled[to] === 1 || to <= from;
  /** Schedules tasks; the last scheduled group runs first. */
  const then = (...next: StructureTask[]): void => {
    for (const task of next.reverse()) tasks.push(task);
  };
  const write = (at: number): void => {
    const entered = isHeader[at] === 1 ? flow.order[at] : null;
    for (const child of [...afterLoop[at]].reverse()) begin("block", child, { entered });
    if (isHeader[at] === 1) begin("loop", at, { entered });
    sink.start(flow.order[at]);
    for (const child of [...inside[at]].reverse()) begin("block", child);
    sink.straight(flow.order[at]);
    const rest: StructureTask[] = inside[at].flatMap((child) => [end, () => write(child)]);
    if (isHeader[at] === 1) rest.push(end);
    rest.push(...afterLoop[at].flatMap((child) => [end, () => write(child)]));
    then(...rest);
    finish(at);
  };
  const goTo = (from: number, to: number): void => {
    if (isJump(from, to)) sink.jump(depthOf(to), flow.order[from], flow.order[to]);
    else then(() => writeAfter(from, to));
  };
  /** Writes a block without a label after its only predecessor outside of its loop. */
  const writeAfter = (from: number, to: number): void => {
    if (isHeader[to] === 1) sink.enter(flow.order[from], flow.order[to]);
    write(to);
  };
  const finish = (at: number): void => {
    const block = flow.order[at];
    const targets = block.successors.map(positionOf);
    if (targets.length === 0) sink.leave(block);
    else if (block.last.opcode === Op.Switch) sink.table(block, targets.map(depthOf));
    else if (targets.length === 1 || targets[0] === targets[1]) goTo(at, targets[0]);
    else branch(at, targets[0], targets[1]);
  };
  const branch = (at: number, yes: number, no: number): void => {
    const block = flow.order[at];
    if (isJump(at, yes) || isJump(at, no)) {
      const isNegated = !isJump(at, yes);
      const to = isNegated ? no : yes;
      sink.jumpIf(depthOf(to), block, flow.order[to], isNegated);
      goTo(at, isNegated ? yes : no);
      return;
    }
    // The `if` contains the arm that ends first.
    const isNegated = endsAtOnce(plan, no) && !endsAtOnce(plan, yes);
    const [first, second] = isNegated ? [no, yes] : [yes, no];
    const isShort = endsAtOnce(plan, second);
    sink.condition(block, isNegated);
    begin("if", NO_LABEL, { hasElse: isShort });
    const join: StructureTask[] = isShort ? [() => sink.otherwise()] : [end];
    then(
      () => writeAfter(at, first),
      ...join,
      () => writeAfter(at, second),
      ...(isShort ? [end] : []),
    );
  };
  then(() => write(0));
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) task();
}
const NO_LABEL = -1;

interface OpenConstructs {
  readonly begin: (
    kind: Construct["kind"],
    label: number,
    about?: Partial<Pick<Construct, "entered" | "hasElse">>,
  ) => void;
  readonly end: () => void;
  /** Returns the depth of the label of the block at this position. */
  readonly depthOf: (target: number) => number;
}

function openConstructs({ order }: ControlFlow, sink: Sink): OpenConstructs {
  const labels: number[] = []; // targets of the open constructs; NO_LABEL for an `if`
  return {
    begin(kind, label, about = {}) {
      labels.push(label);
      const target = label === NO_LABEL ? null : order[label];
      sink.begin({ kind, target, entered: null, hasElse: false, ...about });
    },
    end() {
      labels.pop();
      sink.end();
    },
    depthOf(target) {
      const at = labels.lastIndexOf(target);
      assert(at >= 0, () => `no label for block ${order[target].id}`);
      return labels.length - 1 - at;
    },
  };
}

/** Returns whether the construct of this block contains no other block. */
function endsAtOnce(
  { flow, isHeader, isLabelled, inside, afterLoop }: NestingPlan,
  at: number,
): boolean {
  if (isHeader[at] === 1 || inside[at].length > 0 || afterLoop[at].length > 0) return false;
  return flow.order[at].successors.every((block) => {
    const to = flow.position[block.index];
    return isLabelled[to] === 1 || to <= at;
  });
}

export function planOf(proc: Procedure): NestingPlan {
  const flow = analyzeControlFlow(proc);
  const { order, position, dominator } = flow;
  const count = order.length;
  const isHeader = new Uint8Array(count);
  const entryCounts = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const { successors, last } = order[at];
    for (const block of successors) {
      const to = position[block.index];
      if (to <= at) isHeader[to] = 1;
      // Each target of a Switch has a label, even with one predecessor.
      else entryCounts[to] += last.opcode === Op.Switch ? 2 : 1;
    }
    // A Branch with two equal successors is a jump.
    if (successors.length === 2 && successors[0] === successors[1]) {
      const to = position[successors[0].index];
      if (to > at && last.opcode !== Op.Switch) entryCounts[to]--;
    }
  }
  const loops = loopsOf(flow, isHeader);
  const isLabelled = new Uint8Array(count);
  const inside: number[][] = Array.from({ length: count }, () => []);
  const afterLoop: number[][] = Array.from({ length: count }, () => []);
  for (let at = 1; at < count; at++) {
    const left = outermostExitedLoop(loops, dominator[at], at);
    if (left !== NO_LOOP) afterLoop[left].push(at);
    else if (entryCounts[at] > 1) inside[dominator[at]].push(at);
    if (left !== NO_LOOP || entryCounts[at] > 1) isLabelled[at] = 1;
  }
  return { flow, isHeader, isLabelled, inside, afterLoop };
}

/** The innermost loop of each block as the position of its header; by position of the block. */
interface Loops {
  readonly innermost: Int32Array;
  /** By position of a header: the header of the surrounding loop. */
  readonly around: Int32Array;
}
const NO_LOOP = -1;

function loopsOf({ order, position }: ControlFlow, isHeader: Uint8Array): Loops {
  const innermost = new Int32Array(order.length).fill(NO_LOOP);
  const around = new Int32Array(order.length).fill(NO_LOOP);
  // Inner headers come later in the order, so they overwrite the outer headers.
  for (let header = 0; header < order.length; header++) {
    if (isHeader[header] === 0) continue;
    around[header] = innermost[header];
    const work = order[header].predecessors
      .map(({ index }) => position[index])
      .filter((from) => from >= header);
    const seen = new Set([header]);
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      for (const { index } of order[at].predecessors) work.push(position[index]);
    }
    for (const at of seen) innermost[at] = header;
  }
  return { innermost, around };
}

/** Returns the header of the outermost loop that contains `from` but not `to`. */
function outermostExitedLoop({ innermost, around }: Loops, from: number, to: number): number {
  let left = NO_LOOP;
  for (let loop = innermost[from]; loop !== NO_LOOP; loop = around[loop]) {
    if (isInLoop({ innermost, around }, to, loop)) break;
    left = loop;
  }
  return left;
}

function isInLoop({ innermost, around }: Loops, at: number, loop: number): boolean {
  let inner = innermost[at];
  while (inner !== NO_LOOP && inner !== loop) inner = around[inner];
  return inner === loop;
}
