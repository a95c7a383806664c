// Emits corner cases of arithmetic: shift counts at the width, sums that wrap, the least integer on
// both sides, numbers that a conversion rounds. Inputs are aimed at them.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, sizeOf, type Type } from "../../ir/types.js";
import { type WordPair, wordsOf } from "../../ir/words.js";
import { aimAt, COMPARISONS, pickParameter, pickSpecial } from "../maker/conditions.js";
import { drawBitmask, drawBoundary, drawSpecial, wordsOfNumber } from "../maker/constants.js";
import { guardAgainst } from "../maker/exits.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { observe } from "../maker/observe.js";
import { oneOf } from "../maker/rows.js";
import { drawInteger } from "../maker/swarm.js";
import { chainOfWidths } from "./facts.js";

// biome-ignore format: a table
export const DATA_IDIOMS: readonly MakerRow[] = [
  { name: "mask of a shift",             weight: 1, make: maskOfShift },
  { name: "extract of two words",        weight: 1, make: extractOfPair },
  { name: "mask of an inverse",          weight: 1, make: maskOfInverse },
  { name: "bits below a shift",          weight: 2, make: bitsBelowShift },
  { name: "bits of a high half",         weight: 2, make: bitsOfHighHalf },
  { name: "sign of a sum",               weight: 2, make: signOfSum },
  { name: "order of a negation",         weight: 2, make: orderOfNegation },
  { name: "sum, truncated and compared", weight: 1, make: sumTruncated },
  { name: "conversion of a sum",         weight: 1, make: conversionOfSum },
  { name: "sums beyond 2^53",            weight: 1, make: sumBeyondExact },
  { name: "comparison of widened floats", weight: 2, make: compareWidened },
  { name: "both zeros",                  weight: 1, make: bothZeros },
  { name: "extension of a load",         weight: 2, make: extensionOfLoad },
  { name: "least integer by itself",     weight: 1, make: leastIntegerByItself },
  { name: "divisions of one number",     weight: 2, make: divisionsOfOne },
  { name: "overflow and carry",          weight: 1, make: overflowAndCarry },
  { name: "equal parameters",            weight: 2, make: equalParameters },
  { name: "chain of widths",             weight: 2, make: chainOfWidths },
];

const SHIFTS = [Op.Shl, Op.SShr, Op.ZShr];

/** Returns a shift count near the width. */
function drawCount(maker: ProcedureMaker, type: Type): number {
  const width = 8 * sizeOf(type);
  return oneOf(maker, [0, 0, 1, width - 1, width, width, width + 1, 2 * width, -1, 32, 64, 8]);
}

// Emits x >>> k & m, where m may cover exactly the remaining bits if the count is used without a
// mask.
function maskOfShift(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const count = drawCount(maker, type);
  const shifted = maker.emit(
    oneOf(maker, SHIFTS),
    type,
    maker.pickValue(type),
    maker.integer(Int32, count),
  );
  const used = count & (maker.chance(50) ? 31 : 63);
  const ones = (1n << 64n) - 1n;
  const whole = type === Int64 ? ones : ones >> 32n;
  const mask = maker.chance(60) ? whole >> BigInt(used) : (whole << BigInt(used)) & ones;
  maker.emit(Op.BitAnd, type, shifted, wide(maker, type, mask));
}

const wide = (maker: ProcedureMaker, type: Type, bits: bigint): Value =>
  maker.constantOf(type, ...wordsOf(type, bits));

// Emits hi << (width - s) | lo >>> s, where s may be 0 or the width.
function extractOfPair(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const width = 8 * sizeOf(type);
  const count = maker.chance(40) ? drawCount(maker, type) : maker.below(width);
  const [hi, lo] = [maker.pickValue(type), maker.pickValue(type)];
  const other = maker.chance(85) ? width - count : maker.below(width);
  const left = maker.emit(Op.Shl, type, hi, maker.integer(Int32, other));
  const right = maker.emit(Op.ZShr, type, lo, maker.integer(Int32, count));
  maker.emit(oneOf(maker, [Op.BitOr, Op.BitOr, Op.Add, Op.BitXor]), type, left, right);
}

