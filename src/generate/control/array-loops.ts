// Loops over arrays with a bounds check for each access. A compiler may check once before the
// loop, if the counter cannot overflow and the index has the expected form.
//
// They end: a counter that may overflow or decrease differs from the index by a constant, so a
// guard fails soon; otherwise the bounds are near each other and the step is at least 1. An index
// that passes its guard is below LENGTH_MAX.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import { guardAgainst } from "../maker/exits.js";
import { enter, reserved } from "../maker/joins.js";
import type { Maker } from "../maker/maker.js";
import { placeIn, writtenInLoop } from "../maker/memory.js";
import { observePending } from "../maker/observe.js";
import { drawType } from "../maker/swarm.js";

const LENGTH_MAX = 7;
/** 8 bytes at the last index fit into the shortest window. */
const SHIFT_MAX = 2;
/** Initial counters: near an end of their type, or on both sides of 0. */
const BIASES = [0x7ffffffc, 0x7ffffffc, 0x7ffffff8, -0x80000000, -4];
/** Factors; with the last ones products wrap. */
const FACTORS = [1, 2, 3, -1, 0x40000000, -0x80000000];

/** Appends a loop that reads or writes elements. */
export function makeArrayLoop(maker: Maker, heapBase: Value): void {
  const { proc } = maker;
  const isFar = maker.chance(30);
  const bias = isFar ? BIASES[maker.below(BIASES.length)] : 0;
  const counter = proc.newValue(Op.Phi, Int32);
  const sum = proc.newValue(Op.Phi, drawType(maker.source, maker.swarm));
  const start = drawStart(maker, bias);
  const step = drawStep(maker, isFar);
  const rows = Array.from({ length: 1 + maker.below(2) }, () => drawRow(maker, isFar));
  const limit = !isFar && maker.chance(30) ? rows[0].length : near(maker, bias);
  maker.upsilon(start, counter);
  maker.upsilon(maker.pick(sum.type), sum);
  const header = proc.newBlock();
  const body = proc.newBlock();
  const exit = proc.newBlock();
  maker.jump(header);
  maker.written = writtenInLoop(maker);
  enter(maker, header, [counter, sum]);
  // The counter may equal the loop's limit there.
  if (maker.chance(12)) check(maker, indexOf(maker, counter, bias, rows[0]), rows[0]);
  goOn(maker, counter, limit, body, exit);
  const writtenAtExit = maker.written.slice(); // the body may not run at all
  const scope = maker.mark();
  maker.block = body;
  let next = reserved(sum);
  for (const row of rows) {
    const index = indexOf(maker, counter, bias, row);
    check(maker, index, row);
    next = accessTo(maker, heapBase, index, next);
  }
  observePending(maker, scope, null);
  maker.upsilon(maker.append(Op.Add, Int32, counter, step), counter);
  maker.upsilon(next, sum);
  maker.jump(header);
  maker.release(scope);
  maker.written = writtenAtExit;
  enter(maker, exit, []);
}

// If negative, the first index is outside its array, and the last need not be.
function drawStart(maker: Maker, bias: number): Value {
  if (maker.chance(20)) return near(maker, bias);
  const isBelow = maker.chance(40);
  return maker.integer(Int32, (bias + (isBelow ? -1 - maker.below(3) : maker.below(2))) | 0);
}

// Up to 7 above the bias.
function near(maker: Maker, bias: number): Value {
  if (maker.chance(50)) return maker.integer(Int32, (bias + 1 + maker.below(6)) | 0);
  const mask = maker.integer(Int32, maker.chance(50) ? 3 : 7);
  const low = maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), mask);
  return bias === 0 ? low : maker.append(Op.Add, Int32, low, maker.integer(Int32, bias));
}

