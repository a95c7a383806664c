// Suggests an opcode for a name that the text misspells, or that another compiler uses.

import { nearestName } from "../../support/nearest.js";
import { nameOfOpcode, OPCODES, type Opcode, specOf } from "../opcodes.js";

const COMPARISONS = "Equal, NotEqual, LessThan, Above, ...";

/** Our opcode for a name that other compilers use, in lower case. */
// biome-ignore format: a table
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["ashr", "SShr"], ["sar", "SShr"], ["sshr", "SShr"], ["lshr", "ZShr"], ["shr", "ZShr"], ["ushr", "ZShr"],
  ["shl", "Shl"], ["and", "BitAnd"], ["or", "BitOr"], ["xor", "BitXor"], ["not", "BitXor with -1"],
  ["icmp", COMPARISONS], ["fcmp", COMPARISONS], ["cmp", COMPARISONS],
  ["eq", "Equal"], ["ne", "NotEqual"], ["slt", "LessThan"], ["sgt", "GreaterThan"], ["sle", "LessEqual"],
  ["sge", "GreaterEqual"], ["ult", "Below"], ["ugt", "Above"], ["ule", "BelowEqual"], ["uge", "AboveEqual"],
  ["fadd", "Add"], ["fsub", "Sub"], ["fmul", "Mul"], ["fdiv", "Div"], ["sdiv", "Div"], ["srem", "Mod"],
  ["urem", "UMod"], ["rem", "Mod"], ["sext", "SExt32"], ["zext", "ZExt32"], ["trunc", "Trunc"],
  ["br", "Jump or Branch"], ["goto", "Jump"], ["ret", "Return"], ["call", "CCall"], ["alloca", "SlotBase"],
  ["bitcast", "BitwiseCast"], ["sitofp", "IToD"], ["uitofp", "UToD"], ["ctlz", "Clz"], ["cttz", "Ctz"],
  ["popcount", "PopCnt"], ["ctpop", "PopCnt"], ["bswap", "ByteSwap"], ["fma", "FusedMulAdd"],
]);
const NAMES = Object.keys(OPCODES);

/** Returns a suggestion for the unknown opcode `word`; empty if no name is similar. */
export function opcodeHint(word: string): string {
  const lower = word.toLowerCase();
  const name =
    NAMES.find((known) => known.toLowerCase() === lower) ??
    FOREIGN.get(lower) ??
    nearestName(word, NAMES);
  return name === null || name === "Parameter" ? "" : `; did you mean ${name}?`;
}

/** Returns the operands of the opcode, as a hint. */
export const shapeOf = (opcode: Opcode): string =>
  `; ${nameOfOpcode(opcode)} takes (${specOf(opcode).args.join(", ")})`;
