// The semantics of the LIR rows of x86-64 that arm64 does not have. Rows with the same name and
// another suffix take their last operand from another source: from memory, from the instruction, or
// from the constant pool.

import { castRows, conversionRows, FLOAT_BINARY } from "../lir/interpret/float-meanings.js";
import type { Meaning } from "../lir/interpret/lir-machine.js";
import {
  type AddressSource,
  atOperand,
  binary,
  type IntegerKind,
  immediate,
  inMemory,
  inPlace,
  inSlot,
  L,
  type MeaningRow,
  Q,
  SD,
  type Source,
  SS,
  unary,
} from "../lir/interpret/meaning-kinds.js";
import {
  CHILL_DIVISION,
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
  loadComparisons,
  loadRow,
  SHIFTS,
  STORE,
  shiftedRows,
  storeRow,
} from "../lir/interpret/meanings.js";
import { patchpointMeanings } from "../lir/interpret/patchpoint-meanings.js";
import { X64_REGISTERS } from "./patchpoints.js";

/** base + index << scale + displacement; operand k is the base. */
const indexed =
  (scale: number): AddressSource =>
  (m, k) =>
    m.wideOf(k) + (m.wideOf(k + 1) << BigInt(scale)) + BigInt(m.lo);
/** The address in a stack slot at an index, operand k. */
const slotIndexed =
  (scale: number): AddressSource =>
  (m, k) =>
    m.slotAddress(m.hi) + BigInt(m.lo) + (m.wideOf(k) << BigInt(scale));

const SCALES = [0, 1, 2, 3] as const;
const ADDRESSED: readonly (readonly [suffix: string, place: AddressSource])[] = [
  ["", atOperand],
  ...SCALES.map((scale) => [`.x${scale}`, indexed(scale)] as const),
];
const PLACES: typeof ADDRESSED = [
  ...ADDRESSED,
  [".slot", inSlot],
  ...SCALES.map((scale) => [`.slotx${scale}`, slotIndexed(scale)] as const),
];
const LOADED: readonly (readonly [suffix: string, second: Source])[] = PLACES.map(
  ([suffix, place]) => [`.load${suffix}`, inMemory(place)],
);

// A divisor of 0 faults, and so does a quotient that does not fit.
const divide =
  <V extends number | bigint>(
    kind: IntegerKind<V>,
    isSigned: boolean,
    gives: 0 | 1 | "floor",
  ): Meaning =>
  (m) => {
    const value = (k: number): bigint => {
      const wide = kind.toWide(kind.use(m, k));
      return isSigned ? wide : BigInt.asUintN(kind.bits, wide);
    };
    const [x, y] = [value(1), value(2)];
    const isWrong = y === 0n || (isSigned && BigInt.asIntN(kind.bits, x / y) !== x / y);
    if (isWrong) m.fault("divide");
    else if (gives === "floor") kind.define(m, kind.ofWide(floorRemainder(x, y)));
    else kind.define(m, kind.ofWide(gives === 0 ? x / y : x % y));
  };

const divisions = <V extends number | bigint>(w: "l" | "q", kind: IntegerKind<V>): MeaningRow[] => [
  [`idiv${w}`, divide(kind, true, 0)],
  [`idiv${w}.rem`, divide(kind, true, 1)],
  [`div${w}`, divide(kind, false, 0)],
  [`div${w}.rem`, divide(kind, false, 1)],
  [`floorMod${w}`, divide(kind, true, "floor")],
  [`imul${w}.high`, binary(kind, highProduct(kind, true))],
  [`mul${w}.high`, binary(kind, highProduct(kind, false))],
];

