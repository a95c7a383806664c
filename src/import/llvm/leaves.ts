// Splits types and values of LLVM IR into scalars. Aggregates and vectors have no counterpart in the language, so each
// of their scalars becomes a value of its own (LangRef, "Aggregate Types", "Vector Type").

import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type } from "../../ir/types.js";
import { outside } from "../../llvm/llvm-error.js";
import { allocSize, bitSize, type LlvmType, layoutOf } from "../../llvm/types.js";

/** A scalar while the program runs. */
export interface LlvmScalar {
  /** An integer of N bits has zeroes above them; a pointer is an address in the heap, or any other number. */
  readonly value: Value;
  /** 1 if the scalar is poison, which makes its value meaningless; null if it never is. */
  readonly poison: Value | null;
}

/** A value of any first-class type: its scalars, in the order of memory. */
export type LlvmScalars = readonly LlvmScalar[];

export interface ScalarPlace {
  readonly type: LlvmType;
  /** In bytes, from the begin of the whole. */
  readonly offset: number;
}

const LEAVES_MAX = 1024;
const PARTS_MAX = 4 * LEAVES_MAX;

/**
 * Returns the scalars of a type with their places in memory.
 * @throws LlvmError if there are too many, or one has no type in the language
 */
export function scalarsOf(type: LlvmType, line: number): readonly ScalarPlace[] {
  const places: ScalarPlace[] = [];
  // Parts without scalars are counted too.
  let parts = 0;
  const visit = (part: LlvmType, offset: number): void => {
    if (++parts > PARTS_MAX) throw outside(line, `a value of more than ${LEAVES_MAX} scalars`);
    if (part.kind === "struct") {
      layoutOf(part.fields, part.isPacked).offsets.forEach((at, i) => {
        visit(part.fields[i], offset + at);
      });
    } else if (part.kind === "array" || part.kind === "vector") {
      const isVector = part.kind === "vector";
      const step = isVector ? bitSize(part.element) / 8 : allocSize(part.element);
      for (let i = 0; i < part.count; i++) visit(part.element, offset + i * step);
    } else {
      registerType(part, line);
      places.push({ type: part, offset });
    }
  };
  visit(type, 0);
  if (places.length > LEAVES_MAX) throw outside(line, `a value of more than ${LEAVES_MAX} scalars`);
  return places;
}

/** Returns the number of scalars before the part that the indices name, the number in it, and its type. */
export function partOf(
  type: LlvmType,
  indices: readonly number[],
  line: number,
): { readonly begin: number; readonly count: number } {
  let begin = 0;
  let inner = type;
  for (const index of indices) {
    const parts =
      inner.kind === "struct"
        ? inner.fields
        : inner.kind === "array" || inner.kind === "vector"
          ? Array.from({ length: Math.min(inner.count, LEAVES_MAX) }, () => elementOf(inner))
          : [];
    if (index < 0 || index >= parts.length) throw outside(line, `the element ${index}`);
    for (const part of parts.slice(0, index)) begin += scalarsOf(part, line).length;
    inner = parts[index];
  }
  return { begin, count: scalarsOf(inner, line).length };
}

const elementOf = (type: LlvmType): LlvmType =>
  type.kind === "array" || type.kind === "vector" ? type.element : type;

/** Returns the type of the language that holds a scalar. */
export function registerType(type: LlvmType, line: number): Type {
  switch (type.kind) {
    case "int":
      if (type.bits > 64) throw outside(line, `the type i${type.bits}`);
      return type.bits > 32 ? Int64 : Int32;
    case "ptr":
      return Int64;
    case "float":
      return Float;
    case "double":
      return Double;
    default:
      throw outside(line, `a value of the kind ${type.kind}`);
  }
}

/** Returns the element type of a vector, and the type itself otherwise. */
export const laneType = (type: LlvmType): LlvmType =>
  type.kind === "vector" ? type.element : type;

/** Returns the bits of an integer or pointer. */
export const widthOf = (type: LlvmType): number => bitSize(type);
