// Tests in front of a loop whether the sums and products that index memory wrap around in any iteration, and
// enters one of two versions of the loop.
//
// Assumes a valid program in any form of Phi. The loop counts (counted-loops.ts), contains no loop, and has one
// back edge. An index is linear in the counter, of 32 bits, and extended by its sign for an address whose base
// comes from outside; every iteration computes the address. So each takes an operation and an extension in
// each iteration, because the index may wrap around.
//
// 1. The exact number that an index stands for, in 64 bits where nothing overflows (MAGNITUDE_MAX), is linear in
//    the counter. So if it is a signed number of 32 bits for the first and for the last iteration, it is so for all
//    between, and then the extended index equals it.
// 2. If that holds, and the counter does not overflow, a copy of the loop runs in which addresses are the row's
//    plus the counter, or variables (linear-addresses.ts); else the original.
//
// Small loops only, and not again if the branch in front asks that. One application is one loop.

import { dominates } from "../../../src/ir/control-flow.js";
import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
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
import { counterOf, lastOf, mayTurn } from "./counted-loops.js";
import { Exact, MAGNITUDE_MAX, magnitudeOf } from "./exact-numbers.js";
import { type CountedLoop, isOfSlot, partsOf, rewriteAddresses } from "./linear-addresses.js";
import { makeVersions } from "./make-versions.js";

const NAME = "version-extensions";
/** Indices that are tested together, at most: an address may take a register. */
const INDICES_MAX = 3;

export function versionExtensions(proc: Procedure, context: OptimizeContext): boolean {
  if (!hasExtendedIndex(proc)) return false;
  if (isTooLargeForCopies(proc)) {
    context.reachLimit("procedure size");
    return false;
  }
  const done = new Set<BasicBlock>();
  for (;;) {
    const loops = analyzeLoops(proc, context.flow(proc));
    const plan = firstPlan(proc, loops, done);
    if (plan === null || !context.claim(NAME, plan.indices[0])) break;
    apply(proc, plan);
    context.blocksChanged();
    done.add(plan.loop.header);
  }
  if (done.size > 0) sweep(proc);
  return done.size > 0;
}

// Most procedures have none, and need no analysis.
function hasExtendedIndex({ blocks }: Procedure): boolean {
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      if (partsOf(values[i], Op.SExt32) !== null) return true;
    }
  }
  return false;
}

interface Plan extends CountedLoop {
  readonly indices: readonly Value[];
  /** True of constants, and of values from outside. */
  readonly isInvariant: (value: Value) => boolean;
}

function firstPlan(proc: Procedure, loops: Loops, done: Set<BasicBlock>): Plan | null {
  for (const loop of loops.all) {
    if (done.has(loop.header) || loop.latches.length !== 1) continue;
    if (!mayBeCopied(proc, loop)) continue;
    const preheader = preheaderOf(loops, loop);
    if (preheader === null || preheader.last.opcode !== Op.Jump || isTested(preheader)) continue;
    const isInvariant = (value: Value): boolean =>
      value.isConstant || isFromOutside(value, loops, loop);
    const counter = counterOf(loops, loop, preheader, isInvariant);
    if (counter === null) continue;
    const indices = indicesOf(loops, loop, counter.phi, isInvariant);
    if (indices.length > 0) return { loop, preheader, counter, indices, isInvariant };
  }
  return null;
}

/** What addresses of each iteration extend; the counter itself costs nothing but its extension. */
function indicesOf(
  loops: Loops,
  loop: Loop,
  k: Value,
  isInvariant: (value: Value) => boolean,
): Value[] {
  const found: Value[] = [];
  for (const block of loop.blocks) {
    if (block === loop.header || !isInEachIteration(loops, loop, block)) continue;
    for (const value of block.values) {
      const parts = partsOf(value, Op.SExt32);
      if (parts === null || found.includes(parts.index)) continue;
      const { base, index } = parts;
      if (!isInvariant(base) || isOfSlot(base) || index === k || isInvariant(index)) continue;
      if (found.length === INDICES_MAX) return found;
      if (magnitudeOf(index, k, isInvariant) <= MAGNITUDE_MAX) found.push(index);
    }
  }
  return found;
}

function isInEachIteration({ flow }: Loops, { latches }: Loop, { index }: BasicBlock): boolean {
  const at = flow.position[index];
  return latches.every((latch) => dominates(flow, at, flow.position[latch.index]));
}

/** True if the branch in front asks whether an extension changes a number. */
function isTested(preheader: BasicBlock): boolean {
  const branch = preheader.predecessors[0];
  if (preheader.predecessors.length !== 1 || branch.last.opcode !== Op.Branch) return false;
  const work = [branch.last.a];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (at === null) continue;
    if (at.opcode === Op.BitOr) work.push(at.a, at.b);
    else if (at.opcode === Op.NotEqual && [at.a, at.b].some((x) => x?.opcode === Op.SExt32)) {
      return true;
    }
  }
  return false;
}

function apply(proc: Procedure, plan: Plan): void {
  const { loop, preheader, counter, indices, isInvariant } = plan;
  const exact = new Exact(proc, preheader, counter.phi, isInvariant);
  const copy = makeVersions(proc, loop, preheader, conditionOf(plan, exact));
  rewriteAddresses(proc, plan, exact, copy, indices, Op.SExt32);
}

/** Not zero if the copy must not run. */
function conditionOf({ counter, indices }: Plan, exact: Exact): Value {
  const first = exact.extended(counter.start);
  const last = lastOf(counter, exact);
  const flags = mayTurn(counter, last, exact);
  for (const index of indices) {
    for (const at of [first, last]) {
      const number = exact.of(index, at);
      const low = exact.make(Op.Trunc, Int32, number);
      const again = exact.make(Op.SExt32, Int64, low);
      flags.push(exact.make(Op.NotEqual, Int32, again, number));
    }
  }
  return flags.reduce((x, y) => exact.make(Op.BitOr, Int32, x, y));
}
