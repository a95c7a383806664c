// Maps each opcode to LLVM instructions, separated by `;`; the last one is the result. `$0` is the
// first operand, `$T` its type and `$W` its width; `%name` is the result of another instruction of
// the row. No row has a flag that makes a result poison. No instruction is undefined where the
// opcode is defined.

import type { Opcode, OpcodeName } from "../../ir/opcodes.js";
import { isWide, nameOfType, type Type } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import {
  all,
  entryOf,
  floats,
  integers,
  lackingOf,
  type OpcodeRow,
  type RowTable,
} from "../opcode-rows.js";

/** Returns an instruction with two operands. */
const binary = (name: string): string => `${name} $T $0, $1`;
/** Returns a call of an intrinsic whose operands have the row's type. */
const intrinsic = (name: string, operands = "$T $0"): string =>
  `call $T @llvm.${name}.$I(${operands})`;
const PAIR = "$T $0, $T $1";
/** Returns a row whose Int32 count is taken modulo the width. */
const counted = (rest: string): OpcodeRow => ({
  Int32: `%n = and i32 $1, 31; ${rest}`,
  Int64: `%w = zext i32 $1 to i64; %n = and i64 %w, 63; ${rest}`,
});
/** Returns a row of a funnel shift, which takes the count modulo the width itself. */
const rotation = (name: string): OpcodeRow => ({
  Int32: intrinsic(name, "i32 $0, i32 $0, i32 $1"),
  Int64: `%n = zext i32 $1 to i64; ${intrinsic(name, "i64 $0, i64 $0, i64 %n")}`,
});
const truth = (condition: string): string => `%c = ${condition}; zext i1 %c to i32`;
const compares = (signed: string, ordered: string): OpcodeRow => ({
  ...integers(truth(`icmp ${signed} $T $0, $1`)),
  ...floats(truth(`fcmp ${ordered} $T $0, $1`)),
});
const overflows = (name: string): OpcodeRow =>
  integers(
    `%p = call { $T, i1 } @llvm.${name}.with.overflow.$I(${PAIR}); ` +
      truth("extractvalue { $T, i1 } %p, 1"),
  );
/** Returns a row for the upper half of a product of twice the width. */
const high = (extend: string): OpcodeRow => {
  const from = (narrow: number): string =>
    `%x = ${extend} i${narrow} $0 to i${2 * narrow}; %y = ${extend} i${narrow} $1 to i${2 * narrow}; ` +
    `%p = mul i${2 * narrow} %x, %y; %h = lshr i${2 * narrow} %p, ${narrow}; trunc i${2 * narrow} %h to i${narrow}`;
  return { Int32: from(32), Int64: from(64) };
};
const saturating = (name: string, result: string): OpcodeRow =>
  floats(`call ${result} @llvm.${name}.sat.${result}.$I($T $0)`);
const NAN = { Float: "bitcast (i32 2143289344 to float)", Double: "0x7FF8000000000000" };

