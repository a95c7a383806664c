// Computes in Float if a value is widened to Double only to be narrowed or compared afterwards.
//
// Assumes a valid program in any form of Phi, and keeps the form. Three facts make it exact:
//
// 1. A Double is *narrow* if it has the value of a Float. FloatToDouble and constants that fit are
//    narrow. So are operations on narrow operands that commute with FloatToDouble: Neg, Abs,
//    CopySign, Ceil, Floor, FTrunc, Nearest, FMin, FMax, Select and Phi. The bits of a NaN are open
//    from FloatToDouble on, so they may change.
// 2. A sum, difference, product, quotient or root of narrow Doubles may be rounded to 53 bits and
//    then to 24. That equals one rounding to 24 bits (Figueroa 1995: 53 >= 2 * 24 + 2; also for
//    subnormal numbers). This holds for one operation only: its result is not narrow.
// 3. Comparisons of narrow Doubles, and conversions of them to integers, equal those of the
//    Floats.
//
// The analysis first assumes that every possible Double is narrow. It then drops those with an
// operand that is not narrow, until nothing changes. So cycles of Phis can be narrow. The phase
// rewrites only values that a conversion to Float, a comparison or a conversion to an integer
// consumes. One application is one value: its operation moves to a new Float value, and the value
// becomes the FloatToDouble of that.

import { EFFECTS, Op, type Opcode, WRITES_VARIABLE } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Double, Float } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";
import { foldValue, numberOf } from "../rules/fold.js";

const NAME = "reduce-double-to-float";

export function reduceDoubleToFloat(proc: Procedure, context: OptimizeContext): boolean {
  proc.countUses();
  const reduction = new DoubleReducer(proc, context);
  reduction.findNarrow();
  reduction.findUseful();
  return reduction.rewrite();
}

const setOf = (...opcodes: Opcode[]): ReadonlySet<Opcode> => new Set(opcodes);
/** Operations that commute with FloatToDouble. */
const EXACT = setOf(
  Op.Neg,
  Op.Abs,
  Op.CopySign,
  Op.Ceil,
  Op.Floor,
  Op.FTrunc,
  Op.Nearest,
  Op.FMin,
  Op.FMax,
  Op.Select,
  Op.Phi,
);
/** Operations that round once. */
const ROUNDED = setOf(Op.Add, Op.Sub, Op.Mul, Op.Div, Op.Sqrt);
/** Operations that give the same result for the Floats. */
const FLOAT_READERS = setOf(
  Op.Equal,
  Op.NotEqual,
  Op.LessThan,
  Op.GreaterThan,
  Op.LessEqual,
  Op.GreaterEqual,
  Op.EqualOrUnordered,
  Op.TruncS32,
  Op.TruncU32,
  Op.TruncS64,
  Op.TruncU64,
);

