// The types of LLVM IR that have values here, with sizes and offsets of x86-64 (LangRef, "Type System", "Data Layout").

export type LlvmType =
  | { readonly kind: "int"; readonly bits: number }
  | { readonly kind: "float" | "double" | "ptr" | "void" | "label" | "metadata" }
  | { readonly kind: "vector" | "array"; readonly count: number; readonly element: LlvmType }
  | { readonly kind: "struct"; readonly fields: readonly LlvmType[]; readonly isPacked: boolean };

export const intType = (bits: number): LlvmType => ({ kind: "int", bits });
export const BIT = intType(1);
export const POINTER: LlvmType = { kind: "ptr" };
export const VOID: LlvmType = { kind: "void" };

/** Returns the bytes that a store of the type writes. */
export function storeSize(type: LlvmType): number {
  switch (type.kind) {
    case "int":
      return Math.ceil(type.bits / 8);
    case "float":
      return 4;
    case "double":
    case "ptr":
      return 8;
    case "vector":
      return Math.ceil((type.count * bitSize(type.element)) / 8);
    case "array":
      return type.count * allocSize(type.element);
    case "struct":
      return layoutOf(type.fields, type.isPacked).size;
    default:
      return 0;
  }
}

/** Returns the bytes from one element of an array to the next. */
export const allocSize = (type: LlvmType): number => alignUp(storeSize(type), alignmentOf(type));

/** Returns the bits of a scalar. */
export const bitSize = (type: LlvmType): number =>
  type.kind === "int" ? type.bits : 8 * storeSize(type);

/** Returns the ABI alignment in bytes. */
export function alignmentOf(type: LlvmType): number {
  switch (type.kind) {
    case "int":
      return Math.min(16, 2 ** Math.ceil(Math.log2(Math.max(1, Math.ceil(type.bits / 8)))));
    case "array":
      return alignmentOf(type.element);
    case "struct":
      return type.isPacked ? 1 : Math.max(1, ...type.fields.map(alignmentOf));
    case "vector":
      return 2 ** Math.ceil(Math.log2(Math.max(1, storeSize(type))));
    default:
      return Math.max(1, storeSize(type));
  }
}

/** Returns the offset of each field in bytes, and the size with its padding. */
export function layoutOf(
  fields: readonly LlvmType[],
  isPacked: boolean,
): { readonly offsets: readonly number[]; readonly size: number } {
  let at = 0;
  const offsets = fields.map((field) => {
    const begin = isPacked ? at : alignUp(at, alignmentOf(field));
    at = begin + allocSize(field);
    return begin;
  });
  const alignment = isPacked ? 1 : Math.max(1, ...fields.map(alignmentOf));
  return { offsets, size: alignUp(at, alignment) };
}

const alignUp = (size: number, alignment: number): number =>
  Math.ceil(size / alignment) * alignment;
