// The high half of a product of 32 bits by a constant, as divisions by constants ask for it, from the
// product of 64 bits:
//
//   ZShr(UMulHigh(x, c), s)    ->    Trunc(ZShr(Mul(ZExt32(x), c), 32 + s))
//
// One shift gives what two did; on x64, whose wide product stands in two registers of its own, nothing
// is moved there and back. There alone signed halves are taken from the product, too, and halves that are
// not shifted, where the constant is an immediate. What surely has no sign is extended by zeroes.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import type { TargetName } from "../../target/target.js";

const WORD_BITS = 32;

/** What the targets gain by. */
const HAS_TWO_REGISTERS: { readonly [T in TargetName]: boolean } = { x64: true, arm64: false };

interface HighProduct {
  /** The high half itself. */
  readonly high: Value;
  readonly isSigned: boolean;
  /** By how much the product of 64 bits is shifted. */
  readonly count: number;
}

/** From the last value to the first: a shift comes before the half that it takes. */
export function takeFromProducts(
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

/** The high half that the value is, or shifts and alone uses; null if the target gains nothing. */
function highProductOf(value: Value, target: TargetName): HighProduct | null {
  const { opcode, a, b, type } = value;
  if (type !== Int32 || a === null || b === null || !b.isConstant) return null;
  if (isHigh(value)) {
    const isImmediate = opcode === Op.MulHigh || b.lo >= 0;
    if (!HAS_TWO_REGISTERS[target] || !isImmediate) return null;
    return { high: value, isSigned: opcode === Op.MulHigh, count: WORD_BITS };
  }
  if (!isHigh(a) || a.uses !== 1 || a.b === null || !a.b.isConstant) return null;
  const isSigned = opcode === Op.SShr && a.opcode === Op.MulHigh;
  const isUnsigned = opcode === Op.ZShr && a.opcode === Op.UMulHigh;
  if (!isUnsigned && !(isSigned && HAS_TWO_REGISTERS[target])) return null;
  return { high: a, isSigned, count: WORD_BITS + (b.lo & (WORD_BITS - 1)) };
}

const isHigh = ({ opcode, type }: Value): boolean =>
  type === Int32 && (opcode === Op.MulHigh || opcode === Op.UMulHigh);

/** The values that give the same, the last of them of 32 bits; nothing is put into a block. */
function makeProduct(proc: Procedure, { high, isSigned, count }: HighProduct): Value[] {
  const { a: x, b: c } = high;
  const make = (opcode: Opcode, type: typeof Int32 | typeof Int64, a: Value | null): Value => {
    const value = proc.newValue(opcode, type);
    value.a = a;
    return value;
  };
  const lo = c?.lo ?? 0;
  const hasSign = isSigned && (x === null || !isSurelyPositive(x) || lo < 0);
  const extended = make(hasSign ? Op.SExt32 : Op.ZExt32, Int64, x);
  const factor = proc.newConstant(Int64, lo, isSigned ? lo >> 31 : 0);
  const product = make(Op.Mul, Int64, extended);
  product.b = factor;
  const shift = proc.newConstant(Int32, count, 0);
  // Zeroes that come in are above the word, or are what would come in anyway.
  const isOfSign = hasSign && count > WORD_BITS;
  const shifted = make(isOfSign ? Op.SShr : Op.ZShr, Int64, product);
  shifted.b = shift;
  return [extended, factor, product, shift, shifted, make(Op.Trunc, Int32, shifted)];
}

/** As far as its opcode tells. */
function isSurelyPositive({ opcode, b }: Value): boolean {
  if (opcode === Op.Load8Z || opcode === Op.Load16Z) return true;
  if (b === null || !b.isConstant) return false;
  return opcode === Op.BitAnd ? b.lo >= 0 : opcode === Op.ZShr && (b.lo & (WORD_BITS - 1)) !== 0;
}
