// Emits loops whose parts are drawn independently. The parts are the number, start and step of
// counters, the values computed from counters and invariants, their uses, back edges and exits. A
// row of corner-loops.ts is one form with all its parts; here the parts are independent.
//
// The loops end by a counter of their own (small-loops.ts). Each integer has a known range, so it
// may be used as an index directly if the range is small.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../../ir/types.js";
import { emitStep } from "../contents/contents.js";
import { aimAt, drawComparison, pickParameter, pickSpecial } from "../maker/conditions.js";
import { guardAgainst, pickSnapshot } from "../maker/exits.js";
import { oneArm } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { placeIn } from "../maker/memory.js";
import { combine, observe } from "../maker/observe.js";
import { oneOf, repeat } from "../maker/rows.js";
import { drawIterations, makeSmallLoop, type SmallLoop } from "../maker/small-loops.js";
import { drawInteger, drawType } from "../maker/swarm.js";

const COUNTERS_MAX = 2;
/** The most invariants beyond the first. */
const MORE_INVARIANTS_MAX = 2;
const USES_MAX = 6;

/** An integer and its signed range: from `low` to `high`, or unbounded. */
interface RangedInteger {
  readonly value: Value;
  readonly low: number;
  readonly high: number;
}
const anything = (value: Value): RangedInteger => ({
  value,
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
});
/** Sums and products beyond this bound may wrap around. */
const NEAR = 2 ** 20;
const within = (value: Value, ...numbers: readonly number[]): RangedInteger => {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low > -NEAR && high < NEAR ? { value, low, high } : anything(value);
};

interface LoopParts {
  readonly loop: SmallLoop;
  /** Integers that each iteration changes by a step. */
  readonly counters: readonly RangedInteger[];
  /** Steps by counter; the other steps belong to further back edges. */
  readonly steps: readonly RangedInteger[];
  readonly otherSteps: readonly RangedInteger[];
  /** Integers defined outside of the loop. */
  readonly invariants: readonly RangedInteger[];
}

/** Appends such a loop. */
export function loopOfParts(maker: ProcedureMaker): void {
  const drawCount = (most: number): number => 1 + maker.below(most);
  const invariants = Array.from({ length: 1 + drawCount(MORE_INVARIANTS_MAX) }, () =>
    drawInvariant(maker),
  );
  const starts = Array.from({ length: drawCount(COUNTERS_MAX) }, () => drawInvariant(maker));
  const drawSteps = (): RangedInteger[] =>
    starts.map(({ value }) => drawStep(maker, value.type, invariants));
  const steps = drawSteps();
  const otherSteps = maker.chance(40) ? steps : drawSteps();
  const sum = maker.pick(drawInteger(maker.source, maker.swarm));
  const iterations = drawIterations(maker);
  makeSmallLoop(
    maker,
    [sum, ...starts.map(({ value }) => value)],
    (loop) => {
      const [first, ...phis] = loop.carried;
      const counters = phis.map((phi, i) =>
        counterOf(phi, starts[i], [steps[i], otherSteps[i]], iterations),
      );
      const parts = { loop, counters, steps, otherSteps, invariants: invariants };
      if (maker.chance(45)) loop.leave(isAtLimit(maker, parts));
      let total = first;
      repeat(maker, drawCount(USES_MAX), () => {
        total = use(maker, parts, total, derivedValue(maker, parts));
      });
      return [total, ...nextCounters(maker, counters, steps)];
    },
    { iterations },
  );
}

/** Returns an invariant integer: a parameter, a few bits of a value, or a constant. */
function drawInvariant(maker: ProcedureMaker): RangedInteger {
  const type = drawInteger(maker.source, maker.swarm);
  const roll = maker.below(10);
  if (roll < 3) return anything(pickParameter(maker, type));
  if (roll < 6) return constant(maker, type, maker.below(12) - 3);
  if (roll < 7) return anything(pickSpecial(maker, type));
  const mask = oneOf(maker, BITS);
  const bits = maker.integer(type, mask);
  return within(maker.emit(Op.BitAnd, type, maker.pickValue(type), bits), 0, mask);
}
const BITS = [1, 3, 3, 7, 31, 255];

const constant = (maker: ProcedureMaker, type: Type, number: number): RangedInteger =>
  within(maker.integer(type, number), number);

const ofType = (drawn: readonly RangedInteger[], type: Type): RangedInteger[] =>
  drawn.filter(({ value }) => value.type === type);

