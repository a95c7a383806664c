// Float operations on numbers, and on bits where only bits move.

import { wideBits } from "../../../src/ir/words.js";
import type {
  ConversionOpcode,
  FloatBinaryOpcode,
  FloatOperations,
  FloatUnaryOpcode,
} from "../meanings/algebra.js";
import { CONDITIONS, same } from "./concrete-conditions.js";
import type { ConcreteDomain, FloatComputation, LirComputation } from "./concrete-domain.js";
import type { InstructionMeaning, LirMachine } from "./lir-machine.js";

type TernaryOperation = (x: number, y: number, z: number) => number;

/** Rounds to the nearest integer, ties to even; keeps the sign of a zero. */
function nearest(x: number): number {
  if (!(Math.abs(x) < 2 ** 52)) return x;
  const below = Math.floor(x);
  const above = x - below;
  const isUp = above > 0.5 || (above === 0.5 && below % 2 !== 0);
  const rounded = isUp ? below + 1 : below;
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}

/**
 * Every double is a multiple of two to the power of minus this, and every product a multiple of its
 * square.
 */
const PLACES = 1074;

const VIEW = new DataView(new ArrayBuffer(8));
function inPlaces(x: number): bigint {
  VIEW.setFloat64(0, x);
  const field = (VIEW.getUint32(0) >>> 20) & 0x7ff;
  const fraction = BigInt.asUintN(52, VIEW.getBigUint64(0));
  const whole = field === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(field - 1);
  return x < 0 ? -whole : whole;
}

/**
 * Returns x * y + z, rounded once: to this many binary digits, and at most `least` places after the
 * point.
 */
const fused =
  (digits: number, least: number): TernaryOperation =>
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

/** Returns the result of cvtt: the least integer if there is no result. */
function truncated(x: number, bits: number): bigint {
  const isIn = x > -(2 ** (bits - 1)) - 1 && x < 2 ** (bits - 1);
  const whole = isIn ? BigInt(Math.trunc(x)) : 0n;
  return isIn && BigInt.asIntN(bits, whole) === whole ? whole : -(1n << BigInt(bits - 1));
}
interface FloatKind<B extends number | bigint> {
  readonly number: (k: number) => LirComputation<number>;
  readonly bits: (k: number) => LirComputation<B>;
  readonly immediate: LirComputation<B>;
  readonly defineImmediate: InstructionMeaning;
  readonly numberOf: (bits: B) => number;
  readonly setNumber: (m: LirMachine, value: number) => void;
  readonly setBits: (m: LirMachine, bits: B) => void;
  readonly read: (m: LirMachine, address: bigint) => B;
  readonly write: (m: LirMachine, address: bigint, bits: B) => void;
  readonly fused: TernaryOperation;
  readonly negated: (x: B) => B;
  readonly absolute: (x: B) => B;
  readonly withSign: (x: B, y: B) => B;
  readonly quietNaN: B;
}

const SIGN = 0x8000_0000 | 0;
const WIDE_SIGN = -(1n << 63n);

const SINGLE: FloatKind<number> = {
  number: (k) => (m) => m.single(k),
  bits: (k) => (m) => m.low(k),
  immediate: (m) => m.lo,
  defineImmediate: (m) => m.setOnlyLow(0, m.lo),
  numberOf(word) {
    VIEW.setInt32(0, word);
    return VIEW.getFloat32(0);
  },
  setNumber: (m, value) => m.setSingle(0, value),
  setBits: (m, bits) => m.setOnlyLow(0, bits),
  read: (m, address) => m.readWord(address),
  write: (m, address, bits) => m.writeWord(address, bits),
  fused: fused(24, 149),
  negated: (x) => x ^ SIGN,
  absolute: (x) => x & ~SIGN,
  withSign: (x, y) => (x & ~SIGN) | (y & SIGN),
  quietNaN: 0x7fc0_0000,
};

