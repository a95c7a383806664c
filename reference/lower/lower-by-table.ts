// Lowers most opcodes to LIR: the first row of the target's table whose immediate fits. If folding
// has selected an operand, it emits the form of the row that also computes the operand.

import { COMMUTES, isWholeLoad, Op } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import { Int64 } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import type { VirtualRegister } from "../lir/indices.js";
import { IndexExtension } from "../target/forms.js";
import { isExtension, isScaling, shiftOf } from "./folding.js";
import { type LirBuilder, operandOf, resolve } from "./lir-builder.js";
import { addressed } from "./lower-memory.js";
import { isSurelyInRange } from "./number-ranges.js";

export function lowerByTable(builder: LirBuilder, value: Value): void {
  if (lowerFolding(builder, value)) return;
  let a = resolve(operandOf(value.a, value));
  let b = value.b === null ? null : resolve(value.b);
  if (b !== null && COMMUTES[value.opcode] !== 0 && shouldGoFirst(builder, b, a, value)) {
    [a, b] = [b, a];
  }
  const rows = builder.candidatesOf(value, a.type);
  const { free, proved } = builder.plan.forms;
  if (builder.selects && proved[rows[0]] >= 0 && isSurelyInRange(value)) {
    builder.emit(proved[rows[0]], value, [builder.use(a)], 0, 0);
    return;
  }
  for (let r = 0; r < rows.length; r++) {
    const { immediate } = builder.plan.rows[rows[r]];
    const row = builder.selects && free[rows[r]] >= 0 ? free[rows[r]] : rows[r];
    const pool = builder.pools && b?.isConstant ? builder.plan.forms.pool[rows[r]] : -1;
    if (b !== null && pool >= 0) {
      builder.emit(pool, value, [builder.use(a)], b.constantLow, b.constantHigh);
      return;
    }
    if (immediate === null) {
      const inputs = [builder.use(a)];
      if (b !== null) inputs.push(builder.use(b));
      if (value.c !== null) inputs.push(builder.use(resolve(value.c)));
      builder.emit(row, value, inputs, 0, 0);
      return;
    }
    if (b?.isConstant && immediate.fits(b.constantLow, b.constantHigh)) {
      builder.emit(row, value, [builder.use(a)], b.constantLow, b.constantHigh);
      return;
    }
  }
  assert(
    false,
    () => `no LIR row of ${builder.plan.target.name} accepts the operands of @${value.id}`,
  );
}

/**
 * Emits a row that also computes one of the operands, such as a load; returns false if there is
 * none.
 */
function lowerFolding(builder: LirBuilder, value: Value): boolean {
  const { folded, plan } = builder;
  const { a, b } = value;
  if (a === null || b === null) return false;
  const inner = folded[b.id] !== 0 ? b : folded[a.id] !== 0 ? a : null;
  if (inner === null) return false;
  const rows = builder.candidatesOf(value, a.type);
  const register = rows[rows.length - 1];
  const first = builder.use(inner === b ? a : b);
  if (isWholeLoad(inner.opcode)) {
    const { row, inputs, slotId } = addressed(builder, plan.forms.load[register], inner);
    builder.emit(row, value, [first, ...inputs], inner.offset, slotId);
    return true;
  }
  if (lowerScaled(builder, value, first, inner, register)) return true;
  const operand = operandOf(inner.a, inner);
  const row = plan.forms.folding(register, inner);
  const inputs = [first, builder.use(operand)];
  if (inner.opcode === Op.Mul) inputs.push(builder.use(operandOf(inner.b, inner)));
  const count = plan.rows[row].immediate === null ? 0 : (inner.b?.constantLow ?? 0);
  builder.emit(row, value, inputs, count, 0);
  return true;
}

// Emits a row that extends or shifts its second operand; returns false if the operand is no
// extension or shift.
function lowerScaled(
  builder: LirBuilder,
  value: Value,
  first: VirtualRegister,
  inner: Value,
  register: number,
): boolean {
  const { folded, plan } = builder;
  const { forms } = plan;
  const shift = isScaling(inner) ? shiftOf(inner) : 0;
  const extended = shift === 0 ? inner : operandOf(inner.a, inner);
  if (!isExtension(extended) || folded[extended.id] === 0) return false;
  const extension = extended.opcode === Op.SExt32 ? IndexExtension.Sign : IndexExtension.Zero;
  const inputs = [first, builder.use(operandOf(extended.a, extended))];
  const row = forms.indexed(register, extension, shift);
  if (row >= 0) builder.emit(row, value, inputs, 0, 0);
  else builder.emit(forms.folding(register, inner), value, inputs, shift, 0);
  return true;
}

/** Returns whether `b` should go first: a constant goes second, where it may be an immediate. */
function shouldGoFirst(builder: LirBuilder, b: Value, a: Value, result: Value): boolean {
  if (a.isConstant || b.isConstant) return a.isConstant && !b.isConstant;
  return isBetterOverwritten(builder, b, a, result);
}

// Returns whether `b` should go first. The register that dies here goes first: a two-address
// instruction overwrites it without a copy. If both die, the Phi goes first that gets the result as
// an input: then the loop continues in its register.
export function isBetterOverwritten(
  builder: LirBuilder,
  b: Value,
  a: Value,
  result: Value,
): boolean {
  if (!builder.selects) return false;
  const phi = builder.phiAhead[result.id];
  if (phi === a.id && isLastUseWithin(a, result)) return false;
  return (phi === b.id && isLastUseWithin(b, result)) || (a.uses > 1 && b.uses === 1);
}

// Lowers a zero extension. It does nothing if the definition has cleared the upper half: then it is
// another name for the operand, whose register is kept in full width from there on. A Phi is
// different, because the moves to and from it may be narrow. It keeps its own type, and the
// extension reuses its register, since moves and reloads of an Int32 clear the upper half.
export function lowerZeroExtension(builder: LirBuilder, value: Value): void {
  const operand = resolve(operandOf(value.a, value));
  if (builder.zeroExtended[operand.id] === 0) {
    lowerByTable(builder, value);
    return;
  }
  const { lir, plan, phiOf } = builder;
  const input = builder.use(operand);
  const isPhi = operand.opcode === Op.Phi || phiOf[operand.id] >= 0;
  if (isPhi || operand.isConstant || lir.vregRoot[input] !== input) {
    builder.emit(plan.zeroExtended, value, [input], 0, 0);
    return;
  }
  lir.vregType[input] = Int64;
  builder.emit(plan.zeroExtendedName, value, [input], 0, 0);
}

/**
 * Returns whether no value after the user in its block uses the operand, not counting snapshots.
 */
function isLastUseWithin(operand: Value, user: Value): boolean {
  if (operand.uses === 1) return true;
  const values = user.block?.values ?? [];
  for (let i = values.indexOf(user) + 1; i < values.length; i++) {
    const { a, b, c, rest } = values[i];
    if (a === operand || b === operand || c === operand || rest?.includes(operand)) return false;
  }
  return true;
}
