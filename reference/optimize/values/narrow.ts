// Computes with fewer bits, or with integers, if the result is the same.
//
// Assumes edge form and no unreachable blocks, and keeps both. Like LuaJIT's narrowing, it starts
// at a truncation of a result and goes back through the expression:
//
// 1. Trunc of an Int64 expression with extended and constant leaves. The low halves of sums,
//    products, bitwise operations and left shifts depend only on the low halves of the operands.
// 2. A comparison, or a conversion to a signed integer, of a Double expression of integers.
//    Sums, differences, products and negations are exact while they stay below 2^52 in size, which
//    the range of each step must show. A zero may lose its sign, which neither a comparison nor a
//    conversion depends on. A conversion saturates, so its operand must fit. A conversion modulo
//    2^32 takes the low bits of any operand. A guarded conversion loses its guard, unless the guard
//    depends on the sign of a zero. A guarded conversion of one operation on integers becomes the
//    checked operation.
// 3. An extension of a truncated value that fits becomes the value. A sign extension of a value
//    that is not negative becomes a zero extension, which is often free. A mask that keeps all bits
//    is removed.
// 4. The constant in the index of an access moves into its offset (index-offsets.ts).
//
// Steps with other uses stay, and so do the steps that depend on them, so no work is duplicated.
// One application is one result with its expression.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Double, Int32, Int64, isInteger, type Type } from "../../../src/ir/types.js";
import { EXACT, widthOf } from "../analysis/bounds.js";
import { RangeAnalysis } from "../analysis/range-analysis.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";
import { numberOf } from "../rules/fold.js";
import { IndexOffsets, indexedBy, isAccess } from "./index-offsets.js";

const NAME = "narrow";

/** The maximum number of operations from a result to a leaf. */
const DEPTH_MAX = 5;

export function narrow(proc: Procedure, context: OptimizeContext): boolean {
  if (!hasCandidate(proc)) return false;
  proc.countUses();
  const narrowing = new IntegerNarrower(proc, context);
  narrowing.ranges.walk((value) => narrowing.visit(value));
  return narrowing.apply();
}

// Returns whether any value may be narrowed; half of all procedures have none, and need no ranges.
function hasCandidate({ blocks }: Procedure): boolean {
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) if (isCandidate(values[i])) return true;
  }
  return false;
}

/** True if `IntegerNarrower.visit` may change the value, judging by opcodes alone. */
function isCandidate(value: Value): boolean {
  const { opcode, a, b } = value;
  if (a === null) return false;
  if (indexedBy(value) !== null) return true;
  if (opcode === Op.Trunc)
    return HAS_LOW_HALF[a.opcode] === 1 || a.opcode === Op.Shl || a.isConstant;
  if (opcode === Op.SExt32) return true;
  if (opcode === Op.ZExt32) return a.opcode === Op.Trunc;
  if (opcode === Op.BitAnd && b !== null) return mayBeMask(a) || mayBeMask(b);
  if (a.type !== Double || !mayBeInteger(a)) return false;
  return COMPARISONS[opcode] === undefined
    ? CONVERSIONS[opcode] === 1
    : b !== null && mayBeInteger(b);
}

// Returns whether the low word of the constant is a mask of its lowest bits.
const mayBeMask = (value: Value): boolean =>
  value.isConstant && (value.constantLow & (value.constantLow + 1)) === 0;

const mayBeInteger = ({ opcode }: Value): boolean =>
  opcode === Op.IToD || opcode === Op.ConstDouble || ARITHMETIC[opcode] === 1;

/** The bounds of an expression of integers, and the union of the bounds of all its steps. */
interface ExpressionBounds {
  readonly low: number;
  readonly high: number;
  readonly stepLow: number;
  readonly stepHigh: number;
}

/** A change to apply after the walk. Until then the ranges describe the unchanged program. */
interface PendingChange {
  readonly value: Value;
  /** Values to insert before it. */
  readonly made: readonly Value[];
  readonly apply: () => void;
}

