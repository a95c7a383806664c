// The semantics of LIR rows of atomic operations: they read memory, write the result of the
// operation, and return the old value or whether it was expected. Operands: the definition, those
// of the operation, the address; the immediate is the displacement.

import type { LirMachine, Meaning } from "./lir-machine.js";
import type { MeaningRow } from "./meaning-kinds.js";

interface Width {
  readonly suffix: string;
  readonly bits: number;
  readonly read: (m: LirMachine, at: bigint) => bigint;
  readonly write: (m: LirMachine, at: bigint, value: bigint) => void;
}
const low = (value: bigint, bits: number): number => Number(BigInt.asUintN(bits, value));
// biome-ignore format: a table
const WIDTHS: readonly Width[] = [
  { suffix: "b", bits: 8,  read: (m, at) => BigInt(m.readByte(at)), write: (m, at, value) => m.writeByte(at, low(value, 8)) },
  { suffix: "w", bits: 16, read: (m, at) => BigInt(m.readHalf(at)), write: (m, at, value) => m.writeHalf(at, low(value, 16)) },
  { suffix: "l", bits: 32, read: (m, at) => BigInt(m.readWord(at)), write: (m, at, value) => m.writeWord(at, low(value, 32) | 0) },
  { suffix: "q", bits: 64, read: (m, at) => m.readWide(at),         write: (m, at, value) => m.writeWide(at, BigInt.asIntN(64, value)) },
];

const OPERATIONS: { readonly [name: string]: (old: bigint, x: bigint) => bigint } = {
  xchg: (_, x) => x,
  add: (old, x) => old + x,
  sub: (old, x) => old - x,
  and: (old, x) => old & x,
  or: (old, x) => old | x,
  xor: (old, x) => old ^ x,
};

const operand = (m: LirMachine, k: number, bits: number): bigint =>
  bits === 64 ? m.wideOf(k) : BigInt(m.low(k));

function define(m: LirMachine, value: bigint, bits: number): void {
  if (bits === 64) m.setWideOf(0, BigInt.asIntN(64, value));
  else m.setLow(0, low(value, 32) | 0);
}

const exchange =
  ({ bits, read, write }: Width, next: (old: bigint, x: bigint) => bigint): Meaning =>
  (m) => {
    const at = m.wideOf(2) + BigInt(m.lo);
    const x = operand(m, 1, bits);
    const old = read(m, at);
    write(m, at, next(old, x));
    define(m, old, bits);
  };

const compare =
  ({ bits, read, write }: Width, givesOld: boolean): Meaning =>
  (m) => {
    const at = m.wideOf(3) + BigInt(m.lo);
    const [expected, x] = [operand(m, 1, bits), operand(m, 2, bits)];
    const old = read(m, at);
    const isExpected = BigInt.asUintN(bits, old) === BigInt.asUintN(bits, expected);
    if (isExpected) write(m, at, x);
    if (givesOld) define(m, old, bits);
    else m.setLow(0, isExpected ? 1 : 0);
  };

export const ATOMIC_MEANINGS: readonly MeaningRow[] = WIDTHS.flatMap((width): MeaningRow[] => [
  ...Object.entries(OPERATIONS).map(
    ([name, next]): MeaningRow => [`atomic.${name}${width.suffix}`, exchange(width, next)],
  ),
  [`atomic.strongCAS${width.suffix}`, compare(width, true)],
  [`atomic.weakCAS${width.suffix}`, compare(width, false)],
]);
