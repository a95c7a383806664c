// Makes exit records of guards: after allocation every leaf of a snapshot has a location.

import type { FrameSlot, Snapshot, Value } from "../../src/ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import { ProcedureFrame } from "../emit/frame.js";
import {
  CONSTANT_LEAF,
  type GuardExit,
  isGeneral,
  isVector,
  type Lir,
  outgoingOf,
  VECTOR,
  vregOf,
} from "../lir/lir.js";
import { type ExitLocation, type ExitRecord, LocationKind } from "./exit-record.js";

/**
 * Returns one record per guard of the procedure, in the order of `lir.guards`.
 *
 * @param isBare by guard: whether its exit has an empty frame instead of that of the procedure
 */
export function recordExits(
  procedure: number,
  lir: Lir,
  procedureFrame: ProcedureFrame,
  isBare: readonly boolean[] = [],
): ExitRecord[] {
  const patchpoints = patchpointOfGuard(lir);
  return lir.guards.map((guard, g) => {
    const frame = isBare[g] ? ProcedureFrame.EMPTY : procedureFrame;
    const { snapshot, leaves } = guard;
    const results = indexOf(snapshot.values);
    const leafOf = indexOf(leaves);
    const slotLocation = (slot: FrameSlot): ExitLocation => {
      // An exit needs no location for dead heap, nor for its address: its bytes may differ.
      if (slot.kind === "dead" || slot.kind === "deadHeap" || slot.kind === "deadBytes") {
        return { place: LocationKind.Dead, type: Void, index: 0, lo: 0, hi: 0, halves: null };
      }
      if (slot.kind === "contents") {
        const index = -frame.offsetOfSlot(slot.slot.id);
        return {
          place: LocationKind.Contents,
          type: Void,
          index,
          lo: slot.slot.size,
          hi: 0,
          halves: null,
        };
      }
      if (slot.kind === "fields") {
        return {
          place: LocationKind.Fields,
          type: Void,
          index: slot.size,
          lo: 0,
          hi: 0,
          halves: null,
        };
      }
      if (slot.kind === "constant") return constantAt(slot.type, slot.lo, slot.hi);
      const result = results(slot.value);
      if (result >= 0) return locationAt(LocationKind.Result, slot.value.type, result);
      return leafLocation(guard, lir, frame, leafOf(slot.value));
    };
    return {
      exit: snapshot.exit,
      procedure,
      snapshot: snapshot.id,
      patchpoint: patchpoints[g] ?? 0,
      frameSize: frame.size,
      saved: frame.saved,
      blockSize: snapshot.values.length,
      leaves: needsHarness(snapshot)
        ? guard.leaves.map((_, k) => leafLocation(guard, lir, frame, k))
        : [],
      frames: snapshot.frames.map(({ name, point, slots }) => ({
        name,
        point,
        slots: slots.map(slotLocation),
      })),
    };
  });
}

/** Returns, by guard, the id of its patchpoint plus one, and nothing or 0 for other guards. */
function patchpointOfGuard(lir: Lir): number[] {
  const found: number[] = [];
  if (lir.patchpoints.length === 0) return found;
  const ids = new Set(lir.patchpoints.map(({ id }) => id));
  for (let i = 0; i < lir.instructionCount; i++) {
    if (lir.guard[i] >= 0 && ids.has(lir.origin[i])) found[lir.guard[i]] = lir.origin[i] + 1;
  }
  return found;
}

// The harness computes values of exit blocks, and assembles fields, when the exit is taken.
const needsHarness = ({ values, frames }: Snapshot): boolean =>
  values.length > 0 || frames.some(({ slots }) => slots.some(({ kind }) => kind === "fields"));

/** Lists of at least this length get a map; a linear search would be too slow. */
const LONG_LIST = 64;

function indexOf(values: readonly Value[]): (value: Value) => number {
  if (values.length < LONG_LIST) return (value) => values.indexOf(value);
  const indices = new Map(values.map((value, index) => [value, index]));
  return (value) => indices.get(value) ?? -1;
}

function leafLocation(guard: GuardExit, lir: Lir, frame: ProcedureFrame, k: number): ExitLocation {
  const leaf = guard.leaves[k];
  const operand = guard.operands[k];
  if (operand === CONSTANT_LEAF) {
    const { type, constantLow: lo, constantHigh: hi } = constantOf(leaf);
    return constantAt(type, lo, hi);
  }
  const outgoing = outgoingOf(operand);
  if (outgoing >= 0) return locationAt(LocationKind.Frame, leaf.type, frame.size - outgoing);
  // The register of an Int32 may be kept in full width; that of an Int64 is not narrower.
  const isHalf = leaf.type === Int64 && lir.vregType[vregOf(lir.operand[operand])] === Int32;
  if (!isHalf) {
    return operandLocation(lir, frame, operand, leaf.type);
  }
  const low = operandLocation(lir, frame, operand, Int32);
  const high = operandLocation(lir, frame, operand + 1, Int32);
  return { ...locationAt(LocationKind.Halves, leaf.type, 0), halves: [low, high] };
}

function operandLocation(
  lir: Lir,
  frame: ProcedureFrame,
  operand: number,
  type: Type,
): ExitLocation {
  const location = lir.location[operand];
  assert(location >= 0, () => `v${vregOf(lir.operand[operand])} of an exit has no location`);
  if (isGeneral(location)) return locationAt(LocationKind.General, type, location);
  if (isVector(location)) return locationAt(LocationKind.Vector, type, location - VECTOR);
  return locationAt(LocationKind.Frame, type, -frame.offsetOfSpill(location));
}

function constantOf(leaf: Value): Value {
  let at = leaf;
  while (!at.isConstant && at.a !== null) at = at.a;
  return at;
}

const locationAt = (place: LocationKind, type: Type, index: number): ExitLocation => ({
  place,
  type,
  index,
  lo: 0,
  hi: 0,
  halves: null,
});

const constantAt = (type: Type, lo: number, hi: number): ExitLocation => ({
  place: LocationKind.Constant,
  type,
  index: 0,
  lo,
  hi,
  halves: null,
});
