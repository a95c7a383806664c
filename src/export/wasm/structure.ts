// Blocks and branches as WebAssembly has them: nested, left by jumps to labels.
//
// Each block stands within the construct of the block that dominates it (Ramsey, "Beyond Relooper", ICFP
// 2022): one with several ways in begins where a `block` ends, one with a way back begins a `loop`. What a
// loop never comes back from stands behind the loop, so that an engine sees no more in it than iterates.
//
// Input:  a procedure of reducible control flow, all blocks reachable.
// Output: calls of a Sink, properly nested. Control never falls out of a construct by itself.

import { analyzeControlFlow, type ControlFlow } from "../../ir/control-flow.js";
import { Op } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure } from "../../ir/procedure.js";
import { assert } from "../../support/assert.js";

/** What writes the instructions. Depths count constructs between a jump and the one it names. */
export interface Sink {
  begin(kind: "block" | "loop" | "if"): void;
  /** The second arm of an `if`. */
  otherwise(): void;
  end(): void;
  jump(depth: number): void;
  /** The values of the block but its last, with what the last takes: see each. */
  straight(block: BasicBlock): void;
  /** Pushes whether the condition of the block's Branch holds, or its opposite. */
  condition(block: BasicBlock, isNegated: boolean): void;
  /** Jumps by the condition on the stack. */
  jumpIf(depth: number): void;
  /** The Switch at the end: depths of its targets, in their order. */
  table(block: BasicBlock, depths: readonly number[]): void;
  /** A last value without a successor. */
  leave(block: BasicBlock): void;
}

/** Where blocks stand; by position in reverse postorder. */
interface Plan {
  readonly flow: ControlFlow;
  readonly isHeader: Uint8Array;
  /** A label of its own: it is reached by jumps, at a place that its dominator's construct has. */
  readonly isLabelled: Uint8Array;
  /** In the construct of a block: what begins where a `block` ends, in order. */
  readonly inside: readonly (readonly number[])[];
  /** Likewise, behind the loop that the block begins. */
  readonly behind: readonly (readonly number[])[];
}

type Task = () => void;

/** Writes all blocks of the procedure. */
export function structure(proc: Procedure, sink: Sink): void {
  const plan = planOf(proc);
  const { flow, isHeader, isLabelled, inside, behind } = plan;
  const labels: number[] = []; // of the open constructs; NO_LABEL for those that nothing jumps to
  const tasks: Task[] = [];
  const positionOf = (block: BasicBlock): number => flow.position[block.index];
  const begin = (kind: "block" | "loop" | "if", label: number): void => {
    labels.push(label);
    sink.begin(kind);
  };
  const end = (): void => {
    labels.pop();
    sink.end();
  };
  const depthOf = (target: number): number => {
    const at = labels.lastIndexOf(target);
    assert(at >= 0, () => `wasm: no label for block ${flow.order[target].id}`);
    return labels.length - 1 - at;
  };
  /** An open loop is a label of its header, whether the header has one of its own or not. */
  const isJump = (from: number, to: number): boolean => isLabelled[to] === 1 || to <= from;
  /** Tasks are done last in, first out. */
  const then = (...next: Task[]): void => {
    for (const task of next.reverse()) tasks.push(task);
  };
  const write = (at: number): void => {
    for (const child of [...behind[at]].reverse()) begin("block", child);
    if (isHeader[at] === 1) begin("loop", at);
    for (const child of [...inside[at]].reverse()) begin("block", child);
    sink.straight(flow.order[at]);
    const rest: Task[] = inside[at].flatMap((child) => [end, () => write(child)]);
    if (isHeader[at] === 1) rest.push(end);
    rest.push(...behind[at].flatMap((child) => [end, () => write(child)]));
    then(...rest);
    finish(at);
  };
  const goTo = (from: number, to: number): void => {
    if (isJump(from, to)) sink.jump(depthOf(to));
    else then(() => write(to));
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
      sink.condition(block, isNegated);
      sink.jumpIf(depthOf(isNegated ? no : yes));
      goTo(at, isNegated ? yes : no);
      return;
    }
    // The arm that ends sooner stands in the `if`.
    const isNegated = endsAtOnce(plan, no) && !endsAtOnce(plan, yes);
    const [first, second] = isNegated ? [no, yes] : [yes, no];
    sink.condition(block, isNegated);
    begin("if", NO_LABEL);
    const isShort = endsAtOnce(plan, second);
    const join: Task[] = isShort ? [() => sink.otherwise()] : [end];
    then(
      () => write(first),
      ...join,
      () => write(second),
      ...(isShort ? [end] : []),
    );
  };
  then(() => write(0));
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) task();
}
const NO_LABEL = -1;

/** No other block stands in the construct of this one. */
function endsAtOnce({ flow, isHeader, isLabelled, inside, behind }: Plan, at: number): boolean {
  if (isHeader[at] === 1 || inside[at].length > 0 || behind[at].length > 0) return false;
  return flow.order[at].successors.every((block) => {
    const to = flow.position[block.index];
    return isLabelled[to] === 1 || to <= at;
  });
}

function planOf(proc: Procedure): Plan {
  const flow = analyzeControlFlow(proc);
  const { order, position, dominator } = flow;
  const count = order.length;
  const isHeader = new Uint8Array(count);
  const waysIn = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const { successors, last } = order[at];
    for (const block of successors) {
      const to = position[block.index];
      if (to <= at) isHeader[to] = 1;
      // What a Switch goes to has a label, however few ways lead there.
      else waysIn[to] += last.opcode === Op.Switch ? 2 : 1;
    }
    // Both arms of a Branch in one block: a jump.
    if (successors.length === 2 && successors[0] === successors[1]) {
      const to = position[successors[0].index];
      if (to > at && last.opcode !== Op.Switch) waysIn[to]--;
    }
  }
  const loops = loopsOf(flow, isHeader);
  const isLabelled = new Uint8Array(count);
  const inside: number[][] = Array.from({ length: count }, () => []);
  const behind: number[][] = Array.from({ length: count }, () => []);
  for (let at = 1; at < count; at++) {
    const left = outermostLeft(loops, dominator[at], at);
    if (left !== NO_LOOP) behind[left].push(at);
    else if (waysIn[at] > 1) inside[dominator[at]].push(at);
    if (left !== NO_LOOP || waysIn[at] > 1) isLabelled[at] = 1;
  }
  return { flow, isHeader, isLabelled, inside, behind };
}

/** The loops of a procedure: by position of a block, the header of the innermost one it is in. */
interface Loops {
  readonly innermost: Int32Array;
  /** By position of a header: the header of the loop around its loop. */
  readonly around: Int32Array;
}
const NO_LOOP = -1;

function loopsOf({ order, position }: ControlFlow, isHeader: Uint8Array): Loops {
  const innermost = new Int32Array(order.length).fill(NO_LOOP);
  const around = new Int32Array(order.length).fill(NO_LOOP);
  // Inner headers come later in the order, and write over what the outer ones wrote.
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

/** The header of the outermost loop that `from` is in and `to` is not. */
function outermostLeft({ innermost, around }: Loops, from: number, to: number): number {
  let left = NO_LOOP;
  for (let loop = innermost[from]; loop !== NO_LOOP; loop = around[loop]) {
    if (isIn({ innermost, around }, to, loop)) break;
    left = loop;
  }
  return left;
}

function isIn({ innermost, around }: Loops, at: number, loop: number): boolean {
  let inner = innermost[at];
  while (inner !== NO_LOOP && inner !== loop) inner = around[inner];
  return inner === loop;
}
