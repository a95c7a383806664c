// Lowers one patchpoint: stack arguments first, then one instruction with the operands that its
// kind demands.

import type { Value } from "../../src/ir/procedure.js";
import { Double, Int64, Void } from "../../src/ir/types.js";
import { fixedOf, isVector, Role, roleOf } from "../lir/lir.js";
import { STACK_ARGUMENT_SIZE } from "../target/arguments.js";
import { outgoingOffset } from "../target/patchpoint-rows.js";
import type { LirBuilder } from "./lir-builder.js";

export function lowerPatchpoint(builder: LirBuilder, value: Value): void {
  const { lir, plan } = builder;
  const { row, shape } = plan.patchpoints[value.patchpointKind];
  const { kind, uses } = shape;
  const operands = value.rest ?? [];
  for (let k = 0; k < operands.length; k++) {
    if (kind.parameters[k].place !== "argument") continue;
    const store = plan.storeArgument[operands[k].type];
    const offset = outgoingOffset(kind, k);
    const stored = builder.use(operands[k]);
    lir.addOperand(plan.operands[store][0] | stored);
    lir.endInstruction(store, offset, 0, value.id);
    lir.outgoingSize = Math.max(lir.outgoingSize, offset + STACK_ARGUMENT_SIZE);
  }
  const inputs = uses.map((k) => builder.use(operands[k]));
  const forms = plan.operands[row];
  const hasResult = kind.effect !== "terminal" && kind.result !== Void;
  let input = 0;
  let copied = lir.operandCount;
  for (let f = 0; f < forms.length; f++) {
    const role = roleOf(forms[f]);
    if (role === Role.Temp) copied = builder.addTemp(forms[f], copied);
    else if (role <= Role.Use) lir.addOperand(forms[f] | inputs[input++]);
    else if (f === 0 && hasResult) {
      const vreg = builder.defineVreg(value);
      if (kind.isReference) lir.markReference(vreg);
      lir.addOperand(forms[f] | vreg);
    } else lir.addOperand(forms[f] | lir.newVreg(isVector(fixedOf(forms[f])) ? Double : Int64));
  }
  builder.endInstruction(row, lir.patchpoints.push(value) - 1, 0, value);
}
