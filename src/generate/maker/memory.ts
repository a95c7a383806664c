// Emits accesses to the heap and to stack slots.
//
// A stack slot has at most 32 bytes, so one word records which of them are certainly written.

import { Op, specOf } from "../../ir/opcodes.js";
import type { FrameSlot, StackSlot, Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, sizeOf, type Type, Void } from "../../ir/types.js";
import { CELL, FIXED, type HeapWindow, OPEN, SINK } from "./heap-layout.js";
import type { HeapAddress, ProcedureMaker } from "./maker.js";
import { LIMITS } from "./odds.js";
import { drawType, type OpcodeInstance } from "./swarm.js";

type DeadBytesSlot = Extract<FrameSlot, { kind: "deadBytes" }>;

const MASKS = [1, 3, 7, 7, 8, 12, 15];
/** Distances of an address from the heap base that the offset of the access compensates. */
const FAR = [4096, -4096, 65536, -65536, 0x7fff0000, -0x7fff0000, 0x10000, 32768];

/** Emits the load or store of an instance. Without a heap base it accesses a stack slot. */
export function emitAccess(maker: ProcedureMaker, instance: OpcodeInstance): void {
  const stored = instance.kind === "store" ? maker.pick(instance.operands[0]) : null;
  const bytes = specOf(instance.opcode).bytes ?? sizeOf(stored?.type ?? instance.result);
  if (maker.heapBase === null || maker.chance(maker.dials.stack)) {
    emitSlotAccess(maker, instance, stored, bytes);
    return;
  }
  if (maker.swarm.storesOpenNaN && maker.chance(15) && reloadOpen(maker, instance)) return;
  if (instance.opcode === Op.LoadInvariant) {
    emitInvariantLoad(maker, maker.heapBase, instance);
    return;
  }
  const address = pickAddress(maker, maker.heapBase);
  const offset = placeIn(maker, address, bytes);
  if (stored === null) load(maker, instance, address.value, offset);
  else store(maker, instance, stored, address.value, offset);
}

/** At times writes some of the bytes that only invariant loads read; returns whether it did. */
export function writeFixed(maker: ProcedureMaker): boolean {
  const { heapBase } = maker;
  if (heapBase === null || !maker.chance(60)) return false;
  for (let count = 1 + maker.below(3); count > 0; count--) {
    const address = { value: heapBase, low: 0, high: 0 };
    const offset = placeWithin(maker, FIXED, address, 8);
    const value = maker.closed(maker.pick(drawType(maker.source, maker.swarm)));
    maker.append(Op.Store, Void, value, heapBase).offset = offset;
  }
  return true;
}

// Emits an invariant load, and at times a second load after a store to another address.
function emitInvariantLoad(maker: ProcedureMaker, heapBase: Value, instance: OpcodeInstance): void {
  const address = pickAddress(maker, heapBase);
  const offset = placeWithin(maker, FIXED, address, sizeOf(instance.result));
  load(maker, instance, address.value, offset);
  if (!maker.chance(45)) return;
  const other = pickAddress(maker, heapBase);
  maker.append(Op.Store, Void, maker.pick(Int32), other.value).offset = placeIn(maker, other, 4);
  const opcode = maker.chance(50) ? Op.Load : Op.LoadInvariant;
  maker.emit(opcode, instance.result, address.value).offset = offset;
}

function load(
  maker: ProcedureMaker,
  instance: OpcodeInstance,
  address: Value,
  offset: number,
): Value {
  const value = maker.emit(instance.opcode, instance.result, address);
  value.offset = offset;
  return value;
}

function store(
  maker: ProcedureMaker,
  instance: OpcodeInstance,
  stored: Value,
  address: Value,
  offset: number,
): void {
  const closed = maker.closed(stored);
  maker.append(instance.opcode, Void, closed, address).offset = offset;
}

// Loads from a cell of whole values of this type; the result may be an open NaN.
function reloadOpen(maker: ProcedureMaker, instance: OpcodeInstance): boolean {
  if (maker.heapBase === null || instance.opcode !== Op.Load || !isFloating(instance.result))
    return false;
  for (let i = maker.openCells.length - 1; i >= 0; i--) {
    const cell = maker.openCells[i];
    if (cell.type !== instance.result) continue;
    maker.setOpen(load(maker, instance, maker.heapBase, cell.offset), true);
    return true;
  }
  return false;
}

