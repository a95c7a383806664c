// Tests in front of a loop whether an index leaves its array in any iteration, and enters one of
// two versions of the loop (loop predication).
//
// Assumes a valid program in any form of Phi. The loop contains no loop, has one back edge, and is
// left at its header unless `k < n` or `k <= n`, signed, for a variable k to which each iteration
// adds a step. A guard exits if `index >= length`, unsigned; n, step and length come from outside,
// and the index is linear in k.
//
// 1. Behind the header k lies between its start and n - 1 (or n), if the step is not negative and
//    the last sum does not overflow. Where that is not certain it is tested.
// 2. The exact number that an index stands for, in 64 bits where nothing overflows (MAGNITUDE_MAX),
//    is linear in k. So if it is below the length, unsigned, for the first k and for the last, it
//    is so for all between, and then it equals the index.
// 3. If all that holds, a copy of the loop runs that lacks the guards; else the original. No guard
//    moves or is evaluated earlier: the values in front of the loop are total.
// 4. In the copy, an address whose index is the start of a row plus k has the row's address
//    outside; one whose index is a multiple of k becomes an induction variable.
//
// Small loops only; once in a run, and not again if the branch in front tests that length. One
// application is one loop.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32 } from "../../../src/ir/types.js";
import {
  analyzeLoops,
  isFromOutside,
  isTooLargeForCopies,
  type Loop,
  type Loops,
  mayBeCopied,
  preheaderOf,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";
import { counterOf, isNatural, lastOf, mayTurn } from "./counted-loops.js";
import { Exact, MAGNITUDE_MAX, magnitudeOf } from "./exact-numbers.js";
import { type CountedLoop, rewriteAddresses } from "./linear-addresses.js";
import { makeVersions } from "./make-versions.js";

const NAME = "predicate-bounds-checks";

/** Guards that are tested together, at most. */
const GUARDS_MAX = 4;

export function predicateBoundsChecks(proc: Procedure, context: OptimizeContext): boolean {
  if (!hasBound(proc)) return false;
  if (isTooLargeForCopies(proc)) {
    context.reachLimit("procedure size");
    return false;
  }
  const done = new Set<BasicBlock>();
  for (;;) {
    const loops = analyzeLoops(proc, context.flow(proc));
    const plan = firstPlan(proc, loops, done);
    if (plan === null || !context.claim(NAME, plan.guards[0])) break;
    apply(proc, plan);
    context.blocksChanged();
    done.add(plan.loop.header);
  }
  if (done.size > 0) sweep(proc);
  return done.size > 0;
}

// Most procedures have none, and need no analysis.
function hasBound({ blocks }: Procedure): boolean {
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      if (values[i].opcode === Op.Check && boundOf(values[i].a) !== null) return true;
    }
  }
  return false;
}

interface Plan extends CountedLoop {
  readonly guards: readonly Value[];
  /** True of constants, and of values from outside. */
  readonly isInvariant: (value: Value) => boolean;
}

function firstPlan(proc: Procedure, loops: Loops, done: Set<BasicBlock>): Plan | null {
  for (const loop of loops.all) {
    if (done.has(loop.header) || loop.latches.length !== 1) continue;
    if (!mayBeCopied(proc, loop)) continue;
    const preheader = preheaderOf(loops, loop);
    if (preheader === null || preheader.last.opcode !== Op.Jump) continue;
    const isInvariant = (value: Value): boolean =>
      value.isConstant || isFromOutside(value, loops, loop);
    const counter = counterOf(loops, loop, preheader, isInvariant);
    if (counter === null) continue;
    const guards = guardsOf(loop, preheader, counter.phi, isInvariant);
    if (guards.length > 0) return { loop, preheader, counter, guards, isInvariant };
  }
  return null;
}

function guardsOf(
  loop: Loop,
  preheader: BasicBlock,
  k: Value,
  isInvariant: Plan["isInvariant"],
): Value[] {
  const found: Value[] = [];
  for (const block of loop.blocks) {
    if (block === loop.header) continue; // there k may be what the loop ends with
    for (const value of block.values) {
      const bound = value.opcode === Op.Check ? boundOf(value.a) : null;
      if (bound === null || found.length === GUARDS_MAX) continue;
      const { index, length } = bound;
      if (!isInvariant(length) || isInvariant(index) || isTested(length, preheader)) continue;
      if (magnitudeOf(index, k, isInvariant) <= MAGNITUDE_MAX) found.push(value);
    }
  }
  return found;
}

interface Bound {
  readonly index: Value;
  readonly length: Value;
}

function boundOf(condition: Value | null): Bound | null {
  if (condition === null) return null;
  const { opcode, a, b } = condition;
  if (a === null || b === null || a.type !== Int32) return null;
  if (opcode === Op.AboveEqual) return { index: a, length: b };
  return opcode === Op.BelowEqual ? { index: b, length: a } : null;
}

/** True if the branch in front compares something with that length. */
function isTested(length: Value, preheader: BasicBlock): boolean {
  const branch = preheader.predecessors[0];
  if (preheader.predecessors.length !== 1 || branch.last.opcode !== Op.Branch) return false;
  const work = [branch.last.a];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (at === null) continue;
    if (at.opcode === Op.BitOr) work.push(at.a, at.b);
    else if (at.opcode === Op.AboveEqual && at.b?.opcode === Op.ZExt32 && at.b.a === length) {
      return true;
    }
  }
  return false;
}

function apply(proc: Procedure, plan: Plan): void {
  const { loop, preheader, counter, guards, isInvariant } = plan;
  const exact = new Exact(proc, preheader, counter.phi, isInvariant);
  const condition = conditionOf(plan, exact);
  const copy = makeVersions(proc, loop, preheader, condition);
  for (const guard of guards) copy.values.get(guard)?.becomesNop();
  const indices = guards.flatMap(({ a }) => boundOf(a)?.index ?? []);
  rewriteAddresses(proc, plan, exact, copy, indices, Op.ZExt32);
}

/** Not zero if the copy must not run. */
function conditionOf({ counter, guards }: Plan, exact: Exact): Value {
  const first = exact.extended(counter.start);
  const last = lastOf(counter, exact);
  const flags = mayTurn(counter, last, exact);
  const ask = (opcode: Opcode, a: Value, b: Value): void => {
    flags.push(exact.make(opcode, Int32, a, b));
  };
  for (const guard of guards) {
    const bound = boundOf(guard.a);
    if (bound === null) continue;
    const length = exact.unsigned(bound.length);
    // If it counts up from 0 or more there is nothing beyond the last.
    const isRising = bound.index === counter.phi && isNatural(counter.start);
    if (!isRising) ask(Op.AboveEqual, exact.of(bound.index, first), length);
    ask(Op.AboveEqual, exact.of(bound.index, last), length);
  }
  return flags.reduce((x, y) => exact.make(Op.BitOr, Int32, x, y));
}
