// Computes the location of each load and store, and decides which accesses may overlap.
//
// An address is a *root* plus a constant. The analysis looks through additions of constants while
// the total fits in 32 bits. So two addresses with one root differ by less than 2^33, and their
// bytes cannot overlap by wrapping at 2^64. A root may be the sum of another address and a number
// of few bits (an index that was extended and scaled). That address is its *base*, and the root
// lies in a bounded interval above it. Other addresses with different roots may overlap anywhere in
// the heap. Each address belongs statically to one slot or to the heap. Its offset in a slot is
// known unless a non-constant operand was added or an Opaque intervenes. By the rules of the
// language, accesses of two classes do not overlap.
//
// An object that an Allocate of the procedure creates does not overlap objects of its other
// Allocates. It does not overlap addresses derived from a parameter either, because those existed
// before.
//
// If a base is recomputed, each root on it is recomputed before its next use, because the base
// dominates the root.
//
// Assumes a valid program. The answers hold for accesses of reachable blocks and of exit blocks, at
// positions between which no root is recomputed.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { FENCES } from "../../../src/ir/fences.js";
import {
  readsHeap,
  TAKEN_ADDRESS,
  usesKeptSlots,
  writesHeap,
} from "../../../src/ir/host-functions.js";
import {
  ALL_OPCODES,
  BULK,
  CALLS,
  EFFECTS,
  FENCE,
  hasAttribute,
  Op,
} from "../../../src/ir/opcodes.js";
import type { PatchpointKind } from "../../../src/ir/patchpoints.js";
import {
  accessSize,
  type FrameSlot,
  isAtomic,
  isMemoryAccess,
  type Procedure,
  type Snapshot,
  type StackSlot,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int64 } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";

/**
 * A value of `space`: an access to the heap. Other values are 1 plus the slot's position in
 * `proc.slots`.
 */
export const HEAP = 0;
/** A value of `root`: an access at an unknown offset in its slot. */
const ANYWHERE = -1;

/** Values of `ages`: an Allocate; a parameter. */
const FRESH = 1;
const OLD = 2;

type DeadBytesSlot = Extract<FrameSlot, { kind: "deadBytes" }>;

/**
 * The maximum number of bits of a number added to a base. It is so small that no sum wraps at 2^64.
 */
const BITS_MAX = 40;

export class AliasAnalysis {
  /** By id of an access: HEAP, or its slot. */
  readonly space: Int32Array;
  /** By id of an access: its size in bytes. */
  readonly size: Int32Array;
  /** By id of an access: bytes from its root, if known. */
  readonly offset: Int32Array;
  /** By id of an access: 1 plus the id of a value, or ANYWHERE; 0 in a slot. */
  private readonly root: Int32Array;
  /**
   * The space, by id of an address. It is a table of its own, because the result of a load may also
   * be an address.
   */
  private readonly addressSpace: Int32Array;
  private readonly addressRoot: Int32Array;
  private readonly addressOffset: Int32Array;
  /** By id of a root: 1 plus the id of its base; 0 if it has none. */
  private readonly rootBase: Int32Array;
  /**
   * By id of a root with a base: the root is at least `rootLow` bytes above it, and less than
   * `rootLow + 2 ** rootBits`.
   */
  private readonly rootLow: Int32Array;
  private readonly rootBits: Int32Array;
  /** By id of a root: FRESH, OLD, or 0 if unknown. */
  private readonly ages: Int32Array;
  private readonly spaces: ReadonlyMap<StackSlot, number>;
  /** Slots whose addresses host functions keep: calls may read and write them. */
  readonly keptSpaces: number[] = [];

  constructor(proc: Procedure, flow: Pick<ControlFlow, "order">, context: OptimizeContext) {
    const { valueIdEnd } = proc;
    this.spaces = proc.slots.length === 0 ? NO_SPACES : spacesOf(proc.slots);
    this.space = context.table(valueIdEnd);
    this.root = context.table(valueIdEnd);
    this.offset = context.table(valueIdEnd);
    this.size = context.table(valueIdEnd);
    this.addressSpace = context.table(valueIdEnd);
    this.addressRoot = context.table(valueIdEnd);
    this.addressOffset = context.table(valueIdEnd);
    this.rootBase = context.table(valueIdEnd);
    this.rootLow = context.table(valueIdEnd);
    this.rootBits = context.table(valueIdEnd);
    this.ages = context.table(valueIdEnd);
    for (let p = 0; p < proc.parameters.length; p++) this.ages[proc.parameters[p].id] = OLD;
    // A block comes before the blocks that it dominates, so addresses are known before their uses.
    for (let b = 0; b < flow.order.length; b++) this.visit(flow.order[b].values);
    for (let s = 0; s < proc.snapshots.length; s++) this.visit(proc.snapshots[s].values);
  }

