// Tests that a lineage of seeds gives the same program everywhere.

import test from "ava";
import { printModule } from "../../ir/text/print.js";
import { describeFault, verify } from "../../ir/verify/verify.js";
import {
  childOf,
  isParents,
  type Lineage,
  ProgramBreeder,
  parentsOf,
  STEPS_MAX,
} from "./lineage.js";
import { EVOLVED, generatedOf, newBreeder, programOf } from "./seeds.js";

const textOf = (parents: readonly Lineage[], seed: bigint): string =>
  printModule(programOf(seed, EVOLVED, parentsOf(parents)).module);

test("a lineage gives the same valid program, independent of earlier calls", (t) => {
  const made: { parents: Lineage[]; seed: bigint; lineage: Lineage }[] = [];
  const make = (parents: Lineage[], seed: bigint): Lineage => {
    const lineage = childOf(parents, seed);
    made.push({ parents, seed, lineage });
    return lineage;
  };
  const [a, b] = [make([], 12n), make([], 7n)];
  const mutated = make([a], 55n);
  make([make([mutated, b], 931n)], 4n);
  make([b, make([mutated], 4n)], 6n);
  t.is(made[6].lineage, "7,12,m55,m4,x6");
  const texts = made.map(({ parents, seed }) => textOf(parents, seed));
  t.is(new Set(texts).size, texts.length, "each seed changes something");
  t.is(texts[0], printModule(generatedOf(12n).module), "the first is a usual program");
  // The lineages run backwards, with a sibling before each, so that all come from the caches.
  const breeder = newBreeder();
  for (let i = made.length - 1; i >= 0; i--) {
    const parents = parentsOf(made[i].parents);
    breeder.childOf(parents, 1000n);
    const { module } = breeder.childOf(parents, made[i].seed);
    t.is(printModule(module), texts[i]);
    t.deepEqual(verify(module).map(describeFault), []);
  }
});

test("a parent is made once, and the caches are bounded", (t) => {
  const asked: bigint[] = [];
  const program = programOf(5n);
  const breeder = new ProgramBreeder((seed) => {
    asked.push(seed);
    return program;
  });
  const timesAsked = (wanted: bigint): number => asked.filter((seed) => seed === wanted).length;
  for (let seed = 0n; seed < 6n; seed++) breeder.childOf("12,m55", seed);
  t.is(timesAsked(12n), 1);
  for (let other = 1000; other < 1300; other++) breeder.childOf(String(other), 1n);
  breeder.childOf("12,m55", 6n);
  t.is(timesAsked(12n), 2);
});

test("parents are one or two lineages, with a bounded number of steps", (t) => {
  const most = ["1", ...Array.from({ length: STEPS_MAX - 1 }, (_, i) => `m${i}`)].join(",");
  for (const text of ["12", "12,m0", "12,m18446744073709551615", "1,2", "1,2,x3", "1,2,m3", most]) {
    t.true(isParents(text), text);
  }
  const none = ["", ",", "12,", "a", "1 ,2", "-1", "0x10", "18446744073709551616", `${most},m1`];
  for (const text of [...none, "m1", "1,x2", "1,2,3", "1,2,x3,x4", "1,mm2", "1,m"]) {
    t.false(isParents(text), text);
  }
});
