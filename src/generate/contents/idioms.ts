// Defines the table of idioms: patterns that optimizers, instruction selection and encoders treat
// specially, and near misses of them. Random operands rarely form such patterns.

import { Op, type Opcode } from "../../ir/opcodes.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isFloating,
  sizeOf,
  type Type,
  Void,
} from "../../ir/types.js";
import type { ChoiceSource } from "../../support/source.js";
import { compare, pickSpecial } from "../maker/conditions.js";
import { drawConstant, wordsOfNumber } from "../maker/constants.js";
import type { MakerRow, ProcedureMaker, WeightedRows } from "../maker/maker.js";
import { emitForward, emitOverlap, pickAddress, placeIn } from "../maker/memory.js";
import { observe } from "../maker/observe.js";
import { chance, type DialValues, LIMITS } from "../maker/odds.js";
import { runOne, weightedRows } from "../maker/rows.js";
import { drawInteger, drawType } from "../maker/swarm.js";
import { BOUNDED_NUMBERS } from "./bounded-numbers.js";
import { CALL_IDIOMS } from "./call-idioms.js";
import { DATA_IDIOMS } from "./data-idioms.js";
import { GUARD_IDIOMS } from "./guard-idioms.js";
import { MEMORY_IDIOMS } from "./memory-idioms.js";
import { MOVED_VALUES } from "./moved-values.js";
import { emitOverwrite, emitWalk } from "./overwrites.js";
import { emitAnyPure } from "./pure-operations.js";
import {
  boundedFractions,
  floatsAsDoubles,
  guardedDivision,
  guardedRange,
  integersAsDoubles,
} from "./range-idioms.js";
import { emitRuleIdiom } from "./rule-idioms.js";

// biome-ignore format: a table
const OWN: readonly MakerRow[] = [
  { name: "float identity",         weight: 4, make: floatIdentity },
  { name: "extended result",        weight: 2, make: extendedResult },
  { name: "overlap",                weight: 2, make: overlap },
  { name: "forward",                weight: 1, make: forward },
  { name: "overwrite",              weight: 2, make: overwrite },
  { name: "chain of comparisons",   weight: 1, make: compareChain },
  { name: "chain of selects",       weight: 1, make: selectChain },
  { name: "Selects by one comparison", weight: 4, make: choicesByOne },
  { name: "order of floats",        weight: 2, make: floatOrder },
  { name: "pair of shifts",         weight: 1, make: shiftPair },
  { name: "chain of constants",     weight: 2, make: constantChain },
  { name: "strength",               weight: 2, make: strengthPattern },
  { name: "same operands",          weight: 1, make: sameOperands },
  { name: "round trip",             weight: 1, make: roundTrip },
  { name: "narrow mask",            weight: 1, make: narrowMask },
  { name: "scaled index",           weight: 1, make: scaledIndex },
  { name: "negations",              weight: 1, make: negations },
  { name: "range after a guard",   weight: 1, make: guardedRange },
  { name: "division after a guard", weight: 1, make: guardedDivision },
  { name: "integers as doubles",    weight: 3, make: integersAsDoubles },
  { name: "fraction in bounds",     weight: 1, make: boundedFractions },
  { name: "floats as doubles",      weight: 1, make: floatsAsDoubles },
  { name: "rule by hand",           weight: 3, make: emitRuleIdiom },
  { name: "nothing",                weight: 1, make: nothing },
];

/** All patterns of straight-line code. */
export const IDIOMS: readonly MakerRow[] = [
  ...OWN,
  ...DATA_IDIOMS,
  ...MEMORY_IDIOMS,
  ...GUARD_IDIOMS,
  ...CALL_IDIOMS,
  MOVED_VALUES,
  BOUNDED_NUMBERS,
];

/** Returns the rows in use in one program. */
export function drawIdioms(source: ChoiceSource, { off }: DialValues): WeightedRows {
  const kept: MakerRow[] = [];
  for (let i = 0; i < IDIOMS.length; i++) if (!chance(source, off)) kept.push(IDIOMS[i]);
  return kept.length > 0 ? weightedRows(kept) : ALL;
}
const ALL = weightedRows(IDIOMS);

