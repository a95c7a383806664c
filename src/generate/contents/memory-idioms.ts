// Emits corner cases of memory accesses. They concern the first and the last bytes of the heap,
// indices that wrap before they are extended, one address in several forms, and adjacent accesses.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, sizeOf, type Type, Void } from "../../ir/types.js";
import { compare } from "../maker/conditions.js";
import { emitCheck, emitCheckWith } from "../maker/exits.js";
import type { HeapAddress, MakerRow, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn, SPAN_MAX } from "../maker/memory.js";
import { observe } from "../maker/observe.js";
import { LIMITS } from "../maker/odds.js";
import { oneOf } from "../maker/rows.js";
import { drawType } from "../maker/swarm.js";
import { slotsOfStretch } from "./slot-stretches.js";

// biome-ignore format: a table
export const MEMORY_IDIOMS: readonly MakerRow[] = [
  { name: "narrow store, extending load", weight: 2, make: withHeap(narrowForward) },
  { name: "last bytes of the heap",       weight: 2, make: withHeap(lastBytes) },
  { name: "index that wraps",      weight: 2, make: withHeap(indexWrapsAround) },
  { name: "index beyond the scales",      weight: 1, make: withHeap(farShift) },
  { name: "adjacent accesses",                   weight: 2, make: withHeap(neighbours) },
  { name: "adjacent constant stores",  weight: 2, make: withHeap(constantsInARow) },
  { name: "loaded address",      weight: 1, make: withHeap(loadedAddress) },
  { name: "selected address",     weight: 3, make: withHeap(chosenAddresses) },
  { name: "loaded index",        weight: 1, make: withHeap(loadedIndex) },
  { name: "one address, several forms",   weight: 2, make: withHeap(oneAddress) },
  { name: "overlapping accesses", weight: 2, make: withHeap(relatedStores) },
  { name: "end of an indexed range", weight: 3, make: withHeap(endOfReach) },
  { name: "store that exits do not need",  weight: 2, make: withHeap(deadAtExits) },
  { name: "slots of one section",           weight: 3, make: slotsOfStretch },
];

/** Replaces a maker by a fallback on integers if there is no heap. */
function withHeap(
  make: (maker: ProcedureMaker, heapBase: Value) => void,
): (maker: ProcedureMaker) => void {
  return (maker) => {
    if (maker.heapBase !== null) make(maker, maker.heapBase);
    else maker.emit(Op.BitXor, Int32, maker.pickValue(Int32), maker.constant(Int32));
  };
}

const fixed = (heapBase: Value): HeapAddress => ({ value: heapBase, low: 0, high: 0 });

/** Returns an address with 24 bytes in each window around it. */
function pickClose(maker: ProcedureMaker, heapBase: Value): HeapAddress {
  const address = pickAddress(maker, heapBase);
  return address.high - address.low > 8 ? fixed(heapBase) : address;
}

function load(maker: ProcedureMaker, type: Type, address: Value, offset: number): Value {
  const value = maker.emit(Op.Load, type, address);
  value.offset = offset;
  return value;
}

function store(maker: ProcedureMaker, value: Value, address: Value, offset: number): void {
  maker.append(Op.Store, Void, maker.closed(value), address).offset = offset;
}

const BYTES = [Op.Load8S, Op.Load8Z];
const HALVES = [Op.Load16S, Op.Load16Z];

// The stored value has bits above the loaded width.
function narrowForward(maker: ProcedureMaker, heapBase: Value): void {
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, 4);
  const isByte = maker.chance(50);
  maker.append(isByte ? Op.Store8 : Op.Store16, Void, maker.pick(Int32), address.value).offset =
    offset;
  const loads = maker.chance(75) === isByte ? BYTES : HALVES;
  const opcode = maker.chance(85) ? oneOf(maker, loads) : Op.Load;
  const value = maker.emit(opcode, Int32, address.value);
  value.offset = offset;
  if (maker.swarm.hasType[Int64] && maker.chance(40)) {
    maker.emit(maker.chance(50) ? Op.SExt32 : Op.ZExt32, Int64, value);
  }
}