/** Stores the whole value, in a cell of its own while there are free ones. */
export function storeToSink(maker: ProcedureMaker, heapBase: Value, value: Value): void {
  const { context } = maker;
  if (maker.isOpen(value) && maker.swarm.storesOpenNaN && context.nextOpenCell < OPEN_CELLS) {
    storeOpen(maker, heapBase, value);
    return;
  }
  const closed = maker.closed(value);
  maker.append(Op.Store, Void, closed, heapBase).offset = sinkOffset(maker);
}

const OPEN_CELLS = (OPEN.end - OPEN.start) / CELL;

function storeOpen(maker: ProcedureMaker, heapBase: Value, value: Value): void {
  const { context } = maker;
  const offset = OPEN.start + CELL * context.nextOpenCell++;
  // At times as an integer: the bits are moved, not used. Such a cell is never loaded again.
  const asInteger = maker.chance(20) && maker.swarm.hasType[otherType(value.type)];
  const stored = asInteger ? maker.append(Op.BitwiseCast, otherType(value.type), value) : value;
  maker.append(Op.Store, Void, stored, heapBase).offset = offset;
  if (!asInteger) maker.openCells.push({ type: value.type, offset });
}

const otherType = (type: Type): Type => (sizeOf(type) === 8 ? Int64 : Int32);

/** Returns the offset of the next cell for values that are stored to be compared. */
export function sinkOffset(maker: ProcedureMaker): number {
  const cells = (SINK.end - SINK.start) / CELL;
  return SINK.start + CELL * (maker.context.nextCell++ % cells);
}

/**
 * Returns an offset that puts the access into a window for every value that the address may have.
 */
export function placeIn(maker: ProcedureMaker, address: HeapAddress, bytes: number): number {
  const { windows } = maker.context.layout;
  return placeWithin(maker, windows[maker.below(windows.length)], address, bytes);
}

function placeWithin(
  maker: ProcedureMaker,
  { start, length }: HeapWindow,
  address: HeapAddress,
  bytes: number,
): number {
  const room = length - bytes - (address.high - address.low);
  const at = maker.below(room + 1);
  const isAligned = maker.chance(55);
  return start + (isAligned ? at & -bytes : at) - address.low;
}

/** Returns some address of the heap; the offset of the access selects the window. */
export function pickAddress(maker: ProcedureMaker, heapBase: Value): HeapAddress {
  const { addresses } = maker;
  const known = addresses.length;
  if (known > 0 && maker.chance(50)) return addresses[known - 1 - maker.below(Math.min(known, 5))];
  if (!maker.chance(60)) return { value: heapBase, low: 0, high: 0 };
  const from =
    known > 0 && maker.chance(maker.dials.stepped) ? addresses[maker.below(known)] : null;
  const address =
    from !== null
      ? derivedAddress(maker, from)
      : maker.chance(maker.dials.index)
        ? indexedAddress(maker, heapBase)
        : constantAddress(maker, heapBase);
  addresses.push(address);
  return address;
}

/** An address beyond this distance already includes a far distance. */
const FAR_ONCE = 0x8000;

/** The greatest variation of addresses: each window has room for it and for the accessed bytes. */
export const SPAN_MAX = 15;

// Returns an address derived from another one: with a further index, or at a distance.
function derivedAddress(maker: ProcedureMaker, { value, low, high }: HeapAddress): HeapAddress {
  const masks = MASKS.filter((mask) => high - low + mask <= SPAN_MAX);
  if (masks.length === 0 || maker.chance(35)) {
    // The compensating offset has 32 bits.
    const isFar = Math.abs(low) < FAR_ONCE && maker.chance(15);
    const step = isFar ? FAR[maker.below(FAR.length)] : maker.below(24) - 8;
    const moved = maker.append(Op.Add, Int64, value, maker.integer(Int64, step));
    return { value: moved, low: low + step, high: high + step };
  }
  const mask = masks[maker.below(masks.length)];
  const isWide = maker.swarm.hasType[Int64] && maker.chance(40);
  const bits = indexUpTo(maker, isWide ? Int64 : Int32, mask);
  const extension = maker.chance(70) ? Op.ZExt32 : Op.SExt32;
  const index = isWide ? bits : maker.append(extension, Int64, bits);
  const [a, b] = maker.chance(20) ? [index, value] : [value, index];
  return { value: maker.append(Op.Add, Int64, a, b), low, high: high + mask };
}

