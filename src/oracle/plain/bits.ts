// Values of a program, and their bits: docs/language.md, sections 1 and 8.

import type { Bits } from "../../ir/outcome.js";
import type { Procedure } from "../../ir/procedure.js";
import { Float, isFloating, isWide, type Type } from "../../ir/types.js";
import { bitsOf, wordsOf } from "../../ir/words.js";
import type { Memory } from "./memory.js";

/**
 * A value: its bits, or any NaN (language.md, section 8). An address says what it is the address of: an object by its
 * number, a stack slot by its bytes, in which it is an offset, or a procedure (language.md, sections 5 and 6).
 */
export interface Datum extends Bits {
  readonly slot?: Memory;
  readonly procedure?: Procedure;
}

/** Returns a value of the type with the low bits of an integer (language.md, section 1). */
export function datumOf(type: Type, bits: bigint, anyNaN = false, object?: number): Datum {
  const [lo, hi] = wordsOf(type, bits);
  return object === undefined ? { type, lo, hi, anyNaN } : { type, lo, hi, anyNaN, object };
}

/** Returns the bits as a signed integer (language.md, section 1). */
export const integerOf = ({ type, lo, hi }: Omit<Bits, "anyNaN">): bigint => bitsOf(type, lo, hi);

/** Returns the same: a number where there are 32 bits (language.md, section 1). */
export const bitsSeen = (x: Datum): number | bigint => (isWide(x.type) ? integerOf(x) : x.lo);

/** Returns the number that a value is (language.md, section 1). */
export function numberSeen(datum: Datum): number | bigint {
  if (!isFloating(datum.type)) return bitsSeen(datum);
  const { buffer } = Int32Array.of(datum.lo, datum.hi);
  return datum.type === Float ? new Float32Array(buffer)[0] : new Float64Array(buffer)[0];
}

/** Returns the value that a number is; NaN is any NaN, and shown as always the same one (language.md, section 8). */
export function datumOfNumber(type: Type, x: number | bigint): Datum {
  if (!isFloating(type) || typeof x === "bigint") return datumOf(type, BigInt(x));
  const anyNaN = type === Float ? 0x7fc0_0000n : 0x7ff8_0000_0000_0000n;
  if (Number.isNaN(x)) return datumOf(type, anyNaN, true);
  const { buffer } = type === Float ? Float32Array.of(x, 0) : Float64Array.of(x);
  return datumOf(type, new BigInt64Array(buffer)[0]);
}
