// Arrays that grow. Arenas live as long as their owner, and are never freed.

import type { IndexArray, None } from "../lir/indices.js";

/** No register, no piece, no list: every index is at least 0. */
export const NONE = -1 as None;

type WordArray = Int32Array | IndexArray<number, never>;

// The casts hold because every column is a typed array (indices.ts).

/** Returns an array of twice the length with the same contents. */
export function widen<Array extends WordArray>(array: Array): Array {
  const larger = new Int32Array(array.length * 2);
  larger.set(array as Int32Array);
  return larger as WordArray as Array;
}

/** Returns a zeroed array of at least `length` elements; the contents are not kept. */
export const sized = <Array extends WordArray>(array: Array, length: number): Array =>
  new Int32Array(Math.max(length, 2 * array.length)) as WordArray as Array;

/** Widens the columns of these names. */
export function widenColumns<Name extends string>(
  owner: { [N in Name]: IndexArray<number, never> },
  names: readonly Name[],
): void {
  for (const name of names) owner[name] = widen(owner[name]);
}

/** Replaces the columns of these names by zeroed ones of at least `length` elements. */
export function sizeColumns<Name extends string>(
  owner: { [N in Name]: IndexArray<number, never> },
  names: readonly Name[],
  length: number,
): void {
  for (const name of names) owner[name] = sized(owner[name], length);
}
