// Defines the form `safe-integers`: an Int64 that a number represents exactly is a number, and no
// BigInt. Engines compute such numbers as integers of 52 or 64 bits.
//
// Input:  a procedure without guards (leave-by-blocks.ts).
// Output: the range of each such Int64, and the expressions of operations on numbers.

import { nameOfOpcode, Op, type OpcodeName } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { Int32, Int64 } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import { inputsOfPhis } from "./phi-inputs.js";

/** The least and the greatest value. */
type IntegerRange = readonly [least: number, greatest: number];
export type SafeRanges = ReadonlyMap<Value, IntegerRange>;

const MAX = Number.MAX_SAFE_INTEGER;
const WORD: IntegerRange = [-(2 ** 31), 2 ** 31 - 1];
/** Counts of bits of an Int64. */
const COUNT: IntegerRange = [0, 64];

const isSafe = ([least, greatest]: IntegerRange): boolean => least >= -MAX && greatest <= MAX;
const around = (ends: readonly number[]): IntegerRange => [Math.min(...ends), Math.max(...ends)];
const union = ([a, b]: IntegerRange, [c, d]: IntegerRange): IntegerRange => [
  Math.min(a, c),
  Math.max(b, d),
];

/** Returns the range of a result; null if it is unknown. */
type RangeRule = (
  a: IntegerRange | null,
  b: IntegerRange | null,
  value: Value,
) => IntegerRange | null;

const both =
  (rule: (a: IntegerRange, b: IntegerRange) => IntegerRange): RangeRule =>
  (a, b) =>
    a === null || b === null ? null : rule(a, b);
const always =
  (range: IntegerRange): RangeRule =>
  () =>
    range;

const isWord = ([least, greatest]: IntegerRange): boolean =>
  least >= WORD[0] && greatest <= WORD[1];
const isNatural = ([least]: IntegerRange): boolean => least >= 0;
const words = (a: IntegerRange | null, b: IntegerRange | null): IntegerRange | null =>
  a !== null && b !== null && isWord(a) && isWord(b) ? WORD : null;

/** Returns the constant count of a shift; null if it is unknown. */
const countOf = ({ b }: Value): number | null =>
  b?.opcode === Op.Const32 ? b.constantLow & 63 : null;

// biome-ignore format: a table
const RANGES: Readonly<Partial<Record<OpcodeName, RangeRule>>> = {
  Identity:   (a) => a,
  Opaque:     (a) => a,
  SExt8To64:  always([-128, 127]),
  SExt16To64: always([-32768, 32767]),
  SExt32:     always(WORD),
  ZExt32:     always([0, 2 ** 32 - 1]),
  Clz:        always(COUNT),
  Ctz:        always(COUNT),
  PopCnt:     always(COUNT),
  Add: both((a, b) => [a[0] + b[0], a[1] + b[1]]),
  Sub: both((a, b) => [a[0] - b[1], a[1] - b[0]]),
  Mul: both((a, b) => around(a.flatMap((x) => b.map((y) => x * y)))),
  Neg: (a) => a && [-a[1], -a[0]],
  Min: both((a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1])]),
  Max: both((a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1])]),
  // An operand that is not negative bounds the result.
  BitAnd: (a, b) => {
    const ends = [a, b].flatMap((range) => (range !== null && range[0] >= 0 ? range[1] : []));
    return ends.length === 0 ? words(a, b) : [0, Math.min(...ends)];
  },
  BitOr:  (a, b) => words(a, b),
  BitXor: (a, b) => words(a, b),
  Shl: (a, _, value) => {
    const count = countOf(value);
    return a && count !== null ? [a[0] * 2 ** count, a[1] * 2 ** count] : null;
  },
  SShr: (a, _, value) => {
    const count = countOf(value);
    if (count === null) return a && around([...a, 0]);
    const [least, greatest] = a ?? [-(2 ** 63), 2 ** 63];
    return [Math.floor(least / 2 ** count), Math.floor(greatest / 2 ** count)];
  },
  ZShr: (a, _, value) => {
    if (a !== null && a[0] >= 0) return [0, a[1]];
    const count = countOf(value);
    return count === null ? null : [0, 2 ** (64 - count) - 1];
  },
  Div: (a) => a && around([...a, -a[0], -a[1]]),
  Mod: both(([least, greatest], b) => {
    const most = Math.max(Math.abs(b[0]), Math.abs(b[1]));
    return [least < 0 ? -most : 0, greatest > 0 ? most : 0];
  }),
};

