// The meanings of the LIR rows of x86-64 that arm64 does not have. Rows with the same name and another suffix take
// their last operand from another source: from memory, from the instruction, or from the constant pool.

import type { InstructionMeaning } from "../lir/interpret/lir-machine.js";
import { interpretedRows } from "../lir/interpret/machine-rows.js";
import type {
  DivisionOpcode,
  FloatOperations,
  FloatWidth,
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
  FLOAT_ARITHMETIC,
  formComparisons,
  shiftRows,
} from "../lir/meanings/common-rows.js";
import { ACCESS, constantStoreRow, loadRow, storeRow } from "../lir/meanings/memory-rows.js";
import {
  type AddressForms,
  AT_OPERAND,
  IN_SLOT,
  indexedPlaces,
  loadedForms,
  SCALES,
  shiftedForm,
  simpleForms,
} from "../lir/meanings/sources.js";
import { X64_REGISTERS } from "./patchpoints.js";

const indexed = (prefix: string, base: "operand" | "slot"): AddressForms =>
  indexedPlaces(prefix, ["x"], SCALES, { base, isDisplaced: true });
const ADDRESSED: AddressForms = [["", AT_OPERAND], ...indexed(".", "operand")];
const PLACES: AddressForms = [...ADDRESSED, [".slot", IN_SLOT], ...indexed(".slot", "slot")];

// biome-ignore format: a table
const ARITHMETIC: readonly (readonly [name: string, opcode: IntegerBinaryOpcode])[] = [
  ["add", "Add"], ["sub", "Sub"], ["imul", "Mul"], ["and", "BitAnd"], ["or", "BitOr"], ["xor", "BitXor"],
];
// biome-ignore format: a table
const DIVISIONS: readonly (readonly [name: string, suffix: string, opcode: DivisionOpcode])[] = [
  ["idiv", "", "Div"], ["idiv", ".rem", "Mod"], ["div", "", "UDiv"], ["div", ".rem", "UMod"],
  ["floorMod", "", "FloorMod"],
];

function integerRows<D extends MeaningDomain, V>(
  a: MeaningAlgebra<D>,
  w: IntegerWidth,
  of: IntegerOperations<D, V>,
): RowMeaning<D>[] {
  const { use, immediate, binary, define, divide } = of;
  return [
    ...binaryRows(w, of, "or", "BitOr", simpleForms(of)),
    ...binaryRows(w, of, "xor", "BitXor", simpleForms(of)),
    ...binaryRows(w, of, "imul", "Mul", [
      ["Imm", immediate],
      ["Imm.free", immediate],
    ]),
    ...ARITHMETIC.flatMap(([name, opcode]) =>
      binaryRows(w, of, name, opcode, loadedForms(a, w, of, PLACES)),
    ),
    ...binaryRows(w, of, "add", "Add", [
      [".free", use],
      ["Imm.free", immediate],
      shiftedForm(a, of, "lsl", "Shl"),
    ]),
    ...shiftRows(a, w, of, "shl", "Shl"),
    ...shiftRows(a, w, of, "sar", "SShr"),
    ...shiftRows(a, w, of, "shr", "ZShr"),
    ...checkedRows(w, of, "imul", "CheckMul", simpleForms(of)),
    [`chillDiv${w}`, define(binary("ChillDiv", use(1), use(2)))],
    [`imul${w}.high`, define(binary("MulHigh", use(1), use(2)))],
    [`mul${w}.high`, define(binary("UMulHigh", use(1), use(2)))],
    ...DIVISIONS.map(
      ([name, suffix, opcode]): RowMeaning<D> => [
        `${name}${w}${suffix}`,
        divide(opcode, use(1), use(2)),
      ],
    ),
  ];
}

function floatRows<D extends MeaningDomain, V>(
  a: MeaningAlgebra<D>,
  w: FloatWidth,
  { use, immediate, binary, define, load, truncatedOrLeast }: FloatOperations<D, V>,
): RowMeaning<D>[] {
  const of32 = a.low(truncatedOrLeast(32, use(1)));
  const of64 = truncatedOrLeast(64, use(1));
  return [
    ...FLOAT_ARITHMETIC.flatMap(([name, opcode]): RowMeaning<D>[] => [
      ...PLACES.map(
        ([suffix, shape]): RowMeaning<D> => [
          `${name}${w}.load${suffix}`,
          define(binary(opcode, use(1), load(a.address(shape, 2)))),
        ],
      ),
      [`${name}${w}.pool`, define(binary(opcode, use(1), immediate()))],
    ]),
    [`sat${w}2sl.proved`, a.l.define(of32)],
    [`sat${w}2sq.proved`, a.q.define(of64)],
    [`sat${w}2ul.proved`, a.l.define(a.low(of64))],
    [`sat${w}2uq.proved`, a.q.define(of64)],
  ];
}

const LOADS = [
  ["movzbl", ACCESS.byte],
  ["movsbl", ACCESS.signedByte],
  ["movzwl", ACCESS.half],
  ["movswl", ACCESS.signedHalf],
  ["movl", ACCESS.word],
  ["movq", ACCESS.wide],
  ["movss", ACCESS.single],
  ["movsd", ACCESS.double],
] as const;
const STORES = [
  ["movb", ACCESS.byte],
  ["movw", ACCESS.half],
  ["movl", ACCESS.word],
  ["movq", ACCESS.wide],
  ["movss", ACCESS.single],
  ["movsd", ACCESS.double],
] as const;

const memoryRows = <D extends MeaningDomain>(a: MeaningAlgebra<D>): RowMeaning<D>[] => [
  ...LOADS.flatMap(([name, access]) =>
    PLACES.map(([suffix, shape]) => loadRow(a, `${name}Load${suffix}`, access, shape)),
  ),
  ...STORES.flatMap(([name, access]) => [
    ...PLACES.map(([suffix, shape]) => storeRow(a, `${name}Store${suffix}`, access, shape)),
    ...ADDRESSED.map(([suffix, shape]) =>
      constantStoreRow(a, `${name}Store${suffix}.constant`, access, shape, a.highImmediate()),
    ),
  ]),
];

/** Returns the meanings of the rows that need no other procedure. */
export const x64Rows = <D extends MeaningDomain>(a: MeaningAlgebra<D>): RowMeaning<D>[] => [
  ...commonRows(a),
  ...integerRows(a, "l", a.l),
  ...integerRows(a, "q", a.q),
  ...countRows(a, "lzcnt", "tzcnt"),
  ...floatRows(a, "ss", a.ss),
  ...floatRows(a, "sd", a.sd),
  ...conversionRows(a, {
    fromInteger: (sign, from, to) => `cvt${sign === "s" ? "si" : "u"}2${to}${from}`,
    toInteger: (sign, from, to) => `sat${from}2${sign}${to}`,
    widen: "cvtss2sd",
    narrow: "cvtsd2ss",
    extend8: "movsb",
    extend16: "movsw",
    extend32: "movslq",
    casts: ["movdToXmm", "movqToXmm", "movdFromXmm", "movqFromXmm"],
  }),
  ...memoryRows(a),
  ...consumerRows(a, [
    ...formComparisons("l", a.l, loadedForms(a, "l", a.l, ADDRESSED)),
    ...formComparisons("q", a.q, loadedForms(a, "q", a.q, ADDRESSED)),
  ]),
];

export const MEANINGS: ReadonlyMap<string, InstructionMeaning> = new Map(
  interpretedRows(x64Rows, "invalid-instruction", X64_REGISTERS),
);
