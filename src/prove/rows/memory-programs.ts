// Makes programs that access memory: every access at every form of address, with offsets on both
// sides of the encodable limits; stores of constants; operations with a memory operand; values in
// halves.

import { FENCES } from "../../ir/fences.js";
import type { OpcodeName } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, VALUE_TYPES } from "../../ir/types.js";
import type { ProgramDraft, ProgramSketch } from "./sketch.js";
import { constantsOf } from "./value-programs.js";

type AddressDraft = (s: ProgramSketch) => Value;

const base: AddressDraft = (s) => s.parameter("p", Int64);
const slot: AddressDraft = (s) => s.op("SlotBase", s.proc.slots[0] ?? s.proc.newSlot(64, true));
const index: AddressDraft = (s) => s.parameter("i", Int64);
const extended =
  (name: OpcodeName): AddressDraft =>
  (s) =>
    s.op(name, s.parameter("j", Int32));
/** Returns an address in a register whose upper half is already zero. */
const cleared: AddressDraft = (s) => {
  const [j, k] = [s.parameter("j", Int32), s.parameter("k", Int32)];
  return s.op("ZExt32", s.op("Add", j, k));
};
const scaled =
  (inner: AddressDraft, shift: bigint): AddressDraft =>
  (s) =>
    s.op("Shl", inner(s), s.constant(Int32, shift));
const sum =
  (first: AddressDraft, second: AddressDraft): AddressDraft =>
  (s) => {
    const a = first(s);
    return s.op("Add", a, second(s));
  };

const SHIFTS = [1n, 2n, 3n, 4n] as const;
const INDICES: readonly AddressDraft[] = [
  index,
  extended("SExt32"),
  extended("ZExt32"),
  cleared,
].flatMap((inner) => [inner, ...SHIFTS.map((shift) => scaled(inner, shift))]);

/** Addresses that some row computes itself. */
export const ADDRESSES: readonly AddressDraft[] = [
  base,
  ...[index, ...SHIFTS.map((shift) => scaled(index, shift))].map((at) => sum(base, at)),
  slot,
  ...[index, ...SHIFTS.slice(0, 3).map((shift) => scaled(index, shift))].map((at) => sum(slot, at)),
];
const ALL_ADDRESSES: readonly AddressDraft[] = [
  ...ADDRESSES,
  ...INDICES.map((at) => sum(base, at)),
  sum(scaled(index, 3n), base),
];
const OFFSETS = [1, 8, -8, 255, -256, 256, 4095, 16380, 32760, 40000, 0x7fff_ffff, -0x8000_0000];

const LOADS: readonly (readonly [OpcodeName, Type])[] = [
  ...(["Load8Z", "Load8S", "Load16Z", "Load16S"] as const).map((name) => [name, Int32] as const),
  ...VALUE_TYPES.map((type) => ["Load", type] as const),
];
const STORES: readonly (readonly [OpcodeName, Type])[] = [
  ...(["Store8", "Store16"] as const).map((name) => [name, Int32] as const),
  ...VALUE_TYPES.map((type) => ["Store", type] as const),
];

const load = (
  s: ProgramSketch,
  name: OpcodeName,
  type: Type,
  address: Value,
  offset: number,
): Value =>
  name.startsWith("Load8") || name.startsWith("Load16")
    ? s.op(name, address, offset)
    : s.op(name, type, address, offset);

export function* accessDrafts(): Generator<ProgramDraft> {
  for (const address of ALL_ADDRESSES) {
    for (const [name, type] of LOADS) yield (s) => load(s, name, type, address(s), 0);
    for (const [name, type] of STORES)
      yield (s) => {
        const stored = s.parameter("x", type);
        return s.op(name, stored, address(s), 0);
      };
  }
  for (const offset of OFFSETS) {
    for (const [name, type] of LOADS) {
      yield (s) => load(s, name, type, base(s), offset);
      yield (s) => load(s, name, type, sum(base, index)(s), offset);
    }
    for (const [name, type] of STORES)
      yield (s) => {
        const stored = s.parameter("x", type);
        return s.op(name, stored, base(s), offset);
      };
  }
  for (const type of VALUE_TYPES) {
    for (const name of ["LoadInvariant", "LoadVolatile"] as const) {
      yield (s) => load(s, name, type, base(s), 8);
      yield (s) => load(s, name, type, sum(base, scaled(index, 2n))(s), 0);
    }
  }
  for (const [name] of LOADS.filter(([, type]) => type === Int32))
    yield (s) => s.op("ZExt32", load(s, name, Int32, base(s), 0));
}

