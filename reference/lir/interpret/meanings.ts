// What LIR instructions do, as far as both targets mean the same: kinds of operands, where a last
// operand comes from, and the rows that both have. A target's own table (x64/meanings.ts,
// arm64/meanings.ts) adds the rest; beside the encoders nothing is shared with it but names.
//
// Operand 0 is the definition where there is one, and uses follow. Integers of 32 bits are numbers,
// those of 64 bits bigints, both signed.

import type { FaultKind } from "../../../src/ir/outcome.js";
import { assert } from "../../../src/support/assert.js";
import { CONDITION_NAMES, type ConditionName } from "../../target/conditions.js";
import type { LirMachine, Meaning } from "./lir-machine.js";

/** A row's name and what it does. */
export type MeaningRow = readonly [name: string, meaning: Meaning];

/** How values of one width are read and written. */
export interface Kind<V> {
  readonly use: (m: LirMachine, k: number) => V;
  readonly define: (m: LirMachine, value: V) => void;
  /** The instruction's immediate as such a value. */
  readonly immediate: (m: LirMachine) => V;
  readonly read: (m: LirMachine, address: bigint) => V;
}

export interface IntegerKind<V extends number | bigint> extends Kind<V> {
  readonly bits: 32 | 64;
  readonly toWide: (value: V) => bigint;
  /** Wraps. */
  readonly ofWide: (value: bigint) => V;
  readonly unsigned: (value: V) => V;
}

export const L: IntegerKind<number> = {
  bits: 32,
  use: (m, k) => m.low(k),
  define: (m, value) => m.setLow(0, value),
  immediate: (m) => m.lo,
  read: (m, address) => m.readWord(address),
  toWide: (value) => BigInt(value),
  ofWide: (value) => Number(BigInt.asIntN(32, value)),
  unsigned: (value) => value >>> 0,
};

export const Q: IntegerKind<bigint> = {
  bits: 64,
  use: (m, k) => m.wideOf(k),
  define: (m, value) => m.setWideOf(0, value),
  immediate: (m) => (BigInt(m.hi) << 32n) | BigInt(m.lo >>> 0),
  read: (m, address) => m.readWide(address),
  toWide: (value) => value,
  ofWide: (value) => BigInt.asIntN(64, value),
  unsigned: (value) => BigInt.asUintN(64, value),
};

export const SS: Kind<number> = {
  use: (m, k) => m.single(k),
  define: (m, value) => m.setSingle(0, value),
  immediate: (m) => floatOf(m.lo),
  read: (m, address) => floatOf(m.readWord(address)),
};

export const SD: Kind<number> = {
  use: (m, k) => m.double(k),
  define: (m, value) => m.setDouble(0, value),
  immediate: (m) => doubleOf((BigInt(m.hi) << 32n) | BigInt(m.lo >>> 0)),
  read: (m, address) => doubleOf(m.readWide(address)),
};

const VIEW = new DataView(new ArrayBuffer(8));
function floatOf(word: number): number {
  VIEW.setInt32(0, word);
  return VIEW.getFloat32(0);
}
function doubleOf(bits: bigint): number {
  VIEW.setBigInt64(0, bits);
  return VIEW.getFloat64(0);
}

/** Where an operand comes from whose number is k. */
export type Source = <V>(kind: Kind<V>, m: LirMachine, k: number) => V;
/** The address of an operand in memory, of which operand k is the first part. */
export type Place = (m: LirMachine, k: number) => bigint;

export const inPlace: Source = (kind, m, k) => kind.use(m, k);
export const immediate: Source = (kind, m) => kind.immediate(m);
export const inMemory =
  (place: Place): Source =>
  (kind, m, k) =>
    kind.read(m, place(m, k));

/** At an operand plus the immediate. */
export const atOperand: Place = (m, k) => m.wideOf(k) + BigInt(m.lo);
/** In the stack slot whose id is the immediate's high word. */
export const inSlot: Place = (m) => m.slotAddress(m.hi) + BigInt(m.lo);

type Unary<V, W = V> = (x: V) => W;
type Binary<V> = (x: V, y: V) => V;

