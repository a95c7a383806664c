// The meanings of the LIR rows of ARM64 that x64 does not have. Rows with the same name and another suffix shift,
// extend or invert their last operand, or have a product instead of it.

import type { InstructionMeaning } from "../lir/interpret/lir-machine.js";
import { callHost, interpretedRows } from "../lir/interpret/machine-rows.js";
import type {
  IntegerBinaryOpcode,
  IntegerOperations,
  IntegerWidth,
  MeaningAlgebra,
  MeaningDomain,
  RowMeaning,
} from "../lir/meanings/algebra.js";
import {
  binaryRows,
  checkedRows,
  commonRows,
  consumerRows,
  conversionRows,
  countRows,
  shiftRows,
} from "../lir/meanings/common-rows.js";
import { ACCESS, constantStoreRow, loadRow, storeRow } from "../lir/meanings/memory-rows.js";
import {
  type AddressForms,
  AT_OPERAND,
  extendedForms,
  IN_SLOT,
  INDEX_KINDS,
  indexedPlaces,
  shiftedForm,
  simpleForms,
} from "../lir/meanings/sources.js";
import { ARM64_REGISTERS } from "./patchpoints.js";

type NamedOpcodes = readonly (readonly [name: string, opcode: IntegerBinaryOpcode])[];
// biome-ignore format: a table
const SUMS: NamedOpcodes = [["add", "Add"], ["sub", "Sub"]];
// biome-ignore format: a table
const LOGICAL: NamedOpcodes = [["and", "BitAnd"], ["orr", "BitOr"], ["eor", "BitXor"]];
// biome-ignore format: a table
const OTHERS: NamedOpcodes = [
  ["sdiv", "ChillDiv"], ["udiv", "UDivOrZero"], ["smod", "ModOrDividend"], ["umod", "UModOrDividend"],
  ["floorMod", "FloorModOrDividend"], ["smulh", "MulHigh"], ["umulh", "UMulHigh"],
];

function integerRows<D extends MeaningDomain, V>(
  a: MeaningAlgebra<D>,
  w: IntegerWidth,
  of: IntegerOperations<D, V>,
): RowMeaning<D>[] {
  const { use, immediate, binary, define, complement, defineImmediate } = of;
  return [
    [`const${w}.pool`, defineImmediate()],
    ...binaryRows(w, of, "orr", "BitOr", simpleForms(of)),
    ...binaryRows(w, of, "eor", "BitXor", simpleForms(of)),
    ...binaryRows(w, of, "imul", "Mul", [["Imm", immediate]]),
    ...[...SUMS, ...LOGICAL].flatMap(([name, opcode]) =>
      binaryRows(w, of, name, opcode, [
        shiftedForm(a, of, "lsl", "Shl"),
        shiftedForm(a, of, "lsr", "ZShr"),
        shiftedForm(a, of, "asr", "SShr"),
      ]),
    ),
    ...LOGICAL.flatMap(([name, opcode]) =>
      binaryRows(w, of, name, opcode, [
        shiftedForm(a, of, "ror", "RotR"),
        [".not", (k) => complement(use(k))],
      ]),
    ),
    // Operands: definition, the summand, the factors.
    ...SUMS.flatMap(([name, opcode]) =>
      binaryRows(w, of, name, opcode, [[".mul", (k) => binary("Mul", use(k), use(k + 1))]]),
    ),
    ...OTHERS.flatMap(([name, opcode]) => binaryRows(w, of, name, opcode, [["", use]])),
    ...shiftRows(a, w, of, "lsl", "Shl"),
    ...shiftRows(a, w, of, "asr", "SShr"),
    ...shiftRows(a, w, of, "lsr", "ZShr"),
    ...checkedRows(w, of, "imul", "CheckMul", [["", use]]),
    [`mvn${w}`, define(complement(use(1)))],
  ];
}

/** The accesses, by the suffix of their rows, with the largest shift of an index. */
const ACCESSES = [
  ["b", 0, ACCESS.byte],
  ["sb", 0, ACCESS.signedByte],
  ["h", 1, ACCESS.half],
  ["sh", 1, ACCESS.signedHalf],
  ["l", 2, ACCESS.word],
  ["q", 3, ACCESS.wide],
  ["ss", 2, ACCESS.single],
  ["sd", 3, ACCESS.double],
] as const;

/** An index excludes a displacement. */
const indexed = (shiftMax: number): AddressForms =>
  indexedPlaces(".", INDEX_KINDS, shiftMax === 0 ? [0] : [0, shiftMax], {
    base: "operand",
    isDisplaced: false,
  });

const memoryRows = <D extends MeaningDomain>(a: MeaningAlgebra<D>): RowMeaning<D>[] =>
  ACCESSES.flatMap(([name, shiftMax, access]) => {
    const places = indexed(shiftMax);
    const rows: RowMeaning<D>[] = [
      loadRow(a, `ldr${name}`, access, AT_OPERAND),
      loadRow(a, `ldur${name}`, access, AT_OPERAND),
      loadRow(a, `ldr${name}.slot`, access, IN_SLOT),
      ...places.map(([suffix, shape]) => loadRow(a, `ldr${name}${suffix}`, access, shape)),
    ];
    if (access.isSigned) return rows;
    const zero = a.q.zero();
    return [
      ...rows,
      storeRow(a, `str${name}`, access, AT_OPERAND),
      storeRow(a, `stur${name}`, access, AT_OPERAND),
      storeRow(a, `str${name}.slot`, access, IN_SLOT),
      ...places.map(([suffix, shape]) => storeRow(a, `str${name}${suffix}`, access, shape)),
      constantStoreRow(a, `str${name}.constant`, access, AT_OPERAND, zero),
      constantStoreRow(a, `stur${name}.constant`, access, AT_OPERAND, zero),
      ...places.map(([suffix, shape]) =>
        constantStoreRow(a, `str${name}${suffix}.constant`, access, shape, zero),
      ),
    ];
  });

/** Returns the meanings of the rows that need no other procedure. */
export const arm64Rows = <D extends MeaningDomain>(a: MeaningAlgebra<D>): RowMeaning<D>[] => [
  ...commonRows(a),
  ...integerRows(a, "l", a.l),
  ...integerRows(a, "q", a.q),
  ...SUMS.flatMap(([name, opcode]) => binaryRows("q", a.q, name, opcode, extendedForms(a))),
  ...countRows(a, "clz", "ctz"),
  ...conversionRows(a, {
    fromInteger: (sign, from, to) => `${sign}cvtf${to}${from}`,
    toInteger: (sign, from, to) => `fcvtz${sign}${from}2${to}`,
    widen: "fcvtss2sd",
    narrow: "fcvtsd2ss",
    extend8: "sxtb",
    extend16: "sxth",
    extend32: "sxtlq",
    casts: ["fmovl2ss", "fmovq2sd", "fmovss2l", "fmovsd2q"],
  }),
  ...memoryRows(a),
  ...consumerRows(a, []),
];

export const MEANINGS: ReadonlyMap<string, InstructionMeaning> = new Map([
  ...interpretedRows(arm64Rows, "breakpoint", ARM64_REGISTERS),
  ["callHost.pool", callHost],
]);
