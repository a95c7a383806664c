// Tests that a finding among worlds is reduced to one world with one tuple of operands.

import test from "ava";
import { printModule } from "../../ir/text/print.js";
import { worldOnTuple } from "../../worlds/world-program.js";
import { WORLDS, worldsOf } from "../../worlds/worlds.js";
import { emptyTally } from "../count/tally.js";
import { NO_PARENTS } from "../program/lineage.js";
import type { RawFinding } from "../run/found.js";
import { judgeOptionsOf, SeedJudge } from "../run/judge-seed.js";
import { cutToWorld } from "./cut-world.js";

const SEEDS = 80n;
const profile = `${WORLDS}-two-stores`;
// Removes a store of which only a part is overwritten.
const settings = { subjects: ["ir-O2"], canary: "store-half-dead", drawn: null, profile };

function firstFound(): RawFinding | null {
  const judge = new SeedJudge(settings);
  try {
    for (let seed = 0n; seed < SEEDS; seed++) {
      const [found] = judge.judge({ seed, parents: NO_PARENTS }, emptyTally());
      if (found !== undefined) return found;
    }
    return null;
  } finally {
    judge.close();
  }
}

test("a world finds a broken phase, and shows it alone", (t) => {
  const found = firstFound();
  if (found === null) return t.fail("no world shows it");
  const options = judgeOptionsOf(settings, found.seed);
  const cut = cutToWorld(found, profile, options);
  if (cut === null) return t.fail("no world shows it alone");
  const text = printModule(cut.module);
  const onOneTuple = worldsOf(found.seed, profile).map((world) =>
    printModule(worldOnTuple(found.seed, world, 0).module),
  );
  t.true(onOneTuple.includes(text), "one world, and no loop around it");
  // A finding that no world shows alone is not reduced to one.
  t.is(cutToWorld({ ...found, aspect: "slots" }, profile, options), null);
});
