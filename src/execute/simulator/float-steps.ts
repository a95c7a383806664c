// Executes floating-point instructions and those on eight bytes (Arm ARM, DDI 0487, C7.2), with
// FPCR 0: round to nearest, no flushing of subnormal numbers, NaNs propagated. S is single
// precision, D double. JavaScript rounds sums, products, quotients and roots of doubles as the
// machine does. A second rounding to float gives the exact result for floats, because a double has
// more than twice their bits. JavaScript does not preserve the bits of a NaN, so this file chooses
// them.

import { wideBits } from "../../ir/words.js";
import { holds, setW, setX } from "./integer-steps.js";
import {
  C,
  Cell,
  type InstructionHandler,
  N,
  type SimulatedState,
  V,
  Z,
} from "./simulated-state.js";

const d = (s: SimulatedState, at: number): number => s.cells[at + Cell.d];
const n = (s: SimulatedState, at: number): number => s.cells[at + Cell.n];
const m = (s: SimulatedState, at: number): number => s.cells[at + Cell.m];

function setBits(s: SimulatedState, at: number, low: number, high: number): void {
  const { words } = s;
  const word = d(s, at);
  words[word] = low;
  words[word + 1] = high;
  words[word + 2] = 0;
  words[word + 3] = 0;
}

// NaNs (FPProcessNaNs): the first signalling operand, else the first quiet one; the result is
// quiet. If no operand is a NaN, the result is the default NaN.

const QUIET_S = 0x40_0000;
const QUIET_D = 0x8_0000;
const DEFAULT_S = 0x7fc0_0000;
const DEFAULT_D = 0x7ff8_0000;

const isSignalling = (upper: number, quiet: number): boolean => (upper & quiet) === 0;

function setS(s: SimulatedState, at: number, value: number, x: number, y: number): void {
  if (!Number.isNaN(value)) {
    setBits(s, at, 0, 0);
    s.floats[d(s, at)] = value;
    return;
  }
  const { words, floats } = s;
  const isX = Number.isNaN(floats[x]);
  const isY = Number.isNaN(floats[y]);
  const takesY =
    isY && (!isX || (!isSignalling(words[x], QUIET_S) && isSignalling(words[y], QUIET_S)));
  const low = takesY ? words[y] | QUIET_S : isX ? words[x] | QUIET_S : DEFAULT_S;
  setBits(s, at, low, 0);
}

function setD(s: SimulatedState, at: number, value: number, x: number, y: number): void {
  if (!Number.isNaN(value)) {
    setBits(s, at, 0, 0);
    s.doubles[d(s, at) >> 1] = value;
    return;
  }
  const { words, doubles } = s;
  const isX = Number.isNaN(doubles[x >> 1]);
  const isY = Number.isNaN(doubles[y >> 1]);
  const isSignallingX = isSignalling(words[x + 1], QUIET_D);
  const takesY = isY && (!isX || (!isSignallingX && isSignalling(words[y + 1], QUIET_D)));
  if (takesY) setBits(s, at, words[y], words[y + 1] | QUIET_D);
  else if (isX) setBits(s, at, words[x], words[x + 1] | QUIET_D);
  else setBits(s, at, 0, DEFAULT_D);
}

const ofTwoS =
  (apply: (x: number, y: number) => number): InstructionHandler =>
  (s, at) => {
    const x = n(s, at);
    const y = m(s, at);
    setS(s, at, Math.fround(apply(s.floats[x], s.floats[y])), x, y);
  };

const ofTwoD =
  (apply: (x: number, y: number) => number): InstructionHandler =>
  (s, at) => {
    const x = n(s, at);
    const y = m(s, at);
    setD(s, at, apply(s.doubles[x >> 1], s.doubles[y >> 1]), x, y);
  };