function constantAddress(maker: ProcedureMaker, heapBase: Value): HeapAddress {
  const { windows } = maker.context.layout;
  const isFar = maker.chance(12);
  const near = windows[maker.below(windows.length)].start + maker.below(24) - 8;
  const distance = isFar ? FAR[maker.below(FAR.length)] : near;
  const value = maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, distance));
  return { value, low: distance, high: distance };
}

/**
 * Returns a value from 0 to `most`: usually by a mask, otherwise by a minimum, a remainder or a
 * shift.
 */
function indexUpTo(maker: ProcedureMaker, type: Type, most: number): Value {
  const x = maker.pickValue(type);
  const roll = maker.below(16);
  if (roll === 0) return maker.emit(Op.UMin, type, x, maker.integer(type, most));
  if (roll === 1) return maker.emit(Op.UMod, type, x, maker.integer(type, most + 1));
  if (roll > 2) return maker.emit(Op.BitAnd, type, x, maker.integer(type, most));
  const width = type === Int64 ? 64 : 32;
  const bits = 31 - Math.clz32(most + 1);
  return maker.emit(Op.ZShr, type, x, maker.integer(Int32, width - bits));
}

function indexedAddress(maker: ProcedureMaker, heapBase: Value): HeapAddress {
  const mask = MASKS[maker.below(MASKS.length)];
  const wide = maker.swarm.hasType[Int64] && maker.chance(30);
  if (maker.chance(15)) {
    // A negative index: all bits above the mask are set.
    const index = maker.emit(Op.BitOr, Int32, maker.pickValue(Int32), maker.integer(Int32, ~mask));
    const extended = maker.append(Op.SExt32, Int64, index);
    return { value: maker.append(Op.Add, Int64, heapBase, extended), low: ~mask, high: -1 };
  }
  let index: Value;
  let low = 0;
  if (wide) {
    index = indexUpTo(maker, Int64, mask);
  } else {
    const masked = indexUpTo(maker, Int32, mask);
    // At times some elements further or back, which the offset of an access may include too.
    low = maker.chance(25) ? maker.below(9) - 4 : 0;
    const sum = low === 0 ? masked : maker.append(Op.Add, Int32, masked, maker.integer(Int32, low));
    // With a clear sign bit both extensions give the index.
    const isSigned = low < 0 || maker.chance(30);
    index = maker.append(isSigned ? Op.SExt32 : Op.ZExt32, Int64, sum);
  }
  let high = low + mask;
  if (mask <= 3 && maker.chance(60)) {
    const shift = 1 + maker.below(2);
    index = maker.append(Op.Shl, Int64, index, maker.integer(Int32, shift));
    low <<= shift;
    high <<= shift;
  }
  const [a, b] = maker.chance(20) ? [index, heapBase] : [heapBase, index];
  const value = maker.append(Op.Add, Int64, a, b);
  if (!maker.chance(20)) return { value, low, high };
  const far = FAR[maker.below(FAR.length)];
  const moved = maker.append(Op.Add, Int64, value, maker.integer(Int64, far));
  return { value: moved, low: far + low, high: far + high };
}

/** Stores two values next to each other or overlapping, and loads across them. */
export function emitOverlap(maker: ProcedureMaker, heapBase: Value): void {
  const { swarm } = maker;
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, 16);
  const narrow = swarm.types[maker.below(swarm.types.length)];
  const wide = swarm.types[maker.below(swarm.types.length)];
  const first = sizeOf(narrow);
  maker.append(Op.Store, Void, maker.closed(maker.pick(narrow)), address.value).offset = offset;
  if (maker.chance(60)) {
    const size = maker.below(3);
    const at = offset + (maker.chance(60) ? first : maker.below(8));
    const opcode = size === 0 ? Op.Store8 : size === 1 ? Op.Store16 : Op.Store;
    maker.append(opcode, Void, maker.pick(Int32), address.value).offset = at;
  }
  const read = maker.emit(Op.Load, wide, address.value);
  read.offset = offset + (maker.chance(50) ? 0 : maker.below(9));
  if (maker.chance(30))
    maker.emit(LOADS[maker.below(4)], Int32, address.value).offset = offset + maker.below(8);
}

