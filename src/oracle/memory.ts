// Values and their bits, bytes of the heap and of stack slots, objects: docs/language.md, sections 1, 5 and 8.

import { type Bits, HEAP_BASE, type MemoryImage } from "../ir/outcome.js";
import type { Procedure, StackSlot } from "../ir/procedure.js";
import { Float, isFloating, isWide, sizeOf, type Type, Void } from "../ir/types.js";
import { bitsOf, wordsOf } from "../ir/words.js";

/**
 * A value: its bits, or any NaN (language.md, section 8). An address says what it is the address of: an object by its
 * number, a stack slot by its bytes, in which it is an offset, or a procedure (language.md, sections 5 and 6).
 */
export interface Datum extends Bits {
  readonly slot?: Memory;
  readonly procedure?: Procedure;
}

/** Returns a value of the type with the low bits of an integer (language.md, section 1). */
export function datumOf(type: Type, bits: bigint, anyNaN = false, object?: number): Datum {
  const [lo, hi] = wordsOf(type, bits);
  return object === undefined ? { type, lo, hi, anyNaN } : { type, lo, hi, anyNaN, object };
}

/** Returns the bits as a signed integer (language.md, section 1). */
export const integerOf = ({ type, lo, hi }: Omit<Bits, "anyNaN">): bigint => bitsOf(type, lo, hi);

/** Returns the same: a number where there are 32 bits (language.md, section 1). */
export const bitsSeen = (x: Datum): number | bigint => (isWide(x.type) ? integerOf(x) : x.lo);

/** Returns the number that a value is (language.md, section 1). */
export function numberSeen(datum: Datum): number | bigint {
  if (!isFloating(datum.type)) return bitsSeen(datum);
  const { buffer } = Int32Array.of(datum.lo, datum.hi);
  return datum.type === Float ? new Float32Array(buffer)[0] : new Float64Array(buffer)[0];
}

/** Returns the value that a number is; NaN is any NaN, and shown as always the same one (language.md, section 8). */
export function datumOfNumber(type: Type, x: number | bigint): Datum {
  if (!isFloating(type) || typeof x === "bigint") return datumOf(type, BigInt(x));
  const anyNaN = type === Float ? 0x7fc0_0000n : 0x7ff8_0000_0000_0000n;
  if (Number.isNaN(x)) return datumOf(type, anyNaN, true);
  const { buffer } = type === Float ? Float32Array.of(x, 0) : Float64Array.of(x);
  return datumOf(type, new BigInt64Array(buffer)[0]);
}

/** Bytes of an address. */
export const ADDRESS_BYTES = 8;

/** The heap, or one stack slot of an activation (language.md, section 5). */
export type Memory = ReturnType<typeof newMemory>;

/** Returns the heap, where `slot` is null, or a stack slot, whose bytes are unwritten (language.md, section 5). */
export const newMemory = (slot: Pick<StackSlot, "isLocked"> | null, size: number) => ({
  slot,
  /** The address of the first byte. */
  start: slot === null ? HEAP_BASE : 0n,
  bytes: new Uint8Array(size),
  /** By byte: 1 if it is dead, in the heap, or unwritten, in a slot. */
  missing: new Uint8Array(size).fill(slot === null ? 0 : 1),
  /** By byte: 1 if a LoadInvariant has read it. */
  invariant: new Uint8Array(size),
  /** By byte: its class, and the object that it belongs to; 0 if there is none. */
  classes: new Uint8Array(size),
  owners: new Int32Array(size),
  /** By first byte: each any NaN and address of an object that was stored whole. */
  whole: new Map<number, Datum>(),
  /** By number: the first byte of an object, and the one behind it. Number 0 is no object. */
  objects: [{ start: 0, end: 0 }],
  /** Objects whose address was an argument of an event, a result, or in a frame. */
  shown: new Set<number>(),
  /** The activation of the slot is over. */
  isGone: false,
});

/** Some bytes. */
export interface Place {
  readonly memory: Memory;
  readonly at: number;
  readonly size: number;
}

/** Returns bytes as an integer, the lowest first (language.md, section 5). */
export function readBytes({ memory, at, size }: Place): bigint {
  let bits = 0n;
  for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(memory.bytes[at + i]);
  return bits;
}

/** Writes the low bytes of a value, the lowest first (language.md, section 5). */
export function writeBytes(place: Place, datum: Datum): void {
  forget(place);
  const { memory, at, size } = place;
  const bits = integerOf(datum);
  for (let i = 0; i < size; i++) memory.bytes[at + i] = Number((bits >> BigInt(8 * i)) & 0xffn);
  const isWhole = size === sizeOf(datum.type);
  if (isWhole && (datum.anyNaN || datum.object !== undefined)) memory.whole.set(at, datum);
}

/** Makes bytes written, and nothing whole of what they were part of (language.md, sections 5 and 8). */
export function forget(place: Place): void {
  const { memory, at, size } = place;
  for (const { start } of wholeAmong(place)) memory.whole.delete(start);
  memory.missing.fill(0, at, at + size);
}

/** Makes bytes of the heap dead, or those of a slot unwritten (language.md, sections 5 and 7). */
export function lose(place: Place): void {
  const { memory, at, size } = place;
  forget(place);
  memory.missing.fill(1, at, at + size);
  if (memory.slot !== null) memory.bytes.fill(0, at, at + size);
}

/** Returns the any NaNs and addresses that share a byte with the range (language.md, sections 5 and 8). */
export function wholeAmong({ memory, at, size }: Place) {
  const found: { readonly start: number; readonly datum: Datum; readonly isInside: boolean }[] = [];
  if (memory.whole.size === 0 || size === 0) return found;
  for (let start = at - ADDRESS_BYTES + 1; start < at + size; start++) {
    const datum = memory.whole.get(start);
    const end = start + sizeOf(datum?.type ?? Void);
    if (datum !== undefined && end > at)
      found.push({ start, datum, isInside: start >= at && end <= at + size });
  }
  return found;
}

/** Returns the any NaN or address that the range is (language.md, sections 5 and 8). */
export function wholeAt({ memory, at, size }: Place): Datum | undefined {
  const datum = memory.whole.get(at);
  return datum !== undefined && sizeOf(datum.type) === size ? datum : undefined;
}

/** Makes an object of bytes, in which no address stands any more; returns its number (language.md, section 5). */
export function newObject(place: Place): number {
  const { memory, at, size } = place;
  for (const { start, datum } of wholeAmong(place)) {
    memory.whole.set(start, datumOf(datum.type, integerOf(datum), datum.anyNaN));
  }
  const object = memory.objects.push({ start: at, end: at + size }) - 1;
  memory.owners.fill(object, at, at + size);
  return object;
}

/** Shows objects whose address is among the values (language.md, section 5). */
export function show({ shown }: Memory, data: Iterable<Datum>): void {
  for (const { object } of data) if (object !== undefined) shown.add(object);
}

/** Returns a copy of the bytes, without objects that nothing shows (language.md, sections 5 and 9). */
export function imageOf({ bytes, missing, owners, whole, shown: given }: Memory): MemoryImage {
  // Bytes of no object are shown, like those of an object 0. A set gives what is added while it is read.
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
