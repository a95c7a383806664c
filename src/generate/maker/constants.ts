// Defines boundary values of each type, as bits: where arithmetic wraps, conversions saturate, and
// encodings end.

import { Double, Float, Int32, Int64, isWide, type Type } from "../../ir/types.js";
import { type WordPair, wideBits, wideWords } from "../../ir/words.js";
import type { ChoiceSource } from "../../support/source.js";
import { chance } from "./odds.js";

const NUMBER = new Float64Array(1);
const NUMBER_WORDS = new Int32Array(NUMBER.buffer);
const NARROW = new Float32Array(1);
const NARROW_WORD = new Int32Array(NARROW.buffer);

/**
 * Returns the bits of a number as a Double or a Float. The number must not be a NaN, whose payload
 * a JavaScript number may change.
 */
export function wordsOfNumber(type: Type, number: number): WordPair {
  NUMBER[0] = number;
  NARROW[0] = number;
  return type === Double ? [NUMBER_WORDS[0], NUMBER_WORDS[1]] : [NARROW_WORD[0], 0];
}

// biome-ignore format: a table
const COMMON = [0, 0, 1, 1, -1, -1, 2, -2, 3, 5, 7, 8, 10, 16, 31, 32, 33, 63, 64, 100];
// biome-ignore format: a table
const EDGES = [
  0x7fffffff, -0x80000000, 0x7ffffffe, -0x7fffffff, // the integers' ends
  127, 128, 129, -127, -128, -129, 255, 256, 257, // imm8
  // ARM64 imm12, shifted by 12 or not
  4095, 4096, 4097, -4095, -4096, -4097, 0xfff000, 0xfff001, 0x1000000,
  32767, 32768, -32768, -32769, 65535, 65536, 0x1_0001, -65536, // 16 bits, movz and movk
  // ARM64 bitmasks, and others
  0x55555555, 0xaaaaaaaa | 0, 0x00ff00ff, 0x0ff00000, 0x7ffffff0, 0x0f0f0f0f,
  0x12345678, 0xdeadbeef | 0, 0x01000001, 0x00800000, 0x3f800000, 0x7f800001,
];

function powersAndNeighbours(): number[] {
  const made: number[] = [];
  for (let bit = 3; bit < 32; bit++)
    made.push(1 << bit, ((1 << bit) - 1) | 0, ((1 << bit) + 1) | 0);
  return made;
}

const INT32 = Int32Array.from([...COMMON, ...COMMON, ...EDGES, ...EDGES, ...powersAndNeighbours()]);

// biome-ignore format: a table
const WIDE_EDGES = [
  0x7fffffffffffffffn, -0x8000000000000000n, 0x7ffffffffffffffen, -0x7fffffffffffffffn,
  // 32 bits, signed or not
  0xffffffffn, 0x100000000n, 0x100000001n, 0x80000000n, 0x7fffffffn, -0x80000000n, -0x80000001n,
  0x1fffffffffffffn, 0x20000000000000n, 0x20000000000001n, -0x20000000000001n, // 2^53
  0x0000123400005678n, -0x0000123400005679n, 0x1234567890abcdefn, // movk, movn, all four
  0x00ff00ff00ff00ffn, 0x5555555555555555n, 0x7fffffff80000000n, 0x0000ffffffff0000n, // bitmasks
  0x7ff0000000000001n, 0x3ff0000000000000n, 0x4330000000000000n,
];

const INT64 = Int32Array.from([
  ...[...INT32].flatMap((x) => [x, x >> 31]),
  ...EDGES.flatMap((x) => [x, 0]),
  ...[...WIDE_EDGES, ...WIDE_EDGES].flatMap(wideWords),
]);

// biome-ignore format: a table
const FLOATS = [
  0, -0, -0, 1, -1, 0.5, -0.5, 2, 3, 0.1, -0.75, 1.5, 2.5, 1e10, 0.49999997, -0.99999994,
  // subnormal, and the first normal
  2 ** -149, -(2 ** -149), 2 ** -126 - 2 ** -149, 2 ** -126, 2 ** -140,
  3.4028234663852886e38, -3.4028234663852886e38, Infinity, -Infinity,
  8388607.5, 8388608, 16777215, 16777216, 16777218, // the ends of exact integers
  2147483520, 2147483648, -2147483648, -2147483904, 4294967040, 4294967296,
  2 ** 63 - 2 ** 39, 2 ** 63, -(2 ** 63), 2 ** 64,
];
// biome-ignore format: a table
const FLOAT_NANS = [0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001, 0xffa00000, 0xff923456];

