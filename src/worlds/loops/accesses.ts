// Defines the accesses of loop iterations: a store or a load of the world's cell, at the counter,
// next to it, by a moving pointer, or at a fixed address.

import type { ProcedureMaker } from "../../generate/maker/maker.js";
import { chance } from "../../generate/maker/odds.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, Void } from "../../ir/types.js";
import { choice, product } from "../counted.js";
import { LOADS, type MemoryAccess, STORES } from "../memory.js";
import { resultBits } from "../steps.js";
import { CELL_BYTES, type WorldSite } from "../world.js";

/** The cell has room for moving accesses up to this index. */
export const INDEX_MAX = 4;
/** The number of accesses of one world. */
export const ACCESSES_EACH = 3;

/**
 * Bytes between the accesses of consecutive iterations. The last access, of eight bytes, ends where
 * the cell ends.
 */
const SCALES = [1, 2, 4, 8];
const NARROW_SCALES = 3;
/** Additional byte offsets of accesses, where the scale leaves room. */
const OFFSETS = [0, 0, 0, 1, 2, 4];
const WIDEST = 8;
/** Percentage of worlds in which all accesses move in the same way. */
const EVEN_OF_100 = 50;

/** The values that an iteration can use. */
export interface IterationValues {
  readonly site: WorldSite;
  readonly cell: Value;
  /** The index of the iteration, from 0 to INDEX_MAX, as an Int64. */
  readonly index: Value;
  /** An address that starts at the cell, and advances by `scale` in each iteration. */
  readonly pointer: Value;
  readonly scale: number;
  readonly width: AccessWidth | null;
  /** True if all accesses advance by `scale`, and none has an offset. */
  readonly isEven: boolean;
  readonly sum: Value;
}

/** Returns the values that are the same in all iterations of a world. */
export function invariantValues(
  site: WorldSite,
  width: AccessWidth | null,
): Omit<IterationValues, "index" | "pointer" | "sum"> {
  const { maker, source, heap } = site;
  const cell = maker.append(Op.Add, Int64, heap, maker.integer(Int64, site.cell));
  const scale = SCALES[source.below(SCALES.length)];
  return { site, cell, scale, width, isEven: chance(source, EVEN_OF_100) };
}

function addressAt({ site, cell, scale, isEven }: IterationValues, index: Value): Value {
  const { maker, source } = site;
  const own = isEven || chance(source, 70) ? scale : Math.min(scale, drawNarrowScale(site));
  const distance = maker.append(Op.Mul, Int64, index, maker.integer(Int64, own));
  return maker.append(Op.Add, Int64, cell, distance);
}
const drawNarrowScale = ({ source }: WorldSite): number => SCALES[source.below(NARROW_SCALES)];

/** Advances the index, or the address, by one element. */
function nextAddress(iteration: IterationValues): Value {
  const { site, index, scale } = iteration;
  const { maker, source } = site;
  if (chance(source, 50))
    return addressAt(iteration, maker.append(Op.Add, Int64, index, one(maker)));
  return maker.append(Op.Add, Int64, addressAt(iteration, index), maker.integer(Int64, scale));
}
const one = (maker: ProcedureMaker): Value => maker.integer(Int64, 1);

/** Addresses of an access. */
const ADDRESSES: readonly ((iteration: IterationValues) => Value)[] = [
  (iteration) => addressAt(iteration, iteration.index),
  nextAddress,
  (iteration) => {
    const { maker } = iteration.site;
    return addressAt(iteration, maker.append(Op.BitAnd, Int64, iteration.index, one(maker)));
  },
  ({ pointer }) => pointer,
  ({ cell }) => cell,
  ({ site, cell, scale }) => {
    const distance = scale * site.source.below(INDEX_MAX + 1);
    return site.maker.append(Op.Add, Int64, cell, site.maker.integer(Int64, distance));
  },
  (iteration) => {
    const { maker, operands } = iteration.site;
    const some = maker.append(Op.BitAnd, Int64, operands[Int64][1], maker.integer(Int64, 3));
    return addressAt(iteration, some);
  },
];

/** Stored values: invariant, or changing in each iteration. */
const STORED: readonly ((iteration: IterationValues, type: Type) => Value)[] = [
  ({ site }, type) => site.operands[type][0],
  ({ site, index, sum }, type) => {
    if (type === Int64) return sum;
    return type === Int32 ? site.maker.append(Op.Trunc, Int32, index) : site.operands[type][1];
  },
];

/** Widths and types of accesses. */
const SHARED_WIDTHS: readonly AccessWidth[] = [
  widthOf(Op.Store8, Op.Load8Z, Int32),
  widthOf(Op.Store16, Op.Load16S, Int32),
  ...[Int32, Int64, Float, Double].map((type) => widthOf(Op.Store, Op.Load, type)),
];
/** Half of the entries are null, with which each access draws its own width. */
export const ACCESS_WIDTHS: readonly (AccessWidth | null)[] = SHARED_WIDTHS.flatMap((width) => [
  width,
  null,
]);

interface AccessWidth {
  readonly store: MemoryAccess;
  readonly load: MemoryAccess;
}

function widthOf(store: Opcode, load: Opcode, type: Type): AccessWidth {
  return { store: { opcode: store, type }, load: { opcode: load, type } };
}

const drawWidth = ({ source }: WorldSite): AccessWidth => ({
  store: STORES[source.below(STORES.length)],
  load: LOADS[source.below(LOADS.length)],
});

/** An access in a loop: a load if `stored` is null, else a store. */
export interface LoopAccess {
  readonly stored: (typeof STORED)[number] | null;
  readonly address: (typeof ADDRESSES)[number];
}
export const LOOP_ACCESSES = product<LoopAccess>({
  stored: choice([null, ...STORED]),
  address: choice(ADDRESSES),
});

/** Makes the access, and returns the updated sum. */
export function access(iteration: IterationValues, { stored, address }: LoopAccess): Value {
  const { site, width, scale, isEven } = iteration;
  const { maker, source } = site;
  const { store, load } = width ?? drawWidth(site);
  const offset = isEven || scale === WIDEST ? 0 : OFFSETS[source.below(OFFSETS.length)];
  if (stored !== null) {
    const value = stored(iteration, store.type);
    maker.append(store.opcode, Void, value, address(iteration)).offset = offset;
    return iteration.sum;
  }
  const value = maker.append(load.opcode, load.type, address(iteration));
  value.offset = offset;
  const rotated = maker.append(Op.RotL, Int64, iteration.sum, maker.integer(Int32, 5));
  return maker.append(Op.Add, Int64, rotated, resultBits(site, value));
}

/** Accesses before the loop, at the address of its first iteration: none, a store, or a load. */
export const ACCESSES_BEFORE_LOOP: readonly (readonly LoopAccess[])[] = [
  [],
  [{ stored: STORED[0], address: ADDRESSES[0] }],
  [{ stored: null, address: ADDRESSES[0] }],
];

/** Loads eight bytes of the cell at the end. */
export function loadAtEnd({ maker, source }: WorldSite, cell: Value): Value {
  const left = maker.append(Op.Load, Int64, cell);
  left.offset = source.below(CELL_BYTES - WIDEST + 1);
  return left;
}
