// Holds the state of lowering for one procedure, and appends instructions. Constants and slot
// addresses are emitted at their uses, as in IonMonkey: they never live long enough to be spilled.

import { COMMUTES, EFFECTS, EXITS, nameOfOpcode, Op } from "../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Snapshot, Value } from "../../src/ir/procedure.js";
import { snapshotLeaves } from "../../src/ir/snapshot-leaves.js";
import { Double, Int32, Int64, nameOfType, type Type } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import { zeroedBytes, zeroedWords } from "../../src/support/program-arrays.js";
import { CompileError } from "../emit/compile-error.js";
import { columnOf, type IndexArray, type VirtualRegister } from "../lir/indices.js";
import {
  CONSTANT_LEAF,
  fixedOf,
  type GuardExit,
  isVector,
  type Lir,
  OperandPolicy,
  OperandRole,
  outgoingLeaf,
  packOperand,
  policyOf,
  roleOf,
  ValueHalf,
  VREG_MAX,
  vregOf,
} from "../lir/lir.js";
import { outgoingOffset } from "../target/patchpoint-rows.js";
import { candidateIndex, type LoweringPlan } from "../target/plan.js";
import { OperandFolding } from "./folding.js";
import { countShown, HALF_FORM, HALF_FORMS } from "./half-forms.js";
import { zeroExtendedValues } from "./zero-extension.js";

export const NO_VREG = -1 as VirtualRegister;
/**
 * The maximum number of slots and leaves of all guards together: each guard that shares a snapshot
 * has its own.
 */
const EXIT_SLOTS_MAX = 1 << 22;
/** After this many instructions a constant is emitted again rather than kept in its register. */
const SHARING_DISTANCE = 24;
/**
 * The maximum number of values in a procedure with a constant pool: larger code may be too large to
 * reach constants after it.
 */
const POOLING_MAX = 2048;

export class LirBuilder {
  readonly proc: Procedure;
  readonly plan: LoweringPlan;
  readonly lir: Lir;
  /** True from level O1 on: better instructions are selected; see LoweringOptions. */
  readonly selects: boolean;
  readonly indexOf: (callee: Procedure) => number;
  /** True if the procedure returns a deoptimization flag; see LoweringOptions. */
  readonly answers: boolean;
  /** By value id: the virtual register of the value; NO_VREG before its definition. */
  readonly vregs: IndexArray<VirtualRegister>;
  /** True if constants may be placed after the code, in a pool. */
  readonly pools: boolean;
  /** Decides which values are folded into their users; null at O0. */
  folding: OperandFolding | null = null;
  /** By value id: 1 if its users compute it. */
  folded: Uint8Array;
  /**
   * By value id of a constant: the instruction count when its register was last defined. Uses
   * shortly after, in the same block, share it.
   */
  private readonly emittedAt: Int32Array;
  private forgottenBefore = 0;
  /** By value id: 1 if the register's upper 32 bits are zero; all 0 at O0. */
  zeroExtended: Uint8Array;
  /** By id of a Phi: the Upsilon of the current block. */
  readonly upsilonOf: (Value | undefined)[];
  /** By value id: the id of a Phi that it is an input of; -1 if none, since ids start at 0. */
  readonly phiOf: Int32Array;
  /** By value id: 1 if an Upsilon has it as operand, directly rather than through an Identity. */
  readonly isPhiInput: Uint8Array;
  /**
   * By value id: like `phiOf`, but also for values that become such an input step by step within a
   * block. Each step is the only user of the previous one, so two-address instructions can continue
   * in one register.
   */
  readonly phiAhead: Int32Array;
  /** The locations of the arguments of the current call; see placeArguments. */
  readonly places: number[] = [];
  /**
   * By value id: 1 if two registers carry it: `vregs` is the low half and the next register the
   * high half.
   */
  inHalves: Uint8Array;
  /** The numbers of split 64-bit values, by form (HALF_FORMS). */
  readonly halfCounts: Int32Array = zeroedWords(HALF_FORMS.length);
  /** The half of the current value that is lowered: `emit` defines it, `usePart` returns it. */
  half: ValueHalf = ValueHalf.Whole;
  private readonly leavesBySnapshot: (readonly Value[] | undefined)[] = [];
  private exitSlots = 0;

