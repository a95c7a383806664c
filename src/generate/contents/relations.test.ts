// Requires that usual programs contain each relation to values of other makers.

import test from "ava";
import { Op } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { SeedSource } from "../../support/source.js";
import { generateProgram } from "../generate-program.js";
import { RELATIONS } from "./relations.js";

const PROGRAMS = 400;

type RelationTest = (made: Value, before: readonly Value[], proc: Procedure) => boolean;

const distance = (x: Value | null, y: Value | null): number =>
  x?.isConstant === true && y?.isConstant === true
    ? Math.abs((x.constantLow - y.constantLow) | 0)
    : NaN;
const isWrittenTo = (proc: Procedure, phi: Value | null, value: Value | null): boolean => {
  let found = false;
  proc.forEachValue(({ opcode, extra, a }) => {
    if (opcode === Op.Upsilon && extra === phi && a === value) found = true;
  });
  return phi?.opcode === Op.Phi && value !== null && found;
};

// By relation: how many of the programs contain the relation at least.
const EXPECTED: Readonly<Record<string, readonly [number, RelationTest]>> = {
  "comparison beside another": [
    25,
    (made, before) => before.some((old) => old.a === made.a && distance(old.b, made.b) === 1),
  ],
  "condition on a loop's counter": [7, (made) => made.a?.opcode === Op.Phi],
  "constants that cancel": [
    50,
    (made) => made.b?.isConstant === true && made.a?.b?.isConstant === true,
  ],
  "truncation and extension": [
    7,
    (made, before) => before.some((old) => old.opcode === Op.Trunc && made.a === old),
  ],
  "one operation on two values": [
    50,
    (made) => made.a !== null && made.b !== null && made.a.opcode === made.b.opcode,
  ],
  "expression of a newer value": [
    6,
    (made, before, proc) =>
      before.some((old) => old.opcode === made.opcode && isWrittenTo(proc, made.a, old.a)),
  ],
  "store of the loaded value": [
    30,
    (made, before) =>
      made.opcode === Op.Store && before.some((old) => old === made.a && old.a === made.b),
  ],
  "call with other arguments": [
    5,
    (made, before) =>
      made.opcode === Op.CCall &&
      made.rest?.some((argument) => argument.isConstant) === true &&
      before.some((old) => old.opcode === Op.CCall && old.extra === made.extra),
  ],
};

test("usual programs contain each relation", (t) => {
  const counts = new Map(RELATIONS.map(({ name }) => [name, 0]));
  for (let seed = 0; seed < PROGRAMS; seed++) {
    const { made } = generateProgram(new SeedSource(BigInt(seed), "related"));
    const found = new Set<string>();
    for (const { maker, proc, from, to } of made) {
      if (!(maker in EXPECTED)) continue;
      const values: Value[] = [];
      proc.forEachValue((value) => values.push(value));
      const before = values.filter(({ id }) => id < from);
      const isRelated = EXPECTED[maker][1];
      const own = values.filter(({ id }) => id >= from && id < to);
      if (own.some((value) => isRelated(value, before, proc))) found.add(maker);
    }
    for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const rare = [...counts].filter(([name, count]) => !(count >= EXPECTED[name][0]));
  t.deepEqual(rare, []);
});
