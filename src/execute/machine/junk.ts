// Defines the junk in everything that the program has not set: registers, upper halves, unused
// stack. Every execution runs twice. In the first run the bits above 32-bit arguments and results
// are zero, as is common on a real machine. In the second they are junk. Code that relies on them
// is correct in one run and wrong in the other.

/** The number of the run. */
export type JunkRun = 0 | 1;
export const POISONS: readonly JunkRun[] = [0, 1];
/** One run, for subjects that have nothing to poison. */
export const NO_POISON: readonly JunkRun[] = [0];

const WORDS = 1 << 12;

/** Pseudo-random words (xorshift32), the same in every process. */
export const JUNK_WORDS: readonly [Int32Array, Int32Array] = [
  words(0x51ed_270b),
  words(0x2f0b_4c47),
];

/** Returns the word above the i-th 32-bit value. */
export const upperHalf = (poison: JunkRun, i: number): number =>
  poison === 0 ? 0 : JUNK_WORDS[1][(7 * i + 3) & (WORDS - 1)];

/** Fills a range of bytes; the same index always gets the same byte. */
export function fillWithJunk(bytes: Uint8Array, begin: number, end: number, poison: JunkRun): void {
  const source = JUNK_BYTES[poison];
  for (let at = begin; at < end; ) {
    const from = at % source.length;
    const count = Math.min(end - at, source.length - from);
    bytes.set(source.subarray(from, from + count), at);
    at += count;
  }
}

/** Returns true if the range still holds the bytes of fillWithJunk. */
export function holdsJunk(bytes: Uint8Array, begin: number, end: number, poison: JunkRun): boolean {
  const source = JUNK_BYTES[poison];
  for (let at = begin; at < end; at++) {
    if (bytes[at] !== source[at % source.length]) return false;
  }
  return true;
}

const JUNK_BYTES = JUNK_WORDS.map((junk) => new Uint8Array(junk.buffer));

function words(seed: number): Int32Array {
  const junk = new Int32Array(WORDS);
  let x = seed;
  for (let i = 0; i < WORDS; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    junk[i] = x;
  }
  return junk;
}
