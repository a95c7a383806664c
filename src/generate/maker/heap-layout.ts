// Lays out the heap: the bytes that a program uses, and their purposes.
//
// A few small windows contain accesses of all widths that alias, overlap and miss. Two regions
// consist of cells for single values. The cells of `sink` hold values that are stored to be
// compared. The cells of `open` hold whole values that may be an open NaN; no other access touches
// those bytes. Only the start of the entry writes to `fixed`, so invariant loads may read it.
// Objects follow in OBJECT_BYTES more bytes; the pointer of their allocator is at `POINTER`.

import type { ChoiceSource } from "../../support/source.js";

export interface HeapWindow {
  readonly start: number;
  readonly length: number;
}
export interface HeapLayout {
  readonly heapSize: number;
  readonly windows: readonly HeapWindow[];
}

/** A half-open range of bytes of the heap, counted from its start. */
export interface HeapRange {
  readonly start: number;
  readonly end: number;
}

export const CELL = 8;
export const OPEN = { start: 1024, end: 1280 };
export const SINK = { start: 1280, end: 2048 };
export const FIXED = { start: 2304, length: 64 };
export const POINTER = 2400;
export const OBJECT_BYTES = 4096;
/** Starts of windows: mostly at both ends of the heap, and where the offsets of encodings end. */
const STARTS = [
  0, 0, 1, 64, 100, 232, 248, 256, 480, 960, 2048, 2100, 3968, 4080, 8150, 8184, 16368,
];
/** The shortest window holds the widest pattern, 16 bytes, at every index that MASKS allow. */
const LENGTHS = [32, 32, 40, 64, 96];
export function drawLayout(source: ChoiceSource): HeapLayout {
  const roll = source.below(8);
  const heapSize = roll === 7 ? 16384 : roll === 6 ? 8192 : 4096;
  const windows: HeapWindow[] = [];
  const count = 1 + source.below(3);
  for (let i = 0; i < count; i++) {
    const length = LENGTHS[source.below(LENGTHS.length)];
    const atEnd = source.below(6) === 5;
    const wanted = atEnd ? heapSize : STARTS[source.below(STARTS.length)];
    const start = Math.min(wanted, heapSize - length);
    const isClear = start + length <= OPEN.start || start >= OPEN.end;
    windows.push({ start: isClear ? start : 0, length });
  }
  return { heapSize, windows };
}