// Emits an indexed access, and two accesses at a fixed address. The fixed address overlaps only the
// first or the last index, or just misses it.
function endOfReach(maker: ProcedureMaker, heapBase: Value): void {
  const address = pickReaching(maker, heapBase);
  const offset = placeIn(maker, address, 8);
  const [type, other] = [drawType(maker.source, maker.swarm), drawType(maker.source, maker.swarm)];
  const [first, last] = [offset + address.low, offset + address.high];
  const end = maker.chance(70) ? last : first;
  const beside = end - sizeOf(other) + maker.below(sizeOf(other) + sizeOf(type) + 1);
  const at = Math.max(first, Math.min(last + 8 - sizeOf(other), beside));
  const access = (isStore: boolean, of: Type, base: Value, place: number): void => {
    if (isStore) store(maker, maker.pick(of), base, place);
    else load(maker, of, base, place);
  };
  const isStored = maker.chance(60);
  access(maker.chance(60), other, heapBase, at);
  access(isStored, type, address.value, offset);
  access(!isStored, other, heapBase, at);
}

/** Returns an address with several possible values, if a few attempts find one. */
function pickReaching(maker: ProcedureMaker, heapBase: Value): HeapAddress {
  let address = pickAddress(maker, heapBase);
  for (let more = 4; more > 0 && address.low === address.high; more--) {
    address = pickAddress(maker, heapBase);
  }
  return address;
}

// Loads the last bytes of the heap. An instruction that loads more bytes than necessary would read
// beyond the heap.
function lastBytes(maker: ProcedureMaker, heapBase: Value): void {
  const { heapSize } = maker.context.layout;
  const type = drawType(maker.source, maker.swarm);
  const opcode = type === Int32 ? oneOf(maker, [Op.Load, ...BYTES, ...HALVES]) : Op.Load;
  const bytes = opcode === Op.Load ? sizeOf(type) : BYTES.includes(opcode) ? 1 : 2;
  const at = maker.chance(85) ? heapSize - bytes : 0;
  const isSplit = maker.chance(40);
  const part = isSplit ? oneOf(maker, [at, at - 8, 8, heapSize]) : 0;
  const base = isSplit
    ? maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, part))
    : heapBase;
  const value = maker.emit(opcode, type, base);
  value.offset = at - part;
  if (isFloating(type)) {
    const opcodes = [Op.Sqrt, Op.Floor, Op.Neg, Op.Abs, Op.Ceil, Op.Nearest];
    if (maker.chance(60)) maker.emit(oneOf(maker, opcodes), type, value);
    else {
      const x = maker.closed(maker.pickValue(type));
      maker.emit(oneOf(maker, [Op.CopySign, Op.Add, Op.FMin, Op.Div]), type, x, value);
    }
  } else if (maker.chance(50)) {
    maker.emit(oneOf(maker, [Op.PopCnt, Op.Clz, Op.Ctz, Op.Neg]), type, value);
  } else {
    const opcodes = [Op.Add, Op.BitAnd, Op.BitXor, Op.Mul, Op.Equal, Op.LessThan];
    const chosen = oneOf(maker, opcodes);
    const isOrder = chosen === Op.Equal || chosen === Op.LessThan;
    maker.emit(chosen, isOrder ? Int32 : type, maker.pickValue(type), value);
  }
  if (maker.chance(25)) store(maker, maker.pick(type), base, heapSize - sizeOf(type) - part);
}

/** Emits an access of up to 8 bytes at an address: a store or a load. */
function access(maker: ProcedureMaker, address: HeapAddress): void {
  const type = drawType(maker.source, maker.swarm);
  const offset = placeIn(maker, address, 8);
  if (maker.chance(40)) store(maker, maker.pick(type), address.value, offset);
  else load(maker, type, address.value, offset);
}

