// Defines the integer operations at any width, for exhaustive checks at a few bits.
// meanings.test.ts compares them with the oracle at 32 and 64 bits.

import type { OpcodeName } from "../ir/opcodes.js";

/** The bits of the operands, and of the type that stands for Int32. */
interface OperandSizes {
  readonly bits: number;
  readonly word: number;
}

/**
 * Computes the result for signed operands; null if it is undefined, or if the operation exits. The
 * result may need wrapping.
 */
export type SmallMeaning = (x: bigint, y: bigint, sizes: OperandSizes) => bigint | null;

const wrapped = (x: bigint, bits: number): bigint => BigInt.asIntN(bits, x);
const unsigned = (x: bigint, bits: number): bigint => BigInt.asUintN(bits, x);
const countOf = (y: bigint, bits: number): bigint => BigInt(((Number(y) % bits) + bits) % bits);
const flag = (holds: boolean): bigint => (holds ? 1n : 0n);
const leastOf = (bits: number): bigint => -(1n << BigInt(bits - 1));

type ExactFunction = (x: bigint, y: bigint) => bigint;

const exactly =
  (exact: ExactFunction): SmallMeaning =>
  (x, y) =>
    exact(x, y);

const overflows = (exact: ExactFunction, x: bigint, y: bigint, bits: number): boolean =>
  wrapped(exact(x, y), bits) !== exact(x, y);

const overflowFlag =
  (exact: ExactFunction): SmallMeaning =>
  (x, y, { bits }) =>
    flag(overflows(exact, x, y, bits));

const checked =
  (exact: ExactFunction): SmallMeaning =>
  (x, y, { bits }) =>
    overflows(exact, x, y, bits) ? null : exact(x, y);

const sum: ExactFunction = (x, y) => x + y;
const difference: ExactFunction = (x, y) => x - y;
const product: ExactFunction = (x, y) => x * y;

/** Computes with the operands as unsigned numbers. */
const natural =
  (of: (x: bigint, y: bigint) => bigint | null): SmallMeaning =>
  (x, y, { bits }) =>
    of(unsigned(x, bits), unsigned(y, bits));

const isUndefined = (x: bigint, y: bigint, bits: number): boolean =>
  y === 0n || (y === -1n && x === leastOf(bits));

const extended =
  (share: number): SmallMeaning =>
  (x, _y, { word }) =>
    wrapped(x, word / share);

const leadingZeroes = (x: bigint, bits: number): number => {
  const digits = unsigned(x, bits).toString(2);
  return digits === "0" ? bits : bits - digits.length;
};
const trailingZeroes = (x: bigint, bits: number): number =>
  x === 0n ? bits : (unsigned(x, bits).toString(2).match(/0*$/)?.[0].length ?? 0);
const onesOf = (x: bigint, bits: number): number =>
  unsigned(x, bits).toString(2).replaceAll("0", "").length;

// biome-ignore format: a table
export const SMALL_MEANINGS: { readonly [O in OpcodeName]?: SmallMeaning } = {
  Identity:     (x) => x,
  Add:          exactly(sum),
  Sub:          exactly(difference),
  Mul:          exactly(product),
  Neg:          (x) => -x,
  CheckAdd:     checked(sum),
  CheckSub:     checked(difference),
  CheckMul:     checked(product),
  AddOverflows: overflowFlag(sum),
  SubOverflows: overflowFlag(difference),
  MulOverflows: overflowFlag(product),
  AddCarries:   (x, y, { bits }) => flag(unsigned(x, bits) + unsigned(y, bits) >= 1n << BigInt(bits)),
  MulHigh:      (x, y, { bits }) => (x * y) >> BigInt(bits),
  UMulHigh:     (x, y, { bits }) => (unsigned(x, bits) * unsigned(y, bits)) >> BigInt(bits),
  Div:          (x, y, { bits }) => isUndefined(x, y, bits) ? null : x / y,
  ChillDiv:     (x, y) => y === 0n ? 0n : x / y,
  Mod:          (x, y, { bits }) => isUndefined(x, y, bits) ? null : x % y,
  ChillMod:     (x, y) => y === 0n ? 0n : x % y,
  UDiv:         natural((x, y) => y === 0n ? null : x / y),
  UMod:         natural((x, y) => y === 0n ? null : x % y),
  FloorMod:     (x, y, { bits }) => isUndefined(x, y, bits) ? null : ((x % y) + y) % y,
  BitAnd:       exactly((x, y) => x & y),
  BitOr:        exactly((x, y) => x | y),
  BitXor:       exactly((x, y) => x ^ y),
  Shl:          (x, y, { bits }) => x << countOf(y, bits),
  SShr:         (x, y, { bits }) => x >> countOf(y, bits),
  ZShr:         (x, y, { bits }) => unsigned(x, bits) >> countOf(y, bits),
  Clz:          (x, _y, { bits }) => BigInt(leadingZeroes(x, bits)),
  Ctz:          (x, _y, { bits }) => BigInt(trailingZeroes(x, bits)),
  Depend:       () => 0n,
  PopCnt:       (x, _y, { bits }) => BigInt(onesOf(x, bits)),
  Min:          exactly((x, y) => x < y ? x : y),
  Max:          exactly((x, y) => x > y ? x : y),
  UMin:         natural((x, y) => x < y ? x : y),
  UMax:         natural((x, y) => x > y ? x : y),
  SExt8:        extended(4),
  SExt16:       extended(2),
  SExt8To64:    extended(4),
  SExt16To64:   extended(2),
  SExt32:       (x) => x,
  ZExt32:       (x, _y, { word }) => unsigned(x, word),
  Trunc:        (x) => x,
  TruncHigh:    (x, _y, { word }) => x >> BigInt(word),
};