export const emitIdiom = (maker: ProcedureMaker): void => runOne(maker, maker.context.idioms);

/** Returns a float type in use; null if there is none. */
function drawFloating(maker: ProcedureMaker): Type | null {
  const { hasType } = maker.swarm;
  if (hasType[Float] && hasType[Double]) return maker.chance(50) ? Float : Double;
  return hasType[Float] ? Float : hasType[Double] ? Double : null;
}

const IDENTITIES: readonly (readonly [Opcode, number])[] = [
  [Op.Add, 0],
  [Op.Add, 0],
  [Op.Add, -0],
  [Op.Sub, 0],
  [Op.Sub, -0],
  [Op.Mul, 1],
  [Op.Mul, -1],
  [Op.Mul, 0],
  [Op.Mul, 2],
  [Op.Div, 1],
  [Op.Div, -1],
  [Op.Div, 2],
  [Op.Div, 3],
];

// Emits x + 0.0, x * 1.0 or 0.0 - x, and stores the result in a cell of its own. The cell exposes
// errors with -0 and NaN.
function floatIdentity(maker: ProcedureMaker): void {
  const type = drawFloating(maker);
  if (type === null) {
    nothing(maker);
    return;
  }
  const [opcode, number] = IDENTITIES[maker.below(IDENTITIES.length)];
  const x = maker.chance(60) ? pickSpecial(maker, type) : maker.pickValue(type);
  const constant = maker.constantOf(type, ...wordsOfNumber(type, number));
  const isSwapped = opcode !== Op.Div && maker.chance(30);
  const result = isSwapped
    ? maker.emit(opcode, type, constant, x)
    : maker.emit(opcode, type, x, constant);
  if (maker.chance(60)) observe(maker, result);
}

function overlap(maker: ProcedureMaker): void {
  if (maker.heapBase === null) shiftPair(maker);
  else emitOverlap(maker, maker.heapBase);
}

function forward(maker: ProcedureMaker): void {
  if (maker.heapBase === null) constantChain(maker);
  else emitForward(maker, maker.heapBase);
}

function overwrite(maker: ProcedureMaker): void {
  const { heapBase, proc } = maker;
  if (heapBase === null) selectChain(maker);
  else if (maker.chance(20) && proc.blocks.length < LIMITS.blocks) emitWalk(maker, heapBase);
  else emitOverwrite(maker, heapBase);
}

// Uses the upper half of a register after a 32-bit operation, which an extension must define.
function extendedResult(maker: ProcedureMaker): void {
  if (!maker.swarm.hasType[Int64]) {
    compareChain(maker);
    return;
  }
  const opcodes = [Op.Add, Op.Sub, Op.Mul, Op.BitXor, Op.BitOr, Op.Shl, Op.SShr];
  const opcode = opcodes[maker.below(opcodes.length)];
  const x = maker.pickValue(Int32);
  const narrow = maker.emit(opcode, Int32, x, maker.pickBeside(Int32, x));
  const wide = maker.emit(maker.chance(60) ? Op.ZExt32 : Op.SExt32, Int64, narrow);
  const roll = maker.below(4);
  if (roll === 0) maker.emit(Op.Add, Int64, maker.pickValue(Int64), wide);
  else if (roll === 1) maker.emit(Op.ZShr, Int64, wide, maker.integer(Int32, maker.below(64)));
  else if (roll === 2) maker.emit(Op.LessThan, Int32, wide, maker.pick(Int64));
}

function compareChain(maker: ProcedureMaker): void {
  const flag = compare(maker);
  const opcode = maker.chance(50) ? Op.Equal : Op.NotEqual;
  const turned = maker.emit(opcode, Int32, flag, maker.integer(Int32, maker.below(2)));
  maker.flags.push(turned);
  const type = drawType(maker.source, maker.swarm);
  if (!maker.chance(60)) return;
  const first = maker.pick(type);
  maker.emit(Op.Select, type, turned, first, maker.pickBeside(type, first));
}

function selectChain(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  let value = maker.pick(type);
  const count = 2 + maker.below(3);
  for (let i = 0; i < count; i++) {
    const other = maker.pickBeside(type, value);
    value = maker.chance(50)
      ? maker.emit(Op.Select, type, compare(maker), other, value)
      : maker.emit(Op.Select, type, compare(maker), value, other);
  }
}

