// The semantics of the LIR rows of ARM64 that x64 does not have. Rows with the same name and
// another suffix shift, extend or invert their last operand, or have a product instead of it.

import { castRows, conversionRows } from "../lir/interpret/float-meanings.js";
import type { LirMachine, Meaning } from "../lir/interpret/lir-machine.js";
import {
  type AddressSource,
  atOperand,
  binary,
  type IntegerKind,
  immediate,
  inPlace,
  inSlot,
  L,
  type MeaningRow,
  Q,
  unary,
} from "../lir/interpret/meaning-kinds.js";
import {
  callHost,
  checkedRows,
  commonRows,
  constantStoreRow,
  consumerRows,
  countRows,
  floorRemainder,
  highProduct,
  INTEGER_OPERATIONS,
  integerRows,
  LOAD,
  loadRow,
  type Operation,
  SHIFTS,
  STORE,
  shiftedRows,
  storeRow,
} from "../lir/interpret/meanings.js";
import { patchpointMeanings } from "../lir/interpret/patchpoint-meanings.js";
import { ARM64_REGISTERS } from "./patchpoints.js";

const { add, sub, imul, and, or, xor } = INTEGER_OPERATIONS;

const invertedRows = (name: string, { l, q }: Operation): MeaningRow[] => [
  [`${name}l.not`, binary(L, (x, y) => l(x, ~y))],
  [`${name}q.not`, binary(Q, (x, y) => q(x, ~y))],
];

/** Operands: definition, the summand, the factors. */
const productRows = (name: string, { l, q }: Operation): MeaningRow[] => [
  [`${name}l.mul`, (m) => L.define(m, l(m.low(1), Math.imul(m.low(2), m.low(3))))],
  [`${name}q.mul`, (m) => Q.define(m, q(m.wideOf(1), m.wideOf(2) * m.wideOf(3)))],
];

// An index: of 64 bits, or of 32 bits that are extended; then shifted.
const INDEX_KINDS = [
  ["x", (m: LirMachine, k: number) => m.wideOf(k)],
  ["u", (m: LirMachine, k: number) => BigInt(m.low(k) >>> 0)],
  ["s", (m: LirMachine, k: number) => BigInt(m.low(k))],
] as const;

const extendedRows = (name: string, { q }: Operation): MeaningRow[] =>
  INDEX_KINDS.slice(1).flatMap(([kind, index]) =>
    [0, 1, 2, 3].map(
      (shift): MeaningRow => [
        `${name}q.${kind}${shift}`,
        (m) => Q.define(m, q(m.wideOf(1), index(m, 2) << BigInt(shift))),
      ],
    ),
  );

// A quotient by 0 is 0, so the remainder is the dividend.
const quotient =
  <V extends number | bigint>(kind: IntegerKind<V>, isSigned: boolean): Meaning =>
  (m) => {
    const [x, y] = dividends(kind, isSigned, m);
    kind.define(m, kind.ofWide(y === 0n ? 0n : x / y));
  };
const remainder =
  <V extends number | bigint>(kind: IntegerKind<V>, isSigned: boolean): Meaning =>
  (m) => {
    const [x, y] = dividends(kind, isSigned, m);
    kind.define(m, kind.ofWide(y === 0n ? x : x % y));
  };
function dividends<V extends number | bigint>(
  kind: IntegerKind<V>,
  isSigned: boolean,
  m: LirMachine,
): [x: bigint, y: bigint] {
  const [x, y] = [kind.toWide(kind.use(m, 1)), kind.toWide(kind.use(m, 2))];
  return isSigned ? [x, y] : [BigInt.asUintN(kind.bits, x), BigInt.asUintN(kind.bits, y)];
}

const divisions = <V extends number | bigint>(w: "l" | "q", kind: IntegerKind<V>): MeaningRow[] => [
  [`sdiv${w}`, quotient(kind, true)],
  [`udiv${w}`, quotient(kind, false)],
  [`smod${w}`, remainder(kind, true)],
  [`umod${w}`, remainder(kind, false)],
  [
    `floorMod${w}`,
    binary(kind, (x, y) => {
      const [dividend, divisor] = [kind.toWide(x), kind.toWide(y)];
      return divisor === 0n ? x : kind.ofWide(floorRemainder(dividend, divisor));
    }),
  ],
  [`smulh${w}`, binary(kind, highProduct(kind, true))],
  [`umulh${w}`, binary(kind, highProduct(kind, false))],
];