const DOUBLE: FloatKind<bigint> = {
  number: (k) => (m) => m.double(k),
  bits: (k) => (m) => m.wideOf(k),
  immediate: (m) => wideBits(m.lo, m.hi),
  defineImmediate: (m) => m.setWords(0, m.lo, m.hi),
  numberOf(bits) {
    VIEW.setBigInt64(0, bits);
    return VIEW.getFloat64(0);
  },
  setNumber: (m, value) => m.setDouble(0, value),
  setBits: (m, bits) => m.setWideOf(0, bits),
  read: (m, address) => m.readWide(address),
  write: (m, address, bits) => m.writeWide(address, bits),
  fused: fused(53, 1074),
  negated: (x) => x ^ WIDE_SIGN,
  absolute: (x) => x & ~WIDE_SIGN,
  withSign: (x, y) => (x & ~WIDE_SIGN) | (y & WIDE_SIGN),
  quietNaN: 0x7ff8_0000_0000_0000n,
};

// biome-ignore format: a table
const BINARY: { readonly [N in Exclude<FloatBinaryOpcode, "CopySign">]: (x: number, y: number) => number } = {
  Add: (x, y) => x + y, Sub: (x, y) => x - y, Mul: (x, y) => x * y, Div: (x, y) => x / y,
  FMin: Math.min, FMax: Math.max, Mod: (x, y) => x % y,
};
// biome-ignore format: a table
const UNARY: { readonly [N in Exclude<FloatUnaryOpcode, "Neg" | "Abs" | "PurifyNaN">]: (x: number) => number } = {
  Ceil: Math.ceil, Floor: Math.floor, FTrunc: Math.trunc, Nearest: nearest, Sqrt: Math.sqrt,
};

function floats<B extends number | bigint>(
  kind: FloatKind<B>,
): FloatOperations<ConcreteDomain, FloatComputation<B>> {
  const { numberOf, setNumber, setBits, negated, absolute, withSign, quietNaN } = kind;
  const moved = (bits: LirComputation<B>): FloatComputation<B> => ({
    number: (m) => numberOf(bits(m)),
    bits,
    isMoved: true,
  });
  const computed = (number: LirComputation<number>): FloatComputation<B> => ({
    number,
    bits: () => quietNaN,
    isMoved: false,
  });
  const define = ({ isMoved, bits, number }: FloatComputation<B>): InstructionMeaning =>
    isMoved ? (m) => setBits(m, bits(m)) : (m) => setNumber(m, number(m));
  return {
    use: (k) => ({ number: kind.number(k), bits: kind.bits(k), isMoved: true }),
    immediate: () => moved(kind.immediate),
    choose: (claim, x, y) => moved((m) => (claim(m) ? x.bits(m) : y.bits(m))),
    holds: (x, y) => {
      const [first, second] = [x.number, y.number];
      return (m) => CONDITIONS[m.hi](first(m), second(m), same);
    },
    define,
    defineOpen: define,
    defineImmediate: () => kind.defineImmediate,
    binary(name, x, y) {
      if (name === "CopySign") return moved((m) => withSign(x.bits(m), y.bits(m)));
      const compute = BINARY[name];
      const [first, second] = [x.number, y.number];
      return computed((m) => compute(first(m), second(m)));
    },
    unary(name, x) {
      const { number, bits } = x;
      if (name === "Neg") return moved((m) => negated(bits(m)));
      if (name === "Abs") return moved((m) => absolute(bits(m)));
      if (name === "PurifyNaN") return moved((m) => (Number.isNaN(number(m)) ? quietNaN : bits(m)));
      const compute = UNARY[name];
      return computed((m) => compute(number(m)));
    },
    fused: (x, y, z) => computed((m) => kind.fused(x.number(m), y.number(m), z.number(m))),
    truncatedOrLeast: (bits, x) => (m) => truncated(x.number(m), bits),
    load: (address) => moved((m) => kind.read(m, address(m))),
    store:
      (address, { bits }) =>
      (m) =>
        kind.write(m, address(m), bits(m)),
  };
}

export const SS = floats(SINGLE);
export const SD = floats(DOUBLE);

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

const wrapped = (x: bigint): number => Number(BigInt.asIntN(32, x));

type IntegerLimits = readonly [least: bigint, greatest: bigint];
const singleTo32 =
  ([least, greatest]: IntegerLimits): InstructionMeaning =>
  (m) =>
    m.setLow(0, wrapped(saturated(m.single(1), least, greatest)));
