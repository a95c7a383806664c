// Defines the tables of the formats, which map each opcode and type of the first operand to a text.
// Each format defines the syntax of its texts.

import { nameOfOpcode, type Opcode, type OpcodeName, specOf } from "../ir/opcodes.js";
import { nameOfType, type Type } from "../ir/types.js";
import { assert } from "../support/assert.js";
import { ATOMIC_EXPANSIONS, OPCODE_EXPANSIONS } from "./expansions.js";

type TypeColumn = "Int32" | "Int64" | "Float" | "Double" | "all";
export type ByTypeColumn<T> = Partial<Readonly<Record<TypeColumn, T>>>;
/** The text of one opcode, by type. */
export type OpcodeRow = ByTypeColumn<string>;
export type RowTable<R> = Readonly<Partial<Record<OpcodeName, R>>>;

export const all = (text: string): OpcodeRow => ({ all: text });
export const integers = (text: string): OpcodeRow => ({ Int32: text, Int64: text });
export const floats = (text: string): OpcodeRow => ({ Float: text, Double: text });

/** Opcodes with an expansion. */
const EXPANDABLE: ReadonlySet<string> = new Set(
  Object.keys({ ...OPCODE_EXPANSIONS, ...ATOMIC_EXPANSIONS }).map((key) => key.split(".")[0]),
);

/** Returns the opcodes that are expanded for a format, since its table has no row for them. */
export const lackingOf = (table: Readonly<Record<string, unknown>>): ReadonlySet<string> =>
  new Set([...EXPANDABLE].filter((name) => table[name] === undefined));

/**
 * Returns the entry of a table for an opcode whose first operand has this type. An error names the
 * `format`.
 */
export function entryOf<T>(
  format: string,
  table: RowTable<ByTypeColumn<T>>,
  opcode: Opcode,
  type: Type,
): T {
  const row = table[nameOfOpcode(opcode)];
  const name = nameOfType(type);
  const entry = (name === "Void" ? undefined : row?.[name]) ?? row?.all;
  assert(entry !== undefined, () => `${format}: ${nameOfOpcode(opcode)} of ${name} has no row`);
  return entry;
}

// biome-ignore format: a table
const ACCESSES: RowTable<OpcodeRow> = {
  Load8Z: all("load8z"), Load8S: all("load8s"), Load16Z: all("load16z"), Load16S: all("load16s"),
  Load: all("load"), LoadInvariant: all("load"), LoadVolatile: all("load"),
  Store8: all("store8"), Store16: all("store16"), Store: all("store"),
};

/**
 * Returns the name of the function that loads or stores, in a format with such functions. The name of an access to a
 * whole value ends in a suffix.
 * @param type the type of the loaded or stored value
 */
export function accessNamed(
  format: string,
  opcode: Opcode,
  type: Type,
  suffixOf: (type: Type) => string,
): string {
  const access = entryOf(format, ACCESSES, opcode, type);
  return specOf(opcode).bytes === undefined ? `${access}${suffixOf(type)}` : access;
}

/** Suffixes of short names of accesses, by type. */
const LETTERS = ["", "32", "64", "f", "d"];
export const letterOf = (type: Type): string => LETTERS[type];

/**
 * Opcodes whose floating-point result has open bits if it is a NaN. In a format whose numbers cannot contain the bits of
 * a NaN, the result is always a number.
 */
export const NUMBER_RESULTS: ReadonlySet<string> = new Set([
  ...["Add", "Sub", "Mul", "Div", "Mod", "Ceil", "Floor", "FTrunc", "Nearest", "Sqrt"],
  ...["FMin", "FMax", "IToD", "IToF", "UToD", "UToF", "FloatToDouble", "DoubleToFloat"],
]);
