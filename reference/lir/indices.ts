// Brands the integers that must not mix. At run time each is a number, and an array of them is a typed array: brands
// cost nothing. Only a cast turns a number into an index.

declare const brand: unique symbol;

/** A virtual register of a LIR procedure. */
export type VirtualRegister = number & { readonly [brand]: "VirtualRegister" };
/** A register in the unified numbering of a target (lir.ts). */
export type PhysicalRegister = number & { readonly [brand]: "PhysicalRegister" };

/** A typed array whose elements are of one kind. */
export type Column<Element extends number> = Int32Array & { [index: number]: Element };

/** Makes a column of zeroes. The cast holds because a brand exists only in types. */
export const newColumn = <Element extends number>(length: number): Column<Element> =>
  new Int32Array(length) as Column<Element>;
