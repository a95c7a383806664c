// Maps each opcode to a C expression. `$0` is the first operand: a name or a constant, which may
// occur twice. Integers are unsigned and wrap. Helpers named `t_` are defined in runtime.ts.

import { nameOfOpcode, type Opcode } from "../../ir/opcodes.js";
import { nameOfType, type Type } from "../../ir/types.js";
import type { ValueFactKind } from "../facts.js";
import {
  accessNamed,
  all,
  entryOf,
  floats,
  integers,
  lackingOf,
  type OpcodeRow,
  type RowTable,
} from "../opcode-rows.js";

/**
 * Returns a row for integers: `S` is the signed type of the operand's width, `U` the unsigned type,
 * `W` the width.
 */
const sized = (expression: string): OpcodeRow => ({
  Int32: expression
    .replaceAll("S(", "(int32_t)(")
    .replaceAll("U(", "(uint32_t)(")
    .replaceAll("W", "32"),
  Int64: expression
    .replaceAll("S(", "(int64_t)(")
    .replaceAll("U(", "(uint64_t)(")
    .replaceAll("W", "64"),
});
/** Returns the row of a function of math.h. The name of the function for floats ends in `f`. */
const math = (name: string, operands = "$0"): OpcodeRow => ({
  Float: `${name}f(${operands})`,
  Double: `${name}(${operands})`,
});
const helper = (name: string, operands = "$0, $1"): OpcodeRow => sized(`${name}W(${operands})`);

// biome-ignore format: a table
const ROWS: RowTable<OpcodeRow> = {
  Identity: all("$0"),
  Opaque:   all("$0"),

  Add:  all("$0 + $1"),
  Sub:  all("$0 - $1"),
  Mul:  all("$0 * $1"),
  Div:  { ...sized("U(S($0) / S($1))"), ...floats("$0 / $1") },
  Mod:  { ...sized("U(S($0) % S($1))"), ...math("fmod", "$0, $1") },
  UDiv: integers("$0 / $1"),
  UMod: integers("$0 % $1"),
  ChillDiv: sized("$1 == 0 ? 0 : $1 == U(-1) ? U(0) - $0 : U(S($0) / S($1))"),
  ChillMod: sized("$1 == 0 || $1 == U(-1) ? 0 : U(S($0) % S($1))"),
  MulHigh:  helper("t_mulhigh"),
  UMulHigh: helper("t_umulhigh"),
  Neg:  { ...sized("U(0) - $0"), Float: "t_negf($0)", Double: "t_neg($0)" },
  BitAnd: integers("$0 & $1"),
  BitOr:  integers("$0 | $1"),
  BitXor: integers("$0 ^ $1"),
  Shl:  sized("$0 << ($1 & (W - 1))"),
  SShr: sized("U(S($0) >> ($1 & (W - 1)))"),
  ZShr: sized("$0 >> ($1 & (W - 1))"),
  RotL: sized("$0 << ($1 & (W - 1)) | $0 >> (-$1 & (W - 1))"),
  RotR: sized("$0 >> ($1 & (W - 1)) | $0 << (-$1 & (W - 1))"),
  Clz:    helper("t_clz", "$0"),
  Ctz:    helper("t_ctz", "$0"),
  PopCnt: helper("t_popcount", "$0"),
  ByteSwap: helper("t_byteswap", "$0"),
  Min:  sized("S($0) < S($1) ? $0 : $1"),
  Max:  sized("S($0) < S($1) ? $1 : $0"),
  UMin: integers("$0 < $1 ? $0 : $1"),
  UMax: integers("$0 < $1 ? $1 : $0"),
  AddOverflows: helper("t_addoverflows"),
  SubOverflows: helper("t_suboverflows"),
  MulOverflows: helper("t_muloverflows"),
  AddCarries: sized("U($0 + $1) < $0"),

  Abs:     math("fabs"),
  Ceil:    math("ceil"),
  Sqrt:    math("sqrt"),
  Floor:   math("floor"),
  FTrunc:  math("trunc"),
  Nearest: math("nearbyint"),
  // Operands that compare equal differ in their sign at most.
  FMin: floats("$0 < $1 ? $0 : $1 < $0 ? $1 : $0 != $1 ? $0 + $1 : signbit($0) ? $0 : $1"),
  FMax: floats("$0 > $1 ? $0 : $1 > $0 ? $1 : $0 != $1 ? $0 + $1 : signbit($0) ? $1 : $0"),
  FusedMulAdd: math("fma", "$0, $1, $2"),
  CopySign: math("copysign", "$0, $1"),

  SExt8:      all("(uint32_t)(int8_t)$0"),
  SExt16:     all("(uint32_t)(int16_t)$0"),
  SExt8To64:  all("(uint64_t)(int8_t)$0"),
  SExt16To64: all("(uint64_t)(int16_t)$0"),
  SExt32:     all("(uint64_t)(int32_t)$0"),
  ZExt32:     all("(uint64_t)$0"),
  Trunc:      all("(uint32_t)$0"),
  TruncHigh:  all("(uint32_t)($0 >> 32)"),
  Stitch:     all("(uint64_t)$0 << 32 | $1"),
  IToD: sized("(double)S($0)"),
  IToF: sized("(float)S($0)"),
  UToD: integers("(double)$0"),
  UToF: integers("(float)$0"),
  // One range check serves both types, since each Float is also a Double.
  TruncS32: floats("t_truncs32($0)"),
  TruncU32: floats("t_truncu32($0)"),
  TruncS64: floats("t_truncs64($0)"),
  TruncU64: floats("t_truncu64($0)"),
  FloatToDouble: all("(double)$0"),
  DoubleToFloat: all("(float)$0"),
  BitwiseCast: { Int32: "t_float($0)", Int64: "t_double($0)", Float: "t_bits32($0)", Double: "t_bits64($0)" },
  PurifyNaN: { Float: "$0 == $0 ? $0 : t_float(0x7fc00000u)", Double: "$0 == $0 ? $0 : t_double(0x7ff8000000000000u)" },

  Equal:        all("$0 == $1"),
  NotEqual:     all("$0 != $1"),
  LessThan:     { ...sized("S($0) < S($1)"), ...floats("$0 < $1") },
  GreaterThan:  { ...sized("S($0) > S($1)"), ...floats("$0 > $1") },
  LessEqual:    { ...sized("S($0) <= S($1)"), ...floats("$0 <= $1") },
  GreaterEqual: { ...sized("S($0) >= S($1)"), ...floats("$0 >= $1") },
  Above:      integers("$0 > $1"),
  Below:      integers("$0 < $1"),
  AboveEqual: integers("$0 >= $1"),
  BelowEqual: integers("$0 <= $1"),
  EqualOrUnordered: floats("!($0 < $1 || $0 > $1)"),
  Select: integers("$0 ? $1 : $2"),
};

