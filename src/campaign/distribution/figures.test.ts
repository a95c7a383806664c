// As which profiles usual seeds are read: shares, with floors.

import test from "ava";
import { emptyTally } from "../count/tally.js";
import { isBelowFloor } from "./figure.js";
import { figuresOf } from "./figures.js";

const below = (readings: Readonly<Record<string, number>>): string[] =>
  figuresOf({ ...emptyTally(), readings: { ...readings } }, 1)
    .filter((figure) => figure.name.includes("read as") && isBelowFloor(figure))
    .map(({ name }) => name);

test("of usual seeds some are to be read otherwise", (t) => {
  t.deepEqual(below({ usual: 1000, mutated: 71, "each-exit": 71 }), []);
  t.deepEqual(below({ usual: 1000, mutated: 71 }), ["programs of usual seeds, read as each-exit"]);
  t.deepEqual(below({ usual: 1000, "each-exit": 20 }), [
    "programs of usual seeds, read as mutated",
    "programs of usual seeds, read as each-exit",
  ]);
  t.deepEqual(below({ usual: 20 }), [], "too few to tell");
  t.deepEqual(below({ memory: 1000 }), [], "a profile that says how all are read");
});
