// Emits the slots of snapshots: a few slots for most exits, as many as in real frames for some.

import { Op } from "../../ir/opcodes.js";
import {
  type FrameSlot,
  parameterTypeFor,
  type Snapshot,
  type Value,
  type ValueField,
} from "../../ir/procedure.js";
import { Int64, isFloating, isInteger, sizeOf, Void } from "../../ir/types.js";
import { pickParameter } from "./conditions.js";
import { drawBits, drawConstant } from "./constants.js";
import type { ProcedureMaker } from "./maker.js";
import { anonymousSlot, drawDeadBytes, drawDeadRange } from "./memory.js";
import { chance, LIMITS } from "./odds.js";
import { repeat } from "./rows.js";
import { drawType } from "./swarm.js";

// Adds the bytes of a slot that is written on some paths to the guard, completely or partly.
export function addContents(maker: ProcedureMaker, snapshot: Snapshot): void {
  const slot = anonymousSlot(maker);
  if (slot !== null) insertSlot(maker, snapshot, { kind: "contents", slot });
}

// Adds a dead range. It must exclude bytes that a continuation might read.
export function addDeadHeap(maker: ProcedureMaker, snapshot: Snapshot, resumes: boolean): void {
  const range = drawDeadRange(maker, resumes);
  if (range !== null) insertSlot(maker, snapshot, { kind: "deadHeap", ...range });
}

/**
 * Adds a dead range that is counted from an address of the program or one that the exit block
 * computes.
 */
export function addDeadBytes(maker: ProcedureMaker, snapshot: Snapshot, resumes: boolean): void {
  const slot = drawDeadBytes(maker, resumes);
  if (slot === null) return;
  const { address, offset } = slot;
  const isComputed = maker.chance(25);
  const moved = isComputed ? appendAddress(maker, snapshot, address, 8) : address;
  insertSlot(maker, snapshot, {
    ...slot,
    address: moved,
    offset: isComputed ? offset - 8 : offset,
  });
}

/** Returns a sum before the stores of the exit block. */
function appendAddress(
  maker: ProcedureMaker,
  { values }: Snapshot,
  base: Value,
  distance: number,
): Value {
  const { proc } = maker;
  const constant = proc.newConstant(Int64, distance, 0);
  const sum = proc.newValue(Op.Add, Int64, base, constant);
  const firstStore = values.findIndex(({ type }) => type === Void);
  values.splice(firstStore < 0 ? values.length : firstStore, 0, constant, sum);
  return sum;
}

/**
 * Adds contents as an optimizer creates them: values of the program or of the exit block, with
 * gaps.
 */
export function addFields(maker: ProcedureMaker, snapshot: Snapshot): void {
  const fields: ValueField[] = [];
  let end = 0;
  for (let i = maker.below(4); i > 0; i--) {
    const offset = end + (maker.chance(30) ? 1 + maker.below(5) : 0);
    const slot = drawSlot(maker, snapshot);
    if (slot.kind !== "value") continue;
    fields.push({ offset, value: slot.value });
    end = offset + sizeOf(slot.value.type);
  }
  insertSlot(maker, snapshot, { kind: "fields", size: end + maker.below(5), fields });
}

export function insertSlot(maker: ProcedureMaker, { frames }: Snapshot, slot: FrameSlot): void {
  const { slots } = frames[maker.below(frames.length)];
  slots.splice(maker.below(slots.length + 1), 0, slot);
}

export function drawSlots(maker: ProcedureMaker, snapshot: Snapshot): FrameSlot[] {
  const slots: FrameSlot[] = [];
  const count = maker.below(maker.dials.slots + 1);
  // One slot of each bank is left for the result of an inner frame.
  let integers = LIMITS.integerParameters - 1;
  let floats = LIMITS.floatParameters - 1;
  if (maker.heapBase !== null && maker.chance(75)) {
    slots.push({ kind: "value", value: maker.heapBase });
    integers--;
  }
  for (let i = 0; i < count; i++) {
    const slot = drawSlot(maker, snapshot);
    const type = parameterTypeFor(slot);
    if (type !== Void && (isFloating(type) ? floats-- : integers--) <= 0) continue;
    slots.push(slot);
  }
  return slots;
}

