// Tests that phases report by name the limits that a large program reaches, and that campaigns
// count them.

import test from "ava";
import { emptyTally, mergeTally, tallyProgram } from "../../../src/campaign/count/tally.js";
import { USUAL } from "../../../src/campaign/program/seeds.js";
import { Judge } from "../../../src/compare/judge-program.js";
import { subjectNamed } from "../../../src/execute/subjects.js";
import type { Input } from "../../../src/ir/outcome.js";
import type { Value } from "../../../src/ir/procedure.js";
import { Int32 } from "../../../src/ir/types.js";
import { assert } from "../../../src/support/assert.js";
import { GROWTH_SHAPES, type GrowthShape, moduleOf } from "./growth-shapes.js";

/** With these inputs no loop runs more than once. */
const INPUT: Input = { words: new Int32Array(6), heapSeed: 0 };
const FUEL = 1_000_000;

const COPIES = ["unroll-loop: procedure size", "version-loops: procedure size"];
const RANGES = "eliminate-bounds-checks: range steps";

const [NESTS] = GROWTH_SHAPES.filter(({ name }) => name === "nests");

/**
 * Shapes that reach limits which no shape of growth reaches. Each is as large as its limit
 * requires.
 */
const SHAPES: readonly GrowthShape[] = [
  ...GROWTH_SHAPES,
  { name: "load after branches", unit: 1, make: loadAfterBranches },
  { name: "load among stores", unit: 1, make: loadAmongStores },
  { name: "shown slots", unit: 1, make: shownSlots },
  { name: "extended nests", unit: NESTS.unit, make: extendedNests },
];

// biome-ignore format: a table
const REACHED = [
  { shape: "nests",   values: 5000, limits: ["hoist-loop-invariant-values: loop levels", ...COPIES, RANGES] },
  { shape: "stores",  values: 1200, limits: ["eliminate-dead-stores: near accesses", "forward-loads: near accesses"] },
  { shape: "kernels", values: 5000, limits: ["predicate-bounds-checks: procedure size", "forward-loads: near accesses", ...COPIES, RANGES] },
  { shape: "load after branches", values: 100,  limits: ["hoist-loop-invariant-values: searched blocks"] },
  { shape: "load among stores",    values: 257,  limits: ["hoist-loop-invariant-values: loop writes"] },
  { shape: "shown slots",          values: 1024, limits: ["sink-allocation: slot states"] },
  { shape: "extended nests",       values: 5000, limits: ["narrow: range steps"] },
];

type Making = Parameters<GrowthShape["make"]>[0];
type Number32 = Value<"Int32">;

/** Builds a loop that runs once. */
function loop({ builder, emit, x, y }: Making, body: (counter: Number32) => void): Number32 {
  const entry = builder.block;
  const header = builder.startBlock();
  const counter = emit.Phi<"Int32", never>(Int32);
  builder.block = entry;
  emit.Upsilon(x, counter);
  emit.Jump(header);
  builder.block = header;
  body(counter);
  const next = emit.Sub(counter, y);
  emit.Upsilon(next, counter);
  const last = builder.block;
  const after = builder.startBlock();
  builder.block = last;
  emit.Branch(next, header, after);
  builder.block = after;
  return next;
}

/** Builds a loop with `units` branches, followed by a loop-invariant load. */
function loadAfterBranches(making: Making, units: number): Number32 {
  const { builder, emit, x, y, heap } = making;
  return loop(making, (counter) => {
    for (let u = 0; u < units; u++) {
      const above = builder.block;
      const [taken, missed, join] = [0, 1, 2].map(() => builder.startBlock());
      builder.block = taken;
      emit.Store(x, heap, 8 * u);
      emit.Jump(join);
      builder.block = missed;
      emit.Store(y, heap, 8 * u + 4);
      emit.Jump(join);
      builder.block = above;
      emit.Branch(emit.BitAnd(counter, emit.Const32([1 << (u & 31), 0])), taken, missed);
      builder.block = join;
    }
    const loaded = emit.Load<"Int32", never>(Int32, heap, 2048);
    emit.Store(emit.Add(loaded, counter), heap, 2052);
  });
}

/** Builds a loop with `units` stores and a loop-invariant load. */
function loadAmongStores(making: Making, units: number): Number32 {
  const { emit, heap } = making;
  return loop(making, (counter) => {
    const loaded = emit.Load<"Int32", never>(Int32, heap, 2048);
    for (let u = 0; u < units; u++) emit.Store(emit.Add(loaded, counter), heap, 4 * u);
  });
}

/** Builds guards, each of which has a slot of its own in its snapshot. */
function shownSlots({ proc, emit, x, y }: Making, units: number): Number32 {
  for (let u = 0; u < units; u++) {
    const slot = proc.newSlot(4, false, u);
    emit.Store(y, emit.SlotBase(slot), 0);
    const snapshot = proc.newSnapshot(u);
    snapshot.frames.push({ name: proc.name, point: u, slots: [{ kind: "contents", slot }] });
    emit.Check(emit.Equal(x, emit.Const32([u + 1, 0])), snapshot);
  }
  return x;
}

/**
 * Builds nests of loops and a value that could be narrowed; without such a value no ranges are
 * computed.
 */
function extendedNests(making: Making, units: number): Number32 {
  const { emit, heap } = making;
  const result = NESTS.make(making, units);
  emit.Store(emit.SExt32(result), heap, 0);
  return result;
}

test("reached limits are counted by phase and limit, and add up", (t) => {
  const subject = subjectNamed("ir-O2");
  assert(subject !== null, () => "no subject is named ir-O2");
  const judge = new Judge({ subjects: [subject], fuelMax: FUEL });
  for (const { shape: name, values, limits } of REACHED) {
    const shape = SHAPES.find((shape) => shape.name === name);
    assert(shape !== undefined, () => `no shape is named ${name}`);
    const module = moduleOf(shape, values);
    const [tally, whole] = [emptyTally(), emptyTally()];
    tallyProgram(tally, module, judge.judge({ module, inputs: [INPUT] }), USUAL);
    for (const limit of limits) t.is(tally.limits?.[limit], 1, `${name}: ${limit}`);
    mergeTally(whole, tally);
    mergeTally(whole, tally);
    t.is(whole.limits?.[limits[0]], 2);
  }
  judge.close();
});