function drawStep(
  maker: ProcedureMaker,
  type: Type,
  invariants: readonly RangedInteger[],
): RangedInteger {
  const known = ofType(invariants, type);
  if (known.length > 0 && maker.chance(30)) return oneOf(maker, known);
  return constant(maker, type, oneOf(maker, STEPS));
}
const STEPS = [1, 1, 1, 1, 2, 3, 4, -1, -2];

/** Returns a counter with its range: each iteration adds one of the steps. */
function counterOf(
  phi: Value,
  start: RangedInteger,
  steps: readonly RangedInteger[],
  iterations: number,
): RangedInteger {
  const low = Math.min(0, ...steps.map((step) => step.low));
  const high = Math.max(0, ...steps.map((step) => step.high));
  return within(phi, start.low + iterations * low, start.high + iterations * high);
}

/** Returns the counters of the next iteration. */
const nextCounters = (
  maker: ProcedureMaker,
  counters: readonly RangedInteger[],
  steps: readonly RangedInteger[],
): Value[] =>
  counters.map(({ value }, i) => maker.append(Op.Add, value.type, value, steps[i].value));

/** Returns the condition that a counter reached a small number or an invariant. */
function isAtLimit(maker: ProcedureMaker, { counters, invariants }: LoopParts): Value {
  const { value } = oneOf(maker, counters);
  const known = ofType(invariants, value.type);
  const limit =
    known.length > 0 && maker.chance(50)
      ? oneOf(maker, known).value
      : maker.integer(value.type, 2 + maker.below(8));
  return maker.append(oneOf(maker, AT_LIMIT), Int32, value, limit);
}
const AT_LIMIT = [Op.GreaterEqual, Op.GreaterEqual, Op.GreaterThan, Op.AboveEqual, Op.Equal];

/** Returns a value computed from a counter in up to three steps. */
function derivedValue(maker: ProcedureMaker, parts: LoopParts): RangedInteger {
  let x = oneOf(maker, parts.counters);
  for (let left = maker.below(4); left > 0; left--) x = derivedOnce(maker, parts, x);
  return x;
}

function derivedOnce(
  maker: ProcedureMaker,
  { counters, invariants }: LoopParts,
  x: RangedInteger,
): RangedInteger {
  const { value, low, high } = x;
  const { type } = value;
  const roll = maker.below(10);
  if (roll === 5 || roll === 4) {
    if (!maker.swarm.hasType[Int64]) return x;
    if (type === Int64) return within(maker.emit(Op.Trunc, Int32, value), low, high);
    return extended(maker, x, maker.chance(50) ? Op.SExt32 : Op.ZExt32);
  }
  if (roll === 3) {
    const count = 1 + maker.below(5);
    const shifted = maker.emit(Op.Shl, type, value, maker.integer(Int32, count));
    return within(shifted, low * 2 ** count, high * 2 ** count);
  }
  const others = ofType(maker.chance(85) ? invariants : counters, type);
  const other =
    others.length > 0 && maker.chance(80)
      ? oneOf(maker, others)
      : constant(maker, type, maker.below(20) - 6);
  const opcode = roll < 3 ? oneOf(maker, SUMS) : Op.Mul;
  return maker.chance(50) ? computed(maker, opcode, x, other) : computed(maker, opcode, other, x);
}
const SUMS: readonly Opcode[] = [Op.Add, Op.Add, Op.Sub];

function computed(
  maker: ProcedureMaker,
  opcode: Opcode,
  x: RangedInteger,
  y: RangedInteger,
): RangedInteger {
  const value = maker.emit(opcode, x.value.type, x.value, y.value);
  if (!isKnown(x) || !isKnown(y)) return anything(value);
  const ends = [x.low, x.high].flatMap((a) =>
    [y.low, y.high].map((b) => (opcode === Op.Add ? a + b : opcode === Op.Sub ? a - b : a * b)),
  );
  return within(value, ...ends);
}

const isKnown = ({ low, high }: RangedInteger): boolean => high - low < NEAR;

function extended(
  maker: ProcedureMaker,
  { value, low, high }: RangedInteger,
  opcode: Opcode,
): RangedInteger {
  const wide = maker.emit(opcode, Int64, value);
  return opcode === Op.ZExt32 && low < 0 ? anything(wide) : within(wide, low, high);
}

/**
 * Uses the number; with no choices, adds it to the sum.
 * @returns the sum that the loop carries
 */
