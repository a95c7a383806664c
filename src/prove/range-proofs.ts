// Checks the transfer functions of ranges on all operand ranges at a few bits. The compiler runs
// the same functions at 32 and 64 bits. For each pair of ranges all results are enumerated. The
// computed range must contain them; if a smaller range would, the function is imprecise, and
// IMPRECISE gives the reason.

import {
  exactWidth,
  type IntegerWidth,
  markedWidth,
  roundedHigh,
  roundedLow,
} from "../../reference/optimize/analysis/bounds.js";
import { transferOf } from "../../reference/optimize/analysis/ranges.js";
import { casesOf, casesOfRanges } from "../../reference/optimize/analysis/relations.js";
import { TransferRanges } from "../../reference/optimize/analysis/transfer.js";
import { nameOfOpcode, OPCODE_NAMES, Op, type Opcode, specOf } from "../ir/opcodes.js";
import { assert } from "../support/assert.js";
import { SMALL_MEANINGS } from "./small-meanings.js";

/** A transfer function that does not always compute the smallest range. All others are always exact. */
interface ImpreciseFunction {
  readonly opcode: string;
  /**
   * The number of operand tuples at 3 bits for which the range is the smallest; it may only grow. Out of 1296 pairs of ranges, or 36 ranges.
   */
  readonly best: number;
  readonly because: string;
}

const PRODUCTS = "products have gaps: only enumeration finds which of them wrap, or overflow first";
const REMAINDERS =
  "each divisor has its own remainders: only enumeration finds the bounds over several divisors";
const BITS =
  "exact bounds process bit by bit (Warren, Hacker's Delight, 4-3); these process whole runs of bits";
const WRAPPED = "counts that wrap around are treated as all counts";
const COUNTS = "only the longest number in the range is considered";

// biome-ignore format: a table
export const IMPRECISE: readonly ImpreciseFunction[] = [
  { opcode: "Mul",      best:  955, because: PRODUCTS },
  { opcode: "CheckMul", best: 1113, because: PRODUCTS },
  { opcode: "Mod",      best: 1224, because: REMAINDERS },
  { opcode: "ChillMod", best: 1224, because: REMAINDERS },
  { opcode: "UMod",     best:  630, because: REMAINDERS },
  { opcode: "FloorMod", best: 1129, because: REMAINDERS },
  { opcode: "BitAnd",   best: 1021, because: BITS },
  { opcode: "BitOr",    best: 1021, because: BITS },
  { opcode: "BitXor",   best:  898, because: BITS },
  { opcode: "Shl",      best: 1248, because: WRAPPED },
  { opcode: "ZShr",     best: 1230, because: WRAPPED },
  { opcode: "Ctz",      best:   27, because: COUNTS },
  { opcode: "PopCnt",   best:   23, because: COUNTS },
];

/** The widths that stand for Int32 and Int64 in a check at a few bits. */
interface WidthChoice {
  readonly name: string;
  readonly word: IntegerWidth;
  readonly long: IntegerWidth;
  /** Whether ranges of the second operand may end at this bound; undefined: at any bound. */
  readonly isEnd?: (bound: number) => boolean;
}

// Conversions need halves and quarters of a word, so the width must be a multiple of four bits.
const CONVERSIONS_AT = 4;
/** Int64 has exact bounds here; separate worlds check its marks. */
const exactWorld = (bits: number): WidthChoice => ({
  name: `${bits} bits`,
  word: exactWidth(bits, bits),
  long: exactWidth(2 * bits, bits),
});
/**
 * For 64 bits, bounds up to 2^52 are exact, which is beyond 2^32. These widths keep that relation,
 * with room for each mark.
 */
const markedWorld = (bits: number): WidthChoice => ({
  name: `${bits} bits with marks`,
  word: exactWidth(bits / 2, bits / 2),
  long: markedWidth(bits, bits / 2, 2 ** (bits / 2), 2 ** (bits - 1) - 2 ** (bits - 4)),
});

interface RangeProof {
  readonly opcode: string;
  readonly world: string;
  /** The number of tuples of operand ranges that were checked. */
  readonly tuples: number;
  /** The number of tuples with the smallest possible range. */
  readonly best: number;
  /** A result outside of its range; null if there is none. */
  readonly wrong: string | null;
}

/**
 * Checks all opcodes with a transfer function in these worlds, and the possible orders of two
 * integers.
 */
export function* rangeProofs(worlds: readonly WidthChoice[]): Generator<RangeProof> {
  for (const world of worlds) {
    for (const row of casesIn(world)) yield proveRange(row, world);
    if (world.isEnd === undefined) yield proveOrder(world);
  }
}

/**
 * The widths of a quick check, exhaustive in a second. 3 bits measure the precision; larger widths
 * could hide imprecision.
 */