  constructor(
    proc: Procedure,
    plan: LoweringPlan,
    lir: Lir,
    selects: boolean,
    indexOf: (callee: Procedure) => number,
    answers: boolean,
  ) {
    this.indexOf = indexOf;
    this.answers = answers;
    this.proc = proc;
    this.plan = plan;
    this.lir = lir;
    this.selects = selects;
    this.pools = selects && valueCount(proc) <= POOLING_MAX;
    this.vregs = columnOf(zeroedWords(proc.valueIdEnd).fill(NO_VREG));
    this.folded = zeroedBytes(proc.valueIdEnd);
    this.zeroExtended = zeroedBytes(proc.valueIdEnd);
    this.emittedAt = zeroedWords(proc.valueIdEnd);
    this.upsilonOf = new Array(proc.valueIdEnd);
    this.phiOf = zeroedWords(proc.valueIdEnd).fill(-1);
    this.inHalves = zeroedBytes(proc.valueIdEnd);
    this.isPhiInput = zeroedBytes(proc.valueIdEnd);
    this.phiAhead = zeroedWords(proc.valueIdEnd).fill(-1);
  }

  /** Decides which values are computed by their users. */
  foldOperands(order: readonly BasicBlock[]): void {
    this.zeroExtended = zeroExtendedValues(order, this.plan, this.inHalves);
    this.folding = new OperandFolding(this.plan, this.zeroExtended, this.inHalves);
    this.folded = this.folding.folded;
    for (let b = 0; b < order.length; b++) {
      this.folding.visit(order[b]);
      const { values } = order[b];
      for (let i = 0; i < values.length; i++) {
        const { opcode, a } = values[i];
        if (opcode !== Op.Upsilon || a === null) continue;
        this.phiOf[resolve(a).id] = values[i].phi.id;
        this.isPhiInput[a.id] = 1;
      }
    }
    for (let b = 0; b < order.length; b++) this.lookAhead(order[b]);
  }

  isComputedByGuard({ id }: Value): boolean {
    return this.folding !== null && this.folding.computed[id] !== 0;
  }

  /** Returns the result that the guard on a flag computes as well; null if there is none. */
  resultBeside(guard: Value): Value | null {
    return this.folding?.results.get(guard.id) ?? null;
  }

  private lookAhead(block: BasicBlock): void {
    const { phiOf, phiAhead } = this;
    const { values } = block;
    for (let i = values.length - 1; i >= 0; i--) {
      const { id, a, b, c, opcode } = values[i];
      const phi = phiOf[id] >= 0 ? phiOf[id] : phiAhead[id];
      phiAhead[id] = phi;
      // A Select overwrites its last operand or, with the opposite condition, the one before it.
      const isChoice = opcode === Op.Select;
      const first = isChoice ? c : a;
      if (phi < 0 || first === null) continue;
      if (isSingleUseInBlock(first, block)) phiAhead[first.id] = phi;
      else if (b !== null && (isChoice || COMMUTES[opcode] !== 0) && isSingleUseInBlock(b, block)) {
        phiAhead[b.id] = phi;
      }
    }
  }

  /** Makes later uses emit constants again: few registers survive a call or an edge. */
  forgetConstants(): void {
    this.forgottenBefore = this.lir.instructionCount;
  }

