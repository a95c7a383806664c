// Tests the search for seeds.

import test from "ava";
import { firstSeed, firstSeedThat } from "./first-seed.js";

test("the first seed is returned with its property, or an error states the property and the range", (t) => {
  const root = (seed: bigint): number | null =>
    Number.isInteger(Math.sqrt(Number(seed))) ? Math.sqrt(Number(seed)) : null;
  t.deepEqual(firstSeed("a root", { from: 5n, count: 9n }, root), { seed: 9n, found: 3 });
  t.is(
    firstSeedThat("three", { count: 4n }, (seed) => seed === 3n),
    3n,
  );
  t.throws(() => firstSeed("a root", { from: 5n, count: 4n }, root), {
    message: "no seed from 5 to 8 has a root",
  });
});
