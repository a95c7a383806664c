// Brands the integers that must not mix. At run time each is a number, and an array of them is a typed array: brands
// cost nothing. Only a cast turns a number into an index. The casts are in the functions that make an index.

declare const brand: unique symbol;

/** An index of one kind; or of one of several kinds, if `Kind` is a union. */
export type Index<Kind extends string> = number & { readonly [brand]: Kind };

/** A virtual register of a LIR procedure. */
export type VirtualRegister = Index<"VirtualRegister">;
/** A register in the unified numbering of a target (lir.ts). */
export type PhysicalRegister = Index<"PhysicalRegister">;
/** A register, a spill slot, or an instruction that computes the value again (lir.ts). */
export type Location = Index<"PhysicalRegister" | "Slot" | "Rematerialization">;
/** A block of a LIR procedure, in the order of the layout. */
export type Block = Index<"Block">;
/** An instruction of a LIR procedure, in the order of the layout; also the gap just before it. */
export type Instruction = Index<"Instruction">;
/** The absence of an index. It belongs to every kind. */
export type None = Index<never>;

// Loops begin with these; `++` keeps the kind.
export const FIRST_VREG = 0 as VirtualRegister;
export const FIRST_BLOCK = 0 as Block;
export const FIRST_INSTRUCTION = 0 as Instruction;

export const vregAt = (n: number): VirtualRegister => n as VirtualRegister;
/** Returns the n-th block of the layout. */
export const blockAt = (n: number): Block => n as Block;
/** Returns the block or instruction before another one in the layout. */
export const indexBefore = <I extends Block | Instruction>(index: I): I => (index - 1) as I;
export const indexAfter = <I extends Block | Instruction>(index: I): I => (index + 1) as I;

interface FilledArray<Element extends number> {
  readonly length: number;
  fill(element: Element, start?: number, end?: number): this;
}

/** The methods of typed arrays that columns have. */
interface ColumnArray<Element extends number> extends FilledArray<Element> {
  set(elements: ColumnArray<Element>, at?: number): void;
  slice(start?: number, end?: number): this;
  subarray(start?: number, end?: number): this;
  copyWithin(target: number, start: number, end?: number): this;
  [Symbol.iterator](): Iterator<Element>;
}

/** A typed array whose elements are of one kind, and its indices of kind `By`. */
export type IndexArray<
  Element extends number,
  By extends number = number,
> = ColumnArray<Element> & {
  [K in By]: Element;
};
/** A typed array with a bit for each index of kind `By`. */
export type IndexFlags<By extends number> = FilledArray<0 | 1> & { [K in By]: 0 | 1 };
/** A typed array with a double for each index of kind `By`. */
export type Doubles<By extends number> = FilledArray<number> & { [K in By]: number } & {
  set(doubles: Doubles<By>): void;
  subarray(start?: number, end?: number): Doubles<By>;
};

// The casts hold because a brand exists only in types.

/** Makes a column of zeroes. */
export const newColumn = <Element extends number, By extends number = number>(
  length: number,
): IndexArray<Element, By> => columnOf(new Int32Array(length));

export const columnOf = <Element extends number, By extends number = number>(
  words: Int32Array,
): IndexArray<Element, By> =>
  words as Int32Array | IndexArray<Element, By> as IndexArray<Element, By>;

/** Makes flags that are not set. */
export const newFlags = <By extends number>(length: number): IndexFlags<By> =>
  new Uint8Array(length) as Uint8Array | IndexFlags<By> as IndexFlags<By>;

export const newDoubles = <By extends number>(length: number): Doubles<By> =>
  new Float64Array(length) as Float64Array | Doubles<By> as Doubles<By>;