/** Combines two numbers; a quiet NaN yields the other operand. */
const ofNumbersS =
  (apply: (x: number, y: number) => number): InstructionHandler =>
  (s, at) => {
    const { floats, words } = s;
    const x = n(s, at);
    const y = m(s, at);
    const isQuietX = Number.isNaN(floats[x]) && !isSignalling(words[x], QUIET_S);
    const isQuietY = Number.isNaN(floats[y]) && !isSignalling(words[y], QUIET_S);
    if (isQuietX && !Number.isNaN(floats[y])) setBits(s, at, words[y], 0);
    else if (isQuietY && !Number.isNaN(floats[x])) setBits(s, at, words[x], 0);
    else setS(s, at, apply(floats[x], floats[y]), x, y);
  };

const ofNumbersD =
  (apply: (x: number, y: number) => number): InstructionHandler =>
  (s, at) => {
    const { doubles, words } = s;
    const x = n(s, at);
    const y = m(s, at);
    const isX = Number.isNaN(doubles[x >> 1]);
    const isY = Number.isNaN(doubles[y >> 1]);
    const isQuietX = isX && !isSignalling(words[x + 1], QUIET_D);
    const isQuietY = isY && !isSignalling(words[y + 1], QUIET_D);
    if (isQuietX && !isY) setBits(s, at, words[y], words[y + 1]);
    else if (isQuietY && !isX) setBits(s, at, words[x], words[x + 1]);
    else setD(s, at, apply(doubles[x >> 1], doubles[y >> 1]), x, y);
  };

const add = (x: number, y: number): number => x + y;
const subtract = (x: number, y: number): number => x - y;
const multiply = (x: number, y: number): number => x * y;
const divide = (x: number, y: number): number => x / y;
const greatest = (x: number, y: number): number => Math.max(x, y);
const least = (x: number, y: number): number => Math.min(x, y);

/**
 * Indexed by type and opcode of the class "2 source": fmul fdiv fadd fsub fmax fmin fmaxnm fminnm.
 */
export const OF_TWO: readonly (readonly InstructionHandler[])[] = [
  [
    ...[multiply, divide, add, subtract, greatest, least].map(ofTwoS),
    ofNumbersS(greatest),
    ofNumbersS(least),
  ],
  [
    ...[multiply, divide, add, subtract, greatest, least].map(ofTwoD),
    ofNumbersD(greatest),
    ofNumbersD(least),
  ],
];

const ofOneS =
  (apply: (x: number) => number): InstructionHandler =>
  (s, at) => {
    const x = n(s, at);
    setS(s, at, Math.fround(apply(s.floats[x])), x, x);
  };

const ofOneD =
  (apply: (x: number) => number): InstructionHandler =>
  (s, at) => {
    const x = n(s, at);
    setD(s, at, apply(s.doubles[x >> 1]), x, x);
  };

/** Rounds to the nearest integer, ties to even; a zero keeps its sign. */
function toEven(x: number): number {
  const size = Math.abs(x);
  if (!(size < 2 ** 52) || size === 0) return x;
  const rounded = size + 2 ** 52 - 2 ** 52;
  return x < 0 ? -rounded : rounded;
}

export const fsqrtS: InstructionHandler = ofOneS(Math.sqrt);
export const fsqrtD: InstructionHandler = ofOneD(Math.sqrt);
/** Indexed in the order frintn, frintp, frintm, frintz. */
export const ROUNDED_S: readonly InstructionHandler[] = [
  toEven,
  Math.ceil,
  Math.floor,
  Math.trunc,
].map(ofOneS);
export const ROUNDED_D: readonly InstructionHandler[] = [
  toEven,
  Math.ceil,
  Math.floor,
  Math.trunc,
].map(ofOneD);

// Moves of bits, and changes of the sign.

