// Makes worlds of bounds checks: a counting loop with a guard that an index is within a length. The
// exact start, step, limit and length, and the ends of the type, determine whether the guard can be
// removed, or hoisted before the loop. The guard may fail in the first iteration, in the last one,
// after it, or never.

import type { ProcedureMaker } from "../../generate/maker/maker.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import { addSnapshot, EXITING } from "../calls.js";
import { type CountedValue, choice, product } from "../counted.js";
import { call, returnResults, startProcedure } from "../procedures.js";
import { kindOf, type WorldKind, type WorldSite } from "../world.js";
import { stepsOn } from "./turns.js";

const GREATEST = 0x7fffffff;
const LEAST = -0x80000000;
/** The start of the counter: an operand, or a number. */
const STARTS: readonly (number | null)[] = [null, 0, 1, -2, GREATEST - 4, LEAST + 3];
const STRIDES = [1, 2, -1, -3];
/**
 * The number of steps to the limit: an operand's low bits, or a number; or the limit is an end of
 * the type.
 */
const TIMES: readonly (number | null)[] = [null, 3, 8];
const TIMES_MASK = 7;
const ENDS = [GREATEST, LEAST];
const COMPARISONS: readonly Opcode[] = [
  Op.LessThan,
  Op.LessEqual,
  Op.NotEqual,
  Op.GreaterThan,
  Op.GreaterEqual,
];
/**
 * The position of the loop's test: before an iteration, after it, or before it without ending the
 * loop.
 */
const TEST_POSITIONS = ["before", "after", "beside"] as const;
/** Iterations of a loop that its test does not end. */
const ITERATIONS_MAX = 10;
/** The index in the first iteration. */
const FIRSTS = [0, 1, 5];
/** An operand's low bits, or a number: at most this many iterations pass the guard. */
const LENGTHS: readonly (number | null)[] = [null, 4, 9];
const LENGTH_MASK = 7;

/** The state of an iteration; its index derives from the counter. */
interface IterationState {
  readonly index: Value;
  readonly length: Value;
  readonly sum: Value;
  /** The address of the world's heap cell. */
  readonly cell: Value;
}

/** A function that emits guards which exit if the index is below 0, or not below the length. */
type IndexGuard = (maker: ProcedureMaker, iteration: IterationState) => Value[];
const check = (maker: ProcedureMaker, opcode: Opcode, a: Value, b: Value): Value =>
  maker.append(Op.Check, Void, maker.append(opcode, Int32, a, b));
const GUARDS: readonly IndexGuard[] = [
  (maker, { index, length }) => [check(maker, Op.AboveEqual, index, length)],
  (maker, { index, length }) => [
    check(maker, Op.LessThan, index, maker.integer(Int32, 0)),
    check(maker, Op.GreaterEqual, index, length),
  ],
];

/** The update of the sum after the guard. */
const BODIES: readonly ((maker: ProcedureMaker, iteration: IterationState) => Value)[] = [
  (maker, { index, sum }) => {
    const moved = maker.append(Op.Mul, Int32, sum, maker.integer(Int32, 10));
    return maker.append(Op.Add, Int32, moved, index);
  },
  (maker, iteration) => access(maker, iteration, Op.ZExt32),
  (maker, iteration) => access(maker, iteration, Op.SExt32),
];

/** Adds the element to the sum; stores the new sum in the element, and returns it. */
function access(
  maker: ProcedureMaker,
  { index, sum, cell }: IterationState,
  extend: typeof Op.ZExt32 | typeof Op.SExt32,
): Value {
  const wide = maker.append(extend, Int64, index);
  const distance = maker.append(Op.Shl, Int64, wide, maker.integer(Int32, 2));
  const address = maker.append(Op.Add, Int64, cell, distance);
  const next = maker.append(Op.Add, Int32, maker.append(Op.Load, Int32, address), sum);
  maker.append(Op.Store, Void, next, address);
  return next;
}