// Emits x << k | y, where y has only bits below the k-th, or also that bit. It equals a sum if
// nothing carries.
function bitsBelowShift(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const count = 1 + maker.below(4);
  const shifted = maker.emit(Op.Shl, type, maker.pickValue(type), maker.integer(Int32, count));
  const end = 2 ** count;
  const mask = oneOf(maker, [
    end - 1,
    end - 1,
    end - 1,
    end - 1,
    end / 2,
    end,
    end + 1,
    2 * end - 1,
  ]);
  const low =
    type === Int32 && maker.chance(35)
      ? maker.append(oneOf(maker, COMPARISONS), Int32, maker.pick(Int32), maker.pickValue(Int32))
      : maker.emit(Op.BitAnd, type, maker.pickValue(type), maker.integer(type, mask));
  const [a, b] = maker.chance(50) ? [shifted, low] : [low, shifted];
  maker.emit(oneOf(maker, [Op.BitOr, Op.BitOr, Op.BitXor, Op.Add]), type, a, b);
}

// Emits a shifted high half of a product by a constant, as in a division by a constant. The sign of
// the dividend may be known.
function bitsOfHighHalf(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const width = 8 * sizeOf(type);
  const countBelow = (most: number): Value => maker.integer(Int32, 1 + maker.below(most));
  const x = maker.pickValue(type);
  const roll = maker.below(4);
  const few =
    roll === 0
      ? maker.emit(Op.ZShr, type, x, countBelow(width - 1))
      : roll < 3
        ? maker.emit(Op.BitAnd, type, x, maker.integer(type, 2 ** (1 + maker.below(31)) - 1))
        : x;
  const factor = maker.constantOf(type, ...drawBoundary(maker.source, type));
  const isSigned = maker.chance(65);
  const high = maker.append(isSigned ? Op.MulHigh : Op.UMulHigh, type, few, factor);
  const shift = isSigned === maker.chance(90) ? Op.SShr : Op.ZShr;
  maker.emit(shift, type, high, countBelow(maker.chance(70) ? 6 : width - 1));
}

// Compares or truncates the result of an operation on widened Floats. The result is not a Float if
// it needs rounding. The other operand of a comparison is another widened Float, or the same
// operation rounded.
function compareWidened(maker: ProcedureMaker): void {
  const { hasType } = maker.swarm;
  if (!hasType[Float] || !hasType[Double]) return;
  const widened = (x: Value): Value => maker.append(Op.FloatToDouble, Double, x);
  const [x, y, z] = [0, 1, 2].map(() => maker.pickValue(Float));
  const opcode = oneOf(maker, WIDE_OPERATIONS);
  const isUnary = opcode === Op.Sqrt;
  const made = maker.append(opcode, Double, widened(x), isUnary ? null : widened(y));
  if (maker.chance(30)) {
    const [truncates, type] = oneOf(maker, TRUNCATIONS);
    if (hasType[type]) maker.emit(truncates, type, made);
    return;
  }
  const roll = maker.below(10);
  const other =
    roll < 4
      ? widened(maker.append(opcode, Float, x, isUnary ? null : y))
      : roll < 8
        ? widened(z)
        : maker.constantOf(Double, ...drawBoundary(maker.source, Double));
  const [a, b] = maker.chance(70) ? [made, other] : [other, made];
  maker.emit(oneOf(maker, WIDE_COMPARISONS), Int32, a, b);
}
const WIDE_OPERATIONS = [Op.Add, Op.Add, Op.Sub, Op.Mul, Op.Mul, Op.Div, Op.Sqrt, Op.FMin];
const WIDE_COMPARISONS = [Op.Equal, Op.NotEqual, Op.LessThan, Op.GreaterEqual, Op.EqualOrUnordered];
const TRUNCATIONS: readonly (readonly [Opcode, Type])[] = [
  [Op.TruncS32, Int32],
  [Op.TruncU32, Int32],
  [Op.TruncS64, Int64],
  [Op.TruncU64, Int64],
];

