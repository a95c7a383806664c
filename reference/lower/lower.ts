// Lowering: one procedure of the language to LIR, for any target.
//
// Input:  a valid procedure in edge form (Phis at the head of their block, one Upsilon per Phi and
//         predecessor at that predecessor's end, no critical edges).
// Output: LIR over virtual registers, blocks in reverse postorder, so that a definition stands
// before its uses.
//
// Most opcodes go by the target's table: the first row whose immediate fits. What has a shape of
// its own is lowered here, alike for every target: comparisons and who consumes them, guards,
// calls, control. Constants and slot addresses are emitted at their uses (IonMonkey): they never
// live long enough to be spilled.

import { analyzeControlFlow } from "../../src/ir/control-flow.js";
import {
  COMMUTES,
  EFFECTS,
  EXITS,
  nameOfOpcode,
  Op,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../src/ir/opcodes.js";
import {
  argumentOf,
  type BasicBlock,
  type Procedure,
  type StackSlot,
  Value,
} from "../../src/ir/procedure.js";
import { snapshotLeaves } from "../../src/ir/snapshot-leaves.js";
import {
  Double,
  Int64,
  isFloating,
  isInteger,
  nameOfType,
  type Type,
  Void,
} from "../../src/ir/types.js";
import { assert, InternalError } from "../../src/support/assert.js";
import { CompileError } from "../lir/code-buffer.js";
import {
  CONSTANT_LEAF,
  fixedOf,
  type Guard,
  isVector,
  type Lir,
  Policy,
  packOperand,
  Role,
  VREG_MAX,
} from "../lir/lir.js";
import { INCOMING_OFFSET, ON_STACK, placeArguments, STACK_ARGUMENT_SIZE } from "./arguments.js";
import { blockOrder } from "./block-order.js";
import { Condition, conditionOf, SWAPPED } from "./conditions.js";
import { Folding, indexOf, isScaling, shiftOf } from "./folding.js";
import { Extension } from "./forms.js";
import { lowerPatchpoint } from "./lower-patchpoint.js";
import { type Consumer, candidateIndex, type Plan } from "./plan.js";
import { zeroExtendedValues } from "./zero-extension.js";

const NO_VREG = -1;
/** Slots and leaves of all guards together: each guard that shares a snapshot has its own. */
const EXIT_SLOTS_MAX = 1 << 22;
/** Instructions after which a constant is made anew rather than kept. */
const SHARING_DISTANCE = 24;
/** Values of a procedure whose code could be too large to reach constants behind it. */
const POOLING_MAX = 2048;

/**
 * @param selects choose instructions with care: comparisons in their users, extensions that the
 *   hardware has done already, the operand that dies where the result may take its register. It is
 *   off at O0, which does only what is required.
 * @param indexOf position in the module, by which compiled code names what it calls
 */
export function lower(
  proc: Procedure,
  plan: Plan,
  lir: Lir,
  selects: boolean,
  indexOf: (callee: Procedure) => number,
): void {
  new Lowering(proc, plan, lir, selects, indexOf).run();
}

class Lowering {
  private readonly proc: Procedure;
  private readonly plan: Plan;
  private readonly lir: Lir;
  private readonly selects: boolean;
  private readonly indexOf: (callee: Procedure) => number;
  /** By value id. */
  private readonly vregs: Int32Array;
  /** Constants may stand behind the code. */
  private readonly pools: boolean;
  /** Null at O0. */
  private folding: Folding | null = null;
  /** By value id: 1 if its users compute it. */
  private folded: Uint8Array;
  /**
   * By value id of a constant: number of instructions when its register was last made, for uses
   * shortly after in the same block. What was made before a call is forgotten: few registers
   * outlive it.
   */
  private readonly madeAt: Int32Array;
  private forgotten = 0;
  /** By value id: 1 if the register has zeroes above 32 bits; none at O0. */
  private zeroExtended: Uint8Array;
  /** By value id: the id of a Phi that it is an input of. Ids start at 0, so -1 is none. */
  private readonly phiOf: Int32Array;
  /** By block.index: position in the layout. */
  private layout: Int32Array = new Int32Array(0);
  private readonly inputs: number[] = [];
  // What `addressed` gives besides.
  private inputCount = 0;
  private slotId = 0;
  /** By argument of the call at hand: see placeArguments. */
  private readonly places: number[] = [];
  private readonly leavesBySnapshot: (Value[] | undefined)[] = [];
  private exitSlots = 0;

  constructor(
    proc: Procedure,
    plan: Plan,
    lir: Lir,
    selects: boolean,
    indexOf: (callee: Procedure) => number,
  ) {
    this.indexOf = indexOf;
    this.proc = proc;
    this.plan = plan;
    this.lir = lir;
    this.selects = selects;
    this.pools = selects && proc.valueIdEnd <= POOLING_MAX;
    this.vregs = new Int32Array(proc.valueIdEnd).fill(NO_VREG);
    this.folded = new Uint8Array(proc.valueIdEnd);
    this.zeroExtended = new Uint8Array(proc.valueIdEnd);
    this.madeAt = new Int32Array(proc.valueIdEnd);
    this.phiOf = new Int32Array(proc.valueIdEnd).fill(-1);
  }

  run(): void {
    const flow = this.selects ? blockOrder(this.proc) : analyzeControlFlow(this.proc);
    this.layout = flow.position;
    this.proc.countUses();
    if (this.selects) this.fold(flow.order);
    const { order } = flow;
    for (let b = 0; b < order.length; b++) {
      const { predecessors } = order[b];
      // What was made in the only block before is still there.
      const goesOn = b > 0 && predecessors.length === 1 && predecessors[0] === order[b - 1];
      if (!goesOn) this.forgotten = this.lir.instructionCount;
      this.lowerBlock(order[b], b === 0);
    }
  }

  private fold(order: readonly BasicBlock[]): void {
    const { valueIdEnd } = this.proc;
    this.zeroExtended = zeroExtendedValues(order, this.plan, valueIdEnd);
    this.folding = new Folding(this.plan, valueIdEnd, this.zeroExtended);
    this.folded = this.folding.folded;
    for (let b = 0; b < order.length; b++) {
      this.folding.visit(order[b]);
      const { values } = order[b];
      for (let i = 0; i < values.length; i++) {
        const { opcode, a } = values[i];
        if (opcode === Op.Upsilon && a !== null) this.phiOf[a.id] = values[i].phi.id;
      }
    }
  }

  private lowerBlock(block: BasicBlock, isEntry: boolean): void {
    const { lir } = this;
    lir.beginBlock();
    if (isEntry) this.lowerEntry();
    const { values, successors } = block;
    for (let i = 0; i < values.length; i++) {
      if (values[i].opcode === Op.Phi) lir.addPhi(this.defineVreg(values[i]));
    }
    for (let s = 0; s < successors.length; s++) lir.addSuccessor(this.layout[successors[s].index]);
    for (let i = 0; i < values.length - 1; i++) this.lowerValue(values[i]);
    if (successors.length === 1) this.addPhiInputs(block, successors[0]);
    this.lowerControl(block.last);
    lir.endBlock();
  }

  private lowerEntry(): void {
    const { lir, places } = this;
    const { target, entry, operands, loadArgument } = this.plan;
    const { parameters } = this.proc;
    const onStack = placeArguments(parameters, target, places);
    for (let i = 0; i < parameters.length; i++) {
      if (places[i] >= ON_STACK) continue;
      const vreg = this.defineVreg(parameters[i]);
      lir.addOperand(packOperand(vreg, Role.Definition, Policy.Fixed, places[i]));
    }
    lir.endInstruction(entry, 0, 0, -1);
    if (onStack === 0) return;
    for (let i = 0; i < parameters.length; i++) {
      if (places[i] < ON_STACK) continue;
      const row = loadArgument[parameters[i].type];
      lir.addOperand(operands[row][0] | this.defineVreg(parameters[i]));
      const offset = INCOMING_OFFSET + STACK_ARGUMENT_SIZE * (places[i] - ON_STACK);
      lir.endInstruction(row, offset, 0, parameters[i].id);
    }
  }

  // The inputs come in the order in which the successor lists its Phis.
  private addPhiInputs(block: BasicBlock, successor: BasicBlock): void {
    for (const phi of successor.values) {
      if (phi.opcode !== Op.Phi) continue;
      const upsilon = block.values.find(
        (value) => value.opcode === Op.Upsilon && value.extra === phi,
      );
      assert(upsilon?.a instanceof Value, () => `#${block.id} has no Upsilon for @${phi.id}`);
      this.lir.addPhiInput(this.use(upsilon.a));
    }
  }

  private lowerValue(value: Value): void {
    if (this.folded[value.id] !== 0) return;
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
        return; // no code of their own
      case Op.Select:
        this.lowerSelect(value);
        return;
      case Op.Check:
        this.lowerCondition(value, this.plan.check);
        return;
      case Op.ZExt32:
        this.lowerZeroExtension(value);
        return;
      case Op.CCall:
      case Op.CallIndirect:
        this.lowerCall(value);
        return;
      case Op.ArgumentReg:
        this.vregs[value.id] = this.use(namedArgument(this.proc, value));
        return;
      case Op.Patchpoint:
      case Op.PatchpointCheck:
        this.lowerPatchpoint(value);
        return;
    }
    const { a } = value;
    if (a !== null && conditionOf(opcode, a.type) >= 0) {
      this.lowerComparison(value, this.plan.set, value);
      return;
    }
    if ((EFFECTS[opcode] & (READS_MEMORY | WRITES_MEMORY)) !== 0) this.lowerMemory(value);
    else this.lowerByTable(value);
  }

  private lowerControl(value: Value): void {
    switch (value.opcode) {
      case Op.Jump:
        this.lir.endInstruction(this.plan.jump, 0, 0, value.id);
        return;
      case Op.Branch:
        this.lowerCondition(value, this.plan.branch);
        return;
      case Op.Switch:
        this.lowerSwitch(value);
        return;
      case Op.Return:
        this.lowerReturn(value);
        return;
      case Op.PatchpointReturn:
        this.lowerPatchpoint(value);
        return;
      case Op.Oops:
        this.lir.endInstruction(this.plan.oops, 0, 0, value.id);
        return;
    }
    assert(false, () => `@${value.id} does not end a block`);
  }

  private lowerPatchpoint(value: Value): void {
    lowerPatchpoint(value, {
      lir: this.lir,
      plan: this.plan,
      use: (operand) => this.use(operand),
      define: (result) => this.defineVreg(result),
      end: (row, index) => this.endInstruction(row, index, 0, value),
    });
  }

  private lowerByTable(value: Value): void {
    if (this.lowerFolding(value)) return;
    let a = resolve(operandOf(value.a, value));
    let b = value.b === null ? null : resolve(value.b);
    if (b !== null && COMMUTES[value.opcode] !== 0 && this.isBetterFirst(b, a, value)) {
      [a, b] = [b, a];
    }
    const rows = this.candidatesOf(value, a.type);
    const { free } = this.plan.forms;
    for (let r = 0; r < rows.length; r++) {
      const { immediate } = this.plan.rows[rows[r]];
      const row = this.selects && free[rows[r]] >= 0 ? free[rows[r]] : rows[r];
      const pool = this.pools && b?.isConstant ? this.plan.forms.pool[rows[r]] : -1;
      if (b !== null && pool >= 0) {
        this.inputs[0] = this.use(a);
        this.emit(pool, value, 1, b.lo, b.hi);
        return;
      }
      if (immediate === null) {
        this.inputs[0] = this.use(a);
        if (b !== null) this.inputs[1] = this.use(b);
        this.emit(row, value, b === null ? 1 : 2, 0, 0);
        return;
      }
      if (b?.isConstant && immediate.fits(b.lo, b.hi)) {
        this.inputs[0] = this.use(a);
        this.emit(row, value, 1, b.lo, b.hi);
        return;
      }
    }
    assert(false, () => `no row of ${this.plan.target.name} takes @${value.id}`);
  }

  /** One of the operands is computed on the way: it is made the second. */
  private lowerFolding(value: Value): boolean {
    const { folded, plan, inputs } = this;
    const { a, b } = value;
    if (a === null || b === null) return false;
    const inner = folded[b.id] !== 0 ? b : folded[a.id] !== 0 ? a : null;
    if (inner === null) return false;
    const rows = this.candidatesOf(value, a.type);
    const register = rows[rows.length - 1];
    inputs[0] = this.use(inner === b ? a : b);
    if (inner.opcode === Op.Load) {
      const row = this.addressed(plan.forms.load[register], inner, 1);
      this.emit(row, value, this.inputCount, inner.lo, this.slotId);
      return true;
    }
    const operand = operandOf(inner.a, inner);
    if (folded[operand.id] !== 0) {
      // A shift of an extension.
      inputs[1] = this.use(operandOf(operand.a, operand));
      const extension = operand.opcode === Op.SExt32 ? Extension.Sign : Extension.Zero;
      this.emit(plan.forms.indexed(register, extension, shiftOf(inner)), value, 2, 0, 0);
      return true;
    }
    const row = plan.forms.folding(register, inner);
    inputs[1] = this.use(operand);
    const isProduct = inner.opcode === Op.Mul;
    if (isProduct) inputs[2] = this.use(operandOf(inner.b, inner));
    const count = plan.rows[row].immediate === null ? 0 : (inner.b?.lo ?? 0);
    this.emit(row, value, isProduct ? 3 : 2, count, 0);
    return true;
  }

  // A constant goes second, where it may be an immediate. Of two registers, the one that dies here
  // goes first: a two-address instruction overwrites it without a copy. If both die, the Phi goes
  // first that the result is an input of: then the loop goes on in its register.
  private isBetterFirst(b: Value, a: Value, result: Value): boolean {
    if (a.isConstant || b.isConstant) return a.isConstant && !b.isConstant;
    if (!this.selects) return false;
    const phi = this.phiOf[result.id];
    if (phi === a.id && isOnlyUseWithin(a, result)) return false;
    return (phi === b.id && isOnlyUseWithin(b, result)) || (a.uses > 1 && b.uses === 1);
  }

  // The extension is an instruction that does nothing but take the register over, where the
  // definition has cleared the upper half: moves and reloads of an Int32 clear it as well.
  private lowerZeroExtension(value: Value): void {
    const operand = resolve(operandOf(value.a, value));
    if (this.zeroExtended[operand.id] === 0) {
      this.lowerByTable(value);
      return;
    }
    this.inputs[0] = this.use(operand);
    this.emit(this.plan.zeroExtended, value, 1, 0, 0);
  }

  private lowerMemory(value: Value): void {
    const stores = (EFFECTS[value.opcode] & WRITES_MEMORY) !== 0;
    const stored = stores ? operandOf(value.a, value) : null;
    const rows = this.candidatesOf(value, stored === null ? value.type : stored.type);
    const offset = value.lo;
    if (this.selects && this.lowerSlotAccess(value, stored, rows[0])) return;
    let row = rows[0];
    let fits = false;
    for (let r = 0; r < rows.length && !fits; r++) {
      row = rows[r];
      fits = this.plan.rows[row].immediate?.fits(offset, offset >> 31) ?? false;
    }
    if (this.folded[value.address.id] !== 0) {
      this.lowerIndexed(value, stored, rows[0]);
      return;
    }
    if (this.selects && fits && stored !== null && this.storeConstant(value, stored, row)) return;
    const address = this.use(value.address);
    const inputCount = stored === null ? 1 : 2;
    if (stored !== null) this.inputs[0] = this.use(stored);
    if (fits) {
      this.inputs[inputCount - 1] = address;
      this.emit(row, value, inputCount, offset, 0);
    } else {
      this.inputs[inputCount - 1] = this.addOffset(address, offset, value.id);
      this.emit(rows[0], value, inputCount, 0, 0);
    }
  }

  private storeConstant(value: Value, stored: Value, row: number): boolean {
    const constant = resolve(stored);
    const constantRow = this.plan.forms.constant[row];
    if (!constant.isConstant || constantRow < 0) return false;
    if (!this.plan.rows[constantRow].immediate?.fits(constant.lo, constant.hi)) return false;
    this.inputs[0] = this.use(value.address);
    this.emit(constantRow, value, 1, value.lo, constant.lo);
    return true;
  }

  /** The address is computed on the way. */
  private lowerIndexed(value: Value, stored: Value | null, plain: number): void {
    const { inputs, plan } = this;
    if (stored === null) {
      const row = this.addressed(plain, value, 0);
      this.emit(row, value, this.inputCount, value.lo, this.slotId);
      return;
    }
    const constant = resolve(stored);
    const row = this.addressed(plain, value, 1);
    const constantRow = plan.forms.constant[row];
    const fits =
      constant.isConstant &&
      constantRow >= 0 &&
      plan.rows[constantRow].immediate?.fits(constant.lo, constant.hi);
    if (fits) {
      inputs.copyWithin(0, 1, this.inputCount);
      this.emit(constantRow, value, this.inputCount - 1, value.lo, constant.lo);
    } else {
      inputs[0] = this.use(constant);
      this.emit(row, value, this.inputCount, value.lo, this.slotId);
    }
  }

  /**
   * The form of a row for the address of an access, whose registers become inputs from `first` on.
   * Sets `inputCount`, and `slotId` if the form is that of a slot.
   */
  private addressed(plain: number, access: Value, first: number): number {
    const { folded, inputs, plan } = this;
    const { address } = access;
    this.inputCount = first + 1;
    this.slotId = 0;
    if (folded[address.id] === 0) {
      const slot = this.slotOf(access);
      if (slot !== null && plan.forms.slot[plain] >= 0) {
        this.inputCount = first;
        this.slotId = slot.id;
        return plan.forms.slot[plain];
      }
      inputs[first] = this.use(address);
      return plain;
    }
    let index = indexOf(address);
    const base =
      index === address.b ? operandOf(address.a, address) : operandOf(address.b, address);
    let shift = 0;
    if (folded[index.id] !== 0 && isScaling(index)) {
      shift = shiftOf(index);
      index = operandOf(index.a, index);
    }
    let extension: Extension = Extension.None;
    if (folded[index.id] !== 0 && this.folding !== null) {
      extension = this.folding.extensionOf(index);
      index = operandOf(index.a, index);
    }
    const inSlot =
      base.opcode === Op.SlotBase && extension === Extension.None
        ? plan.forms.slotIndexed(plain, shift)
        : -1;
    if (inSlot >= 0) {
      inputs[first] = this.use(index);
      this.inputCount = first + 1;
      this.slotId = base.slot.id;
      return inSlot;
    }
    inputs[first] = this.use(base);
    inputs[first + 1] = this.use(index);
    this.inputCount = first + 2;
    return plan.forms.indexed(plain, extension, shift);
  }

  /** The slot within which an access lies; null if it may be elsewhere. */
  private slotOf(access: Value): StackSlot | null {
    const address = resolve(access.address);
    if (address.opcode !== Op.SlotBase) return null;
    const { slot } = address;
    return access.lo >= 0 && access.lo < slot.size ? slot : null;
  }

  /** An access within a stack slot needs no register for its address. */
  private lowerSlotAccess(value: Value, stored: Value | null, row: number): boolean {
    const slotRow = this.plan.forms.slot[row];
    const slot = this.slotOf(value);
    if (slot === null || slotRow < 0) return false;
    if (stored !== null) this.inputs[0] = this.use(stored);
    this.emit(slotRow, value, stored === null ? 0 : 1, value.lo, slot.id);
    return true;
  }

  /** A new register with `address + offset`. */
  private addOffset(address: number, offset: number, origin: number): number {
    const { lir, plan } = this;
    const hi = offset >> 31;
    for (const row of plan.addAddress) {
      const { immediate } = plan.rows[row];
      if (immediate !== null && !immediate.fits(offset, hi)) continue;
      const addend =
        immediate === null
          ? this.emitConstant(plan.constants[Int64], Int64, offset, hi, origin)
          : null;
      const forms = plan.operands[row];
      const sum = lir.newVreg(Int64);
      lir.addOperand(forms[0] | sum);
      lir.addOperand(forms[1] | address);
      if (addend !== null) lir.addOperand(forms[2] | addend);
      lir.endInstruction(row, addend === null ? offset : 0, addend === null ? hi : 0, origin);
      return sum;
    }
    throw new InternalError(`${plan.target.name} cannot add an offset of ${offset}`);
  }

  private lowerSelect(value: Value): void {
    const [whenTrue, whenFalse] = [operandOf(value.b, value), operandOf(value.c, value)];
    this.inputs[0] = this.use(whenFalse);
    this.inputs[1] = this.use(whenTrue);
    this.consumeCondition(value, this.plan.select[value.type], 2);
  }

  private lowerCondition(value: Value, consumer: Consumer): void {
    this.consumeCondition(value, consumer, 0);
  }

  // The condition is the first operand: a fused comparison, or any integer against zero.
  private consumeCondition(value: Value, consumer: Consumer, inputCount: number): void {
    const condition = operandOf(value.a, value);
    if (this.folded[condition.id] !== 0) {
      this.lowerComparison(value, consumer, condition, inputCount);
      return;
    }
    this.inputs[inputCount] = this.use(condition);
    this.emit(consumer.test[condition.type], value, inputCount + 1, 0, Condition.ne);
  }

  private lowerComparison(
    value: Value,
    consumer: Consumer,
    comparison: Value,
    inputCount = 0,
  ): void {
    let x = resolve(operandOf(comparison.a, comparison));
    let y = resolve(operandOf(comparison.b, comparison));
    const { type } = x;
    let condition = conditionOf(comparison.opcode, type);
    if (x.isConstant && !y.isConstant) {
      [x, y] = [y, x];
      condition = SWAPPED[condition];
    }
    if (this.folded[x.id] !== 0 || this.folded[y.id] !== 0) {
      if (this.folded[x.id] !== 0) {
        [x, y] = [y, x];
        condition = SWAPPED[condition];
      }
      this.inputs[inputCount] = this.use(x);
      const load = this.plan.forms.load[consumer.register[type]];
      const row = this.addressed(load, y, inputCount + 1);
      this.emit(row, value, this.inputCount, y.lo, condition);
      return;
    }
    this.inputs[inputCount] = this.use(x);
    if (isInteger(type) && y.isConstant) {
      const isZeroTest = condition === Condition.eq || condition === Condition.ne;
      if (isZeroTest && y.lo === 0 && y.hi === 0) {
        this.emit(consumer.test[type], value, inputCount + 1, 0, condition);
        return;
      }
      const row = consumer.immediate[type];
      if (this.plan.rows[row].immediate?.fits(y.lo, y.hi)) {
        this.emit(row, value, inputCount + 1, y.lo, condition);
        return;
      }
    }
    this.inputs[inputCount + 1] = this.use(y);
    this.emit(consumer.register[type], value, inputCount + 2, 0, condition);
  }

  private lowerCall(value: Value): void {
    const { lir, plan } = this;
    const args = value.rest ?? [];
    this.lowerArguments(value, args);
    const address = value.a === null ? NO_VREG : this.use(value.a);
    if (value.type !== Void) {
      const { integerResult, floatResult } = plan.target;
      const register = isFloating(value.type) ? floatResult : integerResult;
      const vreg = this.defineVreg(value);
      lir.addOperand(packOperand(vreg, Role.Definition, Policy.Fixed, register));
    }
    const addressOperand = value.type === Void ? 0 : 1;
    if (address !== NO_VREG) {
      lir.addOperand(packOperand(address, Role.UseAtStart, Policy.Register));
    }
    for (let i = 0; i < args.length; i++) {
      const place = this.places[i];
      if (place >= ON_STACK) continue;
      lir.addOperand(packOperand(this.inputs[i], Role.UseAtStart, Policy.Fixed, place));
    }
    const { host, procedure, id } = value;
    if (host !== null) {
      const pool = plan.forms.pool[plan.callHost];
      lir.endInstruction(this.pools && pool >= 0 ? pool : plan.callHost, host.index, 0, id);
    } else if (procedure !== null) lir.endInstruction(plan.call, this.indexOf(procedure), 0, id);
    else lir.endInstruction(plan.callIndirect, addressOperand, 0, id);
    this.forgotten = lir.instructionCount;
  }

  // Arguments of the stack are stored before the call; `inputs` and `places` tell the rest.
  private lowerArguments(call: Value, args: readonly Value[]): void {
    const { lir, plan, places, inputs } = this;
    const onStack = placeArguments(args, plan.target, places);
    lir.outgoingSize = Math.max(lir.outgoingSize, STACK_ARGUMENT_SIZE * onStack);
    for (let i = 0; i < args.length; i++) {
      if (places[i] < ON_STACK) continue;
      const row = plan.storeArgument[args[i].type];
      const vreg = this.use(args[i]);
      lir.addOperand(plan.operands[row][0] | vreg);
      lir.endInstruction(row, STACK_ARGUMENT_SIZE * (places[i] - ON_STACK), 0, call.id);
    }
    for (let i = 0; i < args.length; i++) if (places[i] < ON_STACK) inputs[i] = this.use(args[i]);
  }

  // It has two successors or more: edge form has made a jump of any other.
  private lowerSwitch(value: Value): void {
    const { lir, plan } = this;
    const operand = operandOf(value.a, value);
    const vreg = this.use(operand);
    const row = plan.switch[operand.type];
    for (const form of plan.operands[row]) {
      const isTemp = ((form >> 29) & 3) === Role.Temp;
      lir.addOperand(form | (isTemp ? lir.newVreg(Int64) : vreg));
    }
    lir.endInstruction(row, lir.switches.length, 0, value.id);
    lir.switches.push(value.cases);
  }

  private lowerReturn(value: Value): void {
    const { lir, plan } = this;
    if (value.a !== null) {
      const register = isFloating(value.a.type)
        ? plan.target.floatResult
        : plan.target.integerResult;
      const vreg = this.use(value.a);
      lir.addOperand(packOperand(vreg, Role.UseAtStart, Policy.Fixed, register));
    }
    lir.endInstruction(plan.return, 0, 0, value.id);
  }

  private candidatesOf(value: Value, type: Type): Int32Array {
    const rows = this.plan.candidates[candidateIndex(value.opcode, type)];
    assert(
      rows !== undefined,
      () =>
        `${this.plan.target.name} has no lowering of ${nameOfOpcode(value.opcode)} at ${nameOfType(type)}`,
    );
    return rows;
  }

  /**
   * One instruction of that row: the value's definition if the row has one, `inputCount` inputs,
   * the leaves.
   */
  private emit(row: number, value: Value, inputCount: number, immLo: number, immHi: number): void {
    const { lir } = this;
    const forms = this.plan.operands[row];
    let input = 0;
    for (let k = 0; k < forms.length; k++) {
      const role = (forms[k] >> 29) & 3;
      if (role === Role.Definition) lir.addOperand(forms[k] | this.defineVreg(value));
      else if (role === Role.Temp) this.addTemp(forms[k]);
      else lir.addOperand(forms[k] | this.inputs[input++]);
    }
    assert(input === inputCount, () => `${this.plan.rows[row].name} takes ${input} inputs`);
    this.endInstruction(row, immLo, immHi, value);
  }

  /** Ends an instruction with the leaves of the value's snapshot, if it is a guard. */
  private endInstruction(row: number, immLo: number, immHi: number, value: Value): void {
    const { lir } = this;
    const guard = (EFFECTS[value.opcode] & EXITS) !== 0 ? this.addLeaves(value) : null;
    const index = lir.endInstruction(row, immLo, immHi, value.id);
    if (guard !== null) {
      lir.guard[index] = lir.guards.length;
      lir.guards.push(guard);
    }
  }

  private addTemp(form: number): void {
    this.lir.addOperand(form | this.lir.newVreg(isVector(fixedOf(form)) ? Double : Int64));
  }

  private addLeaves(value: Value): Guard {
    const { snapshot } = value;
    this.leavesBySnapshot[snapshot.id] ??= snapshotLeaves(snapshot);
    const leaves = this.leavesBySnapshot[snapshot.id] ?? [];
    this.exitSlots += leaves.length;
    for (const { slots } of snapshot.frames) this.exitSlots += slots.length;
    if (this.exitSlots > EXIT_SLOTS_MAX) {
      throw new CompileError(`the guards show more than ${EXIT_SLOTS_MAX} slots together`);
    }
    const operands: number[] = [];
    for (let i = 0; i < leaves.length; i++) {
      const leaf = resolve(leaves[i]);
      const operand = leaf.isConstant
        ? CONSTANT_LEAF
        : this.lir.addOperand(packOperand(this.vregs[leaf.id], Role.Use, Policy.KeepAlive));
      operands.push(operand);
    }
    return { snapshot, leaves, operands };
  }

  /**
   * The register that holds the value; a constant or a slot address gets a new one, just before its
   * use.
   */
  private use(given: Value): number {
    const value = resolve(given);
    const { plan } = this;
    if (value.isConstant) {
      const known = this.sharedConstant(value);
      if (known !== NO_VREG) return known;
      const row = this.pooled(plan.constants[value.type], value.lo, value.hi);
      const made = this.emitConstant(row, value.type, value.lo, value.hi, value.id);
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

  /** Its register, if it was made shortly before. */
  private sharedConstant(value: Value): number {
    const since = Math.max(this.forgotten, this.lir.instructionCount - SHARING_DISTANCE);
    return this.selects && this.madeAt[value.id] > since ? this.vregs[value.id] : NO_VREG;
  }

  private keepConstant(value: Value, made: number): number {
    this.vregs[value.id] = made;
    this.madeAt[value.id] = this.lir.instructionCount;
    return made;
  }

  /** The row that reads the constant from behind the code, if there is one that does better. */
  private pooled(row: number, lo: number, hi: number): number {
    const pool = this.pools ? this.plan.forms.pool[row] : -1;
    return pool >= 0 && this.plan.rows[pool].immediate?.fits(lo, hi) ? pool : row;
  }

  private emitConstant(row: number, type: Type, lo: number, hi: number, origin: number): number {
    const vreg = this.lir.newVreg(type);
    this.lir.addOperand(this.plan.operands[row][0] | vreg);
    this.lir.endInstruction(row, lo, hi, origin);
    return vreg;
  }

  private defineVreg(value: Value): number {
    const vreg = this.lir.newVreg(value.type);
    if (vreg > VREG_MAX) throw new CompileError(`more than ${VREG_MAX} virtual registers`);
    this.vregs[value.id] = vreg;
    return vreg;
  }
}

/** True if nothing else in the user's block uses the operand; Upsilons and snapshots apart. */
function isOnlyUseWithin(operand: Value, user: Value): boolean {
  if (operand.uses === 1) return true;
  const values = user.block?.values ?? [];
  for (let i = 0; i < values.length; i++) {
    const { a, b, c, rest } = values[i];
    if (values[i] === user) continue;
    if (a === operand || b === operand || c === operand || rest?.includes(operand)) return false;
  }
  return true;
}

/** Sees through Identity, as every consumer of a value may. */
function resolve(value: Value): Value {
  let at = value;
  while (at.opcode === Op.Identity && at.a !== null) at = at.a;
  return at;
}

function namedArgument(proc: Procedure, value: Value): Value {
  const parameter = argumentOf(proc, value.type, value.lo);
  assert(parameter !== null, () => `@${value.id} names no parameter`);
  return parameter;
}

function operandOf(operand: Value | null, of: Value): Value {
  assert(operand !== null, () => `@${of.id} lacks an operand`);
  return operand;
}