const SHOWN = ["before", "computed"] as const;
/** Names of the continuations, by guard. */
const CONTINUATIONS = ["resumed", "behind"];
/** A function that returns the limit of the counter: after some steps, or an end of the type. */
type CounterLimit = (maker: ProcedureMaker, started: Value, by: number, operand: Value) => Value;
const LIMITS: readonly CounterLimit[] = [
  ...TIMES.map(
    (times): CounterLimit =>
      (maker, started, by, operand) =>
        stepsOn(maker, started, by, times, [operand, TIMES_MASK]),
  ),
  ...ENDS.map(
    (end): CounterLimit =>
      (maker) =>
        maker.integer(Int32, end),
  ),
];
const WORLDS = product({
  start: choice(STARTS),
  by: choice(STRIDES),
  limitOf: choice(LIMITS),
  comparison: choice(COMPARISONS),
  place: choice(TEST_POSITIONS),
  first: choice(FIRSTS),
  bound: choice(LENGTHS),
  guard: choice(GUARDS),
  body: choice(BODIES),
  shown: choice(SHOWN),
});

function make(world: CountedValue<typeof WORLDS>, site: WorldSite): Value {
  const { start, by, limitOf, comparison, place, first, bound, guard, body, shown } = world;
  const maker = startProcedure(site, "checked", [Int32], [Int64, Int32, Int32, Int32]);
  const { proc } = maker;
  const [cell, x, y, z] = proc.parameters;
  const started = start === null ? x : maker.integer(Int32, start);
  const limit = limitOf(maker, started, by, y);
  const length =
    bound === null
      ? maker.append(Op.BitAnd, Int32, z, maker.integer(Int32, LENGTH_MASK))
      : maker.integer(Int32, bound);
  const [counter, sum] = [proc.newValue(Op.Phi, Int32), proc.newValue(Op.Phi, Int32)];
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  const inside = place === "after" ? header : proc.newBlock();
  const isBeside = place === "beside";
  const left = proc.newValue(Op.Phi, Int32);
  maker.upsilon(started, counter);
  maker.upsilon(z, sum);
  if (isBeside) maker.upsilon(maker.integer(Int32, ITERATIONS_MAX), left);
  maker.jump(header);
  maker.block = header;
  for (const phi of isBeside ? [counter, sum, left] : [counter, sum]) maker.place(phi, false);
  const testOf = (value: Value): Value => maker.append(comparison, Int32, value, limit);
  if (inside !== header) {
    const beyond = isBeside ? proc.newBlock() : exit;
    maker.branch(testOf(counter), inside, beyond);
    if (isBeside) {
      maker.block = beyond;
      maker.append(Op.Store, Void, counter, cell);
      maker.jump(inside);
    }
    maker.block = inside;
  }
  const at = indexOf(maker, counter, started, first);
  const iteration = { index: at, length: length, sum, cell };
  guard(maker, iteration).forEach((test, k) => {
    addSnapshot(site, maker, test, [counter, sum], shown, CONTINUATIONS[k]);
  });
  const summed = body(maker, iteration);
  const next = maker.append(Op.Add, Int32, counter, maker.integer(Int32, by));
  maker.upsilon(summed, sum);
  maker.upsilon(next, counter);
  if (isBeside) {
    const others = maker.append(Op.Sub, Int32, left, maker.integer(Int32, 1));
    maker.upsilon(others, left);
    maker.branch(others, header, exit);
  } else if (inside === header) maker.branch(testOf(next), header, exit);
  else maker.jump(header);
  maker.block = exit;
  returnResults(maker, maker.append(Op.BitXor, Int32, sum, counter));
  const [a, b, c] = site.operands[Int32];
  const own = site.maker.append(Op.Add, Int64, site.heap, site.maker.integer(Int64, site.cell));
  return call(site.maker, proc, [own, a, b, c]);
}

/** Returns the counter, shifted so that it starts at `first`. */
function indexOf(maker: ProcedureMaker, counter: Value, started: Value, first: number): Value {
  if (!started.isConstant) {
    const passed = maker.append(Op.Sub, Int32, counter, started);
    return maker.append(Op.Add, Int32, passed, maker.integer(Int32, first));
  }
  const distance = (first - started.constantLow) | 0;
  if (distance === 0) return counter;
  return maker.append(Op.Add, Int32, counter, maker.integer(Int32, distance));
}

export const CHECKED: readonly WorldKind[] = [
  kindOf("checked", "a loop with a guard that an index is within a length", WORLDS, make, EXITING),
];
