// Lists boundary values of each type, as bits: limits of arithmetic, of conversions, of exactness, and of the
// immediates of both targets.

import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";
import { type WordPair, wideWords } from "../ir/words.js";

/** Low and high word. */

// biome-ignore format: a table
const INT32 = [
  0, 1, -1, 2, -2, 3, 5, 7, -7, 10, 16, 31, 32, 33, 63, 64, 65, 100,
  127, 128, -128, -129, 255, 256,                      // 8 bits: imm8 of x64
  4095, 4096, -4095, 0xfff000, 0x1000000,              // 12 bits, shifted by 12 or not: ARM64's add
  32767, 32768, -32768, -32769, 65535, 65536, 0x10001, // 16 bits: movz, movk
  0x55555555, 0xaaaaaaaa, 0x00ff00ff, 0x0ff00000,      // ARM64's bitmasks
  0x12345678, 0xdeadbeef,
  0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
];

// 64-bit boundary values besides the sign-extended values of 32 bits.
// biome-ignore format: a table
const INT64 = [
  0n, 1n, -1n, 2n, -2n, 3n, 7n, -7n, 10n, 31n, 32n, 63n, 64n, 127n, 128n, -128n, -129n, 255n, 4095n, 4096n, -4095n, 0xfff000n, 65535n, 65536n,
  0x7fffffffn, 0x80000000n, -0x80000000n, -0x80000001n, 0xffffffffn, 0x100000000n, 0x100000001n, // 32 bits, signed or not
  0x20000000000001n, -0x20000000000001n, 0x40000040000001n, 0x7ffffffffffffdffn, // midpoints of two Doubles or two Floats, and neighbors
  0x0000123400005678n, -0x0000123400005679n, 0x1234567890abcdefn,               // movz, movn, all four words
  0x00ff00ff00ff00ffn, 0x5555555555555555n, 0x0000ffffffff0000n,                // ARM64's bitmasks
  0x7ffffffffffffffen, 0x7fffffffffffffffn, -0x8000000000000000n, -0x7fffffffffffffffn,
];

// biome-ignore format: a table
const FLOATS = [
  0, -0, 1, -1, 0.5, -0.5, 2, -3, 1.5, 2.5, -0.75, 7.25, 1e10, 0.49999997, -0.99999994,
  2 ** -149, -(2 ** -149), 2 ** -126 - 2 ** -149, 2 ** -126,               // subnormal, and the first normal
  3.4028234663852886e38, -3.4028234663852886e38, Infinity, -Infinity,
  8388607.5, 8388609, 16777215, 16777216,                                  // the last numbers with halves, and with odd integers
  2147483520, 2147483648, -2147483648, -2147483904, 4294967040, 4294967296,
  2 ** 63 - 2 ** 39, 2 ** 63, -(2 ** 63), 2 ** 64,
];
/** The bits of NaNs: quiet and signalling, positive and negative, with and without payload. */
const FLOAT_NANS = [0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001, 0xffa00000, 0x7fffffff];

// biome-ignore format: a table
const DOUBLES = [
  0, -0, 1, -1, 0.5, -0.5, 2, -3, 1.5, 2.5, -0.75, 0.1, 0.49999999999999994, -0.9999999999999999,
  2 ** -1074, -(2 ** -1074), 2 ** -1022 - 2 ** -1074, 2 ** -1022,
  1.7976931348623157e308, -1.7976931348623157e308, Infinity, -Infinity,
  4503599627370495.5, 4503599627370497, 9007199254740991, 9007199254740992,
  2147483647, 2147483647.5, 2147483648, -2147483648.5, -2147483649, 4294967295.5, 4294967296,
  2 ** 63 - 2 ** 10, 2 ** 63, -(2 ** 63), -(2 ** 63) - 2 ** 11, 2 ** 64 - 2 ** 11, 2 ** 64,
  1 + 2 ** -24, 1 + 2 ** -24 + 2 ** -52, 3.4028235677973366e38, 2 ** -150, // ties of DoubleToFloat, and a neighbor of one
];
const DOUBLE_NANS = [
  0x7ff8000000000000n,
  -0x8000000000000n,
  0x7ff8000112345678n,
  0x7ff0000000000001n,
  -0xbffffffffffffn,
  0x7fffffffffffffffn,
];

const narrow = (bits: number): WordPair => [bits | 0, 0];

function floatWords(x: number): WordPair {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, x);
  return narrow(view.getInt32(0));
}

function doubleWords(x: number): WordPair {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return [view.getInt32(4), view.getInt32(0)];
}

const BY_TYPE: ReadonlyMap<Type, readonly WordPair[]> = new Map([
  [Int32, INT32.map(narrow)],
  [Int64, INT64.map(wideWords)],
  [Float, [...FLOATS.map(floatWords), ...FLOAT_NANS.map(narrow)]],
  [Double, [...DOUBLES.map(doubleWords), ...DOUBLE_NANS.map(wideWords)]],
]);

/** Returns the boundary values of a type: at least forty distinct ones. */
export const boundaryOf = (type: Type): readonly WordPair[] => BY_TYPE.get(type) ?? [];

/** Offsets of a memory access: limits of the encodings of both targets. */
// biome-ignore format: a table
export const BOUNDARY_OFFSETS = [
  0, 1, 2, 3, 4, 7, 8, 127, 128, -1, -8, -128, -129,
  255, 256, -256, -257,                      // 9 bits, unscaled: ARM64's ldur
  4095, 4096, 8190, 16380, 32760, 32761, 32768, // 12 bits, scaled by the width
  0x7fffffff, -0x80000000,
];
