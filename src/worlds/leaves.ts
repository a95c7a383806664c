// Defines the leaves of an expression: an operand, a constant or a load.

import { drawBoundary } from "../generate/maker/constants.js";
import { chance } from "../generate/maker/odds.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, isWide, type Type } from "../ir/types.js";
import { type WordPair, wideWords } from "../ir/words.js";
import { type ArrangementCode, arrangementsOf } from "./arrangements.js";
import { loadOperand, OPERANDS, type WorldSite } from "./world.js";

type OperandLeaf =
  | { readonly kind: "constant"; readonly words: WordPair }
  | { readonly kind: "load"; readonly opcode: Opcode }
  /** A constant or load that the round draws. */
  | { readonly kind: "drawn" }
  | { readonly kind: "drawn load" };

const words32 = (numbers: readonly number[]): WordPair[] => numbers.map((x) => [x | 0, 0]);
const words64 = (numbers: readonly bigint[]): WordPair[] => numbers.map(wideWords);
const wordsFloat = (numbers: readonly number[]): WordPair[] =>
  words32([...new Int32Array(Float32Array.from(numbers).buffer)]);
const wordsDouble = (numbers: readonly number[]): WordPair[] =>
  words64([...new BigInt64Array(Float64Array.from(numbers).buffer)]);

const SMALL_INTEGERS = [0, 1, -1, 2, -2, 3, 5, 7, 8, 10, 31, 32, 33, 63, 64, 100];
const NARROW_ENDS = [127, 128, -128, 255, 256, 4095, 4096, 0x7fff, 0x8000, 0xffff, 0x10000];
const FINITE = [0, -0, 1, -1, 0.5, -0.5, 2, 3, 0.1, 2.5, 8388608, 2 ** 31, -(2 ** 31), 2 ** 32];
const EXTREMES = [2 ** 53, 2 ** 63, -(2 ** 63), 2 ** 64, 2 ** -149, 2 ** -126];
/**
 * Numbers at and next to the midpoint of two Floats: as integers, for which rounding twice is
 * wrong, and as Doubles.
 */
const WIDE_TIES = [0x4000004000000000n, 0x4000004000000001n, -0x7fffff4000000001n];
const TIES = [1 + 2 ** -24, 1 + 2 ** -24 + 2 ** -52];
const NON_FINITE = [Infinity, -Infinity, Number.NaN];

/** By type: the constants of a world that has few positions. */
const CONSTANTS: readonly (readonly WordPair[])[] = [
  [],
  words32([...SMALL_INTEGERS, ...NARROW_ENDS, 0x7fffffff, 0x80000000, 0x80000001, 0x55555555]),
  words64([
    ...[...SMALL_INTEGERS, ...NARROW_ENDS].map(BigInt),
    ...[0x7fffffffn, 0x80000000n, -0x80000000n, 0xffffffffn, 0x100000000n, -0x100000000n],
    ...[0x7fffffffffffffffn, -0x8000000000000000n, -0x7fffffffffffffffn, 0x5555555555555555n],
    ...WIDE_TIES,
  ]),
  wordsFloat([...FINITE, ...EXTREMES, 3.4028234663852886e38, 16777216, ...NON_FINITE]),
  wordsDouble([
    ...[...FINITE, ...EXTREMES, ...TIES, ...NON_FINITE],
    ...[Number.MAX_VALUE, 2 ** -1074, 2 ** 31 - 1],
  ]),
];

/** The load opcodes that produce a value, by its type. */
const LOADS: readonly (readonly Opcode[])[] = [
  [],
  [Op.Load, Op.Load8Z, Op.Load8S, Op.Load16Z, Op.Load16S],
  [Op.Load],
  [Op.Load],
  [Op.Load],
];

const DRAWN: readonly OperandLeaf[] = [{ kind: "drawn" }, { kind: "drawn load" }];
const constants = (all: readonly WordPair[]): OperandLeaf[] =>
  all.map((words) => ({ kind: "constant", words }));
const few = (words: readonly WordPair[]): OperandLeaf[] => [...constants(words), ...DRAWN];

/** By type, for worlds with this many positions: fewer positions have more leaves. */
const LEAVES = {
  many: CONSTANTS.map((words, type): OperandLeaf[] => [
    ...constants(words),
    ...LOADS[type].map((opcode): OperandLeaf => ({ kind: "load", opcode })),
  ]),
  some: [
    [],
    few(words32([0, -1])),
    few(words64([0n, -1n])),
    few(wordsFloat([-0, 1])),
    few(wordsDouble([-0, 1])),
  ],
  few: CONSTANTS.map(() => DRAWN),
} as const satisfies Record<string, readonly (readonly OperandLeaf[])[]>;
export type LeafSet = keyof typeof LEAVES;
/** The code, in the leaf set `few`, of a constant that the round draws. */
export const DRAWN_CONSTANT: ArrangementCode = OPERANDS;

/** The arrangements of operands and leaves, by leaf set and type. */
export const ARRANGEMENTS = {
  many: LEAVES.many.map(({ length }) => arrangementsOf(length)),
  some: LEAVES.some.map(({ length }) => arrangementsOf(length)),
  few: LEAVES.few.map(({ length }) => arrangementsOf(length)),
} as const;

/** Returns the set for a world with this many operations and positions. */
export function leafSetOf(operations: number, positions: number): LeafSet {
  if (operations === 1 && positions <= 2) return "many";
  return operations <= 2 ? "some" : "few";
}

/** Emits the leaf of the code. */
export function emitLeaf(site: WorldSite, set: LeafSet, type: Type, code: ArrangementCode): Value {
  if (code < OPERANDS) return site.operands[type][code];
  const leaf: OperandLeaf = LEAVES[set][type][code - OPERANDS];
  const { maker, source } = site;
  switch (leaf.kind) {
    case "constant":
      return maker.constantOf(type, ...leaf.words);
    case "load":
      return loadOperand(site, leaf.opcode, type, source.below(OPERANDS));
    case "drawn":
      return maker.constantOf(type, ...drawWords(site, type));
    case "drawn load":
      return loadOperand(
        site,
        LOADS[type][source.below(LOADS[type].length)],
        type,
        source.below(OPERANDS),
      );
  }
}

/** Draws a constant; often 1, which is in more rules than any other constant but 0. */
function drawWords({ source }: WorldSite, type: Type): WordPair {
  if (chance(source, 20)) return ONES[type];
  return drawBoundary(source, type);
}
const ONES: readonly WordPair[] = [Int32, Int32, Int64, Float, Double].map((type) =>
  type === Double ? [0, 0x3ff00000] : type === Float ? [0x3f800000, 0] : [1, 0],
);

/** Draws a constant near one that worlds may contain; inputs draw from these as well. */
export function drawNearConstant(source: WorldSite["source"], type: Type): WordPair {
  const list = CONSTANTS[type];
  const [lo, hi] = list[source.below(list.length)];
  const next = source.below(3) - 1;
  return isWide(type) || next === 0 ? [lo, hi] : [(lo + next) | 0, hi];
}
