// The meanings of rows that both targets have, and of families of rows that each target names by itself.

import { FENCES } from "../../../src/ir/fences.js";
import type {
  CheckedOpcode,
  ConversionOpcode,
  FloatBinaryOpcode,
  FloatOperations,
  FloatUnaryOpcode,
  FloatWidth,
  IntegerBinaryOpcode,
  IntegerOperations,
  IntegerUnaryOpcode,
  IntegerWidth,
  MeaningAlgebra,
  MeaningDomain,
  RowMeaning,
  ShiftOpcode,
} from "./algebra.js";
import { atomicRows } from "./memory-rows.js";
import { countForms, type OperandForms, simpleForms } from "./sources.js";

/** Returns the rows `name`, width, suffix of an operation on operand 1 and a second operand of each form. */
export const binaryRows = <D extends MeaningDomain, V>(
  w: IntegerWidth,
  { binary, use, define }: IntegerOperations<D, V>,
  name: string,
  opcode: IntegerBinaryOpcode,
  forms: OperandForms<V>,
): RowMeaning<D>[] =>
  forms.map(([suffix, second]) => [
    `${name}${w}${suffix}`,
    define(binary(opcode, use(1), second(2))),
  ]);

/** Returns the rows of a shift, by a register and by the immediate. */
export const shiftRows = <D extends MeaningDomain, V>(
  a: MeaningAlgebra<D>,
  w: IntegerWidth,
  { shift, use, define }: IntegerOperations<D, V>,
  name: string,
  opcode: ShiftOpcode,
): RowMeaning<D>[] =>
  countForms(a).map(([suffix, count]) => [
    `${name}${w}${suffix}`,
    define(shift(opcode, use(1), count(2))),
  ]);

const unaryRow = <D extends MeaningDomain, V>(
  w: IntegerWidth,
  { unary, use, define }: IntegerOperations<D, V>,
  name: string,
  opcode: IntegerUnaryOpcode,
): RowMeaning<D> => [`${name}${w}`, define(unary(opcode, use(1)))];

export const checkedRows = <D extends MeaningDomain, V>(
  w: IntegerWidth,
  { checked, use }: IntegerOperations<D, V>,
  name: string,
  opcode: CheckedOpcode,
  forms: OperandForms<V>,
): RowMeaning<D>[] =>
  forms.map(([suffix, second]) => [
    `check.${name}${w}${suffix}`,
    checked(opcode, use(1), second(2)),
  ]);

function integerRows<D extends MeaningDomain, V>(
  a: MeaningAlgebra<D>,
  w: IntegerWidth,
  of: IntegerOperations<D, V>,
): RowMeaning<D>[] {
  const { use, flag } = of;
  const forms = simpleForms(of);
  const inRegister = forms.slice(0, 1);
  const binary = (
    name: string,
    opcode: IntegerBinaryOpcode,
    kinds: OperandForms<V>,
  ): RowMeaning<D>[] => binaryRows(w, of, name, opcode, kinds);
  return [
    ...binary("add", "Add", forms),
    ...binary("sub", "Sub", forms),
    ...binary("and", "BitAnd", forms),
    ...binary("imul", "Mul", inRegister),
    ...binary("min", "Min", inRegister),
    ...binary("max", "Max", inRegister),
    ...binary("umin", "UMin", inRegister),
    ...binary("umax", "UMax", inRegister),
    ...binary("chillMod", "ChillMod", inRegister),
    ...shiftRows(a, w, of, "rol", "RotL"),
    ...shiftRows(a, w, of, "ror", "RotR"),
    unaryRow(w, of, "neg", "Neg"),
    unaryRow(w, of, "bswap", "ByteSwap"),
    unaryRow(w, of, "depend", "Depend"),
    unaryRow(w, of, "popcnt", "PopCnt"),
    [`addOverflows${w}`, a.l.define(flag("AddOverflows", use(1), use(2)))],
    [`subOverflows${w}`, a.l.define(flag("SubOverflows", use(1), use(2)))],
    [`mulOverflows${w}`, a.l.define(flag("MulOverflows", use(1), use(2)))],
    [`addCarries${w}`, a.l.define(flag("AddCarries", use(1), use(2)))],
    ...checkedRows(w, of, "add", "CheckAdd", forms),
    ...checkedRows(w, of, "sub", "CheckSub", forms),
    [`check.neg${w}`, of.checked("CheckSub", of.zero(), use(1))],
    [`const${w}`, of.defineImmediate()],
  ];
}

