// Names the forms of operands by the suffixes in the names of rows: in a register, in the immediate, in memory,
// shifted or extended.

import type {
  AddressShape,
  IndexKind,
  IntegerOperations,
  IntegerWidth,
  MeaningAlgebra,
  MeaningDomain,
  ScaledIndex,
  ShiftOpcode,
} from "./algebra.js";

/** Computes the operand that begins with operand k. */
type OperandReader<V> = (k: number) => V;
/** Operands by the suffix of their rows. */
export type OperandForms<V> = readonly (readonly [suffix: string, operand: OperandReader<V>])[];
/** Addresses by the suffix of their rows. */
export type AddressForms = readonly (readonly [suffix: string, shape: AddressShape])[];

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
): AddressForms =>
  kinds.flatMap((kind) =>
    scales.map(
      (scale) => [`${prefix}${kind}${scale}`, { ...shape, index: { kind, scale } }] as const,
    ),
  );

/** Returns a register and the immediate. */
export const simpleForms = <D extends MeaningDomain, V>({
  use,
  immediate,
}: IntegerOperations<D, V>): OperandForms<V> => [
  ["", use],
  ["Imm", immediate],
];

/** Returns a register and the immediate as shift counts. */
export const countForms = <D extends MeaningDomain>({
  l,
}: MeaningAlgebra<D>): OperandForms<D["l"]> => [
  ["", l.use],
  ["Imm", l.lowImmediate],
];

/** Returns a register that is shifted by the immediate. */
export const shiftedForm = <D extends MeaningDomain, V>(
  a: MeaningAlgebra<D>,
  { shift, use }: IntegerOperations<D, V>,
  suffix: string,
  name: ShiftOpcode,
): OperandForms<V>[number] => [`.${suffix}`, (k) => shift(name, use(k), a.l.lowImmediate())];

export const extendedForms = <D extends MeaningDomain>(
  a: MeaningAlgebra<D>,
): OperandForms<D["q"]> =>
  INDEX_KINDS.slice(1).flatMap((kind) =>
    SCALES.map((scale) => {
      const index: ScaledIndex = { kind, scale };
      return [`.${kind}${scale}`, (k: number) => a.index(index, k)] as const;
    }),
  );

/** Returns integers in memory. */
export const loadedForms = <D extends MeaningDomain, V>(
  a: MeaningAlgebra<D>,
  w: IntegerWidth,
  { load }: IntegerOperations<D, V>,
  places: AddressForms,
): OperandForms<V> =>
  places.map(([suffix, shape]) => [
    `.load${suffix}`,
    (k) => load(a.address(shape, k), BYTES[w], false),
  ]);

const BYTES = { l: 4, q: 8 } as const;
