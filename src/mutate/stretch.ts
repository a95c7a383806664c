// Selects stretches: consecutive values of a block.

import { CALLS, EFFECTS, EXITS, Op, type Opcode } from "../ir/opcodes.js";
import { type BasicBlock, furtherOf, gatherExtracts, type Value } from "../ir/procedure.js";
import type { ChoiceSource } from "../support/source.js";
import { isControl } from "./mutant.js";
import { operandAt, operandsOf } from "./operands.js";

/** Maximum number of values in one stretch. */
const LENGTH = 8;

/** A half-open range of consecutive values of a block, by index. */
interface IndexRange {
  readonly from: number;
  readonly to: number;
}

export const indexAfterPhis = ({ values }: BasicBlock): number =>
  values.findLastIndex(({ opcode }) => opcode === Op.Phi) + 1;

/** Returns a stretch after the block's Phis, without its control value; null if there is none. */
export function pickStretch(source: ChoiceSource, block: BasicBlock): IndexRange | null {
  gatherExtracts(block);
  const { values } = block;
  const first = indexAfterPhis(block);
  const count = values.length - 1 - first;
  if (count < 1) return null;
  const from = first + source.below(count);
  const to = from + 1 + source.below(Math.min(LENGTH, values.length - 1 - from));
  return { from: beforeExtracts(values, from), to: afterExtracts(values, to) };
}

/** Returns the index of the call whose further result is at `at`; otherwise `at`. */
function beforeExtracts(values: readonly Value[], at: number): number {
  let from = at;
  while (values[from].opcode === Op.Extract) from--;
  return from;
}

function afterExtracts(values: readonly Value[], at: number): number {
  let to = at;
  while (values[to].opcode === Op.Extract) to++;
  return to;
}

/**
 * Returns whether the value may move to another procedure of the module. A guard's snapshot belongs
 * to its activation, and so do variables, slots and argument registers. A call stays with its
 * further results.
 */
export function isMovable(value: Value, isAddress: Uint8Array): boolean {
  const { opcode } = value;
  if (opcode === Op.Extract || furtherOf(value).length > 0) return false;
  if (opcode === Op.Upsilon || opcode === Op.Phi || opcode === Op.ArgumentReg) return false;
  if ((EFFECTS[opcode] & EXITS) !== 0 || isControl(value)) return false;
  return usesNoAddress(value, isAddress);
}

/**
 * Returns whether the value may move to another module, where guards get snapshots of their own.
 */
export function isTransferable(value: Value, isAddress: Uint8Array): boolean {
  if (SIMPLE_GUARDS.includes(value.opcode)) return usesNoAddress(value, isAddress);
  const isCall = (EFFECTS[value.opcode] & CALLS) !== 0;
  if (isCall && value.host === null && value.patchpoint?.isTotal !== true) return false;
  return isMovable(value, isAddress);
}
const SIMPLE_GUARDS: readonly Opcode[] = [
  ...[Op.Check, Op.CheckAdd, Op.CheckSub, Op.CheckMul],
  ...[Op.CheckToInt32, Op.CheckToInt32Exact],
];

function usesNoAddress(value: Value, isAddress: Uint8Array): boolean {
  if (isAddress[value.id] === 1) return false;
  return operandsOf(value).every((operand) => isAddress[operandAt(operand)?.id ?? 0] === 0);
}