class IntegerNarrower {
  readonly ranges: RangeAnalysis;
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private readonly changes: PendingChange[] = [];
  private readonly offsets: IndexOffsets;
  private made: Value[] = [];
  private hasBudget = true;

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.context = context;
    this.ranges = new RangeAnalysis(proc, context);
    this.offsets = new IndexOffsets(proc, context.flow(proc), this.ranges);
  }

  visit(value: Value): void {
    const { opcode, a, b } = value;
    if (a === null || !this.hasBudget) return;
    this.offsets.record(value);
    if (isAccess(opcode)) this.visitAccess(value);
    else if (opcode === Op.Trunc) this.visitTrunc(value, a);
    else if (opcode === Op.SExt32 || opcode === Op.ZExt32) this.visitExtension(value, a);
    else if (opcode === Op.BitAnd && b !== null) this.visitMask(value, a, b);
    else if (a.type !== Double) return;
    else if (opcode === Op.TruncS32 || opcode === Op.TruncS64) this.visitConversion(value, a);
    else if (opcode === Op.ToInt32) this.visitLowBits(value, a);
    else if (opcode === Op.CheckToInt32 || opcode === Op.CheckToInt32Exact) {
      this.visitGuard(value, a);
    } else if (COMPARISONS[opcode] !== undefined && b !== null) this.visitComparison(value, a, b);
  }

  private plan(value: Value, apply: () => void): void {
    this.hasBudget = this.context.claim(NAME, value);
    if (this.hasBudget) this.changes.push({ value, made: this.made, apply });
    this.made = [];
  }

  private visitTrunc(value: Value, wide: Value): void {
    if (!hasLowHalf(wide, 0) || LEAVES[wide.opcode] === 1) return;
    const result = this.lowHalf(wide);
    this.plan(value, () => value.becomes(result));
  }

  private visitExtension(value: Value, narrow: Value): void {
    const { min, max } = this.ranges;
    const { opcode } = value;
    const wide = narrow.opcode === Op.Trunc ? narrow.a : null;
    const low = opcode === Op.ZExt32 ? 0 : widthOf(Int32).least;
    const high = opcode === Op.ZExt32 ? 2 ** 32 - 1 : widthOf(Int32).greatest;
    if (wide !== null && min[wide.id] >= low && max[wide.id] <= high) {
      this.plan(value, () => value.becomes(wide));
    } else if (opcode === Op.SExt32 && min[narrow.id] >= 0) {
      this.plan(value, () => {
        value.opcode = Op.ZExt32;
      });
    }
  }

  private visitAccess(access: Value): void {
    const moved = this.offsets.move(access);
    if (moved === null) return;
    this.made = moved.made;
    this.plan(access, () => {
      if (access.address === access.a) access.a = moved.address;
      else access.b = moved.address;
      access.offset = moved.offset;
    });
  }

  private visitMask(value: Value, a: Value, b: Value): void {
    const { min, max } = this.ranges;
    const [mask, other] = b.isConstant ? [b, a] : [a, b];
    if (!mask.isConstant || other.isConstant) return;
    const bits = min[mask.id];
    if (bits !== max[mask.id] || bits < 1 || !isPowerOfTwo(bits + 1)) return;
    if (min[other.id] < 0 || max[other.id] > bits) return;
    this.plan(value, () => value.becomes(other));
  }

  /** Converts with integers; returns true if the result fits. */
  private visitConversion(value: Value, number: Value): boolean {
    const bounds = this.boundsOf(number, 0);
    const { type } = value;
    if (bounds === null || bounds.low < widthOf(type).least) return false;
    if (bounds.high > widthOf(type).greatest) return false;
    const computed = fitsInt32(bounds) ? Int32 : Int64;
    const integer = this.integerOf(number, computed);
    const result =
      computed === type ? integer : this.make(type === Int32 ? Op.Trunc : Op.SExt32, type, integer);
    this.plan(value, () => value.becomes(result));
    return true;
  }

  // The exact result of one operation on 32-bit integers is a Double, or a product far beyond 32
  // bits. So the conversion fails exactly if the integer operation overflows. A sum of such numbers
  // is never -0, but a product may be.
  private visitGuard(value: Value, number: Value): void {
    const dependsOnSign = value.opcode === Op.CheckToInt32Exact;
    if (!dependsOnSign && this.visitConversion(value, number)) return;
    const { opcode, a, b, uses } = number;
    const checked = CHECKED_OPCODES[opcode];
    if (checked === undefined || (dependsOnSign && opcode === Op.Mul) || uses !== 1) return;
    if (a === null || b === null || !isInt32Number(a) || !isInt32Number(b)) return;
    const [x, y] = [this.integerOf(a, Int32), this.integerOf(b, Int32)];
    this.plan(value, () => {
      value.opcode = checked;
      value.a = x;
      value.b = y;
    });
  }

  // The expression is exact, so each step may wrap modulo 2^32.
  private visitLowBits(value: Value, number: Value): void {
    if (this.boundsOf(number, 0) === null) return;
    const result = this.integerOf(number, Int32);
    this.plan(value, () => value.becomes(result));
  }

  private visitComparison(value: Value, a: Value, b: Value): void {
    const [x, y] = [this.boundsOf(a, 0), this.boundsOf(b, 0)];
    if (x === null || y === null) return;
    const type = fitsInt32(x) && fitsInt32(y) ? Int32 : Int64;
    const [first, second] = [this.integerOf(a, type), this.integerOf(b, type)];
    this.plan(value, () => {
      value.opcode = COMPARISONS[value.opcode] ?? value.opcode;
      value.a = first;
      value.b = second;
    });
  }

  /** Returns the bounds of a Double that is always an integer; else null. */
  private boundsOf(number: Value, depth: number): ExpressionBounds | null {
    const { opcode, a, b } = number;
    if (opcode === Op.ConstDouble)
      return joinedBounds(numberOf(number), numberOf(number), null, null);
    if (opcode === Op.IToD && a !== null) {
      return joinedBounds(this.ranges.min[a.id], this.ranges.max[a.id], null, null);
    }
    if (a === null || depth === DEPTH_MAX || number.uses !== 1) return null;
    if (ARITHMETIC[opcode] !== 1) return null;
    const x = this.boundsOf(a, depth + 1);
    if (x === null) return null;
    if (b === null) return joinedBounds(-x.high, -x.low, x, null);
    const y = this.boundsOf(b, depth + 1);
    if (y === null) return null;
    if (opcode === Op.Add) return joinedBounds(x.low + y.low, x.high + y.high, x, y);
    if (opcode === Op.Sub) return joinedBounds(x.low - y.high, x.high - y.low, x, y);
    const corners = [x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high];
    return joinedBounds(Math.min(...corners), Math.max(...corners), x, y);
  }

  /** Creates the integer value of a Double that has bounds. Each step fits in `type`. */
  private integerOf(number: Value, type: Type): Value {
    const { opcode, a, b } = number;
    if (opcode === Op.ConstDouble || a === null) return this.constant(type, numberOf(number));
    if (opcode !== Op.IToD) {
      const x = this.integerOf(a, type);
      return this.make(opcode, type, x, b === null ? null : this.integerOf(b, type));
    }
    if (a.type === type) return a;
    return this.make(type === Int32 ? Op.Trunc : Op.SExt32, type, a);
  }

  /** Creates the low half of an Int64 that `hasLowHalf` accepts. */
  private lowHalf(value: Value): Value {
    const { opcode, a, b } = value;
    if (opcode === Op.Const64 || a === null) return this.constant(Int32, value.constantLow);
    if (LEAVES[opcode] === 1) return a;
    const x = this.lowHalf(a);
    const y = b === null || opcode === Op.Shl ? b : this.lowHalf(b);
    return this.make(opcode, Int32, x, y);
  }

  private constant(type: Type, exact: number): Value {
    const high = type === Int64 ? Math.floor(exact / 2 ** 32) : 0;
    const value = this.proc.newConstant(type, exact | 0, high);
    this.made.push(value);
    return value;
  }

  private make(opcode: Opcode, type: Type, a: Value, b: Value | null = null): Value {
    const value = this.proc.newValue(opcode, type, a, b);
    this.made.push(value);
    return value;
  }

  apply(): boolean {
    const { changes } = this;
    const madeFor = new Map<Value, readonly Value[]>();
    const blocks = new Set<BasicBlock>();
    for (let c = 0; c < changes.length; c++) {
      const { value, made, apply } = changes[c];
      const { block } = value;
      if (block === null) continue;
      for (let m = 0; m < made.length; m++) made[m].block = block;
      if (made.length > 0) {
        madeFor.set(value, made);
        blocks.add(block);
      }
      apply();
    }
    for (const block of blocks) insertAll(block.values, madeFor);
    if (changes.length > 0) sweep(this.proc);
    return changes.length > 0;
  }
}

