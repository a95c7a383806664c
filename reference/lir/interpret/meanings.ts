// The semantics of LIR instructions that are the same on both targets: integers, memory,
// comparisons, control. Floats are in float-meanings.ts, the access to operands in
// meaning-kinds.ts. A target's own table (x64/meanings.ts, arm64/meanings.ts) adds the rest; the
// encoders share only the names.

import type { FaultKind } from "../../../src/ir/outcome.js";
import { assert } from "../../../src/support/assert.js";
import { CONDITION_NAMES, type ConditionName } from "../../target/conditions.js";
import { ATOMIC_MEANINGS } from "./atomic-meanings.js";
import { floatRows } from "./float-meanings.js";
import type { LirMachine, Meaning } from "./lir-machine.js";
import {
  type AddressSource,
  type Binary,
  binary,
  type IntegerKind,
  immediate,
  inPlace,
  type Kind,
  L,
  type MeaningRow,
  Q,
  SD,
  type Source,
  SS,
  unary,
} from "./meaning-kinds.js";

/** An integer operation at both widths. */
export interface Operation {
  readonly l: Binary<number>;
  readonly q: Binary<bigint>;
}

/**
 * Returns the rows of both widths of an operation with a second operand of each form: `name`,
 * width, suffix.
 */
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

/** Returns the same rows for a second operand that is shifted by the immediate first. */
export const shiftedRows = (
  name: string,
  { l, q }: Operation,
  suffix: string,
  by: Operation,
): MeaningRow[] => [
  [`${name}l.${suffix}`, (m) => L.define(m, l(m.low(1), by.l(m.low(2), m.lo)))],
  [`${name}q.${suffix}`, (m) => Q.define(m, q(m.wideOf(1), by.q(m.wideOf(2), BigInt(m.lo))))],
];

/**
 * The quotient of signed integers by chill division: by 0 it is 0, of MIN by -1 it is MIN.
 * CHILL_REMAINDER: 0 in both cases.
 */
export const CHILL_DIVISION: Operation = {
  l: (x, y) => (y === 0 ? 0 : (x / y) | 0),
  q: (x, y) => (y === 0n ? 0n : x / y),
};
const CHILL_REMAINDER: Operation = {
  l: (x, y) => (y === 0 ? 0 : (x % y) | 0),
  q: (x, y) => (y === 0n ? 0n : x % y),
};

/** Returns the remainder with the divisor's sign. */
export function floorRemainder(x: bigint, y: bigint): bigint {
  const rest = x % y;
  return rest * y < 0n ? rest + y : rest;
}

const above32 = (x: number, y: number): boolean => x >>> 0 > y >>> 0;
const above64 = (x: bigint, y: bigint): boolean => BigInt.asUintN(64, x) > BigInt.asUintN(64, y);
// biome-ignore format: a table
const EXTREMA = {
  min:  { l: (x, y) => (x > y ? y : x),         q: (x, y) => (x > y ? y : x) },
  max:  { l: (x, y) => (x > y ? x : y),         q: (x, y) => (x > y ? x : y) },
  umin: { l: (x, y) => (above32(x, y) ? y : x), q: (x, y) => (above64(x, y) ? y : x) },
  umax: { l: (x, y) => (above32(x, y) ? x : y), q: (x, y) => (above64(x, y) ? x : y) },
} as const satisfies Record<string, Operation>;

/** Returns the upper half of the full product. */
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
type Exactly = keyof typeof EXACT;

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

