// Makes worlds of memory: two or three stores and a load in a cell of 48 bytes, through addresses
// that are equal, overlap or are disjoint. An address is the cell itself, or is selected by a
// Select or a Phi, computed in steps, or indexed by one or two operands.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, Void } from "../ir/types.js";
import { type CountedSet, type CountedValue, choice, product, sequence } from "./counted.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

export interface MemoryAccess {
  readonly opcode: Opcode;
  /** The type of the stored or loaded value. */
  readonly type: Type;
}

export const STORES: readonly MemoryAccess[] = [
  { opcode: Op.Store8, type: Int32 },
  { opcode: Op.Store16, type: Int32 },
  { opcode: Op.Store, type: Int32 },
  { opcode: Op.Store, type: Int64 },
  { opcode: Op.Store, type: Float },
  { opcode: Op.Store, type: Double },
];
export const LOADS: readonly MemoryAccess[] = [
  { opcode: Op.Load8Z, type: Int32 },
  { opcode: Op.Load8S, type: Int32 },
  { opcode: Op.Load16Z, type: Int32 },
  { opcode: Op.Load16S, type: Int32 },
  { opcode: Op.Load, type: Int32 },
  { opcode: Op.Load, type: Int64 },
  { opcode: Op.Load, type: Float },
  { opcode: Op.Load, type: Double },
];
/** Byte offsets of the second access: equal, inside the first one, across its end, after it. */
const OFFSETS = [0, 1, 2, 4, 8];
/**
 * Distances from the cell in bytes: beyond all addresses except those by an index, and the maximum
 * of these.
 */
const FAR_MIN = 9;
const INDEX_MAX = 24;
/**
 * Address computations: the cell, or at most INDEX_MAX bytes after it, so that all accesses stay in
 * the cell. `far` is a distance that the accesses of one world share.
 */
const ADDRESSES: readonly ((site: WorldSite, far: number) => Value)[] = [
  (site) => cell(site, 0),
  (site) => site.maker.append(Op.Select, Int64, flag(site), cell(site, 0), cell(site, 4)),
  chosenByPhi,
  inSteps,
  byIndex,
  byTwoIndices,
  (site, far) => cell(site, far),
];

/**
 * Returns an address in the world's cell.
 * @param distance in bytes from its start
 */
export const cell = ({ maker, heap, cell: at }: WorldSite, distance: number): Value =>
  maker.append(Op.Add, Int64, heap, maker.integer(Int64, at + distance));

/** Returns a bit of an operand. */
export const flag = ({ maker, operands }: WorldSite): Value =>
  maker.append(Op.BitAnd, Int32, operands[Int32][1], maker.integer(Int32, 1));

function chosenByPhi(site: WorldSite): Value {
  const { maker } = site;
  const { proc } = maker;
  const phi = proc.newValue(Op.Phi, Int64);
  const [taken, other, join] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.branch(flag(site), taken, other);
  for (const [block, distance] of [
    [taken, 0],
    [other, 8],
  ] as const) {
    maker.block = block;
    maker.upsilon(cell(site, distance), phi);
    maker.jump(join);
  }
  maker.block = join;
  maker.place(phi, false);
  return phi;
}

/** Adds an index of the operand's low bits, and a constant that the index compensates. */
function inSteps(site: WorldSite): Value {
  const { maker, operands } = site;
  const index = maker.append(Op.BitAnd, Int32, operands[Int32][0], maker.integer(Int32, 3));
  const far = maker.append(Op.Add, Int64, cell(site, 4096), maker.append(Op.ZExt32, Int64, index));
  return maker.append(Op.Sub, Int64, far, maker.integer(Int64, 4096));
}

const MASK_MAX = 7;
/** The types in which its bits are masked, and multiplied. */
const INDEX_TYPES: readonly (readonly [Type, Type])[] = [
  [Int32, Int32],
  [Int32, Int64],
  [Int64, Int64],
  [Int64, Int64],
];
/** Adds some bits of an operand times a factor, in 32 bits or in 64. */
function byIndex(site: WorldSite): Value {
  const { maker, source, operands } = site;
  const mask = 1 + source.below(MASK_MAX);
  const factor = 1 + source.below(Math.floor(INDEX_MAX / mask));
  const [masked, multiplied] = INDEX_TYPES[source.below(INDEX_TYPES.length)];
  const widened = (value: Value, type: Type): Value =>
    value.type === type ? value : maker.append(Op.ZExt32, Int64, value);
  const bits = maker.append(Op.BitAnd, masked, operands[masked][0], maker.integer(masked, mask));
  const wide = widened(bits, multiplied);
  const index = maker.append(Op.Mul, multiplied, wide, maker.integer(multiplied, factor));
  return maker.append(Op.Add, Int64, cell(site, 0), widened(index, Int64));
}

/** Adds some bits of two operands: to the cell one after the other, or first to each other. */
function byTwoIndices(site: WorldSite): Value {
  const { maker, source, operands } = site;
  const bits = [0, 1].map((operand) => {
    const mask = 1 + source.below(INDEX_MAX / 2);
    return maker.append(Op.BitAnd, Int64, operands[Int64][operand], maker.integer(Int64, mask));
  });
  const [x, y] = bits;
  if (source.below(2) === 0) {
    return maker.append(Op.Add, Int64, cell(site, 0), maker.append(Op.Add, Int64, x, y));
  }
  return maker.append(Op.Add, Int64, maker.append(Op.Add, Int64, cell(site, 0), x), y);
}

interface PlacedAccess {
  readonly access: MemoryAccess;
  readonly offset: number;
  readonly address: (typeof ADDRESSES)[number];
}
const placed = (accesses: readonly MemoryAccess[]): CountedSet<PlacedAccess> =>
  product({
    access: choice(accesses),
    offset: choice(OFFSETS),
    address: choice(ADDRESSES),
  });

function store(site: WorldSite, far: number, operand: number, placed: PlacedAccess): void {
  const { opcode, type } = placed.access;
  const to = placed.address(site, far);
  site.maker.append(opcode, Void, site.operands[type][operand], to).offset = placed.offset;
}

function load(site: WorldSite, far: number, placed: PlacedAccess): Value {
  const { opcode, type } = placed.access;
  const value = site.maker.append(opcode, type, placed.address(site, far));
  value.offset = placed.offset;
  return value;
}

function memoryKind(name: string, description: string, stores: number): WorldKind {
  const worlds = product({
    // Whether a load is between the stores as well, which the last load must not reuse.
    isEarly: choice([false, true]),
    stored: sequence(stores, placed(STORES)),
    loaded: placed(LOADS),
  });
  const make = (world: CountedValue<typeof worlds>, site: WorldSite): Value => {
    const { isEarly, stored, loaded } = world;
    const far = FAR_MIN + site.source.below(INDEX_MAX + 1 - FAR_MIN);
    stored.forEach((one, s) => {
      if (isEarly && s === stores - 1) keep(site, load(site, far, loaded));
      store(site, far, s, one);
    });
    return load(site, far, loaded);
  };
  return kindOf(name, description, worlds, make, { perProgram: 16 });
}

/** An offset in the cell after all bytes that the world's stores reach. */
const KEPT_AT = 40;

/** Stores the result of an early load where no other access of the world reaches. */
function keep({ maker, heap, cell: at }: WorldSite, value: Value): void {
  maker.append(Op.Store, Void, value, heap).offset = at + KEPT_AT;
}

export const MEMORY: readonly WorldKind[] = [
  memoryKind("two-stores", "two stores and a load, equal, overlapping or apart", 2),
  memoryKind("three-stores", "three stores and a load", 3),
];
