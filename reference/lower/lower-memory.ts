// Lowers loads and stores: the form of a row for an address. Folding may compute the address in the
// access. An access within a stack slot needs no register, and a row may take an offset.

import { EFFECTS, Op, WRITES_MEMORY } from "../../src/ir/opcodes.js";
import type { StackSlot, Value } from "../../src/ir/procedure.js";
import { Int32, Int64 } from "../../src/ir/types.js";
import { InternalError } from "../../src/support/assert.js";
import type { VirtualRegister } from "../lir/indices.js";
import { ValueHalf } from "../lir/lir.js";
import { IndexExtension } from "../target/forms.js";
import { indexOf, isScaling, shiftOf } from "./folding.js";
import { HALF_FORM } from "./half-forms.js";
import { HALF_SIZE } from "./halves.js";
import { type LirBuilder, operandOf, resolve } from "./lir-builder.js";

export function lowerMemory(builder: LirBuilder, value: Value): void {
  const stored = storedBy(value);
  if (!builder.isInHalves(stored ?? value)) {
    lowerAccess(builder, value);
    return;
  }
  if (stored === null) builder.defineHalves(value);
  builder.halfCounts[stored === null ? HALF_FORM.load : HALF_FORM.store]++;
  builder.lowerByHalves(value, lowerAccess);
}

/** Lowers an atomic access: operands in their order, the address last. */
export function lowerAtomic(builder: LirBuilder, value: Value): void {
  const { a, b, c, offset: lo } = value;
  const [row] = builder.candidatesOf(value, operandOf(a, value).type);
  const operands = [a, b, c].flatMap((operand) => (operand === null ? [] : [operand]));
  const fits = builder.plan.rows[row].immediate?.fits(lo, lo >> 31) ?? lo === 0;
  // Request the registers of the operands first, because a constant operand emits an instruction.
  const inputs = operands.map((operand) => builder.use(resolve(operand)));
  const last = inputs.length - 1;
  if (!fits) inputs[last] = addOffset(builder, inputs[last], lo, value.id);
  builder.emit(row, value, inputs, fits ? lo : 0, 0);
}

function storedBy(access: Value): Value | null {
  const stores = (EFFECTS[access.opcode] & WRITES_MEMORY) !== 0;
  return stores ? operandOf(access.a, access) : null;
}

/** Lowers the access, or the current half of it. */
function lowerAccess(builder: LirBuilder, value: Value): void {
  const stored = storedBy(value);
  const { half } = builder;
  const type = half === ValueHalf.Whole ? (stored ?? value).type : Int32;
  const rows = builder.candidatesOf(value, type);
  const offset = half === ValueHalf.High ? value.offset + HALF_SIZE : value.offset;
  if (builder.selects && lowerSlotAccess(builder, value, stored, rows[0], offset)) return;
  let row = rows[0];
  let fits = false;
  for (let r = 0; r < rows.length && !fits; r++) {
    row = rows[r];
    fits = builder.plan.rows[row].immediate?.fits(offset, offset >> 31) ?? false;
  }
  if (builder.folded[value.address.id] !== 0) {
    lowerIndexed(builder, value, stored, rows[0]);
    return;
  }
  if (builder.selects && fits && stored !== null && storeConstant(builder, value, stored, row))
    return;
  const address = builder.use(value.address);
  const inputs = stored === null ? [] : [builder.usePart(stored)];
  if (fits) {
    inputs.push(address);
    builder.emit(row, value, inputs, offset, 0);
  } else {
    inputs.push(addOffset(builder, address, offset, value.id));
    builder.emit(rows[0], value, inputs, 0, 0);
  }
}

function storeConstant(builder: LirBuilder, value: Value, stored: Value, row: number): boolean {
  const constant = resolve(stored);
  const constantRow = builder.plan.forms.constant[row];
  if (!constant.isConstant || constantRow < 0) return false;
  if (!builder.plan.rows[constantRow].immediate?.fits(constant.constantLow, constant.constantHigh))
    return false;
  builder.emit(
    constantRow,
    value,
    [builder.use(value.address)],
    value.offset,
    constant.constantLow,
  );
  return true;
}

