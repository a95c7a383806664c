// Defines counted sets: numbered sets of values, from combinators. Each combinator derives the
// count and the value of a number from those of its parts; the last part varies fastest.

export interface CountedSet<T> {
  readonly count: number;
  /** The number of values without symmetry: both orders of an unordered pair, for example. */
  readonly named: number;
  /** Returns value `index`, below `count`. */
  readonly at: (index: number) => T;
}

/** The type of the values of a counted set. */
export type CountedValue<Set> = Set extends CountedSet<infer T> ? T : never;

export function choice<T>(values: readonly T[]): CountedSet<T> {
  return { count: values.length, named: values.length, at: (index) => values[index] };
}

/** Returns the set of the numbers below `count`. */
export const below = (count: number): CountedSet<number> => choice([...Array(count).keys()]);

export function map<T, U>(
  { count, named, at }: CountedSet<T>,
  change: (value: T) => U,
): CountedSet<U> {
  return { count, named, at: (index) => change(at(index)) };
}

/** Returns the set of all lists with one value of each part. */
export function list<T>(parts: readonly CountedSet<T>[]): CountedSet<T[]> {
  const at = (index: number): T[] => {
    const values: T[] = [];
    let rest = index;
    for (const part of parts.toReversed()) {
      values.push(part.at(rest % part.count));
      rest = Math.floor(rest / part.count);
    }
    return values.reverse();
  };
  const times = (numberOf: (part: CountedSet<T>) => number): number =>
    parts.reduce((all, part) => all * numberOf(part), 1);
  return { count: times(({ count }) => count), named: times(({ named }) => named), at };
}

export const sequence = <T>(length: number, part: CountedSet<T>): CountedSet<T[]> =>
  list(Array<CountedSet<T>>(length).fill(part));

/** Returns the set of all records with one value of each named part. */
export function product<T extends object>(
  parts: {
    readonly [Name in keyof T]: CountedSet<T[Name]>;
  },
): CountedSet<T> {
  const names = Object.keys(parts);
  const toRecord = (values: readonly unknown[]): T =>
    Object.fromEntries(names.map((name, n) => [name, values[n]])) as T;
  return map(list(Object.values<CountedSet<unknown>>(parts)), toRecord);
}

/** Returns the set of the values of each row's set, one row after the other. */
export function sumOver<Row, T>(
  rows: readonly Row[],
  setOf: (row: Row) => CountedSet<T>,
): CountedSet<T> {
  const parts = rows.map(setOf);
  /** For each part the number of its first value, and at the end the total. */
  const starts = new Float64Array(parts.length + 1);
  parts.forEach(({ count }, p) => {
    starts[p + 1] = starts[p] + count;
  });
  const at = (index: number): T => {
    let [low, high] = [0, parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return parts[low].at(index - starts[low]);
  };
  const named = parts.reduce((all, part) => all + part.named, 0);
  return { count: starts[parts.length], named, at };
}

/**
 * Returns the set of unordered pairs; both values may be the same. Pair x <= y has number y (y + 1)
 * / 2 + x.
 */
export function symmetricPair<T>({ count, named, at }: CountedSet<T>): CountedSet<[T, T]> {
  const pairAt = (index: number): [T, T] => {
    let y = Math.floor((Math.sqrt(8 * index + 1) - 1) / 2);
    while ((y * (y + 1)) / 2 > index) y--;
    while (((y + 1) * (y + 2)) / 2 <= index) y++;
    return [at(index - (y * (y + 1)) / 2), at(y)];
  };
  return { count: (count * (count + 1)) / 2, named: named * named, at: pairAt };
}

/** Returns the same set, with another number of values before symmetry is removed. */
export const withNames = <T>(counted: CountedSet<T>, named: number): CountedSet<T> => ({
  ...counted,
  named,
});

/** Returns a set that is made at its first use. */
export function lazy<T>(make: () => CountedSet<T>): CountedSet<T> {
  let made: CountedSet<T> | null = null;
  const get = (): CountedSet<T> => {
    made ??= make();
    return made;
  };
  return {
    get count() {
      return get().count;
    },
    get named() {
      return get().named;
    },
    at: (index) => get().at(index),
  };
}
