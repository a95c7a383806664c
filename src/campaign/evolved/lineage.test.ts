import test from "ava";
import { printModule } from "../../ir/print.js";
import { describeFault, verify } from "../../ir/verify.js";
import { EVOLVED, newBreeder, programOf } from "../seeds.js";
import { Breeder, type Lineage, PARENTS_MAX, parseLineage, printLineage } from "./lineage.js";

const textOf = (lineage: Lineage): string =>
  printModule(programOf(lineage[lineage.length - 1], EVOLVED, lineage.slice(0, -1)).module);

test("a lineage gives the same valid program, whatever was made before", (t) => {
  const lineage = [12n, 55n, 931n, 4n, 77n, 6n];
  const texts = lineage.map((_, i) => textOf(lineage.slice(0, i + 1)));
  t.is(new Set(texts).size, texts.length, "each seed changes something");
  t.is(texts[0], printModule(programOf(12n).module), "the first is a usual program");
  const breeder = newBreeder();
  // Backwards, and with another of the same ancestors between: all of it comes from what is kept.
  for (let i = lineage.length; i > 0; i--) {
    breeder.programOf([...lineage.slice(0, i), 1000n]);
    const { module } = breeder.programOf(lineage.slice(0, i));
    t.is(printModule(module), texts[i - 1]);
    t.deepEqual(verify(module).map(describeFault), []);
  }
});

test("a parent is made once, and what is kept is bounded", (t) => {
  const asked: bigint[] = [];
  const program = programOf(5n);
  const breeder = new Breeder((seed) => {
    asked.push(seed);
    return program;
  });
  for (let seed = 0n; seed < 6n; seed++) breeder.programOf([12n, 55n, seed]);
  t.is(asked.filter((seed) => seed === 12n).length, 1);
  for (let other = 1000n; other < 1300n; other++) breeder.programOf([other, 1n]);
  breeder.programOf([12n, 55n, 6n]);
  t.is(asked.filter((seed) => seed === 12n).length, 2);
});

test("a lineage is read as it is printed, and nothing else is read", (t) => {
  const most = Array.from({ length: PARENTS_MAX }, (_, i) => BigInt(i) << 60n);
  for (const lineage of [[12n], [12n, 0n, (1n << 64n) - 1n], most]) {
    t.deepEqual(parseLineage(printLineage(lineage)), lineage);
  }
  const tooMany = printLineage([...most.map(() => 1n), 1n]);
  for (const text of ["", ",", "12,", "a", "1 ,2", "-1", "0x10", "18446744073709551616", tooMany]) {
    t.is(parseLineage(text), null, text);
  }
});
