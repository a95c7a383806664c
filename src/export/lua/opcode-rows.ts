// Maps each opcode to a Lua expression. `$0` is the first operand: a name or a constant, which may
// occur twice. `#0` is the number of a Float or Double operand. runtime.ts defines the functions.

import type { Opcode } from "../../ir/opcodes.js";
import type { Type } from "../../ir/types.js";
import { PLAIN_FORM } from "../forms.js";
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

/** Returns a row for floats that rounds each Float. */
const exact = (text: string): OpcodeRow => ({ Float: `round(${text})`, Double: text });
/** Returns a row whose result is 1 or 0. */
const test = (row: OpcodeRow): OpcodeRow =>
  Object.fromEntries(Object.entries(row).map(([type, text]) => [type, `${text} and 1 or 0`]));
/** Returns a comparison of integers as they are and of floats as numbers. */
const compared = (sign: string): OpcodeRow =>
  test({ ...integers(`$0 ${sign} $1`), ...floats(`#0 ${sign} #1`) });
const unsigned = (sign: string): OpcodeRow =>
  test({ Int32: `u32($0) ${sign} u32($1)`, Int64: `u64($0) ${sign} u64($1)` });

// biome-ignore format: a table
const ROWS: RowTable<OpcodeRow> = {
  Identity: all("$0"),
  Opaque:   all("$0"),

  // The sum of two Int32 is exact as a number; a product may not be.
  Add:  { Int32: "tobit($0 + $1)", Int64: "$0 + $1", ...exact("#0 + #1") },
  Sub:  { Int32: "tobit($0 - $1)", Int64: "$0 - $1", ...exact("#0 - #1") },
  Mul:  { Int32: "tobit(i64($0) * $1)", Int64: "$0 * $1", ...exact("#0 * #1") },
  Div:  { Int32: "tobit(trunc($0 / $1))", Int64: "$0 / $1", ...exact("#0 / #1") },
  Mod:  { Int32: "tobit(fmod($0, $1))", Int64: "$0 % $1", ...floats("fmod(#0, #1)") },
  UDiv: { Int32: "tobit(floor(u32($0) / u32($1)))", Int64: "i64(u64($0) / u64($1))" },
  UMod: { Int32: "tobit(fmod(u32($0), u32($1)))", Int64: "i64(u64($0) % u64($1))" },
  Neg:  { Int32: "tobit(-$0)", Int64: "-$0", Float: "negf($0)", Double: "negd($0)" },
  BitAnd: integers("band($0, $1)"),
  BitOr:  integers("bor($0, $1)"),
  BitXor: integers("bxor($0, $1)"),
  Shl:  integers("lshift($0, $1)"),
  SShr: integers("arshift($0, $1)"),
  ZShr: integers("rshift($0, $1)"),
  RotL: integers("rol($0, $1)"),
  RotR: integers("ror($0, $1)"),
  Clz:    { Int32: "clz32($0)", Int64: "clz64($0)" },
  Ctz:    { Int32: "ctz32($0)", Int64: "ctz64($0)" },
  PopCnt: { Int32: "popcount32($0)", Int64: "popcount64($0)" },
  ByteSwap: integers("bswap($0)"),

  Abs:     { Float: "absf($0)", Double: "absd($0)" },
  Ceil:    floats("ceil(#0)"),
  Floor:   floats("floor(#0)"),
  FTrunc:  floats("trunc(#0)"),
  Nearest: floats("nearest(#0)"),
  Sqrt:    exact("sqrt(#0)"),
  FMin:    floats("fmin(#0, #1)"),
  FMax:    floats("fmax(#0, #1)"),
  CopySign: { Float: "copysignf($0, $1)", Double: "copysignd($0, $1)" },

  SExt8:      all("arshift(lshift($0, 24), 24)"),
  SExt16:     all("arshift(lshift($0, 16), 16)"),
  SExt8To64:  all("i64(arshift(lshift($0, 24), 24))"),
  SExt16To64: all("i64(arshift(lshift($0, 16), 16))"),
  SExt32:     all("i64($0)"),
  ZExt32:     all("band(i64($0), LOW)"),
  Trunc:      all("tobit($0)"),
  TruncHigh:  all("tobit(rshift($0, 32))"),
  Stitch:     all("bor(lshift(i64($0), 32), band(i64($1), LOW))"),
  IToD: { Int32: "$0", Int64: "tonumber($0)" },
  IToF: { Int32: "round($0)", Int64: "roundi($0)" },
  UToD: { Int32: "u32($0)", Int64: "numu($0)" },
  UToF: { Int32: "round(u32($0))", Int64: "roundi(u64($0))" },
  TruncS32: floats("truncs32(#0)"),
  TruncU32: floats("truncu32(#0)"),
  TruncS64: floats("truncs64(#0)"),
  TruncU64: floats("truncu64(#0)"),
  FloatToDouble: all("#0"),
  DoubleToFloat: all("round(#0)"),
  BitwiseCast: { Int32: "tof($0)", Int64: "tod($0)", Float: "bitsf($0)", Double: "bitsd($0)" },
  PurifyNaN: { Float: "#0 == #0 and $0 or NANF", Double: "#0 == #0 and $0 or NAND" },

  Equal:        compared("=="),
  NotEqual:     compared("~="),
  LessThan:     compared("<"),
  GreaterThan:  compared(">"),
  LessEqual:    compared("<="),
  GreaterEqual: compared(">="),
  Above:      unsigned(">"),
  Below:      unsigned("<"),
  AboveEqual: unsigned(">="),
  BelowEqual: unsigned("<="),
  EqualOrUnordered: test(floats("not (#0 < #1 or #0 > #1)")),
  Select: integers("$0 ~= 0 and $1 or $2"),
};

export const LACKING = lackingOf(ROWS);

/** Returns the expression of an opcode; `type` is the type of the first operand. */
export function rowOf(opcode: Opcode, type: Type, form = PLAIN_FORM): string {
  const row = entryOf("Lua", ROWS, opcode, type);
  return form.has("metamethods") ? byMetamethod(row) : row;
}

/** The operators of a row that has no conversion between them and their operands. */
const OPERATION = /([$#]0) (\S+) ([$#]1)/;

/** Returns the row with its operation on tables that have metamethods. */
const byMetamethod = (row: string): string =>
  row.replace(OPERATION, (_, first, sign, second) =>
    // A comparison has a metamethod only if both operands are tables.
    /[<>=]/.test(sign)
      ? `meta(${first}) ${sign} meta(${second})`
      : `meta(${first}) ${sign} ${second}`,
  );

/**
 * Returns the function that loads or stores.
 * @param type the type of the loaded or stored value
 */
export const accessOf = (opcode: Opcode, type: Type): string =>
  accessNamed("Lua", opcode, type, letterOf);
