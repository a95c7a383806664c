// Defines how meanings read and write operands: kinds of values, and sources of the last operand.
//
// Operand 0 is the definition if there is one, and uses follow. Integers of 32 bits are numbers,
// those of 64 bits bigints, both signed.

import { wideBits } from "../../../src/ir/words.js";
import type { LirMachine, Meaning } from "./lir-machine.js";

/** A row's name and its semantics. */
export type MeaningRow = readonly [name: string, meaning: Meaning];

/** The reads and writes of values of one width. */
export interface Kind<V> {
  readonly use: (m: LirMachine, k: number) => V;
  readonly define: (m: LirMachine, value: V) => void;
  /** Returns the instruction's immediate as such a value. */
  readonly immediate: (m: LirMachine) => V;
  readonly read: (m: LirMachine, address: bigint) => V;
}

export interface IntegerKind<V extends number | bigint> extends Kind<V> {
  readonly bits: 32 | 64;
  readonly toWide: (value: V) => bigint;
  /** Converts from 64 bits, with wrapping. */
  readonly ofWide: (value: bigint) => V;
  readonly unsigned: (value: V) => V;
}

export const L: IntegerKind<number> = {
  bits: 32,
  use: (m, k) => m.low(k),
  define: (m, value) => m.setLow(0, value),
  immediate: (m) => m.lo,
  read: (m, address) => m.readWord(address),
  toWide: (value) => BigInt(value),
  ofWide: (value) => Number(BigInt.asIntN(32, value)),
  unsigned: (value) => value >>> 0,
};

export const Q: IntegerKind<bigint> = {
  bits: 64,
  use: (m, k) => m.wideOf(k),
  define: (m, value) => m.setWideOf(0, value),
  immediate: (m) => wideBits(m.lo, m.hi),
  read: (m, address) => m.readWide(address),
  toWide: (value) => value,
  ofWide: (value) => BigInt.asIntN(64, value),
  unsigned: (value) => BigInt.asUintN(64, value),
};

export const SS: Kind<number> = {
  use: (m, k) => m.single(k),
  define: (m, value) => m.setSingle(0, value),
  immediate: (m) => floatOf(m.lo),
  read: (m, address) => floatOf(m.readWord(address)),
};

export const SD: Kind<number> = {
  use: (m, k) => m.double(k),
  define: (m, value) => m.setDouble(0, value),
  immediate: (m) => doubleOf(wideBits(m.lo, m.hi)),
  read: (m, address) => doubleOf(m.readWide(address)),
};

const VIEW = new DataView(new ArrayBuffer(8));
function floatOf(word: number): number {
  VIEW.setInt32(0, word);
  return VIEW.getFloat32(0);
}
function doubleOf(bits: bigint): number {
  VIEW.setBigInt64(0, bits);
  return VIEW.getFloat64(0);
}

/** The source of the operand with number k. */
export type Source = <V>(kind: Kind<V>, m: LirMachine, k: number) => V;
/** The address of an operand in memory; operand k is its first part. */
export type AddressSource = (m: LirMachine, k: number) => bigint;

export const inPlace: Source = (kind, m, k) => kind.use(m, k);
export const immediate: Source = (kind, m) => kind.immediate(m);
export const inMemory =
  (place: AddressSource): Source =>
  (kind, m, k) =>
    kind.read(m, place(m, k));

/** The address: an operand plus the immediate. */
export const atOperand: AddressSource = (m, k) => m.wideOf(k) + BigInt(m.lo);
/** The address in the stack slot whose id is the immediate's high word. */
export const inSlot: AddressSource = (m) => m.slotAddress(m.hi) + BigInt(m.lo);

export type Unary<V, W = V> = (x: V) => W;
export type Binary<V> = (x: V, y: V) => V;

export type Ternary<V> = (x: V, y: V, z: V) => V;

export const unary =
  <V, W>(from: Kind<V>, to: Kind<W>, f: Unary<V, W>): Meaning =>
  (m) =>
    to.define(m, f(from.use(m, 1)));

export const binary =
  <V>(kind: Kind<V>, f: Binary<V>, second: Source = inPlace): Meaning =>
  (m) =>
    kind.define(m, f(kind.use(m, 1), second(kind, m, 2)));

export const ternary =
  <V>(kind: Kind<V>, f: Ternary<V>): Meaning =>
  (m) =>
    kind.define(m, f(kind.use(m, 1), kind.use(m, 2), kind.use(m, 3)));