  /**
   * Emits one instruction of that row: the value's definition if the row has one, the inputs, the
   * leaves.
   *
   * @param inputs registers, in the order of the row
   * @param defined the register that it defines, if that is not the value's
   */
  emit(
    row: number,
    value: Value,
    inputs: readonly VirtualRegister[],
    immLo: number,
    immHi: number,
    defined = NO_VREG,
  ): void {
    const { lir } = this;
    const forms = this.plan.operands[row];
    let input = 0;
    let copied = lir.operandCount;
    for (let k = 0; k < forms.length; k++) {
      const role = roleOf(forms[k]);
      if (role === OperandRole.Definition) {
        const vreg = defined === NO_VREG ? this.definition(value) : defined;
        if (policyOf(forms[k]) === OperandPolicy.Redefined) lir.redefine(vreg, inputs[0]);
        lir.addOperand(forms[k] | vreg);
      } else if (role === OperandRole.Temp) copied = this.addTemp(forms[k], copied);
      else lir.addOperand(forms[k] | inputs[input++]);
    }
    assert(
      input === inputs.length,
      () => `LIR row ${this.plan.rows[row].name} takes ${input} inputs, got ${inputs.length}`,
    );
    this.endInstruction(row, immLo, immHi, value);
  }

  /** Ends an instruction with the leaves of the value's snapshot, if it is a guard. */
  endInstruction(row: number, immLo: number, immHi: number, value: Value): void {
    const { lir } = this;
    const guard = (EFFECTS[value.opcode] & EXITS) !== 0 ? this.addLeaves(value) : null;
    const index = lir.endInstruction(row, immLo, immHi, value.id);
    if (guard !== null) {
      lir.guard[index] = lir.guards.length;
      lir.guards.push(guard);
    }
  }

  /**
   * Adds a temp of a row. A temp of a copied use has the type of that use.
   *
   * @param copied where to search for the copied use
   * @returns where to search for the next one
   */
  addTemp(form: number, copied: number): number {
    const { lir } = this;
    if (policyOf(form) !== OperandPolicy.Copy) {
      lir.addOperand(form | lir.newVreg(isVector(fixedOf(form)) ? Double : Int64));
      return copied;
    }
    let use = copied;
    while (policyOf(lir.operand[use]) !== OperandPolicy.Copy) use++;
    const type = lir.typeOf(vregOf(lir.operand[use]));
    lir.addOperand(form | lir.newVreg(type));
    return use + 1;
  }

  private addLeaves(value: Value): GuardExit {
    const { snapshot } = value;
    const leaves = this.leavesOf(snapshot);
    this.exitSlots += leaves.length;
    for (const { slots } of snapshot.frames) this.exitSlots += slots.length;
    if (this.exitSlots > EXIT_SLOTS_MAX) {
      throw new CompileError(
        `the snapshots of the procedure's guards have more than ${EXIT_SLOTS_MAX} slots in total`,
      );
    }
    const operands: number[] = [];
    for (let i = 0; i < leaves.length; i++) {
      operands.push(this.addLeaf(resolve(leaves[i]), value));
    }
    return { snapshot, leaves, operands };
  }

  private leavesOf(snapshot: Snapshot): readonly Value[] {
    const known = this.leavesBySnapshot[snapshot.id];
    if (known !== undefined) return known;
    const leaves = snapshotLeaves(snapshot);
    this.leavesBySnapshot[snapshot.id] = leaves;
    // All values of a snapshot are defined before its guard.
    const { halfCounts } = this;
    if (halfCounts[HALF_FORM.value] > 0) countShown(snapshot, this.inHalves, halfCounts);
    return leaves;
  }

  private addLeaf(leaf: Value, guard: Value): number {
    if (leaf.isConstant) return CONSTANT_LEAF;
    const vreg = this.vregs[leaf.id];
    // The low half of a value in halves may be an operand of its own, which holds only that half.
    const isWhole = this.inHalves[leaf.id] === 0;
    const placed =
      guard.patchpoint === null
        ? null
        : ((isWhole ? this.placedOperand(vreg) : null) ?? storedArgument(leaf, guard));
    if (placed !== null) return placed;
    const operand = this.lir.addOperand(
      packOperand(vreg, OperandRole.Use, OperandPolicy.KeepAlive),
    );
    if (this.inHalves[leaf.id] !== 0) {
      this.halfCounts[HALF_FORM.leaf]++;
      this.lir.addOperand(
        packOperand(halfOf(vreg, ValueHalf.High), OperandRole.Use, OperandPolicy.KeepAlive),
      );
    }
    return operand;
  }