// biome-ignore format: a table
const DOUBLES = [
  ...FLOATS,
  2 ** -1074, -(2 ** -1074), 2 ** -1022 - 2 ** -1074, 2 ** -1022, 2 ** -1050,
  1.7976931348623157e308, -1.7976931348623157e308, 0.49999999999999994,
  4503599627370495.5, 4503599627370497, 9007199254740991, 9007199254740992, 9007199254740994,
  2147483647, 2147483647.5, 2147483648.5, -2147483648.5, -2147483649, 4294967295, 4294967295.5,
  2 ** 63 - 2 ** 10, -(2 ** 63) - 2 ** 11, 2 ** 64 - 2 ** 11,
  // ties of DoubleToFloat
  1 + 2 ** -24, 1 + 2 ** -24 + 2 ** -52, 3.4028235677973366e38, 2 ** -150, 2 ** -150 + 2 ** -180,
];
// biome-ignore format: a table
const DOUBLE_NANS = [
  0, 0x7ff80000, 0, 0xfff80000, 0x12345678, 0x7ff80001, 1, 0x7ff00000, 0, 0xfff40000, 0xabcdef, 0xfff01234,
];

const FLOAT = Int32Array.from([
  ...new Int32Array(Float32Array.from([...FLOATS, ...FLOATS]).buffer),
  ...FLOAT_NANS,
]);
const DOUBLE = Int32Array.from([
  ...new Int32Array(Float64Array.from([...DOUBLES, ...DOUBLES]).buffer),
  ...DOUBLE_NANS,
]);

const TAME = [0.5, 1, 2, 3, -1, 0.25, 1.5, 10, -3, 7, 100, 0, -2.5, 1e3, 0.125, 12345];
const TAME_FLOAT = new Int32Array(Float32Array.from(TAME).buffer);
const TAME_DOUBLE = new Int32Array(Float64Array.from(TAME).buffer);

const narrow = (table: Int32Array, at: number): WordPair => [table[at], 0];
const wide = (table: Int32Array, at: number): WordPair => [table[2 * at], table[2 * at + 1]];

/** Values that operations most often get wrong, by type. */
// biome-ignore format: a table
const SPECIAL: readonly (readonly WordPair[])[] = [
  [],
  [[-0x80000000, 0], [0x7fffffff, 0], [-1, 0]],
  [[0, -0x80000000], [-1, 0x7fffffff], [-1, -1]],
  [[-0x80000000, 0], [-0x80000000, 0], [0x7fc00000, 0], [0xffc00001 | 0, 0], [1, 0], [0x807fffff | 0, 0], [0x7f800000, 0], [0xff800000 | 0, 0]],
  [[0, -0x80000000], [0, -0x80000000], [0, 0x7ff80000], [1, 0xfff80000 | 0], [1, 0], [-1, 0x800fffff | 0], [0, 0x7ff00000], [0, 0xfff00000 | 0]],
];

/** Returns the least integer, the greatest or -1; -0, a NaN, a subnormal or infinity. */
export const drawSpecial = (source: ChoiceSource, type: Type): WordPair =>
  SPECIAL[type][source.below(SPECIAL[type].length)];

export const isSpecial = (type: Type, [lo, hi]: WordPair): boolean =>
  SPECIAL[type].some((words) => words[0] === lo && words[1] === hi);

/** Returns a run of bits, repeated and rotated, as in ARM64's logical immediates; or nearly one. */
export function drawBitmask(source: ChoiceSource): WordPair {
  const element = 2 << source.below(6);
  const ones = 1 + source.below(element - 1);
  const rotation = source.below(element);
  const row = (1n << BigInt(ones)) - 1n;
  const whole = (1n << BigInt(element)) - 1n;
  const turned = ((row << BigInt(rotation)) | (row >> BigInt(element - rotation))) & whole;
  let bits = 0n;
  for (let at = 0; at < 64; at += element) bits |= turned << BigInt(at);
  if (chance(source, 15)) bits ^= 1n << BigInt(source.below(64));
  return wideWords(bits);
}

