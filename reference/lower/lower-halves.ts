// Lowers values in halves: splits a register of 64 bits into halves if a convention provides one,
// joins the halves if a convention requires one, and otherwise only moves the halves.

import { Op } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import type { VirtualRegister } from "../lir/indices.js";
import { OperandPolicy, policyOf, ValueHalf } from "../lir/lir.js";
import { HALF_FORM } from "./half-forms.js";
import { halfOf, type LirBuilder, operandOf } from "./lir-builder.js";

/** Lowers a value that only moves the halves; returns false for other opcodes. */
export function lowerHalves(builder: LirBuilder, value: Value): boolean {
  const { opcode, a, b } = value;
  switch (opcode) {
    case Op.Stitch:
      if (!builder.isInHalves(value)) return false;
      builder.halfCounts[HALF_FORM.stitch]++;
      copyHalves(
        builder,
        value,
        builder.use(operandOf(b, value)),
        builder.use(operandOf(a, value)),
      );
      return true;
    case Op.Opaque: {
      if (!builder.isInHalves(value)) return false;
      builder.halfCounts[HALF_FORM.opaque]++;
      const operand = operandOf(a, value);
      const low = builder.useHalf(operand, ValueHalf.Low);
      copyHalves(builder, value, low, builder.useHalf(operand, ValueHalf.High));
      return true;
    }
    case Op.Trunc:
    case Op.TruncHigh: {
      const operand = operandOf(a, value);
      if (!builder.isInHalves(operand)) return false;
      // A Trunc names the low half: the same register, whose bits above 32 are undefined.
      const isLow = opcode === Op.Trunc;
      builder.halfCounts[isLow ? HALF_FORM.trunc : HALF_FORM["trunc-high"]]++;
      builder.vregs[value.id] = builder.useHalf(operand, isLow ? ValueHalf.Low : ValueHalf.High);
      return true;
    }
  }
  return false;
}

/** Splits the register `whole` of 64 bits; from here on the value is in halves. */
export function splitIntoHalves(builder: LirBuilder, value: Value, whole: VirtualRegister): void {
  const { lir } = builder;
  const { halves, operands } = builder.plan;
  const low = builder.defineHalves(value);
  for (let half = 0; half < halves.length; half++) {
    const forms = operands[halves[half]];
    if (policyOf(forms[0]) === OperandPolicy.Redefined)
      lir.redefine(halfOf(low, half === 0 ? ValueHalf.Low : ValueHalf.High), whole);
    lir.addOperand(forms[0] | (low + half));
    lir.addOperand(forms[1] | whole);
    // The splitting instruction has no origin, because the value is defined in the 64-bit register.
    lir.endInstruction(halves[half], 0, 0, -1);
  }
}

function copyHalves(
  builder: LirBuilder,
  value: Value,
  low: VirtualRegister,
  high: VirtualRegister,
): void {
  const first = builder.defineHalves(value);
  copy(builder, first, low, value);
  copy(builder, halfOf(first, ValueHalf.High), high, value);
}

function copy(builder: LirBuilder, to: VirtualRegister, from: VirtualRegister, value: Value): void {
  const { lir } = builder;
  const { copy: row, operands } = builder.plan;
  lir.addOperand(operands[row][0] | to);
  lir.addOperand(operands[row][1] | from);
  lir.endInstruction(row, 0, 0, value.id);
}
