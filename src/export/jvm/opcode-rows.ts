// Maps each opcode to instructions of the Java virtual machine; `$0` is the first operand. A row
// that ends in a conditional jump is a test: its result is 1 if it jumps. An operand that a row uses
// twice must be a local. Opcodes without a row are expanded before (LACKING).

import { nameOfOpcode, type Opcode } from "../../ir/opcodes.js";
import type { Type } from "../../ir/types.js";
import {
  all,
  type ByTypeColumn,
  entryOf,
  lackingOf,
  type OpcodeRow,
  type RowTable,
} from "../opcode-rows.js";

export const RUNTIME = "touchstone/Runtime";

/** Returns the call of a static method of the Java library or of runtime.ts. */
const java = (member: string, type: string): string => `invokestatic java/lang/${member} ${type}`;
const own = (name: string, type: string): string => `invokestatic ${RUNTIME}.${name} ${type}`;

const binary = (name: string, ...types: readonly ("i" | "l" | "f" | "d")[]): OpcodeRow =>
  Object.fromEntries(types.map((type) => [COLUMNS[type], `$0 $1 ${type}${name}`]));
const unary = (name: string, ...types: readonly ("i" | "l" | "f" | "d")[]): OpcodeRow =>
  Object.fromEntries(types.map((type) => [COLUMNS[type], `$0 ${type}${name}`]));
const COLUMNS = { i: "Int32", l: "Int64", f: "Float", d: "Double" } as const;

const numbers = (name: string): OpcodeRow => binary(name, "i", "l", "f", "d");
const integers = (name: string): OpcodeRow => binary(name, "i", "l");
/** Returns a function of Doubles that is exact for Floats too. */
const rounding = (call: string): OpcodeRow => ({
  Float: `$0 f2d ${call} d2f`,
  Double: `$0 ${call}`,
});
/** Returns calls of a function that is overloaded for both types. */
const overloaded = (member: string, count: number, types: string): OpcodeRow => {
  const operands = count === 1 ? "$0" : "$0 $1";
  const rows = [...types].map((type) => [
    COLUMNS[type.toLowerCase().replace("j", "l") as keyof typeof COLUMNS],
    `${operands} ${java(member, `(${type.repeat(count)})${type}`)}`,
  ]);
  return Object.fromEntries(rows);
};
/** Returns a test of two operands; a NaN fails it. */
const compared = (condition: string): OpcodeRow => {
  const nan = condition.startsWith("l") ? "g" : "l";
  return {
    Int32: `$0 $1 if_icmp${condition}`,
    Int64: `$0 $1 lcmp if${condition}`,
    Float: `$0 $1 fcmp${nan} if${condition}`,
    Double: `$0 $1 dcmp${nan} if${condition}`,
  };
};
const unsigned = (condition: string): OpcodeRow => ({
  Int32: `$0 $1 ${java("Integer.compareUnsigned", "(II)I")} if${condition}`,
  Int64: `$0 $1 ${java("Long.compareUnsigned", "(JJ)I")} if${condition}`,
});
/** Returns functions of integers in the classes of both types. */
const ofIntegers = (name: string, takes: (type: string) => string, wide: string): OpcodeRow => {
  const operands = takes("I").length === 1 ? "$0" : "$0 $1";
  return {
    Int32: `${operands} ${java(`Integer.${name}`, `(${takes("I")})I`)}`,
    Int64: `${operands} ${java(`Long.${name}`, `(${takes("J")})${wide}`)}${wide === "I" ? " i2l" : ""}`,
  };
};
const LOW = "long 0xffffffff land";

