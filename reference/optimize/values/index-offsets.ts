// Moves the constant in the index of an access into the offset of the access:
//
//   Load(Add(p, Shl(ZExt32(Add(x, c)), k)), offset)
//   ->  Load(Add(p, Shl(ZExt32(x), k)), offset + (c << k))
//
// The change requires that x + c cannot wrap around, according to its range. It also requires that
// the sum has no other use: otherwise a counter and its next value would both occupy registers. The
// address of x often exists already, because p[x] is accessed too. A value that is available on all
// paths is reused.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { OPCODE_COUNT, Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import { widthOf } from "../analysis/bounds.js";
import type { RangeAnalysis } from "../analysis/range-analysis.js";

/** The maximum number of dominators that are searched for an available value. */
const CLIMB_MAX = 32;
const SHIFT_MAX = 3;
/** The factor that combines two ids into one key; it is greater than every id. */
const KEY_STEP = 2 ** 22;

/**
 * An access whose address is `base + (extension << shift)`, with the extension of a sum `x + c`.
 */
interface IndexedAccess {
  readonly base: Value;
  readonly extension: Value;
  /** The shift by a constant; null if there is none. */
  readonly scaling: Value | null;
  readonly x: Value;
  readonly c: number;
}

/** The new address and offset of an access. */
interface MovedIndex {
  readonly address: Value;
  readonly offset: number;
  /** Values to insert before it. */
  readonly made: Value[];
}

export class IndexOffsets {
  private readonly proc: Procedure;
  private readonly flow: ControlFlow;
  private readonly ranges: RangeAnalysis;
  /** By opcode and operands: a value that has been visited or created. */
  private readonly known = new Map<number, Value>();

  constructor(proc: Procedure, flow: ControlFlow, ranges: RangeAnalysis) {
    this.proc = proc;
    this.flow = flow;
    this.ranges = ranges;
  }

  /** Records an available value. The caller passes every value in the order of the walk. */
  record(value: Value): void {
    const { opcode, a, b } = value;
    if (a === null || value.type !== Int64) return;
    if (isExtension(value)) this.known.set(keyOf(this.extensionOf(opcode, a), a, 0), value);
    else if (opcode === Op.Add && b !== null) this.known.set(keyOf(opcode, a, b.id), value);
    else if (opcode === Op.Shl && b?.isConstant)
      this.known.set(keyOf(opcode, a, b.constantLow), value);
  }

  /** Returns the new address and offset of an access; null if the constant must stay. */
  move(access: Value): MovedIndex | null {
    const indexed = indexedBy(access);
    if (indexed === null || access.block === null) return null;
    const { base, extension, scaling, x, c } = indexed;
    const { min, max } = this.ranges;
    const isSigned = extension.opcode === Op.SExt32;
    const low = isSigned ? widthOf(Int32).least : 0;
    if (!isSigned && min[x.id] < 0) return null;
    if (min[x.id] + c < low || max[x.id] + c > widthOf(Int32).greatest) return null;
    const offset = access.offset + c * 2 ** (scaling?.b?.constantLow ?? 0);
    if ((offset | 0) !== offset) return null;
    const made: Value[] = [];
    const opcode = this.extensionOf(extension.opcode, x);
    let index = this.findOrMake(access.block, opcode, x, null, made);
    if (scaling !== null) index = this.findOrMake(access.block, Op.Shl, index, scaling.b, made);
    return { address: this.findOrMake(access.block, Op.Add, base, index, made), offset, made };
  }

  /**
   * Returns the opcode of an extension after narrowing: a zero extension if the operand is not
   * negative.
   */
  private extensionOf(opcode: Opcode, x: Value): Opcode {
    return this.ranges.min[x.id] >= 0 ? Op.ZExt32 : opcode;
  }

  private findOrMake(
    block: BasicBlock,
    opcode: Opcode,
    a: Value,
    b: Value | null,
    made: Value[],
  ): Value {
    const key = keyOf(opcode, a, opcode === Op.Shl ? (b?.constantLow ?? 0) : (b?.id ?? 0));
    const known = this.known.get(key) ?? null;
    if (known !== null && this.isAvailable(known, block)) return known;
    const value = this.proc.newValue(opcode, Int64, a, b);
    value.block = block;
    made.push(value);
    this.known.set(key, value);
    return value;
  }

  /**
   * True if the value's block dominates the position. The value was visited before, so it is then
   * available on all paths.
   */
  private isAvailable({ block }: Value, at: BasicBlock): boolean {
    const { order, position, dominator } = this.flow;
    let index = position[at.index];
    for (let k = 0; k < CLIMB_MAX; k++) {
      if (order[index] === block) return true;
      if (index === 0) return false;
      index = dominator[index];
    }
    return false;
  }
}

const keyOf = (opcode: Opcode, { id }: Value, last: number): number =>
  (opcode * KEY_STEP + id) * KEY_STEP + last;

const isExtension = ({ opcode }: Value): boolean => opcode === Op.ZExt32 || opcode === Op.SExt32;

/**
 * Returns the parts of an access whose index is a sum with a constant, if the sum has no other use;
 * else null.
 */
export function indexedBy(access: Value): IndexedAccess | null {
  if (!isAccess(access.opcode)) return null;
  const { opcode, a, b } = access.address;
  if (opcode !== Op.Add || a === null || b === null) return null;
  return indexOf(a, b) ?? indexOf(b, a);
}

function indexOf(base: Value, index: Value): IndexedAccess | null {
  const isScaled = isScaling(index);
  const extension = isScaled ? index.a : index;
  if (extension === null || !isExtension(extension)) return null;
  const sum = extension.a;
  if (sum === null || sum.opcode !== Op.Add || sum.type !== Int32 || sum.uses > 1) return null;
  const { a: x, b: c } = sum;
  if (x === null || c === null || !c.isConstant || x.isConstant) return null;
  return { base, extension, scaling: isScaled ? index : null, x, c: c.constantLow };
}

function isScaling({ opcode, a, b }: Value): boolean {
  return opcode === Op.Shl && a !== null && b !== null && isShort(b);
}
const isShort = (value: Value): boolean =>
  value.isConstant && value.constantLow > 0 && value.constantLow <= SHIFT_MAX;

/** True for a load or store of one location. Its offset is an addend of the address. */
export const isAccess = (opcode: Opcode): boolean => IS_ACCESS[opcode] === 1;
const IS_ACCESS = new Uint8Array(OPCODE_COUNT);
for (const opcode of [
  ...[Op.Load8Z, Op.Load8S, Op.Load16Z, Op.Load16S, Op.Load],
  ...[Op.Store8, Op.Store16, Op.Store],
]) {
  IS_ACCESS[opcode] = 1;
}
