// Stores sets of small numbers as rows of bits in one table, for dataflow.

/** Returns the number of words of a row with `count` bits. */
export const wordsFor = (count: number): number => (count + 31) >>> 5;

export const hasBit = (rows: Int32Array, start: number, bit: number): boolean =>
  (rows[start + (bit >>> 5)] & (1 << (bit & 31))) !== 0;

export function setBit(rows: Int32Array, start: number, bit: number): void {
  rows[start + (bit >>> 5)] |= 1 << (bit & 31);
}

export function clearBit(rows: Int32Array, start: number, bit: number): void {
  rows[start + (bit >>> 5)] &= ~(1 << (bit & 31));
}
