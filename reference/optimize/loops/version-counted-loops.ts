// Tests a property of all iterations before a loop, and enters one of two versions of it: a copy
// that relies on the property, or the original.
//
// Assumes a valid program in any form of Phi. The loop is counted (counted-loops.ts), has no inner
// loop, and has one back edge. Only small loops are versioned, and not again if the branch before
// the loop already tests the same. One application is one loop.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32 } from "../../../src/ir/types.js";
import {
  isFromOutside,
  type Loop,
  type LoopForest,
  mayBeCopied,
  preheaderOf,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import type { DuplicateBlocks } from "../edit/duplicate-blocks.js";
import { sweep } from "../edit/sweep.js";
import { counterOf, lastOf, overflowFlags } from "./counted-loops.js";
import { ExactNumberBuilder } from "./exact-numbers.js";
import { type CountedLoop, rewriteAddresses } from "./linear-addresses.js";
import { changeLoops } from "./loop-by-loop.js";
import { makeVersions } from "./make-versions.js";

/** A counted loop that may be versioned. */
export interface VersionSite extends CountedLoop {
  readonly loops: LoopForest;
  /** Returns whether a value is a constant or comes from outside of the loop. */
  readonly isInvariant: (value: Value) => boolean;
}

/** A site with the counter in the first and in the last iteration, in 64 bits. */
export interface EndIterations extends VersionSite {
  readonly first: Value;
  readonly last: Value;
}

/** The property of all iterations that a phase tests before the loop. */
export interface IterationTest {
  readonly name: string;
  /**
   * True for a value that makes the test useful. Most procedures have none, and need no analysis.
   */
  readonly mayApply: (value: Value) => boolean;
  /**
   * True if the branch before a loop shows that no test is left. Evaluated before the counter is
   * searched.
   */
  readonly isDone: (preheader: BasicBlock) => boolean;
  /** Returns the values that the test is about; empty if there are none. */
  readonly valuesOf: (site: VersionSite) => readonly Value[];
  /** Creates the conditions before the loop. The copy must not run if one of them is not zero. */
  readonly conditionsOf: (
    tested: readonly Value[],
    ends: EndIterations,
    exact: ExactNumberBuilder,
  ) => Value[];
  /**
   * Simplifies the copy, in which the property holds. Returns the indices of the original that
   * equal their exact numbers in the copy.
   */
  readonly simplifyCopy: (tested: readonly Value[], copy: DuplicateBlocks) => readonly Value[];
  /** The opcode by which addresses extend these indices. */
  readonly extension: Opcode;
}

export function versionCountedLoops(
  proc: Procedure,
  context: OptimizeContext,
  test: IterationTest,
): boolean {
  if (!hasCandidate(proc, test)) return false;
  const isChanged = changeLoops(proc, context, {
    name: test.name,
    find: (loops, done) => firstPlan(proc, loops, done, test),
    at: ({ tested }) => tested[0],
    apply: (plan) => {
      apply(proc, plan, test);
    },
  });
  if (isChanged) sweep(proc);
  return isChanged;
}

function hasCandidate({ blocks }: Procedure, { mayApply }: IterationTest): boolean {
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) if (mayApply(values[i])) return true;
  }
  return false;
}

interface VersionPlan {
  readonly loop: Loop;
  readonly site: VersionSite;
  readonly tested: readonly Value[];
}

function firstPlan(
  proc: Procedure,
  loops: LoopForest,
  done: ReadonlySet<BasicBlock>,
  test: IterationTest,
): VersionPlan | null {
  for (const loop of loops.all) {
    if (done.has(loop.header) || loop.latches.length !== 1 || !mayBeCopied(proc, loop)) continue;
    const site = siteOf(loops, loop, test);
    if (site === null) continue;
    const tested = test.valuesOf(site);
    if (tested.length > 0) return { loop, site, tested };
  }
  return null;
}

function siteOf(loops: LoopForest, loop: Loop, { isDone }: IterationTest): VersionSite | null {
  const preheader = preheaderOf(loops, loop);
  if (preheader === null || preheader.last.opcode !== Op.Jump || isDone(preheader)) return null;
  const isInvariant = (value: Value): boolean =>
    value.isConstant || isFromOutside(value, loops, loop);
  const counter = counterOf(loops, loop, preheader, isInvariant);
  return counter === null ? null : { loops, loop, preheader, counter, isInvariant };
}

function apply(proc: Procedure, { site, tested }: VersionPlan, test: IterationTest): void {
  const { loop, preheader, counter, isInvariant } = site;
  const exact = new ExactNumberBuilder(proc, preheader, counter.phi, isInvariant);
  const first = exact.extended(counter.start);
  const last = lastOf(counter, exact);
  const overflows = overflowFlags(counter, last, exact);
  const conditions = test.conditionsOf(tested, { ...site, first, last }, exact);
  const condition = [...overflows, ...conditions].reduce((x, y) =>
    exact.make(Op.BitOr, Int32, x, y),
  );
  const copy = makeVersions(proc, loop, preheader, condition);
  const indices = test.simplifyCopy(tested, copy);
  rewriteAddresses(proc, site, exact, copy, indices, test.extension);
}

/** True if the branch before a loop has a matching condition among those joined by BitOr. */
export function branchTests(preheader: BasicBlock, isSuch: (condition: Value) => boolean): boolean {
  const branch = preheader.predecessors[0];
  if (preheader.predecessors.length !== 1 || branch.last.opcode !== Op.Branch) return false;
  const work = [branch.last.a];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (at === null) continue;
    if (at.opcode === Op.BitOr) work.push(at.a, at.b);
    else if (isSuch(at)) return true;
  }
  return false;
}
