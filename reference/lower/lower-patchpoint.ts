// One patchpoint to LIR: stack arguments first, then one instruction whose operands are as its kind
// wants them.

import type { Value } from "../../src/ir/procedure.js";
import { Double, Int64, type Type } from "../../src/ir/types.js";
import { fixedOf, isVector, Policy, policyOf, Role, roleOf } from "../lir/lir.js";
import { STACK_ARGUMENT_SIZE } from "./arguments.js";
import type { LirBuilder } from "./lir-builder.js";
import { outgoingOffset } from "./patchpoints.js";

export function lowerPatchpoint(builder: LirBuilder, value: Value): void {
  const { lir, plan } = builder;
  const { row, shape } = plan.patchpoints[value.lo];
  const { kind, uses, copies } = shape;
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
  const hasResult = kind.effect !== "terminal";
  let input = 0;
  for (let f = 0; f < forms.length; f++) {
    const role = roleOf(forms[f]);
    let vreg: number;
    if (role <= Role.Use) vreg = inputs[input++];
    else if (role === Role.Definition && f === 0 && hasResult) vreg = builder.defineVreg(value);
    else {
      const copied = role === Role.Definition ? copies[f] : -1;
      vreg = lir.newVreg(copied < 0 ? bankType(forms[f]) : operands[copied].type);
    }
    lir.addOperand(forms[f] | vreg);
  }
  builder.endInstruction(row, lir.patchpoints.push(value) - 1, 0, value);
}

/** The type of a register that holds nothing. A free temp tells its bank by the register's field. */
const bankType = (form: number): Type =>
  isVector(fixedOf(form)) && (policyOf(form) === Policy.Fixed || roleOf(form) === Role.Temp)
    ? Double
    : Int64;
