// Emits 64-bit values that are only moved: built of halves and split, selected, carried by loops,
// stored, loaded, passed and shown by exits. No operation computes with them, so a compiler may
// keep them in any form. They are not candidate operands elsewhere: one sum would fix the form of
// all connected values.

import { HOST_FUNCTIONS } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import { compare, neverTrue } from "../maker/conditions.js";
import { snapshotOf } from "../maker/exits.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { canCall, observe } from "../maker/observe.js";
import { oneOf } from "../maker/rows.js";
import { makeSmallLoop } from "../maker/small-loops.js";

export const MOVED_VALUES: MakerRow = { name: "values only moved", weight: 3, make: movedValues };
export const MOVED_LOOP: MakerRow = { name: "loop of values moved", weight: 3, make: movedLoop };

function movedValues(maker: ProcedureMaker): void {
  if (!maker.swarm.hasType[Int64]) {
    maker.emit(Op.BitXor, Int32, maker.pickValue(Int32), maker.constant(Int32));
    return;
  }
  const moved = Array.from({ length: 2 + maker.below(2) }, () => source(maker));
  for (let steps = 2 + maker.below(4); steps > 0; steps--) moveOn(maker, moved);
  show(maker, moved);
}

// Permutes, selects or replaces the carried values.
function movedLoop(maker: ProcedureMaker): void {
  if (!maker.swarm.hasType[Int64]) {
    makeSmallLoop(maker, [maker.pick(Int32)], ({ carried }) => carried);
    return;
  }
  const given = Array.from({ length: 2 + maker.below(3) }, () =>
    maker.chance(20) ? maker.constant(Int64) : source(maker),
  );
  let left: readonly Value[] = [];
  makeSmallLoop(
    maker,
    given,
    ({ carried, counter }) => {
      // The Phis of a loop are the latest candidate operands; remove them.
      maker.live[Int64].length -= carried.length;
      const moved = [...carried];
      for (let steps = 1 + maker.below(3); steps > 0; steps--) moveOn(maker, moved);
      if (maker.dials.guards > 0 && maker.chance(40)) {
        const visit = maker.integer(Int32, 1 + maker.below(4));
        guardShowing(maker, moved, maker.append(Op.Equal, Int32, counter, visit));
      }
      const turned = maker.chance(50) ? [...carried.slice(1), carried[0]] : carried;
      left = turned.map((value) => (maker.chance(40) ? oneOf(maker, moved) : value));
      return left;
    },
    { isShown: false },
  );
  show(maker, left);
}

/** Returns a new value that no operation computes with. */
function source(maker: ProcedureMaker): Value {
  const roll = maker.below(6);
  if (roll === 0) return maker.append(Op.Opaque, Int64, maker.constant(Int64));
  if (roll === 1) return call(maker, maker.pick(Int64)) ?? stitched(maker);
  if (roll === 2 && maker.heapBase !== null) return load(maker, maker.heapBase);
  return stitched(maker);
}

const stitched = (maker: ProcedureMaker): Value =>
  maker.append(Op.Stitch, Int64, maker.pick(Int32), maker.pickValue(Int32));

function load(maker: ProcedureMaker, heapBase: Value): Value {
  const address = pickAddress(maker, heapBase);
  const value = maker.append(Op.Load, Int64, address.value);
  value.offset = placeIn(maker, address, 8);
  return value;
}

const GIVE_64 = HOST_FUNCTIONS.filter(
  ({ result, parameters }) => result === Int64 && parameters.includes(Int64),
);

/** Calls a function that takes and returns 64 bits; returns null if the program has none. */
function call(maker: ProcedureMaker, argument: Value): Value | null {
  const hosts = GIVE_64.filter((host) => canCall(maker, host));
  if (hosts.length === 0 || maker.dials.calls === 0) return null;
  const host = oneOf(maker, hosts);
  // Picking may append values, which then precede the call.
  const args = host.parameters.map((type) =>
    type === Int64 && maker.chance(70) ? argument : maker.pick(type),
  );
  for (const arg of args) arg.uses++;
  const value = maker.append(Op.CCall, Int64);
  value.extra = host;
  value.rest = args;
  return value;
}

/** Moves one of the values, or derives another one. */
function moveOn(maker: ProcedureMaker, moved: Value[]): void {
  const value = oneOf(maker, moved);
  const other = maker.chance(20) ? maker.constant(Int64) : oneOf(maker, moved);
  const { heapBase } = maker;
  switch (maker.below(8)) {
    case 0:
    case 1:
      moved.push(maker.append(Op.Select, Int64, compare(maker), value, other));
      return;
    case 2: {
      const low = maker.append(Op.Trunc, Int32, value);
      const high = maker.append(Op.TruncHigh, Int32, oneOf(maker, moved));
      moved.push(maker.append(Op.Stitch, Int64, low, high));
      return;
    }
    case 3:
      maker.emit(maker.chance(50) ? Op.TruncHigh : Op.Trunc, Int32, value);
      return;
    case 4:
      if (heapBase === null) observe(maker, value);
      else storeAndLoad(maker, heapBase, value, moved);
      return;
    case 5: {
      const result = call(maker, value);
      if (result !== null) moved.push(result);
      return;
    }
    case 6:
      moved.push(maker.append(maker.chance(70) ? Op.Opaque : Op.Identity, Int64, value));
      return;
    case 7:
      if (maker.dials.guards === 0) return;
      guardShowing(maker, moved, maker.chance(40) ? compare(maker) : neverTrue(maker));
      return;
  }
}

function storeAndLoad(maker: ProcedureMaker, heapBase: Value, value: Value, moved: Value[]): void {
  const address = pickAddress(maker, heapBase);
  const offset = placeIn(maker, address, 8);
  maker.append(Op.Store, Void, value, address.value).offset = offset;
  if (maker.chance(60)) moved.push(load(maker, heapBase));
}

/** Emits a guard whose exit shows one or two of the values. */
function guardShowing(maker: ProcedureMaker, moved: readonly Value[], flag: Value): void {
  const shown = maker.chance(50) ? [oneOf(maker, moved)] : [moved[0], oneOf(maker, moved)];
  const snapshot = snapshotOf(maker, shown); // may append the values of its slots before the guard
  maker.append(Op.Check, Void, flag).extra = snapshot;
}

/** Shows the latest values: whole, as halves, or by a call. */
function show(maker: ProcedureMaker, moved: readonly Value[]): void {
  for (const value of moved.slice(-2)) {
    if (value.isConstant) continue;
    const roll = maker.below(4);
    if (roll === 0) maker.emit(Op.Trunc, Int32, value);
    else if (roll === 1) maker.emit(Op.TruncHigh, Int32, value);
    else observe(maker, value);
  }
}