export const QUICK_WORLDS: readonly WidthChoice[] = [exactWorld(3), exactWorld(4), markedWorld(6)];
/** Returns whether x is close to 0, or to a power of two. */
const isBoundary = (x: number): boolean =>
  Math.abs(x) < 4 || [-1, 0, 1].some((near) => Number.isInteger(Math.log2(Math.abs(x) + near)));

/**
 * The widths of a complete check, which takes minutes. All pairs of ranges of 8 bits would take an
 * hour and a half.
 */
export const WHOLE_WORLDS: readonly WidthChoice[] = [
  ...QUICK_WORLDS,
  ...[exactWorld(5), { ...exactWorld(8), isEnd: isBoundary }, markedWorld(8)],
];

/** A bound in its stored form, and the integer that it represents. */
interface StoredBound {
  readonly kept: number;
  readonly exact: number;
}

interface RangeCase {
  readonly opcode: Opcode;
  readonly x: IntegerWidth;
  /** The width of the second operand; null for unary operations. */
  readonly y: IntegerWidth | null;
  readonly result: IntegerWidth;
}

/** Returns the opcodes with a transfer function from integers, at their types in the world. */
function casesIn(world: WidthChoice): RangeCase[] {
  return OPCODE_NAMES.flatMap((name): RangeCase[] => {
    const opcode = Op[name];
    const { args, result } = specOf(opcode);
    if (SMALL_MEANINGS[name] === undefined || transferOf(opcode) === null) return [];
    const isConversion = !args.includes("T");
    if (isConversion && world.word.bits % CONVERSIONS_AT !== 0) return [];
    // Int64 needs a check of its own only if it has marks.
    const isLong = Number.isFinite(world.long.exact);
    const widthOf = (kind: unknown): IntegerWidth =>
      kind === "Int64" || (kind === "T" && isLong) ? world.long : world.word;
    const [first, second] = args;
    const y = second === "T" ? widthOf("T") : second === "Int32" ? widthOf("T") : null;
    return [{ opcode, x: widthOf(first), y, result: widthOf(result) }];
  });
}

function lowsOf(width: IntegerWidth): StoredBound[] {
  const greatest = 2 ** (width.bits - 1) - 1;
  const bounds: StoredBound[] = [];
  for (let x = -greatest - 1; x <= greatest; x++) {
    const kept = roundedLow(width, x);
    if (kept === x) bounds.push({ kept, exact: x });
    else if (kept === -width.inner && x === -greatest) bounds.push({ kept, exact: x });
  }
  return bounds;
}

/** Mirrors `lowsOf`; but the greatest exact number has no mark of its own. */
function highsOf(width: IntegerWidth): StoredBound[] {
  const greatest = 2 ** (width.bits - 1) - 1;
  const bounds: StoredBound[] = [];
  for (let x = -greatest - 1; x <= greatest; x++) {
    const kept = keptHighOf(width, x);
    if (kept === x || x >= greatest - 1) bounds.push({ kept, exact: x });
  }
  return bounds;
}

const isMarked = (width: IntegerWidth): boolean => Number.isFinite(width.exact);
const keptLowOf = (width: IntegerWidth, x: number): number =>
  isMarked(width) ? roundedLow(width, x) : x;
/**
 * Returns the stored form of an upper bound. The greatest integer is marked by the greatest bound.
 */
function keptHighOf(width: IntegerWidth, x: number): number {
  if (!isMarked(width)) return x;
  return x === 2 ** (width.bits - 1) - 1 ? width.greatest : roundedHigh(width, x);
}

const ONE: readonly StoredBound[] = [{ kept: 0, exact: 0 }];
/**
 * The entry of a result table for operands without a result: the operation is undefined, or exits.
 */
const NOTHING = Number.NaN;

