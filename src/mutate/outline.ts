// Replaces a stretch by a procedure and a call: a mutation.

import { copyValue } from "../ir/clone.js";
import { Op } from "../ir/opcodes.js";
import {
  type BasicBlock,
  forEachOperand,
  forEachSlotValue,
  Procedure,
  rewriteSlots,
  type Value,
} from "../ir/procedure.js";
import { Void } from "../ir/types.js";
import { addressesOf, freshName, type MutationInput, pickBlock } from "./mutant.js";
import { operandAt, operandsOf, setOperand } from "./operands.js";
import { isMovable, pickStretch } from "./stretch.js";

/** Replaces a stretch with one live result by a procedure and a call of it. */
export function outline(mutant: MutationInput): boolean {
  const { source, module } = mutant;
  const { proc, block } = pickBlock(mutant);
  const stretch = pickStretch(source, block);
  if (stretch === null) return false;
  const values = block.values.slice(stretch.from, stretch.to);
  // Constants stay in place, and the new procedure gets copies of them, because some operands must
  // be constants.
  const [constants, inside] = partition(values, ({ isConstant }) => isConstant);
  const isAddress = addressesOf(proc);
  if (inside.length === 0 || inside.some((value) => !isMovable(value, isAddress))) return false;
  const outputs = usedOutside(proc, inside);
  if (outputs.length > 1) return false;
  const [output] = outputs;
  const callee = new Procedure(freshName(module, "outlined"), output?.type ?? Void);
  const args: Value[] = [];
  const twins = new Map<Value, Value>();
  const entry = callee.newBlock();
  const seen = (operand: Value): Value => {
    const known = twins.get(operand);
    if (known !== undefined) return known;
    const twin = operand.isConstant ? constantIn(entry, callee, operand) : parameter(operand);
    twins.set(operand, twin);
    return twin;
  };
  const parameter = (operand: Value): Value => {
    args.push(operand);
    return callee.newParameter(operand.type);
  };
  for (const value of inside) {
    const copy = copyValue(callee, value, seen);
    entry.append(copy);
    twins.set(value, copy);
  }
  entry.append(callee.newValue(Op.Return, Void, output && seen(output)));
  const call = proc.newValue(Op.CCall, callee.result);
  call.extra = callee;
  call.rest = args;
  call.block = block;
  block.values.splice(stretch.from, values.length, ...constants, call);
  if (output !== undefined) replaceUses(proc, output, call);
  module.procedures.push(callee);
  return true;
}

function partition<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}

function constantIn(
  entry: BasicBlock,
  callee: Procedure,
  { type, constantLow: lo, constantHigh: hi }: Value,
): Value {
  return entry.append(callee.newConstant(type, lo, hi));
}

/** Returns the values of the stretch that are used outside it. */
function usedOutside(proc: Procedure, inside: readonly Value[]): Value[] {
  const own = new Set(inside);
  const used = new Set<Value>();
  const use = (operand: Value): void => {
    if (own.has(operand)) used.add(operand);
  };
  proc.forEachValue((value) => {
    if (!own.has(value)) forEachOperand(value, use);
  });
  for (const snapshot of proc.snapshots) forEachSlotValue(snapshot, use);
  return [...used];
}

function replaceUses(proc: Procedure, old: Value, other: Value): void {
  proc.forEachValue((user) => {
    for (const operand of operandsOf(user)) {
      if (operandAt(operand) === old) setOperand(operand, other);
    }
  });
  for (const snapshot of proc.snapshots) {
    rewriteSlots(snapshot, (value) => (value === old ? other : value));
  }
}