export function* constantStoreDrafts(): Generator<ProgramDraft> {
  for (const [name, type] of STORES) {
    for (const bits of [0n, ...constantsOf(type).slice(0, 4)]) {
      for (const address of bits === 0n ? ALL_ADDRESSES : ADDRESSES)
        yield (s) => s.op(name, s.constant(type, bits), address(s), 0);
      yield (s) => s.op(name, s.constant(type, bits), base(s), -8);
    }
  }
}

const TAKING: readonly (readonly [OpcodeName, readonly Type[]])[] = [
  ...(["Add", "Sub", "Mul"] as const).map((name) => [name, VALUE_TYPES] as const),
  ["Div", [Float, Double]],
  ...(["BitAnd", "BitOr", "BitXor"] as const).map((name) => [name, [Int32, Int64]] as const),
];

/** Yields operations on memory operands. */
export function* loadedDrafts(): Generator<ProgramDraft> {
  for (const [name, types] of TAKING) {
    for (const type of types) {
      const x = (s: ProgramSketch): Value => s.parameter("x", type);
      for (const address of ADDRESSES)
        yield (s) => {
          const first = x(s);
          return s.op(name, first, s.op("Load", type, address(s), 8));
        };
      yield (s) => {
        const second = x(s);
        return s.op(name, s.op("Load", type, base(s), 0), second);
      };
      // A program in which the write between two reads may alias them.
      yield (s) => {
        const [first, p, q] = [x(s), base(s), s.parameter("q", Int64)];
        const read = s.op("Load", type, p, 0);
        s.op("Store8", s.constant(Int32, 1n), q, 0);
        return s.op(name, first, read);
      };
      yield (s) => {
        const read = s.op("Load", type, base(s), 0);
        return s.op(name, read, read);
      };
    }
  }
}

/** Yields values that are only moved, in two registers if requested. */
export function* movedDrafts(): Generator<ProgramDraft> {
  for (const address of ADDRESSES) {
    yield (s) => s.op("Load", Int64, address(s), 8);
    yield (s) => {
      const stored = s.parameter("x", Int64);
      return s.op("Store", stored, address(s), 8);
    };
    yield (s) => {
      const q = s.parameter("q", Int64);
      return s.op("Store", s.op("Load", Int64, address(s), 0), q, 0);
    };
  }
  yield (s) => {
    const [c, x, y] = [s.parameter("c", Int32), s.parameter("x", Int64), s.parameter("y", Int64)];
    return s.op("Select", c, x, y);
  };
  yield (s) => s.op("Trunc", s.op("Load", Int64, base(s), 0));
  yield (s) => s.op("TruncHigh", s.op("Load", Int64, base(s), 0));
}

const ATOMIC_KINDS = [
  "Xchg",
  "XchgAdd",
  "XchgSub",
  "XchgAnd",
  "XchgOr",
  "XchgXor",
  "StrongCAS",
  "WeakCAS",
] as const;
// Offsets of atomic accesses: an ARM64 instruction can encode none, an x64 instruction every one.
const ATOMIC_OFFSETS = [0, 8, -8, 40000, -0x8000_0000];

/**
 * Yields atomic operations of each width, their results, and uses that require a cleared upper
 * half.
 */
export function* atomicDrafts(): Generator<ProgramDraft> {
  for (const kind of ATOMIC_KINDS) {
    for (const [width, type] of [
      ["8", Int32],
      ["16", Int32],
      ["", Int32],
      ["", Int64],
    ] as const) {
      const operate = (s: ProgramSketch, offset: number): Value => {
        const operands = ["x", ...(kind.endsWith("CAS") ? ["y"] : [])].map((name) =>
          s.parameter(name, type),
        );
        return s.op(`Atomic${kind}${width}`, ...operands, base(s), offset);
      };
      for (const offset of ATOMIC_OFFSETS) yield (s) => operate(s, offset);
      if (type === Int32 || kind === "WeakCAS") yield (s) => s.op("ZExt32", operate(s, 0));
    }
  }
}

/** Yields fences of each kind between a store and a load. */
export function* fenceDrafts(): Generator<ProgramDraft> {
  for (let order = 0; order < FENCES.length; order++) {
    yield (s) => {
      const address = base(s);
      s.op("Store", s.parameter("x", Int32), address, 0);
      s.op("Fence", order);
      return s.op("Load", Int32, address, 0);
    };
  }
}