const LOADS = [Op.Load8S, Op.Load8Z, Op.Load16S, Op.Load16Z];

/** Stores a value and loads it: whole, its low part, or by another address. */
export function emitForward(maker: ProcedureMaker, heapBase: Value): void {
  const { swarm } = maker;
  const type = swarm.types[maker.below(swarm.types.length)];
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, 8);
  maker.append(Op.Store, Void, maker.closed(maker.pick(type)), address.value).offset = offset;
  if (maker.chance(40)) {
    const between = pickAddress(maker, heapBase);
    maker.append(Op.Store8, Void, maker.pick(Int32), between.value).offset = placeIn(
      maker,
      between,
      1,
    );
  }
  if (address.low === address.high && maker.chance(35)) {
    maker.emit(Op.Load, type, heapBase).offset = address.low + offset;
  } else if (maker.chance(60)) {
    maker.emit(Op.Load, type, address.value).offset = offset;
  } else {
    maker.emit(LOADS[maker.below(4)], Int32, address.value).offset = offset;
  }
}

/** Sizes of stack slots whose written bytes are tracked. */
export const SLOT_SIZES = [4, 8, 8, 12, 16, 16, 24, 32];

function emitSlotAccess(
  maker: ProcedureMaker,
  instance: OpcodeInstance,
  stored: Value | null,
  bytes: number,
): void {
  const slot = pickSlot(maker, bytes);
  if (stored !== null) {
    storeToSlot(maker, slot, instance, maker.closed(stored), bytes);
    return;
  }
  const [base, offset] = slotAddress(maker, slot, filledRun(maker, slot, bytes));
  load(maker, instance, base, offset);
  // At times loads again, after a store to the same bytes: an invariant load concerns only the
  // heap.
  const isInvariant = instance.opcode === Op.LoadInvariant;
  if (!slot.isLocked || !maker.chance(isInvariant ? 60 : 10)) return;
  const byte = maker.append(Op.Store8, Void, maker.pick(Int32), base);
  byte.offset = offset + maker.below(bytes);
  const again = isInvariant && maker.chance(50) ? Op.Load : instance.opcode;
  maker.emit(again, instance.result, base).offset = offset;
}

/**
 * Returns the slots that any access may use: only frames.ts uses large ones, and only the creator
 * of an own slot uses it.
 */
const sharedSlots = ({ proc, ownSlots }: ProcedureMaker): StackSlot[] =>
  proc.slots.filter((slot) => slot.size <= 32 && !ownSlots.has(slot));

function pickSlot(maker: ProcedureMaker, bytes: number): StackSlot {
  const slots = sharedSlots(maker);
  const isFull = slots.length >= LIMITS.stackSlots;
  if (slots.length > 0 && (isFull || maker.chance(75))) {
    const slot = slots[maker.below(slots.length)];
    if (slot.size >= bytes) return slot;
  }
  if (isFull) for (const slot of slots) if (slot.size >= bytes) return slot;
  const size = Math.max(bytes, SLOT_SIZES[maker.below(SLOT_SIZES.length)]);
  const slot = maker.proc.newSlot(size, maker.chance(50));
  maker.written[slot.id] = 0;
  return slot;
}

/**
 * Returns an anonymous slot for an exit to show, mostly with a store to it; null if there is none.
 */
export function anonymousSlot(maker: ProcedureMaker): StackSlot | null {
  const slots = sharedSlots(maker);
  const known = slots.filter(({ isLocked }) => !isLocked);
  const isFull = slots.length >= LIMITS.stackSlots;
  if (isFull && known.length === 0) return null;
  const isOld = known.length > 0 && (isFull || maker.chance(60));
  const slot = isOld
    ? known[maker.below(known.length)]
    : maker.proc.newSlot(SLOT_SIZES[maker.below(SLOT_SIZES.length)], false);
  if (!isOld) maker.written[slot.id] = 0;
  if (maker.chance(isOld ? 30 : 80)) {
    const types = maker.swarm.types.filter((type) => sizeOf(type) <= slot.size);
    const type = types[maker.below(types.length)]; // Int32 is always in use, and fits
    const isByte = type === Int32 && maker.chance(30);
    const bytes = isByte ? 1 : sizeOf(type);
    const at = maker.below(slot.size - bytes + 1);
    const value = maker.closed(maker.pick(type));
    const [base, offset] = slotAddress(maker, slot, at);
    maker.append(isByte ? Op.Store8 : Op.Store, Void, value, base).offset = offset;
    noteStore(maker, slot, at, bytes);
  }
  return slot;
}

