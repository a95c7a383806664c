// Checks snapshots and continuations: rules 18 to 23 of verify.ts.

import { EFFECTS, isTotal, Op, WRITES_MEMORY } from "../opcodes.js";
import {
  type FrameSlot,
  type Module,
  type Procedure,
  parameterTypeFor,
  type Snapshot,
  type SnapshotFrame,
  type StackSlot,
  type Value,
  type ValueField,
} from "../procedure.js";
import { Int64, nameOfType, sizeOf, type Type, Void } from "../types.js";
import type { FaultReporter } from "./reporter.js";
import { type BlockGraph, dominatesBlock } from "./verify-flow.js";
import { checkBits, checkRow } from "./verify-rows.js";

/** The greatest size of all slots of a procedure, and of all contents that one snapshot shows, in bytes. */
export const FRAME_SIZE_MAX = 1 << 20;

/** The place of a parameter, which is in no block. */
export const PARAMETER = -1;
/** The place of values in the first snapshot's exit block; that of the next exit block is one less, and so on. */
export const EXIT_BLOCK = -2;

/** The facts about one procedure, by id of value or by index of block or snapshot. */
export interface ProcedureTables {
  readonly proc: Procedure;
  readonly byId: readonly (Value | undefined)[];
  /** By id: index of the block, PARAMETER, or EXIT_BLOCK minus the index of the snapshot. */
  readonly place: Int32Array;
  /** By id: position in its block or exit block. */
  readonly position: Int32Array;
  /** By id: 0, or the base of the address: ANONYMOUS_SLOT, LOCKED_SLOT or FRAME (verify-patchpoints.ts). */
  readonly isSlotAddress: Uint8Array;
  readonly slots: ReadonlySet<StackSlot>;
  /** By id: 1 if the value is the address of a procedure. */
  readonly isFunctionAddress: Uint8Array;
  readonly flow: BlockGraph;
  readonly guards: GuardPositions;
  readonly reporter: FaultReporter;
}

const NO_GUARD = 0x7fff_ffff;

/**
 * The positions of the reachable guards, by index of the snapshot that they use: the range of their blocks in preorder
 * of the dominator tree, and the position of the earliest guard in the first of these blocks. This suffices to decide
 * in constant time whether a value dominates all guards. The value's block must span the range; if a guard is in the
 * value's own block, that block is the first of the range.
 */
export class GuardPositions {
  private readonly first: Int32Array;
  private readonly last: Int32Array;
  private readonly position: Int32Array;

  constructor(snapshotCount: number) {
    this.first = new Int32Array(snapshotCount).fill(NO_GUARD);
    this.last = new Int32Array(snapshotCount).fill(-1);
    this.position = new Int32Array(snapshotCount);
  }

  /**
   * Adds a guard.
   * @param preorder the number of the guard's block, which is reachable
   */
  add(snapshot: number, preorder: number, position: number): void {
    if (preorder < this.first[snapshot]) {
      this.first[snapshot] = preorder;
      this.position[snapshot] = position;
    } else if (preorder === this.first[snapshot] && position < this.position[snapshot]) {
      this.position[snapshot] = position;
    }
    if (preorder > this.last[snapshot]) this.last[snapshot] = preorder;
  }

  /** Returns whether a value at that position dominates every reachable guard that uses the snapshot. */
  areDominatedBy(flow: BlockGraph, block: number, position: number, snapshot: number): boolean {
    if (this.last[snapshot] < 0) return true;
    const from = flow.first[block];
    if (from < 0 || from > this.first[snapshot]) return false;
    if (this.last[snapshot] > flow.last[block]) return false;
    return from < this.first[snapshot] || position < this.position[snapshot];
  }
}

/** Returns whether a block may use the operand at a position: it is defined earlier, or in a dominating block. */
export const isAvailable = (
  { flow, place, position }: ProcedureTables,
  operand: Value,
  block: number,
  at: number,
): boolean => {
  const from = place[operand.id];
  if (from === PARAMETER) return true;
  if (from === block) return position[operand.id] < at;
  if (from < 0) return false;
  if (flow.first[block] < 0) return true; // unreachable code is not checked
  return flow.first[from] >= 0 && dominatesBlock(flow, from, block);
};

export function checkSnapshots(
  tables: ProcedureTables,
  module: Module,
  shapes: Map<number, Snapshot>,
): void {
  const { proc, reporter } = tables;
  reporter.block = null;
  for (let s = 0; s < proc.snapshots.length; s++) {
    const snapshot = proc.snapshots[s];
    reporter.snapshot = snapshot.id;
    checkNumber(snapshot.exit, "the number of the exit", reporter);
    checkExitBlock(tables, snapshot, s);
    if (snapshot.frames.length === 0) reporter.fault(null, "has no frame");
    for (const frame of snapshot.frames) checkFrame(tables, module, frame, s);
    checkContents(snapshot, reporter);
    checkShape(snapshot, shapes, reporter);
    const continuations = module.continuations.get(snapshot.exit);
    if (continuations !== undefined) checkContinuations(proc, snapshot, continuations, reporter);
  }
  reporter.snapshot = null;
}