class DoubleReducer {
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  /** By id: 1 if the Double is narrow. */
  private readonly isNarrow: Int32Array;
  /** By id: 1 if a Float would be useful in place of the Double. */
  private readonly isUseful: Int32Array;
  private readonly values: Value[] = [];
  private readonly upsilons: Value[] = [];

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.context = context;
    this.isNarrow = context.table(proc.valueIdEnd);
    this.isUseful = context.table(proc.valueIdEnd);
  }

  findNarrow(): void {
    const { isNarrow, values, upsilons } = this;
    for (const block of this.context.flow(this.proc).order) {
      for (let i = 0; i < block.values.length; i++) {
        const value = block.values[i];
        value.block = block;
        values.push(value);
        if ((EFFECTS[value.opcode] & WRITES_VARIABLE) !== 0) upsilons.push(value);
        if (value.type === Double && mayBeNarrow(value)) isNarrow[value.id] = 1;
      }
    }
    for (let changed = true; changed; ) {
      changed = false;
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        if (isNarrow[value.id] === 0 || this.hasNarrowOperands(value)) continue;
        isNarrow[value.id] = 0;
        changed = true;
      }
      for (let u = 0; u < upsilons.length; u++) {
        const { a, phi } = upsilons[u];
        if (a === null || isNarrow[phi.id] === 0 || isNarrow[a.id] === 1) continue;
        isNarrow[phi.id] = 0;
        changed = true;
      }
    }
  }

  // Returns whether all operands are narrow; for a Select, not counting the condition.
  private hasNarrowOperands({ opcode, a, b, c }: Value): boolean {
    if (!EXACT.has(opcode)) return true;
    const { isNarrow } = this;
    if (opcode !== Op.Select && a !== null && isNarrow[a.id] === 0) return false;
    return (b === null || isNarrow[b.id] === 1) && (c === null || isNarrow[c.id] === 1);
  }

  findUseful(): void {
    const { values, upsilons, isUseful } = this;
    for (let i = 0; i < values.length; i++) {
      if (!this.isConsumer(values[i])) continue;
      const from = values[i].opcode === Op.DoubleToFloat ? values[i].a : values[i];
      this.markWithOperands(from, true);
    }
    for (let changed = true; changed; ) {
      changed = false;
      for (let i = values.length - 1; i >= 0; i--) {
        if (isUseful[values[i].id] === 1 && this.markWithOperands(values[i], false)) changed = true;
      }
      for (let u = 0; u < upsilons.length; u++) {
        const { a, phi } = upsilons[u];
        if (a !== null && isUseful[phi.id] === 1 && this.markUseful(a)) changed = true;
      }
    }
  }

  /**
   * True for a value that gives the same result with Floats as operands: a narrowing, a comparison,
   * or a conversion to an integer.
   */
  private isConsumer({ opcode, a, b }: Value): boolean {
    const { isNarrow } = this;
    if (a === null || a.type !== Double) return false;
    if (opcode === Op.DoubleToFloat) return isNarrow[a.id] === 1 || this.roundsOnce(a);
    if (!FLOAT_READERS.has(opcode)) return false;
    return isNarrow[a.id] === 1 && (b === null || isNarrow[b.id] === 1);
  }

  /** True for an operation on narrow operands whose result has no other use. */
  private roundsOnce({ opcode, uses, a, b }: Value): boolean {
    if (!ROUNDED.has(opcode) || uses !== 1 || a === null) return false;
    return this.isNarrow[a.id] === 1 && (b === null || this.isNarrow[b.id] === 1);
  }

  private markWithOperands(value: Value | null, isItself: boolean): boolean {
    if (value === null) return false;
    let changed = isItself && this.markUseful(value);
    if (value.a !== null && this.markUseful(value.a)) changed = true;
    if (value.b !== null && this.markUseful(value.b)) changed = true;
    if (value.c !== null && this.markUseful(value.c)) changed = true;
    return changed;
  }

  private markUseful({ id }: Value): boolean {
    if (this.isNarrow[id] === 0 || this.isUseful[id] === 1) return false;
    this.isUseful[id] = 1;
    return true;
  }

  rewrite(): boolean {
    const { values, isNarrow, isUseful } = this;
    const before = this.context.applications;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const isReduced =
        isNarrow[value.id] === 1 && isUseful[value.id] === 1 && EXACT.has(value.opcode);
      if (!isReduced && !this.isConsumer(value)) continue;
      if (!this.context.claim(NAME, value)) break;
      if (isReduced) this.reduce(value);
      else this.rewriteConsumer(value);
    }
    if (this.context.applications === before) return false;
    sweep(this.proc);
    return true;
  }

  /** Moves the operation to a Float value, and makes the value its FloatToDouble. */
  private reduce(value: Value): void {
    const { opcode, a, b, c, block } = value;
    const narrow = this.proc.newValue(opcode, Float);
    narrow.block = block;
    if (opcode === Op.Select) narrow.a = a;
    else if (a !== null) narrow.a = this.narrowed(a, value);
    if (b !== null) narrow.b = this.narrowed(b, value);
    if (c !== null) narrow.c = this.narrowed(c, value);
    if (opcode === Op.Phi) this.redirectUpsilons(value, narrow);
    value.opcode = Op.FloatToDouble;
    value.a = narrow;
    value.b = null;
    value.c = null;
    if (block === null) return;
    const at = block.values.indexOf(value);
    block.values[at] = narrow;
    let after = at + 1;
    while (block.values[after].opcode === Op.Phi) after++;
    block.values.splice(opcode === Op.Phi ? after : at + 1, 0, value);
  }

  private redirectUpsilons(phi: Value, narrow: Value): void {
    for (let u = 0; u < this.upsilons.length; u++) {
      const upsilon = this.upsilons[u];
      if (upsilon.phi !== phi || upsilon.a === null) continue;
      upsilon.a = this.narrowed(upsilon.a, upsilon);
      upsilon.extra = narrow;
    }
  }

  private rewriteConsumer(value: Value): void {
    const { opcode, a } = value;
    if (a === null) return;
    if (opcode !== Op.DoubleToFloat) {
      value.a = this.narrowed(a, value);
      if (value.b !== null) value.b = this.narrowed(value.b, value);
    } else if (this.isNarrow[a.id] === 1) {
      value.becomes(this.narrowed(a, value));
    } else {
      value.opcode = a.opcode;
      value.a = a.a === null ? null : this.narrowed(a.a, value);
      value.b = a.b === null ? null : this.narrowed(a.b, value);
    }
  }

  /** Returns the Float of a narrow Double: an existing one, or one created before `user`. */
  private narrowed(wide: Value, user: Value): Value {
    if (wide.opcode === Op.FloatToDouble && wide.a !== null) return wide.a;
    const { block } = user;
    const value = this.proc.newValue(Op.DoubleToFloat, Float, wide);
    if (wide.opcode === Op.ConstDouble && foldValue(value, WORDS)) {
      value.becomesConstant(WORDS.lo, WORDS.hi);
    }
    value.block = block;
    if (block !== null) insertBefore(block, user, value);
    return value;
  }
}

const WORDS = { lo: 0, hi: 0 };

// Inserts a value before `user`, or before the Upsilons at the end of the block, which stay
// adjacent.
function insertBefore(block: BasicBlock, user: Value, value: Value): void {
  let at = block.values.indexOf(user);
  while (at > 0 && (EFFECTS[block.values[at - 1].opcode] & WRITES_VARIABLE) !== 0) at--;
  block.values.splice(at, 0, value);
}

// Returns whether the Double may be computed as a Float. A constant must have the value of a Float;
// NaNs are excluded.
function mayBeNarrow(value: Value): boolean {
  const { opcode } = value;
  if (opcode !== Op.ConstDouble) return opcode === Op.FloatToDouble || EXACT.has(opcode);
  const number = numberOf(value);
  return Math.fround(number) === number;
}
