// Lowers one procedure of the language to LIR, for any target.
//
// Input:  a valid procedure in edge form (Phis at the head of their block, one Upsilon per Phi and
//         predecessor at that predecessor's end, no critical edges).
// Output: LIR over virtual registers, blocks in an order in which a definition precedes its uses:
//         reverse postorder, from O1 on with each loop contiguous (block-order.ts).
//
// Most opcodes use the target's table (lower-by-table.ts). The others are lowered alike for every
// target: comparisons and their consumers, memory, calls, patchpoints, control.

import { analyzeControlFlow } from "../../src/ir/control-flow.js";
import { EFFECTS, Op, READS_MEMORY, WRITES_MEMORY } from "../../src/ir/opcodes.js";
import {
  argumentOf,
  type BasicBlock,
  isAtomic,
  type Procedure,
  Value,
} from "../../src/ir/procedure.js";
import { Double, Int64, Void } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import { blockAt } from "../lir/indices.js";
import { fixedOf, isVector, type Lir, OperandRole, roleOf, ValueHalf } from "../lir/lir.js";
import { nameReferences } from "../lir/name-references.js";
import { STACK_ARGUMENT_SIZE } from "../target/arguments.js";
import { conditionOf } from "../target/conditions.js";
import { outgoingOffset } from "../target/patchpoint-rows.js";
import type { LoweringPlan } from "../target/plan.js";
import { blockOrder } from "./block-order.js";
import { HALF_FORM } from "./half-forms.js";
import { valuesInHalves } from "./halves.js";
import { halfOf, LirBuilder, operandOf } from "./lir-builder.js";
import { lowerByTable, lowerZeroExtension } from "./lower-by-table.js";
import { lowerCall, lowerEntry, lowerReturn } from "./lower-calls.js";
import { lowerComparison, lowerCondition, lowerSelect } from "./lower-comparison.js";
import { lowerCheck, lowerCheckSub } from "./lower-guards.js";
import { lowerHalves } from "./lower-halves.js";
import { lowerAtomic, lowerMemory } from "./lower-memory.js";
import { packSlots } from "./pack-slots.js";

interface LoweringOptions {
  /**
   * Whether to select better instructions: comparisons in their users, no extension that the
   * hardware has done already, the operand that dies where the result may reuse its register. It
   * also lets stack slots share bytes. It is off at O0, which does only what is required.
   */
  readonly selects: boolean;
  /** Whether to carry values of 64 bits in two registers where possible (halves.ts). */
  readonly halves: boolean;
  /** Returns the position in the module, by which compiled code names a callee. */
  readonly indexOf: (callee: Procedure) => number;
  /** Whether a caller tests the procedure's deoptimization flag. */
  readonly returnsDeoptimizationFlag: boolean;
}

/**
 * Lowers a procedure. Returns how often values in halves occurred in each form (half-forms.ts).
 */
export function lower(
  proc: Procedure,
  plan: LoweringPlan,
  lir: Lir,
  { selects, halves, indexOf, returnsDeoptimizationFlag: answers }: LoweringOptions,
): Int32Array {
  const { order, position } = selects ? blockOrder(proc) : analyzeControlFlow(proc);
  proc.countUses();
  const builder = new LirBuilder(proc, plan, lir, selects, indexOf, answers);
  if (halves) builder.inHalves = valuesInHalves(proc, order);
  if (selects) builder.foldOperands(order);
  for (let b = 0; b < order.length; b++) {
    const { predecessors, successors } = order[b];
    // Constants of the previous block remain in their registers if it is the only predecessor.
    const goesOn = b > 0 && predecessors.length === 1 && predecessors[0] === order[b - 1];
    if (!goesOn) builder.forgetConstants();
    lir.beginBlock();
    if (b === 0) lowerEntry(builder);
    for (let s = 0; s < successors.length; s++)
      lir.addSuccessor(blockAt(position[successors[s].index]));
    lowerBlock(builder, order[b]);
    lir.endBlock();
  }
  nameReferences(lir, plan.rows);
  lir.slotPlaces = packSlots(proc, order, selects);
  return builder.halfCounts;
}

function lowerBlock(builder: LirBuilder, block: BasicBlock): void {
  const { values, successors } = block;
  for (let i = 0; i < values.length; i++) {
    if (values[i].opcode === Op.Phi) definePhi(builder, values[i]);
  }
  for (let i = 0; i < values.length - 1; i++) {
    if (!isPhiIncrement(builder, values[i])) lowerValue(builder, values[i]);
  }
  for (let i = 0; i < values.length - 1; i++) {
    if (isPhiIncrement(builder, values[i])) lowerValue(builder, values[i]);
  }
  if (successors.length === 1) addPhiInputs(builder, block, successors[0]);
  lowerControl(builder, block.last);
}

function definePhi(builder: LirBuilder, phi: Value): void {
  const { lir } = builder;
  if (!builder.isInHalves(phi)) {
    lir.addPhi(builder.defineVreg(phi));
    return;
  }
  builder.halfCounts[HALF_FORM.phi]++;
  const low = builder.defineHalves(phi);
  lir.addPhi(low);
  lir.addPhi(halfOf(low, ValueHalf.High));
}

// Returns whether the value is an input of its own operand, a Phi, plus or minus a constant. Such a
// value is computed last: the Phi has died by then, and the value reuses its register.
function isPhiIncrement(
  { isPhiInput, phiOf }: LirBuilder,
  { id, a, b, uses, opcode }: Value,
): boolean {
  if (isPhiInput[id] === 0 || uses !== 1 || a === null || phiOf[id] !== a.id) return false;
  return (opcode === Op.Add || opcode === Op.Sub) && b !== null && b.isConstant;
}

