// Finds seeds for tests by a property, instead of naming a seed: a change of the generator changes the program of every
// seed. The property must be cheap to test, in the program or in one execution of the oracle.

interface SeedRange {
  readonly from?: bigint;
  /** The number of seeds that are tried. */
  readonly count: bigint;
}

/**
 * Returns the first seed with the property, and the result of `find`.
 * @param what the property, in the words of the error: "a program that calls itself"
 * @param find returns the property of a seed, or null
 * @throws an error with the property and the range if no seed has it
 */
export function firstSeed<T>(
  what: string,
  { from = 0n, count }: SeedRange,
  find: (seed: bigint) => T | null,
): { readonly seed: bigint; readonly found: T } {
  for (let seed = from; seed < from + count; seed++) {
    const found = find(seed);
    if (found !== null) return { seed, found };
  }
  throw new Error(`no seed from ${from} to ${from + count - 1n} has ${what}`);
}

/** Returns the first seed for which `has` is true. */
export const firstSeedThat = (
  what: string,
  range: SeedRange,
  has: (seed: bigint) => boolean,
): bigint => firstSeed(what, range, (seed) => (has(seed) ? true : null)).seed;
