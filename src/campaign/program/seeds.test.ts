// Tests how seeds are read. Some seeds had invalid programs: a change of the generator gives them
// other programs; until then each is a regression test.

import test from "ava";
import { printModule } from "../../ir/text/print.js";
import { describeFault, verify } from "../../ir/verify/verify.js";
import { isWorldProfile, WORLD_PROFILES } from "../../worlds/worlds.js";
import { generatedOf, MIXED, programOf, readingOf } from "./seeds.js";

for (const [seed, was] of [
  [700013357n, "the address of a procedure, which a call had taken, was converted to a float"],
] as const) {
  test(`seed ${seed} names a program: ${was}`, (t) => {
    t.deepEqual(verify(generatedOf(seed).module).map(describeFault), []);
  });
}

test("mixed seeds are read by all kinds of worlds, and half of them are usual", (t) => {
  const readings = Array.from({ length: 2000 }, (_, s) => readingOf(BigInt(s), MIXED));
  const worlds = new Set(readings.filter(isWorldProfile));
  t.deepEqual([...worlds].sort(), [...WORLD_PROFILES].sort());
  const usual = readings.filter((reading) => ["usual", "mutated", "each-exit"].includes(reading));
  t.true(usual.length > 900 && usual.length < 1100, `${usual.length} usual seeds`);
  t.is(new Set(readings).size, worlds.size + 7);
});

test("a mixed seed is the program of its reading", (t) => {
  for (let seed = 0n; seed < 40n; seed++) {
    const reading = readingOf(seed, MIXED);
    if (!isWorldProfile(reading) && reading !== "small") continue;
    t.is(printModule(programOf(seed, MIXED).module), printModule(programOf(seed, reading).module));
  }
});