  /** False if no byte belongs to both accesses. */
  mayOverlap(x: Value, y: Value): boolean {
    const { space, root, offset, size } = this;
    if (space[x.id] !== space[y.id] || haveDifferentClasses(x, y)) return false;
    if (root[x.id] === ANYWHERE || root[y.id] === ANYWHERE) return true;
    if (root[x.id] !== root[y.id]) return this.mayIntervalsOverlap(x, y);
    const distance = offset[y.id] - offset[x.id];
    return distance < size[x.id] && -distance < size[y.id];
  }

  private mayIntervalsOverlap(x: Value, y: Value): boolean {
    const [rootOfX, rootOfY] = [this.root[x.id], this.root[y.id]];
    if (this.baseOf(rootOfX) !== this.baseOf(rootOfY)) return !this.areApart(rootOfX, rootOfY);
    const [lowOfX, lowOfY] = [
      this.offset[x.id] + this.lowOf(rootOfX),
      this.offset[y.id] + this.lowOf(rootOfY),
    ];
    const endOfX = lowOfX + this.reachOf(rootOfX) + this.size[x.id];
    return lowOfX < lowOfY + this.reachOf(rootOfY) + this.size[y.id] && lowOfY < endOfX;
  }

  /**
   * True if two roots with different bases cannot overlap: one base is an object of this procedure,
   * and the other is another object or a parameter.
   */
  private areApart(root: number, other: number): boolean {
    const ageOf = (of: number): number => this.ages[this.baseOf(of) - 1] ?? 0;
    const [age, otherAge] = [ageOf(root), ageOf(other)];
    return age !== 0 && otherAge !== 0 && (age === FRESH || otherAge === FRESH);
  }

  private baseOf(root: number): number {
    return root <= 0 ? root : this.rootBase[root - 1] || root;
  }

  /**
   * Returns the least number of bytes from the base to a root; `reachOf` returns the maximum number
   * of further bytes.
   */
  private lowOf(root: number): number {
    return this.rootLow[root - 1];
  }

  private reachOf(root: number): number {
    return 2 ** this.rootBits[root - 1] - 1;
  }

  /** False if no byte of the access is among the `size` bytes of the heap at `address`. */
  mayMeet({ id }: Value, address: Value, size: number): boolean {
    if (this.space[id] !== HEAP) return false;
    const [root, other] = [this.root[id], this.rootOf(address)];
    const distance = this.addressOffset[address.id] - this.offset[id];
    if (root === other) return distance < this.size[id] && -distance < size;
    if (this.baseOf(root) !== this.baseOf(other)) return !this.areApart(root, other);
    const apart = distance + this.lowOf(other) - this.lowOf(root);
    return apart < this.size[id] + this.reachOf(root) && -apart < size + this.reachOf(other);
  }

  /**
   * True if each byte of the access is certainly among the `size` bytes of the heap at `address`.
   */
  isWithin({ id }: Value, address: Value, size: number): boolean {
    const at = this.offset[id] - this.addressOffset[address.id];
    if (this.space[id] !== HEAP || this.root[id] !== this.rootOf(address)) return false;
    return at >= 0 && at + this.size[id] <= size;
  }

  /** True if each byte of the access `inner` certainly belongs to `outer` too. */
  covers(outer: Value, inner: Value): boolean {
    const { space, root, offset, size } = this;
    if (space[outer.id] !== space[inner.id]) return false;
    if (root[outer.id] !== root[inner.id] || root[inner.id] === ANYWHERE) return false;
    const distance = offset[inner.id] - offset[outer.id];
    return distance >= 0 && distance + size[inner.id] <= size[outer.id];
  }

  /** True if each byte of the access is certainly one of the snapshot's dead bytes. */
  isDeadAtExit(access: Value, { frames }: Snapshot): boolean {
    for (let f = 0; f < frames.length; f++) {
      const { slots } = frames[f];
      for (let s = 0; s < slots.length; s++) {
        const slot = slots[s];
        if (slot.kind === "deadBytes" && this.isWithinDeadBytes(access, slot)) return true;
      }
    }
    return false;
  }

  private isWithinDeadBytes({ id }: Value, { address, offset, size }: DeadBytesSlot): boolean {
    const start = this.addressOffset[address.id] + offset;
    if (this.space[id] !== HEAP || this.root[id] !== this.rootOf(address)) return false;
    return this.offset[id] >= start && this.offset[id] + this.size[id] <= start + size;
  }