// Emits several selects by one comparison. The processor's flags hold the comparison only while no
// instruction between two selects writes them.
function choicesByOne(maker: ProcedureMaker): void {
  const flag = compare(maker);
  for (let count = 3 + maker.below(4); count > 0; count--) {
    const type = drawType(maker.source, maker.swarm);
    const first = maker.pick(type);
    maker.emit(Op.Select, type, flag, first, maker.pickBeside(type, first));
    if (maker.chance(75)) emitAnyPure(maker);
  }
}

// Emits minimum, maximum and clamps, with NaNs and with negated comparisons.
function floatOrder(maker: ProcedureMaker): void {
  const floating = maker.chance(60) ? drawFloating(maker) : null;
  const type = floating ?? drawType(maker.source, maker.swarm);
  const x = maker.chance(60) ? pickSpecial(maker, type) : maker.pickValue(type);
  const y = maker.pickBeside(type, x);
  const opcodes = [Op.LessThan, Op.GreaterThan, Op.LessEqual, Op.GreaterEqual];
  const flag = maker.emit(opcodes[maker.below(4)], Int32, x, y);
  let decided = flag;
  if (maker.chance(55)) {
    decided = maker.emit(Op.Equal, Int32, flag, maker.integer(Int32, 0));
    maker.flags.push(decided);
    if (maker.chance(40)) return;
  }
  if (maker.chance(50)) maker.emit(Op.Select, type, decided, x, y);
  else maker.emit(Op.Select, type, decided, y, x);
}

function shiftPair(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const width = sizeOf(type) * 8;
  const x = maker.pickValue(type);
  const shifts = [Op.Shl, Op.SShr, Op.ZShr];
  const count = maker.chance(50) ? [8, 16, 24, 32, 1, 31][maker.below(6)] : maker.below(width);
  const first = maker.emit(shifts[maker.below(3)], type, x, maker.integer(Int32, count));
  const second = maker.chance(50) ? count : width - count;
  if (maker.chance(50)) {
    maker.emit(shifts[maker.below(3)], type, first, maker.integer(Int32, second));
  } else {
    const other = maker.emit(Op.ZShr, type, x, maker.integer(Int32, width - count));
    maker.emit(maker.chance(70) ? Op.BitOr : Op.Add, type, first, other);
  }
}

// Emits (x op c) op d: constants that can be combined, at the limits of immediates.
function constantChain(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const opcodes = [Op.Add, Op.Add, Op.Sub, Op.Mul, Op.BitAnd, Op.BitOr, Op.BitXor];
  const opcode = opcodes[maker.below(opcodes.length)];
  const [lo, hi] = drawConstant(maker.source, type, 0);
  const first = maker.emit(opcode, type, maker.pickValue(type), maker.constantOf(type, lo, hi));
  const other = maker.chance(70) ? opcode : opcodes[maker.below(opcodes.length)];
  maker.emit(other, type, first, maker.constant(type));
}

// Emits multiplications by 2^n, 2^n - 1 and 2^n + 1.
function strengthPattern(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const power = maker.below(sizeOf(type) * 8 - 1);
  const near = maker.below(3) - 1;
  const x = maker.pickValue(type);
  const factor = type === Int64 && power > 51 ? 2 ** power : 2 ** power + near;
  const negative = maker.chance(20) ? -factor : factor;
  const constant = maker.integer(type, negative);
  if (maker.chance(70)) maker.emit(Op.Mul, type, x, constant);
  else maker.emit(Op.BitAnd, type, x, constant);
}

function sameOperands(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const x = maker.chance(40) ? pickSpecial(maker, type) : maker.pickValue(type);
  const forAll = [Op.Sub, Op.Add, Op.Mul];
  const forIntegers = [...forAll, Op.BitXor, Op.BitAnd, Op.BitOr];
  const forFloats = [...forAll, Op.Div];
  const compares = [Op.Equal, Op.NotEqual, Op.LessThan, Op.LessEqual, Op.GreaterEqual];
  if (maker.chance(50)) {
    maker.emit(compares[maker.below(compares.length)], Int32, x, x);
    return;
  }
  const opcodes = isFloating(type) ? forFloats : forIntegers;
  maker.emit(opcodes[maker.below(opcodes.length)], type, x, x);
}