/** Lowers an access that computes its address. */
function lowerIndexed(
  builder: LirBuilder,
  value: Value,
  stored: Value | null,
  plain: number,
): void {
  const { plan } = builder;
  const { row, inputs, slotId } = addressed(builder, plain, value);
  if (stored === null) {
    builder.emit(row, value, inputs, value.offset, slotId);
    return;
  }
  const constant = resolve(stored);
  const constantRow = plan.forms.constant[row];
  const fits =
    constant.isConstant &&
    constantRow >= 0 &&
    plan.rows[constantRow].immediate?.fits(constant.constantLow, constant.constantHigh);
  if (fits) {
    builder.emit(constantRow, value, inputs, value.offset, constant.constantLow);
  } else {
    builder.emit(row, value, [builder.use(constant), ...inputs], value.offset, slotId);
  }
}

/** A LIR row for an addressing mode, with the inputs that it needs. */
interface AddressForm {
  readonly row: number;
  /** The registers of the address. */
  readonly inputs: readonly VirtualRegister[];
  /** The slot if the form is that of a slot; otherwise 0. */
  readonly slotId: number;
}

/** Returns the LIR row and its inputs for the addressing mode of an access. */
export function addressed(builder: LirBuilder, plain: number, access: Value): AddressForm {
  const { folded, plan } = builder;
  const { address } = access;
  if (folded[address.id] === 0) {
    const slot = slotOf(access, access.offset);
    if (slot !== null && plan.forms.slot[plain] >= 0) {
      return { row: plan.forms.slot[plain], inputs: [], slotId: slot.id };
    }
    return { row: plain, inputs: [builder.use(address)], slotId: 0 };
  }
  let index = indexOf(address);
  const base = index === address.b ? operandOf(address.a, address) : operandOf(address.b, address);
  let shift = 0;
  if (folded[index.id] !== 0 && isScaling(index)) {
    shift = shiftOf(index);
    index = operandOf(index.a, index);
  }
  let extension: IndexExtension = IndexExtension.None;
  if (folded[index.id] !== 0 && builder.folding !== null) {
    extension = builder.folding.extensionOf(index);
    index = operandOf(index.a, index);
  }
  const inSlot =
    base.opcode === Op.SlotBase && extension === IndexExtension.None
      ? plan.forms.slotIndexed(plain, shift)
      : -1;
  if (inSlot >= 0) {
    return { row: inSlot, inputs: [builder.use(index)], slotId: base.slot.id };
  }
  const inputs = [builder.use(base), builder.use(index)];
  return { row: plan.forms.indexed(plain, extension, shift), inputs, slotId: 0 };
}

/** Returns the slot that contains an access at that offset; null if it may be elsewhere. */
function slotOf(access: Value, offset: number): StackSlot | null {
  const address = resolve(access.address);
  if (address.opcode !== Op.SlotBase) return null;
  const { slot } = address;
  return offset >= 0 && offset < slot.size ? slot : null;
}

/** Lowers an access within a stack slot, which needs no register for its address. */
function lowerSlotAccess(
  builder: LirBuilder,
  value: Value,
  stored: Value | null,
  row: number,
  offset: number,
): boolean {
  const slotRow = builder.plan.forms.slot[row];
  const slot = slotOf(value, offset);
  if (slot === null || slotRow < 0) return false;
  const inputs = stored === null ? [] : [builder.usePart(stored)];
  if (builder.half === ValueHalf.Low) {
    const form = stored === null ? "slot-load" : "slot-store";
    builder.halfCounts[HALF_FORM[form]]++;
  }
  builder.emit(slotRow, value, inputs, offset, slot.id);
  return true;
}

/** Returns a new register with `address + offset`. */
function addOffset(
  builder: LirBuilder,
  address: VirtualRegister,
  offset: number,
  origin: number,
): VirtualRegister {
  const { lir, plan } = builder;
  const hi = offset >> 31;
  for (const row of plan.addAddress) {
    const { immediate } = plan.rows[row];
    if (immediate !== null && !immediate.fits(offset, hi)) continue;
    const addend =
      immediate === null
        ? builder.emitConstant(plan.constants[Int64], Int64, offset, hi, origin)
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