// Emits ~x & m or ~x ^ m: one instruction may also invert, and the mask is encoded for its width.
function maskOfInverse(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const [lo, hi] = drawBitmask(maker.source);
  const mask = maker.constantOf(type, lo, type === Int64 ? hi : 0);
  const inverse = maker.emit(Op.BitXor, type, maker.pickValue(type), maker.integer(type, -1));
  maker.emit(oneOf(maker, [Op.BitAnd, Op.BitXor, Op.BitOr]), type, inverse, mask);
}

/** Returns a number at or near the greatest or the least integer of the type. */
function nearEnd(maker: ProcedureMaker, type: Type): WordPair {
  const isTop = maker.chance(50);
  const near = maker.below(3);
  const low = isTop ? -1 - near : near;
  if (type === Int64) return [low, isTop ? 0x7fff_ffff : -0x8000_0000];
  return [isTop ? 0x7fff_ffff - near : (-0x8000_0000 + near) | 0, 0];
}

// Emits a sum that overflows, and a test of its sign: the flags of the addition differ from those
// of a test.
function signOfSum(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const x = pickParameter(maker, type);
  aimAt(maker, x, nearEnd(maker, type));
  const y = maker.chance(50) ? maker.integer(type, 1 + maker.below(4)) : maker.pickBeside(type, x);
  const opcode = maker.chance(60) ? Op.Add : Op.Sub;
  const sum = maker.emit(opcode, type, x, y);
  const orders = [
    Op.LessThan,
    Op.LessEqual,
    Op.GreaterThan,
    Op.GreaterEqual,
    Op.Equal,
    Op.NotEqual,
  ];
  const flag = maker.append(oneOf(maker, orders), Int32, sum, maker.integer(type, 0));
  useFlag(maker, flag, type);
}

function useFlag(maker: ProcedureMaker, flag: Value, type: Type): void {
  const roll = maker.below(4);
  if (roll === 0 && maker.dials.guards > 0) guardAgainst(maker, flag);
  else if (roll === 1) {
    const first = maker.pick(type);
    maker.emit(Op.Select, type, flag, first, maker.pickBeside(type, first));
  } else if (roll === 2) branchOn(maker, flag);
  else observe(maker, flag);
}

/** Appends a branch whose only effect is a value that depends on its direction. */
export function branchOn(maker: ProcedureMaker, flag: Value): void {
  const { proc } = maker;
  const way = proc.newValue(Op.Phi, Int32);
  const [taken, missed, join] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.branch(flag, taken, missed);
  for (const [i, block] of [taken, missed].entries()) {
    maker.block = block;
    maker.upsilon(maker.append(Op.Const32, Int32), way);
    block.values[0].constantLow = 1 + i;
    maker.jump(join);
  }
  maker.block = join;
  maker.place(way, false);
}

// Emits x < -y: a rewrite to a comparison of x + y is wrong for 0 and for the least integer.
function orderOfNegation(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const y = pickParameter(maker, type);
  aimAt(maker, y, maker.chance(50) ? [0, 0] : drawSpecial(maker.source, type));
  const negated = maker.chance(70)
    ? maker.emit(Op.Neg, type, y)
    : maker.emit(Op.Sub, type, maker.integer(type, 0), y);
  const x = maker.chance(30) ? maker.integer(type, 0) : maker.pickBeside(type, y);
  const [a, b] = maker.chance(70) ? [x, negated] : [negated, x];
  useFlag(maker, maker.append(oneOf(maker, COMPARISONS), Int32, a, b), type);
}

