// Enumerates the operands of a procedure, and finds those that a mutation should keep.

import { type ControlFlow, UNREACHABLE } from "../ir/control-flow.js";
import { CALLS, EFFECTS, isTotal, Op, type Opcode } from "../ir/opcodes.js";
import { isAtomic, isMemoryAccess, type Procedure, type Value } from "../ir/procedure.js";
import { isFloating, Void } from "../ir/types.js";
import { addressesOf } from "./mutant.js";

/** An operand of a value: 0 to 2 for a, b, c; from 3 on those of a call or patchpoint. */
export interface OperandUse {
  readonly user: Value;
  readonly index: number;
}
const REST = 3;

export function operandAt({ user, index }: OperandUse): Value | null {
  if (index >= REST) return user.rest?.[index - REST] ?? null;
  return index === 0 ? user.a : index === 1 ? user.b : user.c;
}

export function setOperand({ user, index }: OperandUse, value: Value): void {
  if (index >= REST) user.rest?.splice(index - REST, 1, value);
  else if (index === 0) user.a = value;
  else if (index === 1) user.b = value;
  else user.c = value;
}

export function operandsOf(user: Value): OperandUse[] {
  const operands: OperandUse[] = [];
  for (let index = 0; index < REST + (user.rest?.length ?? 0); index++) {
    if (operandAt({ user, index }) !== null) operands.push({ user, index });
  }
  return operands;
}

/**
 * The operands that a procedure's definedness and end depend on. This is a heuristic: numbers are
 * also loaded from memory, and a divisor may be non-zero for any reason; only running the program
 * decides.
 */
export class PinnedOperands {
  private readonly isAddress: Uint8Array;
  /**
   * By id: the pinned operands of the value, bit i for operand i; from REST on, one bit stands for
   * all.
   */
  private readonly operands: Uint8Array;
  /** By id: 1 if the value is a pinned operand of some other value. */
  private readonly values: Uint8Array;
  private readonly proc: Procedure;

  constructor(proc: Procedure, flow: ControlFlow) {
    this.proc = proc;
    this.isAddress = addressesOf(proc);
    this.operands = new Uint8Array(proc.valueIdEnd);
    this.values = new Uint8Array(proc.valueIdEnd);
    const writers = upsilonsOf(proc);
    const work: Value[] = [];
    const pin = (operand: OperandUse): void => {
      const { user, index } = operand;
      const value = operandAt(operand);
      this.operands[user.id] |= 1 << Math.min(index, REST);
      if (value === null || this.values[value.id] === 1) return;
      this.values[value.id] = 1;
      work.push(value);
    };
    for (const block of flow.order) {
      const isCyclic = inCycle(flow, block.index);
      for (const value of block.values) {
        for (const operand of operandsOf(value)) if (isRoot(operand, isCyclic)) pin(operand);
      }
    }
    for (let value = work.pop(); value !== undefined; value = work.pop()) {
      for (const upsilon of writers.get(value) ?? []) pin({ user: upsilon, index: 0 });
      if (isMemoryAccess(value) || (EFFECTS[value.opcode] & CALLS) !== 0) continue;
      const mask = value.opcode === Op.BitAnd && value.b?.isConstant ? value.b : null;
      for (const operand of operandsOf(value)) {
        // An operand that is masked may be any number: only the mask is pinned.
        if (mask === null || operandAt(operand) === mask) pin(operand);
      }
    }
  }

  /** Operands that may be replaced by any value of their type. */
  freeOperands(users: readonly Value[]): OperandUse[] {
    return users.flatMap(operandsOf).filter((operand) => this.isFree(operand));
  }

  isFree(operand: OperandUse): boolean {
    const { user, index } = operand;
    const value = operandAt(operand);
    if (value === null || value.type === Void || this.isAddress[value.id] === 1) return false;
    if (user.opcode === Op.Extract) return false; // only a call has further results
    const parameter = user.patchpoint?.parameters[index - REST];
    if (parameter?.place === "constant") return false;
    return ((this.operands[user.id] >> Math.min(index, REST)) & 1) === 0;
  }

  /** True if no pinned operand is the value. */
  isFreeValue({ id }: Value): boolean {
    return this.values[id] === 0 && this.isAddress[id] === 0;
  }

  /** Parameters that accesses use directly: the heap base, in most procedures. */
  heapBase(): Value | null {
    for (const { values } of this.proc.blocks) {
      for (const value of values) {
        if (!isMemoryAccess(value)) continue;
        if (value.address.opcode === Op.Parameter) return value.address;
      }
    }
    return null;
  }
}

function isRoot(operand: OperandUse, isCyclic: boolean): boolean {
  const { user, index } = operand;
  const value = operandAt(operand);
  if (isAtomic(user)) return value === user.address;
  if (isMemoryAccess(user)) return value === user.address && index < 2;
  if (user.opcode === Op.Branch || user.opcode === Op.Switch) return isCyclic;
  const { patchpoint } = user;
  if (patchpoint !== null) return !patchpoint.isTotal && index === REST;
  const isPartial = PARTIAL.includes(user.opcode) && value !== null;
  return isPartial && !isTotal(user.opcode, user.type);
}
const PARTIAL: readonly Opcode[] = [Op.Div, Op.Mod, Op.UDiv, Op.UMod, Op.FloorMod];

function upsilonsOf(proc: Procedure): ReadonlyMap<Value, Value[]> {
  const writers = new Map<Value, Value[]>();
  proc.forEachValue((value) => {
    if (value.opcode !== Op.Upsilon) return;
    const others = writers.get(value.phi);
    if (others === undefined) writers.set(value.phi, [value]);
    else others.push(value);
  });
  return writers;
}

/** True if the block can reach itself. */
function inCycle({ order, position }: ControlFlow, index: number): boolean {
  const start = order[position[index]];
  if (start === undefined || position[index] === UNREACHABLE) return false;
  const seen = new Set(start.successors);
  for (const block of seen) for (const next of block.successors) seen.add(next);
  return seen.has(start);
}

/** True if the user uses no bits of a NaN, and passes on none that were specified before. */
export const takesAnyNaN = ({ opcode }: Value): boolean => LOOSE.has(opcode);
/** True if the result may be an open NaN, whatever the operands are. */
export const givesAnyNaN = ({ opcode, type }: Value): boolean =>
  isFloating(type) && ARITHMETIC.has(opcode);

// biome-ignore format: a table
const ARITHMETIC = new Set<Opcode>([
  Op.Add, Op.Sub, Op.Mul, Op.Div, Op.Mod, Op.Sqrt, Op.Ceil, Op.Floor, Op.FTrunc, Op.Nearest, Op.FMin, Op.FMax, Op.FusedMulAdd,
  Op.FloatToDouble, Op.DoubleToFloat,
]);
// biome-ignore format: a table
const LOOSE = new Set<Opcode>([
  ...ARITHMETIC, Op.PurifyNaN, Op.ToInt32, Op.CheckToInt32, Op.TruncS32, Op.TruncU32, Op.TruncS64, Op.TruncU64,
  Op.Equal, Op.NotEqual, Op.LessThan, Op.GreaterThan, Op.LessEqual, Op.GreaterEqual, Op.EqualOrUnordered,
]);