export const LACKING = lackingOf(ROWS);

/** Returns the expression of an opcode; `type` is the type of the first operand. */
export const rowOf = (opcode: Opcode, type: Type): string => entryOf("C", ROWS, opcode, type);

interface FactRow {
  readonly claim: ValueFactKind;
  readonly row: OpcodeRow;
}
/**
 * Alternative expressions, valid where a claim holds. Where it does not, they are undefined in C.
 */
// biome-ignore format: a table
const CLAIMED_ROWS: RowTable<FactRow> = {
  Add: { claim: "nsw", row: sized("U(S($0) + S($1))") },
  Sub: { claim: "nsw", row: sized("U(S($0) - S($1))") },
  Mul: { claim: "nsw", row: sized("U(S($0) * S($1))") },
  Neg: { claim: "nsw", row: sized("U(-S($0))") },
  Shl:  { claim: "count", row: sized("$0 << $1") },
  SShr: { claim: "count", row: sized("U(S($0) >> $1)") },
  ZShr: { claim: "count", row: sized("$0 >> $1") },
  TruncS32: { claim: "in-range", row: floats("(uint32_t)(int32_t)$0") },
  TruncU32: { claim: "in-range", row: floats("(uint32_t)$0") },
  TruncS64: { claim: "in-range", row: floats("(uint64_t)(int64_t)$0") },
  TruncU64: { claim: "in-range", row: floats("(uint64_t)$0") },
};

/**
 * Conditions on the operands that are false where the claim holds. C has no operator that expresses
 * these claims.
 */
// biome-ignore format: a table
const IMPOSSIBLE_ROWS: RowTable<FactRow> = {
  Div:    { claim: "exact", row: sized("S($0) % S($1) != 0") },
  UDiv:   { claim: "exact", row: integers("$0 % $1 != 0") },
  SShr:   { claim: "exact", row: sized("($0 & ((U(1) << ($1 & (W - 1))) - 1)) != 0") },
  ZShr:   { claim: "exact", row: sized("($0 & ((U(1) << ($1 & (W - 1))) - 1)) != 0") },
  BitOr:  { claim: "disjoint", row: integers("($0 & $1) != 0") },
  ZExt32: { claim: "nneg", row: sized("S($0) < 0") },
  UToD:   { claim: "nneg", row: sized("S($0) < 0") },
  UToF:   { claim: "nneg", row: sized("S($0) < 0") },
};

interface FactExpression {
  readonly claim: ValueFactKind;
  readonly text: string;
}

const claimedTextIn = (
  table: RowTable<FactRow>,
  opcode: Opcode,
  type: Type,
): FactExpression | null => {
  const known = table[nameOfOpcode(opcode)];
  const name = nameOfType(type);
  const text = name === "Void" ? undefined : known?.row[name];
  return known === undefined || text === undefined ? null : { claim: known.claim, text };
};

/** Returns null if the opcode has no alternative expression. */
export const claimedRowOf = (opcode: Opcode, type: Type): FactExpression | null =>
  claimedTextIn(CLAIMED_ROWS, opcode, type);
/** Returns null if the opcode needs no assumption before it. */
export const impossibleRowOf = (opcode: Opcode, type: Type): FactExpression | null =>
  claimedTextIn(IMPOSSIBLE_ROWS, opcode, type);

/** Returns the function that loads or stores. The name of a full-width access ends in its type. */
export const accessOf = (opcode: Opcode, type: Type): string =>
  `t_${accessNamed("C", opcode, type, (whole) => `_${nameOfType(whole)}`)}`;
