// Converts the bits of a value between two words of 32 bits, as programs, inputs and traces store them, and one signed
// big integer, for computations that need not be fast.

import { isWide, type Type } from "./types.js";

/** The low and the high word, both signed; the high word of a 32-bit type is 0. */
export type WordPair = readonly [lo: number, hi: number];

/** Returns the bits as a signed integer of the type's width. */
export const bitsOf = (type: Type, lo: number, hi: number): bigint =>
  isWide(type) ? wideBits(lo, hi) : BigInt(lo);

/** Returns 64 bits, regardless of the type, as a signed integer. */
export const wideBits = (lo: number, hi: number): bigint => (BigInt(hi) << 32n) | BigInt(lo >>> 0);

/** Returns the words of the low bits of an integer, as many as the type has. */
export const wordsOf = (type: Type, bits: bigint): WordPair =>
  isWide(type) ? wideWords(bits) : [Number(BigInt.asIntN(32, bits)), 0];

/** Returns the words of the low 64 bits of an integer. */
export const wideWords = (bits: bigint): WordPair => [
  Number(BigInt.asIntN(32, bits)),
  Number(BigInt.asIntN(32, bits >> 32n)),
];
