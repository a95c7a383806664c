// The bits of a value: as two words of 32 bits, which is how programs, inputs and traces hold them, and as one signed
// big integer, which is how they are computed with where speed does not matter.

import { isWide, type Type } from "./types.js";

/** Both words are signed; the high one of a type of 32 bits is 0. */
export type Words = readonly [lo: number, hi: number];

/** The bits as a signed integer of the type's width. */
export const bitsOf = (type: Type, lo: number, hi: number): bigint =>
  isWide(type) ? wideBits(lo, hi) : BigInt(lo);

/** 64 bits, whatever the type, as a signed integer. */
export const wideBits = (lo: number, hi: number): bigint => (BigInt(hi) << 32n) | BigInt(lo >>> 0);

/** The words of as many low bits of an integer as the type has. */
export const wordsOf = (type: Type, bits: bigint): Words =>
  isWide(type) ? wideWords(bits) : [Number(BigInt.asIntN(32, bits)), 0];

/** The words of the low 64 bits of an integer. */
export const wideWords = (bits: bigint): Words => [
  Number(BigInt.asIntN(32, bits)),
  Number(BigInt.asIntN(32, bits >> 32n)),
];
