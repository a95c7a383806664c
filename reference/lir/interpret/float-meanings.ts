// The semantics of LIR instructions on floats, and of conversions from and to integers: the rows
// that both targets have, by one name or each by its own. The bits of a NaN result are open, except
// for instructions that only move bits.

import type { Meaning } from "./lir-machine.js";
import {
  type Binary,
  binary,
  L,
  type MeaningRow,
  Q,
  SD,
  SS,
  type Ternary,
  ternary,
  type Unary,
  unary,
} from "./meaning-kinds.js";

/** Rounds to the nearest integer, ties to even; keeps the sign of a zero. */
function nearest(x: number): number {
  if (!(Math.abs(x) < 2 ** 52)) return x;
  const below = Math.floor(x);
  const above = x - below;
  const isUp = above > 0.5 || (above === 0.5 && below % 2 !== 0);
  const rounded = isUp ? below + 1 : below;
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}

// biome-ignore format: a table
const FLOAT_UNARY: Readonly<Record<string, Unary<number>>> = {
  ceil: Math.ceil, floor: Math.floor, trunc: Math.trunc, nearest, sqrt: Math.sqrt,
};
// biome-ignore format: a table
export const FLOAT_BINARY: Readonly<Record<string, Binary<number>>> = {
  add: (x, y) => x + y, sub: (x, y) => x - y, mul: (x, y) => x * y, div: (x, y) => x / y,
};
// biome-ignore format: a table
const FLOAT_BINARY_ALIKE: Readonly<Record<string, Binary<number>>> = {
  min: Math.min, max: Math.max, fmod: (x, y) => x % y,
};

const SIGN = 0x8000_0000 | 0;
type OnHighWord = (x: number, y: number) => number;
/**
 * Returns rows that change the word with the sign, by the same word of the second operand if there
 * is one.
 */
const signRows = (name: string, f: OnHighWord, hasSecond: boolean): MeaningRow[] => [
  [`${name}ss`, (m) => m.setOnlyLow(0, f(m.low(1), hasSecond ? m.low(2) : 0))],
  [`${name}sd`, (m) => m.setWords(0, m.low(1), f(m.high(1), hasSecond ? m.high(2) : 0))],
];

const purify: MeaningRow[] = [
  ["purifyss", (m) => m.setOnlyLow(0, Number.isNaN(m.single(1)) ? 0x7fc0_0000 : m.low(1))],
  [
    "purifysd",
    (m) => {
      const isOpen = Number.isNaN(m.double(1));
      m.setWords(0, isOpen ? 0 : m.low(1), isOpen ? 0x7ff8_0000 : m.high(1));
    },
  ],
];

/**
 * Every double is a multiple of two to the power of minus this, and every product a multiple of its
 * square.
 */
const PLACES = 1074;

const view = new DataView(new ArrayBuffer(8));
function inPlaces(x: number): bigint {
  view.setFloat64(0, x);
  const field = (view.getUint32(0) >>> 20) & 0x7ff;
  const fraction = BigInt.asUintN(52, view.getBigUint64(0));
  const whole = field === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(field - 1);
  return x < 0 ? -whole : whole;
}

/**
 * Returns x * y + z, rounded once: to this many binary digits, and at most `least` places after the
 * point.
 */
const fused =
  (digits: number, least: number): Ternary<number> =>
  (x, y, z) => {
    if (!Number.isFinite(x) || !Number.isFinite(y) || x === 0 || y === 0) return x * y + z;
    if (!Number.isFinite(z)) return z;
    const sum = inPlaces(x) * inPlaces(y) + (inPlaces(z) << BigInt(PLACES));
    const size = sum < 0n ? -sum : sum;
    const cut = Math.max(size.toString(2).length - digits, 2 * PLACES - least);
    const [kept, rest] = [size >> BigInt(cut), BigInt.asUintN(cut, size)];
    const half = 1n << BigInt(cut - 1);
    const isUp = rest > half || (rest === half && (kept & 1n) === 1n);
    const number = Number(isUp ? kept + 1n : kept) * 2 ** (cut - 2 * PLACES);
    return sum < 0n ? -number : number;
  };

export const floatRows = (): MeaningRow[] => [
  ...Object.entries(FLOAT_UNARY).flatMap(([name, f]): MeaningRow[] => [
    [`${name}ss`, unary(SS, SS, f)],
    [`${name}sd`, unary(SD, SD, f)],
  ]),
  ...Object.entries({ ...FLOAT_BINARY, ...FLOAT_BINARY_ALIKE }).flatMap(
    ([name, f]): MeaningRow[] => [
      [`${name}ss`, binary(SS, f)],
      [`${name}sd`, binary(SD, f)],
    ],
  ),
  ["fmaddss", ternary(SS, fused(24, 149))],
  ["fmaddsd", ternary(SD, fused(53, 1074))],
  ...signRows("neg", (x) => x ^ SIGN, false),
  ...signRows("abs", (x) => x & ~SIGN, false),
  ...signRows("copysign", (x, y) => (x & ~SIGN) | (y & SIGN), true),
  ...purify,
];

