// Represents values as bits, the bytes of the heap and of stack slots, and objects: docs/language.md, sections 1, 5 and
// 8.

import { HEAP_BASE, type MemoryImage, type ObservedBits } from "../ir/outcome.js";
import type { Procedure, StackSlot } from "../ir/procedure.js";
import { Float, isFloating, isWide, sizeOf, type Type, Void } from "../ir/types.js";
import { bitsOf, wordsOf } from "../ir/words.js";

/**
 * The bits of a value, or any NaN (language.md, section 8). An address contains its target: an object by its number, a
 * stack slot by its bytes, or a procedure (sections 5 and 6). The bits of a slot's address are the offset in the slot.
 */
export interface StoredBits extends ObservedBits {
  readonly slot?: MemoryObject;
  readonly procedure?: Procedure;
}

/** Returns a value of the type with the low bits of an integer (language.md, section 1). */
export function datumOf(type: Type, bits: bigint, anyNaN = false, object?: number): StoredBits {
  const [lo, hi] = wordsOf(type, bits);
  return object === undefined ? { type, lo, hi, anyNaN } : { type, lo, hi, anyNaN, object };
}

/** Returns the bits as a signed integer (language.md, section 1). */
export const integerOf = ({ type, lo, hi }: Omit<ObservedBits, "anyNaN">): bigint =>
  bitsOf(type, lo, hi);

/** Returns the bits as a signed integer: a number for 32 bits, a bigint for 64 (language.md, section 1). */
export const bitsAsNumber = (x: StoredBits): number | bigint =>
  isWide(x.type) ? integerOf(x) : x.lo;

/** Returns the number that a value represents (language.md, section 1). */
export function numberOf(datum: StoredBits): number | bigint {
  if (!isFloating(datum.type)) return bitsAsNumber(datum);
  const { buffer } = Int32Array.of(datum.lo, datum.hi);
  return datum.type === Float ? new Float32Array(buffer)[0] : new Float64Array(buffer)[0];
}

/** Returns the value of a number. A NaN becomes any NaN, always with the same bits (language.md, section 8). */
export function datumOfNumber(type: Type, x: number | bigint): StoredBits {
  if (!isFloating(type) || typeof x === "bigint") return datumOf(type, BigInt(x));
  const anyNaN = type === Float ? 0x7fc0_0000n : 0x7ff8_0000_0000_0000n;
  if (Number.isNaN(x)) return datumOf(type, anyNaN, true);
  const { buffer } = type === Float ? Float32Array.of(x, 0) : Float64Array.of(x);
  return datumOf(type, new BigInt64Array(buffer)[0]);
}

/** The size of an address, in bytes. */
export const ADDRESS_BYTES = 8;

/** The heap, or one stack slot of an activation (language.md, section 5). */
export type MemoryObject = ReturnType<typeof newMemory>;

/** Returns the heap if `slot` is null, else a stack slot whose bytes are unwritten (language.md, section 5). */
export const newMemory = (slot: Pick<StackSlot, "isLocked"> | null, size: number) => ({
  slot,
  /** The address of the first byte. */
  start: slot === null ? HEAP_BASE : 0n,
  bytes: new Uint8Array(size),
  /** By byte: 1 for a dead byte of the heap or an unwritten byte of a slot. */
  missing: new Uint8Array(size).fill(slot === null ? 0 : 1),
  /** By byte: 1 if a LoadInvariant has read it. */
  invariant: new Uint8Array(size),
  /** By byte: its class, and the number of its object; 0 if there is none. */
  classes: new Uint8Array(size),
  owners: new Int32Array(size),
  /** By first byte: each any NaN and each address of an object that was stored whole. */
  whole: new Map<number, StoredBits>(),
  /** By object number: its first byte, and the byte after its last. Number 0 is no object. */
  objects: [{ start: 0, end: 0 }],
  /** Objects whose address was an argument of an event, was a result, or was in a frame. */
  shown: new Set<number>(),
  /** True when the activation of the slot has ended. */
  isGone: false,
});

export interface ByteRange {
  readonly memory: MemoryObject;
  readonly at: number;
  readonly size: number;
}

