// Computes intrinsics on scalars (LangRef, "Intrinsic Functions"). A vector is computed lane by lane.

import { truncated } from "./scalars.js";
import { type LlvmScalar, POISON, signed, wrap } from "./values.js";

/** Bits of the first operand, and of the result. */
interface IntrinsicTypes {
  readonly bits: number;
  readonly resultBits: number;
}

type IntegerIntrinsic = (operands: readonly bigint[], types: IntrinsicTypes) => LlvmScalar;
type FloatIntrinsic = (operands: readonly number[]) => number;

const clamp = (value: bigint, least: bigint, most: bigint): bigint =>
  value < least ? least : value > most ? most : value;
const maxUnsigned = (bits: number): bigint => (1n << BigInt(bits)) - 1n;
const maxSigned = (bits: number): bigint => (1n << BigInt(bits - 1)) - 1n;
const saturateSigned = (bits: number, value: bigint): bigint =>
  wrap(bits, clamp(value, -maxSigned(bits) - 1n, maxSigned(bits)));
const saturateUnsigned = (bits: number, value: bigint): bigint =>
  clamp(value, 0n, maxUnsigned(bits));

function leadingZeros(bits: number, x: bigint): number {
  return x === 0n ? bits : bits - x.toString(2).length;
}

function trailingZeros(bits: number, x: bigint): number {
  return x === 0n ? bits : (/0*$/.exec(x.toString(2))?.[0].length ?? 0);
}

function reversed(bits: number, x: bigint, unit: number): bigint {
  let result = 0n;
  const mask = maxUnsigned(unit);
  for (let at = 0; at < bits; at += unit) {
    result = (result << BigInt(unit)) | ((x >> BigInt(at)) & mask);
  }
  return result;
}

function funnel(bits: number, high: bigint, low: bigint, by: bigint, isLeft: boolean): bigint {
  const both = (high << BigInt(bits)) | low;
  const count = by % BigInt(bits);
  return isLeft ? (both << count) >> BigInt(bits) : both >> count;
}

const order = (bits: number, x: bigint, y: bigint, isSigned: boolean): bigint => {
  const [a, b] = isSigned ? [signed(bits, x), signed(bits, y)] : [x, y];
  return a < b ? -1n : a > b ? 1n : 0n;
};

export const INTEGER_INTRINSICS: Readonly<Record<string, IntegerIntrinsic>> = {
  abs: ([x, isPoison], { bits }) => {
    const value = signed(bits, x);
    if (isPoison === 1n && value === -maxSigned(bits) - 1n) return POISON;
    return wrap(bits, value < 0n ? -value : value);
  },
  smax: ([x, y], { bits }) => (signed(bits, x) > signed(bits, y) ? x : y),
  smin: ([x, y], { bits }) => (signed(bits, x) < signed(bits, y) ? x : y),
  umax: ([x, y]) => (x > y ? x : y),
  umin: ([x, y]) => (x < y ? x : y),
  "sadd.sat": ([x, y], { bits }) => saturateSigned(bits, signed(bits, x) + signed(bits, y)),
  "uadd.sat": ([x, y], { bits }) => saturateUnsigned(bits, x + y),
  "ssub.sat": ([x, y], { bits }) => saturateSigned(bits, signed(bits, x) - signed(bits, y)),
  "usub.sat": ([x, y], { bits }) => saturateUnsigned(bits, x - y),
  "sshl.sat": ([x, y], { bits }) =>
    y >= BigInt(bits) ? POISON : saturateSigned(bits, signed(bits, x) << y),
  "ushl.sat": ([x, y], { bits }) => (y >= BigInt(bits) ? POISON : saturateUnsigned(bits, x << y)),
  ctpop: ([x]) => BigInt(x.toString(2).replaceAll("0", "").length),
  ctlz: ([x, isPoison], { bits }) =>
    isPoison === 1n && x === 0n ? POISON : BigInt(leadingZeros(bits, x)),
  cttz: ([x, isPoison], { bits }) =>
    isPoison === 1n && x === 0n ? POISON : BigInt(trailingZeros(bits, x)),
  bswap: ([x], { bits }) => reversed(bits, x, 8),
  bitreverse: ([x], { bits }) => reversed(bits, x, 1),
  fshl: ([x, y, by], { bits }) => wrap(bits, funnel(bits, x, y, by, true)),
  fshr: ([x, y, by], { bits }) => wrap(bits, funnel(bits, x, y, by, false)),
  scmp: ([x, y], { bits, resultBits }) => wrap(resultBits, order(bits, x, y, true)),
  ucmp: ([x, y], { bits, resultBits }) => wrap(resultBits, order(bits, x, y, false)),
  expect: ([x]) => x,
  "ssa.copy": ([x]) => x,
  ptrmask: ([x, mask]) => x & mask,
};