/** The passes over the values before a Phi whose range still grows has none. */
const PASSES = 4;

/** Returns the ranges of all Int64 values that numbers represent exactly. Constants have none. */
export function safeRanges(proc: Procedure): SafeRanges {
  const values = proc.blocks.flatMap(({ values: own }) => own);
  const phiInputs = inputsOfPhis(proc);
  // Absent: no range yet, so the value is not reached; null: unknown.
  const ranges = new Map<Value, IntegerRange | null>();
  const rangeOf = (value: Value | null): IntegerRange | null | undefined => {
    if (value === null || value.opcode === Op.Parameter) return null;
    if (value.isConstant) return constantRange(value);
    return value.type === Int32 ? WORD : ranges.get(value);
  };
  const computed = (value: Value): IntegerRange | null | undefined => {
    const { opcode, a, b, c } = value;
    if (opcode === Op.Phi || opcode === Op.Select) {
      const inputs = opcode === Op.Phi ? (phiInputs.get(value) ?? []) : [b, c];
      // A Phi may be reached without an Upsilon, and is 0 then.
      const start: IntegerRange | undefined = opcode === Op.Phi ? [0, 0] : undefined;
      return inputs.map(rangeOf).reduce((sum, range) => {
        if (sum === undefined || range === undefined) return sum === undefined ? range : sum;
        return sum === null || range === null ? null : union(sum, range);
      }, start);
    }
    const rule = RANGES[nameOfOpcode(opcode)];
    if (rule === undefined) return null;
    const [first, second] = [rangeOf(a), b === null ? null : rangeOf(b)];
    return first === undefined || second === undefined ? undefined : rule(first, second, value);
  };
  const wide = values.filter(({ type, isConstant }) => type === Int64 && !isConstant);
  for (let pass = 0, changed = true; changed; pass++) {
    changed = false;
    for (const value of wide) {
      const before = ranges.get(value);
      if (before === null) continue;
      let range = computed(value);
      if (range === undefined) continue;
      if (range !== null && !isSafe(range)) range = null;
      if (range !== null && before !== undefined) {
        if (range[0] >= before[0] && range[1] <= before[1]) continue;
        range = pass < PASSES ? union(range, before) : null;
      }
      ranges.set(value, range);
      changed = true;
    }
  }
  return new Map([...ranges].flatMap(([value, range]) => (range === null ? [] : [[value, range]])));
}

/** Returns null also for an address, which is no number yet. */
function constantRange({ opcode, constantLow, constantHigh }: Value): IntegerRange | null {
  if (opcode === Op.Const32) return [constantLow | 0, constantLow | 0];
  if (opcode !== Op.Const64) return null;
  const number = Number(BigInt.asIntN(64, wideBits(constantLow, constantHigh)));
  return Number.isSafeInteger(number) ? [number, number] : null;
}

/** An expression of numbers, and a condition that the ranges of its Int64 operands must fulfil. */
type NumberRow = readonly [text: string, holds?: (a: IntegerRange, b: IntegerRange) => boolean];

const naturals = (a: IntegerRange, b: IntegerRange): boolean => isNatural(a) && isNatural(b);

