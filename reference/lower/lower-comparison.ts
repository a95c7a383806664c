// Lowers comparisons as part of their consumers: a branch, a guard, a select, or a register.

import { Op } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import { Int32, isInteger } from "../../src/ir/types.js";
import type { VirtualRegister } from "../lir/indices.js";
import { OperandPolicy, policyOf, ValueHalf } from "../lir/lir.js";
import { ConditionCode, conditionOf, isNegation, NEGATED, SWAPPED } from "../target/conditions.js";
import type { ComparisonConsumer } from "../target/plan.js";
import { HALF_FORM } from "./half-forms.js";
import { type LirBuilder, operandOf, resolve } from "./lir-builder.js";
import { isBetterOverwritten } from "./lower-by-table.js";
import { addressed } from "./lower-memory.js";

export function lowerSelect(builder: LirBuilder, value: Value): void {
  if (!builder.isInHalves(value)) {
    lowerChoice(builder, value);
    return;
  }
  builder.defineHalves(value);
  builder.halfCounts[HALF_FORM.select]++;
  builder.lowerByHalves(value, lowerChoice);
}

/** Lowers a Select, or one half of a 64-bit Select; the other half tests the condition again. */
function lowerChoice(builder: LirBuilder, value: Value): void {
  const [whenTrue, whenFalse] = [operandOf(value.b, value), operandOf(value.c, value)];
  const isWhole = builder.half === ValueHalf.Whole;
  const type = isWhole ? value.type : Int32;
  const rows = builder.plan.select[type];
  const isOpposite = isWhole && isBetterOpposite(builder, value, rows, whenTrue, whenFalse);
  const choices = [
    builder.usePart(isOpposite ? whenTrue : whenFalse),
    builder.usePart(isOpposite ? whenFalse : whenTrue),
  ];
  consumeCondition(builder, value, rows, choices, isOpposite);
}

/**
 * Returns whether the opposite condition is better: the choice overwrites its first operand, and
 * the other one is better there.
 */
function isBetterOpposite(
  builder: LirBuilder,
  value: Value,
  { test }: ComparisonConsumer,
  whenTrue: Value,
  whenFalse: Value,
): boolean {
  const [definition] = builder.plan.operands[test[Int32]];
  if (policyOf(definition) !== OperandPolicy.MustReuseInput) return false;
  return isBetterOverwritten(builder, resolve(whenTrue), resolve(whenFalse), value);
}

export function lowerCondition(
  builder: LirBuilder,
  value: Value,
  consumer: ComparisonConsumer,
): void {
  consumeCondition(builder, value, consumer, []);
}

// Emits the row that consumes a condition: a fused comparison, tested bits, or any integer compared
// with zero. For a Select, the two choices precede the operands of the condition.
function consumeCondition(
  builder: LirBuilder,
  value: Value,
  consumer: ComparisonConsumer,
  choices: readonly VirtualRegister[],
  isOpposite = false,
): void {
  const condition = operandOf(value.a, value);
  const isNotZero = isOpposite ? ConditionCode.eq : ConditionCode.ne;
  if (builder.folded[condition.id] === 0) {
    const inputs = [...choices, builder.use(condition)];
    builder.emit(consumer.test[condition.type], value, inputs, 0, isNotZero);
  } else if (condition.opcode === Op.BitAnd) {
    lowerBits(builder, value, consumer, condition, choices, isNotZero);
  } else lowerComparison(builder, value, consumer, condition, choices, isOpposite);
}

export function lowerComparison(
  builder: LirBuilder,
  value: Value,
  consumer: ComparisonConsumer,
  given: Value,
  choices: readonly VirtualRegister[] = [],
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
    lowerBits(builder, value, consumer, x, choices, condition);
    return;
  }
  if (builder.folded[x.id] !== 0 || builder.folded[y.id] !== 0) {
    if (builder.folded[x.id] !== 0) {
      [x, y] = [y, x];
      condition = SWAPPED[condition];
    }
    const first = builder.use(x);
    const load = builder.plan.forms.load[consumer.register[type]];
    const { row, inputs } = addressed(builder, load, y);
    builder.emit(row, value, [...choices, first, ...inputs], y.offset, condition);
    return;
  }
  const inputs = [...choices, builder.use(x)];
  if (isInteger(type) && y.isConstant) {
    const isZeroTest = condition === ConditionCode.eq || condition === ConditionCode.ne;
    if (isZeroTest && y.constantLow === 0 && y.constantHigh === 0) {
      builder.emit(consumer.test[type], value, inputs, 0, condition);
      return;
    }
    const row = consumer.immediate[type];
    if (builder.plan.rows[row].immediate?.fits(y.constantLow, y.constantHigh)) {
      builder.emit(row, value, inputs, y.constantLow, condition);
      return;
    }
  }
  inputs.push(builder.use(y));
  builder.emit(consumer.register[type], value, inputs, 0, condition);
}

/**
 * Lowers a test whether the operands of a BitAnd have a common bit, or have none, by the condition.
 */
function lowerBits(
  builder: LirBuilder,
  value: Value,
  consumer: ComparisonConsumer,
  and: Value,
  choices: readonly VirtualRegister[],
  condition: number,
): void {
  let [x, y] = [resolve(operandOf(and.a, and)), resolve(operandOf(and.b, and))];
  if (x.isConstant) [x, y] = [y, x];
  const inputs = [...choices, builder.use(x)];
  const row = consumer.bitsImmediate[and.type];
  if (y.isConstant && builder.plan.rows[row].immediate?.fits(y.constantLow, y.constantHigh)) {
    builder.emit(row, value, inputs, y.constantLow, condition);
    return;
  }
  inputs.push(builder.use(y));
  builder.emit(consumer.bits[and.type], value, inputs, 0, condition);
}