/** Inserts each created value before the value it was created for, in one pass. */
function insertAll(values: Value[], madeFor: ReadonlyMap<Value, readonly Value[]>): void {
  const old = values.splice(0);
  for (let i = 0; i < old.length; i++) {
    const made = madeFor.get(old[i]);
    if (made !== undefined) for (let m = 0; m < made.length; m++) values.push(made[m]);
    values.push(old[i]);
  }
}

// Returns whether the number is a power of two. The logarithm is rounded, because it is inexact.
const isPowerOfTwo = (x: number): boolean => 2 ** Math.round(Math.log2(x)) === x;

/**
 * Comparisons of Doubles become the integer comparisons of the same name. Integers are never
 * unordered.
 */
const COMPARISONS: { readonly [opcode: number]: Opcode | undefined } = {
  [Op.Equal]: Op.Equal,
  [Op.NotEqual]: Op.NotEqual,
  [Op.LessThan]: Op.LessThan,
  [Op.GreaterThan]: Op.GreaterThan,
  [Op.LessEqual]: Op.LessEqual,
  [Op.GreaterEqual]: Op.GreaterEqual,
  [Op.EqualOrUnordered]: Op.Equal,
};

const CHECKED_OPCODES: { readonly [opcode: number]: Opcode | undefined } = {
  [Op.Add]: Op.CheckAdd,
  [Op.Sub]: Op.CheckSub,
  [Op.Mul]: Op.CheckMul,
};