// Emits a comparison of (x + y) & m or of a shifted sum: the sum of two known ranges may wrap.
function sumTruncated(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const half =
    type === Int64 ? maker.constantOf(type, -1, 0x7fff_ffff) : maker.integer(type, -1 >>> 1);
  const x = maker.append(Op.BitAnd, type, pickParameter(maker, type), half);
  const y = maker.append(Op.BitOr, type, maker.pickValue(type), maker.integer(type, 1));
  const other = maker.chance(60) ? maker.append(Op.BitAnd, type, y, half) : y;
  const sum = maker.append(maker.chance(75) ? Op.Add : Op.Sub, type, x, other);
  const low = maker.integer(type, oneOf(maker, [0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff]));
  const cut = maker.chance(60)
    ? maker.append(Op.BitAnd, type, sum, low)
    : maker.append(oneOf(maker, SHIFTS), type, sum, maker.integer(Int32, 1 + maker.below(16)));
  const limit = maker.chance(50) ? maker.integer(type, 0) : maker.integer(type, maker.below(300));
  useFlag(maker, maker.append(oneOf(maker, COMPARISONS), Int32, cut, limit), type);
  if (maker.chance(30)) observe(maker, maker.emit(Op.LessThan, Int32, sum, maker.integer(type, 0)));
}

const TO_INTEGERS = [Op.TruncS32, Op.TruncU32, Op.TruncS64, Op.TruncU64];
const FRACTIONS = [0.5, -0.5, 0.75, -0.25, 1.5, -1.5, 2147483646.5, -2147483647.5, 4294967294.75];

// Emits toInteger(x + k): x has a fraction, so an earlier conversion gives another number.
function conversionOfSum(maker: ProcedureMaker): void {
  const type = floatInUse(maker);
  if (type === null) {
    signOfSum(maker);
    return;
  }
  const x = pickParameter(maker, type);
  aimAt(maker, x, wordsOfNumber(type, oneOf(maker, FRACTIONS)));
  const [lo, hi] = wordsOfNumber(
    type,
    oneOf(maker, [1, -1, 0.5, 2, 100, 2 ** 31, -(2 ** 31), 0.25]),
  );
  const opcode = oneOf(maker, [Op.Add, Op.Add, Op.Sub, Op.Mul]);
  const sum = maker.emit(opcode, type, x, maker.constantOf(type, lo, hi));
  const conversion = oneOf(
    maker,
    maker.swarm.hasType[Int64] ? TO_INTEGERS : TO_INTEGERS.slice(0, 2),
  );
  maker.emit(
    conversion,
    conversion === Op.TruncS32 || conversion === Op.TruncU32 ? Int32 : Int64,
    sum,
  );
}

function floatInUse(maker: ProcedureMaker): Type | null {
  const { hasType } = maker.swarm;
  const type = maker.chance(50) ? Double : Float;
  if (hasType[type]) return type;
  return hasType[Double] ? Double : hasType[Float] ? Float : null;
}

// Adds integers that a Double represents exactly while their sum is not representable: near 2^53,
// or 2^24 for a Float.
function sumBeyondExact(maker: ProcedureMaker): void {
  const { hasType } = maker.swarm;
  if (!hasType[Double] || !hasType[Int64]) {
    conversionOfSum(maker);
    return;
  }
  const isFloat = hasType[Float] && maker.chance(25);
  const [type, from, power] = isFloat
    ? ([Float, Op.IToF, 2 ** 24] as const)
    : ([Double, Op.IToD, 2 ** 53] as const);
  const x = pickParameter(maker, Int64);
  const near = (maker.chance(50) ? 1 : -1) * (power + maker.below(5) - 2);
  aimAt(maker, x, [near | 0, Math.floor(near / 0x1_0000_0000)]);
  const left = maker.append(from, type, x);
  const step = maker.integer(Int64, 1 + maker.below(3));
  const right = maker.append(from, type, maker.chance(70) ? step : maker.pickValue(Int64));
  const opcode = oneOf(maker, [Op.Add, Op.Sub, Op.Sub, Op.Mul]);
  const sum = maker.append(opcode, type, left, right);
  if (maker.chance(75)) maker.emit(maker.chance(70) ? Op.TruncS64 : Op.TruncU64, Int64, sum);
  else maker.emit(oneOf(maker, [Op.LessThan, Op.Equal]), Int32, sum, left);
}

