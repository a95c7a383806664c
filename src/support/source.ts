// Defines the source of choices, from which all randomness in Touchstone comes. It may be a seed, recorded choices,
// bytes of a fuzzer, or fast-check.

export interface ChoiceSource {
  /** Returns an integer in [0, count); count is 1 to 2^32. */
  below(count: number): number;
  /**
   * Begins a structure: the draws up to the matching `end` belong to it. A seed ignores these marks, so they do not
   * change its program; recorders and shrinkers use them.
   */
  begin(name: string): void;
  end(): void;
  /**
   * Returns false if no choices remain for another structure of that name: a maker of an open number of parts then
   * stops, instead of making the rest from zeroes.
   */
  has(name: string): boolean;
}

/** Calls `make` with its choices marked as one structure. */
export function within<T>(source: ChoiceSource, name: string, make: () => T): T {
  source.begin(name);
  const made = make();
  source.end();
  return made;
}

/** A source of numbers from a 64-bit seed: xoshiro128** (Blackman and Vigna 2018), seeded through splitmix32. */
export class SeedSource implements ChoiceSource {
  private s0: number;
  private s1: number;
  private s2: number;
  private s3: number;

  /**
   * @param seed any integer; only its low 64 bits count
   * @param fork the name of an independent stream, so that one more draw in one stream does not change the others
   */
  constructor(seed: bigint, fork = "") {
    const mixer = new SplitMix(
      Number(BigInt.asIntN(32, seed)),
      Number(BigInt.asIntN(32, seed >> 32n)) ^ hashName(fork),
    );
    this.s0 = mixer.next();
    this.s1 = mixer.next();
    this.s2 = mixer.next();
    this.s3 = mixer.next() | 1; // the all-zero state would remain zero
  }

  /** Returns 32 random bits, as a signed integer. */
  bits(): number {
    const scrambled = Math.imul(rotateLeft(Math.imul(this.s1, 5), 7), 9);
    const shifted = this.s1 << 9;
    this.s2 ^= this.s0;
    this.s3 ^= this.s1;
    this.s1 ^= this.s2;
    this.s0 ^= this.s3;
    this.s2 ^= shifted;
    this.s3 = rotateLeft(this.s3, 11);
    return scrambled;
  }

  // Multiply-shift instead of a remainder: the bias is below 2^-32 * count, and the cost is one multiplication.
  below(count: number): number {
    return Math.floor(((this.bits() >>> 0) / 0x1_0000_0000) * count);
  }

  begin(_name: string): void {}
  end(): void {}
  has(_name: string): boolean {
    return true;
  }
}

/** A source that reads choices from the bytes of a fuzzer: as many bytes as `count` needs, then modulo. */
export class ByteSource implements ChoiceSource {
  private at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  below(count: number): number {
    let value = 0;
    for (let limit = 1; limit < count; limit *= 256) {
      const byte = this.at < this.bytes.length ? this.bytes[this.at++] : 0;
      value = value * 256 + byte;
    }
    return value % count;
  }

  begin(_name: string): void {}
  end(): void {}
  has(_name: string): boolean {
    return this.at < this.bytes.length;
  }
}

class SplitMix {
  private state: number;
  private stir: number;

  constructor(state: number, stir: number) {
    this.state = state | 0;
    this.stir = stir | 0;
  }

  next(): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let z = this.state ^ this.stir;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    this.stir = rotateLeft(this.stir, 13) ^ z;
    return z ^ (z >>> 16);
  }
}

function hashName(name: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash;
}

function rotateLeft(x: number, count: number): number {
  return (x << count) | (x >>> (32 - count));
}