// biome-ignore format: a table
const ROWS: RowTable<OpcodeRow> = {
  Opaque: all("freeze $T $0"),

  Add:  { ...integers(binary("add")),  ...floats(binary("fadd")) },
  Sub:  { ...integers(binary("sub")),  ...floats(binary("fsub")) },
  Mul:  { ...integers(binary("mul")),  ...floats(binary("fmul")) },
  Div:  { ...integers(binary("sdiv")), ...floats(binary("fdiv")) },
  Mod:  { ...integers(binary("srem")), ...floats(binary("frem")) },
  UDiv: integers(binary("udiv")),
  UMod: integers(binary("urem")),
  MulHigh:  high("sext"),
  UMulHigh: high("zext"),
  Neg:  { ...integers("sub $T 0, $0"), ...floats("fneg $T $0") },
  BitAnd: integers(binary("and")),
  BitOr:  integers(binary("or")),
  BitXor: integers(binary("xor")),
  Shl:  counted("shl $T $0, %n"),
  SShr: counted("ashr $T $0, %n"),
  ZShr: counted("lshr $T $0, %n"),
  RotL: rotation("fshl"),
  RotR: rotation("fshr"),
  Clz:      integers(intrinsic("ctlz", "$T $0, i1 false")),
  Ctz:      integers(intrinsic("cttz", "$T $0, i1 false")),
  PopCnt:   integers(intrinsic("ctpop")),
  ByteSwap: integers(intrinsic("bswap")),
  Min:  integers(intrinsic("smin", PAIR)),
  Max:  integers(intrinsic("smax", PAIR)),
  UMin: integers(intrinsic("umin", PAIR)),
  UMax: integers(intrinsic("umax", PAIR)),
  AddOverflows: overflows("sadd"),
  SubOverflows: overflows("ssub"),
  MulOverflows: overflows("smul"),
  AddCarries:   overflows("uadd"),

  Abs:      floats(intrinsic("fabs")),
  Ceil:     floats(intrinsic("ceil")),
  Sqrt:     floats(intrinsic("sqrt")),
  Floor:    floats(intrinsic("floor")),
  FTrunc:   floats(intrinsic("trunc")),
  Nearest:  floats(intrinsic("roundeven")),
  FMin:     floats(intrinsic("minimum", PAIR)),
  FMax:     floats(intrinsic("maximum", PAIR)),
  CopySign: floats(intrinsic("copysign", PAIR)),
  FusedMulAdd: floats(intrinsic("fma", `${PAIR}, $T $2`)),

  SExt8:      all("%n = trunc i32 $0 to i8; sext i8 %n to i32"),
  SExt16:     all("%n = trunc i32 $0 to i16; sext i16 %n to i32"),
  SExt8To64:  all("%n = trunc i32 $0 to i8; sext i8 %n to i64"),
  SExt16To64: all("%n = trunc i32 $0 to i16; sext i16 %n to i64"),
  SExt32:     all("sext i32 $0 to i64"),
  ZExt32:     all("zext i32 $0 to i64"),
  Trunc:      all("trunc i64 $0 to i32"),
  TruncHigh:  all("%h = lshr i64 $0, 32; trunc i64 %h to i32"),
  Stitch:     all("%x = zext i32 $0 to i64; %h = shl i64 %x, 32; %l = zext i32 $1 to i64; or i64 %h, %l"),
  IToD: integers("sitofp $T $0 to double"),
  IToF: integers("sitofp $T $0 to float"),
  UToD: integers("uitofp $T $0 to double"),
  UToF: integers("uitofp $T $0 to float"),
  TruncS32: saturating("fptosi", "i32"),
  TruncU32: saturating("fptoui", "i32"),
  TruncS64: saturating("fptosi", "i64"),
  TruncU64: saturating("fptoui", "i64"),
  FloatToDouble: all("fpext float $0 to double"),
  DoubleToFloat: all("fptrunc double $0 to float"),
  BitwiseCast: {
    Int32: "bitcast i32 $0 to float", Int64: "bitcast i64 $0 to double",
    Float: "bitcast float $0 to i32", Double: "bitcast double $0 to i64",
  },
  PurifyNaN: {
    Float:  `%c = fcmp uno float $0, $0; select i1 %c, float ${NAN.Float}, float $0`,
    Double: `%c = fcmp uno double $0, $0; select i1 %c, double ${NAN.Double}, double $0`,
  },

  Equal:        compares("eq", "oeq"),
  NotEqual:     compares("ne", "une"),
  LessThan:     compares("slt", "olt"),
  GreaterThan:  compares("sgt", "ogt"),
  LessEqual:    compares("sle", "ole"),
  GreaterEqual: compares("sge", "oge"),
  Above:      integers(truth("icmp ugt $T $0, $1")),
  Below:      integers(truth("icmp ult $T $0, $1")),
  AboveEqual: integers(truth("icmp uge $T $0, $1")),
  BelowEqual: integers(truth("icmp ule $T $0, $1")),
  EqualOrUnordered: floats(truth("fcmp ueq $T $0, $1")),
  Select: integers("%c = icmp ne $T $0, 0; select i1 %c, $R $1, $R $2"),
};

export const LACKING = lackingOf(ROWS);

/** LLVM's names of the types, by type. */
export const LLVM_TYPES: readonly string[] = ["void", "i32", "i64", "float", "double"];
/** The suffixes of intrinsics' names, by type. */
const SUFFIXES: readonly string[] = ["", "i32", "i64", "f32", "f64"];

/**
 * Returns the instructions of an opcode.
 * @param type the type of the first operand
 * @param result the type of the value
 */
export function rowOf(opcode: Opcode, type: Type, result: Type): readonly string[] {
  return entryOf("LLVM", ROWS, opcode, type)
    .replaceAll("$T", LLVM_TYPES[type])
    .replaceAll("$I", SUFFIXES[type])
    .replaceAll("$R", LLVM_TYPES[result])
    .split("; ");
}

/** By opcode of a narrow access: the type in memory, and the conversion. */
export const NARROW: Readonly<
  Partial<Record<OpcodeName, readonly [type: string, extend: string]>>
> = {
  Load8Z: ["i8", "zext"],
  Load8S: ["i8", "sext"],
  Load16Z: ["i16", "zext"],
  Load16S: ["i16", "sext"],
  Store8: ["i8", "trunc"],
  Store16: ["i16", "trunc"],
};

/**
 * Returns a constant with these bits. LLVM writes hexadecimal floats as the bits of a double, so a
 * Float is a bitcast.
 */
export function literal(type: Type, lo: number, hi: number): string {
  const bits = isWide(type) ? wideBits(lo, hi) : lo | 0;
  const name = nameOfType(type);
  if (name === "Float") return `bitcast (i32 ${bits} to float)`;
  if (name !== "Double") return String(bits);
  return `0x${BigInt.asUintN(64, BigInt(bits)).toString(16).toUpperCase().padStart(16, "0")}`;
}
