// Emits loops over arrays with a bounds check for each access. A compiler may check once before the
// loop if the counter cannot overflow and the index has the expected form.
//
// The loops end. If the counter may overflow, decrease or pass its limit, it differs from the index
// by a constant, so a guard fails soon. Otherwise the bounds are near each other and the step is at
// least 1. An index that passes its guard is less than LENGTH_MAX; an index without a guard is
// small because its product wraps. Values that vary between iterations are as near as those that do
// not.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Int32, Int64, sizeOf, type Type, Void } from "../../ir/types.js";
import { guardAgainst } from "../maker/exits.js";
import { enter, reserved } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { placeIn, writtenInLoop } from "../maker/memory.js";
import { observePending } from "../maker/observe.js";
import { LIMITS } from "../maker/odds.js";
import { oneOf } from "../maker/rows.js";
import { hasRoomForSmallLoop } from "../maker/small-loops.js";
import { drawType } from "../maker/swarm.js";
import { makeQuietLoop } from "./quiet-loops.js";

const LENGTH_MAX = 7;
const OFFSET_MAX = 3;
/** Percentage of the loops near 0 in which an index wraps around. */
const WRAPPING_OF_100 = 12;
/** Percentage of the limits near an end of a type that are the greatest number of 32 bits. */
const AT_GREATEST_OF_100 = 40;
/** Iterations of a loop whose counter no guard ends: from slightly below 0 to slightly above 16. */
const RING_ITERATIONS = 24;
/** With this shift, 8 bytes at the last index fit into the shortest window. */
const SHIFT_MAX = 2;
/** Initial counters: near an end of their type, or on both sides of 0. */
const BIASES = [0x7ffffffc, 0x7ffffffc, 0x7ffffff8, -0x80000000, -4];
/** Factors; products with the last ones wrap. */
const FACTORS = [1, 2, 3, -1, 0x40000000, -0x80000000];

/** Appends a loop that reads or writes elements. */
export function makeArrayLoop(maker: ProcedureMaker, heapBase: Value): void {
  const { proc } = maker;
  const isFar = maker.chance(30);
  const bias = isFar ? BIASES[maker.below(BIASES.length)] : 0;
  const shift = !isFar && maker.chance(WRAPPING_OF_100) ? 1 + maker.below(2) : null;
  const type = maker.swarm.hasType[Int64] && maker.chance(20) ? Int64 : Int32;
  const counter = proc.newValue(Op.Phi, type);
  const sum = proc.newValue(Op.Phi, drawType(maker.source, maker.swarm));
  const start =
    shift === null ? drawStart(maker, type, bias) : maker.integer(type, maker.below(2) << shift);
  const step = shift === null ? drawStep(maker, type, isFar) : maker.integer(type, 1 << shift);
  const varying: VaryingValue[] = [];
  const rows = drawAccesses(maker, type, isFar).map((row) => varyIn(maker, type, row, varying));
  if (shift !== null) rows[0] = wrappingAccess(maker, type, shift, rows[0].length);
  const isEndedByGuard = rows.some(({ factor, mask }) => factor === null && mask === null);
  // The loop traverses a ring several times.
  const iterations =
    !isEndedByGuard &&
    !isFar &&
    shift === null &&
    maker.iterations * RING_ITERATIONS <= LIMITS.iterations
      ? RING_ITERATIONS
      : LENGTH_MAX + 1;
  const drawLimit = (): Value =>
    iterations === RING_ITERATIONS && maker.chance(70)
      ? numberOf(maker, type, 4 + maker.below(14))
      : isFar && maker.chance(AT_GREATEST_OF_100)
        ? numberOf(maker, type, 0x7fff_ffff)
        : drawNear(maker, type, bias);
  const limit =
    !isFar && maker.chance(30) ? rows[0].length : vary(maker, drawLimit(), drawLimit, varying);
  maker.upsilon(start, counter);
  maker.upsilon(maker.pick(sum.type), sum);
  for (const { phi, first } of varying) maker.upsilon(first, phi);
  const header = proc.newBlock();
  const body = proc.newBlock();
  const exit = proc.newBlock();
  maker.jump(header);
  maker.written = writtenInLoop(maker);
  enter(maker, header, [counter, sum, ...varying.map(({ phi }) => phi)]);
  // The counter may equal the loop's limit there.
  if (maker.chance(12)) check(maker, indexOf(maker, counter, bias, rows[0]), rows[0]);
  const conditions = isEndedByGuard && maker.chance(8) ? BEYOND : isFar ? TO_ENDS : CONDITIONS;
  branchToContinue(maker, counter, limit, oneOf(maker, conditions), body, exit);
  const writtenAtExit = maker.written.slice(); // the body may not run at all
  const scope = maker.mark();
  maker.block = body;
  let next = reserved(sum);
  maker.iterations *= iterations;
  for (const row of rows) {
    // A loop that contains another one is harder to transform.
    if (maker.chance(8) && hasRoomForSmallLoop(maker)) makeQuietLoop(maker);
    const index = indexOf(maker, counter, bias, row);
    if (row.isGuarded) check(maker, index, row);
    next = accessTo(maker, heapBase, index, next, row.isGuarded ? 80 : 40);
  }
  if (sum.type === type && maker.chance(30)) {
    const low = maker.append(Op.BitAnd, type, counter, drawMask(maker, type));
    next = maker.append(Op.Add, type, next, low);
  }
  maker.iterations /= iterations;
  observePending(maker, scope, null);
  maker.upsilon(maker.append(Op.Add, type, counter, step), counter);
  maker.upsilon(next, sum);
  for (const { phi, later } of varying) maker.upsilon(later, phi);
  maker.jump(header);
  maker.release(scope);
  maker.written = writtenAtExit;
  enter(maker, exit, []);
}