// Emits an index that wraps at 32 bits and is small again: 64-bit additions or shifts leave the
// heap.
function indexWrapsAround(maker: ProcedureMaker, heapBase: Value): void {
  const low = maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 3));
  const roll = maker.below(3);
  let index: Value;
  let high = 3;
  if (roll === 0) {
    const added = oneOf(maker, [4, 8, 0x1000, 0x7fff_fff0, -0x8000_0000]);
    const top = maker.append(Op.Sub, Int32, low, maker.integer(Int32, added));
    index = maker.append(
      Op.Add,
      Int32,
      maker.append(Op.Opaque, Int32, top),
      maker.integer(Int32, added),
    );
  } else if (roll === 1) {
    const shift = 1 + maker.below(3);
    const top = maker.append(Op.BitOr, Int32, low, maker.integer(Int32, -(2 ** (32 - shift))));
    index = maker.append(Op.Shl, Int32, top, maker.integer(Int32, shift));
    high = 3 << shift;
  } else {
    const top = maker.append(Op.BitOr, Int32, low, maker.integer(Int32, -0x8000_0000));
    index = maker.append(Op.Mul, Int32, top, maker.integer(Int32, 2));
    high = 6;
  }
  const wide = maker.append(maker.chance(75) ? Op.ZExt32 : Op.SExt32, Int64, index);
  const value = maker.append(Op.Add, Int64, heapBase, wide);
  access(maker, { value, low: 0, high });
}

// Emits y << n, where n is larger than any scale: a multiple of 2^30 becomes 0.
function farShift(maker: ProcedureMaker, heapBase: Value): void {
  const low = maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 7));
  const wide = maker.append(Op.ZExt32, Int64, low);
  const far = maker.append(Op.Shl, Int64, wide, maker.integer(Int32, 30));
  const hidden = maker.chance(50) ? maker.append(Op.Opaque, Int64, far) : far;
  const shifted = maker.append(Op.Shl, Int64, hidden, maker.integer(Int32, 34 + maker.below(4)));
  const value = maker.append(Op.Add, Int64, heapBase, shifted);
  access(maker, { value, low: 0, high: 0 });
}

// Emits two or three adjacent accesses, which a paired access may combine, and other accesses
// between them.
function neighbours(maker: ProcedureMaker, heapBase: Value): void {
  const isNear = maker.chance(40);
  const address = isNear ? fixed(heapBase) : pickClose(maker, heapBase);
  const type = drawType(maker.source, maker.swarm);
  const bytes = sizeOf(type);
  const count = 2 + maker.below(2);
  const first = placeIn(maker, address, count * bytes > 16 ? 24 : 16);
  const isStore = maker.chance(50);
  const places = Array.from({ length: count }, (_, i) => first + i * bytes);
  if (maker.chance(40)) places.reverse();
  places.forEach((offset, i) => {
    const isOther = maker.chance(10) ? !isStore : isStore;
    if (i > 0 && maker.chance(25)) {
      // To the previous neighbour, or to the next one.
      const at = first + maker.below(count * bytes);
      maker.append(Op.Store8, Void, maker.pick(Int32), address.value).offset = at;
    }
    if (isOther) store(maker, maker.pick(type), address.value, offset);
    else load(maker, type, address.value, offset);
  });
}

const STORES = [
  { opcode: Op.Store8, bytes: 1 },
  { opcode: Op.Store8, bytes: 1 },
  { opcode: Op.Store16, bytes: 2 },
  { opcode: Op.Store, bytes: 4 },
];

// Fills memory by narrow constant stores: ascending, descending or in any order. At times a load,
// another number or a guard is between them.
function constantsInARow(maker: ProcedureMaker, heapBase: Value): void {
  const address = maker.chance(60) ? fixed(heapBase) : pickClose(maker, heapBase);
  const stores: { opcode: Opcode; at: number }[] = [];
  let end = 0;
  for (let left = 2 + maker.below(5); left > 0; left--) {
    const { opcode, bytes } = oneOf(maker, STORES);
    if (end + bytes > ROW_MAX) break;
    stores.push({ opcode, at: end });
    end += bytes + (maker.chance(6) ? 1 : 0);
  }
  const first = placeIn(maker, address, ROW_MAX + 1);
  const order = maker.below(10);
  if (order < 3) stores.reverse();
  else if (order < 5) stores.push(...stores.splice(0, maker.below(stores.length)));
  for (const { opcode, at } of stores) {
    if (maker.chance(8)) load(maker, Int32, address.value, first + maker.below(ROW_MAX - 3));
    if (maker.dials.guards > 0 && maker.chance(5)) emitCheck(maker);
    const stored = maker.chance(90)
      ? maker.integer(Int32, maker.below(600) - 90)
      : maker.pick(Int32);
    const place = maker.chance(94) ? at : maker.below(ROW_MAX - 3);
    maker.append(opcode, Void, stored, address.value).offset = first + place;
  }
  for (let loads = maker.below(3); loads > 0; loads--)
    load(maker, Int32, address.value, first + maker.below(ROW_MAX - 3));
}
/** Bytes from the first to the last store. */
const ROW_MAX = 14;