  /** False if the offset of the access in its slot is unknown. */
  hasKnownOffset(access: Value): boolean {
    return this.root[access.id] !== ANYWHERE;
  }

  /** Returns the id of the value from which the offset is counted; negative if there is none. */
  rootOfAccess(access: Value): number {
    return this.root[access.id] - 1;
  }

  /** Returns the id of the base of the access's root; the id of the root if it has no base. */
  baseOfAccess(access: Value): number {
    return this.baseOf(this.root[access.id]) - 1;
  }

  /** Returns the slot of an address as 1 plus its position in `proc.slots`; 0 if it has none. */
  slotOfAddress(address: Value): number {
    return this.addressSpace[address.id];
  }

  /** Returns the space of a slot: 1 plus its position in `proc.slots`. */
  spaceOf(slot: StackSlot): number {
    return this.spaces.get(slot) ?? HEAP;
  }

  private visit(values: readonly Value[]): void {
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const { opcode } = value;
      if (isMemoryAccess(value) || isAtomic(value)) this.locate(value);
      else if (opcode === Op.Add && value.type === Int64) this.add(value);
      else if (opcode === Op.Identity || opcode === Op.Opaque) this.copy(value);
      else if (opcode === Op.CCall && value.host?.kept === "takes") this.recordKept(value);
      else if (opcode === Op.Allocate) this.ages[value.id] = FRESH;
      else if (opcode === Op.SlotBase) {
        this.addressSpace[value.id] = this.spaceOf(value.slot);
      }
    }
  }

  private recordKept({ rest }: Value): void {
    const space = rest === null ? HEAP : this.addressSpace[rest[TAKEN_ADDRESS].id];
    if (space !== HEAP && !this.keptSpaces.includes(space)) this.keptSpaces.push(space);
  }

  private locate(access: Value): void {
    const { address, id, offset: lo } = access;
    this.size[id] = accessSize(access);
    this.space[id] = this.addressSpace[address.id];
    const total = this.addressOffset[address.id] + lo;
    const isNear = (total | 0) === total;
    this.offset[id] = isNear ? total : lo;
    if (isNear) this.root[id] = this.rootOf(address);
    else this.root[id] = this.space[id] === HEAP ? address.id + 1 : ANYWHERE;
  }

  // A 0 in the table means that the value is its own root.
  private rootOf(address: Value): number {
    const root = this.addressRoot[address.id];
    if (root !== 0 || this.addressSpace[address.id] !== HEAP) return root;
    return address.id + 1;
  }

  private add(value: Value): void {
    const { a, b } = value;
    if (a === null || b === null) return;
    if (isNearConstant(b)) this.move(value, a, b.constantLow);
    else if (isNearConstant(a)) this.move(value, b, a.constantLow);
    else {
      this.makeRoot(value, this.addressSpace[a.id] !== HEAP ? a : b);
      if (this.addressSpace[value.id] === HEAP && !this.setBase(value, a, b)) {
        this.setBase(value, b, a);
      }
    }
  }

  /**
   * Records `from` as the base of the value. Returns false if the size of the added number is
   * unknown or too large.
   */
  private setBase({ id }: Value, from: Value, added: Value): boolean {
    const bits = bitsOf(added);
    if (bits > BITS_MAX) return false;
    const root = this.rootOf(from) - 1;
    const sumBits = Math.max(bits, this.rootBits[root]) + 1;
    const low = this.addressOffset[from.id] + this.rootLow[root];
    const isFirst = this.rootBase[root] === 0;
    if (sumBits > BITS_MAX || (low | 0) !== low) return false;
    this.rootBase[id] = isFirst ? root + 1 : this.rootBase[root];
    this.rootLow[id] = low;
    this.rootBits[id] = isFirst ? bits : sumBits;
    return true;
  }

  private copy(value: Value): void {
    if (value.type !== Int64 || value.a === null) return;
    if (value.opcode === Op.Opaque) this.makeRoot(value, value.a);
    else this.move(value, value.a, 0);
  }

  private move(value: Value, from: Value, by: number): void {
    const total = this.addressOffset[from.id] + by;
    if ((total | 0) !== total) {
      this.makeRoot(value, from);
      return;
    }
    this.addressSpace[value.id] = this.addressSpace[from.id];
    this.addressRoot[value.id] = this.rootOf(from);
    this.addressOffset[value.id] = total;
  }

  /** Records that the distance of the value from the root of `from` is unknown or too large. */
  private makeRoot(value: Value, from: Value): void {
    const space = this.addressSpace[from.id];
    this.addressSpace[value.id] = space;
    this.addressRoot[value.id] = space === HEAP ? 0 : ANYWHERE;
  }
}

