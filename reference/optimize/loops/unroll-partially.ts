// Executes several iterations of a counted loop without a test between, as long as enough remain;
// the loop itself executes the rest.
//
// Assumes a valid program in any form of Phi. The loop exits at its header unless a 32-bit counter
// is below its limit, or at most the limit, signed (counted-loops.ts). The step is a constant, and
// the loop is small and has no inner loop.
//
//   preheader -> test -> iteration -> iteration -> iteration -> iteration -> test
//                 \-> header of the original loop
//
// 1. The test is `k < n - 3 * step`, for a counter k and a limit n. The difference does not wrap
//    around; if it would, the test fails. So k + 3 * step is below n. The loop's own test then
//    continues in all of these iterations, even if the loop includes n itself.
// 2. The iterations are peeled (peel.ts), so all other exits of the loop remain. A constant
//    limit in the loop is recreated before it. The Phis of the first iteration become the test's,
//    so the last iteration writes them, too. If the test fails, the Phis of the loop take their
//    values.
// 3. The iterations add ITERATIONS * step, so with a constant start the low bits of the counter
//    are known in each of them.
//
// It terminates because it skips the remaining loop, which starts from the counter of such a test,
// and loops that have grown. One application is one loop.

import { Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Void } from "../../../src/ir/types.js";
import { codeSizeOf } from "../analysis/code-size.js";
import {
  isFromOutside,
  isInLoop,
  type Loop,
  type LoopForest,
  mayBeCopied,
  preheaderOf,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";
import { newUpsilon, writes } from "../edit/upsilons.js";
import { counterOf, type LoopCounter } from "./counted-loops.js";
import { insertBeforeEnd } from "./exact-numbers.js";
import { changeLoops } from "./loop-by-loop.js";
import { continueTests, peel } from "./peel.js";

const NAME = "unroll-partially";
/** The number of consecutive iterations that the unrolled body contains. */
const ITERATIONS = 4;
/** The maximum code size of one iteration. */
const SIZE_MAX = 16;
/** The maximum step of a counter: the sum of all increments stays far below the counter's range. */
const STEP_MAX = 2 ** 16;
const LEAST = -(2 ** 31);

interface UnrollSite {
  readonly loop: Loop;
  readonly preheader: BasicBlock;
  readonly counter: LoopCounter;
}

export function unrollPartially(proc: Procedure, context: OptimizeContext): boolean {
  return changeLoops(proc, context, {
    name: NAME,
    find: (loops, done) => firstSite(proc, loops, done),
    at: ({ loop }) => loop.header.last,
    apply: (site, loops) => {
      unroll(proc, loops, site);
      sweep(proc);
    },
  });
}

function firstSite(
  proc: Procedure,
  loops: LoopForest,
  done: ReadonlySet<BasicBlock>,
): UnrollSite | null {
  for (const loop of loops.all) {
    const isSmall = mayBeCopied(proc, loop) && codeSizeOf(loop.blocks) <= SIZE_MAX;
    const site = isSmall && !done.has(loop.header) ? siteOf(loops, loop) : null;
    if (site !== null) return site;
  }
  return null;
}

function siteOf(loops: LoopForest, loop: Loop): UnrollSite | null {
  const preheader = loop.latches.length === 1 ? preheaderOf(loops, loop) : null;
  if (preheader === null || preheader.last.opcode !== Op.Jump) return null;
  const isInvariant = (value: Value): boolean =>
    value.isConstant || isFromOutside(value, loops, loop);
  const counter = counterOf(loops, loop, preheader, isInvariant);
  if (counter === null || !headPhis(loop.header).includes(counter.phi)) return null;
  const { start, step } = counter;
  if (!step.isConstant || step.constantLow > STEP_MAX || isRest(start, preheader)) return null;
  return { loop, preheader, counter };
}

/** Returns the Phis at the head of the block that no Upsilon there writes. */
function headPhis({ values }: BasicBlock): Value[] {
  const end = values.findIndex(({ opcode }) => opcode !== Op.Phi && opcode !== Op.Upsilon);
  const head = values.slice(0, end);
  return head.filter(
    (phi) => phi.opcode === Op.Phi && !head.some((upsilon) => writes(upsilon, phi)),
  );
}

/** True if the loop continues from the counter of an unrolled one. */
const isRest = (start: Value, { predecessors }: BasicBlock): boolean =>
  start.opcode === Op.Phi && predecessors.length === 1 && predecessors[0] === start.block;

function unroll(
  proc: Procedure,
  loops: LoopForest,
  { loop, preheader, counter }: UnrollSite,
): void {
  const { header, latches } = loop;
  const [latch] = latches;
  const limit = limitOf(proc, preheader, counter);
  const phis = headPhis(header);
  const inside = header.successors[isInLoop(loops, loop, header.successors[0]) ? 0 : 1];
  const peeled = peel(proc, loops, loop, ITERATIONS);
  continueTests(peeled, loop, header, inside);
  peeled.connect();
  const copies = peeled.all;
  copies.forEach(({ values }, k) => {
    foldLowBits(loop, counter, values, k);
  });
  const first = copies[0].blocks.get(header) ?? header;
  const last = copies[ITERATIONS - 1].blocks.get(latch) ?? latch;
  const test = proc.newBlock();
  const rest = proc.newBlock();
  test.frequency = first.frequency;
  rest.frequency = preheader.frequency;
  const own = phis.map((phi) => moveTo(proc, test, copies[0].values.get(phi) ?? phi));
  phis.forEach((phi, i) => {
    for (const value of last.values) if (writes(value, phi)) value.extra = own[i];
    rest.append(newUpsilon(proc, rest, own[i], phi));
  });
  rest.append(proc.newValue(Op.Jump, Void));
  const isBelow = proc.newValue(Op.LessThan, Int32);
  isBelow.a = own[phis.indexOf(counter.phi)];
  isBelow.b = limit;
  const branch = proc.newValue(Op.Branch, Void, isBelow);
  test.append(isBelow);
  test.append(branch);
  rest.successors = [header];
  test.successors = [first, rest];
  preheader.successors = [test];
  last.successors = last.successors.map((to) => (to === header ? test : to));
}

/**
 * Folds the low bits of the counter in the copy of iteration `k`, where the program masks them. The
 * increments of all iterations together do not change these bits.
 */
function foldLowBits(
  loop: Loop,
  { phi, start, step }: LoopCounter,
  copyOf: ReadonlyMap<Value, Value>,
  k: number,
): void {
  if (!start.isConstant) return;
  const added = ITERATIONS * step.constantLow;
  const known = (added & -added) - 1;
  for (const { values } of loop.blocks) {
    for (const value of values) {
      const { opcode, a, b } = value;
      if (opcode !== Op.BitAnd || a !== phi || b === null || !b.isConstant) continue;
      if ((b.constantLow & ~known) === 0)
        copyOf
          .get(value)
          ?.becomesConstant((start.constantLow + k * step.constantLow) & b.constantLow, 0);
    }
  }
}

/** Creates a Phi in the block that reads the variable of `phi`, and makes `phi` a copy of it. */
function moveTo(proc: Procedure, block: BasicBlock, phi: Value): Value {
  const moved = proc.newValue(Op.Phi, phi.type);
  block.append(moved);
  for (const { values } of proc.blocks) {
    for (const value of values) if (writes(value, phi)) value.extra = moved;
  }
  phi.becomes(moved);
  return moved;
}

/**
 * Computes the limit of the test: a counter below it stays below the loop's limit for all
 * iterations.
 */
function limitOf(proc: Procedure, preheader: BasicBlock, { limit, step }: LoopCounter): Value {
  const distance = (ITERATIONS - 1) * step.constantLow;
  const place = (value: Value): Value => {
    insertBeforeEnd(preheader, value);
    return value;
  };
  const constant = (number: number): Value => place(proc.newConstant(Int32, number, 0));
  const make = (opcode: typeof Op.Max | typeof Op.Add, a: Value, b: Value): Value =>
    place(proc.newValue(opcode, Int32, a, b));
  const bounded = make(Op.Max, limit, constant(LEAST + distance));
  return make(Op.Add, bounded, constant(-distance));
}
