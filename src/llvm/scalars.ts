// Computes each scalar instruction (LangRef, "Binary Operations", "Bitwise Binary Operations", "Conversion
// Operations", "Other Operations"). No operand is poison here: the interpreter handles poison before.

import { UndefinedBehavior } from "./run-error.js";
import { bitSize, type LlvmType } from "./types.js";
import { type LlvmScalar, POISON, signed, wrap } from "./values.js";

type InstructionFlags = ReadonlySet<string>;

type IntegerOperation = (x: bigint, y: bigint, bits: number, flags: InstructionFlags) => LlvmScalar;

/** Returns the wrapped result; poison if a flag excludes the exact one. */
function checked(
  exactUnsigned: bigint,
  exactSigned: bigint,
  bits: number,
  flags: InstructionFlags,
): LlvmScalar {
  const result = wrap(bits, exactUnsigned);
  if (flags.has("nuw") && result !== exactUnsigned) return POISON;
  if (flags.has("nsw") && signed(bits, result) !== exactSigned) return POISON;
  return result;
}

function nonZero(y: bigint): bigint {
  if (y === 0n) throw new UndefinedBehavior("a division by zero");
  return y;
}

function divideSigned(x: bigint, y: bigint, bits: number): [quotient: bigint, rest: bigint] {
  const [dividend, divisor] = [signed(bits, x), nonZero(signed(bits, y))];
  if (divisor === -1n && dividend === -(1n << BigInt(bits - 1)))
    throw new UndefinedBehavior("a division that overflows");
  return [dividend / divisor, dividend % divisor];
}

const INTEGER_OPERATIONS: Readonly<Record<string, IntegerOperation>> = {
  add: (x, y, bits, flags) => checked(x + y, signed(bits, x) + signed(bits, y), bits, flags),
  sub: (x, y, bits, flags) => checked(x - y, signed(bits, x) - signed(bits, y), bits, flags),
  mul: (x, y, bits, flags) => checked(x * y, signed(bits, x) * signed(bits, y), bits, flags),
  udiv: (x, y, _bits, flags) =>
    flags.has("exact") && x % nonZero(y) !== 0n ? POISON : x / nonZero(y),
  urem: (x, y) => x % nonZero(y),
  sdiv: (x, y, bits, flags) => {
    const [quotient, rest] = divideSigned(x, y, bits);
    return flags.has("exact") && rest !== 0n ? POISON : wrap(bits, quotient);
  },
  srem: (x, y, bits) => wrap(bits, divideSigned(x, y, bits)[1]),
  shl: (x, y, bits, flags) => {
    if (y >= BigInt(bits)) return POISON;
    return checked(x << y, signed(bits, x) << y, bits, flags);
  },
  lshr: (x, y, bits, flags) => {
    if (y >= BigInt(bits)) return POISON;
    return flags.has("exact") && (x >> y) << y !== x ? POISON : x >> y;
  },
  ashr: (x, y, bits, flags) => {
    if (y >= BigInt(bits)) return POISON;
    return flags.has("exact") && (x >> y) << y !== x ? POISON : wrap(bits, signed(bits, x) >> y);
  },
  and: (x, y) => x & y,
  or: (x, y, _bits, flags) => (flags.has("disjoint") && (x & y) !== 0n ? POISON : x | y),
  xor: (x, y) => x ^ y,
};

/** Rounds to the type. Sums, products, quotients and square roots of floats may be computed in double. */
export const rounded = (type: LlvmType, x: number): number =>
  type.kind === "float" ? Math.fround(x) : x;

const FLOAT_OPERATIONS: Readonly<Record<string, (x: number, y: number) => number>> = {
  fadd: (x, y) => x + y,
  fsub: (x, y) => x - y,
  fmul: (x, y) => x * y,
  fdiv: (x, y) => x / y,
  frem: (x, y) => x % y,
};

export function binaryOperation(
  opcode: string,
  x: bigint | number,
  y: bigint | number,
  type: LlvmType,
  flags: InstructionFlags,
): LlvmScalar {
  if (typeof x === "bigint" && typeof y === "bigint")
    return INTEGER_OPERATIONS[opcode](x, y, bitSize(type), flags);
  const [left, right] = [Number(x), Number(y)];
  return relaxed(rounded(type, FLOAT_OPERATIONS[opcode](left, right)), [left, right], flags);
}

