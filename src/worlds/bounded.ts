// Makes worlds of bounds: an operation on operands whose expressions have known bounds. The range of
// the result depends on both ends of both operands, differently for each opcode. So further
// operations test, truncate or convert the result at its corners: the results for the ends. A
// constant operand is often chosen so that a corner is at a limit of a type.

import { bitsOfNumber, numberOf, type SignedBits, widthOf, wrap } from "../aim/bits.js";
import { evaluatorOf } from "../aim/evaluate.js";
import { inverseOf } from "../aim/inverses.js";
import { chance } from "../generate/maker/odds.js";
import type { OpcodeInstance } from "../generate/maker/swarm.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Float, Int32, Int64, isFloating, type Type, VALUE_TYPES } from "../ir/types.js";
import { bitsOf, type WordPair, wordsOf } from "../ir/words.js";
import { choice, product, sumOver } from "./counted.js";
import { combinedUses } from "./facts.js";
import { emitOperation, OPERATIONS } from "./operations.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

/** A value with the bits of its ends, in the order of its type. */
interface BoundedValue {
  readonly value: Value;
  readonly ends: readonly SignedBits[];
}

/**
 * A function that bounds an operand: it returns a value whose least and greatest bits are known.
 */
type BoundedLeaf = (site: WorldSite, type: Type, operand: Value) => BoundedValue;

const leastOf = (type: Type): SignedBits => -1n << BigInt(widthOf(type) - 1);
const constantOf = ({ maker }: WorldSite, type: Type, bits: SignedBits): Value =>
  maker.constantOf(type, ...wordsOf(type, wrap(type, bits)));

/** Mostly numbers that are not within one of a power of two. */
const ENDS = [2n, 3n, 4n, 5n, 6n, 8n, 9n, 10n, 11n, 12n, 20n, 100n, 129n, 1000n, 0x5555n, 0x10001n];
const drawEnd = ({ source }: WorldSite): SignedBits => ENDS[source.below(ENDS.length)];
/** Draws a shift count, mostly a small one. */
const drawCount = ({ source }: WorldSite, type: Type): number =>
  1 + source.below(chance(source, 60) ? 5 : widthOf(type) - 1);

/** Returns a function that bounds an operand by an operation with a constant. */
const withConstant =
  (
    opcode: Opcode,
    make: (site: WorldSite, type: Type) => readonly [by: SignedBits, ...ends: SignedBits[]],
  ): BoundedLeaf =>
  (site, type, operand) => {
    const [constant, ...ends] = make(site, type);
    const value = site.maker.append(opcode, type, operand, constantOf(site, type, constant));
    return { value, ends };
  };
const shift =
  (opcode: Opcode, ends: (type: Type, count: bigint) => SignedBits[]): BoundedLeaf =>
  (site, type, operand) => {
    const count = drawCount(site, type);
    const value = site.maker.append(opcode, type, operand, site.maker.integer(Int32, count));
    return { value, ends: ends(type, BigInt(count)) };
  };

/** Bounds an operand to a few numbers next to an end of the type, or next to 0. */
const nearLimit: BoundedLeaf = (site, type, operand) => {
  const mask = drawMask(site, type);
  const least = leastOf(type);
  const starts = [-1n, 1n, -mask, -mask - 1n, least, ~least - mask];
  const start = starts[site.source.below(starts.length)];
  const low = site.maker.append(Op.BitAnd, type, operand, constantOf(site, type, mask));
  const value = site.maker.append(Op.Add, type, low, constantOf(site, type, start));
  return { value, ends: [start, start + mask] };
};

const clamped: BoundedLeaf = (site, type, operand) => {
  const [low, high] = [-drawEnd(site), drawEnd(site)];
  const above = site.maker.append(Op.Max, type, operand, constantOf(site, type, low));
  return {
    value: site.maker.append(Op.Min, type, above, constantOf(site, type, high)),
    ends: [low, high],
  };
};

const anything: BoundedLeaf = (_site, type, value) => ({
  value,
  ends: [leastOf(type), ~leastOf(type)],
});

const upTo = (
  opcode: Opcode,
  drawGreatest: (site: WorldSite, type: Type) => SignedBits,
): BoundedLeaf =>
  withConstant(opcode, (site, type) => {
    const greatest = drawGreatest(site, type);
    return [greatest, 0n, greatest];
  });