  /** Returns the late operand of the patchpoint that holds the register's value; null if none does. */
  private placedOperand(vreg: VirtualRegister): number | null {
    const { lir } = this;
    for (let o = lir.operandStart[lir.instructionCount]; o < lir.operandCount; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Use || vregOf(word) !== vreg) continue;
      if (policyOf(word) !== OperandPolicy.KeepAlive) return o;
    }
    return null;
  }

  /**
   * Returns the register that holds the value. A constant or a slot address gets a new one, just
   * before its use, and so does a value that is joined from halves.
   */
  use(given: Value): VirtualRegister {
    const value = resolve(given);
    const { plan } = this;
    if (this.inHalves[value.id] !== 0) return this.joined(value);
    if (value.isConstant) {
      const known = this.sharedConstant(value);
      if (known !== NO_VREG) return known;
      const row = this.pooled(plan.constants[value.type], value.constantLow, value.constantHigh);
      const made = this.emitConstant(
        row,
        value.type,
        value.constantLow,
        value.constantHigh,
        value.id,
      );
      return this.keepConstant(value, made);
    }
    if (value.opcode === Op.SlotBase) {
      const known = this.sharedConstant(value);
      if (known !== NO_VREG) return known;
      const made = this.emitConstant(plan.slotAddress, Int64, value.slot.id, 0, value.id);
      return this.keepConstant(value, made);
    }
    if (value.opcode === Op.FramePointer) {
      return this.emitConstant(plan.framePointer, Int64, 0, 0, value.id);
    }
    if (value.opcode === Op.FunctionAddress && value.procedure !== null) {
      const index = this.indexOf(value.procedure);
      return this.emitConstant(plan.functionAddress, Int64, index, 0, value.id);
    }
    const vreg = this.vregs[value.id];
    assert(vreg !== NO_VREG, () => `@${value.id} is used before its definition`);
    return vreg;
  }

  private joined(value: Value): VirtualRegister {
    const { lir, plan } = this;
    const forms = plan.operands[plan.join];
    const low = this.vregs[value.id];
    const whole = lir.newVreg(Int64);
    lir.vregValue[whole] = value.id;
    lir.addOperand(forms[0] | whole);
    lir.addOperand(forms[1] | (low + ValueHalf.High));
    lir.addOperand(forms[2] | low);
    // The instruction that joins the halves belongs to this use, so it has no origin.
    lir.endInstruction(plan.join, 0, 0, -1);
    return whole;
  }

  isInHalves(given: Value): boolean {
    return this.inHalves[resolve(given).id] !== 0;
  }

  /** Returns the register of a half of a value in halves, or of a constant. */
  useHalf(given: Value, half: typeof ValueHalf.Low | typeof ValueHalf.High): VirtualRegister {
    const value = resolve(given);
    if (!value.isConstant) {
      assert(this.inHalves[value.id] !== 0, () => `@${value.id} is not carried as two halves`);
      return halfOf(this.vregs[value.id], half);
    }
    if (half === ValueHalf.Low) this.halfCounts[HALF_FORM.constant]++;
    const word = half === ValueHalf.Low ? value.constantLow : value.constantHigh;
    const row = this.pooled(this.plan.constants[Int32], word, word >> 31);
    return this.emitConstant(row, Int32, word, word >> 31, value.id);
  }

  /** Returns the register of an operand: the whole value, or the half that is being lowered. */
  usePart(operand: Value): VirtualRegister {
    return this.half === ValueHalf.Whole ? this.use(operand) : this.useHalf(operand, this.half);
  }

  /** Returns the constant's register if it was defined shortly before. */
  private sharedConstant(value: Value): VirtualRegister {
    const since = Math.max(this.forgottenBefore, this.lir.instructionCount - SHARING_DISTANCE);
    return this.selects && this.emittedAt[value.id] > since ? this.vregs[value.id] : NO_VREG;
  }

  private keepConstant(value: Value, made: VirtualRegister): VirtualRegister {
    this.vregs[value.id] = made;
    this.emittedAt[value.id] = this.lir.instructionCount;
    this.lir.vregValue[made] = value.id;
    return made;
  }

  /** Returns the row that loads the constant from the pool after the code, if that is better. */
  private pooled(row: number, lo: number, hi: number): number {
    const pool = this.pools ? this.plan.forms.pool[row] : -1;
    return pool >= 0 && this.plan.rows[pool].immediate?.fits(lo, hi) ? pool : row;
  }

  emitConstant(row: number, type: Type, lo: number, hi: number, origin: number): VirtualRegister {
    const vreg = this.lir.newVreg(type);
    this.lir.addOperand(this.plan.operands[row][0] | vreg);
    this.lir.endInstruction(row, lo, hi, origin);
    return vreg;
  }

  private definition(value: Value): VirtualRegister {
    return this.half === ValueHalf.Whole
      ? this.defineVreg(value)
      : halfOf(this.vregs[value.id], this.half);
  }

  defineVreg(value: Value): VirtualRegister {
    const vreg = this.lir.newVreg(value.type);
    if (vreg > VREG_MAX)
      throw new CompileError(`the procedure needs more than ${VREG_MAX} virtual registers`);
    this.vregs[value.id] = vreg;
    this.lir.vregValue[vreg] = value.id;
    return vreg;
  }

  /** Defines two adjacent registers; returns the first, which has the low half. */
  defineHalves(value: Value): VirtualRegister {
    const low = this.lir.newVreg(Int32);
    const high = this.lir.newVreg(Int32);
    if (high > VREG_MAX)
      throw new CompileError(`the procedure needs more than ${VREG_MAX} virtual registers`);
    this.vregs[value.id] = low;
    this.lir.holdHalf(low, value.id, ValueHalf.Low);
    this.lir.holdHalf(high, value.id, ValueHalf.High);
    this.halfCounts[HALF_FORM.value]++;
    return low;
  }

  /** Lowers the low half of the value, then the high one. */
  lowerByHalves(value: Value, lowerHalf: (builder: LirBuilder, value: Value) => void): void {
    for (let half = 0; half < 2; half++) {
      this.half = half === 0 ? ValueHalf.Low : ValueHalf.High;
      lowerHalf(this, value);
    }
    this.half = ValueHalf.Whole;
  }

  candidatesOf(value: Value, type: Type): Int32Array {
    const rows = this.plan.candidates[candidateIndex(value.opcode, type)];
    assert(
      rows !== undefined,
      () =>
        `${this.plan.target.name} has no lowering of ${nameOfOpcode(value.opcode)} at ${nameOfType(type)}`,
    );
    return rows;
  }
}