function drawStep(maker: Maker, mayGoDown: boolean): Value {
  if (maker.chance(60)) return maker.integer(Int32, 1 + maker.below(maker.chance(70) ? 1 : 4));
  const mask = maker.integer(Int32, 2);
  const low = maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), mask);
  if (mayGoDown) return maker.append(Op.Sub, Int32, low, maker.integer(Int32, 1)); // -1 or 1
  return maker.append(Op.BitOr, Int32, low, maker.integer(Int32, 1));
}

function goOn(maker: Maker, counter: Value, limit: Value, on: BasicBlock, out: BasicBlock): void {
  const [opcode, isTurned] = CONDITIONS[maker.below(CONDITIONS.length)];
  const flag = isTurned
    ? maker.append(opcode, Int32, limit, counter)
    : maker.append(opcode, Int32, counter, limit);
  if (maker.chance(80)) maker.branch(flag, on, out);
  else maker.branch(maker.append(Op.Equal, Int32, flag, maker.integer(Int32, 0)), out, on);
}
/** As above, with the limit first. */
const CONDITIONS: readonly (readonly [Opcode, boolean])[] = [
  [Op.LessThan, false],
  [Op.LessThan, false],
  [Op.GreaterThan, true],
  [Op.LessEqual, false],
];

interface Row {
  readonly length: Value;
  /** For an index that is a sum or a product. */
  readonly offset: Value | null;
  readonly factor: Value | null;
}

function drawRow(maker: Maker, isFar: boolean): Row {
  const mask = maker.integer(Int32, LENGTH_MAX);
  const length = maker.chance(60)
    ? maker.integer(Int32, LENGTH_MAX - maker.below(4))
    : maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), mask);
  // Of no choices it has none, so that it is small.
  const factor = !isFar && maker.chance(40) ? drawFactor(maker) : null;
  const isMoved = maker.chance(30);
  const offset = isMoved
    ? maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 3))
    : null;
  return { length, offset, factor };
}

function drawFactor(maker: Maker): Value {
  if (maker.chance(60)) return maker.integer(Int32, FACTORS[maker.below(FACTORS.length)]);
  if (maker.chance(15)) return maker.pickValue(Int32);
  return maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 3));
}

function indexOf(maker: Maker, counter: Value, bias: number, { offset, factor }: Row): Value {
  let index = counter;
  if (bias !== 0) index = maker.append(Op.Sub, Int32, index, maker.integer(Int32, bias));
  if (factor !== null) index = maker.append(Op.Mul, Int32, index, factor);
  if (offset === null) return index;
  const isFrom = maker.chance(35);
  if (isFrom) return maker.append(Op.Sub, Int32, offset, index);
  return maker.append(Op.Add, Int32, index, offset);
}

function check(maker: Maker, index: Value, { length }: Row): void {
  const flag = maker.chance(85)
    ? maker.append(Op.AboveEqual, Int32, index, length)
    : maker.append(Op.BelowEqual, Int32, length, index);
  guardAgainst(maker, flag);
}

/** The next sum. */
function accessTo(maker: Maker, heapBase: Value, index: Value, sum: Value): Value {
  const extension = maker.chance(80) ? Op.ZExt32 : Op.SExt32;
  const shift = maker.below(SHIFT_MAX + 1);
  let wide = maker.append(extension, Int64, index);
  if (shift > 0) wide = maker.append(Op.Shl, Int64, wide, maker.integer(Int32, shift));
  const isSwapped = maker.chance(20);
  const value = isSwapped
    ? maker.append(Op.Add, Int64, wide, heapBase)
    : maker.append(Op.Add, Int64, heapBase, wide);
  const address = { value, low: 0, high: (LENGTH_MAX - 1) << shift };
  const offset = placeIn(maker, address, 8);
  if (maker.chance(35)) {
    const stored = maker.closed(maker.chance(60) ? sum : maker.pick(sum.type));
    maker.append(Op.Store, Void, stored, value).lo = offset;
    return reserved(sum);
  }
  const loaded = maker.append(Op.Load, sum.type, value);
  loaded.lo = offset;
  return maker.append(Op.Add, sum.type, sum, loaded);
}
