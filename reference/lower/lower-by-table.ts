// Lowers most opcodes to LIR: the first row of the target's table whose immediate fits. If folding
// has selected an operand, it emits the form of the row that also computes the operand.

import { COMMUTES, isWholeLoad, OPERAND_COUNTS, Op } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import { Int64 } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import { Extension } from "../target/forms.js";
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
    builder.inputs[0] = builder.use(a);
    builder.emit(proved[rows[0]], value, 1, 0, 0);
    return;
  }
  for (let r = 0; r < rows.length; r++) {
    const { immediate } = builder.plan.rows[rows[r]];
    const row = builder.selects && free[rows[r]] >= 0 ? free[rows[r]] : rows[r];
    const pool = builder.pools && b?.isConstant ? builder.plan.forms.pool[rows[r]] : -1;
    if (b !== null && pool >= 0) {
      builder.inputs[0] = builder.use(a);
      builder.emit(pool, value, 1, b.constantLow, b.constantHigh);
      return;
    }
    if (immediate === null) {
      builder.inputs[0] = builder.use(a);
      if (b !== null) builder.inputs[1] = builder.use(b);
      if (value.c !== null) builder.inputs[2] = builder.use(resolve(value.c));
      builder.emit(row, value, OPERAND_COUNTS[value.opcode], 0, 0);
      return;
    }
    if (b?.isConstant && immediate.fits(b.constantLow, b.constantHigh)) {
      builder.inputs[0] = builder.use(a);
      builder.emit(row, value, 1, b.constantLow, b.constantHigh);
      return;
    }
  }
  assert(false, () => `no row of ${builder.plan.target.name} takes @${value.id}`);
}

/** Emits the form that also computes one of the operands, which becomes the second. */
function lowerFolding(builder: LirBuilder, value: Value): boolean {
  const { folded, plan, inputs } = builder;
  const { a, b } = value;
  if (a === null || b === null) return false;
  const inner = folded[b.id] !== 0 ? b : folded[a.id] !== 0 ? a : null;
  if (inner === null) return false;
  const rows = builder.candidatesOf(value, a.type);
  const register = rows[rows.length - 1];
  inputs[0] = builder.use(inner === b ? a : b);
  if (isWholeLoad(inner.opcode)) {
    const row = addressed(builder, plan.forms.load[register], inner, 1);
    builder.emit(row, value, builder.inputCount, inner.offset, builder.slotId);
    return true;
  }
  if (lowerScaled(builder, value, inner, register)) return true;
  const operand = operandOf(inner.a, inner);
  const row = plan.forms.folding(register, inner);
  inputs[1] = builder.use(operand);
  const isProduct = inner.opcode === Op.Mul;
  if (isProduct) inputs[2] = builder.use(operandOf(inner.b, inner));
  const count = plan.rows[row].immediate === null ? 0 : (inner.b?.constantLow ?? 0);
  builder.emit(row, value, isProduct ? 3 : 2, count, 0);
  return true;
}

// Handles an operand that is an extension, or a shift of one. If no row extends it, its register is
// zero-extended already.
function lowerScaled(builder: LirBuilder, value: Value, inner: Value, register: number): boolean {
  const { folded, inputs, plan } = builder;
  const { forms } = plan;
  const shift = isScaling(inner) ? shiftOf(inner) : 0;
  const extended = shift === 0 ? inner : operandOf(inner.a, inner);
  if (!isExtension(extended) || folded[extended.id] === 0) return false;
  const extension = extended.opcode === Op.SExt32 ? Extension.Sign : Extension.Zero;
  inputs[1] = builder.use(operandOf(extended.a, extended));
  const row = forms.indexed(register, extension, shift);
  if (row >= 0) builder.emit(row, value, 2, 0, 0);
  else builder.emit(forms.folding(register, inner), value, 2, shift, 0);
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
  const { lir, plan, phiOf, inputs } = builder;
  inputs[0] = builder.use(operand);
  const isPhi = operand.opcode === Op.Phi || phiOf[operand.id] >= 0;
  if (isPhi || operand.isConstant || lir.vregRoot[inputs[0]] !== inputs[0]) {
    builder.emit(plan.zeroExtended, value, 1, 0, 0);
    return;
  }
  lir.vregType[inputs[0]] = Int64;
  builder.emit(plan.zeroExtendedName, value, 1, 0, 0);
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