// Conversions.

/**
 * Returns a double that rounds to the same Float as the integer. If it is inexact, its last bit is
 * 1.
 */
function beforeRounding(x: bigint): number {
  const magnitude = x < 0n ? -x : x;
  if (magnitude < 1n << 53n) return Number(x);
  const rest = magnitude & 0x7ffn;
  const kept = magnitude - rest;
  const odd = Number(rest === 0n ? kept : kept | 0x800n);
  return x < 0n ? -odd : odd;
}

/** Converts with saturation; a NaN becomes 0. */
function saturated(x: number, least: bigint, greatest: bigint): bigint {
  if (Number.isNaN(x)) return 0n;
  if (x <= Number(least)) return least;
  if (x >= Number(greatest)) return greatest;
  return BigInt(Math.trunc(x));
}
const LIMITS = {
  sl: [-(1n << 31n), (1n << 31n) - 1n],
  ul: [0n, (1n << 32n) - 1n],
  sq: [-(1n << 63n), (1n << 63n) - 1n],
  uq: [0n, (1n << 64n) - 1n],
} as const;

/** The result is defined before the guard fails, as on the machines. */
const guardedConversion =
  (isExact: boolean): Meaning =>
  (m) => {
    const x = m.double(1);
    const whole = L.ofWide(saturated(x, ...LIMITS.sl));
    m.setLow(0, whole);
    const isZeroWithSign = whole === 0 && 1 / x < 0;
    if (whole !== x || (isExact && isZeroWithSign)) m.exit();
  };

/** The names of conversions, which differ between the targets. */
interface ConversionNames {
  readonly fromInteger: (sign: "s" | "u", from: "l" | "q", to: "ss" | "sd") => string;
  readonly toInteger: (sign: "s" | "u", from: "ss" | "sd", to: "l" | "q") => string;
  readonly widen: string;
  readonly narrow: string;
}

export function conversionRows({ fromInteger, toInteger, widen, narrow }: ConversionNames) {
  const rows: MeaningRow[] = [
    [widen, unary(SS, SD, (x) => x)],
    [narrow, unary(SD, SS, (x) => x)],
    ["check.sd2sl", guardedConversion(false)],
    ["check.sd2sl.exact", guardedConversion(true)],
    ["modsd2sl", unary(SD, L, (x) => (Math.trunc(x) % 2 ** 32) | 0)],
  ];
  for (const sign of ["s", "u"] as const) {
    const wide32 = (x: number): bigint => BigInt(sign === "s" ? x : x >>> 0);
    const wide64 = (x: bigint): bigint => (sign === "s" ? x : BigInt.asUintN(64, x));
    rows.push(
      [fromInteger(sign, "l", "ss"), unary(L, SS, (x) => Number(wide32(x)))],
      [fromInteger(sign, "l", "sd"), unary(L, SD, (x) => Number(wide32(x)))],
      [fromInteger(sign, "q", "ss"), unary(Q, SS, (x) => beforeRounding(wide64(x)))],
      [fromInteger(sign, "q", "sd"), unary(Q, SD, (x) => Number(wide64(x)))],
    );
    for (const [w, kind] of [
      ["ss", SS],
      ["sd", SD],
    ] as const) {
      const [leastL, greatestL] = LIMITS[`${sign}l`];
      const [leastQ, greatestQ] = LIMITS[`${sign}q`];
      rows.push(
        [toInteger(sign, w, "l"), unary(kind, L, (x) => L.ofWide(saturated(x, leastL, greatestL)))],
        [toInteger(sign, w, "q"), unary(kind, Q, (x) => saturated(x, leastQ, greatestQ))],
      );
    }
  }
  return rows;
}

/** Returns rows that move bits between the banks. */
export const castRows = (
  toSingle: string,
  toDouble: string,
  ofSingle: string,
  ofDouble: string,
): MeaningRow[] => [
  [toSingle, (m) => m.setOnlyLow(0, m.low(1))],
  [toDouble, (m) => m.setWords(0, m.low(1), m.high(1))],
  [ofSingle, (m) => m.setLow(0, m.low(1))],
  [ofDouble, (m) => m.setWords(0, m.low(1), m.high(1))],
];