// Adds the inputs in the order in which the successor lists its Phis.
function addPhiInputs(builder: LirBuilder, block: BasicBlock, successor: BasicBlock): void {
  if (successor.values[0].opcode !== Op.Phi) return;
  const { upsilonOf } = builder;
  for (const value of block.values)
    if (value.opcode === Op.Upsilon) upsilonOf[value.phi.id] = value;
  for (const phi of successor.values) {
    if (phi.opcode !== Op.Phi) continue;
    const upsilon = upsilonOf[phi.id];
    upsilonOf[phi.id] = undefined; // the next block has its own
    assert(upsilon?.a instanceof Value, () => `#${block.id} has no Upsilon for @${phi.id}`);
    if (builder.isInHalves(phi)) {
      builder.lir.addPhiInput(builder.useHalf(upsilon.a, ValueHalf.Low));
      builder.lir.addPhiInput(builder.useHalf(upsilon.a, ValueHalf.High));
    } else builder.lir.addPhiInput(builder.use(upsilon.a));
  }
}

function lowerValue(builder: LirBuilder, value: Value): void {
  if (builder.folded[value.id] !== 0 || builder.isComputedByGuard(value)) return;
  const { opcode } = value;
  switch (opcode) {
    case Op.Nop:
    case Op.Identity:
    case Op.Const32:
    case Op.Const64:
    case Op.ConstFloat:
    case Op.ConstDouble:
    case Op.SlotBase:
    case Op.FunctionAddress:
    case Op.FramePointer:
    case Op.Phi:
    case Op.Upsilon:
    case Op.Extract:
      return; // no code of their own
    case Op.Select:
      lowerSelect(builder, value);
      return;
    case Op.Check:
      lowerCheck(builder, value);
      return;
    case Op.CheckSub:
      lowerCheckSub(builder, value);
      return;
    case Op.ZExt32:
      lowerZeroExtension(builder, value);
      return;
    case Op.CCall:
    case Op.CCallCheck:
    case Op.CallIndirect:
    case Op.CallCheck:
      lowerCall(builder, value);
      return;
    case Op.ArgumentReg:
      builder.vregs[value.id] = builder.use(namedArgument(builder.proc, value));
      return;
    case Op.Fence:
      builder.lir.endInstruction(builder.plan.fences[value.fenceKind], 0, 0, value.id);
      return;
    case Op.Patchpoint:
    case Op.PatchpointCheck:
      lowerPatchpoint(builder, value);
      return;
  }
  if (lowerHalves(builder, value)) return;
  const { a } = value;
  if (a !== null && conditionOf(opcode, a.type) >= 0) {
    lowerComparison(builder, value, builder.plan.set, value);
    return;
  }
  if ((EFFECTS[opcode] & (READS_MEMORY | WRITES_MEMORY)) !== 0) lowerMemory(builder, value);
  else if (isAtomic(value)) lowerAtomic(builder, value);
  else lowerByTable(builder, value);
}

function lowerControl(builder: LirBuilder, value: Value): void {
  switch (value.opcode) {
    case Op.Jump:
      builder.lir.endInstruction(builder.plan.jump, 0, 0, value.id);
      return;
    case Op.Branch:
      lowerCondition(builder, value, builder.plan.branch);
      return;
    case Op.Switch:
      lowerSwitch(builder, value);
      return;
    case Op.Return:
    case Op.ReturnDeopt:
      lowerReturn(builder, value);
      return;
    case Op.PatchpointReturn:
      lowerPatchpoint(builder, value);
      return;
    case Op.Oops:
      builder.lir.endInstruction(builder.plan.oops, 0, 0, value.id);
      return;
  }
  assert(false, () => `@${value.id} does not end a block`);
}

// Lowers a Switch. It has at least two successors, because edge form turns any other into a jump.
function lowerSwitch(builder: LirBuilder, value: Value): void {
  const { lir, plan } = builder;
  const operand = operandOf(value.a, value);
  const vreg = builder.use(operand);
  const row = plan.switch[operand.type];
  for (const form of plan.operands[row]) {
    const isTemp = roleOf(form) === OperandRole.Temp;
    lir.addOperand(form | (isTemp ? lir.newVreg(Int64) : vreg));
  }
  lir.endInstruction(row, lir.switches.length, 0, value.id);
  lir.switches.push(value.cases);
}

function namedArgument(proc: Procedure, value: Value): Value {
  const parameter = argumentOf(proc, value.type, value.argumentIndex);
  assert(parameter !== null, () => `@${value.id} names no parameter`);
  return parameter;
}

/**
 * Lowers one patchpoint: stack arguments first, then one instruction with the operands that its
 * kind demands.
 */
function lowerPatchpoint(builder: LirBuilder, value: Value): void {
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
    if (role === OperandRole.Temp) copied = builder.addTemp(forms[f], copied);
    else if (role <= OperandRole.Use) lir.addOperand(forms[f] | inputs[input++]);
    else if (f === 0 && hasResult) {
      const vreg = builder.defineVreg(value);
      if (kind.isReference) lir.markReference(vreg);
      lir.addOperand(forms[f] | vreg);
    } else lir.addOperand(forms[f] | lir.newVreg(isVector(fixedOf(forms[f])) ? Double : Int64));
  }
  builder.endInstruction(row, lir.patchpoints.push(value) - 1, 0, value);
}
