// Builds programs of one shape in any size, to measure how each phase and stage grows.
//
// Each shape repeats one unit. The programs are valid; they are compiled and never run. Units
// differ in offsets and constants, so that equal values are not merged. bench-growth.ts measures
// the shapes; bench-growth.test.ts counts steps on them.

import { Builder } from "../../../src/ir/builder.js";
import { hostFunctionNamed } from "../../../src/ir/host-functions.js";
import {
  type BasicBlock,
  Module,
  Procedure,
  type Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import { assert } from "../../../src/support/assert.js";

type Int32Value = Value<"Int32">;
type Int64Value = Value<"Int64">;

/** A procedure of three parameters under construction. */
interface UnfinishedProcedure {
  readonly proc: Procedure;
  readonly builder: Builder;
  readonly emit: Builder["emit"];
  readonly x: Int32Value;
  readonly y: Int32Value;
  readonly heap: Int64Value;
}

export interface GrowthShape {
  readonly name: string;
  /** The approximate number of values in a unit. */
  readonly unit: number;
  /** Builds the units and returns the operand of Return. */
  readonly make: (making: UnfinishedProcedure, units: number) => Int32Value;
}

/** Builds a module of about `values` values. */
export function moduleOf({ make, unit }: GrowthShape, values: number): Module {
  const module = new Module();
  const proc = new Procedure("grown", Int32);
  module.procedures.push(proc);
  const builder = new Builder(proc);
  // The casts: a parameter has the type that newParameter received.
  const x = proc.newParameter(Int32) as Int32Value;
  const y = proc.newParameter(Int32) as Int32Value;
  const heap = proc.newParameter(Int64) as Int64Value;
  const { emit } = builder;
  const result = make({ proc, builder, emit, x, y, heap }, Math.ceil(values / unit));
  emit.Return(result);
  return module;
}

// biome-ignore format: a table
export const GROWTH_SHAPES: readonly GrowthShape[] = [
  { name: "straight code", unit: 3,  make: straightCode },
  { name: "kernels",       unit: 27, make: kernels },
  { name: "diamonds",      unit: 11, make: diamonds },
  { name: "nests",         unit: 12, make: nests },
  { name: "rotated Phis",  unit: 3,  make: rotatedPhis },
  { name: "slots",         unit: 5,  make: slots },
  { name: "stores",        unit: 4,  make: stores },
  { name: "guards",        unit: 3,  make: guards },
  { name: "switches",      unit: 18, make: switches },
  { name: "calls",         unit: 3,  make: calls },
];

function straightCode({ emit, x, y }: UnfinishedProcedure, units: number): Int32Value {
  let sum = x;
  for (let u = 0; u < units; u++) sum = emit.BitXor(emit.Add(sum, y), emit.Const32([u * 7 + 1, 0]));
  return sum;
}

/** Builds a loop that runs `body` while a counter is below `limit`. */
function loop(
  { builder, emit }: UnfinishedProcedure,
  limit: Int32Value,
  body: (counter: Int32Value) => void,
): void {
  const zero = emit.Const32([0, 0]);
  const entry = builder.block;
  const header = builder.startBlock();
  const counter = emit.Phi<"Int32", never>(Int32);
  const condition = emit.LessThan(counter, limit);
  const inside = builder.startBlock();
  body(counter);
  emit.Upsilon(emit.Add(counter, emit.Const32([1, 0])), counter);
  emit.Jump(header);
  const after = builder.startBlock();
  builder.block = entry;
  emit.Upsilon(zero, counter);
  emit.Jump(header);
  builder.block = header;
  emit.Branch(condition, inside, after);
  builder.block = after;
}

/** Builds consecutive loops, each of which copies a checked element. */
function kernels(making: UnfinishedProcedure, units: number): Int32Value {
  const { proc, emit, x, y, heap } = making;
  for (let u = 0; u < units; u++) {
    loop(making, y, (counter) => {
      const index = emit.Add(counter, emit.Const32([u + 1, 0]));
      emit.Check(emit.AboveEqual(index, x), exitOf(proc, [counter, index]));
      const scaled = emit.Shl(emit.ZExt32(index), emit.Const32([2, 0]));
      const address = emit.Add(heap, scaled);
      emit.Store(emit.Add(emit.Load<"Int32", never>(Int32, address, 0), counter), address, 4096);
    });
  }
  return x;
}

function exitOf(proc: Procedure, shown: readonly Value[]): Snapshot {
  const exit = proc.snapshots.length;
  const snapshot = proc.newSnapshot(exit);
  const slots = shown.map((value) => ({ kind: "value" as const, value }));
  snapshot.frames.push({ name: proc.name, point: exit, slots });
  return snapshot;
}

/** Builds consecutive branches, each of which selects one of two values. */
function diamonds({ builder, emit, x, y }: UnfinishedProcedure, units: number): Int32Value {
  let sum = x;
  for (let u = 0; u < units; u++) {
    const bit = emit.BitAnd(y, emit.Const32([1 << (u & 31), 0]));
    const above = builder.block;
    const taken = builder.startBlock();
    const missed = builder.startBlock();
    const join = builder.startBlock();
    const phi = emit.Phi<"Int32", never>(Int32);
    builder.block = taken;
    emit.Upsilon(emit.Add(sum, emit.Const32([u + 1, 0])), phi);
    emit.Jump(join);
    builder.block = missed;
    emit.Upsilon(emit.BitXor(sum, x), phi);
    emit.Jump(join);
    builder.block = above;
    emit.Branch(bit, taken, missed);
    builder.block = join;
    sum = phi;
  }
  return sum;
}

/** Builds three nested loops with a store in the innermost. */
function nests({ builder, emit, x, y, heap }: UnfinishedProcedure, units: number): Int32Value {
  const levels: { header: BasicBlock; body: BasicBlock; counter: Int32Value }[] = [];
  for (let u = 0; u < units; u++) {
    const zero = emit.Const32([0, 0]);
    const entry = builder.block;
    const header = builder.startBlock();
    const counter = emit.Phi<"Int32", never>(Int32);
    builder.block = entry;
    emit.Upsilon(zero, counter);
    emit.Jump(header);
    levels.push({ header, body: builder.startBlock(), counter });
  }
  const invariant = emit.Mul(y, x);
  emit.Store(emit.Add(invariant, levels[units - 1].counter), heap, 0);
  for (const { header, body, counter } of levels.reverse()) {
    emit.Upsilon(emit.Add(counter, emit.Const32([1, 0])), counter);
    emit.Jump(header);
    const after = builder.startBlock();
    builder.block = header;
    emit.Branch(emit.LessThan(counter, y), body, after);
    builder.block = after;
  }
  return x;
}

/** Builds a loop whose Phis rotate in each iteration. */
function rotatedPhis({ builder, emit, x, y }: UnfinishedProcedure, units: number): Int32Value {
  const entry = builder.block;
  const starts: Int32Value[] = [];
  for (let u = 0; u < units; u++) starts.push(emit.Const32([u, 0]));
  const header = builder.startBlock();
  const counter = emit.Phi<"Int32", never>(Int32);
  const phis = starts.map(() => emit.Phi<"Int32", never>(Int32));
  builder.block = entry;
  emit.Upsilon(x, counter);
  for (let u = 0; u < units; u++) emit.Upsilon(starts[u], phis[u]);
  emit.Jump(header);
  builder.block = header;
  const next = emit.Sub(counter, y);
  for (let u = 0; u < units; u++) emit.Upsilon(phis[(u + 1) % units], phis[u]);
  emit.Upsilon(next, counter);
  const after = builder.startBlock();
  builder.block = header;
  emit.Branch(next, header, after);
  builder.block = after;
  return phis[0];
}

/** Builds stack slots that are used as variables. */
function slots({ proc, emit, x, y }: UnfinishedProcedure, units: number): Int32Value {
  let sum = x;
  for (let u = 0; u < units; u++) {
    const base = emit.SlotBase(proc.newSlot(4, false, u));
    emit.Store(emit.Add(sum, y), base, 0);
    sum = emit.Load<"Int32", never>(Int32, base, 0);
  }
  return sum;
}

/** Builds stores to fields of one object and of an object that it references, and loads. */
function stores({ emit, x, y, heap }: UnfinishedProcedure, units: number): Int32Value {
  let sum = x;
  let other = heap;
  for (let u = 0; u < units; u++) {
    if (u % 50 === 0) other = emit.Load<"Int64", never>(Int64, heap, 8 * u);
    emit.Store(sum, heap, 8 * u + 4);
    emit.Store(y, other, 8 * u);
    sum = emit.Add(sum, emit.Load<"Int32", never>(Int32, heap, 8 * u));
  }
  return sum;
}

function guards({ proc, emit, x, y }: UnfinishedProcedure, units: number): Int32Value {
  let sum = x;
  for (let u = 0; u < units; u++) {
    emit.Check(emit.Equal(sum, emit.Const32([u, 0])), exitOf(proc, [sum, y]));
    sum = emit.CheckAdd(sum, y, exitOf(proc, [sum]));
  }
  return sum;
}

/** Builds consecutive switches of four cases each. */
function switches({ builder, emit, x, y }: UnfinishedProcedure, units: number): Int32Value {
  const sum = emit.Add(x, y);
  let key = sum;
  for (let u = 0; u < units; u++) {
    const above = builder.block;
    const targets = [0, 1, 2, 3, 4].map(() => builder.startBlock());
    const join = builder.startBlock();
    const phi = emit.Phi<"Int32", never>(Int32);
    targets.forEach((target, k) => {
      builder.block = target;
      emit.Upsilon(emit.Add(key, emit.Const32([u + k, 0])), phi);
      emit.Jump(join);
    });
    builder.block = above;
    const cases = [0, 1, 2, 3].map((k) => [[k + u, 0], targets[k]] as const);
    emit.Switch(key, { cases, otherwise: targets[4] });
    builder.block = join;
    key = phi;
  }
  return key;
}

function calls({ emit, x, y }: UnfinishedProcedure, units: number): Int32Value {
  const stir = hostFunctionNamed("stir");
  assert(stir !== null, () => "no host function is named stir");
  const wide = emit.SExt32(y);
  let sum = x;
  for (let u = 0; u < units; u++) {
    // The cast: the row of `stir` states the type of its result.
    const result = emit.CCall(stir, [sum, wide]) as Int32Value;
    sum = emit.Add(result, emit.Const32([u, 0]));
  }
  return sum;
}