// biome-ignore format: a table
export const FLOAT_ARITHMETIC: readonly (readonly [name: string, opcode: FloatBinaryOpcode])[] = [
  ["add", "Add"], ["sub", "Sub"], ["mul", "Mul"], ["div", "Div"],
];
// biome-ignore format: a table
const FLOAT_BINARY: typeof FLOAT_ARITHMETIC = [
  ...FLOAT_ARITHMETIC, ["min", "FMin"], ["max", "FMax"], ["copysign", "CopySign"], ["fmod", "Mod"],
];
// biome-ignore format: a table
const FLOAT_UNARY: readonly (readonly [name: string, opcode: FloatUnaryOpcode])[] = [
  ["neg", "Neg"], ["abs", "Abs"], ["ceil", "Ceil"], ["sqrt", "Sqrt"], ["floor", "Floor"],
  ["trunc", "FTrunc"], ["nearest", "Nearest"], ["purify", "PurifyNaN"],
];

const floatRows = <D extends MeaningDomain, V>(
  w: FloatWidth,
  { use, define, defineImmediate, binary, unary, fused }: FloatOperations<D, V>,
): RowMeaning<D>[] => [
  ...FLOAT_BINARY.map(
    ([name, opcode]): RowMeaning<D> => [`${name}${w}`, define(binary(opcode, use(1), use(2)))],
  ),
  ...FLOAT_UNARY.map(
    ([name, opcode]): RowMeaning<D> => [`${name}${w}`, define(unary(opcode, use(1)))],
  ),
  [`fmadd${w}`, define(fused(use(1), use(2), use(3)))],
  [`const${w}`, defineImmediate()],
  [`const${w}.pool`, defineImmediate()],
];

/**
 * Returns the rows of the instructions that count leading and trailing zeros.
 * @param leading the target's mnemonic for leading zeros
 * @param trailing the target's mnemonic for trailing zeros
 */
export const countRows = <D extends MeaningDomain>(
  a: MeaningAlgebra<D>,
  leading: string,
  trailing: string,
): RowMeaning<D>[] => [
  unaryRow("l", a.l, leading, "Clz"),
  unaryRow("q", a.q, leading, "Clz"),
  unaryRow("l", a.l, trailing, "Ctz"),
  unaryRow("q", a.q, trailing, "Ctz"),
];

/** The names of conversions, which differ between the targets. */
interface ConversionNames {
  readonly fromInteger: (sign: "s" | "u", from: IntegerWidth, to: FloatWidth) => string;
  readonly toInteger: (sign: "s" | "u", from: FloatWidth, to: IntegerWidth) => string;
  readonly widen: string;
  readonly narrow: string;
  readonly extend8: string;
  readonly extend16: string;
  readonly extend32: string;
  /** Moves of bits between the banks: to a Float, to a Double, from a Float, from a Double. */
  readonly casts: readonly [string, string, string, string];
}

/** Returns the rows of conversions, which the targets name. */
export function conversionRows<D extends MeaningDomain>(
  { convert }: MeaningAlgebra<D>,
  {
    fromInteger: f,
    toInteger: t,
    widen,
    narrow,
    extend8,
    extend16,
    extend32,
    casts,
  }: ConversionNames,
): RowMeaning<D>[] {
  // biome-ignore format: a table
  const table: readonly (readonly [name: string, conversion: ConversionOpcode])[] = [
    [f("s", "l", "ss"), "IToF l ss"], [f("s", "q", "ss"), "IToF q ss"],
    [f("s", "l", "sd"), "IToD l sd"], [f("s", "q", "sd"), "IToD q sd"],
    [f("u", "l", "ss"), "UToF l ss"], [f("u", "q", "ss"), "UToF q ss"],
    [f("u", "l", "sd"), "UToD l sd"], [f("u", "q", "sd"), "UToD q sd"],
    [t("s", "ss", "l"), "TruncS32 ss l"], [t("s", "ss", "q"), "TruncS64 ss q"],
    [t("s", "sd", "l"), "TruncS32 sd l"], [t("s", "sd", "q"), "TruncS64 sd q"],
    [t("u", "ss", "l"), "TruncU32 ss l"], [t("u", "ss", "q"), "TruncU64 ss q"],
    [t("u", "sd", "l"), "TruncU32 sd l"], [t("u", "sd", "q"), "TruncU64 sd q"],
    [widen, "FloatToDouble ss sd"],       [narrow, "DoubleToFloat sd ss"],
    [`${extend8}l`, "SExt8 l l"],         [`${extend8}q`, "SExt8To64 l q"],
    [`${extend16}l`, "SExt16 l l"],       [`${extend16}q`, "SExt16To64 l q"],
    [extend32, "SExt32 l q"],
    [casts[0], "BitwiseCast l ss"],       [casts[1], "BitwiseCast q sd"],
    [casts[2], "BitwiseCast ss l"],       [casts[3], "BitwiseCast sd q"],
  ];
  return table.map(([name, conversion]) => [name, convert(conversion)]);
}