// Products, quotients and remainders add 0, since the result may be -0. `POWER` is two to the power of a
// constant count.
// biome-ignore format: a table
const ROWS: Readonly<Partial<Record<OpcodeName, NumberRow>>> = {
  Identity:   ["$0"],
  Opaque:     ["$0"],
  SExt8To64:  ["$0 << 24 >> 24"],
  SExt16To64: ["$0 << 16 >> 16"],
  SExt32:     ["$0"],
  ZExt32:     ["$0 >>> 0"],
  Add:    ["$0 + $1"],
  Sub:    ["$0 - $1"],
  Mul:    ["$0 * $1 + 0"],
  Div:    ["Math.trunc($0 / $1) + 0"],
  Mod:    ["$0 % $1 + 0"],
  Neg:    ["0 - $0"],
  Min:    ["Math.min($0, $1)"],
  Max:    ["Math.max($0, $1)"],
  BitAnd: ["$0 & $1", (a, b) => isWord(a) && isWord(b) || isNatural(a) && isWord(a) || isNatural(b) && isWord(b)],
  BitOr:  ["$0 | $1", (a, b) => isWord(a) && isWord(b)],
  BitXor: ["$0 ^ $1", (a, b) => isWord(a) && isWord(b)],
  Shl:    ["$0 * POWER"],
  SShr:   ["Math.floor($0 / POWER)"],
  ZShr:   ["Math.floor($0 / POWER)", (a) => isNatural(a)],
  Trunc:     ["$0 | 0"],
  TruncHigh: ["Math.floor($0 / 4294967296)"],
  IToD:      ["$0"],
  IToF:      ["Math.fround($0)"],
  Equal:        ["$0 === $1 ? 1 : 0"],
  NotEqual:     ["$0 !== $1 ? 1 : 0"],
  LessThan:     ["$0 < $1 ? 1 : 0"],
  GreaterThan:  ["$0 > $1 ? 1 : 0"],
  LessEqual:    ["$0 <= $1 ? 1 : 0"],
  GreaterEqual: ["$0 >= $1 ? 1 : 0"],
  Select:     ["$0 !== 0 ? $1 : $2"],
  Below:      ["$0 < $1 ? 1 : 0", naturals],
  Above:      ["$0 > $1 ? 1 : 0", naturals],
  BelowEqual: ["$0 <= $1 ? 1 : 0", naturals],
  AboveEqual: ["$0 >= $1 ? 1 : 0", naturals],
};

const SHIFTS: ReadonlySet<number> = new Set([Op.Shl, Op.SShr, Op.ZShr]);

/**
 * Returns the expression of an operation on numbers; null if an operand or the result may be another
 * Int64, or if the operation has no Int64.
 * @param textOf returns an Int32, or the variable of an Int64
 */
export function inNumbers(
  value: Value,
  safe: SafeRanges,
  textOf: (operand: Value) => string,
): string | null {
  const { opcode, a, b, c, type } = value;
  const row = ROWS[nameOfOpcode(opcode)];
  if (row === undefined || a === null) return null;
  if (type === Int64 ? !safe.has(value) : a.type !== Int64) return null;
  const [text, holds] = row;
  const rangeOf = (operand: Value): IntegerRange | null =>
    operand.isConstant ? constantRange(operand) : (safe.get(operand) ?? null);
  const isShift = SHIFTS.has(opcode);
  const operands = isShift ? [a] : [a, b, c].filter((operand) => operand !== null);
  const ranges = operands.flatMap((operand) => {
    const range = operand.type === Int32 ? WORD : rangeOf(operand);
    return range === null ? [] : [range];
  });
  const [first, second = WORD] = ranges;
  if (ranges.length < operands.length || holds?.(first, second) === false) return null;
  const count = isShift ? countOf(value) : 0;
  if (count === null) return null;
  return text
    .replace("POWER", String(2 ** count))
    .replace(/\$(\d)/g, (_, n) => numberOf(operands[Number(n)], textOf));
}

/** Returns the number of an operand. A negative constant has parentheses. */
function numberOf(operand: Value, textOf: (operand: Value) => string): string {
  if (!operand.isConstant || operand.type === Int32) return textOf(operand);
  const [number] = constantRange(operand) ?? [0];
  return number < 0 ? `(${number})` : String(number);
}

/** Returns the number of a BigInt. */
export function asNumber(text: string): string {
  const known = /^(?:BigInt\(([\w.[\]]+)\)|\(?(-?\d+)n\)?)$/.exec(text);
  return known === null ? `Number(${text})` : (known[1] ?? known[2]);
}
