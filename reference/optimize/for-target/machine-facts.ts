// Provides facts about a target: the immediates and indices that its instructions take. It reads
// them from the rows that lowering uses.

import { nameOfOpcode, type Opcode } from "../../../src/ir/opcodes.js";
import { nameOfType, TYPE_NAMES, type Type } from "../../../src/ir/types.js";
import { ARM64_TARGET } from "../../arm64/target.js";
import type { ImmediateClass, Target, TargetName } from "../../target/target.js";
import { X64_TARGET } from "../../x64/target.js";

/** The parts of a target that do not depend on its assembler. */
type TargetRows = Pick<Target, "lowering"> & {
  readonly rows: readonly { readonly name: string; readonly immediate: ImmediateClass | null }[];
};

const TARGETS: { readonly [T in TargetName]: TargetRows } = {
  x64: X64_TARGET,
  arm64: ARM64_TARGET,
};

/**
 * True if an instruction for the opcode at that type takes the constant as its immediate. For a
 * load or store the type is that of the value.
 */
export function takesImmediate(
  target: TargetName,
  opcode: Opcode,
  type: Type,
  lo: number,
  hi: number,
): boolean {
  const index = opcode * TYPE_COUNT + type;
  let immediates = known[target][index];
  if (immediates === undefined) {
    immediates = immediatesOf(target, opcode, type);
    known[target][index] = immediates;
  }
  for (let i = 0; i < immediates.length; i++) if (immediates[i].fits(lo, hi)) return true;
  return false;
}

const TYPE_COUNT = TYPE_NAMES.length;
/** The immediate class of each opcode at each type, by target; filled at the first use. */
const known: { readonly [T in TargetName]: (readonly ImmediateClass[])[] } = { x64: [], arm64: [] };

function immediatesOf(target: TargetName, opcode: Opcode, type: Type): ImmediateClass[] {
  const { rows, lowering } = TARGETS[target];
  const names: readonly string[] = lowering[nameOfOpcode(opcode)]?.[nameOfType(type)] ?? [];
  return names.flatMap((name) => rows.find((row) => row.name === name)?.immediate ?? []);
}

/** True if a load or store takes a 64-bit index together with that offset. */
export function takesIndex(
  target: TargetName,
  opcode: Opcode,
  type: Type,
  offset: number,
): boolean {
  const index = opcode * TYPE_COUNT + type;
  let offsets = indexed[target][index];
  if (offsets === undefined) {
    offsets = offsetsBesideIndex(target, opcode, type);
    indexed[target][index] = offsets;
  }
  return offsets?.fits(offset, offset >> 31) === true;
}

/**
 * The class of offsets that an access with an index takes, as in `known`; null if no instruction
 * takes an index.
 */
const indexed: { readonly [T in TargetName]: (ImmediateClass | null)[] } = { x64: [], arm64: [] };

function offsetsBesideIndex(target: TargetName, opcode: Opcode, type: Type): ImmediateClass | null {
  const { rows, lowering } = TARGETS[target];
  const first = lowering[nameOfOpcode(opcode)]?.[nameOfType(type)]?.[0];
  return rows.find((row) => row.name === `${first}.x0`)?.immediate ?? null;
}
