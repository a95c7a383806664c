// Tests in front of a loop what the loop would test in each turn, and goes into one of two versions.
//
// Assumes a valid program in any form of Phi. Two kinds of questions have one answer for all turns:
//
// 1. Guards on operands from outside. A branch in front of the loop asks whether any would fail: if
//    so the original runs, whose guards exit where they stand, with what is there; if not, a copy
//    without them. No guard moves, and none is asked earlier: the branch computes total values. Guards
//    that each turn comes to are left to unroll-loop, unless another one is not.
// 2. A branch on a value from outside (unswitching): one version for each way.
//
// A loop is versioned if it is small and has no loop within; once in a run, and not again where the
// branch in front of it asks the same question. Its copy is a loop of its own: what was not asked for
// the first (a fifth guard, a second branch) may be asked for it. One application is one loop.

import { dominates } from "../../../src/ir/control-flow.js";
import { EFFECTS, EXITS, Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import {
  analyzeLoops,
  isInvariant,
  type Loop,
  type Loops,
  mayBeCopied,
  newPreheader,
  preheaderOf,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { dropGuard } from "../edit/drop-guard.js";
import { sweep } from "../edit/sweep.js";
import { makeVersions } from "./make-versions.js";

const NAME = "version-loops";

/** Conditions that are tested together, at most. */
const CONDITIONS_MAX = 4;

export function versionLoops(proc: Procedure, context: OptimizeContext): boolean {
  const done = new Set<BasicBlock>();
  for (;;) {
    const loops = analyzeLoops(proc);
    const plan = firstPlan(proc, loops, done);
    if (plan === null || !context.claim(NAME, plan.asked[0])) break;
    apply(proc, loops, plan);
    done.add(plan.loop.header);
  }
  if (done.size > 0) sweep(proc);
  return done.size > 0;
}

interface Plan {
  readonly loop: Loop;
  /** Guards, or branches on one operand. */
  readonly asked: readonly Value[];
}

function firstPlan(proc: Procedure, loops: Loops, done: Set<BasicBlock>): Plan | null {
  for (const loop of loops.all) {
    if (done.has(loop.header) || !mayBeCopied(proc, loops, loop)) continue;
    const asked = invariantGuards(loops, loop) ?? invariantBranches(loops, loop);
    if (asked.length > 0) return { loop, asked };
  }
  return null;
}

/** Null if unroll-loop does as well. */
function invariantGuards(loops: Loops, loop: Loop): Value[] | null {
  const { flow } = loops;
  const found: Value[] = [];
  let isSometimes = false;
  for (const block of loop.blocks) {
    for (const value of block.values) {
      if (CONDITION_OF[value.opcode] === undefined || !isInvariant(value, loops, loop)) continue;
      if (isAskedBefore(value, loops, loop) || found.length === CONDITIONS_MAX) continue;
      found.push(value);
      const at = flow.position[block.index];
      if (!loop.latches.every((latch) => dominates(flow, at, flow.position[latch.index]))) {
        isSometimes = true;
      }
    }
  }
  return isSometimes ? found : null;
}

/** All branches on the operand of the first one that is from outside. */
function invariantBranches(loops: Loops, loop: Loop): Value[] {
  const branches = loop.blocks
    .map(({ last }) => last)
    .filter(
      (last) => last.opcode === Op.Branch && isInvariant(last, loops, loop) && !last.a?.isConstant,
    );
  if (branches.length === 0 || isAskedBefore(branches[0], loops, loop)) return [];
  return branches.filter(({ a }) => a === branches[0].a);
}

/** True if the way into the loop comes from a branch on the same condition, or on several with it. */
function isAskedBefore({ opcode, a, b }: Value, loops: Loops, loop: Loop): boolean {
  const { position } = loops.flow;
  for (const block of loop.header.predecessors) {
    if (position[block.index] >= position[loop.header.index]) continue;
    const asking = block.last.opcode === Op.Branch ? block : block.predecessors[0];
    if (asking === undefined || asking.last.opcode !== Op.Branch) continue;
    const work = [asking.last.a];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      if (at === null) continue;
      if (at === a || (at.opcode === CONDITION_OF[opcode] && at.a === a && at.b === b)) return true;
      if (at.opcode === Op.BitOr || at.opcode === Op.NotEqual) work.push(at.a, at.b);
    }
  }
  return false;
}

/** What says in front of the loop that the guard will fail; of a Check, its operand. */
const CONDITION_OF: { readonly [opcode: number]: Opcode | undefined } = {
  [Op.Check]: Op.Identity,
  [Op.CheckAdd]: Op.AddOverflows,
  [Op.CheckSub]: Op.SubOverflows,
  [Op.CheckMul]: Op.MulOverflows,
};
function apply(proc: Procedure, loops: Loops, { loop, asked }: Plan): void {
  const preheader = preheaderOf(loops, loop) ?? newPreheader(proc, loops, loop);
  const condition = conditionOf(proc, preheader, asked);
  const { values } = makeVersions(proc, loop, preheader, condition);
  for (const value of asked) {
    const copy = values.get(value);
    if (copy === undefined) continue;
    if ((EFFECTS[value.opcode] & EXITS) !== 0) dropGuard(copy);
    else {
      goesOneWay(proc, value, 1);
      goesOneWay(proc, copy, 0);
    }
  }
}

/** Appends to the block what is not zero if one of the guards would fail, or the branch is taken. */
function conditionOf(proc: Procedure, block: BasicBlock, asked: readonly Value[]): Value {
  const place = (value: Value): Value => {
    value.block = block;
    block.values.splice(block.values.length - 1, 0, value);
    return value;
  };
  const make = (opcode: Opcode, a: Value | null, b: Value | null): Value => {
    const value = proc.newValue(opcode, Int32);
    value.a = a;
    value.b = b;
    return place(value);
  };
  const flag = ({ opcode, a, b }: Value): Value => {
    if (b !== null) return make(CONDITION_OF[opcode] ?? Op.Nop, a, b);
    const isWide = a?.type === Int64;
    return make(Op.NotEqual, a, place(proc.newConstant(isWide ? Int64 : Int32, 0, 0)));
  };
  const [{ opcode, a, b }] = asked;
  const isOne = opcode === Op.Branch || asked.length === 1;
  if (isOne && b === null && a !== null) return a;
  return asked.map(flag).reduce((x, y) => make(Op.BitOr, x, y));
}

function goesOneWay(proc: Procedure, branch: Value, known: number): void {
  const { block } = branch;
  if (block === null) return;
  const constant = proc.newConstant(Int32, known, 0);
  constant.block = block;
  block.values.splice(block.values.length - 1, 0, constant);
  branch.a = constant;
}
