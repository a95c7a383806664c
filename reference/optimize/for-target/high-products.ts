// Computes the high half of a 32-bit product by a constant, which divisions by constants use, from
// the 64-bit product:
//
//   ZShr(UMulHigh(x, c), s)    ->    Trunc(ZShr(Mul(ZExt32(x), c), 32 + s))
//
// One shift replaces two. On x64 it also saves moves, because its wide product uses two fixed
// registers. So on x64 signed halves are computed from the 64-bit product too, and halves without a
// shift if the constant is an immediate. Operands that are certainly not negative are
// zero-extended.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { Op } from "../../../src/ir/opcodes.js";
import type { Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import type { TargetName } from "../../target/target.js";

const WORD_BITS = 32;

/** The targets whose wide product uses two fixed registers. */
const HAS_TWO_REGISTERS: { readonly [T in TargetName]: boolean } = { x64: true, arm64: false };

interface HighProduct {
  /** The value that computes the high half of the product. */
  readonly high: Value;
  readonly isSigned: boolean;
  /** The shift count of the 64-bit product. */
  readonly count: number;
}

/**
 * Replaces high halves of products by wider products; goes backward, so that a shift is visited
 * before its operand.
 */
export function lowerHighProducts(
  proc: Procedure,
  { order }: ControlFlow,
  target: TargetName,
  claim: (value: Value) => boolean,
): void {
  if (!order.some(({ values }) => values.some(isHigh))) return;
  proc.countUses();
  for (let b = order.length - 1; b >= 0; b--) {
    const { values } = order[b];
    for (let i = values.length - 1; i >= 0; i--) {
      const found = highProductOf(values[i], target);
      if (found === null) continue;
      if (!claim(values[i])) return;
      const made = makeProduct(proc, found);
      for (const part of made) part.block = order[b];
      if (found.high !== values[i]) found.high.becomesNop();
      values[i].becomes(made[made.length - 1]);
      values.splice(i, 0, ...made);
    }
  }
}

/**
 * Returns the high half that the value is, or that it shifts as the only user; null if the target
 * gains nothing.
 */
function highProductOf(value: Value, target: TargetName): HighProduct | null {
  const { opcode, a, b, type } = value;
  if (type !== Int32 || a === null || b === null || !b.isConstant) return null;
  if (isHigh(value)) {
    const isImmediate = opcode === Op.MulHigh || b.constantLow >= 0;
    if (!HAS_TWO_REGISTERS[target] || !isImmediate) return null;
    return { high: value, isSigned: opcode === Op.MulHigh, count: WORD_BITS };
  }
  if (!isHigh(a) || a.uses !== 1 || a.b === null || !a.b.isConstant) return null;
  const isSigned = opcode === Op.SShr && a.opcode === Op.MulHigh;
  const isUnsigned = opcode === Op.ZShr && a.opcode === Op.UMulHigh;
  if (!isUnsigned && !(isSigned && HAS_TWO_REGISTERS[target])) return null;
  return { high: a, isSigned, count: WORD_BITS + (b.constantLow & (WORD_BITS - 1)) };
}

const isHigh = ({ opcode, type }: Value): boolean =>
  type === Int32 && (opcode === Op.MulHigh || opcode === Op.UMulHigh);

/**
 * Creates the values that compute the same result; the last is an Int32. They are not inserted into
 * a block.
 */
function makeProduct(proc: Procedure, { high, isSigned, count }: HighProduct): Value[] {
  const { a: x, b: c } = high;
  const lo = c?.constantLow ?? 0;
  const hasSign = isSigned && (x === null || !isNonNegative(x) || lo < 0);
  const extended = proc.newValue(hasSign ? Op.SExt32 : Op.ZExt32, Int64, x);
  const factor = proc.newConstant(Int64, lo, isSigned ? lo >> 31 : 0);
  const product = proc.newValue(Op.Mul, Int64, extended, factor);
  const shift = proc.newConstant(Int32, count, 0);
  // Whether the shift must be arithmetic: only then do the bits that it shifts in reach the word.
  const isOfSign = hasSign && count > WORD_BITS;
  const shifted = proc.newValue(isOfSign ? Op.SShr : Op.ZShr, Int64, product, shift);
  const low = proc.newValue(Op.Trunc, Int32, shifted);
  return [extended, factor, product, shift, shifted, low];
}

/** True if the opcode shows that the value is not negative. */
function isNonNegative({ opcode, b }: Value): boolean {
  if (opcode === Op.Load8Z || opcode === Op.Load16Z) return true;
  if (b === null || !b.isConstant) return false;
  return opcode === Op.BitAnd
    ? b.constantLow >= 0
    : opcode === Op.ZShr && (b.constantLow & (WORD_BITS - 1)) !== 0;
}
