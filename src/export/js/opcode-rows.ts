// Maps each opcode to a JavaScript expression. `$0` is the first operand: a name or a constant, which
// may occur twice. `#0` is the number of a Float or Double operand. runtime.ts defines the functions.

import type { Opcode } from "../../ir/opcodes.js";
import type { Type } from "../../ir/types.js";
import {
  accessNamed,
  all,
  entryOf,
  floats,
  integers,
  lackingOf,
  letterOf,
  type OpcodeRow,
  type RowTable,
} from "../opcode-rows.js";

const signed = (text: string): string => `BigInt.asIntN(64, ${text})`;
const unsigned = (text: string): string => `BigInt.asUintN(64, ${text})`;
/** Returns a row for floats that rounds each Float. */
const rounded = (text: string): OpcodeRow => ({ Float: `Math.fround(${text})`, Double: text });
/** Returns a row whose result is 1 or 0. */
const test = (row: OpcodeRow): OpcodeRow =>
  Object.fromEntries(Object.entries(row).map(([type, text]) => [type, `${text} ? 1 : 0`]));
const compared = (sign: string): OpcodeRow =>
  test({ ...integers(`$0 ${sign} $1`), ...floats(`#0 ${sign} #1`) });
const comparedUnsigned = (sign: string): OpcodeRow =>
  test({
    Int32: `($0 >>> 0) ${sign} ($1 >>> 0)`,
    Int64: `${unsigned("$0")} ${sign} ${unsigned("$1")}`,
  });
/** Returns a row for the sign of an operation: whether its result is out of range. */
const overflows = (sign: string): OpcodeRow =>
  test({
    Int32: `$0 ${sign} $1 !== ($0 ${sign} $1 | 0)`,
    Int64: `$0 ${sign} $1 !== ${signed(`$0 ${sign} $1`)}`,
  });
const SHIFT = "BigInt($1 & 63)";