/** Flags that allow another result than the one of IEEE 754. */
const INEXACT = ["reassoc", "contract", "arcp", "afn", "fast"];

/** Returns the result under fast-math flags: poison where they allow any, or more than one. */
export function relaxed(
  result: number,
  operands: readonly number[],
  flags: InstructionFlags,
): LlvmScalar {
  if (flags.size === 0) return result;
  const all = [...operands, result];
  const has = (flag: string): boolean => flags.has(flag) || flags.has("fast");
  if (has("nnan") && all.some(Number.isNaN)) return POISON;
  if (has("ninf") && all.some((each) => Math.abs(each) === Infinity)) return POISON;
  if (INEXACT.some((flag) => flags.has(flag))) return POISON;
  return has("nsz") && result === 0 ? POISON : result;
}

type IntegerPredicate = (x: bigint, y: bigint, bits: number) => boolean;
const INTEGER_PREDICATES: Readonly<Record<string, IntegerPredicate>> = {
  eq: (x, y) => x === y,
  ne: (x, y) => x !== y,
  ugt: (x, y) => x > y,
  uge: (x, y) => x >= y,
  ult: (x, y) => x < y,
  ule: (x, y) => x <= y,
  sgt: (x, y, bits) => signed(bits, x) > signed(bits, y),
  sge: (x, y, bits) => signed(bits, x) >= signed(bits, y),
  slt: (x, y, bits) => signed(bits, x) < signed(bits, y),
  sle: (x, y, bits) => signed(bits, x) <= signed(bits, y),
};

export function compareIntegers(
  predicate: string,
  x: bigint,
  y: bigint,
  bits: number,
  flags: InstructionFlags,
): LlvmScalar {
  if (flags.has("samesign") && signed(bits, x) < 0n !== signed(bits, y) < 0n) return POISON;
  return INTEGER_PREDICATES[predicate](x, y, bits) ? 1n : 0n;
}

const ORDERED: Readonly<Record<string, (x: number, y: number) => boolean>> = {
  eq: (x, y) => x === y,
  gt: (x, y) => x > y,
  ge: (x, y) => x >= y,
  lt: (x, y) => x < y,
  le: (x, y) => x <= y,
  ne: (x, y) => x < y || x > y,
};

/** @param predicate one of the sixteen of `fcmp` */
export function compareFloats(predicate: string, x: number, y: number): boolean {
  const isUnordered = Number.isNaN(x) || Number.isNaN(y);
  if (predicate === "true" || predicate === "false") return predicate === "true";
  if (predicate === "ord" || predicate === "uno") return isUnordered === (predicate === "uno");
  const order = ORDERED[predicate.slice(1)];
  return predicate.startsWith("u") ? isUnordered || order(x, y) : !isUnordered && order(x, y);
}

export const isFloatPredicate = (predicate: string): boolean =>
  /^(?:true|false|ord|uno|[ou](?:eq|gt|ge|lt|le|ne))$/.test(predicate);

const view = new DataView(new ArrayBuffer(8));

export function bitsOfFloat(type: LlvmType, x: number): bigint {
  if (type.kind === "float") {
    view.setFloat32(0, x);
    return BigInt(view.getUint32(0));
  }
  view.setFloat64(0, x);
  return view.getBigUint64(0);
}

export function floatOfBits(type: LlvmType, bits: bigint): number {
  if (type.kind === "float") {
    view.setUint32(0, Number(bits));
    return view.getFloat32(0);
  }
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

/** Rounds to nearest, ties to even, from any integer. */
export function floatOfInteger(type: LlvmType, x: bigint): number {
  if (type.kind === "double") return Number(x);
  // Number rounds to 53 bits first: an odd last bit keeps what it drops from deciding a tie.
  const magnitude = x < 0n ? -x : x;
  const extra = magnitude.toString(2).length - 53;
  if (extra <= 0) return Math.fround(Number(x));
  const high = magnitude >> BigInt(extra);
  const sticky = magnitude !== high << BigInt(extra) ? 1n : 0n;
  const approximate = Number(high | sticky) * 2 ** extra;
  return Math.fround(x < 0n ? -approximate : approximate);
}

/** Returns the integer toward zero; null for a NaN or an infinity. */
export const truncated = (x: number): bigint | null =>
  Number.isFinite(x) ? BigInt(Math.trunc(x)) : null;