function use(maker: ProcedureMaker, parts: LoopParts, total: Value, x: RangedInteger): Value {
  const { loop, counters, otherSteps, invariants } = parts;
  switch (maker.below(10)) {
    case 9:
    case 8:
    case 7:
      return access(maker, total, x);
    case 6:
      loop.leave(compareWithInvariant(maker, parts, x));
      return total;
    case 5: {
      const carried = combine(maker, total, x.value);
      loop.again(compareWithInvariant(maker, parts, x), [
        carried,
        ...nextCounters(maker, counters, otherSteps),
      ]);
      return total;
    }
    case 4:
    case 3:
      oneArm(
        maker,
        maker.chance(40) ? oneOf(maker, invariants).value : compareWithInvariant(maker, parts, x),
        () => {
          if (maker.chance(60)) guard(maker, parts);
          if (maker.chance(40)) access(maker, total, x);
          else observe(maker, x.value);
        },
      );
      return total;
    case 2:
      if (maker.chance(50)) guard(maker, parts);
      else emitStep(maker);
      return combine(maker, total, x.value);
    default:
      return combine(maker, total, x.value);
  }
}

/** Returns a comparison of the number with an invariant. */
function compareWithInvariant(
  maker: ProcedureMaker,
  { invariants }: LoopParts,
  { value }: RangedInteger,
): Value {
  const { type } = value;
  const others = ofType(invariants, type);
  const other =
    others.length > 0 && maker.chance(70)
      ? oneOf(maker, others).value
      : maker.integer(type, maker.below(24) - 8);
  return maker.append(drawComparison(maker, type), Int32, value, other);
}

/** Emits a guard on an invariant, which passes for most inputs. */
function guard(maker: ProcedureMaker, { invariants }: LoopParts): void {
  const { value } = oneOf(maker, invariants);
  const { type } = value;
  if (maker.chance(40)) {
    const snapshot = pickSnapshot(maker);
    const other = oneOf(maker, ofType(invariants, type)).value;
    maker.emit(oneOf(maker, CHECKED), type, value, other).extra = snapshot;
    return;
  }
  if (maker.chance(50)) {
    const bit = maker.integer(type, 1 << maker.below(31));
    guardAgainst(maker, maker.append(Op.BitAnd, type, value, bit));
    return;
  }
  const number = maker.below(40) - 8;
  aimAt(maker, value, [number, number < 0 && type === Int64 ? -1 : 0]);
  guardAgainst(maker, maker.append(Op.Equal, Int32, value, maker.integer(type, number)));
}
const CHECKED: readonly Opcode[] = [Op.CheckAdd, Op.CheckSub, Op.CheckMul];

/**
 * Bytes from the first to the last address. Together with an access of 8 bytes they fit into the
 * shortest window.
 */
const REACH = 24;

/**
 * Loads or stores at an index: the number itself if its range is small, otherwise a few of its
 * bits.
 */
function access(maker: ProcedureMaker, total: Value, x: RangedInteger): Value {
  const { heapBase } = maker;
  if (heapBase === null) return combine(maker, total, x.value);
  const shift = maker.below(4);
  const isNear = (x.high - x.low) * 2 ** shift <= REACH;
  const index = isNear && maker.chance(80) ? x : masked(maker, x, REACH >> shift);
  const wide =
    index.value.type === Int64
      ? index.value
      : maker.append(index.low < 0 || maker.chance(35) ? Op.SExt32 : Op.ZExt32, Int64, index.value);
  const scaled =
    shift === 0 ? wide : maker.append(Op.Shl, Int64, wide, maker.integer(Int32, shift));
  const [a, b] = maker.chance(20) ? [scaled, heapBase] : [heapBase, scaled];
  const value = maker.append(Op.Add, Int64, a, b);
  const address = { value, low: index.low * 2 ** shift, high: index.high * 2 ** shift };
  maker.addresses.push(address);
  const offset = placeIn(maker, address, 8);
  const type = drawType(maker.source, maker.swarm);
  if (maker.chance(45)) {
    const given = maker.chance(50) ? combine(maker, total, x.value) : maker.pick(type);
    maker.append(Op.Store, Void, maker.closed(given), value).offset = offset;
    return total;
  }
  const loaded = maker.emit(Op.Load, type, value);
  loaded.offset = offset;
  return combine(maker, total, loaded);
}

function masked(maker: ProcedureMaker, { value }: RangedInteger, most: number): RangedInteger {
  const mask = oneOf(
    maker,
    MASKS.filter((one) => one <= most),
  );
  const bits = maker.append(Op.BitAnd, value.type, value, maker.integer(value.type, mask));
  return within(bits, 0, mask);
}
const MASKS = [1, 3, 3, 7, 15];
