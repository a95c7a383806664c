// Moves tests out of a loop: tests before the loop, and enters one of two versions of it.
//
// Assumes a valid program in any form of Phi. Two kinds of tests have the same result in all
// iterations:
//
// 1. Guards on operands from outside. A branch before the loop tests whether any of them would
//    fail. If so, the original runs, whose guards exit at their positions with the state there. If
//    not, a copy without them runs. No guard moves or is evaluated earlier: the branch computes
//    total values. unroll-loop handles guards that run in every iteration, unless another guard
//    does not.
// 2. A branch on a value from outside (unswitching): one version for each outcome.
//
// A loop is versioned if it is small and has no inner loop. A run versions it once, and not if the
// branch before it tests the same condition. The copy is a loop of its own, so a remaining test (a
// fifth guard, a second branch) may version the copy. One application is one loop.

import { EFFECTS, EXITS, Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import {
  isInEachIteration,
  isInvariant,
  type Loop,
  type LoopForest,
  mayBeCopied,
  newPreheader,
  preheaderOf,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { dropGuard } from "../edit/drop-guard.js";
import { sweep } from "../edit/sweep.js";
import { changeLoops } from "./loop-by-loop.js";
import { makeVersions } from "./make-versions.js";

const NAME = "version-loops";

/** The maximum number of conditions that are tested together. */
const CONDITIONS_MAX = 4;

export function versionLoops(proc: Procedure, context: OptimizeContext): boolean {
  const isChanged = changeLoops(proc, context, {
    name: NAME,
    find: (loops, done) => firstPlan(proc, loops, done),
    at: ({ tests }) => tests[0],
    apply: (plan, loops) => {
      apply(proc, loops, plan);
    },
  });
  if (isChanged) sweep(proc);
  return isChanged;
}

interface VersionPlan {
  readonly loop: Loop;
  /** The invariant guards of the loop, or its branches on one invariant operand. */
  readonly tests: readonly Value[];
}

function firstPlan(
  proc: Procedure,
  loops: LoopForest,
  done: ReadonlySet<BasicBlock>,
): VersionPlan | null {
  for (const loop of loops.all) {
    if (done.has(loop.header) || !mayBeCopied(proc, loop)) continue;
    const tests = invariantGuards(loops, loop) ?? invariantBranches(loops, loop);
    if (tests.length > 0) return { loop, tests };
  }
  return null;
}

/** Returns the invariant guards of the loop; null if unroll-loop handles all of them. */
function invariantGuards(loops: LoopForest, loop: Loop): Value[] | null {
  const found: Value[] = [];
  let isSometimes = false;
  for (const block of loop.blocks) {
    for (const value of block.values) {
      if (CONDITION_OF[value.opcode] === undefined || !isInvariant(value, loops, loop)) continue;
      if (isTestedBefore(value, loops, loop) || found.length === CONDITIONS_MAX) continue;
      found.push(value);
      if (!isInEachIteration(loops, loop, block)) isSometimes = true;
    }
  }
  return isSometimes ? found : null;
}

/** Returns the first branch on an operand from outside, and all branches on the same operand. */
function invariantBranches(loops: LoopForest, loop: Loop): Value[] {
  const branches = loop.blocks
    .map(({ last }) => last)
    .filter(
      (last) => last.opcode === Op.Branch && isInvariant(last, loops, loop) && !last.a?.isConstant,
    );
  if (branches.length === 0 || isTestedBefore(branches[0], loops, loop)) return [];
  return branches.filter(({ a }) => a === branches[0].a);
}

/**
 * True if the loop is entered from a branch on the same condition, alone or combined with others.
 */
function isTestedBefore({ opcode, a, b }: Value, loops: LoopForest, loop: Loop): boolean {
  const { position } = loops.flow;
  for (const block of loop.header.predecessors) {
    if (position[block.index] >= position[loop.header.index]) continue;
    const testing = block.last.opcode === Op.Branch ? block : block.predecessors[0];
    if (testing === undefined || testing.last.opcode !== Op.Branch) continue;
    const work = [testing.last.a];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      if (at === null) continue;
      if (at === a || (at.opcode === CONDITION_OF[opcode] && at.a === a && at.b === b)) return true;
      if (at.opcode === Op.BitOr || at.opcode === Op.NotEqual) work.push(at.a, at.b);
    }
  }
  return false;
}

/**
 * By guard: the opcode that computes before the loop whether it fails; Identity for the operand
 * itself.
 */
const CONDITION_OF: { readonly [opcode: number]: Opcode | undefined } = {
  [Op.Check]: Op.Identity,
  [Op.CheckAdd]: Op.AddOverflows,
  [Op.CheckSub]: Op.SubOverflows,
  [Op.CheckMul]: Op.MulOverflows,
};

function apply(proc: Procedure, loops: LoopForest, { loop, tests }: VersionPlan): void {
  const preheader = preheaderOf(loops, loop) ?? newPreheader(proc, loops, loop);
  const condition = conditionOf(proc, preheader, tests);
  const { values } = makeVersions(proc, loop, preheader, condition);
  for (const value of tests) {
    const copy = values.get(value);
    if (copy === undefined) continue;
    if ((EFFECTS[value.opcode] & EXITS) !== 0) dropGuard(copy);
    else {
      goesOneWay(proc, value, 1);
      goesOneWay(proc, copy, 0);
    }
  }
}

/** Appends a value that is not zero if one of the guards would fail, or the branch is taken. */
function conditionOf(proc: Procedure, block: BasicBlock, tests: readonly Value[]): Value {
  const place = (value: Value): Value => {
    value.block = block;
    block.values.splice(block.values.length - 1, 0, value);
    return value;
  };
  const make = (opcode: Opcode, a: Value | null, b: Value | null): Value => {
    return place(proc.newValue(opcode, Int32, a, b));
  };
  const flag = ({ opcode, a, b }: Value): Value => {
    if (b !== null) return make(CONDITION_OF[opcode] ?? Op.Nop, a, b);
    const isWide = a?.type === Int64;
    return make(Op.NotEqual, a, place(proc.newConstant(isWide ? Int64 : Int32, 0, 0)));
  };
  const [{ opcode, a, b }] = tests;
  const isOne = opcode === Op.Branch || tests.length === 1;
  if (isOne && b === null && a !== null) return a;
  return tests.map(flag).reduce((x, y) => make(Op.BitOr, x, y));
}

function goesOneWay(proc: Procedure, branch: Value, known: number): void {
  const { block } = branch;
  if (block === null) return;
  const constant = proc.newConstant(Int32, known, 0);
  constant.block = block;
  block.values.splice(block.values.length - 1, 0, constant);
  branch.a = constant;
}
