// Tests that counted sets number each value once, in the stated order.

import test from "ava";
import {
  below,
  type CountedSet,
  choice,
  lazy,
  list,
  map,
  product,
  sequence,
  sumOver,
  symmetricPair,
  withNames,
} from "./counted.js";

const valuesOf = <T>({ count, at }: CountedSet<T>): T[] =>
  Array.from({ length: count }, (_, index) => at(index));

const sumOf = <T>(sets: readonly CountedSet<T>[]): CountedSet<T> => sumOver(sets, (set) => set);

test("each combinator numbers the values of its parts in order", (t) => {
  t.deepEqual(valuesOf(choice(["a", "b"])), ["a", "b"]);
  t.deepEqual(valuesOf(below(3)), [0, 1, 2]);
  const doubled = map(below(3), (n) => 2 * n);
  t.deepEqual(valuesOf(doubled), [0, 2, 4]);
  t.deepEqual(valuesOf(list([below(2), doubled])).join(" "), "0,0 0,2 0,4 1,0 1,2 1,4");
  t.deepEqual(valuesOf(sequence(2, below(2))).join(" "), "0,0 0,1 1,0 1,1");
  t.deepEqual(valuesOf(sequence(0, below(2))), [[]]);
  t.deepEqual(valuesOf(product({ x: below(2), name: choice(["a", "b"]) })), [
    { x: 0, name: "a" },
    { x: 0, name: "b" },
    { x: 1, name: "a" },
    { x: 1, name: "b" },
  ]);
  // Parts without values contribute nothing, wherever they are.
  const empty = choice<number>([]);
  t.deepEqual(valuesOf(sumOf([empty, below(2), empty, empty, doubled, empty])), [0, 1, 0, 2, 4]);
  t.deepEqual(valuesOf(sumOver([1, 2], (n) => sequence(n, choice([n])))), [[1], [2, 2]]);
});

test("an unordered pair is numbered once", (t) => {
  for (let size = 0; size < 12; size++) {
    const pairs = valuesOf(symmetricPair(below(size)));
    const expected: string[] = [];
    for (let y = 0; y < size; y++) for (let x = 0; x <= y; x++) expected.push(`${x},${y}`);
    t.deepEqual(pairs.map(String), expected);
  }
  const size = 60_000_000;
  const { count, at } = symmetricPair({ count: size, named: size, at: (index) => index });
  t.deepEqual(at(count - 1), [size - 1, size - 1]);
  t.deepEqual(at(count - size), [0, size - 1]);
  t.deepEqual(at(count - size - 1), [size - 2, size - 2]);
});

test("the number of names follows the parts", (t) => {
  const pairs = symmetricPair(below(3));
  t.deepEqual([pairs.count, pairs.named], [6, 9]);
  const both = list([map(pairs, String), choice(["a", "b"])]);
  t.deepEqual([both.count, both.named], [12, 18]);
  const either = sumOf<unknown[]>([both, withNames(choice([["x"]]), 5)]);
  t.deepEqual([either.count, either.named], [13, 23]);
});

test("a lazy set is made once, at its first use", (t) => {
  let made = 0;
  const set = lazy(() => {
    made++;
    return below(3);
  });
  t.is(made, 0);
  t.deepEqual([set.count, set.named, set.at(2)], [3, 3, 2]);
  t.is(made, 1);
});