// Returns the initial counter. If it is negative, the first index is out of bounds, but the last
// need not be.
function drawStart(maker: ProcedureMaker, type: Type, bias: number): Value {
  if (maker.chance(20)) return drawNear(maker, type, bias);
  const isBelow = maker.chance(40);
  return numberOf(maker, type, bias + (isBelow ? -1 - maker.below(3) : maker.below(2)));
}

/** Returns a number that wraps in 32 bits but not in 64. */
const numberOf = (maker: ProcedureMaker, type: Type, number: number): Value =>
  maker.integer(type, type === Int64 ? number : number | 0);

// Returns a number up to 7 above the bias.
function drawNear(maker: ProcedureMaker, type: Type, bias: number): Value {
  if (maker.chance(50)) return numberOf(maker, type, bias + 1 + maker.below(6));
  const low = bitsOf(maker, type, maker.chance(50) ? 3 : 7);
  return bias === 0 ? low : maker.append(Op.Add, type, low, maker.integer(type, bias));
}

const bitsOf = (maker: ProcedureMaker, type: Type, mask: number): Value =>
  maker.append(Op.BitAnd, type, maker.pickValue(type), maker.integer(type, mask));

function drawStep(maker: ProcedureMaker, type: Type, mayGoDown: boolean): Value {
  if (maker.chance(60)) return maker.integer(type, 1 + maker.below(maker.chance(70) ? 1 : 4));
  const low = bitsOf(maker, type, 2);
  if (mayGoDown) return maker.append(Op.Sub, type, low, maker.integer(type, 1)); // -1 or 1
  return maker.append(Op.BitOr, type, low, maker.integer(type, 1));
}

function branchToContinue(
  maker: ProcedureMaker,
  counter: Value,
  limit: Value,
  [opcode, isSwapped, negated]: LoopCondition,
  on: BasicBlock,
  out: BasicBlock,
): void {
  const compareTo = (one: Opcode): Value =>
    isSwapped ? maker.append(one, Int32, limit, counter) : maker.append(one, Int32, counter, limit);
  const roll = maker.below(10);
  if (roll < 6) maker.branch(compareTo(opcode), on, out);
  else if (roll < 8) maker.branch(compareTo(negated), out, on);
  else
    maker.branch(
      maker.append(Op.Equal, Int32, compareTo(opcode), maker.integer(Int32, 0)),
      out,
      on,
    );
}
/**
 * The opcode of the condition to continue, whether its operands are swapped, and the opcode of the
 * condition to leave.
 */
type LoopCondition = readonly [opcode: Opcode, isSwapped: boolean, negated: Opcode];
const INCLUSIVE: readonly LoopCondition[] = [
  [Op.LessEqual, false, Op.GreaterThan],
  [Op.GreaterEqual, true, Op.LessThan],
];
const CONDITIONS: readonly LoopCondition[] = [
  [Op.LessThan, false, Op.GreaterEqual],
  [Op.LessThan, false, Op.GreaterEqual],
  [Op.GreaterThan, true, Op.LessEqual],
  INCLUSIVE[0],
];
/** Near the end of a type, conditions that include the limit overflow first. */
const TO_ENDS: readonly LoopCondition[] = [...CONDITIONS, ...INCLUSIVE];
/** Conditions that continue beyond the limit; used only if a guard ends the loop in any case. */
const BEYOND: readonly LoopCondition[] = [
  [Op.GreaterEqual, false, Op.LessThan],
  [Op.LessEqual, true, Op.GreaterThan],
];

interface ArrayAccess {
  readonly length: Value;
  /** The summand and the factor of the index; null for none. */
  readonly offset: Value | null;
  readonly factor: Value | null;
  /** The bits of the counter that the index uses if the array is a ring; otherwise null. */
  readonly mask: Value | null;
  /** False if the index is in bounds in every iteration. */
  readonly isGuarded: boolean;
}

/**
 * A value that differs between the first iteration and the others; a compiler might treat it as
 * invariant.
 */
interface VaryingValue {
  readonly phi: Value;
  readonly first: Value;
  readonly later: Value;
}

function varyIn(
  maker: ProcedureMaker,
  type: Type,
  row: ArrayAccess,
  varying: VaryingValue[],
): ArrayAccess {
  const { length, offset } = row;
  const drawOffset = (): Value => bitsOf(maker, type, OFFSET_MAX);
  return {
    ...row,
    length: vary(maker, length, () => drawLength(maker, type), varying),
    offset: offset === null ? null : vary(maker, offset, drawOffset, varying),
  };
}