/** A comparison whose first operand is operand k. */
type NamedComparison<D extends MeaningDomain> = readonly [
  name: string,
  claim: (k: number) => D["claim"],
];

/** The immediate's high word is the condition code, so its low word is the whole constant. */
function integerComparisons<D extends MeaningDomain, V>(
  w: IntegerWidth,
  { use, holds, holdsOfBits, lowImmediate, zero }: IntegerOperations<D, V>,
): NamedComparison<D>[] {
  return [
    [`cmp${w}`, (k) => holds(use(k), use(k + 1))],
    [`cmp${w}Imm`, (k) => holds(use(k), lowImmediate())],
    [`test${w}`, (k) => holds(use(k), zero())],
    [`bits${w}`, (k) => holdsOfBits(use(k), use(k + 1))],
    [`bits${w}Imm`, (k) => holdsOfBits(use(k), lowImmediate())],
  ];
}

/** Returns comparisons with a second operand of each form. */
export const formComparisons = <D extends MeaningDomain, V>(
  w: IntegerWidth,
  { use, holds }: IntegerOperations<D, V>,
  forms: OperandForms<V>,
): NamedComparison<D>[] =>
  forms.map(([suffix, second]) => [`cmp${w}${suffix}`, (k) => holds(use(k), second(k + 1))]);

/**
 * Returns the consumers of comparisons. The operands of a selection: definition, the value for
 * false, the value for true, those of the comparison.
 */
export function consumerRows<D extends MeaningDomain>(
  a: MeaningAlgebra<D>,
  more: readonly NamedComparison<D>[],
): RowMeaning<D>[] {
  const { l, q, ss, sd } = a;
  const comparisons: NamedComparison<D>[] = [
    ...integerComparisons("l", l),
    ...integerComparisons("q", q),
    ["ucomiss", (k) => ss.holds(ss.use(k), ss.use(k + 1))],
    ["ucomisd", (k) => sd.holds(sd.use(k), sd.use(k + 1))],
    ...more,
  ];
  return comparisons.flatMap(([name, claim]): RowMeaning<D>[] => [
    [`branch.${name}`, a.branch(claim(0))],
    [`check.${name}`, a.exitIf(claim(0))],
    [`set.${name}`, l.define(a.truth(claim(1)))],
    [`selectInt32.${name}`, l.defineOpen(l.choose(claim(3), l.use(2), l.use(1)))],
    [`selectInt64.${name}`, q.defineOpen(q.choose(claim(3), q.use(2), q.use(1)))],
    [`selectFloat.${name}`, ss.defineOpen(ss.choose(claim(3), ss.use(2), ss.use(1)))],
    [`selectDouble.${name}`, sd.defineOpen(sd.choose(claim(3), sd.use(2), sd.use(1)))],
  ]);
}

/** Returns the rows that both targets have by the same name. */
export const commonRows = <D extends MeaningDomain>(a: MeaningAlgebra<D>): RowMeaning<D>[] => [
  ...integerRows(a, "l", a.l),
  ...integerRows(a, "q", a.q),
  ...floatRows("ss", a.ss),
  ...floatRows("sd", a.sd),
  ...atomicRows(a),
  ["zextl", a.convert("ZExt32 l q")],
  ["highl", a.convert("TruncHigh q l")],
  ["modsd2sl", a.convert("ToInt32 sd l")],
  ["check.sd2sl", a.convertOrExit(false)],
  ["check.sd2sl.exact", a.convertOrExit(true)],
  ["check.always", a.exit()],
  ["slotAddress", a.q.define(a.slotAddress())],
  ["zextlDone", a.defineHalves(a.l.use(1), a.high(1))],
  ["zextlName", a.defineHalves(a.l.use(1), a.high(1))],
  ["truncq", a.l.defineOpen(a.l.use(1))],
  ["stitch", a.defineHalves(a.l.use(2), a.l.use(1))],
  ["opaque", a.copy()],
  ["jump", a.jump()],
  ...FENCES.map(({ name }): RowMeaning<D> => [`fence.${name}`, a.nothing()]),
];
