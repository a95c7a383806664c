// Arrays that grow: arenas live as long as the module, and are never freed.

/** No register, no piece, no list: no index is negative. */
export const NONE = -1;

/** Twice as long; the contents are kept. */
export function widen(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** An array of at least `length`; the contents are not kept. */
export function sized(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(Math.max(length, 2 * array.length));
}
