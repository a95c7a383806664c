// Defines the tables of the formats, which map each opcode and type of the first operand to a text.
// Each format defines the syntax of its texts.

import { nameOfOpcode, OPCODE_NAMES, type Opcode, type OpcodeName } from "../ir/opcodes.js";
import { nameOfType, type Type } from "../ir/types.js";
import { assert } from "../support/assert.js";
import type { Expandable } from "./expand.js";

type TypeColumn = "Int32" | "Int64" | "Float" | "Double" | "all";
export type ByType<T> = Partial<Readonly<Record<TypeColumn, T>>>;
/** The text of one opcode, by type. */
export type OpcodeRow = ByType<string>;
export type RowTable<R> = Readonly<Partial<Record<OpcodeName, R>>>;

export const all = (text: string): OpcodeRow => ({ all: text });
export const integers = (text: string): OpcodeRow => ({ Int32: text, Int64: text });
export const floats = (text: string): OpcodeRow => ({ Float: text, Double: text });

type AtomicName = Extract<OpcodeName, `Atomic${string}`>;

/** Opcodes that no format has. A guard becomes a computed condition and a branch. */
export const LACKING_EVERYWHERE: readonly Expandable[] = [
  ...OPCODE_NAMES.filter((name): name is AtomicName => name.startsWith("Atomic")),
  "Allocate",
  "Depend",
  "FloorMod",
  "ToInt32",
  "CheckAdd",
  "CheckSub",
  "CheckMul",
  "CheckToInt32",
  "CheckToInt32Exact",
];

/**
 * Returns the entry of a table for an opcode whose first operand has this type. An error names the
 * `format`.
 */
export function entryOf<T>(
  format: string,
  table: RowTable<ByType<T>>,
  opcode: Opcode,
  type: Type,
): T {
  const row = table[nameOfOpcode(opcode)];
  const name = nameOfType(type);
  const entry = (name === "Void" ? undefined : row?.[name]) ?? row?.all;
  assert(entry !== undefined, () => `${format}: ${nameOfOpcode(opcode)} of ${name} has no row`);
  return entry;
}
