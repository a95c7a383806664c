// Emits a pure operation with operands of its types.

import { COMMUTES, Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, type Type } from "../../ir/types.js";
import { condition, pickSpecial } from "../maker/conditions.js";
import type { ProcedureMaker } from "../maker/maker.js";
import type { OpcodeInstance } from "../maker/swarm.js";

/** Percentages, for an instance of weight one. */
const SPECIAL_ALONE = 15000;
const SPECIAL_FIRST = 14000;

/**
 * Percentage of operations with a constant first operand whose second operand may also be a
 * constant.
 */
const CONSTANTS_ALONE = 12;

/** Appends a pure instruction on operands of its types. */
export function emitPure(maker: ProcedureMaker, instance: OpcodeInstance): Value {
  const { opcode, operands, result } = instance;
  let a = pickFirst(maker, instance);
  let b: Value | null = null;
  let c: Value | null = null;
  if (opcode === Op.Select) {
    a = condition(maker, operands[0]);
    b = maker.pick(operands[1]);
    c = maker.pickBeside(operands[2], b);
  } else if (operands.length > 1) {
    // If the left operand is a constant, the right one is mostly not, so that not everything folds.
    const wantsValue = a.isConstant && !maker.chance(CONSTANTS_ALONE);
    b = wantsValue ? maker.pickValue(operands[1]) : secondOperand(maker, a, operands);
    if (COMMUTES[opcode] === 1 && maker.chance(15)) [a, b] = [b, a];
  }
  if (operands.length > 2 && b !== null && c === null) c = summandBeside(maker, result, a, b);
  const made = maker.emitClosing(opcode, result, a, b, c);
  return opcode === Op.Select ? made : maker.markFree(made);
}

// Returns the summand of a fused multiply-add. It is often the negated rounded product: the result
// is then the rounding error, which is zero if a compiler rounds twice.
function summandBeside(maker: ProcedureMaker, type: Type, a: Value, b: Value): Value {
  const roll = maker.below(10);
  if (roll < 4) return maker.emit(Op.Neg, type, maker.emit(Op.Mul, type, a, b));
  return roll < 6 ? pickSpecial(maker, type) : maker.pickBeside(type, b);
}

function pickFirst(maker: ProcedureMaker, { operands, weight }: OpcodeInstance): Value {
  const [type] = operands;
  // A shift count does not count as a second number.
  const isAlone = operands.length === 1 || operands[1] !== type;
  // Special values should reach every rounding, rotation and conversion. A rarer opcode therefore
  // gets one more often.
  if (maker.chance((isAlone ? SPECIAL_ALONE : SPECIAL_FIRST) / weight))
    return pickSpecial(maker, type);
  if (operands.length > 1) return maker.pick(type);
  return maker.chance(8) ? maker.constant(type) : maker.pickValue(type);
}

function secondOperand(maker: ProcedureMaker, a: Value, operands: readonly Type[]): Value {
  if (operands[0] === operands[1] && maker.chance(maker.dials.same)) return a;
  if (operands[0] !== operands[1] && maker.chance(60)) return maker.integer(Int32, maker.below(66));
  return maker.pickBeside(operands[1], a);
}

/** Appends a pure instance in use, with equal probability for each. */
export function emitAnyPure(maker: ProcedureMaker): void {
  const { instances } = maker.swarm;
  const start = maker.below(Math.max(1, instances.length));
  for (let i = 0; i < instances.length; i++) {
    const instance = instances[(start + i) % instances.length];
    if (instance.kind !== "pure") continue;
    emitPure(maker, instance);
    return;
  }
}