/** Loads a byte of the slot that is certainly written, if there is one. */
export function loadOfSlot(maker: ProcedureMaker, slot: StackSlot): void {
  const at = writtenRun(maker, slot, 1);
  if (at < 0) return;
  const [base, offset] = slotAddress(maker, slot, at);
  maker.emit(Op.Load8Z, Int32, base).offset = offset;
}

/**
 * Returns an anonymous slot that begins with the value, whose bits are specified; null if there is
 * none.
 */
export function storeForExit(maker: ProcedureMaker, value: Value): StackSlot | null {
  const bytes = sizeOf(value.type);
  const slots = sharedSlots(maker);
  const known = slots.filter(({ isLocked, size }) => !isLocked && size >= bytes);
  if (known.length === 0 && slots.length >= LIMITS.stackSlots) return null;
  const slot =
    known.length > 0 ? known[maker.below(known.length)] : maker.proc.newSlot(2 * bytes, false);
  const [base, offset] = slotAddress(maker, slot, 0);
  maker.append(Op.Store, Void, value, base).offset = offset;
  noteStore(maker, slot, 0, bytes);
  return slot;
}

/**
 * Returns bytes of the heap that nothing reads after an exit. If continuations follow, these are
 * cells that only comparisons read, and no host function may read the heap; otherwise any bytes.
 * Cells of open NaNs are included as a whole.
 */
export function drawDeadRange(
  maker: ProcedureMaker,
  resumes: boolean,
): { offset: number; size: number } | null {
  const { swarm, context } = maker;
  if (resumes) {
    if (!swarm.storesOpenNaN) return null;
    const offset = SINK.start + maker.below(200);
    return { offset, size: 1 + maker.below(SINK.end - offset) };
  }
  const { heapSize, windows } = context.layout;
  const { start, length } = windows[maker.below(windows.length)];
  const from = maker.chance(60) ? start + maker.below(length) : maker.below(heapSize);
  const end = Math.min(heapSize, from + 1 + maker.below(maker.chance(70) ? 24 : 600));
  const [first, last] = [from & -CELL, (end + CELL - 1) & -CELL];
  const isApart = end <= OPEN.start || from >= OPEN.end;
  return isApart ? { offset: from, size: end - from } : { offset: first, size: last - first };
}

/** Returns such bytes counted from an address; null if there are none. */
export function drawDeadBytes(maker: ProcedureMaker, resumes: boolean): DeadBytesSlot | null {
  const { heapBase } = maker;
  const range = drawDeadRange(maker, resumes);
  if (heapBase === null || range === null) return null;
  const { value, low, high } = pickAddress(maker, heapBase);
  if (low === high)
    return { kind: "deadBytes", address: value, offset: range.offset - low, size: range.size };
  if (resumes) return { kind: "deadBytes", address: heapBase, ...range };
  const size = 1 + maker.below(12);
  return {
    kind: "deadBytes",
    address: value,
    offset: placeIn(maker, { value, low, high }, size),
    size,
  };
}

const maskOf = (at: number, bytes: number): number =>
  bytes === 32 ? -1 : ((1 << bytes) - 1) << at;

export function slotBase(maker: ProcedureMaker, slot: StackSlot): Value {
  const base = maker.append(Op.SlotBase, Int64);
  base.extra = slot;
  return base;
}

/** Returns a position where `bytes` bytes are certainly written; -1 if there is none. */
export function writtenRun(maker: ProcedureMaker, slot: StackSlot, bytes: number): number {
  const written = maker.written[slot.id] ?? 0;
  const positions = slot.size - bytes + 1;
  const first = maker.below(positions);
  for (let i = 0; i < positions; i++) {
    const at = (first + i) % positions;
    const mask = maskOf(at, bytes);
    if ((written & mask) === mask) return at;
  }
  return -1;
}

