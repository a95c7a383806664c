// The transfer functions of ranges, tried on all ranges of operands at a few bits: the same functions
// that the compiler runs at 32 and 64. Of each pair of ranges all results are known, so it is seen
// whether the range that a function computes holds them (it must), and whether a smaller one would
// (then it is not the best, which imprecise.ts explains).

import {
  exactWidth,
  keptHigh,
  keptLow,
  markedWidth,
  type Width,
} from "../../reference/optimize/analysis/bounds.js";
import { transferOf } from "../../reference/optimize/analysis/ranges.js";
import { casesOf, casesOfRanges } from "../../reference/optimize/analysis/relations.js";
import { Transfer } from "../../reference/optimize/analysis/transfer.js";
import { nameOfOpcode, OPCODE_NAMES, Op, type Opcode, specOf } from "../ir/opcodes.js";
import { assert } from "../support/assert.js";
import { SMALL_MEANINGS } from "./small-meanings.js";

/** The widths of an Int32 and an Int64 in a world of few bits. */
interface World {
  readonly name: string;
  readonly word: Width;
  readonly long: Width;
  /** Whether ranges of second operands end there; all do, if not given. */
  readonly isEnd?: (bound: number) => boolean;
}

// Halves and quarters of a word are there at multiples of four bits only.
const CONVERSIONS_AT = 4;
/** Int64 is as Int32 there; its marks are tried in worlds of their own. */
const exactWorld = (bits: number): World => ({
  name: `${bits} bits`,
  word: exactWidth(bits, bits),
  long: exactWidth(2 * bits, bits),
});
/** Of 64 bits bounds to 2^52 are exact, beyond 2^32: here as well, with room for each mark. */
const markedWorld = (bits: number): World => ({
  name: `${bits} bits with marks`,
  word: exactWidth(bits / 2, bits / 2),
  long: markedWidth(bits, bits / 2, 2 ** (bits / 2), 2 ** (bits - 1) - 2 ** (bits - 4)),
});

interface RangeProof {
  readonly opcode: string;
  readonly world: string;
  /** Tuples of ranges of the operands. */
  readonly tuples: number;
  /** For so many of them the range is the smallest there is. */
  readonly best: number;
  /** Where a result lies outside; null if nowhere. */
  readonly wrong: string | null;
}

/** All that have a transfer function, in worlds of these; and how two integers may be ordered. */
export function* rangeProofs(worlds: readonly World[]): Generator<RangeProof> {
  for (const world of worlds) {
    for (const row of casesIn(world)) yield proveRange(row, world);
    if (world.isEnd === undefined) yield proveOrder(world);
  }
}

/** Exhaustive in a second: 3 bits say how precise the functions are, more could hide it. */
export const QUICK_WORLDS: readonly World[] = [exactWorld(3), exactWorld(4), markedWorld(6)];
/** 0, -1, powers of two, and what lies beside them. */
const isBoundary = (x: number): boolean =>
  Math.abs(x) < 4 || [-1, 0, 1].some((near) => Number.isInteger(Math.log2(Math.abs(x) + near)));

/** In minutes. All pairs of ranges of 8 bits would take an hour and a half. */
export const WHOLE_WORLDS: readonly World[] = [
  ...QUICK_WORLDS,
  ...[exactWorld(5), { ...exactWorld(8), isEnd: isBoundary }, markedWorld(8)],
];

/** A bound as it is kept, and the integer that it stands for. */
interface Bound {
  readonly kept: number;
  readonly exact: number;
}

interface Case {
  readonly opcode: Opcode;
  readonly x: Width;
  /** Null of operations with one operand. */
  readonly y: Width | null;
  readonly result: Width;
}