export const unary =
  <V, W>(from: Kind<V>, to: Kind<W>, f: Unary<V, W>): Meaning =>
  (m) =>
    to.define(m, f(from.use(m, 1)));

export const binary =
  <V>(kind: Kind<V>, f: Binary<V>, second: Source = inPlace): Meaning =>
  (m) =>
    kind.define(m, f(kind.use(m, 1), second(kind, m, 2)));

/** An integer operation at both widths. */
export interface Operation {
  readonly l: Binary<number>;
  readonly q: Binary<bigint>;
}

/** Both widths of an operation with a second operand of each form: `name`, width, suffix. */
export function integerRows(
  name: string,
  { l, q }: Operation,
  forms: readonly (readonly [suffix: string, second: Source])[],
): MeaningRow[] {
  return forms.flatMap(([suffix, second]): MeaningRow[] => [
    [`${name}l${suffix}`, binary(L, l, second)],
    [`${name}q${suffix}`, binary(Q, q, second)],
  ]);
}

// biome-ignore format: a table
export const INTEGER_OPERATIONS = {
  add:  { l: (x, y) => (x + y) | 0,       q: (x, y) => x + y },
  sub:  { l: (x, y) => (x - y) | 0,       q: (x, y) => x - y },
  imul: { l: (x, y) => Math.imul(x, y),   q: (x, y) => x * y },
  and:  { l: (x, y) => x & y,             q: (x, y) => x & y },
  or:   { l: (x, y) => x | y,             q: (x, y) => x | y },
  xor:  { l: (x, y) => x ^ y,             q: (x, y) => x ^ y },
} as const satisfies Record<string, Operation>;

// Counts are taken modulo the width.
const count64 = (y: bigint): bigint => y & 63n;
const rotate32 = (x: number, left: number): number =>
  (left & 31) === 0 ? x : (x << left) | (x >>> -left);
const rotate64 = (x: bigint, left: bigint): bigint => {
  const bits = BigInt.asUintN(64, x);
  return (bits << count64(left)) | (bits >> (64n - count64(left)));
};
// biome-ignore format: a table
export const SHIFTS = {
  left:        { l: (x, y) => x << y,          q: (x, y) => x << count64(y) },
  right:       { l: (x, y) => x >> y,          q: (x, y) => x >> count64(y) },
  unsigned:    { l: (x, y) => (x >>> y) | 0,   q: (x, y) => BigInt.asUintN(64, x) >> count64(y) },
  rotateLeft:  { l: (x, y) => rotate32(x, y),  q: (x, y) => rotate64(x, y) },
  rotateRight: { l: (x, y) => rotate32(x, -y), q: (x, y) => rotate64(x, -y) },
} as const satisfies Record<string, Operation>;

/** The same of a second operand that is shifted by the immediate first. */
export const shiftedRows = (
  name: string,
  { l, q }: Operation,
  suffix: string,
  by: Operation,
): MeaningRow[] => [
  [`${name}l.${suffix}`, (m) => L.define(m, l(m.low(1), by.l(m.low(2), m.lo)))],
  [`${name}q.${suffix}`, (m) => Q.define(m, q(m.wideOf(1), by.q(m.wideOf(2), BigInt(m.lo))))],
];

/** The quotient and the remainder of signed integers that chill: by 0 they are 0, of MIN by -1 MIN and 0. */
export const CHILL_DIVISION: Operation = {
  l: (x, y) => (y === 0 ? 0 : (x / y) | 0),
  q: (x, y) => (y === 0n ? 0n : x / y),
};
export const CHILL_REMAINDER: Operation = {
  l: (x, y) => (y === 0 ? 0 : (x % y) | 0),
  q: (x, y) => (y === 0n ? 0n : x % y),
};

/** The upper half of the whole product. */
export const highProduct =
  <V extends number | bigint>(kind: IntegerKind<V>, isSigned: boolean): Binary<V> =>
  (x, y) => {
    const wide = (value: V): bigint =>
      isSigned ? kind.toWide(value) : BigInt.asUintN(kind.bits, kind.toWide(value));
    return kind.ofWide((wide(x) * wide(y)) >> BigInt(kind.bits));
  };

