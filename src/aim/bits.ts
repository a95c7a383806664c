// Represents values of any type by their bits, as signed bigints, so that one search, one inverse
// and one table serve all types.

import { Float, isFloating, sizeOf, type Type } from "../ir/types.js";

/** The bits of a value as a signed integer of its width. */
export type SignedBits = bigint;

export const widthOf = (type: Type): number => 8 * sizeOf(type);
export const wrap = (type: Type, bits: bigint): SignedBits => BigInt.asIntN(widthOf(type), bits);

const scratch = new DataView(new ArrayBuffer(8));

/**
 * Returns the number with these bits.
 * @param type Float or Double
 */
export function numberOf(type: Type, bits: SignedBits): number {
  scratch.setBigInt64(0, type === Float ? bits << 32n : bits);
  return type === Float ? scratch.getFloat32(0) : scratch.getFloat64(0);
}

const NAN_BITS = { float: 0x7fc0_0000n, double: 0x7ff8_0000_0000_0000n };

/**
 * Returns the same bits for every NaN, because the bits of a computed NaN depend on the processor,
 * and a seed's program must not.
 * @param type Float or Double
 */
export function bitsOfNumber(type: Type, x: number): SignedBits {
  if (Number.isNaN(x)) return type === Float ? NAN_BITS.float : NAN_BITS.double;
  if (type === Float) {
    scratch.setFloat32(0, x);
    return BigInt(scratch.getInt32(0));
  }
  scratch.setFloat64(0, x);
  return scratch.getBigInt64(0);
}

const isNaNBits = (type: Type, bits: SignedBits): boolean =>
  isFloating(type) && Number.isNaN(numberOf(type, bits));

/** Returns whether the bits are equal, or both are NaNs. */
export const isSame = (type: Type, x: SignedBits, y: SignedBits): boolean =>
  x === y || (isNaNBits(type, x) && isNaNBits(type, y));

/**
 * Returns the rank of a value in the order of its type. Floats are ordered by their numbers, with
 * -0 directly below +0, and NaNs beyond the infinities.
 */
export const rankOf = (type: Type, bits: SignedBits): bigint =>
  isFloating(type) && bits < 0n ? wrap(type, -1n << BigInt(widthOf(type) - 1)) - bits - 1n : bits;
/** Returns the value of a rank. It is `rankOf` itself, which is its own inverse. */
export const atRank = rankOf;