// Emits two constants that are equal as numbers but not as bits, or differ in type.
function bothZeros(maker: ProcedureMaker): void {
  const type = floatInUse(maker);
  if (type === null) {
    maskOfShift(maker);
    return;
  }
  const areNaNs = maker.chance(25);
  const first = areNaNs ? drawSpecialNaN(maker, type) : wordsOfNumber(type, 0);
  const second = areNaNs ? drawSpecialNaN(maker, type) : wordsOfNumber(type, -0);
  for (const [lo, hi] of maker.chance(50) ? [first, second] : [second, first]) {
    const constant = maker.constantOf(type, lo, hi);
    const roll = maker.below(4);
    if (roll === 0) observe(maker, constant);
    else if (roll === 1)
      maker.emit(Op.CopySign, type, maker.closed(maker.pickValue(type)), constant);
    else if (roll === 2) observe(maker, maker.emit(Op.Identity, type, constant));
    else
      maker.emit(Op.Select, type, maker.pickValue(Int32), constant, maker.closed(maker.pick(type)));
  }
}

const drawSpecialNaN = (maker: ProcedureMaker, type: Type): WordPair =>
  type === Double
    ? [maker.below(3), oneOf(maker, [0x7ff8_0000, 0xfff8_0000 | 0, 0x7ff8_0001])]
    : [oneOf(maker, [0x7fc0_0000, 0xffc0_0000 | 0, 0x7fc0_0001]), 0];

/** Operations that do not change an integer. */
const IDENTITY_OPERATIONS: readonly (readonly [Opcode, number])[] = [
  [Op.BitXor, 0],
  [Op.BitOr, 0],
  [Op.Add, 0],
  [Op.Sub, 0],
  [Op.BitAnd, -1],
  [Op.Mul, 1],
];

// Emits an extension of a loaded number, with foldable operations between them.
function extensionOfLoad(maker: ProcedureMaker): void {
  const { heapBase, swarm } = maker;
  if (heapBase === null || !swarm.hasType[Int64]) {
    extractOfPair(maker);
    return;
  }
  const address = pickAddress(maker, heapBase);
  const opcode = oneOf(maker, [Op.Load, Op.Load, Op.Load8Z, Op.Load8S, Op.Load16Z, Op.Load16S]);
  const loaded = maker.append(opcode, Int32, address.value);
  loaded.offset = placeIn(maker, address, 4);
  let value = loaded;
  for (let i = maker.below(3); i > 0; i--) {
    const [idle, number] = oneOf(maker, IDENTITY_OPERATIONS);
    value = maker.append(idle, Int32, value, maker.integer(Int32, number));
  }
  maker.emit(maker.chance(60) ? Op.SExt32 : Op.ZExt32, Int64, value);
}

// Divides the least integer by itself, by a power of two, or by the negation of one.
function leastIntegerByItself(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const least: WordPair = type === Int64 ? [0, -0x8000_0000] : [-0x8000_0000, 0];
  const x = pickParameter(maker, type);
  aimAt(maker, x, least);
  const power = maker.below(8 * sizeOf(type) - 2);
  const divisor = maker.chance(60)
    ? maker.constantOf(type, least[0], least[1])
    : wide(maker, type, (maker.chance(50) ? 1n : -1n) << BigInt(1 + power));
  const opcodes = [Op.Div, Op.Mod, Op.ChillDiv, Op.ChillMod, Op.UDiv, Op.UMod];
  maker.emit(oneOf(maker, opcodes), type, x, divisor);
}

