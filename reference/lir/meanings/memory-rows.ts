// The meanings of loads, stores and atomic operations.

import type {
  AddressShape,
  IntegerBinaryOpcode,
  IntegerOperations,
  MeaningAlgebra,
  MeaningDomain,
  RowMeaning,
  ValueWidth,
} from "./algebra.js";
import { AT_OPERAND } from "./sources.js";

/** The width of a value in a register, and its bytes in memory. */
interface MemoryAccessKind {
  readonly width: ValueWidth;
  readonly bytes: number;
  readonly isSigned: boolean;
}
const access = (width: ValueWidth, bytes: number, isSigned = false): MemoryAccessKind => ({
  width,
  bytes,
  isSigned,
});

// biome-ignore format: a table
export const ACCESS = {
  byte:       access("l", 1),
  signedByte: access("l", 1, true),
  half:       access("l", 2),
  signedHalf: access("l", 2, true),
  word:       access("l", 4),
  wide:       access("q", 8),
  single:     access("ss", 4),
  double:     access("sd", 8),
} as const satisfies Record<string, MemoryAccessKind>;

/** Returns a load: it defines operand 0; the address begins with operand 1. */
export function loadRow<D extends MeaningDomain>(
  a: MeaningAlgebra<D>,
  name: string,
  { width, bytes, isSigned }: MemoryAccessKind,
  shape: AddressShape,
): RowMeaning<D> {
  const address = a.address(shape, 1);
  switch (width) {
    case "l":
      return [name, a.l.define(a.l.load(address, bytes, isSigned))];
    case "q":
      return [name, a.q.define(a.q.load(address, bytes, isSigned))];
    case "ss":
      return [name, a.ss.define(a.ss.load(address))];
    case "sd":
      return [name, a.sd.define(a.sd.load(address))];
  }
}

/** Returns a store of operand 0; the address begins with operand 1. */
export function storeRow<D extends MeaningDomain>(
  a: MeaningAlgebra<D>,
  name: string,
  { width, bytes }: MemoryAccessKind,
  shape: AddressShape,
): RowMeaning<D> {
  const address = a.address(shape, 1);
  switch (width) {
    case "l":
      return [name, a.l.store(address, bytes, a.l.use(0))];
    case "q":
      return [name, a.q.store(address, bytes, a.q.use(0))];
    case "ss":
      return [name, a.ss.store(address, a.ss.use(0))];
    case "sd":
      return [name, a.sd.store(address, a.sd.use(0))];
  }
}

/** Returns a store of a constant; the address begins with operand 0. */
export const constantStoreRow = <D extends MeaningDomain>(
  a: MeaningAlgebra<D>,
  name: string,
  { bytes }: MemoryAccessKind,
  shape: AddressShape,
  value: D["q"],
): RowMeaning<D> => [name, a.q.store(a.address(shape, 0), bytes, value)];

// biome-ignore format: a table
const EXCHANGES: readonly (readonly [name: string, opcode: IntegerBinaryOpcode | null])[] = [
  ["xchg", null], ["add", "Add"], ["sub", "Sub"], ["and", "BitAnd"], ["or", "BitOr"], ["xor", "BitXor"],
];

/** Operands: the definition, those of the operation, the address. */
export const atomicRows = <D extends MeaningDomain>(a: MeaningAlgebra<D>): RowMeaning<D>[] => [
  ...atomicRowsOf(a, a.l, "b", 1),
  ...atomicRowsOf(a, a.l, "w", 2),
  ...atomicRowsOf(a, a.l, "l", 4),
  ...atomicRowsOf(a, a.q, "q", 8),
];

function atomicRowsOf<D extends MeaningDomain, V>(
  a: MeaningAlgebra<D>,
  { use, exchange, compareAndExchange }: IntegerOperations<D, V>,
  suffix: string,
  bytes: number,
): RowMeaning<D>[] {
  const compared = (givesOld: boolean): D["effect"] =>
    compareAndExchange(a.address(AT_OPERAND, 3), bytes, use(1), use(2), givesOld);
  return [
    ...EXCHANGES.map(
      ([name, opcode]): RowMeaning<D> => [
        `atomic.${name}${suffix}`,
        exchange(a.address(AT_OPERAND, 2), bytes, opcode, use(1)),
      ],
    ),
    [`atomic.strongCAS${suffix}`, compared(true)],
    [`atomic.weakCAS${suffix}`, compared(false)],
  ];
}
