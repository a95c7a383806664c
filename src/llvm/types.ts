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
      return layoutOf(type.fields, type.isPacked).alignment;
    case "vector":
      return 2 ** Math.ceil(Math.log2(Math.max(1, storeSize(type))));
    default:
      return Math.max(1, storeSize(type));
  }
}

interface StructLayout {
  /** The offset of each field in bytes. */
  readonly offsets: readonly number[];
  /** The bytes of the structure with its padding. */
  readonly size: number;
  readonly alignment: number;
}

/** Layouts by the list of fields: a named type may contain others twice, to any depth. */
const LAYOUTS = new WeakMap<readonly LlvmType[], StructLayout>();

export function layoutOf(fields: readonly LlvmType[], isPacked: boolean): StructLayout {
  const known = LAYOUTS.get(fields);
  if (known !== undefined) return known;
  let at = 0;
  let alignment = 1;
  const offsets = fields.map((field) => {
    const needed = isPacked ? 1 : alignmentOf(field);
    alignment = Math.max(alignment, needed);
    const begin = alignUp(at, needed);
    at = begin + allocSize(field);
    return begin;
  });
  const layout = { offsets, size: alignUp(at, alignment), alignment };
  LAYOUTS.set(fields, layout);
  return layout;
}

const alignUp = (size: number, alignment: number): number =>
  Math.ceil(size / alignment) * alignment;
