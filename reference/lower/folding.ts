// Selects the values that get no instruction of their own, because each of their users computes
// them:
//
//   a comparison          in the branches, guards and Selects that it decides, and in its negation
//   a BitAnd              in the users that test whether it is zero
//   a flag of overflow    in the guard on it, together with the result of the operation
//   an address            base + extended index << shift, in its loads and stores
//   a shift, extension    in the addition or logical operation that uses it
//   a product             in the sum or difference that uses it
//   a load                in the operation or comparison that uses it, if no write comes between
//
// All users must be in the same block: farther away the operands would live longer than the one
// register that the result needs. And every use must fold: otherwise the value is computed anyway.
// Folding does not look through Identity, so the number of uses is the number of users.

import {
  CALLS,
  COMMUTES,
  EFFECTS,
  EXITS,
  isWholeLoad,
  Op,
  type Opcode,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../src/ir/opcodes.js";
import type { BasicBlock, Value } from "../../src/ir/procedure.js";
import { snapshotLeaves } from "../../src/ir/snapshot-leaves.js";
import { Int64, isInteger, type Type, Void } from "../../src/ir/types.js";
import { zeroedBytes, zeroedWords } from "../../src/support/program-arrays.js";
import { slotOf } from "../optimize/analysis/loop-writes.js";
import { conditionOf, isNegation } from "../target/conditions.js";
import { IndexExtension, indexForm, SHIFT_MAX } from "../target/forms.js";
import { type ComparisonConsumer, candidateIndex, type LoweringPlan } from "../target/plan.js";

export class OperandFolding {
  /** By value id: 1 if the value has no instruction of its own, because each user computes it. */
  readonly folded: Uint8Array;
  private readonly plan: LoweringPlan;
  /** By value id: 1 if the register's upper 32 bits are zero. */
  private readonly zeroExtended: Uint8Array;
  /** By value id: 1 if two registers carry the value as halves. */
  private readonly inHalves: Uint8Array;
  /** By value id: 1 if a guard on its overflow flag computes it, for all its users. */
  readonly computed: Uint8Array;
  /** By id of a guard on an overflow flag: the value that this guard computes as well. */
  readonly results = new Map<number, Value>();
  /** By value id: the number of uses that fold. */
  private readonly folds: Int32Array;
  /** By value id: a bit for each index form that all of these uses accept. */
  private readonly forms: Int32Array;
  /** By value id: the number of values before it, in its block, that may write memory. */
  private readonly writesBefore: Int32Array;
  // The candidates for folding into addresses in the current block: sums, then their shifts and
  // extensions.
  private readonly sums: Value[] = [];
  private readonly shifts: Value[] = [];
  private readonly extensions: Value[] = [];

  constructor(plan: LoweringPlan, zeroExtended: Uint8Array, inHalves: Uint8Array) {
    const valueIdEnd = zeroExtended.length;
    this.plan = plan;
    this.zeroExtended = zeroExtended;
    this.inHalves = inHalves;
    this.folded = zeroedBytes(valueIdEnd);
    this.computed = zeroedBytes(valueIdEnd);
    this.folds = zeroedWords(valueIdEnd);
    this.forms = zeroedWords(valueIdEnd);
    this.writesBefore = zeroedWords(valueIdEnd);
  }

  /** Decides which values of a block are folded into their users; requires the counts of uses. */
  visit(block: BasicBlock): void {
    const { values } = block;
    this.sums.length = 0;
    this.shifts.length = 0;
    this.extensions.length = 0;
    let writes = 0;
    for (let i = 0; i < values.length; i++) {
      const { opcode } = values[i];
      this.writesBefore[values[i].id] = writes;
      if ((EFFECTS[opcode] & (WRITES_MEMORY | CALLS)) !== 0) writes++;
      else if (opcode === Op.PatchpointCheck) writes++;
      if (opcode === Op.Check && this.foldFlag(values[i], block, i)) continue;
      if (opcode === Op.Branch || opcode === Op.Check || opcode === Op.Select) {
        this.foldComparison(values[i], block);
      } else if ((EFFECTS[opcode] & (READS_MEMORY | WRITES_MEMORY)) !== 0) {
        this.countSum(values[i], block);
      }
    }
    if (this.sums.length > 0) this.foldAddresses(block);
    // Go backward, because a value that is folded into its user folds no operand itself.
    for (let i = values.length - 1; i >= 0; i--) this.foldOperand(values[i]);
  }

  private foldComparison(user: Value, block: BasicBlock): void {
    const { a } = user;
    if (a === null || a.block !== block || a.a === null) return;
    const isBits = this.isBits(a);
    if (!isBits && conditionOf(a.opcode, a.a.type) < 0) return;
    if (a.uses > 1) {
      this.shareComparison(a, a.a.type);
      return;
    }
    this.folded[a.id] = 1;
    if (!isBits) this.foldCompared(this.negated(a, block), user, this.consumerOf(user), block);
  }

  /** Returns whether the value is a bit test (a BitAnd) that one instruction compares with zero. */
  private isBits({ opcode, id }: Value): boolean {
    return opcode === Op.BitAnd && this.inHalves[id] === 0;
  }

  /**
   * Folds a comparison with several users: each compares again, and emission omits the comparison
   * if the flags are unchanged.
   */
  private shareComparison(comparison: Value, type: Type): void {
    const { id, uses } = comparison;
    if (!isInteger(type) || uses > SHARED_MAX) return;
    if (++this.folds[id] === uses) this.folded[id] = 1;
  }

  /**
   * Returns the operand if the value negates a comparison, so that the opposite condition is used;
   * otherwise `comparison` itself.
   */
  private negated(comparison: Value, block: BasicBlock): Value {
    const { a } = comparison;
    if (a === null || !isNegation(comparison) || !isOnlyUse(a, block)) return comparison;
    this.folded[a.id] = 1;
    return a;
  }

  /** Folds an overflow flag into the guard on it, together with the result of the operation. */
  private foldFlag(guard: Value, block: BasicBlock, at: number): boolean {
    const { a } = guard;
    const opcode = a === null ? null : guardOfFlag(a.opcode);
    if (a === null || opcode === null || !isOnlyUse(a, block)) return false;
    this.folded[a.id] = 1;
    const result = resultBeside(a, guard, block, at);
    if (result === null || this.computed[result.id] !== 0) return true;
    if (!this.keepsUpper(result, opcode)) return true;
    this.computed[result.id] = 1;
    this.results.set(guard.id, result);
    return true;
  }

  /**
   * Returns whether the guard's row also clears the upper 32 bits, if the result is recorded as
   * zero-extended.
   */
  private keepsUpper({ id, type }: Value, guard: Opcode): boolean {
    return this.zeroExtended[id] === 0 || this.plan.clearsUpper[candidateIndex(guard, type)] !== 0;
  }

  /**
   * Folds one operand of a comparison from memory. Either may be in memory: the condition can be
   * swapped.
   */
  private foldCompared(
    { opcode, a, b }: Value,
    user: Value,
    consumer: ComparisonConsumer,
    block: BasicBlock,
  ): void {
    if (a === null || b === null) return;
    if (isZero(b) && (opcode === Op.Equal || opcode === Op.NotEqual)) {
      if (this.isBits(a) && isOnlyUse(a, block)) {
        this.folded[a.id] = 1;
        return;
      }
    }
    if (this.plan.forms.load[consumer.register[a.type]] < 0) return;
    if (!a.isConstant && this.isLoadFor(b, user, block)) this.folded[b.id] = 1;
    else if (!b.isConstant && this.isLoadFor(a, user, block)) this.folded[a.id] = 1;
  }

  private consumerOf(user: Value): ComparisonConsumer {
    const { plan } = this;
    if (user.opcode === Op.Branch) return plan.branch;
    return user.opcode === Op.Check ? plan.check : plan.select[user.type];
  }

  /** Returns whether no value between the load and the user may write the loaded memory. */
  private isLoadFor(load: Value, user: Value, block: BasicBlock): boolean {
    if (!isWholeLoad(load.opcode) || !isOnlyUse(load, block)) return false;
    if (load.opcode === Op.LoadInvariant && slotOf(load.address) === null) return true;
    return this.writesBefore[load.id] === this.writesBefore[user.id];
  }

  private countSum(access: Value, block: BasicBlock): void {
    const { address } = access;
    if (this.inHalves[(access.type === Void ? (access.a ?? access) : access).id] !== 0) return;
    if (address.opcode !== Op.Add || address.block !== block) return;
    if (address.a === null || address.b === null || address.b.isConstant) return;
    const type = access.type === Void ? (access.a?.type ?? Void) : access.type;
    const rows = this.plan.candidates[candidateIndex(access.opcode, type)];
    if (rows === undefined) return;
    const forms = this.plan.forms.indexMask(rows[0], access.offset);
    if (forms !== 0) this.count(address, forms, this.sums);
  }

  private count(value: Value, forms: number, list: Value[]): void {
    const { id } = value;
    if (this.folds[id]++ === 0) list.push(value);
    this.forms[id] = this.folds[id] === 1 ? forms : this.forms[id] & forms;
  }

  // Folds from the accesses inward: the sum, its shift, the extension inside it.
  private foldAddresses(block: BasicBlock): void {
    const { sums, shifts, extensions } = this;
    for (let k = 0; k < sums.length; k++) {
      const index = indexOf(sums[k]);
      const isFolded = this.foldIfAll(sums[k]);
      if (index.block !== block) continue;
      // A sum that is also used elsewhere folds its operand as an access would.
      const forms = isFolded ? this.forms[sums[k].id] : this.plan.sumForms;
      if (isScaling(index) && has(forms, IndexExtension.None, shiftOf(index))) {
        this.count(index, forms, shifts);
      } else if (isExtension(index)) this.countExtension(index, forms, 0);
    }
    for (let k = 0; k < shifts.length; k++) {
      const inner = shifts[k].a;
      if (!this.foldIfAll(shifts[k]) || inner === null || inner.block !== block) continue;
      if (isExtension(inner)) {
        this.countExtension(inner, this.forms[shifts[k].id], shiftOf(shifts[k]));
      }
    }
    for (let k = 0; k < extensions.length; k++) this.foldIfAll(extensions[k]);
  }

  private foldIfAll(value: Value): boolean {
    if (this.folds[value.id] !== value.uses) return false;
    this.folded[value.id] = 1;
    return true;
  }

  private countExtension(value: Value, forms: number, shift: number): void {
    if (has(forms, this.extensionOf(value), shift)) this.count(value, forms, this.extensions);
  }

  /**
   * Returns the extension that the machine must apply to the operand's register; none if its upper
   * half is zero.
   */
  extensionOf(value: Value): IndexExtension {
    if (value.opcode === Op.SExt32) return IndexExtension.Sign;
    return value.a !== null && this.zeroExtended[value.a.id] !== 0
      ? IndexExtension.None
      : IndexExtension.Zero;
  }

  private foldOperand(value: Value): void {
    const { a, b, opcode } = value;
    if (a === null || b === null) return;
    if (this.folded[value.id] !== 0 || this.computed[value.id] !== 0) return;
    if (conditionOf(opcode, a.type) >= 0 && value.block !== null) {
      this.foldCompared(this.negated(value, value.block), value, this.plan.set, value.block);
      return;
    }
    if (b.isConstant || this.folded[a.id] !== 0 || this.folded[b.id] !== 0) return;
    const rows = this.plan.candidates[candidateIndex(opcode, a.type)];
    if (rows === undefined) return;
    const row = rows[rows.length - 1];
    if (this.plan.forms.foldsOperand[row] === 0 || this.foldsInto(b, row, value)) return;
    if (COMMUTES[opcode] !== 0) this.foldsInto(a, row, value);
  }

  private foldsInto(operand: Value, row: number, user: Value): boolean {
    const { forms } = this.plan;
    const { block } = user;
    if (block === null || !isOnlyUse(operand, block) || this.folded[operand.id] !== 0) return false;
    if (forms.folding(row, operand) < 0) return false;
    if (isWholeLoad(operand.opcode) && !this.isLoadFor(operand, user, block)) return false;
    this.folded[operand.id] = 1;
    const { a } = operand;
    if (a === null || !isScaling(operand) || !isExtension(a) || !isOnlyUse(a, block)) return true;
    const extension = a.opcode === Op.SExt32 ? IndexExtension.Sign : IndexExtension.Zero;
    if (forms.indexed(row, extension, shiftOf(operand)) >= 0) this.folded[a.id] = 1;
    return true;
  }
}

/**
 * Returns the guard that computes and tests the overflow flag of an opcode; null if it is no such
 * flag.
 */
export function guardOfFlag(flag: Opcode): Opcode | null {
  if (flag === Op.AddOverflows) return Op.CheckAdd;
  if (flag === Op.SubOverflows) return Op.CheckSub;
  return flag === Op.MulOverflows ? Op.CheckMul : null;
}
const RESULTS: { readonly [flag: number]: Opcode } = {
  [Op.AddOverflows]: Op.Add,
  [Op.SubOverflows]: Op.Sub,
  [Op.MulOverflows]: Op.Mul,
};

/**
 * The maximum number of consumers that each compare themselves; for more the result is put into a
 * register.
 */
const SHARED_MAX = 4;

/** The maximum distance between a guard on a flag and the result. */
const DISTANCE_MAX = 8;

// Finds the result to which the flag belongs, before or after the guard. If it is before, no value
// up to the guard may use it, nor may the guard's snapshot contain it, since the guard computes it.
function resultBeside(flag: Value, guard: Value, { values }: BasicBlock, at: number): Value | null {
  const isResult = ({ opcode, a, b }: Value): boolean =>
    opcode === RESULTS[flag.opcode] && a === flag.a && b === flag.b;
  for (let i = at + 1; i < Math.min(values.length, at + DISTANCE_MAX); i++) {
    if (isResult(values[i])) return values[i];
  }
  for (let i = at - 1; i >= Math.max(0, at - DISTANCE_MAX); i--) {
    if (!isResult(values[i])) continue;
    for (let k = i + 1; k < at; k++) if (uses(values[k], values[i])) return null;
    return uses(guard, values[i]) ? null : values[i];
  }
  return null;
}

/** Returns whether `user` has the operand, or its snapshot may contain the operand. */
function uses(user: Value, operand: Value): boolean {
  const { a, b, c, rest } = user;
  if (a === operand || b === operand || c === operand || rest?.includes(operand)) return true;
  return (EFFECTS[user.opcode] & EXITS) !== 0 && snapshotLeaves(user.snapshot).includes(operand);
}

const isOnlyUse = (value: Value, block: BasicBlock): boolean =>
  value.uses === 1 && value.block === block;

const isZero = (value: Value): boolean =>
  value.isConstant && (value.constantLow | value.constantHigh) === 0;

const has = (forms: number, extension: IndexExtension, shift: number): boolean =>
  (forms & (1 << indexForm(extension, shift))) !== 0;

export const isExtension = (value: Value): boolean =>
  value.opcode === Op.SExt32 || value.opcode === Op.ZExt32;

/** Returns whether the value is a left shift by an amount by which an index may be scaled. */
export function isScaling(value: Value): boolean {
  const { opcode, type, b } = value;
  if (opcode !== Op.Shl || type !== Int64 || b === null || !b.isConstant) return false;
  return (b.constantLow & 63) > 0 && (b.constantLow & 63) <= SHIFT_MAX;
}
export const shiftOf = (scaling: Value): number => (scaling.b?.constantLow ?? 0) & 63;

/**
 * Returns the operand of an address that is the index: the one that could be scaled or extended.
 */
export function indexOf(sum: Value): Value {
  const { a, b } = sum;
  if (b !== null && (isScaling(b) || isExtension(b))) return b;
  if (a !== null && (isScaling(a) || isExtension(a))) return a;
  return b ?? sum;
}
