// Lowers guards that need no condition in a register. A guard on a constant is a jump or nothing,
// the operation itself tests the overflow flag, and a checked negation has an instruction.

import { COMMUTES } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import { candidateIndex } from "../target/plan.js";
import { guardOfFlag } from "./folding.js";
import { type LirBuilder, operandOf, resolve } from "./lir-builder.js";
import { lowerByTable } from "./lower-by-table.js";
import { lowerCondition } from "./lower-comparison.js";

export function lowerCheck(builder: LirBuilder, guard: Value): void {
  const condition = resolve(operandOf(guard.a, guard));
  const isFlag = guardOfFlag(condition.opcode) !== null && builder.folded[condition.id] !== 0;
  if (isFlag) lowerOverflowGuard(builder, guard, condition);
  else if (!builder.selects || !condition.isConstant) {
    lowerCondition(builder, guard, builder.plan.check);
  } else if ((condition.constantLow | condition.constantHigh) !== 0)
    builder.emit(builder.plan.exit, guard, [], 0, 0);
}

// Lowers a guard on an overflow flag to one instruction and one jump. The instruction also computes
// the result that the program uses beside the flag; without such a result its register has no use.
function lowerOverflowGuard(builder: LirBuilder, guard: Value, flag: Value): void {
  const { plan, lir } = builder;
  const opcode = guardOfFlag(flag.opcode) ?? flag.opcode;
  let [x, y] = [resolve(operandOf(flag.a, flag)), resolve(operandOf(flag.b, flag))];
  if (x.isConstant && COMMUTES[opcode] !== 0) [x, y] = [y, x];
  const rows = plan.candidates[candidateIndex(opcode, x.type)] ?? [];
  const result = builder.resultBeside(guard);
  const first = builder.use(x);
  for (let r = 0; r < rows.length; r++) {
    const { immediate } = plan.rows[rows[r]];
    if (immediate !== null && !(y.isConstant && immediate.fits(y.constantLow, y.constantHigh)))
      continue;
    const inputs = immediate === null ? [first, builder.use(y)] : [first];
    const vreg = result === null ? lir.newVreg(x.type) : builder.defineVreg(result);
    const [lo, hi] = immediate === null ? [0, 0] : [y.constantLow, y.constantHigh];
    builder.emit(rows[r], guard, inputs, lo, hi, vreg);
    return;
  }
}

/** Lowers 0 - x, which exits if x is its own negation. */
export function lowerCheckSub(builder: LirBuilder, value: Value): void {
  const [x, y] = [resolve(operandOf(value.a, value)), resolve(operandOf(value.b, value))];
  if (!builder.selects || !x.isConstant || (x.constantLow | x.constantHigh) !== 0 || y.isConstant) {
    lowerByTable(builder, value);
    return;
  }
  builder.emit(builder.plan.checkNegation[value.type], value, [builder.use(y)], 0, 0);
}