const LOGICAL = { and, orr: or, eor: xor };
const INTEGERS: readonly MeaningRow[] = [
  ["constl.pool", (m) => m.setLow(0, m.lo)],
  ["constq.pool", (m) => m.setWords(0, m.lo, m.hi)],
  ...integerRows("orr", or, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("eor", xor, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...Object.entries({ add, sub, ...LOGICAL }).flatMap(([name, operation]) => [
    ...shiftedRows(name, operation, "lsl", SHIFTS.left),
    ...shiftedRows(name, operation, "lsr", SHIFTS.unsigned),
    ...shiftedRows(name, operation, "asr", SHIFTS.right),
  ]),
  ...Object.entries(LOGICAL).flatMap(([name, operation]) => [
    ...shiftedRows(name, operation, "ror", SHIFTS.rotateRight),
    ...invertedRows(name, operation),
  ]),
  ...Object.entries({ add, sub }).flatMap(([name, operation]) => [
    ...extendedRows(name, operation),
    ...productRows(name, operation),
  ]),
  ...integerRows("imul", imul, [["Imm", immediate]]),
  ...integerRows("lsl", SHIFTS.left, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("asr", SHIFTS.right, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("lsr", SHIFTS.unsigned, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...checkedRows("mul", [["", inPlace]]),
  ...divisions("l", L),
  ...divisions("q", Q),
  ...countRows("clz", "ctz"),
  ["mvnl", unary(L, L, (x) => ~x)],
  ["mvnq", unary(Q, Q, (x) => ~x)],
  ["sxtbl", unary(L, L, (x) => (x << 24) >> 24)],
  ["sxthl", unary(L, L, (x) => (x << 16) >> 16)],
  ["sxtbq", unary(L, Q, (x) => BigInt.asIntN(8, BigInt(x)))],
  ["sxthq", unary(L, Q, (x) => BigInt.asIntN(16, BigInt(x)))],
  ["sxtlq", unary(L, Q, (x) => BigInt(x))],
  ["callHost.pool", callHost],
];

const FLOATS: readonly MeaningRow[] = [
  ...conversionRows({
    fromInteger: (sign, from, to) => `${sign}cvtf${to}${from}`,
    toInteger: (sign, from, to) => `fcvtz${sign}${from}2${to}`,
    widen: "fcvtss2sd",
    narrow: "fcvtsd2ss",
  }),
  ...castRows("fmovl2ss", "fmovq2sd", "fmovss2l", "fmovsd2q"),
];

/** The accesses, by the suffix of their rows, with the largest shift of an index. */
const ACCESSES = [
  ["b", 0, LOAD.byte, STORE.byte],
  ["sb", 0, LOAD.signedByte, null],
  ["h", 1, LOAD.half, STORE.half],
  ["sh", 1, LOAD.signedHalf, null],
  ["l", 2, LOAD.word, STORE.word],
  ["q", 3, LOAD.wide, STORE.wide],
  ["ss", 2, LOAD.single, STORE.word],
  ["sd", 3, LOAD.wide, STORE.wide],
] as const;

/** base + index << shift, without displacement; operand k is the base. */
const indexedPlaces = (shiftMax: number): (readonly [suffix: string, place: AddressSource])[] =>
  INDEX_KINDS.flatMap(([kind, index]) =>
    (shiftMax === 0 ? [0] : [0, shiftMax]).map((shift): readonly [string, AddressSource] => [
      `.${kind}${shift}`,
      (m, k) => m.wideOf(k) + (index(m, k + 1) << BigInt(shift)),
    ]),
  );

const MEMORY: readonly MeaningRow[] = ACCESSES.flatMap(([name, shiftMax, load, store]) => {
  const indexed = indexedPlaces(shiftMax);
  const rows: MeaningRow[] = [
    loadRow(`ldr${name}`, load, atOperand),
    loadRow(`ldur${name}`, load, atOperand),
    loadRow(`ldr${name}.slot`, load, inSlot),
    ...indexed.map(([suffix, place]) => loadRow(`ldr${name}${suffix}`, load, place)),
  ];
  if (store === null) return rows;
  const zero = (): bigint => 0n;
  return [
    ...rows,
    storeRow(`str${name}`, store, atOperand),
    storeRow(`stur${name}`, store, atOperand),
    storeRow(`str${name}.slot`, store, inSlot),
    ...indexed.map(([suffix, place]) => storeRow(`str${name}${suffix}`, store, place)),
    constantStoreRow(`str${name}.constant`, store, atOperand, zero),
    constantStoreRow(`stur${name}.constant`, store, atOperand, zero),
    ...indexed.map(([suffix, place]) =>
      constantStoreRow(`str${name}${suffix}.constant`, store, place, zero),
    ),
  ];
});

export const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...commonRows("breakpoint"),
  ...INTEGERS,
  ...FLOATS,
  ...MEMORY,
  ...consumerRows([]),
  ...patchpointMeanings(ARM64_REGISTERS),
]);
