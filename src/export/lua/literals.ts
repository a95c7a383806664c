// Writes constants in Lua from their bits.

import { Double, Float, Int32, Int64, isWide, type Type } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";

const view = new DataView(new ArrayBuffer(8));

export function literal(type: Type, lo: number, hi: number): string {
  if (type === Int32) return number(lo | 0);
  const bits = BigInt.asUintN(64, wideBits(lo, isWide(type) ? hi : 0));
  if (type === Int64) return wide(BigInt.asIntN(64, bits));
  view.setBigUint64(0, bits);
  const read = type === Float ? view.getFloat32(4) : view.getFloat64(0);
  // A NaN with specific bits is not a Lua number; see runtime.ts.
  return Number.isNaN(read) ? wide(BigInt.asIntN(64, bits)) : number(read);
}

/**
 * Returns a number. Negative numbers have parentheses, since two minus signs in a row start a
 * comment.
 */
function number(x: number): string {
  if (x === Number.POSITIVE_INFINITY) return "(1 / 0)";
  if (x === Number.NEGATIVE_INFINITY) return "(-1 / 0)";
  if (Object.is(x, -0)) return "(-0.0)";
  return x < 0 ? `(${x})` : String(x);
}

/** Returns a 64-bit integer. The least one has no literal. */
function wide(x: bigint): string {
  if (x === -(2n ** 63n)) return "MIN";
  return x < 0n ? `(-0x${(-x).toString(16)}LL)` : `0x${x.toString(16)}LL`;
}

export const isNumber = (type: Type, text: string): boolean =>
  (type === Float || type === Double) && !text.includes("LL") && text !== "MIN";