const checkedNegation =
  <V extends number | bigint>(kind: IntegerKind<V>): Meaning =>
  (m) => {
    const opposite = -kind.toWide(kind.use(m, 1));
    kind.define(m, kind.ofWide(opposite));
    if (BigInt.asIntN(kind.bits, opposite) !== opposite) m.exit();
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

const VIEW = new DataView(new ArrayBuffer(8));
/** Reverses bytes: writes one byte order and reads the other. */
function swapped32(x: number): number {
  VIEW.setInt32(0, x, true);
  return VIEW.getInt32(0, false);
}
function swapped64(x: bigint): bigint {
  VIEW.setBigInt64(0, x, true);
  return VIEW.getBigInt64(0, false);
}

// Memory.

const signed8 = (x: number): number => (x << 24) >> 24;
const signed16 = (x: number): number => (x << 16) >> 16;

type Load = (m: LirMachine, address: bigint) => void;
/** The effect of a load on the value in operand 0. */
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

/** Returns a load: it defines operand 0; the address begins with operand 1. */
export const loadRow = (name: string, load: Load, place: AddressSource): MeaningRow => [
  name,
  (m) => load(m, place(m, 1)),
];
/**
 * Returns a store: it writes operand 0; the address begins with operand 1. A narrow store uses only
 * low bits.
 */
export const storeRow = (name: string, store: Store, place: AddressSource): MeaningRow => [
  name,
  (m) => store(m, place(m, 1), store === STORE.wide ? m.wideOf(0) : BigInt(m.low(0))),
];
/** Returns a store of a constant; the address begins with operand 0. */
export const constantStoreRow = (
  name: string,
  store: Store,
  place: AddressSource,
  value: (m: LirMachine) => bigint,
): MeaningRow => [name, (m) => store(m, place(m, 0), value(m))];

// Comparisons and their consumers; the condition code is the immediate's high word.

type ConditionTest = <V extends number | bigint>(x: V, y: V, unsigned: (value: V) => V) => boolean;
/** For floats: false for a NaN, except for `fne`, `fequ` and the negations of orders. */
// biome-ignore format: a table
const CONDITION_TESTS: { readonly [C in ConditionName]: ConditionTest } = {
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
  fnlt:       (x, y) => !(x < y),
  fngt:       (x, y) => !(x > y),
  fnle:       (x, y) => !(x <= y),
  fnge:       (x, y) => !(x >= y),
  fone:       (x, y) => x < y || x > y,
};
const TESTS_BY_NUMBER: readonly ConditionTest[] = CONDITION_NAMES.map(
  (name) => CONDITION_TESTS[name],
);

/** Returns whether the condition holds for the comparison whose first operand is operand k. */
type Comparison = readonly [name: string, holds: (m: LirMachine, k: number) => boolean];

const same = <V>(value: V): V => value;
const integers =
  <V extends number | bigint>(
    { use, unsigned }: IntegerKind<V>,
    second: (m: LirMachine, k: number) => V,
  ): Comparison[1] =>
  (m, k) =>
    TESTS_BY_NUMBER[m.hi](use(m, k), second(m, k + 1), unsigned);
const floats =
  ({ use }: Kind<number>): Comparison[1] =>
  (m, k) =>
    TESTS_BY_NUMBER[m.hi](use(m, k), use(m, k + 1), same);

/** Compares the common bits of two operands with zero. */
const holdsOfBits = (m: LirMachine, common: number | bigint): boolean =>
  TESTS_BY_NUMBER[m.hi](Number(common), 0, same);

/** The immediate's high word is the condition code, so its low word is the whole constant. */
const COMPARISONS: readonly Comparison[] = [
  ["cmpl", integers(L, L.use)],
  ["cmpq", integers(Q, Q.use)],
  ["cmplImm", integers(L, (m) => m.lo)],
  ["cmpqImm", integers(Q, (m) => BigInt(m.lo))],
  ["testl", integers(L, () => 0)],
  ["testq", integers(Q, () => 0n)],
  ["bitsl", (m, k) => holdsOfBits(m, L.use(m, k) & L.use(m, k + 1))],
  ["bitsq", (m, k) => holdsOfBits(m, Q.use(m, k) & Q.use(m, k + 1))],
  ["bitslImm", (m, k) => holdsOfBits(m, L.use(m, k) & m.lo)],
  ["bitsqImm", (m, k) => holdsOfBits(m, Q.use(m, k) & BigInt(m.lo))],
  ["ucomiss", floats(SS)],
  ["ucomisd", floats(SD)],
];

/** Returns comparisons with an operand in memory. */
export const loadComparisons = (suffix: string, place: AddressSource): Comparison[] => [
  [`cmpl.load${suffix}`, integers(L, (m, k) => L.read(m, place(m, k)))],
  [`cmpq.load${suffix}`, integers(Q, (m, k) => Q.read(m, place(m, k)))],
];

/**
 * Returns the consumers of comparisons. The operands of a selection: definition, the value for
 * false, the value for true, those of the comparison.
 */
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

// The other rows that both targets have.

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

const CONSTANTS: readonly MeaningRow[] = [
  ["constl", (m) => m.setLow(0, m.lo)],
  ["constq", (m) => m.setWords(0, m.lo, m.hi)],
  ["constss", (m) => m.setOnlyLow(0, m.lo)],
  ["constsd", (m) => m.setWords(0, m.lo, m.hi)],
  ["constss.pool", (m) => m.setOnlyLow(0, m.lo)],
  ["constsd.pool", (m) => m.setWords(0, m.lo, m.hi)],
  ["framePointer", (m) => m.setWideOf(0, m.frameAddress(0))],
  ["slotAddress", (m) => m.setWideOf(0, m.slotAddress(m.lo))],
  ["functionAddress", (m) => m.setWideOf(0, m.addressOfProcedure(m.lo))],
];

const INTEGERS: readonly MeaningRow[] = [
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
  ...(["min", "max", "umin", "umax"] as const).flatMap((name) =>
    integerRows(name, EXTREMA[name], [["", inPlace]]),
  ),
  ...integerRows("rol", SHIFTS.rotateLeft, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("ror", SHIFTS.rotateRight, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("chillMod", CHILL_REMAINDER, [["", inPlace]]),
  ["check.negl", checkedNegation(L)],
  ["check.negq", checkedNegation(Q)],
  ["check.always", (m) => m.exit()],
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
];

/** Changes of width, halves, and copies. */
const WIDTHS: readonly MeaningRow[] = [
  ["negl", unary(L, L, (x) => -x | 0)],
  ["negq", unary(Q, Q, (x) => -x)],
  ["bswapl", unary(L, L, swapped32)],
  ["dependl", unary(L, L, () => 0)],
  ["dependq", unary(Q, Q, () => 0n)],
  ["bswapq", unary(Q, Q, swapped64)],
  ["zextl", (m) => m.setWords(0, m.low(1), 0)],
  ["zextlDone", (m) => m.setWords(0, m.low(1), m.high(1))],
  ["zextlName", (m) => m.setWords(0, m.low(1), m.high(1))],
  ["truncq", (m) => m.setOnlyLow(0, m.low(1))],
  ["highl", (m) => m.setLow(0, m.high(1))],
  ["stitch", (m) => m.setWords(0, m.low(2), m.low(1))],
  ["opaque", (m) => m.setWords(0, m.low(1), m.high(1))],
];

const ARGUMENTS: readonly MeaningRow[] = [
  ...FORMS_OF_ARGUMENTS.flatMap(([suffix, load, store]): MeaningRow[] => [
    [`loadArgument.${suffix}`, (m) => load(m, m.frameAddress(m.lo))],
    [
      `storeArgument.${suffix}`,
      (m) =>
        store(m, m.argumentAddress(m.lo), store === STORE.wide ? m.wideOf(0) : BigInt(m.low(0))),
    ],
  ]),
];

const CONTROL: readonly MeaningRow[] = [
  ["fence.loads", () => {}],
  ["fence.stores", () => {}],
  ["fence.all", () => {}],
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

/**
 * Returns the rows that both targets have by the same name.
 *
 * @param trap the fault of an Oops
 */
export const commonRows = (trap: FaultKind): MeaningRow[] => [
  ...CONSTANTS,
  ...INTEGERS,
  ...WIDTHS,
  ...floatRows(),
  ...ARGUMENTS,
  ...ATOMIC_MEANINGS,
  ...CONTROL,
  ["oops", (m) => m.fault(trap)],
];

export function callHost(m: LirMachine): void {
  m.passFixed();
  m.hostCall(m.lo);
  m.takeFixed();
}

/**
 * Returns the meanings by opcode of the rows. Throws if a row has no meaning, or a meaning no row.
 */
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
