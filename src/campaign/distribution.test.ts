import test from "ava";
import { isBelowFloor, measureDistribution } from "./distribution.js";

test("no figure of 2,000 fixed seeds is below its floor", (t) => {
  const figures = measureDistribution(1n, 2000);
  t.deepEqual(figures.filter(isBelowFloor), []);
});

test("an observer's counts become shares of the programs", (t) => {
  const figures = measureDistribution(1n, 10, (module) => ({
    small: module.heapSize === 4096 ? 1 : 0,
  }));
  const small = figures.find(({ name }) => name === "small");
  t.true(typeof small?.value === "number" && small.value > 0 && small.value <= 1);
});

test("a figure is below its floor by number or by name", (t) => {
  t.true(isBelowFloor({ name: "a", value: 1, floor: 2 }));
  t.false(isBelowFloor({ name: "a", value: 2, floor: 2 }));
  t.false(isBelowFloor({ name: "a", value: 1, floor: null }));
  t.true(isBelowFloor({ name: "a", value: "Add Int32", floor: 0 }));
  t.false(isBelowFloor({ name: "a", value: "", floor: 0 }));
});