/** Checks the transfer function on all operand ranges. */
function proveRange({ opcode, x, y, result }: RangeCase, world: WidthChoice): RangeProof {
  const name = nameOfOpcode(opcode);
  const rule = transferOf(opcode);
  assert(rule !== null, () => `${name} has no transfer function`);
  const t = new TransferRanges();
  const [xHalf, yHalf] = [2 ** (x.bits - 1), y === null ? 0 : 2 ** (y.bits - 1)];
  const columns = Math.max(1, 2 * yHalf);
  const results = tableOf({ opcode, x, y, result }, world);
  const least = new Float64Array(columns);
  const most = new Float64Array(columns);
  const { isEnd = () => true } = world;
  const ends = (bounds: readonly StoredBound[]) => bounds.filter(({ exact }) => isEnd(exact));
  const [yLows, yHighs] = y === null ? [ONE, ONE] : [ends(lowsOf(y)), ends(highsOf(y))];
  let [tuples, best] = [0, 0];
  let wrong: string | null = null;
  // The bounds of the results are accumulated while the range of x grows, for each y, and then
  // while the range of y grows.
  const takeRow = (row: number): void => {
    for (let column = 0; column < columns; column++) {
      const z = results[(row + xHalf) * columns + column];
      if (z < least[column]) least[column] = z;
      if (z > most[column]) most[column] = z;
    }
  };
  const tryAll = (xLow: number, xHigh: number): void => {
    for (const low of yLows) {
      let next = low.exact;
      let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const high of yHighs) {
        if (high.exact < low.exact) continue;
        for (; next <= high.exact; next++) {
          min = Math.min(min, least[next + yHalf]);
          max = Math.max(max, most[next + yHalf]);
        }
        Object.assign(t, { xMin: xLow, xMax: xHigh, yMin: low.kept, yMax: high.kept });
        t.width = result;
        t.from = x;
        rule(t);
        tuples++;
        const [lowest, highest] = [keptLowOf(result, min), keptHighOf(result, max)];
        if (min > max || (t.low === lowest && t.high === highest)) best++;
        else if (!(t.low <= lowest && t.high >= highest)) {
          wrong ??= `${name} of [${xLow}, ${xHigh}], [${low.kept}, ${high.kept}] is in [${lowest}, ${highest}], not in [${t.low}, ${t.high}]`;
        }
      }
    }
  };
  for (const low of lowsOf(x)) {
    least.fill(Number.POSITIVE_INFINITY);
    most.fill(Number.NEGATIVE_INFINITY);
    let next = low.exact;
    for (const high of highsOf(x)) {
      if (high.exact < low.exact) continue;
      for (; next <= high.exact; next++) takeRow(next);
      tryAll(low.kept, high.kept);
    }
  }
  return { opcode: name, world: world.name, tuples, best, wrong };
}

/** Checks the possible orders of two integers, for all pairs of ranges. */
function proveOrder({ name, word }: WidthChoice): RangeProof {
  const half = 2 ** (word.bits - 1);
  const ranges: [number, number][] = [];
  for (let low = -half; low < half; low++) {
    for (let high = low; high < half; high++) ranges.push([low, high]);
  }
  let [tuples, best] = [0, 0];
  let wrong: string | null = null;
  for (const [xMin, xMax] of ranges) {
    for (const [yMin, yMax] of ranges) {
      const cases = casesOfRanges(xMin, xMax, yMin, yMax);
      const seen = ordersOf(xMin, xMax, yMin, yMax);
      tuples++;
      if (cases === seen) best++;
      else if ((cases & seen) !== seen) wrong ??= `[${xMin}, ${xMax}] and [${yMin}, ${yMax}]`;
    }
  }
  return { opcode: "order", world: name, tuples, best, wrong };
}

function ordersOf(xMin: number, xMax: number, yMin: number, yMax: number): number {
  let seen = 0;
  for (let x = xMin; x <= xMax; x++) {
    // It suffices to try these y, which represent each sign and each position relative to x.
    for (const y of [yMin, yMax, x - 1, x, x + 1, -1, 0]) {
      if (y >= yMin && y <= yMax) seen |= orderOf(x, y);
    }
  }
  return seen;
}

const COMPARISONS = ["Equal", "LessThan", "GreaterThan", "Below", "Above"] as const;

/** Intersects the cases of the comparisons that hold, which leaves one case. */
function orderOf(x: number, y: number): number {
  const isBelow = x < 0 === y < 0 ? x < y : y < 0;
  const holds = { Equal: x === y, LessThan: x < y, GreaterThan: x > y };
  const all = { ...holds, Below: isBelow, Above: x !== y && !isBelow };
  return COMPARISONS.filter((name) => all[name]).reduce(
    (left, name) => left & casesOf(Op[name]),
    31,
  );
}

/** Returns all results, with a row for each x. */
function tableOf({ opcode, x, y, result }: RangeCase, { word }: WidthChoice): Float64Array {
  const meaning = SMALL_MEANINGS[nameOfOpcode(opcode)];
  assert(meaning !== undefined, () => `${nameOfOpcode(opcode)} has no meaning at a few bits`);
  const [rows, columns] = [2 ** x.bits, y === null ? 1 : 2 ** y.bits];
  const table = new Float64Array(rows * columns);
  const sizes = { bits: x.bits, word: word.bits };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [a, b] = [BigInt(row - rows / 2), BigInt(y === null ? 0 : column - columns / 2)];
      const z = meaning(a, b, sizes);
      table[row * columns + column] = z === null ? NOTHING : Number(BigInt.asIntN(result.bits, z));
    }
  }
  return table;
}