/** The result and the flag of `llvm.NAME.with.overflow`. */
export function withOverflow(name: string, x: bigint, y: bigint, bits: number): [bigint, bigint] {
  const isSigned = name.startsWith("s");
  const [a, b] = isSigned ? [signed(bits, x), signed(bits, y)] : [x, y];
  const exact = name.endsWith("add") ? a + b : name.endsWith("sub") ? a - b : a * b;
  const result = wrap(bits, exact);
  return [result, (isSigned ? signed(bits, result) : result) === exact ? 0n : 1n];
}

export const isOverflowName = (name: string): boolean => /^[su](?:add|sub|mul)$/.test(name);

function roundHalfAway(x: number): number {
  if (!Number.isFinite(x) || Math.abs(x) >= 2 ** 52) return x;
  const whole = Math.trunc(x);
  const rounded = Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}

function roundHalfEven(x: number): number {
  if (!Number.isFinite(x) || Math.abs(x) >= 2 ** 52) return x;
  const floor = Math.floor(x);
  const distance = x - floor;
  const isUp = distance > 0.5 || (distance === 0.5 && floor % 2 !== 0);
  const rounded = isUp ? floor + 1 : floor;
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}

const copySign = (x: number, sign: number): number =>
  (sign < 0 || Object.is(sign, -0)) === (x < 0 || Object.is(x, -0)) ? x : -x;

export const FLOAT_INTRINSICS: Readonly<Record<string, FloatIntrinsic>> = {
  fabs: ([x]) => Math.abs(x),
  sqrt: ([x]) => Math.sqrt(x),
  copysign: ([x, sign]) => copySign(x, sign),
  floor: ([x]) => Math.floor(x),
  ceil: ([x]) => Math.ceil(x),
  trunc: ([x]) => Math.trunc(x),
  rint: ([x]) => roundHalfEven(x),
  nearbyint: ([x]) => roundHalfEven(x),
  roundeven: ([x]) => roundHalfEven(x),
  round: ([x]) => roundHalfAway(x),
  minimum: ([x, y]) => Math.min(x, y),
  maximum: ([x, y]) => Math.max(x, y),
  minnum: ([x, y]) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y)),
  maxnum: ([x, y]) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y)),
  minimumnum: ([x, y]) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y)),
  maximumnum: ([x, y]) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y)),
  canonicalize: ([x]) => x,
  "arithmetic.fence": ([x]) => x,
};

/** Whether the sign of a zero result is open: `minnum` and `maxnum` of zeros of both signs. */
export const isOpenZero = (name: string, [x, y]: readonly number[]): boolean =>
  (name === "minnum" || name === "maxnum") && x === 0 && y === 0 && !Object.is(x, y);

/** `llvm.fptosi.sat` and `llvm.fptoui.sat`. */
export function saturatedInteger(x: number, bits: number, isSigned: boolean): bigint {
  if (Number.isNaN(x)) return 0n;
  const [least, most] = isSigned
    ? [-maxSigned(bits) - 1n, maxSigned(bits)]
    : [0n, maxUnsigned(bits)];
  const exact = truncated(x) ?? (x < 0 ? least : most);
  return wrap(bits, clamp(exact, least, most));
}

/** Bits of `llvm.is.fpclass`. */
export function isOfClass(x: number, mask: number, leastNormal: number): boolean {
  const isNegative = x < 0 || Object.is(x, -0);
  if (Number.isNaN(x)) return (mask & 3) !== 0;
  const magnitude = Math.abs(x);
  const distance =
    magnitude === Infinity ? 0 : magnitude >= leastNormal ? 1 : magnitude > 0 ? 2 : 3;
  return ((mask >> (isNegative ? 2 + distance : 9 - distance)) & 1) === 1;
}

type ReductionStep = (x: bigint, y: bigint, bits: number) => bigint;
export const INTEGER_REDUCTIONS: Readonly<Record<string, ReductionStep>> = {
  add: (x, y, bits) => wrap(bits, x + y),
  mul: (x, y, bits) => wrap(bits, x * y),
  and: (x, y) => x & y,
  or: (x, y) => x | y,
  xor: (x, y) => x ^ y,
  smax: (x, y, bits) => (signed(bits, x) > signed(bits, y) ? x : y),
  smin: (x, y, bits) => (signed(bits, x) < signed(bits, y) ? x : y),
  umax: (x, y) => (x > y ? x : y),
  umin: (x, y) => (x < y ? x : y),
};

/** Intrinsics that have no effect on an execution. */
export const IGNORED =
  /^(?:lifetime\.(?:start|end)|dbg\.\w+|experimental\.noalias\.scope\.decl|donothing|sideeffect|invariant\.(?:start|end)|pseudoprobe|var\.annotation|prefetch|codeview\.annotation)\b/;