// Stores and loads a pointer, and uses it for two accesses: the first may overwrite it.
function loadedAddress(maker: ProcedureMaker, heapBase: Value): void {
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, 8);
  const distance = maker.below(24);
  const pointer = maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, distance));
  maker.append(Op.Store, Void, pointer, address.value).offset = offset;
  const back = maker.append(Op.Load, Int64, address.value);
  back.offset = offset;
  const by = { value: back, low: distance, high: distance };
  addKnownAddress(maker, by);
  const at = placeIn(maker, by, 16);
  const type = drawType(maker.source, maker.swarm);
  load(maker, type, back, at);
  load(maker, type, back, at + sizeOf(type));
  if (maker.chance(50)) store(maker, maker.pick(type), back, at);
  if (maker.chance(60)) return;
  // The sum is an operand and an address, and the load that it contains is dead by then.
  const step = 8 * (1 + maker.below(3));
  const sum = maker.append(Op.Add, Int64, back, maker.integer(Int64, step));
  if (maker.chance(80))
    maker.append(Op.Store, Void, maker.pickValue(Int64), address.value).offset = offset;
  load(maker, type, sum, at - step);
  observe(maker, sum);
}

/** Adds an address to those that other makers use. */
function addKnownAddress(maker: ProcedureMaker, address: HeapAddress): void {
  maker.knownAddresses.push({ ...address, isStated: false });
  if (address.high - address.low <= SPAN_MAX && maker.chance(70)) maker.addresses.push(address);
}

// Emits a sum with a loaded value that is an operand and an address, with a store to the loaded
// bytes between them.
function loadedIndex(maker: ProcedureMaker, heapBase: Value): void {
  const from = pickAddress(maker, heapBase);
  const offset = placeIn(maker, from, 4);
  const loaded = maker.append(maker.chance(50) ? Op.Load8Z : Op.Load, Int32, from.value);
  loaded.offset = offset;
  const low = maker.emit(Op.BitAnd, Int32, loaded, maker.integer(Int32, 7));
  const value = maker.append(Op.Add, Int64, heapBase, maker.append(Op.ZExt32, Int64, low));
  maker.append(Op.Store8, Void, maker.pick(Int32), from.value).offset = offset;
  access(maker, { value, low: 0, high: 7 });
  if (maker.chance(40)) observe(maker, value);
}

// Emits (base + i) + c, base + (i + c), and base + i with offset c: stores by one form, loads by
// another.
function oneAddress(maker: ProcedureMaker, heapBase: Value): void {
  const low = maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 7));
  const index = maker.append(Op.ZExt32, Int64, low);
  const moved = oneOf(maker, [4, 8, 1, -8, 4096]);
  const window = placeIn(maker, { value: heapBase, low: 0, high: 7 + 8 }, 8);
  const constant = maker.integer(Int64, moved);
  const form = (): readonly [Value, number] => {
    const roll = maker.below(4);
    if (roll === 0) return [maker.append(Op.Add, Int64, heapBase, index), window];
    if (roll === 3) {
      const swapped = maker.append(Op.Add, Int64, index, heapBase);
      return [maker.append(Op.Sub, Int64, swapped, constant), window + moved];
    }
    const whole =
      roll === 1
        ? maker.append(Op.Add, Int64, maker.append(Op.Add, Int64, heapBase, index), constant)
        : maker.append(Op.Add, Int64, heapBase, maker.append(Op.Add, Int64, index, constant));
    return [whole, window - moved];
  };
  for (let count = 2 + maker.below(3); count > 0; count--) {
    const [address, offset] = form();
    const type = drawType(maker.source, maker.swarm);
    const at = offset + (maker.chance(30) ? maker.below(8) : 0);
    if (count > 1 && maker.chance(60)) store(maker, maker.pick(type), address, at);
    else load(maker, type, address, at);
  }
}

/**
 * Distances of the second access from the first in bytes: the same location, a part, a neighbour, a
 * miss.
 */