// biome-ignore format: a table
const ROWS: RowTable<OpcodeRow> = {
  Identity: all("$0"),
  Opaque:   all("$0"),

  Add:  { Int32: "$0 + $1 | 0", Int64: signed("$0 + $1"), ...rounded("#0 + #1") },
  Sub:  { Int32: "$0 - $1 | 0", Int64: signed("$0 - $1"), ...rounded("#0 - #1") },
  Mul:  { Int32: "Math.imul($0, $1)", Int64: signed("$0 * $1"), ...rounded("#0 * #1") },
  Div:  { Int32: "$0 / $1 | 0", Int64: signed("$0 / $1"), ...rounded("#0 / #1") },
  Mod:  { Int32: "$0 % $1 | 0", Int64: "$0 % $1", ...floats("#0 % #1") },
  UDiv: { Int32: "($0 >>> 0) / ($1 >>> 0) | 0", Int64: signed(`${unsigned("$0")} / ${unsigned("$1")}`) },
  UMod: { Int32: "($0 >>> 0) % ($1 >>> 0) | 0", Int64: signed(`${unsigned("$0")} % ${unsigned("$1")}`) },
  Neg:  { Int32: "-$0 | 0", Int64: signed("-$0"), Float: "negf($0)", Double: "negd($0)" },
  Min:  { Int32: "Math.min($0, $1)", Int64: "$0 < $1 ? $0 : $1" },
  Max:  { Int32: "Math.max($0, $1)", Int64: "$0 > $1 ? $0 : $1" },
  UMin: { Int32: "Math.min($0 >>> 0, $1 >>> 0) | 0", Int64: `${unsigned("$0")} < ${unsigned("$1")} ? $0 : $1` },
  UMax: { Int32: "Math.max($0 >>> 0, $1 >>> 0) | 0", Int64: `${unsigned("$0")} > ${unsigned("$1")} ? $0 : $1` },
  MulHigh:  { Int32: "Number(BigInt($0) * BigInt($1) >> 32n)", Int64: "$0 * $1 >> 64n" },
  UMulHigh: { Int32: "Number(BigInt($0 >>> 0) * BigInt($1 >>> 0) >> 32n) | 0", Int64: signed(`${unsigned("$0")} * ${unsigned("$1")} >> 64n`) },
  AddOverflows: overflows("+"),
  SubOverflows: overflows("-"),
  // A product of Int32 may be inexact, but only far out of range.
  MulOverflows: overflows("*"),
  BitAnd: integers("$0 & $1"),
  BitOr:  integers("$0 | $1"),
  BitXor: integers("$0 ^ $1"),
  Shl:  { Int32: "$0 << $1", Int64: signed(`$0 << ${SHIFT}`) },
  SShr: { Int32: "$0 >> $1", Int64: `$0 >> ${SHIFT}` },
  ZShr: { Int32: "$0 >>> $1 | 0", Int64: signed(`${unsigned("$0")} >> ${SHIFT}`) },
  RotL: { Int32: "$0 << $1 | $0 >>> 32 - $1", Int64: "rotl64($0, $1)" },
  RotR: { Int32: "$0 >>> $1 | $0 << 32 - $1", Int64: "rotl64($0, 64 - $1)" },
  Clz:    { Int32: "Math.clz32($0)", Int64: "clz64($0)" },
  Ctz:    { Int32: "ctz32($0)", Int64: "ctz64($0)" },
  PopCnt: { Int32: "popcount32($0)", Int64: "popcount64($0)" },
  ByteSwap: { Int32: "bswap32($0)", Int64: "bswap64($0)" },

  Abs:     { Float: "absf($0)", Double: "absd($0)" },
  Ceil:    floats("Math.ceil(#0)"),
  Floor:   floats("Math.floor(#0)"),
  FTrunc:  floats("Math.trunc(#0)"),
  Nearest: floats("nearest(#0)"),
  Sqrt:    rounded("Math.sqrt(#0)"),
  FMin:    floats("Math.min(#0, #1)"),
  FMax:    floats("Math.max(#0, #1)"),
  CopySign: { Float: "copysignf($0, $1)", Double: "copysignd($0, $1)" },

  SExt8:      all("$0 << 24 >> 24"),
  SExt16:     all("$0 << 16 >> 16"),
  SExt8To64:  all("BigInt($0 << 24 >> 24)"),
  SExt16To64: all("BigInt($0 << 16 >> 16)"),
  SExt32:     all("BigInt($0)"),
  ZExt32:     all("BigInt($0 >>> 0)"),
  Trunc:      all("Number(BigInt.asIntN(32, $0))"),
  TruncHigh:  all("Number($0 >> 32n)"),
  Stitch:     all("BigInt($0) << 32n | BigInt($1 >>> 0)"),
  IToD: { Int32: "$0", Int64: "Number($0)" },
  IToF: { Int32: "Math.fround($0)", Int64: "roundi($0)" },
  UToD: { Int32: "$0 >>> 0", Int64: `Number(${unsigned("$0")})` },
  UToF: { Int32: "Math.fround($0 >>> 0)", Int64: `roundi(${unsigned("$0")})` },
  TruncS32: floats("truncs32(#0)"),
  TruncU32: floats("truncu32(#0)"),
  TruncS64: floats("truncs64(#0)"),
  TruncU64: floats("truncu64(#0)"),
  FloatToDouble: all("#0"),
  DoubleToFloat: all("Math.fround(#0)"),
  BitwiseCast: { Int32: "tof($0)", Int64: "tod($0)", Float: "bitsf($0)", Double: "bitsd($0)" },
  PurifyNaN: { Float: "#0 === #0 ? $0 : NANF", Double: "#0 === #0 ? $0 : NAND" },

  Equal:        compared("==="),
  NotEqual:     compared("!=="),
  LessThan:     compared("<"),
  GreaterThan:  compared(">"),
  LessEqual:    compared("<="),
  GreaterEqual: compared(">="),
  Above:      comparedUnsigned(">"),
  Below:      comparedUnsigned("<"),
  AboveEqual: comparedUnsigned(">="),
  BelowEqual: comparedUnsigned("<="),
  EqualOrUnordered: test(floats("!(#0 < #1 || #0 > #1)")),
  Select: { Int32: "$0 !== 0 ? $1 : $2", Int64: "$0 !== 0n ? $1 : $2" },
};

export const LACKING = lackingOf(ROWS);

/** Returns the expression of an opcode; `type` is the type of the first operand. */
export const rowOf = (opcode: Opcode, type: Type): string =>
  entryOf("JavaScript", ROWS, opcode, type);

/**
 * Returns the function that loads or stores.
 * @param type the type of the loaded or stored value
 */
export const accessOf = (opcode: Opcode, type: Type): string =>
  accessNamed("JavaScript", opcode, type, letterOf);
