// Writes constants in JavaScript from their bits.

import { Float, Int32, Int64, isWide, type Type } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";

const view = new DataView(new ArrayBuffer(8));

/** Returns a number or a BigInt. A negative one is in parentheses, because operators may precede it. */
export function literal(type: Type, lo: number, hi: number): string {
  if (type === Int32) return number(lo | 0);
  const bits = wideBits(lo, isWide(type) ? hi : 0);
  if (type === Int64) return wide(BigInt.asIntN(64, bits));
  view.setBigUint64(0, BigInt.asUintN(64, bits));
  const value = type === Float ? view.getFloat32(4) : view.getFloat64(0);
  if (!Number.isNaN(value)) return number(value);
  // A NaN with specific bits is not a number; see runtime.ts.
  return wide(type === Float ? BigInt.asUintN(32, bits) : BigInt.asIntN(64, bits));
}

function number(x: number): string {
  if (Object.is(x, -0)) return "(-0)";
  return x < 0 ? `(${x})` : String(x);
}

const wide = (x: bigint): string => (x < 0n ? `(${x}n)` : `${x}n`);

export const isNumber = (text: string): boolean => !/n\)?$/.test(text);