const DISTANCES = [0, 0, 1, 2, 3, 4, 4, 5, 7, 8, -1, -2, -4, -8];

// Emits three accesses near one location, with any widths.
function relatedStores(maker: ProcedureMaker, heapBase: Value): void {
  const address = pickClose(maker, heapBase);
  const middle = placeIn(maker, address, 24) + 8;
  for (let count = 3; count > 0; count--) {
    const type = drawType(maker.source, maker.swarm);
    const at = middle + oneOf(maker, DISTANCES);
    const roll = maker.below(10);
    if (roll < 4) store(maker, maker.pick(type), address.value, at);
    else if (roll < 8) load(maker, type, address.value, at);
    else if (roll === 8)
      maker.append(Op.Store8, Void, maker.pick(Int32), address.value).offset = at;
    else maker.emit(oneOf(maker, [...BYTES, ...HALVES]), Int32, address.value).offset = at;
  }
}

// Emits two addresses near each other, and one or two that are selected between them, and uses all
// in any order. A store by one address may affect a load by another on one path only.
function chosenAddresses(maker: ProcedureMaker, heapBase: Value): void {
  const { value: first, low, high } = pickClose(maker, heapBase);
  const middle = placeIn(maker, { value: first, low, high }, 24) + 8;
  const distance = maker.integer(Int64, oneOf(maker, DISTANCES));
  const addresses = [first, maker.append(Op.Add, Int64, first, distance)];
  const reach = {
    low: low + Math.min(0, distance.constantLow),
    high: high + Math.max(0, distance.constantLow),
  };
  for (let count = 1 + maker.below(2); count > 0; count--) {
    const value = chosenOf(maker, oneOf(maker, addresses), addresses[1]);
    addresses.push(value);
    addKnownAddress(maker, { ...reach, value });
  }
  const type = drawType(maker.source, maker.swarm);
  for (let count = 3 + maker.below(4); count > 0; count--) {
    const address = oneOf(maker, addresses);
    const accessed = maker.chance(70) ? type : drawType(maker.source, maker.swarm);
    if (maker.chance(45)) store(maker, maker.pick(accessed), address, middle);
    else load(maker, accessed, address, middle);
  }
}

/** Returns one of two addresses, by a Select or by a Phi. */
function chosenOf(maker: ProcedureMaker, x: Value, y: Value): Value {
  const hasRoom = maker.proc.blocks.length + 2 < LIMITS.blocks;
  if (!hasRoom || maker.chance(50)) return maker.append(Op.Select, Int64, compare(maker), x, y);
  const { proc } = maker;
  const [arm, join] = [proc.newBlock(), proc.newBlock()];
  const phi = proc.newValue(Op.Phi, Int64);
  maker.upsilon(x, phi);
  maker.branch(compare(maker), arm, join);
  maker.block = arm;
  maker.upsilon(y, phi);
  maker.jump(join);
  maker.block = join;
  phi.block = join;
  join.values.push(phi); // an address, so not an operand for other makers
  return phi;
}

/**
 * Bytes by which the dead range extends beyond each end of the stored bytes: exactly there,
 * further, and one byte less.
 */
const MARGINS = [0, 0, 0, 0, 0, 1, 4, 9, -1];

// Emits a store, guards whose exits show none or one byte of it, and in most cases a later store
// that overwrites it.
function deadAtExits(maker: ProcedureMaker, heapBase: Value): void {
  const address = pickClose(maker, heapBase);
  const type = drawType(maker.source, maker.swarm);
  const offset = placeIn(maker, address, 8);
  store(maker, maker.pick(type), address.value, offset);
  for (let count = 1 + maker.below(2); count > 0; count--) {
    const before = oneOf(maker, MARGINS);
    // Objects may follow the last byte of the heap.
    const room = maker.context.layout.heapSize - (offset + address.high - before);
    const size = Math.min(room, Math.max(1, sizeOf(type) + before + oneOf(maker, MARGINS)));
    const dead = {
      kind: "deadBytes",
      address: address.value,
      offset: offset - before,
      size,
    } as const;
    emitCheckWith(maker, dead);
  }
  const roll = maker.below(10);
  if (roll === 0) load(maker, type, address.value, offset);
  if (roll < 8) store(maker, maker.pick(type), address.value, offset);
}
