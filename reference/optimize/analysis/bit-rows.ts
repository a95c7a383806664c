// Rows of bits in one table: sets of small numbers, one set a row, for dataflow.

/** Words that a row of `count` bits takes. */
export const wordsFor = (count: number): number => (count + 31) >>> 5;

export const hasBit = (rows: Int32Array, start: number, bit: number): boolean =>
  (rows[start + (bit >>> 5)] & (1 << (bit & 31))) !== 0;

export function setBit(rows: Int32Array, start: number, bit: number): void {
  rows[start + (bit >>> 5)] |= 1 << (bit & 31);
}

export function clearBit(rows: Int32Array, start: number, bit: number): void {
  rows[start + (bit >>> 5)] &= ~(1 << (bit & 31));
}