const SIGN = 0x8000_0000 | 0;
export const fmovS: InstructionHandler = (s, at) => setBits(s, at, s.words[n(s, at)], 0);
export const fabsS: InstructionHandler = (s, at) => setBits(s, at, s.words[n(s, at)] & ~SIGN, 0);
export const fnegS: InstructionHandler = (s, at) => setBits(s, at, s.words[n(s, at)] ^ SIGN, 0);
export const fmovD: InstructionHandler = (s, at) => {
  const x = n(s, at);
  setBits(s, at, s.words[x], s.words[x + 1]);
};
export const fabsD: InstructionHandler = (s, at) => {
  const x = n(s, at);
  setBits(s, at, s.words[x], s.words[x + 1] & ~SIGN);
};
export const fnegD: InstructionHandler = (s, at) => {
  const x = n(s, at);
  setBits(s, at, s.words[x], s.words[x + 1] ^ SIGN);
};
export const fmovToW: InstructionHandler = (s, at) => setW(s, at, s.words[n(s, at)]);
export const fmovToX: InstructionHandler = (s, at) => {
  const x = n(s, at);
  setX(s, at, s.words[x], s.words[x + 1]);
};

export const fcselS: InstructionHandler = (s, at) => {
  setBits(s, at, s.words[s.cells[at + (holds(s, at) ? Cell.n : Cell.m)]], 0);
};
export const fcselD: InstructionHandler = (s, at) => {
  const x = s.cells[at + (holds(s, at) ? Cell.n : Cell.m)];
  setBits(s, at, s.words[x], s.words[x + 1]);
};

function compare(s: SimulatedState, x: number, y: number): void {
  if (x < y) s.flags = N;
  else if (x > y) s.flags = C;
  else s.flags = x === y ? Z | C : C | V;
}
export const fcmpS: InstructionHandler = (s, at) =>
  compare(s, s.floats[n(s, at)], s.floats[m(s, at)]);
export const fcmpD: InstructionHandler = (s, at) => {
  compare(s, s.doubles[n(s, at) >> 1], s.doubles[m(s, at) >> 1]);
};

// Conversions between the two precisions: a NaN keeps its sign and the upper bits of its fraction.

export const fcvtDS: InstructionHandler = (s, at) => {
  const x = n(s, at);
  const bits = s.words[x];
  if (Number.isNaN(s.floats[x])) {
    const upper = (bits & SIGN) | DEFAULT_D | ((bits >>> 3) & 0x7_ffff);
    setBits(s, at, bits << 29, upper);
  } else setD(s, at, s.floats[x], x, x);
};

export const fcvtSD: InstructionHandler = (s, at) => {
  const x = n(s, at);
  const value = s.doubles[x >> 1];
  if (Number.isNaN(value)) {
    const low = s.words[x];
    const high = s.words[x + 1];
    setBits(s, at, (high & SIGN) | DEFAULT_S | ((high << 3) & 0x3f_ffff) | (low >>> 29), 0);
  } else setS(s, at, Math.fround(value), x, x);
};

// Conversions between numbers and integers, toward zero, saturating; a NaN gives 0.

const signedOf = (s: SimulatedState, x: number): bigint => wideBits(s.words[x], s.words[x + 1]);

/**
 * Rounds once to float. For a large integer, the low 11 bits are replaced by one sticky bit, so
 * that the double is exact.
 */
function floatOf(x: bigint): number {
  if (BigInt.asIntN(53, x) === x) return Math.fround(Number(x));
  const upper = x >> 11n;
  const rest = x === upper << 11n ? 0n : 1n;
  return Math.fround(Number(upper | rest) * 2048);
}

export const scvtfSW: InstructionHandler = (s, at) =>
  setS(s, at, Math.fround(s.words[n(s, at)]), 0, 0);
export const scvtfDW: InstructionHandler = (s, at) => setD(s, at, s.words[n(s, at)], 0, 0);
export const ucvtfSW: InstructionHandler = (s, at) =>
  setS(s, at, Math.fround(s.words[n(s, at)] >>> 0), 0, 0);
export const ucvtfDW: InstructionHandler = (s, at) => setD(s, at, s.words[n(s, at)] >>> 0, 0, 0);
export const scvtfSX: InstructionHandler = (s, at) =>
  setS(s, at, floatOf(signedOf(s, n(s, at))), 0, 0);