const HALFWORDS = [0, 0, 0, 0xffff, 0xffff, 0xffff, 0x1234, 0x8000, 1, 0x7fff];

/** Returns a constant of halfwords, some of which 16-bit moves can omit. */
function drawHalfwords(source: ChoiceSource): WordPair {
  const half = (): number => HALFWORDS[source.below(HALFWORDS.length)];
  return [half() | (half() << 16), half() | (half() << 16)];
}

/**
 * Returns an integer halfway between two numbers of a float's format, or next to that. A conversion
 * rounds it to one or the other. A conversion that rounds twice, first to a Double, is wrong next
 * to it.
 */
function drawTie(source: ChoiceSource, type: Type): WordPair {
  const width = type === Int64 && chance(source, 40) ? DOUBLE_BITS + 1 : FLOAT_BITS + 1;
  // Mostly large ones: the difference from the tie must be lost in a Double.
  const room = (type === Int64 ? 64 : 32) - width;
  const size = width + (chance(source, 50) ? room : source.below(room + 1));
  const high = drawBits(source);
  const bits = wideBits(drawBits(source), high);
  const significant = BigInt.asUintN(width, bits) | (1n << BigInt(width - 1)) | 1n;
  const tie = (significant << BigInt(size - width)) + BigInt(source.below(3) - 1);
  const [lo, hi] = wideWords(chance(source, 30) ? -tie : tie);
  return [lo, type === Int64 ? hi : 0];
}
/** Significant bits. */
const FLOAT_BITS = 24;
const DOUBLE_BITS = 53;

/** Returns a constant of the type, mostly a boundary value. */
export function drawBoundary(source: ChoiceSource, type: Type): WordPair {
  if (chance(source, 12)) return drawSpecial(source, type);
  if ((type === Int32 || type === Int64) && chance(source, 18)) {
    const roll = source.below(4);
    if (roll === 0) return drawTie(source, type);
    const [lo, hi] = roll === 1 ? drawHalfwords(source) : drawBitmask(source);
    return [lo, type === Int64 ? hi : 0];
  }
  switch (type) {
    case Int32:
      return narrow(INT32, source.below(INT32.length));
    case Int64:
      return wide(INT64, source.below(INT64.length / 2));
    case Float:
      return narrow(FLOAT, source.below(FLOAT.length));
    default:
      return wide(DOUBLE, source.below(DOUBLE.length / 2));
  }
}

/**
 * Returns words related to others: a neighbour, the negation, the complement, equal in one half
 * only, or equal except for one bit.
 */
export function drawRelated(source: ChoiceSource, type: Type, [lo, hi]: WordPair): WordPair {
  const bits = wideBits(lo, hi);
  const roll = source.below(6);
  if (isWide(type) && roll >= 4) {
    return chance(source, 50)
      ? [lo, hi ^ (1 << source.below(32))]
      : [lo ^ (1 << source.below(32)), hi];
  }
  const other = [bits + 1n, bits - 1n, -bits, ~bits, bits ^ (1n << BigInt(source.below(32)))][
    roll % 5
  ];
  const [low, high] = wideWords(other);
  return [low, isWide(type) ? high : 0];
}

/** Returns an ordinary number: small integers, and floats whose sums stay finite. */
export function drawTame(source: ChoiceSource, type: Type): WordPair {
  switch (type) {
    case Int32:
      return [source.below(33) - 16, 0];
    case Int64: {
      const lo = source.below(33) - 16;
      return [lo, lo >> 31];
    }
    case Float:
      return narrow(TAME_FLOAT, source.below(TAME.length));
    default:
      return wide(TAME_DOUBLE, source.below(TAME.length));
  }
}

/** Returns a constant operand; `tame` is the percentage of ordinary numbers among floats. */
export function drawConstant(source: ChoiceSource, type: Type, tame: number): WordPair {
  if (type === Float || type === Double) {
    return chance(source, tame) ? drawTame(source, type) : drawBoundary(source, type);
  }
  const roll = source.below(16);
  if (roll === 15) return [drawBits(source), type === Int64 ? drawBits(source) : 0];
  return roll >= 13 ? drawTame(source, type) : drawBoundary(source, type);
}

/** Returns 32 uniformly distributed bits as a signed word. */
export const drawBits = (source: ChoiceSource): number => source.below(0x1_0000_0000) | 0;
