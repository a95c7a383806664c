// Lowers comparisons as part of their consumers: a branch, a guard, a select, or a register.

import { Op } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import { Int32, isInteger } from "../../src/ir/types.js";
import { Half, Policy, policyOf } from "../lir/lir.js";
import { Condition, conditionOf, isNegation, NEGATED, SWAPPED } from "../target/conditions.js";
import type { Consumer } from "../target/plan.js";
import { type LirBuilder, operandOf, resolve } from "./lir-builder.js";
import { isBetterOverwritten } from "./lower-by-table.js";
import { addressed } from "./lower-memory.js";
import { PIECE_FORM } from "./piece-forms.js";

export function lowerSelect(builder: LirBuilder, value: Value): void {
  if (!builder.isInPieces(value)) {
    lowerChoice(builder, value);
    return;
  }
  builder.definePieces(value);
  builder.pieceCounts[PIECE_FORM.select]++;
  builder.inHalves(value, lowerChoice);
}

/** Lowers the choice, or one half of it: the other half tests the condition again. */
function lowerChoice(builder: LirBuilder, value: Value): void {
  const [whenTrue, whenFalse] = [operandOf(value.b, value), operandOf(value.c, value)];
  const isWhole = builder.half === Half.Whole;
  const type = isWhole ? value.type : Int32;
  const rows = builder.plan.select[type];
  const isOpposite = isWhole && isBetterOpposite(builder, value, rows, whenTrue, whenFalse);
  builder.inputs[0] = builder.usePart(isOpposite ? whenTrue : whenFalse);
  builder.inputs[1] = builder.usePart(isOpposite ? whenFalse : whenTrue);
  consumeCondition(builder, value, rows, 2, isOpposite);
}

/**
 * Returns whether the opposite condition is better: the choice overwrites its first operand, and
 * the other one is better there.
 */
function isBetterOpposite(
  builder: LirBuilder,
  value: Value,
  { test }: Consumer,
  whenTrue: Value,
  whenFalse: Value,
): boolean {
  const [definition] = builder.plan.operands[test[Int32]];
  if (policyOf(definition) !== Policy.MustReuseInput) return false;
  return isBetterOverwritten(builder, resolve(whenTrue), resolve(whenFalse), value);
}

export function lowerCondition(builder: LirBuilder, value: Value, consumer: Consumer): void {
  consumeCondition(builder, value, consumer, 0);
}

// The condition is the first operand: a fused comparison, tested bits, or any integer compared with
// zero.
function consumeCondition(
  builder: LirBuilder,
  value: Value,
  consumer: Consumer,
  inputCount: number,
  isOpposite = false,
): void {
  const condition = operandOf(value.a, value);
  const isNotZero = isOpposite ? Condition.eq : Condition.ne;
  if (builder.folded[condition.id] === 0) {
    builder.inputs[inputCount] = builder.use(condition);
    builder.emit(consumer.test[condition.type], value, inputCount + 1, 0, isNotZero);
  } else if (condition.opcode === Op.BitAnd) {
    lowerBits(builder, value, consumer, condition, inputCount, isNotZero);
  } else lowerComparison(builder, value, consumer, condition, inputCount, isOpposite);
}

export function lowerComparison(
  builder: LirBuilder,
  value: Value,
  consumer: Consumer,
  given: Value,
  inputCount = 0,
  isOpposite = false,
): void {
  const negated = isNegation(given) && given.a !== null && builder.folded[given.a.id] !== 0;
  const comparison = negated ? operandOf(given.a, given) : given;
  let x = resolve(operandOf(comparison.a, comparison));
  let y = resolve(operandOf(comparison.b, comparison));
  const { type } = x;
  let condition = conditionOf(comparison.opcode, type);
  if (negated !== isOpposite) condition = NEGATED[condition];
  if (x.isConstant && !y.isConstant) {
    [x, y] = [y, x];
    condition = SWAPPED[condition];
  }
  if (builder.folded[x.id] !== 0 && x.opcode === Op.BitAnd) {
    lowerBits(builder, value, consumer, x, inputCount, condition);
    return;
  }
  if (builder.folded[x.id] !== 0 || builder.folded[y.id] !== 0) {
    if (builder.folded[x.id] !== 0) {
      [x, y] = [y, x];
      condition = SWAPPED[condition];
    }
    builder.inputs[inputCount] = builder.use(x);
    const load = builder.plan.forms.load[consumer.register[type]];
    const row = addressed(builder, load, y, inputCount + 1);
    builder.emit(row, value, builder.inputCount, y.offset, condition);
    return;
  }
  builder.inputs[inputCount] = builder.use(x);
  if (isInteger(type) && y.isConstant) {
    const isZeroTest = condition === Condition.eq || condition === Condition.ne;
    if (isZeroTest && y.constantLow === 0 && y.constantHigh === 0) {
      builder.emit(consumer.test[type], value, inputCount + 1, 0, condition);
      return;
    }
    const row = consumer.immediate[type];
    if (builder.plan.rows[row].immediate?.fits(y.constantLow, y.constantHigh)) {
      builder.emit(row, value, inputCount + 1, y.constantLow, condition);
      return;
    }
  }
  builder.inputs[inputCount + 1] = builder.use(y);
  builder.emit(consumer.register[type], value, inputCount + 2, 0, condition);
}

/**
 * Lowers a test whether the operands of a BitAnd have a common bit, or have none, by the condition.
 */
function lowerBits(
  builder: LirBuilder,
  value: Value,
  consumer: Consumer,
  and: Value,
  inputCount: number,
  condition: number,
): void {
  let [x, y] = [resolve(operandOf(and.a, and)), resolve(operandOf(and.b, and))];
  if (x.isConstant) [x, y] = [y, x];
  builder.inputs[inputCount] = builder.use(x);
  const row = consumer.bitsImmediate[and.type];
  if (y.isConstant && builder.plan.rows[row].immediate?.fits(y.constantLow, y.constantHigh)) {
    builder.emit(row, value, inputCount + 1, y.constantLow, condition);
    return;
  }
  builder.inputs[inputCount + 1] = builder.use(y);
  builder.emit(consumer.bits[and.type], value, inputCount + 2, 0, condition);
}
