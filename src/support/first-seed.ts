// Tests look for seeds that have what they are about, instead of naming one: a change of what is drawn moves all seeds.
// What is looked for must be seen cheaply, in the program or in one execution of the oracle.

interface Range {
  readonly from?: bigint;
  /** Seeds that are tried. */
  readonly count: bigint;
}

/**
 * The first seed that has something, and what it has.
 * @param what is looked for, as the error says it: "a program that calls itself"
 * @param find what is found in a seed, or null where that is nothing
 * @throws where no seed has it; it says what was looked for, and how far
 */
export function firstSeed<T>(
  what: string,
  { from = 0n, count }: Range,
  find: (seed: bigint) => T | null,
): { readonly seed: bigint; readonly found: T } {
  for (let seed = from; seed < from + count; seed++) {
    const found = find(seed);
    if (found !== null) return { seed, found };
  }
  throw new Error(`no seed from ${from} to ${from + count - 1n} has ${what}`);
}

/** The same where there is only a question. */
export const firstSeedThat = (what: string, range: Range, has: (seed: bigint) => boolean): bigint =>
  firstSeed(what, range, (seed) => (has(seed) ? true : null)).seed;