const drawBit = (site: WorldSite, type: Type): SignedBits => 1n << BigInt(drawCount(site, type));
const drawMask = (site: WorldSite, type: Type): SignedBits => drawBit(site, type) - 1n;

const OF_INTEGERS: readonly BoundedLeaf[] = [
  upTo(Op.BitAnd, drawMask),
  upTo(Op.BitAnd, drawEnd),
  upTo(Op.BitAnd, drawBit),
  upTo(Op.UMin, drawEnd),
  withConstant(Op.UMod, (site) => {
    const divisor = drawEnd(site);
    return [divisor, 0n, divisor - 1n];
  }),
  withConstant(Op.Mod, (site) => {
    const divisor = drawEnd(site);
    return [divisor, 1n - divisor, divisor - 1n];
  }),
  shift(Op.ZShr, (type, count) => [0n, (1n << (BigInt(widthOf(type)) - count)) - 1n]),
  shift(Op.SShr, (type, count) => [leastOf(type) >> count, ~leastOf(type) >> count]),
  shift(Op.Shl, (type, count) => [leastOf(type), (~leastOf(type) >> count) << count]),
  clamped,
  nearLimit,
  anything,
];

/** Extends a number that is narrower than its type. */
const extended =
  (opcode: Opcode, low: SignedBits, high: SignedBits): BoundedLeaf =>
  (site, type) => ({
    value: site.maker.append(opcode, type, site.operands[Int32][site.source.below(2)]),
    ends: [low, high],
  });

/** Converts a bounded integer to a float. */
const converted =
  (from: Type, toFloat: Opcode, toDouble: Opcode, isSigned: boolean): BoundedLeaf =>
  (site, type) => {
    const opcode = type === Float ? toFloat : toDouble;
    const isAny = chance(site.source, 50);
    const integer = isAny ? anything(site, from, site.operands[from][0]) : drawLeaf(site, from);
    const evaluate = evaluatorOf(opcode, from);
    const ends = isSigned || integer.ends[0] >= 0n ? integer.ends : [0n, -1n];
    const numbers = ends.map((bits) => evaluate?.(bits) ?? 0n);
    return { value: site.maker.append(opcode, type, integer.value), ends: numbers };
  };

const OF_FLOATS: readonly BoundedLeaf[] = [
  converted(Int32, Op.IToF, Op.IToD, true),
  converted(Int64, Op.IToF, Op.IToD, true),
  converted(Int32, Op.UToF, Op.UToD, false),
  converted(Int64, Op.UToF, Op.UToD, false),
];

const LEAVES: readonly (readonly BoundedLeaf[])[] = [
  [],
  [...OF_INTEGERS, extended(Op.SExt8, -128n, 127n), extended(Op.SExt16, -0x8000n, 0x7fffn)],
  [
    ...OF_INTEGERS,
    extended(Op.SExt32, -0x8000_0000n, 0x7fff_ffffn),
    extended(Op.ZExt32, 0n, 0xffff_ffffn),
  ],
  OF_FLOATS,
  OF_FLOATS,
];

const drawLeaf = (site: WorldSite, type: Type): BoundedValue => {
  const leaf = LEAVES[type][site.source.below(LEAVES[type].length)];
  return leaf(site, type, site.operands[type][site.source.below(2)]);
};

const limitsAt = (...bits: readonly bigint[]): SignedBits[] =>
  bits.flatMap((bit) => [1n << bit, (1n << bit) - 1n, -1n << bit, (-1n << bit) - 1n]);
/** Exponents of limits, for integers by type. */
const LIMITS = limitsAt(0n, 7n, 8n, 15n, 16n, 31n, 31n, 32n, 32n, 63n, 63n);
/** Exponents of the results of float conversions, and of the numbers that floats hold exactly. */
const LIMITS_OF_FLOATS = limitsAt(24n, 31n, 31n, 31n, 32n, 53n, 63n, 64n);

/**
 * Returns a constant with which an end of the other operand gives a limit; null if there is none.
 */
function constantForLimit(
  site: WorldSite,
  { opcode, result }: OpcodeInstance,
  type: Type,
  { ends }: BoundedValue,
): Value | null {
  const { source } = site;
  const corner = ends[source.below(ends.length)];
  const limits = isFloating(result) ? LIMITS_OF_FLOATS : LIMITS;
  const limit = limits[source.below(limits.length)];
  const bits = inverseOf(opcode, type, {
    moved: 1,
    operands: [corner, 0n],
    operandType: type,
    wanted: isFloating(result) ? bitsOfNumber(result, Number(limit)) : wrap(result, limit),
    resultType: result,
    end: "found",
  });
  return bits === null ? null : constantOf(site, type, bits);
}