// `Math.abs` leaves the sign of a NaN open, and Java 17 keeps it.
// biome-ignore format: a table
const ROWS: RowTable<OpcodeRow> = {
  Identity: all("$0"),
  Opaque:   all("$0"),

  Add:  numbers("add"),
  Sub:  numbers("sub"),
  Mul:  numbers("mul"),
  Div:  numbers("div"),
  Mod:  numbers("rem"),
  UDiv: ofIntegers("divideUnsigned", (type) => type + type, "J"),
  UMod: ofIntegers("remainderUnsigned", (type) => type + type, "J"),
  MulHigh: { Int32: "$0 i2l $1 i2l lmul int 32 lshr l2i", Int64: `$0 $1 ${java("Math.multiplyHigh", "(JJ)J")}` },
  Min:  overloaded("Math.min", 2, "IJ"),
  Max:  overloaded("Math.max", 2, "IJ"),
  Neg:  unary("neg", "i", "l", "f", "d"),
  BitAnd: integers("and"),
  BitOr:  integers("or"),
  BitXor: integers("xor"),
  Shl:  integers("shl"),
  SShr: integers("shr"),
  ZShr: integers("ushr"),
  RotL: ofIntegers("rotateLeft", (type) => `${type}I`, "J"),
  RotR: ofIntegers("rotateRight", (type) => `${type}I`, "J"),
  Clz:    ofIntegers("numberOfLeadingZeros", (type) => type, "I"),
  Ctz:    ofIntegers("numberOfTrailingZeros", (type) => type, "I"),
  PopCnt: ofIntegers("bitCount", (type) => type, "I"),
  ByteSwap: ofIntegers("reverseBytes", (type) => type, "J"),

  Abs: {
    Float:  `$0 ${java("Math.abs", "(F)F")} int 1 i2f ${java("Math.copySign", "(FF)F")}`,
    Double: `$0 ${java("Math.abs", "(D)D")} int 1 i2d ${java("Math.copySign", "(DD)D")}`,
  },
  Ceil:    rounding(java("Math.ceil", "(D)D")),
  Floor:   rounding(java("Math.floor", "(D)D")),
  FTrunc:  rounding(own("truncate", "(D)D")),
  Nearest: rounding(java("Math.rint", "(D)D")),
  Sqrt:    rounding(java("Math.sqrt", "(D)D")),
  FMin:    overloaded("Math.min", 2, "FD"),
  FMax:    overloaded("Math.max", 2, "FD"),
  CopySign: overloaded("Math.copySign", 2, "FD"),
  FusedMulAdd: { Float: `$0 $1 $2 ${java("Math.fma", "(FFF)F")}`, Double: `$0 $1 $2 ${java("Math.fma", "(DDD)D")}` },

  SExt8:      all("$0 i2b"),
  SExt16:     all("$0 i2s"),
  SExt8To64:  all("$0 i2b i2l"),
  SExt16To64: all("$0 i2s i2l"),
  SExt32:     all("$0 i2l"),
  ZExt32:     all(`$0 i2l ${LOW}`),
  Trunc:      all("$0 l2i"),
  TruncHigh:  all("$0 int 32 lushr l2i"),
  Stitch:     all(`$0 i2l int 32 lshl $1 i2l ${LOW} lor`),
  IToD: { Int32: "$0 i2d", Int64: "$0 l2d" },
  IToF: { Int32: "$0 i2f", Int64: "$0 l2f" },
  UToD: { Int32: `$0 i2l ${LOW} l2d`, Int64: `$0 ${own("toDouble", "(J)D")}` },
  UToF: { Int32: `$0 i2l ${LOW} l2f`, Int64: `$0 ${own("toFloat", "(J)F")}` },
  TruncS32: { Float: "$0 f2i", Double: "$0 d2i" },
  TruncU32: { Float: `$0 f2l ${own("narrow", "(J)I")}`, Double: `$0 d2l ${own("narrow", "(J)I")}` },
  TruncS64: { Float: "$0 f2l", Double: "$0 d2l" },
  TruncU64: { Float: `$0 f2d ${own("toUnsigned", "(D)J")}`, Double: `$0 ${own("toUnsigned", "(D)J")}` },
  FloatToDouble: all("$0 f2d"),
  DoubleToFloat: all("$0 d2f"),
  BitwiseCast: { Int32: `$0 ${java("Float.intBitsToFloat", "(I)F")}`,    Int64:  `$0 ${java("Double.longBitsToDouble", "(J)D")}`,
                 Float: `$0 ${java("Float.floatToRawIntBits", "(F)I")}`, Double: `$0 ${java("Double.doubleToRawLongBits", "(D)J")}` },
  // The conversion to bits gives the bits of the purified NaN for every NaN.
  PurifyNaN: { Float:  `$0 ${java("Float.floatToIntBits", "(F)I")} ${java("Float.intBitsToFloat", "(I)F")}`,
               Double: `$0 ${java("Double.doubleToLongBits", "(D)J")} ${java("Double.longBitsToDouble", "(J)D")}` },

  Equal:        compared("eq"),
  NotEqual:     compared("ne"),
  LessThan:     compared("lt"),
  GreaterThan:  compared("gt"),
  LessEqual:    compared("le"),
  GreaterEqual: compared("ge"),
  Above:      unsigned("gt"),
  Below:      unsigned("lt"),
  AboveEqual: unsigned("ge"),
  BelowEqual: unsigned("le"),
  // Both comparisons give 0 for equal operands, and the two signs for a NaN.
  EqualOrUnordered: { Float:  "$0 $1 fcmpl $0 $1 fcmpg iadd ifeq",
                      Double: "$0 $1 dcmpl $0 $1 dcmpg iadd ifeq" },
  // The writer jumps over one of the last two operands.
  Select: { Int32: "$0 $1 $2 ifne", Int64: "$0 $1 $2 ifne" },
};