/**
 * True for a 32-bit integer as a Double. -0 is excluded, because -0 - 0 is -0.
 */
function isInt32Number(number: Value): boolean {
  const { opcode, a } = number;
  if (opcode === Op.IToD) return a !== null && a.type === Int32;
  return opcode === Op.ConstDouble && Object.is(numberOf(number) | 0, numberOf(number));
}

const marks = (...opcodes: Opcode[]): { readonly [opcode: number]: 1 | undefined } =>
  Object.fromEntries(opcodes.map((opcode) => [opcode, 1]));
/** Conversions from Doubles to integers. */
const CONVERSIONS = marks(
  Op.TruncS32,
  Op.TruncS64,
  Op.ToInt32,
  Op.CheckToInt32,
  Op.CheckToInt32Exact,
);
/** Operations that are exact on integers below 2^52. */
const ARITHMETIC = marks(Op.Add, Op.Sub, Op.Mul, Op.Neg);
/** Operations whose low half depends only on the low halves of the operands. */
const HAS_LOW_HALF = marks(Op.Add, Op.Sub, Op.Mul, Op.Neg, Op.BitAnd, Op.BitOr, Op.BitXor);
/** Operations whose low half is the operand. */
const LEAVES = marks(Op.ZExt32, Op.SExt32);

function hasLowHalf({ opcode, a, b, uses }: Value, depth: number): boolean {
  if (opcode === Op.Const64 || LEAVES[opcode] === 1) return true;
  if (a === null || uses !== 1 || depth === DEPTH_MAX) return false;
  if (opcode === Op.Shl) {
    const isShort = b !== null && b.opcode === Op.Const32 && (b.constantLow & 63) < 32;
    return isShort && hasLowHalf(a, depth + 1);
  }
  if (HAS_LOW_HALF[opcode] !== 1 || !isInteger(a.type)) return false;
  return hasLowHalf(a, depth + 1) && (b === null || hasLowHalf(b, depth + 1));
}

/**
 * Returns the bounds of an operation, joined with those of the steps below it; null if a bound is
 * no exact integer. -0 counts as 0.
 */
function joinedBounds(
  low: number,
  high: number,
  x: ExpressionBounds | null,
  y: ExpressionBounds | null,
): ExpressionBounds | null {
  if (!Number.isInteger(low) || low < -EXACT || high > EXACT || low > high) return null;
  const stepLow = Math.min(low, x?.stepLow ?? low, y?.stepLow ?? low);
  const stepHigh = Math.max(high, x?.stepHigh ?? high, y?.stepHigh ?? high);
  return { low, high, stepLow, stepHigh };
}

/** True if all steps fit in Int32. */
const fitsInt32 = ({ stepLow, stepHigh }: ExpressionBounds): boolean =>
  stepLow >= widthOf(Int32).least && stepHigh <= widthOf(Int32).greatest;
