// Removes masks, sign extensions and bitwise operations on Int32 that change only bits that no use
// reads.
//
// Assumes a valid program, in any form of Phi, and ignores unreachable blocks.
//
// 1. A walk backward collects for each Int32 value the bits that its uses read: the demanded bits.
//    Some operations read only the bits of an operand on which their own demanded bits depend; other
//    uses read all bits. An Upsilon reads the demanded bits of its Phi. The walk is repeated if more
//    bits of a Phi are demanded than an Upsilon assumed. After WALKS_MAX walks, all bits of all Phis
//    are demanded.
// 2. `x & c` becomes `x` if c keeps all read bits that x may have. `x | y` and `x ^ y` become `x` if
//    y has none of the read bits. A sign extension becomes its operand if no copied sign is read.
//
// A replacement changes no read bit of any value, so the other replacements stay right. One
// application is one value.

import {
  ALL_OPCODES,
  nameOfOpcode,
  Op,
  type Opcode,
  type OpcodeName,
} from "../../../src/ir/opcodes.js";
import {
  forEachSlotValue,
  type Procedure,
  Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int32 } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";

const NAME = "eliminate-unread-bits";
const ALL = -1;
/** The number of walks after which all bits of all Phis are read. */
const WALKS_MAX = 3;
/** The maximum number of operations from a value to one whose possible bits are known. */
const DEPTH_MAX = 3;

export function eliminateUnreadBits(proc: Procedure, context: OptimizeContext): boolean {
  if (!hasCandidate(proc)) return false;
  const isChanged = replaceAll(proc, context);
  if (isChanged) sweep(proc);
  return isChanged;
}

function replaceAll(proc: Procedure, context: OptimizeContext): boolean {
  const demanded = new DemandedBits(proc, context);
  demanded.collect();
  const { order } = context.flow(proc);
  let isChanged = false;
  for (let b = 0; b < order.length; b++) {
    const { values } = order[b];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const same = value.type === Int32 ? replacement(value, demanded.bits[value.id]) : null;
      if (same === null) continue;
      if (!context.claim(NAME, value)) return isChanged;
      value.becomes(same);
      isChanged = true;
    }
  }
  return isChanged;
}

/** Returns whether a mask or a sign extension exists; otherwise hardly any use reads only some bits. */
function hasCandidate({ blocks }: Procedure): boolean {
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      const { opcode, type, b: mask } = values[i];
      if (opcode === Op.SExt8 || opcode === Op.SExt16) return true;
      if (opcode === Op.BitAnd && type === Int32 && mask?.isConstant) return true;
    }
  }
  return false;
}

/** Returns the operand that has the same read bits as the value; null if there is none. */
function replacement({ opcode, a, b }: Value, read: number): Value | null {
  if (a === null || read === 0) return null;
  if (opcode === Op.SExt8) return (read & ~0xff) === 0 ? a : null;
  if (opcode === Op.SExt16) return (read & ~0xffff) === 0 ? a : null;
  if (b === null) return null;
  if (opcode === Op.BitAnd)
    return keepsDemanded(a, b, read) ? a : keepsDemanded(b, a, read) ? b : null;
  if (opcode !== Op.BitOr && opcode !== Op.BitXor) return null;
  if ((read & possibleBits(b, 0)) === 0) return a;
  return (read & possibleBits(a, 0)) === 0 ? b : null;
}

/** True if the mask keeps all read bits of the value. */
const keepsDemanded = (value: Value, mask: Value, read: number): boolean =>
  mask.isConstant && (read & ~mask.constantLow & possibleBits(value, 0)) === 0;

/** Returns the bits of an Int32 that may be 1. */
function possibleBits(value: Value, depth: number): number {
  const { opcode, a, b, c } = value;
  if (opcode === Op.Const32) return value.constantLow;
  if (opcode === Op.Load8Z) return 0xff;
  if (opcode === Op.Load16Z) return 0xffff;
  if (depth === DEPTH_MAX || a === null || b === null) return ALL;
  const below = depth + 1;
  if (opcode === Op.BitAnd) return possibleBits(a, below) & possibleBits(b, below);
  if (opcode === Op.BitOr || opcode === Op.BitXor) {
    return possibleBits(a, below) | possibleBits(b, below);
  }
  if (opcode === Op.Select && c !== null) return possibleBits(b, below) | possibleBits(c, below);
  if (!b.isConstant) return ALL;
  if (opcode === Op.Shl) return possibleBits(a, below) << b.constantLow;
  return opcode === Op.ZShr ? possibleBits(a, below) >>> b.constantLow : ALL;
}

