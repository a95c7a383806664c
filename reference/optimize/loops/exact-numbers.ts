// Computes the exact (unwrapped) numbers of 32-bit sums and products in 64 bits, before a loop.
//
// A 32-bit value is an *index* of a counter k if it is computed from k and values from outside. The
// operations are sums, differences, and products and shifts by values from outside. The result of
// the same operations without wrapping is linear in k; the value is its low half.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64, type Type } from "../../../src/ir/types.js";

/** The greatest exact number: far enough from 2^63 to be computed in 64 bits. */
export const MAGNITUDE_MAX = 1.5 * 2 ** 62;
/** The maximum depth of nested operations. */
const DEPTH_MAX = 5;

/**
 * Returns an upper bound of the absolute exact number of a value; Infinity if the value is not an
 * index of `k`.
 */
export function magnitudeOf(
  value: Value,
  k: Value,
  isInvariant: (value: Value) => boolean,
  depth = 0,
): number {
  const { opcode, type, a, b } = value;
  if (type !== Int32) return Number.POSITIVE_INFINITY;
  if (value === k || isInvariant(value)) return 2 ** 31;
  if (a === null || b === null || depth === DEPTH_MAX) return Number.POSITIVE_INFINITY;
  const x = magnitudeOf(a, k, isInvariant, depth + 1);
  if (opcode === Op.Shl && b.isConstant) return x * 2 ** (b.constantLow & 31);
  const y = magnitudeOf(b, k, isInvariant, depth + 1);
  if (opcode === Op.Add || opcode === Op.Sub) return x + y;
  const isLinear = isInvariant(a) || isInvariant(b);
  return opcode === Op.Mul && isLinear ? x * y : Number.POSITIVE_INFINITY;
}

/**
 * A builder of the exact numbers of indices, without wrapping to 32 bits, as values at the end of a
 * block.
 */
export class ExactNumberBuilder {
  private readonly proc: Procedure;
  private readonly block: BasicBlock;
  private readonly k: Value;
  private readonly isInvariant: (value: Value) => boolean;

  constructor(
    proc: Procedure,
    block: BasicBlock,
    k: Value,
    isInvariant: (value: Value) => boolean,
  ) {
    this.proc = proc;
    this.block = block;
    this.k = k;
    this.isInvariant = isInvariant;
  }

  /** Computes the exact number of an index at the counter `at`. */
  of(index: Value, at: Value): Value {
    if (index === this.k) return at;
    if (this.isInvariant(index)) return this.extended(index);
    const { opcode, a, b } = index;
    if (a === null || b === null) return at; // unreachable for an index
    if (opcode === Op.Shl) return this.shifted(this.of(a, at), b.constantLow & 31);
    return this.make(opcode, Int64, this.of(a, at), this.of(b, at));
  }

  /** Computes the growth of the exact number when the counter grows by 1. */
  growth(index: Value): Value {
    if (index === this.k) return this.long(1);
    if (this.isInvariant(index)) return this.long(0);
    const { opcode, a, b } = index;
    if (a === null || b === null) return this.long(0);
    if (opcode === Op.Shl) return this.shifted(this.growth(a), b.constantLow & 31);
    if (opcode === Op.Mul) {
      const [factor, other] = this.isInvariant(a) ? [a, b] : [b, a];
      return this.product(this.growth(other), this.extended(factor));
    }
    const [x, y] = [this.growth(a), this.growth(b)];
    if (isLong(y, 0)) return x;
    return opcode === Op.Add && isLong(x, 0) ? y : this.make(opcode, Int64, x, y);
  }

  /** Computes the signed number of an Int32. */
  extended(value: Value): Value {
    return value.isConstant ? this.long(value.constantLow) : this.make(Op.SExt32, Int64, value);
  }

  /** Computes the unsigned number of an Int32. */
  unsigned(value: Value): Value {
    if (!value.isConstant) return this.make(Op.ZExt32, Int64, value);
    return this.place(this.proc.newConstant(Int64, value.constantLow, 0));
  }

  long(number: number): Value {
    return this.place(this.proc.newConstant(Int64, number, number >> 31));
  }

  product(x: Value, y: Value): Value {
    if (isLong(x, 1)) return y;
    return isLong(y, 1) ? x : this.make(Op.Mul, Int64, x, y);
  }

  shifted(value: Value, by: number): Value {
    if (by === 0) return value;
    return this.make(Op.Shl, Int64, value, this.place(this.proc.newConstant(Int32, by, 0)));
  }

  make(opcode: Opcode, type: Type, a: Value, b: Value | null = null): Value {
    return this.place(this.proc.newValue(opcode, type, a, b));
  }

  private place(value: Value): Value {
    insertBeforeEnd(this.block, value);
    return value;
  }
}

export function insertBeforeEnd(block: BasicBlock, value: Value): void {
  value.block = block;
  block.values.splice(block.values.length - 1, 0, value);
}

export const isLong = (value: Value, number: number): boolean =>
  value.opcode === Op.Const64 &&
  value.constantLow === number &&
  value.constantHigh === number >> 31;
