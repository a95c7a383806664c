// Names the forms of operands by the suffixes in the names of rows: in a register, in the immediate, in memory,
// shifted or extended.

import type {
  AddressShape,
  Algebra,
  Domain,
  Index,
  IndexKind,
  Integers,
  IntegerWidth,
  Shift,
} from "./algebra.js";

/** Computes the operand that begins with operand k. */
type Operand<V> = (k: number) => V;
/** Operands by the suffix of their rows. */
export type Forms<V> = readonly (readonly [suffix: string, operand: Operand<V>])[];
/** Addresses by the suffix of their rows. */
export type Places = readonly (readonly [suffix: string, shape: AddressShape])[];

export const SCALES = [0, 1, 2, 3] as const;
export const INDEX_KINDS: readonly IndexKind[] = ["x", "u", "s"];

export const AT_OPERAND: AddressShape = { base: "operand", index: null, isDisplaced: true };
export const IN_SLOT: AddressShape = { base: "slot", index: null, isDisplaced: true };

/** Returns the addresses of all indices of these kinds and scales. */
export const indexedPlaces = (
  prefix: string,
  kinds: readonly IndexKind[],
  scales: readonly number[],
  shape: Omit<AddressShape, "index">,
): Places =>
  kinds.flatMap((kind) =>
    scales.map(
      (scale) => [`${prefix}${kind}${scale}`, { ...shape, index: { kind, scale } }] as const,
    ),
  );

/** Returns a register and the immediate. */
export const simpleForms = <D extends Domain, V>({ use, immediate }: Integers<D, V>): Forms<V> => [
  ["", use],
  ["Imm", immediate],
];

/** Returns a register and the immediate as shift counts. */
export const countForms = <D extends Domain>({ l }: Algebra<D>): Forms<D["l"]> => [
  ["", l.use],
  ["Imm", l.lowImmediate],
];

/** Returns a register that is shifted by the immediate. */
export const shiftedForm = <D extends Domain, V>(
  a: Algebra<D>,
  { shift, use }: Integers<D, V>,
  suffix: string,
  name: Shift,
): Forms<V>[number] => [`.${suffix}`, (k) => shift(name, use(k), a.l.lowImmediate())];

export const extendedForms = <D extends Domain>(a: Algebra<D>): Forms<D["q"]> =>
  INDEX_KINDS.slice(1).flatMap((kind) =>
    SCALES.map((scale) => {
      const index: Index = { kind, scale };
      return [`.${kind}${scale}`, (k: number) => a.index(index, k)] as const;
    }),
  );

/** Returns integers in memory. */
export const loadedForms = <D extends Domain, V>(
  a: Algebra<D>,
  w: IntegerWidth,
  { load }: Integers<D, V>,
  places: Places,
): Forms<V> =>
  places.map(([suffix, shape]) => [
    `.load${suffix}`,
    (k) => load(a.address(shape, k), BYTES[w], false),
  ]);

const BYTES = { l: 4, q: 8 } as const;
