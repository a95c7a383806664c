// Lowers operations without an instruction on a target to operations that it has, so that parts of
// them can be shared.
//
//   Mod(x, y)    ->    Sub(x, Mul(Div(x, y), y))
//   Depend(x)    ->    0
//   high halves of products by constants (high-products.ts)
//   BitOr(Shl(x, 1), y)    ->    Add(Shl(x, 1), y), where y is 0 or 1
//
// Depend is lowered on x64 only, which keeps the order of two loads anyway. The sum is used on x64
// only, which adds a shifted operand in one instruction.
//
// Remainders are always lowered on arm64, which has no remainder instruction. x64's division gives
// both results, so there a remainder is lowered only if the quotient exists already, which saves
// the second division. A quotient is shared within a block. Only integer remainders are lowered:
// Mod and Div are undefined for the same operands, and are at the same position. ChillMod by zero
// is zero, but the difference is not. The lowering rows of the targets handle ChillDiv, Switch and
// other operations of several instructions, because they need no further blocks.
//
// Assumes a valid program, in any form of Phi. Each operation is one application.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { isInteger } from "../../../src/ir/types.js";
import { conditionOf } from "../../target/conditions.js";
import { SHIFT_MAX } from "../../target/forms.js";
import type { TargetName } from "../../target/target.js";
import type { OptimizeContext } from "../edit/context.js";
import { resolveOperands, sweep } from "../edit/sweep.js";
import { lowerHighProducts } from "./high-products.js";

const NAME = "lower-macros";

/**
 * True if the target performs loads in program order, so that no load needs to depend on another.
 */
const ORDERS_LOADS: { readonly [T in TargetName]: boolean } = { x64: true, arm64: false };
/** True if an addition, but not a bitwise or, takes an operand shifted by 1, 2 or 3. */
const ADDS_SHIFTED: { readonly [T in TargetName]: boolean } = { x64: true, arm64: false };
const HAS_REMAINDER: { readonly [T in TargetName]: boolean } = { x64: true, arm64: false };

/** Returns the opcode of the quotient; null if the value is not a remainder. */
function quotientOf({ opcode, type }: Value): Opcode | null {
  if (!isInteger(type)) return null;
  return opcode === Op.Mod ? Op.Div : opcode === Op.UMod ? Op.UDiv : null;
}

export function lowerMacros(proc: Procedure, context: OptimizeContext): boolean {
  const { target } = context;
  if (target === null) return false;
  const flow = context.flow(proc);
  const { order } = flow;
  const before = context.applications;
  lowerHighProducts(proc, flow, target, (value) => context.claim(NAME, value));
  for (let b = 0; b < order.length; b++) {
    if (!lowerInBlock(proc, order[b], target, context)) break;
  }
  const changed = context.applications !== before;
  if (changed) sweep(proc);
  return changed;
}

/** Expands the macros of a block; returns false if the limit of applications is reached. */
function lowerInBlock(
  proc: Procedure,
  block: BasicBlock,
  target: TargetName,
  context: OptimizeContext,
): boolean {
  const { values } = block;
  const quotients: Value[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const { opcode } = value;
    if (opcode === Op.Div || opcode === Op.UDiv) {
      resolveOperands(value);
      quotients.push(value);
      continue;
    }
    if (opcode === Op.Depend && ORDERS_LOADS[target]) {
      if (!context.claim(NAME, value)) return false;
      value.becomesConstant(0, 0);
      continue;
    }
    if (ADDS_SHIFTED[target] && isSumOfBits(value)) {
      if (!context.claim(NAME, value)) return false;
      value.opcode = Op.Add;
      continue;
    }
    const quotientOpcode = quotientOf(value);
    if (quotientOpcode === null) continue;
    resolveOperands(value);
    const known = quotients.find(
      (quotient) =>
        quotient.opcode === quotientOpcode && quotient.a === value.a && quotient.b === value.b,
    );
    if (known === undefined && HAS_REMAINDER[target]) continue;
    if (!context.claim(NAME, value)) return false;
    const made: Value[] = [];
    const make = (code: Opcode, a: Value | null, b: Value | null): Value => {
      const part = proc.newValue(code, value.type, a, b);
      part.block = block;
      made.push(part);
      return part;
    };
    const { a: x, b: y } = value;
    const quotient = known ?? make(quotientOpcode, x, y);
    if (known === undefined) quotients.push(quotient);
    const rest = make(Op.Sub, x, make(Op.Mul, quotient, y));
    values.splice(i, 0, ...made);
    i += made.length;
    value.becomes(rest);
  }
  return true;
}

/**
 * True if a BitOr is a sum: one operand is shifted left by 1 to 3, and the other has only lower
 * bits, so nothing is carried.
 */
function isSumOfBits({ opcode, a, b }: Value): boolean {
  if (opcode !== Op.BitOr || a === null || b === null) return false;
  return isBelow(b, shiftOf(a)) || isBelow(a, shiftOf(b));
}

/** Returns the shift count; 0 if the value is not such a shift. */
function shiftOf({ opcode, b }: Value): number {
  if (opcode !== Op.Shl || b === null || !b.isConstant) return 0;
  return b.constantLow > 0 && b.constantLow <= SHIFT_MAX ? b.constantLow : 0;
}

/** True if the value certainly has no bit at that position or above. */
function isBelow({ opcode, a, b }: Value, bit: number): boolean {
  if (bit === 0 || a === null || b === null) return false;
  if (conditionOf(opcode, a.type) >= 0) return true;
  const isMasked = opcode === Op.BitAnd && b.isConstant && b.constantHigh === 0;
  return isMasked && b.constantLow >= 0 && b.constantLow < 1 << bit;
}
