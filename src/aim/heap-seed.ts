// Finds the heap seed that gives a word at an index. The initial heap consists of steps of an
// invertible generator, so one 32-bit word of each input can be chosen; it determines the others.

/**
 * Returns the word of `heapContents` at that index.
 * @param seed not 0
 */
export function wordAt(seed: number, index: number): number {
  let x = seed | 0;
  for (let i = 0; i <= index; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

/**
 * Returns the seed with which the word at that index is `word`.
 * @param word not 0
 */
export function seedFor(word: number, index: number): number {
  let x = word | 0;
  for (let i = 0; i <= index; i++) {
    x = undoLeft(x, 5);
    x ^= x >>> 17; // twice 17 exceeds the word
    x = undoLeft(x, 13);
  }
  return x;
}

/**
 * Solves x = y ^ (y << count) for y: its low bits are x's, and each further group follows from
 * them.
 */
function undoLeft(x: number, count: number): number {
  let y = x;
  for (let known = count; known < 32; known += count) y = x ^ (y << count);
  return y;
}
