// Arrays that grow. Arenas live as long as their owner, and are never freed.

/** No register, no piece, no list: every index is at least 0. */
export const NONE = -1;

/** Returns an array of twice the length with the same contents. */
export function widen(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** Returns a zeroed array of at least `length` elements; the contents are not kept. */
export function sized(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(Math.max(length, 2 * array.length));
}
