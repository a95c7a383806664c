// The condition codes that lowering passes to the targets, by number.

import { Op, type Opcode } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import { isFloating, type Type } from "../../src/ir/types.js";

// biome-ignore format: a table
export const CONDITION_NAMES = [
  "eq", "ne", "lt", "gt", "le", "ge", "above", "below", "aboveEqual", "belowEqual",
  // For floats: false for a NaN, except `fne` and `fequ`.
  "feq", "fne", "flt", "fgt", "fle", "fge", "fequ",
  // Their negations: true for a NaN, except `fone` (ordered, and not equal).
  "fnlt", "fngt", "fnle", "fnge", "fone",
] as const;
export type ConditionName = (typeof CONDITION_NAMES)[number];

// The cast holds because each name becomes a key.
export const ConditionCode = Object.fromEntries(CONDITION_NAMES.map((name, i) => [name, i])) as {
  readonly [C in ConditionName]: number;
};

const { eq, ne, lt, gt, le, ge, above, below, aboveEqual, belowEqual } = ConditionCode;
const { feq, fne, flt, fgt, fle, fge, fequ } = ConditionCode;
const { fnlt, fngt, fnle, fnge, fone } = ConditionCode;

const NONE = -1;
// biome-ignore format: a table
const ROWS: readonly (readonly [opcode: Opcode, ofIntegers: number, ofFloats: number])[] = [
  [Op.Equal,            eq,         feq],
  [Op.NotEqual,         ne,         fne],
  [Op.LessThan,         lt,         flt],
  [Op.GreaterThan,      gt,         fgt],
  [Op.LessEqual,        le,         fle],
  [Op.GreaterEqual,     ge,         fge],
  [Op.Above,            above,      NONE],
  [Op.Below,            below,      NONE],
  [Op.AboveEqual,       aboveEqual, NONE],
  [Op.BelowEqual,       belowEqual, NONE],
  [Op.EqualOrUnordered, NONE,       fequ],
];

/**
 * Returns the condition code of a comparison opcode on operands of that type; -1 if the opcode does
 * not compare.
 */
export function conditionOf(opcode: Opcode, type: Type): number {
  const pair = BY_OPCODE[opcode];
  return pair === undefined ? NONE : pair[isFloating(type) ? 1 : 0];
}
const BY_OPCODE: (readonly [number, number])[] = [];
for (const [opcode, ofIntegers, ofFloats] of ROWS) BY_OPCODE[opcode] = [ofIntegers, ofFloats];

/** `x c y` is `y swapped(c) x`. */
// biome-ignore format: a table
export const SWAPPED = table({
  [eq]: eq, [ne]: ne, [lt]: gt, [gt]: lt, [le]: ge, [ge]: le,
  [above]: below, [below]: above, [aboveEqual]: belowEqual, [belowEqual]: aboveEqual,
  [feq]: feq, [fne]: fne, [flt]: fgt, [fgt]: flt, [fle]: fge, [fge]: fle, [fequ]: fequ,
  [fnlt]: fngt, [fngt]: fnlt, [fnle]: fnge, [fnge]: fnle, [fone]: fone,
});

/** The condition code that holds exactly if the other does not. */
// biome-ignore format: a table
export const NEGATED = table({
  [eq]: ne, [ne]: eq, [lt]: ge, [ge]: lt, [gt]: le, [le]: gt,
  [above]: belowEqual, [belowEqual]: above, [below]: aboveEqual, [aboveEqual]: below,
  [feq]: fne, [fne]: feq, [fequ]: fone, [fone]: fequ,
  [flt]: fnlt, [fnlt]: flt, [fgt]: fngt, [fngt]: fgt, [fle]: fnle, [fnle]: fle, [fge]: fnge, [fnge]: fge,
});

/** Returns whether the value is the negation of a comparison, its first operand. */
export function isNegation({ opcode, a, b }: Value): boolean {
  if (opcode !== Op.Equal || a === null || b === null || a.a === null) return false;
  const isZero = b.opcode === Op.Const32 && b.constantLow === 0;
  return isZero && conditionOf(a.opcode, a.a.type) !== NONE;
}

function table(rows: Readonly<Record<number, number>>): Int8Array {
  return Int8Array.from(CONDITION_NAMES, (_, i) => rows[i] ?? NONE);
}