function drawSlot(maker: ProcedureMaker, snapshot: Snapshot): FrameSlot {
  const roll = maker.below(10);
  if (roll === 9) return { kind: "dead" };
  const type = drawType(maker.source, maker.swarm);
  if (roll === 8) {
    const [lo, hi] = drawConstant(maker.source, type, maker.dials.tame);
    return { kind: "constant", type, lo, hi };
  }
  if (roll >= 5) {
    const { values } = snapshot;
    for (let i = values.length - 1; i >= 0; i--) {
      if (values[i].type !== Void && values[i].uses === 0) {
        values[i].uses++;
        return { kind: "value", value: values[i] };
      }
    }
  }
  // Values that only an exit uses stay unused otherwise: these uses are not counted.
  return { kind: "value", value: maker.pick(type) };
}

/**
 * Returns whether this is the entry of a program that still needs an exit with hundreds of slots.
 */
export const isCrowdDue = ({ context, proc }: ProcedureMaker): boolean =>
  context.crowds > 0 && proc === context.module.entry;

/** Returns the number of slots of each frame of a crowded exit: most of 500 in total, or fewer. */
export function drawCrowd(maker: ProcedureMaker, frameCount: number): number[] {
  const { slots } = LIMITS;
  const whole = maker.chance(65) ? slots - maker.below(slots >> 2) : 20 + maker.below(slots >> 1);
  const counts: number[] = [];
  let rest = whole;
  for (let left = frameCount; left > 1; left--) {
    const count = maker.below(Math.floor((2 * rest) / left));
    counts.push(count);
    rest -= count;
  }
  counts.push(rest);
  return counts;
}

/**
 * Returns slots with all live values in order, so that as many as possible stay live. In some exits
 * most slots are constants.
 */
export function crowdedSlots(
  maker: ProcedureMaker,
  snapshot: Snapshot,
  count: number,
): FrameSlot[] {
  const pool: Value[] = [...snapshot.values.filter(({ type }) => type !== Void)];
  for (const list of [...maker.live, ...maker.constants]) pool.push(...list);
  if (maker.heapBase !== null) pool.push(maker.heapBase);
  const slots: FrameSlot[] = [];
  const constantsEnd = maker.chance(25) ? MOSTLY_CONSTANTS_END : CONSTANTS_END;
  let next = maker.below(Math.max(1, pool.length));
  while (slots.length < count) {
    const roll = maker.below(20);
    if (roll < DEAD_END || pool.length === 0) {
      slots.push({ kind: "dead" });
    } else if (roll < constantsEnd) {
      slots.push(drawConstantSlot(maker, constantsEnd === MOSTLY_CONSTANTS_END));
    } else {
      slots.push({ kind: "value", value: pool[next++ % pool.length] });
    }
  }
  return slots;
}
// Cumulative thresholds among 20 slots.
const DEAD_END = 2;
const CONSTANTS_END = 4;
const MOSTLY_CONSTANTS_END = 19;

/**
 * @param isOfMany whether most constants should be distinct, since a constant table may have too
 * few bits for its indices
 */
function drawConstantSlot({ source, swarm, dials }: ProcedureMaker, isOfMany: boolean): FrameSlot {
  const type = drawType(source, swarm);
  const [lo, hi] =
    isOfMany && isInteger(type) && chance(source, 75)
      ? [drawBits(source), type === Int64 ? drawBits(source) : 0]
      : drawConstant(source, type, dials.tame);
  return { kind: "constant", type, lo, hi };
}

/**
 * Emits values that only a crowded exit shows: more than any bank has registers, so some are
 * spilled.
 */
export function makeCrowd(maker: ProcedureMaker): void {
  repeat(maker, 40 + maker.below(120), () => {
    const type = drawType(maker.source, maker.swarm);
    const opcode = CROWD[maker.below(CROWD.length)];
    maker.emit(opcode, type, pickParameter(maker, type), maker.pick(type)).uses++;
  });
}
const CROWD = [Op.Add, Op.Sub, Op.Mul];
