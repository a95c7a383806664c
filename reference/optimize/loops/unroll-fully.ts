// Replaces a loop with a known number of iterations by that many copies of its body.
//
// Assumes a valid program in any form of Phi. The test is in the header, or in a block that every
// iteration passes on its way to the only latch. It compares an integer with a constant. The
// integer is a Phi of the header that starts from a constant, or its next value, which is the Phi
// plus a constant. So the number of iterations is known, if no other branch leaves the loop. The
// phase peels that many iterations. In the copies the test continues. In the remaining loop it does
// not, so nothing leads back to its header.
//
// A loop takes part if it has no inner loop and the copies stay small. So a nest is unrolled from
// the inside, as far as the limits allow. One application is one loop.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { isFloating, isWide } from "../../../src/ir/types.js";
import { bitsOf } from "../../../src/ir/words.js";
import { codeSizeOf } from "../analysis/code-size.js";
import { isInLoop, type Loop, type LoopForest } from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { jumpTo } from "../edit/edit-blocks.js";
import { writes, writtenIn } from "../edit/upsilons.js";
import { changeLoops } from "./loop-by-loop.js";
import { continueTests, peel } from "./peel.js";

const NAME = "unroll-fully";
const ITERATIONS_MAX = 32;
/** The maximum code size of all copies together. */
const COPIED_MAX = 256;

export function unrollFully(proc: Procedure, context: OptimizeContext): boolean {
  return changeLoops(proc, context, {
    name: NAME,
    find: firstCounted,
    at: ({ loop }) => loop.header.last,
    apply: (counted, loops) => {
      unroll(proc, loops, counted);
    },
  });
}

/** A loop whose test continues `times` times, and then leaves. */
interface UnrollPlan {
  readonly loop: Loop;
  readonly test: BasicBlock;
  readonly inside: BasicBlock;
  readonly outside: BasicBlock;
  readonly times: number;
}

function firstCounted(loops: LoopForest): UnrollPlan | null {
  for (const loop of loops.all) {
    const counted = loop.end - loop.begin === 1 ? countedOf(loops, loop) : null;
    if (counted !== null && codeSizeOf(loop.blocks) * counted.times <= COPIED_MAX) return counted;
  }
  return null;
}

function countedOf(loops: LoopForest, loop: Loop): UnrollPlan | null {
  const { header, latches } = loop;
  if (latches.length !== 1) return null;
  for (const test of testsOf(header, latches[0])) {
    const [taken, missed] = test.successors;
    if (test.last.opcode !== Op.Branch || taken === missed) continue;
    const staysIfTaken = isInLoop(loops, loop, taken);
    if (staysIfTaken === isInLoop(loops, loop, missed)) continue;
    const counter = counterOf(loops, loop, test.last.a);
    const times = counter === null ? null : iterationsOf(counter, staysIfTaken);
    if (times === null) continue;
    const [inside, outside] = staysIfTaken ? [taken, missed] : [missed, taken];
    return { loop, test, inside, outside, times };
  }
  return null;
}

/**
 * Returns blocks that every iteration passes exactly once: the single predecessors up from the
 * latch, and the header.
 */
function testsOf(header: BasicBlock, latch: BasicBlock): BasicBlock[] {
  const tests = [latch];
  for (let at = latch; at !== header && at.predecessors.length === 1; ) {
    [at] = at.predecessors;
    tests.push(at);
  }
  if (!tests.includes(header)) tests.push(header);
  return tests;
}

/** The operand of a test. In iteration k it is `start + k * step`, modulo its width. */
interface TestCounter {
  readonly opcode: Opcode;
  readonly isWide: boolean;
  readonly start: bigint;
  readonly step: bigint;
  readonly bound: bigint;
}

function counterOf(loops: LoopForest, loop: Loop, condition: Value | null): TestCounter | null {
  if (condition === null) return null;
  const { opcode, a, b } = condition;
  if (COMPARES[opcode] === undefined) return directCounter(loops, loop, condition);
  if (a === null || b === null || !b.isConstant) return null;
  return countedBy(loops, loop, a, opcode, numberOf(b));
}