/** The demanded bits of each Int32 value. */
class DemandedBits {
  /** By id; meaningless for values of other types. */
  readonly bits: Int32Array;
  /** By id of a Phi: the last walk that reached an Upsilon to it. */
  private readonly writtenIn: Int32Array;
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private walk = 0;
  private hasGrown = false;

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.context = context;
    this.bits = context.table(proc.valueIdEnd);
    this.writtenIn = context.table(proc.valueIdEnd);
  }

  collect(): void {
    const { snapshots } = this.proc;
    for (let s = 0; s < snapshots.length; s++) {
      const { values } = snapshots[s];
      for (let i = 0; i < values.length; i++) this.demandAll(values[i]);
    }
    const { order } = this.context.flow(this.proc);
    do {
      if (this.walk++ === WALKS_MAX) this.demandPhis();
      this.hasGrown = false;
      for (let b = order.length - 1; b >= 0; b--) {
        const { values } = order[b];
        for (let i = values.length - 1; i >= 0; i--) this.visit(values[i]);
      }
    } while (this.hasGrown);
  }

  private demandPhis(): void {
    this.proc.forEachValue((value) => {
      if (value.opcode === Op.Phi) this.bits[value.id] = ALL;
    });
  }

  private visit(value: Value): void {
    const { opcode, type, a, b, c, extra } = value;
    const reader = a === null ? OTHERS : READERS[opcode];
    if (a === null || reader === OTHERS || (reader >= BITS && type !== Int32)) {
      this.demandAll(value);
      if (extra instanceof Snapshot) forEachSlotValue(extra, (slot) => this.demand(slot, ALL));
    } else if (reader === WRITES) {
      this.visitUpsilon(a, value.phi);
    } else if (reader === BYTE || reader === HALF) {
      this.demand(a, reader === BYTE ? 0xff : 0xffff);
      if (b !== null) this.demand(b, ALL);
    } else if (reader === SHIFTS && b !== null) {
      this.demand(
        a,
        type === Int32 && b.isConstant ? demandedByShift(opcode, this.bits[value.id], b) : ALL,
      );
      this.demand(b, type === Int32 ? 31 : 63);
    } else {
      this.visitBits(value, reader, a, b, c);
    }
  }

  private visitUpsilon(value: Value, phi: Value): void {
    this.writtenIn[phi.id] = this.walk;
    this.demand(value, this.bits[phi.id]);
  }

  private visitBits(
    { opcode, id }: Value,
    reader: number,
    a: Value,
    b: Value | null,
    c: Value | null,
  ): void {
    const read = reader === SUMS ? upToHighest(this.bits[id]) : this.bits[id];
    if (opcode === Op.Select) {
      this.demand(a, ALL);
      if (b !== null) this.demand(b, read);
      if (c !== null) this.demand(c, read);
      return;
    }
    this.demand(a, b === null ? read : demandedBeside(opcode, read, b));
    if (b !== null) this.demand(b, demandedBeside(opcode, read, a));
  }

  private demandAll({ a, b, c, rest }: Value): void {
    if (a !== null) this.demand(a, ALL);
    if (b !== null) this.demand(b, ALL);
    if (c !== null) this.demand(c, ALL);
    if (rest !== null) for (let i = 0; i < rest.length; i++) this.demand(rest[i], ALL);
  }

  private demand({ id, opcode }: Value, bits: number): void {
    const { bits: known } = this;
    if ((bits & ~known[id]) === 0) return;
    if (opcode === Op.Phi && this.writtenIn[id] === this.walk) this.hasGrown = true;
    known[id] |= bits;
  }
}

/** Returns the demanded bits of an operand whose other operand may be a constant. */
function demandedBeside(opcode: Opcode, read: number, other: Value): number {
  if (!other.isConstant) return read;
  if (opcode === Op.BitAnd) return read & other.constantLow;
  return opcode === Op.BitOr ? read & ~other.constantLow : read;
}

/** Returns the demanded bits of the operand of a shift by a constant. */
function demandedByShift(opcode: Opcode, read: number, { constantLow: count }: Value): number {
  if (opcode === Op.Shl) return read >>> count;
  const moved = read << count;
  if (opcode === Op.ZShr) return moved;
  const copies = (count & 31) === 0 ? 0 : ALL << (32 - (count & 31));
  return (read & copies) === 0 ? moved : moved | (1 << 31);
}

/** Returns the bits up to the highest one of the argument. */
const upToHighest = (bits: number): number => (bits === 0 ? 0 : ALL >>> Math.clz32(bits));

/** Uses that read all bits of all operands. */
const OTHERS = 0;
const WRITES = 1;
/** Uses that read the lowest 8 or 16 bits of the first operand. */
const BYTE = 2;
const HALF = 3;
const SHIFTS = 4;
/** Each bit of the result depends only on the same bit of the operands. */
const BITS = 5;
/** Each bit of the result depends only on the same and on lower bits of the operands. */
const SUMS = 6;

// biome-ignore format: a table
const READER_OF: { readonly [O in OpcodeName]?: number } = {
  Upsilon: WRITES,
  Store8: BYTE, SExt8: BYTE, SExt8To64: BYTE,
  Store16: HALF, SExt16: HALF, SExt16To64: HALF,
  Shl: SHIFTS, ZShr: SHIFTS, SShr: SHIFTS,
  BitAnd: BITS, BitOr: BITS, BitXor: BITS, Select: BITS, Identity: BITS,
  Add: SUMS, Sub: SUMS, Mul: SUMS, Neg: SUMS,
};

/** By opcode: how a use reads its operands. */
const READERS = Uint8Array.from(ALL_OPCODES, (opcode) => READER_OF[nameOfOpcode(opcode)] ?? OTHERS);