// Guards and flags of overflow.

type Exact = (x: bigint, y: bigint) => bigint;
const EXACT = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
} as const satisfies Record<string, Exact>;
export type Exactly = keyof typeof EXACT;

/** The result is defined before the guard fails. */
const checked =
  <V extends number | bigint>(kind: IntegerKind<V>, name: Exactly, second: Source): Meaning =>
  (m) => {
    const exact = EXACT[name](kind.toWide(kind.use(m, 1)), kind.toWide(second(kind, m, 2)));
    kind.define(m, kind.ofWide(exact));
    if (BigInt.asIntN(kind.bits, exact) !== exact) m.exit();
  };

export const checkedRows = (
  name: Exactly,
  forms: readonly (readonly [suffix: string, second: Source])[],
): MeaningRow[] => {
  const shown = name === "mul" ? "imul" : name;
  return forms.flatMap(([suffix, second]): MeaningRow[] => [
    [`check.${shown}l${suffix}`, checked(L, name, second)],
    [`check.${shown}q${suffix}`, checked(Q, name, second)],
  ]);
};

const overflows =
  <V extends number | bigint>(kind: IntegerKind<V>, name: Exactly): Meaning =>
  (m) => {
    const exact = EXACT[name](kind.toWide(kind.use(m, 1)), kind.toWide(kind.use(m, 2)));
    m.setLow(0, BigInt.asIntN(kind.bits, exact) === exact ? 0 : 1);
  };

const carries =
  <V extends number | bigint>(kind: IntegerKind<V>): Meaning =>
  (m) => {
    const unsigned = (k: number): bigint => BigInt.asUintN(kind.bits, kind.toWide(kind.use(m, k)));
    m.setLow(0, (unsigned(1) + unsigned(2)) >> BigInt(kind.bits) === 0n ? 0 : 1);
  };

// Counts.
const leading32 = (x: number): number => Math.clz32(x);
const trailing32 = (x: number): number => (x === 0 ? 32 : 31 - Math.clz32(x & -x));
const ones32 = (x: number): number => {
  let count = 0;
  for (let rest = x; rest !== 0; rest &= rest - 1) count++;
  return count;
};
const halves = (x: bigint): [lo: number, hi: number] => [
  Number(BigInt.asIntN(32, x)),
  Number(x >> 32n),
];
const leading64 = (x: bigint): bigint => {
  const [lo, hi] = halves(x);
  return BigInt(hi !== 0 ? leading32(hi) : 32 + leading32(lo));
};
const trailing64 = (x: bigint): bigint => {
  const [lo, hi] = halves(x);
  return BigInt(lo !== 0 ? trailing32(lo) : 32 + trailing32(hi));
};
const ones64 = (x: bigint): bigint => {
  const [lo, hi] = halves(x);
  return BigInt(ones32(lo) + ones32(hi));
};

export const countRows = (leading: string, trailing: string): MeaningRow[] => [
  [`${leading}l`, unary(L, L, leading32)],
  [`${leading}q`, unary(Q, Q, leading64)],
  [`${trailing}l`, unary(L, L, trailing32)],
  [`${trailing}q`, unary(Q, Q, trailing64)],
  ["popcntl", unary(L, L, ones32)],
  ["popcntq", unary(Q, Q, ones64)],
];

// Floats. Where a result is a NaN its bits are open, but for what moves bits only.

/** To the nearest, of two the even one; the sign of a zero is the operand's. */
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
/** Changes the word with the sign, by the same word of the second operand if there is one. */
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
  ...signRows("neg", (x) => x ^ SIGN, false),
  ...signRows("abs", (x) => x & ~SIGN, false),
  ...signRows("copysign", (x, y) => (x & ~SIGN) | (y & SIGN), true),
  ...purify,
];

// Conversions.

/** A number that rounds to a Float as the integer does: where it is inexact, odd. */
function beforeRounding(x: bigint): number {
  const magnitude = x < 0n ? -x : x;
  if (magnitude < 1n << 53n) return Number(x);
  const rest = magnitude & 0x7ffn;
  const kept = magnitude - rest;
  const odd = Number(rest === 0n ? kept : kept | 0x800n);
  return x < 0n ? -odd : odd;
}