// Returns the counter if the branch condition is the counter itself, which is compared with zero;
// else null.
const directCounter = (loops: LoopForest, loop: Loop, condition: Value): TestCounter | null =>
  countedBy(loops, loop, condition, Op.NotEqual, 0n);

function countedBy(
  loops: LoopForest,
  loop: Loop,
  compared: Value,
  opcode: Opcode,
  bound: bigint,
): TestCounter | null {
  const phi = compared.opcode === Op.Phi ? compared : compared.a;
  if (phi === null || phi.opcode !== Op.Phi || phi.block !== loop.header) return null;
  if (isFloating(phi.type)) return null;
  const [latch] = loop.latches;
  const next = writtenIn(latch, phi);
  if (next === null || next.opcode !== Op.Add || next.a !== phi || next.b === null) return null;
  if (!next.b.isConstant || (compared !== phi && compared !== next)) return null;
  const start = startOf(loops, loop, phi);
  if (start === null) return null;
  const step = numberOf(next.b);
  const first = compared === phi ? start : start + step;
  return { opcode, isWide: isWide(phi.type), start: first, step, bound };
}

/** Returns the constant that every entry of the loop writes to the Phi; null if there is none. */
function startOf(loops: LoopForest, loop: Loop, phi: Value): bigint | null {
  let start: bigint | null = null;
  for (const block of loop.header.predecessors) {
    if (isInLoop(loops, loop, block)) continue;
    const input = writtenIn(block, phi);
    if (input === null || !input.isConstant) return null;
    if (start !== null && start !== numberOf(input)) return null;
    start = numberOf(input);
  }
  // Only the latch may write the Phi within the loop.
  const inside = loop.blocks.flatMap(({ values }) => values.filter((value) => writes(value, phi)));
  return inside.length === 1 ? start : null;
}

const numberOf = (c: Value): bigint => bitsOf(c.type, c.constantLow, c.constantHigh);

type WidthComparison = (x: bigint, y: bigint, bits: number) => boolean;
const unsigned =
  (compare: WidthComparison): WidthComparison =>
  (x, y, bits) =>
    compare(BigInt.asUintN(bits, x), BigInt.asUintN(bits, y), bits);

/** By opcode of a comparison: whether it holds for two signed numbers. */
const COMPARES: Readonly<Record<number, WidthComparison>> = {
  [Op.Equal]: (x, y) => x === y,
  [Op.NotEqual]: (x, y) => x !== y,
  [Op.LessThan]: (x, y) => x < y,
  [Op.LessEqual]: (x, y) => x <= y,
  [Op.GreaterThan]: (x, y) => x > y,
  [Op.GreaterEqual]: (x, y) => x >= y,
  [Op.Below]: unsigned((x, y) => x < y),
  [Op.BelowEqual]: unsigned((x, y) => x <= y),
  [Op.Above]: unsigned((x, y) => x > y),
  [Op.AboveEqual]: unsigned((x, y) => x >= y),
};

/** Returns the number of times the test continues; null if that is 0 or too many. */
function iterationsOf(counter: TestCounter, staysIfTrue: boolean): number | null {
  const { opcode, isWide, start, step, bound } = counter;
  const bits = isWide ? 64 : 32;
  let value = BigInt.asIntN(bits, start);
  for (let times = 0; times <= ITERATIONS_MAX; times++) {
    if (COMPARES[opcode](value, bound, bits) !== staysIfTrue) return times === 0 ? null : times;
    value = BigInt.asIntN(bits, value + step);
  }
  return null;
}

function unroll(
  proc: Procedure,
  loops: LoopForest,
  { loop, test, inside, outside, times }: UnrollPlan,
): void {
  const copies = peel(proc, loops, loop, times);
  continueTests(copies, loop, test, inside);
  jumpTo(test, outside);
  copies.connect();
}
