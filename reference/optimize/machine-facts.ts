// What phases for one target ask about it: which immediates its instructions take. The answers come
// from the rows that lowering uses, so nothing is said twice.

import type { Opcode } from "../../src/ir/opcodes.js";
import { nameOfOpcode } from "../../src/ir/opcodes.js";
import { nameOfType, type Type } from "../../src/ir/types.js";
import { ARM64_TARGET } from "../arm64/target.js";
import type { ImmediateClass, LoweringTable, Target, TargetName } from "../lower/target.js";
import { X64_TARGET } from "../x64/target.js";

/** What lowering needs of a target, whatever its assembler. */
type Rows = Pick<Target, "lowering"> & {
  readonly rows: readonly { readonly name: string; readonly immediate: ImmediateClass | null }[];
};

const TARGETS: { readonly [T in TargetName]: Rows } = { x64: X64_TARGET, arm64: ARM64_TARGET };

/**
 * True if an instruction that the opcode becomes at that type (of a load or store: of the value)
 * takes the constant as its immediate.
 */
export function takesImmediate(
  target: TargetName,
  opcode: Opcode,
  type: Type,
  lo: number,
  hi: number,
): boolean {
  const { rows, lowering } = TARGETS[target];
  const table: LoweringTable = lowering;
  const names = table[nameOfOpcode(opcode)]?.[nameOfType(type)] ?? [];
  return names.some((name) => {
    const immediate = rows.find((row) => row.name === name)?.immediate ?? null;
    return immediate?.fits(lo, hi) === true;
  });
}

/** True if a load or store takes an index of 64 bits beside that offset. */
export function takesIndex(
  target: TargetName,
  opcode: Opcode,
  type: Type,
  offset: number,
): boolean {
  const { rows, lowering } = TARGETS[target];
  const table: LoweringTable = lowering;
  const [first] = table[nameOfOpcode(opcode)]?.[nameOfType(type)] ?? [];
  const indexed = rows.find((row) => row.name === `${first}.x0`);
  return indexed?.immediate?.fits(offset, offset >> 31) === true;
}