/** Returns the register of a half of a value in halves: they are adjacent. */
export const halfOf = (low: VirtualRegister, half: ValueHalf): VirtualRegister =>
  (low + half) as VirtualRegister;

/** Returns the number of existing values; copies of loops leave many ids unused. */
const valueCount = ({ blocks }: Procedure): number =>
  blocks.reduce((count, { values }) => count + values.length, 0);

const isSingleUseInBlock = (value: Value, block: BasicBlock): boolean =>
  value.uses === 1 && value.block === block && value.opcode !== Op.Phi && !value.isConstant;

/** Returns the stack argument of the patchpoint that is the leaf; null if none is. */
function storedArgument(leaf: Value, { patchpoint, rest }: Value): number | null {
  if (patchpoint === null || rest === null) return null;
  const k = patchpoint.parameters.findIndex(
    ({ place }, at) => place === "argument" && resolve(rest[at]) === leaf,
  );
  return k < 0 ? null : outgoingLeaf(outgoingOffset(patchpoint, k));
}

/** Returns the value that a chain of Identity values copies. */
export function resolve(value: Value): Value {
  let at = value;
  while (at.opcode === Op.Identity && at.a !== null) at = at.a;
  return at;
}

export function operandOf(operand: Value | null, of: Value): Value {
  assert(operand !== null, () => `@${of.id} has no operand at the requested index`);
  return operand;
}