export const LACKING = lackingOf(ROWS);

/** Returns the instructions of an opcode; `type` is the type of the first operand. */
export const rowOf = (opcode: Opcode, type: Type): string =>
  entryOf("Java virtual machine", ROWS, opcode, type);

/** Returns whether a row computes the opcode. Such an opcode has no effect. */
export const hasRow = (opcode: Opcode): boolean => ROWS[nameOfOpcode(opcode)] !== undefined;

/** Returns whether the row uses the operand more than once. */
export const usesTwice = (row: string, operand: number): boolean =>
  row.split(`$${operand}`).length > 2;

const HANDLE = "java/lang/invoke/VarHandle";
interface ArrayAccess {
  /** Precedes the array and the index. */
  readonly before: string;
  readonly after: string;
}
const byHandle = (
  name: string,
  type: string,
  kind: "get" | "set",
  conversion = "",
): ArrayAccess => ({
  before: `getstatic ${RUNTIME}.${name} L${HANDLE};`,
  after:
    kind === "get"
      ? `invokevirtual ${HANDLE}.get ([BI)${type}`
      : `${conversion} invokevirtual ${HANDLE}.set ([BI${type})V`,
});
const whole = (kind: "get" | "set"): ByTypeColumn<ArrayAccess> => ({
  Int32: byHandle("INT", "I", kind),
  Int64: byHandle("LONG", "J", kind),
  Float: byHandle("FLOAT", "F", kind),
  Double: byHandle("DOUBLE", "D", kind),
});

// biome-ignore format: a table
const ACCESSES: RowTable<ByTypeColumn<ArrayAccess>> = {
  Load8Z:  { Int32: { before: "", after: "baload int 255 iand" } },
  Load8S:  { Int32: { before: "", after: "baload" } },
  Load16Z: { Int32: byHandle("CHAR", "C", "get") },
  Load16S: { Int32: byHandle("SHORT", "S", "get") },
  Load:    whole("get"),
  LoadInvariant: whole("get"),
  LoadVolatile:  whole("get"),
  Store8:  { Int32: { before: "", after: "bastore" } },
  Store16: { Int32: byHandle("SHORT", "S", "set", "i2s") },
  Store:   whole("set"),
};

/** Returns the instructions of a load or store; `type` is the type of the loaded or stored value. */
export const accessOf = (opcode: Opcode, type: Type): ArrayAccess =>
  entryOf("Java virtual machine", ACCESSES, opcode, type);