/** Returns a position where `bytes` bytes are certainly written; if there is none, it writes them. */
function filledRun(maker: ProcedureMaker, slot: StackSlot, bytes: number): number {
  const known = writtenRun(maker, slot, bytes);
  if (known >= 0) return known;
  const at = maker.below(slot.size - bytes + 1);
  fillSlot(maker, slot, at, bytes);
  return at;
}

function fillSlot(maker: ProcedureMaker, slot: StackSlot, at: number, bytes: number): void {
  const [base, offset] = slotAddress(maker, slot, at);
  const opcode = bytes === 1 ? Op.Store8 : bytes === 2 ? Op.Store16 : Op.Store;
  const type = bytes < 8 ? Int32 : maker.swarm.hasType[Int64] ? Int64 : null;
  const value = type === null ? maker.constant(Int64) : maker.pick(type);
  maker.append(opcode, Void, value, base).offset = offset;
  noteStore(maker, slot, at, bytes);
}

// Records a store. A store to part of an anonymous slot makes its other bytes unwritten; a locked
// slot keeps them.
export function noteStore(maker: ProcedureMaker, slot: StackSlot, at: number, bytes: number): void {
  const mask = maskOf(at, bytes);
  maker.written[slot.id] = slot.isLocked ? maker.written[slot.id] | mask : mask;
}

function storeToSlot(
  maker: ProcedureMaker,
  slot: StackSlot,
  instance: OpcodeInstance,
  value: Value,
  bytes: number,
): void {
  const positions = slot.size - bytes + 1;
  if (slot.isLocked && positions > 4 && maker.chance(25)) {
    // The address is only known at run time, so no further byte is certainly written.
    const masked = maker.emit(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 3));
    const base = slotBase(maker, slot);
    const index = maker.append(Op.ZExt32, Int64, masked);
    const address = maker.append(Op.Add, Int64, base, index);
    maker.append(instance.opcode, Void, value, address).offset = maker.below(positions - 3);
    return;
  }
  const at = maker.below(positions);
  const [base, offset] = slotAddress(maker, slot, at);
  maker.append(instance.opcode, Void, value, base).offset = offset;
  noteStore(maker, slot, at, bytes);
}

/**
 * Returns the address of `bytes` bytes of a locked slot that are certainly written.
 * @param isNew whether the slot must be new, if there is room for one
 */
export function lockedAddress(maker: ProcedureMaker, bytes: number, isNew = false): Value {
  const slots = sharedSlots(maker);
  const known = slots.filter(({ isLocked, size }) => isLocked && size >= bytes);
  let slot = known.length > 0 ? known[maker.below(known.length)] : null;
  if (slot === null || (slots.length < LIMITS.stackSlots && (isNew || maker.chance(25)))) {
    slot = maker.proc.newSlot(Math.max(bytes, SLOT_SIZES[maker.below(SLOT_SIZES.length)]), true);
    maker.written[slot.id] = 0;
  }
  const [base, offset] = slotAddress(maker, slot, filledRun(maker, slot, bytes));
  if (offset === 0) return base;
  return maker.append(Op.Add, Int64, base, maker.integer(Int64, offset));
}

/** Returns an address and an offset whose sum is byte `at` of the slot. */
export function slotAddress(maker: ProcedureMaker, slot: StackSlot, at: number): [Value, number] {
  const plain = slotBase(maker, slot);
  const base = maker.chance(12) ? maker.append(Op.Opaque, Int64, plain) : plain;
  if (!maker.chance(30)) return [base, at];
  const part = maker.below(17) - 4;
  return [maker.append(Op.Add, Int64, base, maker.integer(Int64, part)), at - part];
}

/**
 * Returns the certainly written bytes at the head of a loop: the body may make bytes of anonymous
 * slots unwritten.
 */
export function writtenInLoop(maker: ProcedureMaker): number[] {
  return maker.proc.slots.map((slot) => (slot.isLocked ? (maker.written[slot.id] ?? 0) : 0));
}

/** Returns the bytes that are certainly written after either of two paths. */
export function writtenOnBoth(first: readonly number[], second: readonly number[]): number[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, id) => (first[id] ?? 0) & (second[id] ?? 0));
}