/** Returns bytes as an integer, the lowest first (language.md, section 5). */
export function readBytes({ memory, at, size }: ByteRange): bigint {
  let bits = 0n;
  for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(memory.bytes[at + i]);
  return bits;
}

/** Writes the low bytes of a value, the lowest first (language.md, section 5). */
export function writeBytes(range: ByteRange, datum: StoredBits): void {
  markWritten(range);
  const { memory, at, size } = range;
  const bits = integerOf(datum);
  for (let i = 0; i < size; i++) memory.bytes[at + i] = Number((bits >> BigInt(8 * i)) & 0xffn);
  const isWhole = size === sizeOf(datum.type);
  if (isWhole && (datum.anyNaN || datum.object !== undefined)) memory.whole.set(at, datum);
}

/**
 * Marks bytes as written, and removes the any NaNs and addresses that contained them (language.md, sections 5 and 8).
 */
export function markWritten(range: ByteRange): void {
  const { memory, at, size } = range;
  for (const { start } of wholeAmong(range)) memory.whole.delete(start);
  memory.missing.fill(0, at, at + size);
}

/** Marks bytes of the heap as dead, or bytes of a slot as unwritten (language.md, sections 5 and 7). */
export function markMissing(range: ByteRange): void {
  const { memory, at, size } = range;
  markWritten(range);
  memory.missing.fill(1, at, at + size);
  if (memory.slot !== null) memory.bytes.fill(0, at, at + size);
}

/** Returns the any NaNs and addresses that share a byte with the range (language.md, sections 5 and 8). */
export function wholeAmong({ memory, at, size }: ByteRange) {
  const found: {
    readonly start: number;
    readonly datum: StoredBits;
    readonly isInside: boolean;
  }[] = [];
  if (memory.whole.size === 0 || size === 0) return found;
  for (let start = at - ADDRESS_BYTES + 1; start < at + size; start++) {
    const datum = memory.whole.get(start);
    const end = start + sizeOf(datum?.type ?? Void);
    if (datum !== undefined && end > at)
      found.push({ start, datum, isInside: start >= at && end <= at + size });
  }
  return found;
}

/** Returns the any NaN or address that occupies exactly the range (language.md, sections 5 and 8). */
export function wholeAt({ memory, at, size }: ByteRange): StoredBits | undefined {
  const datum = memory.whole.get(at);
  return datum !== undefined && sizeOf(datum.type) === size ? datum : undefined;
}

/** Makes an object of the bytes, which no longer contain addresses. Returns its number (language.md, section 5). */
export function newObject(range: ByteRange): number {
  const { memory, at, size } = range;
  for (const { start, datum } of wholeAmong(range)) {
    memory.whole.set(start, datumOf(datum.type, integerOf(datum), datum.anyNaN));
  }
  const object = memory.objects.push({ start: at, end: at + size }) - 1;
  memory.owners.fill(object, at, at + size);
  return object;
}

/** Marks the objects whose addresses are among the values as shown (language.md, section 5). */
export function show({ shown }: MemoryObject, data: Iterable<StoredBits>): void {
  for (const { object } of data) if (object !== undefined) shown.add(object);
}

/** Returns a copy of the bytes, without the objects that are not shown (language.md, sections 5 and 9). */
export function imageOf({
  bytes,
  missing,
  owners,
  whole,
  shown: given,
}: MemoryObject): MemoryImage {
  // Bytes outside of objects are shown; they have the owner 0. The iteration of a Set includes elements added during
  // it.
  const shown = new Set([0, ...given]);
  for (const outer of shown) {
    for (const [at, { object = 0 }] of whole) if (owners[at] === outer) shown.add(object);
  }
  const leftOut = missing.map((isMissing, at) => (shown.has(owners[at]) ? isMissing : 1));
  const nans = [...whole].filter(([at, { anyNaN }]) => anyNaN && shown.has(owners[at]));
  const anyNaN = nans.sort(([a], [b]) => a - b).flatMap(([at, { type }]) => [at, sizeOf(type)]);
  const masked: number[] = [];
  for (let at = leftOut.indexOf(1); at >= 0; at = leftOut.indexOf(1, at)) {
    const from = at;
    while (leftOut[at] === 1) at++;
    masked.push(from, at - from);
  }
  return { bytes: bytes.slice(), anyNaN, masked };
}
