// Tests the shares of the profiles by which usual seeds are read, and their floors.

import test from "ava";
import { isBelowFloor } from "./figure.js";
import { figuresOf } from "./figures.js";
import { emptyTally } from "./tally.js";

const below = (readings: Readonly<Record<string, number>>): string[] =>
  figuresOf({ ...emptyTally(), readings: { ...readings } }, 1)
    .filter((figure) => figure.name.includes("read as") && isBelowFloor(figure))
    .map(({ name }) => name);

test("some usual seeds are read by other profiles", (t) => {
  t.deepEqual(below({ usual: 1000, mutated: 71, "each-exit": 71 }), []);
  t.deepEqual(below({ usual: 1000, mutated: 71 }), ["programs of usual seeds, read as each-exit"]);
  t.deepEqual(below({ usual: 1000, "each-exit": 20 }), [
    "programs of usual seeds, read as mutated",
    "programs of usual seeds, read as each-exit",
  ]);
  t.deepEqual(below({ usual: 20 }), [], "too few programs to judge");
  t.deepEqual(below({ memory: 1000 }), [], "a profile that reads all seeds alike");
});