/** Saturates; a NaN becomes 0. */
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

/** Names of conversions, which are each target's own. */
export interface ConversionNames {
  readonly fromInteger: (sign: "s" | "u", from: "l" | "q", to: "ss" | "sd") => string;
  readonly toInteger: (sign: "s" | "u", from: "ss" | "sd", to: "l" | "q") => string;
  readonly widen: string;
  readonly narrow: string;
}

export function conversionRows({ fromInteger, toInteger, widen, narrow }: ConversionNames) {
  const rows: MeaningRow[] = [
    [widen, unary(SS, SD, (x) => x)],
    [narrow, unary(SD, SS, (x) => x)],
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

/** Bits between the banks. */
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

// Memory.

const signed8 = (x: number): number => (x << 24) >> 24;
const signed16 = (x: number): number => (x << 16) >> 16;

type Load = (m: LirMachine, address: bigint) => void;
/** What an access does with the value in operand 0. */
// biome-ignore format: a table
export const LOAD = {
  byte:       (m, at) => m.setLow(0, m.readByte(at)),
  signedByte: (m, at) => m.setLow(0, signed8(m.readByte(at))),
  half:       (m, at) => m.setLow(0, m.readHalf(at)),
  signedHalf: (m, at) => m.setLow(0, signed16(m.readHalf(at))),
  word:       (m, at) => m.setLow(0, m.readWord(at)),
  wide:       (m, at) => m.setWideOf(0, m.readWide(at)),
  single:     (m, at) => m.setOnlyLow(0, m.readWord(at)),
} as const satisfies Record<string, Load>;

type Store = (m: LirMachine, address: bigint, value: bigint) => void;
// biome-ignore format: a table
export const STORE = {
  byte: (m, at, value) => m.writeByte(at, Number(value & 0xffn)),
  half: (m, at, value) => m.writeHalf(at, Number(value & 0xffffn)),
  word: (m, at, value) => m.writeWord(at, Number(BigInt.asIntN(32, value))),
  wide: (m, at, value) => m.writeWide(at, value),
} as const satisfies Record<string, Store>;

/** Operand 0 is defined; the address begins with operand 1. */
export const loadRow = (name: string, load: Load, place: Place): MeaningRow => [
  name,
  (m) => load(m, place(m, 1)),
];
/** Operand 0 is stored; the address begins with operand 1. Of a narrow one only low bits count. */
export const storeRow = (name: string, store: Store, place: Place): MeaningRow => [
  name,
  (m) => store(m, place(m, 1), store === STORE.wide ? m.wideOf(0) : BigInt(m.low(0))),
];
/** Stores a constant; the address begins with operand 0. */
export const constantStoreRow = (
  name: string,
  store: Store,
  place: Place,
  value: (m: LirMachine) => bigint,
): MeaningRow => [name, (m) => store(m, place(m, 0), value(m))];

// Comparisons and who consumes them; the condition is the immediate's high word.

type Holds = <V extends number | bigint>(x: V, y: V, unsigned: (value: V) => V) => boolean;
/** Of floats, false for a NaN but for `fne` and `fequ`. */
// biome-ignore format: a table
const HOLDS: { readonly [C in ConditionName]: Holds } = {
  eq:         (x, y) => x === y,
  ne:         (x, y) => x !== y,
  lt:         (x, y) => x < y,
  gt:         (x, y) => x > y,
  le:         (x, y) => x <= y,
  ge:         (x, y) => x >= y,
  above:      (x, y, unsigned) => unsigned(x) > unsigned(y),
  below:      (x, y, unsigned) => unsigned(x) < unsigned(y),
  aboveEqual: (x, y, unsigned) => unsigned(x) >= unsigned(y),
  belowEqual: (x, y, unsigned) => unsigned(x) <= unsigned(y),
  feq:        (x, y) => x === y,
  fne:        (x, y) => x !== y,
  flt:        (x, y) => x < y,
  fgt:        (x, y) => x > y,
  fle:        (x, y) => x <= y,
  fge:        (x, y) => x >= y,
  fequ:       (x, y) => !(x < y || x > y),
};
const HOLDS_BY_NUMBER: readonly Holds[] = CONDITION_NAMES.map((name) => HOLDS[name]);

/** Whether the condition holds for what is compared, of which operand k is the first part. */
type Comparison = readonly [name: string, holds: (m: LirMachine, k: number) => boolean];

const same = <V>(value: V): V => value;
const integers =
  <V extends number | bigint>(
    { use, unsigned }: IntegerKind<V>,
    second: (m: LirMachine, k: number) => V,
  ): Comparison[1] =>
  (m, k) =>
    HOLDS_BY_NUMBER[m.hi](use(m, k), second(m, k + 1), unsigned);
const floats =
  ({ use }: Kind<number>): Comparison[1] =>
  (m, k) =>
    HOLDS_BY_NUMBER[m.hi](use(m, k), use(m, k + 1), same);

/** The immediate's high word being the condition, its low word is the whole constant. */
const COMPARISONS: readonly Comparison[] = [
  ["cmpl", integers(L, L.use)],
  ["cmpq", integers(Q, Q.use)],
  ["cmplImm", integers(L, (m) => m.lo)],
  ["cmpqImm", integers(Q, (m) => BigInt(m.lo))],
  ["testl", integers(L, () => 0)],
  ["testq", integers(Q, () => 0n)],
  ["ucomiss", floats(SS)],
  ["ucomisd", floats(SD)],
];

/** Comparisons with an operand in memory. */
export const loadComparisons = (suffix: string, place: Place): Comparison[] => [
  [`cmpl.load${suffix}`, integers(L, (m, k) => L.read(m, place(m, k)))],
  [`cmpq.load${suffix}`, integers(Q, (m, k) => Q.read(m, place(m, k)))],
];

/** Operands of a selection: definition, the value for false, the value for true, the comparison's. */
export const consumerRows = (more: readonly Comparison[]): MeaningRow[] =>
  [...COMPARISONS, ...more].flatMap(([name, holds]): MeaningRow[] => [
    [`branch.${name}`, (m) => m.goTo(holds(m, 0) ? 0 : 1)],
    [
      `check.${name}`,
      (m) => {
        if (holds(m, 0)) m.exit();
      },
    ],
    [`set.${name}`, (m) => m.setLow(0, holds(m, 1) ? 1 : 0)],
    [`selectInt32.${name}`, (m) => m.setOnlyLow(0, m.low(holds(m, 3) ? 2 : 1))],
    [`selectInt64.${name}`, (m) => m.setWideOf(0, m.wideOf(holds(m, 3) ? 2 : 1))],
    [`selectFloat.${name}`, (m) => m.setOnlyLow(0, m.low(holds(m, 3) ? 2 : 1))],
    [`selectDouble.${name}`, (m) => m.setWideOf(0, m.wideOf(holds(m, 3) ? 2 : 1))],
  ]);

// Everything else that both targets have.

const FORMS_OF_ARGUMENTS = [
  ["l", LOAD.word, STORE.word],
  ["q", LOAD.wide, STORE.wide],
  ["ss", LOAD.single, STORE.word],
  ["sd", LOAD.wide, STORE.wide],
] as const;

function goByKey(m: LirMachine, isEqual: (lo: number, hi: number) => boolean): void {
  const { lo, hi, count } = m.procedure.lir.switches[m.lo];
  let k = 0;
  while (k < count && !isEqual(lo[k], hi[k])) k++;
  m.goTo(k);
}

/** @param trap what an Oops runs into */
export const commonRows = (trap: FaultKind): MeaningRow[] => [
  ["constl", (m) => m.setLow(0, m.lo)],
  ["constq", (m) => m.setWords(0, m.lo, m.hi)],
  ["constss", (m) => m.setOnlyLow(0, m.lo)],
  ["constsd", (m) => m.setWords(0, m.lo, m.hi)],
  ["constss.pool", (m) => m.setOnlyLow(0, m.lo)],
  ["constsd.pool", (m) => m.setWords(0, m.lo, m.hi)],
  ["framePointer", (m) => m.setWideOf(0, m.frameAddress(0))],
  ["slotAddress", (m) => m.setWideOf(0, m.slotAddress(m.lo))],
  ["functionAddress", (m) => m.setWideOf(0, m.addressOfProcedure(m.lo))],

  ...integerRows("add", INTEGER_OPERATIONS.add, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("sub", INTEGER_OPERATIONS.sub, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("and", INTEGER_OPERATIONS.and, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("imul", INTEGER_OPERATIONS.imul, [["", inPlace]]),
  ...integerRows("rol", SHIFTS.rotateLeft, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("ror", SHIFTS.rotateRight, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("chillMod", CHILL_REMAINDER, [["", inPlace]]),
  ["negl", unary(L, L, (x) => -x | 0)],
  ["negq", unary(Q, Q, (x) => -x)],
  ["zextl", (m) => m.setWords(0, m.low(1), 0)],
  ["zextlDone", (m) => m.setWords(0, m.low(1), m.high(1))],
  ["zextlName", (m) => m.setWords(0, m.low(1), m.high(1))],
  ["truncq", (m) => m.setOnlyLow(0, m.low(1))],
  ["highl", (m) => m.setLow(0, m.high(1))],
  ["stitch", (m) => m.setWords(0, m.low(2), m.low(1))],
  ["opaque", (m) => m.setWords(0, m.low(1), m.high(1))],
  ["addOverflowsl", overflows(L, "add")],
  ["addOverflowsq", overflows(Q, "add")],
  ["subOverflowsl", overflows(L, "sub")],
  ["subOverflowsq", overflows(Q, "sub")],
  ["mulOverflowsl", overflows(L, "mul")],
  ["mulOverflowsq", overflows(Q, "mul")],
  ["addCarriesl", carries(L)],
  ["addCarriesq", carries(Q)],
  ...checkedRows("add", [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...checkedRows("sub", [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...floatRows(),

  ...FORMS_OF_ARGUMENTS.flatMap(([suffix, load, store]): MeaningRow[] => [
    [`loadArgument.${suffix}`, (m) => load(m, m.frameAddress(m.lo))],
    [
      `storeArgument.${suffix}`,
      (m) =>
        store(m, m.argumentAddress(m.lo), store === STORE.wide ? m.wideOf(0) : BigInt(m.low(0))),
    ],
  ]),

  ["entry", (m) => m.takeFixed()],
  ["jump", (m) => m.goTo(0)],
  ["switchl", (m) => goByKey(m, (lo) => lo === m.low(0))],
  ["switchq", (m) => goByKey(m, (lo, hi) => lo === m.low(0) && hi === m.high(0))],
  [
    "return",
    (m) => {
      m.passFixed();
      m.leave();
    },
  ],
  ["oops", (m) => m.fault(trap)],
  [
    "call",
    (m) => {
      m.passFixed();
      m.call(m.lo);
    },
  ],
  [
    "callIndirect",
    (m) => {
      m.passFixed();
      m.callAddress(m.wideOf(m.lo));
    },
  ],
  ["callHost", callHost],
];

export function callHost(m: LirMachine): void {
  m.passFixed();
  m.hostCall(m.lo);
  m.takeFixed();
}

/** By opcode of the rows; throws for one without a meaning, and for a meaning that has no row. */
export function meaningsOf(
  rows: readonly { readonly name: string }[],
  table: ReadonlyMap<string, Meaning>,
): Meaning[] {
  const missing = rows.filter(({ name }) => !table.has(name));
  const names = new Set(rows.map(({ name }) => name));
  const idle = [...table.keys()].filter((name) => !names.has(name));
  assert(missing.length === 0 && idle.length === 0, () => {
    const text = (list: readonly string[]): string => list.join(", ") || "none";
    const without = text(missing.map(({ name }) => name));
    return `rows without a meaning: ${without}; meanings without a row: ${text(idle)}`;
  });
  return rows.map(({ name }) => table.get(name) ?? unknown);
}

const unknown: Meaning = () => {};
