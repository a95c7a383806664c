// Shows mix-ups of integers that do not compile: tsc reports an expectation without an error.

import test from "ava";
import { Int32 } from "../../src/ir/types.js";
import type { PhysicalRegister, VirtualRegister } from "./indices.js";
import { fixedOf, Lir, OperandPolicy, OperandRole, packOperand, vregOf } from "./lir.js";

test("a number or a physical register is not a virtual register", (t) => {
  const lir = new Lir();
  const vreg: VirtualRegister = lir.newVreg(Int32);
  const operand = packOperand(vreg, OperandRole.Use, OperandPolicy.Fixed, 3);
  const physical: PhysicalRegister = fixedOf(operand);
  const index = lir.addOperand(operand);
  // @ts-expect-error: a physical register
  lir.addPhi(physical);
  // @ts-expect-error: the index of an operand
  lir.markReference(index);
  // @ts-expect-error: the word of an operand
  packOperand(operand, OperandRole.Use, OperandPolicy.Any);
  // @ts-expect-error: the operands are exchanged
  packOperand(OperandRole.Definition, vreg, OperandPolicy.Any);
  // @ts-expect-error: a virtual register is no physical one
  const wrong: PhysicalRegister = vregOf(operand);
  t.is<number, number>(wrong, vreg);
  t.is<number, number>(physical, 3);
});