// Emits quotients and remainders of one dividend by one or more divisors. One instruction may
// compute both results, but only for the same pair.
function divisionsOfOne(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const x = maker.chance(50) ? pickSpecial(maker, type) : maker.pickValue(type);
  const divisors = Array.from({ length: 1 + maker.below(2) }, () => drawDivisor(maker, type));
  for (let count = 2 + maker.below(3); count > 0; count--) {
    const isSigned = maker.chance(45);
    const opcode = oneOf(maker, isSigned ? SIGNED : UNSIGNED);
    maker.emit(opcode, type, x, oneOf(maker, divisors));
  }
}
const SIGNED = [Op.Div, Op.Mod, Op.ChillDiv, Op.ChillMod];
const UNSIGNED = [Op.UDiv, Op.UMod];

/** Returns a positive divisor, which is defined for every dividend, signed or unsigned. */
function drawDivisor(maker: ProcedureMaker, type: Type): Value {
  if (maker.chance(50)) return maker.integer(type, oneOf(maker, [1, 2, 3, 7, 8, 10, 641, 2 ** 30]));
  const greatest = type === Int64 ? [-1, 0x7fff_ffff] : [0x7fff_ffff, 0];
  const half = maker.constantOf(type, greatest[0], greatest[1]);
  const positive = maker.append(Op.BitAnd, type, maker.pickValue(type), half);
  return maker.append(Op.BitOr, type, positive, maker.integer(type, 1));
}

// Compares one sum as signed, as unsigned, and as a bound. The sum 0x7fffffff + 1 overflows only
// the signed range, -1 + 1 only the unsigned one.
function overflowAndCarry(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const x = pickParameter(maker, type);
  aimAt(maker, x, maker.chance(50) ? nearEnd(maker, type) : [-1, type === Int64 ? -1 : 0]);
  const y = maker.chance(60) ? maker.integer(type, 1 + maker.below(3)) : maker.pickBeside(type, x);
  const overflowTests = [Op.AddOverflows, Op.AddCarries, Op.SubOverflows, Op.MulOverflows];
  for (let count = 1 + maker.below(3); count > 0; count--) {
    const flag = maker.append(oneOf(maker, overflowTests), Int32, x, y);
    useFlag(maker, flag, type);
  }
  if (maker.chance(60)) maker.emit(Op.Add, type, x, y);
}

// Compares two parameters that inputs make equal or nearly equal: i = n, n - 1, n + 1.
function equalParameters(maker: ProcedureMaker): void {
  const { proc, heapBase } = maker;
  const type = maker.swarm.types[maker.below(maker.swarm.types.length)];
  const alike = proc.parameters.filter((each) => each.type === type && each !== heapBase);
  if (alike.length < 2) {
    const x = pickParameter(maker, type);
    const [lo, hi] = drawBoundary(maker.source, type);
    aimAt(maker, x, [lo, hi]);
    useFlag(
      maker,
      maker.append(orderOf(maker, type), Int32, x, maker.constantOf(type, lo, hi)),
      type,
    );
    return;
  }
  const x = alike.splice(maker.below(alike.length), 1)[0];
  const y = oneOf(maker, alike);
  if (proc === maker.context.module.entry) {
    const [like, parameter] =
      x.parameterIndex < y.parameterIndex
        ? [x.parameterIndex, y.parameterIndex]
        : [y.parameterIndex, x.parameterIndex];
    maker.context.aims.push({ parameter, words: [0, 0], like });
  }
  useFlag(maker, maker.append(orderOf(maker, type), Int32, x, y), type);
}

const orderOf = (maker: ProcedureMaker, type: Type): Opcode =>
  COMPARISONS[maker.below(isFloating(type) ? 6 : COMPARISONS.length)];