const NO_SPACES: ReadonlyMap<StackSlot, number> = new Map();

const spacesOf = (slots: readonly StackSlot[]): ReadonlyMap<StackSlot, number> =>
  new Map(slots.map((slot, s) => [slot, s + 1]));

function isNearConstant(value: Value): boolean {
  return value.opcode === Op.Const64 && value.constantHigh === value.constantLow >> 31;
}

/** Returns a number of bits that hold an Int64 as an unsigned number. */
function bitsOf({ opcode, a, b }: Value): number {
  if (opcode === Op.ZExt32) return 32;
  if (a === null || b === null || !b.isConstant || b.constantHigh !== 0) return 64;
  if (opcode === Op.Shl && b.isConstant) return bitsOf(a) + (b.constantLow & 63);
  if (b.opcode !== Op.Const64) return 64;
  const bits = 32 - Math.clz32(b.constantLow);
  if (opcode === Op.BitAnd) return bits;
  return opcode === Op.Mul ? bitsOf(a) + bits : 64;
}

/**
 * True if two accesses have different classes; by the rules of the language they share no byte
 * then.
 */
export function haveDifferentClasses(x: Value, y: Value): boolean {
  const [classOfX, classOfY] = [classOf(x), classOf(y)];
  return classOfX !== classOfY && classOfX !== 0 && classOfY !== 0;
}

// A phase may have removed the access since the analysis; then it has no class.
const classOf = (access: Value): number =>
  STATES_CLASS[access.opcode] === 1 ? access.memoryClass : 0;
const STATES_CLASS = Uint8Array.from(ALL_OPCODES, (opcode) =>
  hasAttribute(opcode, "Offset") ? 1 : 0,
);

/**
 * Returns the number of bytes of an operation on bytes; Infinity if unknown. An Allocate reads and
 * writes its pointer of 8 bytes.
 */
export function bulkSize({ opcode, c }: Value): number {
  if (opcode === Op.Allocate) return 8;
  const isKnown =
    c !== null && c.opcode === Op.Const64 && c.constantHigh === 0 && c.constantLow >= 0;
  return isKnown ? c.constantLow : Number.POSITIVE_INFINITY;
}

/** Returns the address to which an operation on bytes writes. */
export function bulkTarget({ opcode, a, b }: Value): Value | null {
  return opcode === Op.FillBytes ? b : a;
}

/** Returns the address from which an operation on bytes reads; null if it reads nothing. */
export function bulkSource({ opcode, a, b }: Value): Value | null {
  if (opcode === Op.Allocate) return a;
  return opcode === Op.CopyBytes ? b : null;
}

/**
 * True if a value other than a load may read any byte of the heap. Guards and returns do. FillBytes
 * counts too, because it may overwrite a part of an earlier store. So does a Fence that holds
 * stores.
 */
export function readsAnyHeap(value: Value): boolean {
  if ((EFFECTS[value.opcode] & CALLS) === 0) return false;
  if (value.opcode === Op.Fence) return FENCES[value.fenceKind].holdsStores;
  const { host, patchpoint } = value;
  if (patchpoint !== null) return accessesHeap(patchpoint);
  return host === null || readsHeap(host);
}

/**
 * True if a value other than a store may change any byte of the heap. A Fence that holds loads
 * counts too, though it changes nothing.
 */
export function writesAnyHeap(value: Value): boolean {
  if ((EFFECTS[value.opcode] & CALLS) === 0) return false;
  if (value.opcode === Op.Fence) return FENCES[value.fenceKind].holdsLoads;
  const { host, patchpoint } = value;
  if (patchpoint !== null) return patchpoint.effect === "write" && accessesHeap(patchpoint);
  return host === null || writesHeap(host);
}

/**
 * True if a value may access slots whose addresses host functions keep. Some host functions access
 * them, and any procedure may call those.
 */
export function touchesKeptSlots(value: Value): boolean {
  if ((EFFECTS[value.opcode] & (CALLS | BULK | FENCE)) !== CALLS) return false;
  const { host, patchpoint } = value;
  return patchpoint === null && (host === null || usesKeptSlots(host));
}

// A patchpoint that takes the address of a slot accesses nothing else.
const accessesHeap = ({ bytes, parameters }: PatchpointKind): boolean =>
  bytes > 0 && parameters[0].address === null;
