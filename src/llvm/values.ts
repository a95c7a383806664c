// Values of LLVM IR while it runs. Integers and pointers are BigInts without sign, floats are numbers.

import type { LlvmType } from "./types.js";

/** A poison value (LangRef, "Poison Values"). */
export const POISON = Symbol("poison");

export type LlvmScalar = bigint | number | typeof POISON;
export type LlvmValue = LlvmScalar | readonly LlvmValue[];

/** Returns a value of the type that is `scalar` in each part. */
export function filled(type: LlvmType, scalar: (type: LlvmType) => LlvmScalar): LlvmValue {
  if (type.kind === "array" || type.kind === "vector")
    return Array.from({ length: type.count }, () => filled(type.element, scalar));
  if (type.kind === "struct") return type.fields.map((field) => filled(field, scalar));
  return scalar(type);
}

export const zeroOf = (type: LlvmType): LlvmValue =>
  filled(type, ({ kind }) => (kind === "float" || kind === "double" ? 0 : 0n));

export const poisonOf = (type: LlvmType): LlvmValue => filled(type, () => POISON);

/** Whether a part of the value is poison. */
export const hasPoison = (value: LlvmValue): boolean =>
  value === POISON || (Array.isArray(value) && value.some(hasPoison));

/** Returns the integer with its sign. */
export const signed = (bits: number, value: bigint): bigint => BigInt.asIntN(bits, value);

/** Returns the low bits. */
export const wrap = (bits: number, value: bigint): bigint => BigInt.asUintN(bits, value);

export function printValue(value: LlvmValue): string {
  if (value === POISON) return "poison";
  if (Array.isArray(value)) return `{${value.map(printValue).join(", ")}}`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0.0" : String(value);
  return String(value);
}