const { add, sub, imul, and, or, xor } = INTEGER_OPERATIONS;
const INTEGERS: readonly MeaningRow[] = [
  ...integerRows("or", or, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("xor", xor, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("imul", imul, [
    ["Imm", immediate],
    ["Imm.free", immediate],
  ]),
  ...Object.entries({ add, sub, imul, and, or, xor }).flatMap(([name, operation]) =>
    integerRows(name, operation, LOADED),
  ),
  ...integerRows("add", add, [
    [".free", inPlace],
    ["Imm.free", immediate],
  ]),
  ...shiftedRows("add", add, "lsl", SHIFTS.left),
  ...integerRows("shl", SHIFTS.left, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("sar", SHIFTS.right, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("shr", SHIFTS.unsigned, [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...checkedRows("mul", [
    ["", inPlace],
    ["Imm", immediate],
  ]),
  ...integerRows("chillDiv", CHILL_DIVISION, [["", inPlace]]),
  ...divisions("l", L),
  ...divisions("q", Q),
  ...countRows("lzcnt", "tzcnt"),
  ["movsbl", unary(L, L, (x) => (x << 24) >> 24)],
  ["movswl", unary(L, L, (x) => (x << 16) >> 16)],
  ["movsbq", unary(L, Q, (x) => BigInt.asIntN(8, BigInt(x)))],
  ["movswq", unary(L, Q, (x) => BigInt.asIntN(16, BigInt(x)))],
  ["movslq", unary(L, Q, (x) => BigInt(x))],
];

/** Returns the result of cvtt: the least integer if there is no result. */
function truncated(x: number, bits: number): bigint {
  const isIn = x > -(2 ** (bits - 1)) - 1 && x < 2 ** (bits - 1);
  const whole = isIn ? BigInt(Math.trunc(x)) : 0n;
  return isIn && BigInt.asIntN(bits, whole) === whole ? whole : -(1n << BigInt(bits - 1));
}
const PROVED_CONVERSIONS = (
  [
    ["ss", SS],
    ["sd", SD],
  ] as const
).flatMap(([w, kind]): MeaningRow[] => [
  [`sat${w}2sl.proved`, unary(kind, L, (x) => Number(truncated(x, 32)))],
  [`sat${w}2sq.proved`, unary(kind, Q, (x) => truncated(x, 64))],
  [`sat${w}2ul.proved`, unary(kind, L, (x) => L.ofWide(truncated(x, 64)))],
  [`sat${w}2uq.proved`, unary(kind, Q, (x) => truncated(x, 64))],
]);

const FLOATS: readonly MeaningRow[] = [
  ...Object.entries(FLOAT_BINARY).flatMap(([name, f]) =>
    [...LOADED, [".pool", immediate] as const].flatMap(([suffix, second]): MeaningRow[] => [
      [`${name}ss${suffix}`, binary(SS, f, second)],
      [`${name}sd${suffix}`, binary(SD, f, second)],
    ]),
  ),
  ...conversionRows({
    fromInteger: (sign, from, to) => `cvt${sign === "s" ? "si" : "u"}2${to}${from}`,
    toInteger: (sign, from, to) => `sat${from}2${sign}${to}`,
    widen: "cvtss2sd",
    narrow: "cvtsd2ss",
  }),
  ...PROVED_CONVERSIONS,
  ...castRows("movdToXmm", "movqToXmm", "movdFromXmm", "movqFromXmm"),
];

const LOADS = [
  ["movzbl", LOAD.byte],
  ["movsbl", LOAD.signedByte],
  ["movzwl", LOAD.half],
  ["movswl", LOAD.signedHalf],
  ["movl", LOAD.word],
  ["movq", LOAD.wide],
  ["movss", LOAD.single],
  ["movsd", LOAD.wide],
] as const;
const STORES = [
  ["movb", STORE.byte],
  ["movw", STORE.half],
  ["movl", STORE.word],
  ["movq", STORE.wide],
  ["movss", STORE.word],
  ["movsd", STORE.wide],
] as const;

const MEMORY: readonly MeaningRow[] = [
  ...LOADS.flatMap(([name, load]) =>
    PLACES.map(([suffix, place]) => loadRow(`${name}Load${suffix}`, load, place)),
  ),
  ...STORES.flatMap(([name, store]) => [
    ...PLACES.map(([suffix, place]) => storeRow(`${name}Store${suffix}`, store, place)),
    // The constant is the immediate's high word, sign-extended.
    ...ADDRESSED.map(([suffix, place]) =>
      constantStoreRow(`${name}Store${suffix}.constant`, store, place, (m) => BigInt(m.hi)),
    ),
  ]),
];

export const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...commonRows("invalid-instruction"),
  ...INTEGERS,
  ...FLOATS,
  ...MEMORY,
  ...consumerRows(ADDRESSED.flatMap(([suffix, place]) => loadComparisons(suffix, place))),
  ...patchpointMeanings(X64_REGISTERS),
]);