export const scvtfDX: InstructionHandler = (s, at) =>
  setD(s, at, Number(signedOf(s, n(s, at))), 0, 0);
export const ucvtfSX: InstructionHandler = (s, at) => {
  setS(s, at, floatOf(BigInt.asUintN(64, signedOf(s, n(s, at)))), 0, 0);
};
export const ucvtfDX: InstructionHandler = (s, at) => {
  setD(s, at, Number(BigInt.asUintN(64, signedOf(s, n(s, at)))), 0, 0);
};

type ReadNumber = (s: SimulatedState, x: number) => number;
const single: ReadNumber = (s, x) => s.floats[x];
const double: ReadNumber = (s, x) => s.doubles[x >> 1];

const toW =
  (read: ReadNumber, least: number, greatest: number): InstructionHandler =>
  (s, at) => {
    const value = read(s, n(s, at));
    setW(s, at, Number.isNaN(value) ? 0 : Math.min(Math.max(value, least), greatest));
  };

const toX =
  (read: ReadNumber, least: number, greatest: number): InstructionHandler =>
  (s, at) => {
    const value = Math.trunc(read(s, n(s, at)));
    if (value >= greatest) {
      setX(s, at, -1, least === 0 ? -1 : 0x7fff_ffff);
    } else if (Number.isNaN(value) || value <= least) {
      setX(s, at, 0, Number.isNaN(value) || least === 0 ? 0 : SIGN);
    } else {
      const integer = BigInt(value);
      setX(s, at, Number(BigInt.asIntN(32, integer)), Number(BigInt.asIntN(32, integer >> 32n)));
    }
  };

/** Indexed by type: fcvtzs to W and to X, fcvtzu to W and to X. */
export const TO_INTEGER: readonly (readonly InstructionHandler[])[] = [single, double].map(
  (read) => [
    toW(read, -(2 ** 31), 2 ** 31 - 1),
    toX(read, -(2 ** 63), 2 ** 63),
    toW(read, 0, 2 ** 32 - 1),
    toX(read, 0, 2 ** 64),
  ],
);

// Operations on eight bytes.

/** Counts the bits that are set in each byte. */
function countBits(x: number): number {
  let y = x - ((x >>> 1) & 0x5555_5555);
  y = (y & 0x3333_3333) + ((y >>> 2) & 0x3333_3333);
  return (y + (y >>> 4)) & 0x0f0f_0f0f;
}

export const cnt: InstructionHandler = (s, at) => {
  const x = n(s, at);
  setBits(s, at, countBits(s.words[x]), countBits(s.words[x + 1]));
};

const sumOfBytes = (x: number): number =>
  (x & 0xff) + ((x >>> 8) & 0xff) + ((x >>> 16) & 0xff) + (x >>> 24);

export const addv: InstructionHandler = (s, at) => {
  const x = n(s, at);
  setBits(s, at, (sumOfBytes(s.words[x]) + sumOfBytes(s.words[x + 1])) & 0xff, 0);
};

/** Selects bits of x where the mask is set, else those of y. */
const chosen = (mask: number, x: number, y: number): number => (x & mask) | (y & ~mask);

const inserted =
  (apply: (d: number, n: number, m: number) => number): InstructionHandler =>
  (s, at) => {
    const { words } = s;
    const r = d(s, at);
    const x = n(s, at);
    const y = m(s, at);
    const low = apply(words[r], words[x], words[y]);
    setBits(s, at, low, apply(words[r + 1], words[x + 1], words[y + 1]));
  };
export const bsl: InstructionHandler = inserted((r, x, y) => chosen(r, x, y));
export const bit: InstructionHandler = inserted((r, x, y) => chosen(y, x, r));
export const bif: InstructionHandler = inserted((r, x, y) => chosen(y, r, x));
export const clear: InstructionHandler = (s, at) => setBits(s, at, 0, 0);