function checkNumber(number: number, what: string, reporter: FaultReporter): void {
  if ((number | 0) === number && number >= 0) return;
  reporter.fault(null, `${what} is ${number}, expected 0 to 2^31 - 1`);
}

function checkExitBlock(tables: ProcedureTables, snapshot: Snapshot, index: number): void {
  const { byId, reporter } = tables;
  let storeSeen = false;
  for (const value of snapshot.values) {
    const effects = EFFECTS[value.opcode];
    const isStore = effects === WRITES_MEMORY;
    // An exit block is executed with the values that it uses, and without parameters.
    const isArgument = value.opcode === Op.ArgumentReg;
    const isTotalValue =
      value.isConstant || (isTotal(value.opcode, value.a?.type ?? value.type) && !isArgument);
    if (!isStore && !isTotalValue) {
      reporter.fault(value, "may not be in an exit block: it is neither a store nor total");
    }
    if (isTotalValue && storeSeen && value.opcode !== Op.Nop) {
      reporter.fault(value, "comes after a store of its exit block");
    }
    storeSeen ||= isStore;
    if (!checkRow(value, byId, reporter)) continue;
    const { a, b, c } = value;
    if (a !== null) checkExitUse(tables, value, a, index);
    if (b !== null) checkExitUse(tables, value, b, index);
    if (c !== null) checkExitUse(tables, value, c, index);
  }
}

/**
 * Checks a use in an exit block or a slot.
 * @param user the value of the exit block, or null for a slot
 */
function checkExitUse(
  tables: ProcedureTables,
  user: Value | null,
  used: Value,
  snapshot: number,
): void {
  const { place, position, reporter, flow, guards } = tables;
  const from = place[used.id];
  if (tables.isSlotAddress[used.id] !== 0) {
    reporter.fault(user, `@${used.id} is the address of a slot, which a snapshot cannot use`);
  }
  if (tables.isFunctionAddress[used.id] === 1) {
    reporter.fault(user, `@${used.id} is the address of a procedure, which a snapshot cannot use`);
  }
  if (from === PARAMETER) return;
  if (from === EXIT_BLOCK - snapshot) {
    if (user !== null && position[used.id] >= position[user.id]) {
      reporter.fault(user, `@${used.id} is used before its definition`);
    }
  } else if (from < 0) {
    reporter.fault(user, `@${used.id} belongs to the exit block of another snapshot`);
  } else if (!guards.areDominatedBy(flow, from, position[used.id], snapshot)) {
    reporter.fault(user, `@${used.id} does not dominate every guard that uses the snapshot`);
  }
}

// Limits the contents that an exit shows, because every outcome stores them.
function checkContents({ frames }: Snapshot, reporter: FaultReporter): void {
  let total = 0;
  for (const { slots } of frames) {
    for (const slot of slots) {
      if (slot.kind === "contents") total += slot.slot.size;
      else if (slot.kind === "fields") total += slot.size;
    }
  }
  if (total <= FRAME_SIZE_MAX) return;
  reporter.fault(null, `shows contents of ${total} bytes, at most ${FRAME_SIZE_MAX} together`);
}

function checkFrame(
  tables: ProcedureTables,
  module: Module,
  frame: SnapshotFrame,
  index: number,
): void {
  const { byId, reporter } = tables;
  checkNumber(frame.point, "the point of a frame", reporter);
  for (const slot of frame.slots) {
    if (slot.kind === "dead") continue;
    if (slot.kind === "constant") {
      if (slot.type === Void) reporter.fault(null, "a constant of a slot has type Void");
      checkBits(null, slot.type, slot.lo, slot.hi, reporter);
      continue;
    }
    if (slot.kind === "fields") checkFields(slot.size, slot.fields, reporter);
    else if (slot.kind === "deadBytes") checkDeadBytes(slot, module, reporter);
    else if (slot.kind !== "value") {
      checkMemorySlot(tables, module, slot);
      continue;
    }
    for (const value of valuesOf(slot)) {
      if (byId[value.id] !== value) {
        reporter.fault(null, `@${value.id} of a slot is not in the procedure`);
        continue;
      }
      if (value.type === Void) reporter.fault(null, `@${value.id} of a slot has type Void`);
      checkExitUse(tables, null, value, index);
    }
  }
}