/** Returns the value, or a Phi that has another value from the second iteration on. */
function vary(
  maker: ProcedureMaker,
  first: Value,
  draw: () => Value,
  varying: VaryingValue[],
): Value {
  if (!maker.chance(VARYING_OF_100)) return first;
  const phi = maker.proc.newValue(Op.Phi, first.type);
  varying.push({ phi, first, later: draw() });
  return phi;
}
const VARYING_OF_100 = 20;

/** Returns one or two arrays, at times with the same factor. */
function drawAccesses(maker: ProcedureMaker, type: Type, isFar: boolean): ArrayAccess[] {
  const first = drawAccess(maker, type, isFar);
  if (maker.chance(50)) return [first];
  const second = drawAccess(maker, type, isFar);
  return [first, maker.chance(30) ? { ...second, factor: first.factor } : second];
}

function drawAccess(maker: ProcedureMaker, type: Type, isFar: boolean): ArrayAccess {
  const length = drawLength(maker, type);
  // With no choices there is no factor, so that the program is small.
  const factor = !isFar && maker.chance(40) ? drawFactor(maker, type) : null;
  const offset = maker.chance(30) ? bitsOf(maker, type, OFFSET_MAX) : null;
  // A ring never fails its guard, so the counter must end the loop.
  const isRing = !isFar && maker.chance(12);
  const mask = isRing ? drawMask(maker, type) : null;
  return { length, offset, factor, mask, isGuarded: true };
}

// Returns an array whose index wraps. The counter is a multiple of 1 << shift, so its product with
// such a factor is 0 or the counter itself.
function wrappingAccess(
  maker: ProcedureMaker,
  type: Type,
  shift: number,
  length: Value,
): ArrayAccess {
  const count = maker.integer(Int32, 8 * sizeOf(type) - shift);
  const high = maker.append(Op.Shl, type, maker.pickValue(type), count);
  const one = maker.integer(type, 1);
  const factor = maker.chance(50) ? high : maker.append(Op.BitOr, type, high, one);
  return { length, offset: null, factor, mask: null, isGuarded: false };
}

const drawMask = (maker: ProcedureMaker, type: Type): Value =>
  maker.integer(type, 2 ** (1 + maker.below(3)) - 1);

const drawLength = (maker: ProcedureMaker, type: Type): Value =>
  maker.chance(60)
    ? maker.integer(type, LENGTH_MAX - maker.below(4))
    : bitsOf(maker, type, LENGTH_MAX);

function drawFactor(maker: ProcedureMaker, type: Type): Value {
  if (maker.chance(60)) return maker.integer(type, FACTORS[maker.below(FACTORS.length)]);
  if (maker.chance(15)) return maker.pickValue(type);
  return bitsOf(maker, type, 3);
}

function indexOf(maker: ProcedureMaker, counter: Value, bias: number, row: ArrayAccess): Value {
  const { type } = counter;
  const { offset, factor, mask } = row;
  let index = mask === null ? counter : maker.append(Op.BitAnd, type, counter, mask);
  if (bias !== 0) index = maker.append(Op.Sub, type, index, maker.integer(type, bias));
  if (factor !== null) index = maker.append(Op.Mul, type, index, factor);
  if (offset === null) return index;
  const isSubtracted = maker.chance(35);
  if (isSubtracted) return maker.append(Op.Sub, type, offset, index);
  return maker.append(Op.Add, type, index, offset);
}

function check(maker: ProcedureMaker, index: Value, { length }: ArrayAccess): void {
  const flag = maker.chance(85)
    ? maker.append(Op.AboveEqual, Int32, index, length)
    : maker.append(Op.BelowEqual, Int32, length, index);
  guardAgainst(maker, flag);
}

/**
 * Emits an access and returns the next sum.
 * @param unsigned percentage of the indices that are zero-extended
 */
function accessTo(
  maker: ProcedureMaker,
  heapBase: Value,
  index: Value,
  sum: Value,
  unsigned: number,
): Value {
  const extension = maker.chance(unsigned) ? Op.ZExt32 : Op.SExt32;
  const shift = maker.below(SHIFT_MAX + 1);
  let wide = index.type === Int64 ? index : maker.append(extension, Int64, index);
  if (shift > 0) wide = maker.append(Op.Shl, Int64, wide, maker.integer(Int32, shift));
  const isSwapped = maker.chance(20);
  const value = isSwapped
    ? maker.append(Op.Add, Int64, wide, heapBase)
    : maker.append(Op.Add, Int64, heapBase, wide);
  const address = { value, low: 0, high: (LENGTH_MAX - 1) << shift };
  const offset = placeIn(maker, address, 8);
  if (maker.chance(35)) {
    const stored = maker.closed(maker.chance(60) ? sum : maker.pick(sum.type));
    maker.append(Op.Store, Void, stored, value).offset = offset;
    return reserved(sum);
  }
  const loaded = maker.append(Op.Load, sum.type, value);
  loaded.offset = offset;
  return maker.append(Op.Add, sum.type, sum, loaded);
}