// Emits conversions to another type and back, lossless or not.
function roundTrip(maker: ProcedureMaker): void {
  const { hasType } = maker.swarm;
  const type = drawType(maker.source, maker.swarm);
  const x = maker.pickValue(type);
  if (type === Float && hasType[Double]) {
    maker.emit(Op.DoubleToFloat, Float, maker.emit(Op.FloatToDouble, Double, x));
  } else if (type === Double && hasType[Float]) {
    maker.emit(Op.FloatToDouble, Double, maker.emit(Op.DoubleToFloat, Float, x));
  } else if (type === Int32 && hasType[Int64]) {
    const wide = maker.emit(maker.chance(50) ? Op.SExt32 : Op.ZExt32, Int64, x);
    maker.emit(Op.Trunc, Int32, maker.chance(50) ? wide : maker.emit(Op.Neg, Int64, wide));
  } else if (type === Int64) {
    const narrow = maker.emit(Op.Trunc, Int32, x);
    maker.emit(maker.chance(50) ? Op.SExt32 : Op.ZExt32, Int64, narrow);
  } else if (isFloating(type)) {
    const bits = maker.emit(Op.BitwiseCast, sizeOf(type) === 8 ? Int64 : Int32, maker.closed(x));
    maker.emit(Op.BitwiseCast, type, bits);
  } else {
    maker.emit(Op.SExt8, Int32, maker.emit(Op.SExt16, Int32, x));
  }
}

// Emits masks that are extensions, and extensions of masked values.
function narrowMask(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const masks = [0xff, 0xffff, 0x7f, 0x80, 0xffffffff, 0x7fffffff, 0xff00];
  const mask = maker.integer(type, masks[maker.below(masks.length)]);
  const masked = maker.emit(Op.BitAnd, type, maker.pickValue(type), mask);
  if (type === Int64) {
    maker.emit(Op.Trunc, Int32, masked);
  } else {
    const extensions = [Op.SExt8, Op.SExt16, Op.SExt8];
    maker.emit(extensions[maker.below(3)], Int32, masked);
  }
}

// Emits base + (i << n), which addressing modes cover; the mask keeps the index within the window.
function scaledIndex(maker: ProcedureMaker): void {
  const { heapBase, swarm } = maker;
  if (heapBase === null) {
    shiftPair(maker);
    return;
  }
  const masked = maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 3));
  const shift = 1 + maker.below(2);
  const extended = maker.append(Op.ZExt32, Int64, masked);
  const scaled = maker.append(Op.Shl, Int64, extended, maker.integer(Int32, shift));
  const address = {
    value: maker.append(Op.Add, Int64, heapBase, scaled),
    low: 0,
    high: 3 << shift,
  };
  const type = swarm.types[maker.below(swarm.types.length)];
  if (maker.chance(50)) {
    const value = maker.closed(maker.pick(type));
    maker.append(Op.Store, Void, value, address.value).offset = placeIn(maker, address, 8);
  }
  const from = maker.chance(70) ? address : pickAddress(maker, heapBase);
  maker.emit(Op.Load, type, from.value).offset = placeIn(maker, from, 8);
}

function negations(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const x = maker.pickValue(type);
  const roll = maker.below(5);
  const negated = maker.emit(Op.Neg, type, x);
  if (roll === 0) maker.emit(Op.Neg, type, negated);
  else if (roll === 1) maker.emit(Op.Add, type, maker.pick(type), negated);
  else if (roll === 2) maker.emit(Op.Sub, type, maker.pick(type), negated);
  else if (roll === 3) maker.emit(Op.Mul, type, negated, maker.pick(type));
  else if (isFloating(type)) maker.emit(Op.Abs, type, negated);
  else maker.emit(Op.BitXor, type, negated, maker.integer(type, -1));
}

function nothing(maker: ProcedureMaker): void {
  maker.append(Op.Nop, Void);
}