function valuesOf(slot: FrameSlot): readonly Value[] {
  if (slot.kind === "value") return [slot.value];
  if (slot.kind === "deadBytes") return [slot.address];
  return slot.kind === "fields" ? slot.fields.map(({ value }) => value) : [];
}

type DeadBytesSlot = Extract<FrameSlot, { kind: "deadBytes" }>;

function checkDeadBytes(
  { address, offset, size }: DeadBytesSlot,
  { heapSize }: Module,
  reporter: FaultReporter,
): void {
  const isAddress = address.type === Int64 && (offset | 0) === offset;
  if (isAddress && Number.isInteger(size) && size >= 1 && size <= heapSize) return;
  const text = `deadBytes(${nameOfType(address.type)} @${address.id}, ${offset}, ${size})`;
  reporter.fault(null, `${text} does not name 1 to ${heapSize} bytes from an address`);
}

function checkFields(size: number, fields: readonly ValueField[], reporter: FaultReporter): void {
  let end = 0;
  for (const { offset, value } of fields) {
    if (!Number.isInteger(offset) || offset < end) {
      reporter.fault(null, `the field at ${offset} does not begin after byte ${end}`);
    }
    end = offset + sizeOf(value.type);
  }
  if (Number.isInteger(size) && end <= size) return;
  reporter.fault(null, `fields end at ${end}, beyond their ${size} bytes`);
}

function checkMemorySlot(
  { slots, reporter }: ProcedureTables,
  { heapSize }: Module,
  slot: FrameSlot,
): void {
  if (slot.kind === "contents") {
    const { id, isLocked } = slot.slot;
    if (!slots.has(slot.slot)) {
      reporter.fault(
        null,
        `shows the contents of stack${id}, which is not a slot of the procedure`,
      );
    } else if (isLocked) {
      reporter.fault(null, `shows the contents of stack${id}, which is locked`);
    }
  } else if (slot.kind === "deadHeap") {
    const { offset, size } = slot;
    const isIn = Number.isInteger(offset) && Number.isInteger(size) && offset >= 0 && size >= 1;
    if (isIn && offset + size <= heapSize) return;
    reporter.fault(null, `deadHeap(${offset}, ${size}) is no part of a heap of ${heapSize} bytes`);
  }
}

// Copies of a guard have the same exit, so the frames of its snapshots must agree.
function checkShape(
  snapshot: Snapshot,
  shapes: Map<number, Snapshot>,
  reporter: FaultReporter,
): void {
  const shape = shapes.get(snapshot.exit);
  if (shape === undefined) {
    shapes.set(snapshot.exit, snapshot);
    return;
  }
  const { frames } = shape;
  const isSame =
    frames.length === snapshot.frames.length &&
    snapshot.frames.every(
      ({ name, point, slots }, f) =>
        name === frames[f].name &&
        point === frames[f].point &&
        slots.length === frames[f].slots.length,
    );
  if (isSame) return;
  reporter.fault(null, `exit ${snapshot.exit} has other frames than in snapshot s${shape.id}`);
}

function checkContinuations(
  proc: Procedure,
  { exit, frames }: Snapshot,
  continuations: readonly Procedure[],
  reporter: FaultReporter,
): void {
  if (frames.length !== continuations.length) {
    const found = `exit ${exit} has ${frames.length} frames`;
    reporter.fault(null, `${found}, but ${continuations.length} continuations`);
    return;
  }
  let returned: readonly Type[] = [];
  continuations.forEach((continuation, f) => {
    const given = frames[f].slots.map(parameterTypeFor).filter((type) => type !== Void);
    given.push(...returned);
    const taken = continuation.parameters.map((parameter) => parameter.type);
    if (given.length !== taken.length || given.some((type, i) => type !== taken[i])) {
      const takes = `${continuation.name} takes (${listTypes(taken)})`;
      reporter.fault(null, `${takes}, frame ${f + 1} gives (${listTypes(given)})`);
    }
    returned = resultsOf(continuation);
  });
  const wanted = resultsOf(proc);
  if (returned.length !== wanted.length || returned.some((type, i) => type !== wanted[i])) {
    const expected = `the procedure gives ${namesOf(wanted)}`;
    reporter.fault(null, `the last continuation returns ${namesOf(returned)}, ${expected}`);
  }
}

const resultsOf = ({ result, further }: Procedure): readonly Type[] =>
  result === Void ? [] : [result, ...further];
const namesOf = (types: readonly Type[]): string =>
  types.length === 0 ? nameOfType(Void) : listTypes(types);

const LISTED_MAX = 20;
const listTypes = (types: readonly Type[]): string =>
  types.slice(0, LISTED_MAX).map(nameOfType).join(", ") +
  (types.length > LISTED_MAX ? ", ..." : "");