const singleTo64 =
  ([least, greatest]: IntegerLimits): InstructionMeaning =>
  (m) =>
    m.setWideOf(0, BigInt.asIntN(64, saturated(m.single(1), least, greatest)));
const doubleTo32 =
  ([least, greatest]: IntegerLimits): InstructionMeaning =>
  (m) =>
    m.setLow(0, wrapped(saturated(m.double(1), least, greatest)));
const doubleTo64 =
  ([least, greatest]: IntegerLimits): InstructionMeaning =>
  (m) =>
    m.setWideOf(0, BigInt.asIntN(64, saturated(m.double(1), least, greatest)));

const unsigned64 = (x: bigint): bigint => BigInt.asUintN(64, x);
const copyWords: InstructionMeaning = (m) => m.setWords(0, m.low(1), m.high(1));

/** By opcode, and the widths of operand and result. */
// biome-ignore format: a table
export const CONVERSIONS: { readonly [C in ConversionOpcode]: InstructionMeaning } = {
  "SExt8 l l":      (m) => m.setLow(0, (m.low(1) << 24) >> 24),
  "SExt16 l l":     (m) => m.setLow(0, (m.low(1) << 16) >> 16),
  "SExt8To64 l q":  (m) => m.setWords(0, (m.low(1) << 24) >> 24, (m.low(1) << 24) >> 31),
  "SExt16To64 l q": (m) => m.setWords(0, (m.low(1) << 16) >> 16, (m.low(1) << 16) >> 31),
  "SExt32 l q":     (m) => m.setWords(0, m.low(1), m.low(1) >> 31),
  "ZExt32 l q":     (m) => m.setWords(0, m.low(1), 0),
  "TruncHigh q l":  (m) => m.setLow(0, m.high(1)),
  "IToF l ss": (m) => m.setSingle(0, m.low(1)),
  "IToF q ss": (m) => m.setSingle(0, beforeRounding(m.wideOf(1))),
  "IToD l sd": (m) => m.setDouble(0, m.low(1)),
  "IToD q sd": (m) => m.setDouble(0, Number(m.wideOf(1))),
  "UToF l ss": (m) => m.setSingle(0, m.low(1) >>> 0),
  "UToF q ss": (m) => m.setSingle(0, beforeRounding(unsigned64(m.wideOf(1)))),
  "UToD l sd": (m) => m.setDouble(0, m.low(1) >>> 0),
  "UToD q sd": (m) => m.setDouble(0, Number(unsigned64(m.wideOf(1)))),
  "TruncS32 ss l": singleTo32(LIMITS.sl), "TruncU32 ss l": singleTo32(LIMITS.ul),
  "TruncS32 sd l": doubleTo32(LIMITS.sl), "TruncU32 sd l": doubleTo32(LIMITS.ul),
  "TruncS64 ss q": singleTo64(LIMITS.sq), "TruncU64 ss q": singleTo64(LIMITS.uq),
  "TruncS64 sd q": doubleTo64(LIMITS.sq), "TruncU64 sd q": doubleTo64(LIMITS.uq),
  "ToInt32 sd l":       (m) => m.setLow(0, (Math.trunc(m.double(1)) % 2 ** 32) | 0),
  "FloatToDouble ss sd": (m) => m.setDouble(0, m.single(1)),
  "DoubleToFloat sd ss": (m) => m.setSingle(0, m.double(1)),
  "BitwiseCast l ss": (m) => m.setOnlyLow(0, m.low(1)),
  "BitwiseCast q sd": copyWords,
  "BitwiseCast ss l": (m) => m.setLow(0, m.low(1)),
  "BitwiseCast sd q": copyWords,
};

/** The result is defined before the guard fails, as on the machines. */
export const convertOrExit =
  (isExact: boolean): InstructionMeaning =>
  (m) => {
    const x = m.double(1);
    const whole = wrapped(saturated(x, ...LIMITS.sl));
    m.setLow(0, whole);
    const isZeroWithSign = whole === 0 && 1 / x < 0;
    if (whole !== x || (isExact && isZeroWithSign)) m.exit();
  };
