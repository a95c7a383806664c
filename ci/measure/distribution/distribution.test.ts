// Tests the generated programs: no figure of the fixed seeds is below its floor.

import test from "ava";
import { isBelowFloor } from "../../../src/campaign/count/figure.js";
import { ALL_OPCODES, EFFECTS, EXITS, nameOfOpcode } from "../../../src/ir/opcodes.js";
import { trials } from "../../../src/support/trials.js";
import { measureDistribution } from "./distribution.js";
import { zeroesOf } from "./instances.js";

// Rare events depend on chance in few programs, so their floors apply to the large sample of the
// nightly run.
const count = trials(1_000, 20_000);
test(`no figure of ${count} fixed seeds is below its floor`, (t) => {
  const { figures } = measureDistribution(1n, count);
  t.deepEqual(figures.filter(isBelowFloor), []);
});

test("every opcode has its lines in the table, and a zero is listed", (t) => {
  const { instances, figures } = measureDistribution(1n, 3);
  const names = new Set(instances.map(({ name }) => name.split(" ")[0]));
  for (const opcode of ALL_OPCODES) t.true(names.has(nameOfOpcode(opcode)), nameOfOpcode(opcode));
  const zeroes = instances.filter((counts) => zeroesOf(counts).length > 0);
  t.true(zeroes.length > 0, "three programs do not have everything");
  const figure = figures.find(({ name }) => name === "opcodes by type with a zero");
  for (const { name } of zeroes) t.true(String(figure?.value).includes(`${name} (`), name);
});

test("a zero counts where the column applies", (t) => {
  const counts = { name: "Nop", generated: 1, executed: 0, mattered: 0, steered: 0 };
  t.deepEqual(zeroesOf({ ...counts, applies: ["generated", "executed"] }), ["executed"]);
  t.deepEqual(zeroesOf({ ...counts, applies: ["generated"] }), []);
});

test("the tables count the executions of the programs", (t) => {
  const { exits, makers, specials, histograms } = measureDistribution(1n, 60);
  const taken = (name: string): number => exits.find((row) => row.name === name)?.taken ?? -1;
  const places = ["in the entry", "in a callee", "in a continuation"].map(taken);
  const visits = ["on the first visit", "on the second", "on the third or later"].map(taken);
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  const guards = new Set<string>(
    ALL_OPCODES.filter((opcode) => (EFFECTS[opcode] & EXITS) !== 0).map(nameOfOpcode),
  );
  t.true(sum(places) > 20 && Math.min(...places) >= 0);
  t.is(sum(places), sum(visits));
  t.is(
    sum(exits.filter(({ name }) => guards.has(name.split(" ")[0])).map((row) => row.taken)),
    sum(places),
  );
  t.true(makers.some(({ mattered }) => mattered > 0));
  t.true(makers.every(({ made, mattered }) => mattered <= made));
  t.true((specials.find(({ name }) => name === "Add Int32")?.met["INT_MIN"] ?? 0) > 0);
  for (const { name, counts } of histograms) {
    if (name.startsWith("programs")) t.is(sum(counts), 60, name);
  }
});

test("an observer's counts become shares of the programs", (t) => {
  const { figures } = measureDistribution(1n, 10, (module) => ({
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
