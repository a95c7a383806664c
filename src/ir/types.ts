// Defines the five types: small integers in memory, names in text.

declare const brand: unique symbol;
export type Type = number & { readonly [brand]: "Type" };

export const TYPE_NAMES = ["Void", "Int32", "Int64", "Float", "Double"] as const;
export type TypeName = (typeof TYPE_NAMES)[number];
export type ValueTypeName = Exclude<TypeName, "Void">;

// The cast makes the table typed: a Type is an index into TYPE_NAMES.
const typeAt = (index: number): Type => index as Type;
export const Void = typeAt(0);
export const Int32 = typeAt(1);
export const Int64 = typeAt(2);
export const Float = typeAt(3);
export const Double = typeAt(4);
export const VALUE_TYPES: readonly Type[] = [Int32, Int64, Float, Double];

export const nameOfType = (type: Type): TypeName => TYPE_NAMES[type];

/** Returns the type of that name; null if there is none. */
export function typeNamed(name: string): Type | null {
  const index = TYPE_NAMES.findIndex((known) => known === name);
  return index < 0 ? null : typeAt(index);
}

/** Returns the size in bytes; 0 for Void. */
export const sizeOf = (type: Type): number => SIZES[type];
const SIZES = [0, 4, 8, 4, 8];

export const isFloating = (type: Type): boolean => type >= Float;
export const isInteger = (type: Type): boolean => type === Int32 || type === Int64;
/** Returns true for types of 64 bits. */
export const isWide = (type: Type): boolean => type === Int64 || type === Double;

/** Returns the type of the same width in the other bank: Int32 and Float, Int64 and Double. */
export const otherBank = (type: Type): Type => OTHER_BANK[type];
const OTHER_BANK: readonly Type[] = [Void, Float, Double, Int32, Int64];