/** Operations on one operand, or on two of one type. */
const ROWS: readonly OpcodeInstance[] = OPERATIONS.filter(
  ({ operands }) => operands.length <= 2 && operands.every((type) => type === operands[0]),
);
/** The number of different constants that a round over all worlds draws for one place. */
const CONSTANTS = 6;

interface BoundedWorld {
  readonly row: OpcodeInstance;
  readonly first: BoundedLeaf;
  /** The bounded second operand; null for a constant. */
  readonly second: BoundedLeaf | null;
}
const WORLDS = sumOver(ROWS, (row) => {
  const leaves = LEAVES[row.operands[0]];
  const isUnary = row.operands.length === 1;
  return product<BoundedWorld>({
    row: choice([row]),
    first: choice(leaves),
    second: choice(isUnary ? [null] : [...leaves, ...Array<null>(CONSTANTS).fill(null)]),
  });
});

function make({ row, first, second }: BoundedWorld, site: WorldSite): Value {
  const [type] = row.operands;
  const operands = site.operands[type];
  const given = [first(site, type, operands[0])];
  if (row.operands.length === 2) {
    given.push(second?.(site, type, operands[1]) ?? constantOperand(site, row, given[0]));
  }
  const value = emitOperation(
    site.maker,
    row,
    given.map((one) => one.value),
  );
  return combinedUses(siteAtCorners(site, row.result, cornersOf(row, given)), value, value);
}

function constantOperand(site: WorldSite, row: OpcodeInstance, x: BoundedValue): BoundedValue {
  const [type] = row.operands;
  const value =
    constantForLimit(site, row, type, x) ?? constantOf(site, type, anyConstant(site, type));
  return { value, ends: [bitsOf(type, value.constantLow, value.constantHigh)] };
}

const anyConstant = (site: WorldSite, type: Type): SignedBits =>
  isFloating(type) ? bitsOfNumber(type, Number(drawEnd(site)) / 2) : drawEnd(site);

/**
 * Returns the results of the operation for the ends of its operands; 0 for a NaN, which has no
 * neighbours.
 */
function cornersOf(
  { opcode, operands: [type], result }: OpcodeInstance,
  [x, y]: readonly BoundedValue[],
): SignedBits[] {
  const evaluate = evaluatorOf(opcode, type);
  const corners = x.ends.flatMap((a) =>
    y === undefined ? [evaluate?.(a)] : y.ends.map((b) => evaluate?.(a, b)),
  );
  const isNaNBits = (bits: SignedBits): boolean =>
    isFloating(result) && Number.isNaN(numberOf(result, bits));
  return corners.flatMap((bits) => bits ?? []).map((bits) => (isNaNBits(bits) ? 0n : bits));
}

/** Returns the site with the corners and their neighbours as bounds. */
function siteAtCorners(site: WorldSite, result: Type, corners: readonly SignedBits[]): WorldSite {
  const near = corners.flatMap((bits) => withNeighbours(result, bits));
  const some = near.length > 0 ? near : [0n];
  const ofType = (type: Type): WordPair[] =>
    some.map((bits) => wordsOf(type, asType(type, result, bits)));
  return { ...site, bounds: [[], ...VALUE_TYPES.map(ofType)] };
}

function withNeighbours(type: Type, bits: SignedBits): SignedBits[] {
  if (!isFloating(type)) return [bits - 1n, bits, bits + 1n];
  const x = numberOf(type, bits);
  return [x - 1, x, x + 1].map((number) => bitsOfNumber(type, number));
}

/** Converts a number to another type; for floats, its integer part. */
function asType(type: Type, from: Type, bits: SignedBits): SignedBits {
  const x = isFloating(from) ? numberOf(from, bits) : Number(bits);
  if (isFloating(type)) return bitsOfNumber(type, x);
  if (!isFloating(from)) return wrap(type, bits);
  return Number.isFinite(x) ? wrap(type, BigInt(Math.trunc(x))) : 0n;
}

export const BOUNDED: readonly WorldKind[] = [
  kindOf(
    "bounded",
    "an operation on operands with known bounds, and operations that test its result at the corners",
    WORLDS,
    make,
    { perProgram: 16 },
  ),
];