/** Opcodes that have a transfer function from integers, at their types in the world. */
function casesIn(world: World): Case[] {
  return OPCODE_NAMES.flatMap((name): Case[] => {
    const opcode = Op[name];
    const { args, result } = specOf(opcode);
    if (SMALL_MEANINGS[name] === undefined || transferOf(opcode) === null) return [];
    const isConversion = !args.includes("T");
    if (isConversion && world.word.bits % CONVERSIONS_AT !== 0) return [];
    // Long arithmetic has marks, or is as that of words.
    const isLong = Number.isFinite(world.long.exact);
    const widthOf = (kind: unknown): Width =>
      kind === "Int64" || (kind === "T" && isLong) ? world.long : world.word;
    const [first, second] = args;
    const y = second === "T" ? widthOf("T") : second === "Int32" ? widthOf("T") : null;
    return [{ opcode, x: widthOf(first), y, result: widthOf(result) }];
  });
}

function lowsOf(width: Width): Bound[] {
  const greatest = 2 ** (width.bits - 1) - 1;
  const bounds: Bound[] = [];
  for (let x = -greatest - 1; x <= greatest; x++) {
    const kept = keptLow(width, x);
    if (kept === x) bounds.push({ kept, exact: x });
    else if (kept === -width.inner && x === -greatest) bounds.push({ kept, exact: x });
  }
  return bounds;
}

/** As far from zero, on the other side; the greatest exact number has no mark of its own. */
function highsOf(width: Width): Bound[] {
  const greatest = 2 ** (width.bits - 1) - 1;
  const bounds: Bound[] = [];
  for (let x = -greatest - 1; x <= greatest; x++) {
    const kept = keptHighOf(width, x);
    if (kept === x || x >= greatest - 1) bounds.push({ kept, exact: x });
  }
  return bounds;
}

const isMarked = (width: Width): boolean => Number.isFinite(width.exact);
const keptLowOf = (width: Width, x: number): number => (isMarked(width) ? keptLow(width, x) : x);
/** The greatest integer has the greatest bound as its mark. */
function keptHighOf(width: Width, x: number): number {
  if (!isMarked(width)) return x;
  return x === 2 ** (width.bits - 1) - 1 ? width.greatest : keptHigh(width, x);
}

const ONE: readonly Bound[] = [{ kept: 0, exact: 0 }];
/** No result: undefined, or an exit. */
const NOTHING = Number.NaN;

/** Tries the transfer function on all ranges of operands. */
function proveRange({ opcode, x, y, result }: Case, world: World): RangeProof {
  const name = nameOfOpcode(opcode);
  const rule = transferOf(opcode);
  assert(rule !== null, () => `${name} has no transfer function`);
  const t = new Transfer();
  const [xHalf, yHalf] = [2 ** (x.bits - 1), y === null ? 0 : 2 ** (y.bits - 1)];
  const columns = Math.max(1, 2 * yHalf);
  const results = tableOf({ opcode, x, y, result }, world);
  const least = new Float64Array(columns);
  const most = new Float64Array(columns);
  const { isEnd = () => true } = world;
  const ends = (bounds: readonly Bound[]) => bounds.filter(({ exact }) => isEnd(exact));
  const [yLows, yHighs] = y === null ? [ONE, ONE] : [ends(lowsOf(y)), ends(highsOf(y))];
  let [tuples, best] = [0, 0];
  let wrong: string | null = null;
  // All results of x in a range that grows, by y; of these all in a range of y that grows.
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

/** The cases in which two integers may be, of all pairs of ranges. */
function proveOrder({ name, word }: World): RangeProof {
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
    // One y of each kind, by its sign and by its place beside x.
    for (const y of [yMin, yMax, x - 1, x, x + 1, -1, 0]) {
      if (y >= yMin && y <= yMax) seen |= orderOf(x, y);
    }
  }
  return seen;
}

const COMPARISONS = ["Equal", "LessThan", "GreaterThan", "Below", "Above"] as const;

/** By the comparisons that hold: what is left of all cases is the one that the two are in. */
function orderOf(x: number, y: number): number {
  const isBelow = x < 0 === y < 0 ? x < y : y < 0;
  const holds = { Equal: x === y, LessThan: x < y, GreaterThan: x > y };
  const all = { ...holds, Below: isBelow, Above: x !== y && !isBelow };
  return COMPARISONS.filter((name) => all[name]).reduce(
    (left, name) => left & casesOf(Op[name]),
    31,
  );
}

/** All results, a row for each x. */
function tableOf({ opcode, x, y, result }: Case, { word }: World): Float64Array {
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
