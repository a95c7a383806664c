// Which seed of a heap gives a word at a place. The first contents of a heap are steps of a generator
// that can be stepped backwards, so one word of 32 bits is free in each input; the others follow.

/** The word of `heapContents` at that index. @param seed not 0 */
export function wordAt(seed: number, index: number): number {
  let x = seed | 0;
  for (let i = 0; i <= index; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

/** The seed with which the word at that index is `word`. @param word not 0 */
export function seedFor(word: number, index: number): number {
  let x = word | 0;
  for (let i = 0; i <= index; i++) {
    x = undoLeft(x, 5);
    x ^= x >>> 17; // twice 17 is beyond the word
    x = undoLeft(x, 13);
  }
  return x;
}

/** The y of which x is y ^ (y << count): its low bits are x's, and each further run follows from them. */
function undoLeft(x: number, count: number): number {
  let y = x;
  for (let known = count; known < 32; known += count) y = x ^ (y << count);
  return y;
}
