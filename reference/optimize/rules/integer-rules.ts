// Lists the rules of reduce-strength for sums, bits, overflow, words and choices of integers.
// rules.ts describes the format of rows.

import type { OpcodeName } from "../../../src/ir/opcodes.js";
import {
  areDisjoint,
  areDisjointMoved,
  areOrdered,
  beginApart,
  countMax,
  differInOneBit,
  fillWidth,
  highWord,
  isGreatest,
  isInt32,
  isLeast,
  lowWordIsZero,
  shiftsNoneOut,
} from "./conditions.js";
import type { Rule } from "./patterns.js";

const INTEGERS = ["Int32", "Int64"] as const;
type OpcodeNames = readonly OpcodeName[];
const EQUALITIES: OpcodeNames = ["Equal", "NotEqual"];
const WRAPPING: OpcodeNames = ["Add", "Sub", "Mul", "BitAnd", "BitOr", "BitXor"];
const BITWISE: OpcodeNames = ["BitAnd", "BitOr", "BitXor"];
// Minimum and maximum opcodes, and the opposite ones in the same order.
const EXTREMA: OpcodeNames = ["Min", "Max", "UMin", "UMax"];
const OPPOSITE_EXTREMA: OpcodeNames = ["Max", "Min", "UMax", "UMin"];
const ROTATIONS: OpcodeNames = ["RotL", "RotR"];

// Columns of one matrix: an order, the opcode for x < y ? x : y in it, and the opcode for x < y ? y
// : x.
// biome-ignore format: a table
const ORDERS: OpcodeNames =           ["LessThan", "LessEqual", "GreaterThan", "GreaterEqual", "Below", "BelowEqual", "Above", "AboveEqual"];
// biome-ignore format: a table
const CHOSEN_BY_ORDERS: OpcodeNames = ["Min",      "Min",       "Max",         "Max",          "UMin",  "UMin",       "UMax",  "UMax"];
// biome-ignore format: a table
const LEFT_BY_ORDERS: OpcodeNames =   ["Max",      "Max",       "Min",         "Min",          "UMax",  "UMax",       "UMin",  "UMin"];

export const INTEGER_RULES: readonly Rule[] = [
  // Reversing the bytes twice has no effect, and does not affect equality.
  { name: "byteswap-of-byteswap", match: ["ByteSwap", ["ByteSwap", "x"]], give: "x" },
  {
    name: "equal-of-byteswaps",
    match: [EQUALITIES, ["ByteSwap", "x"], ["ByteSwap", "y"]],
    give: [EQUALITIES, "x", "y"],
  },
  // Bitwise operations act on each byte separately, so two reversals become one.
  {
    name: "bitwise-of-byteswaps",
    match: [BITWISE, ["ByteSwap", "x"], ["ByteSwap", "y"]],
    give: ["ByteSwap", [BITWISE, "x", "y"]],
  },
  // The lowest byte of the result is the highest byte of x.
  {
    name: "low-byte-of-byteswap",
    match: ["BitAnd", ["ByteSwap", "x"], 255],
    give: ["ZShr", "x", 24],
    over: ["Int32"],
  },
  {
    name: "low-byte-of-byteswap-wide",
    match: ["BitAnd", ["ByteSwap", "x"], 255],
    give: ["ZShr", "x", 56],
    over: ["Int64"],
  },
  // (x + c) - (y + d) becomes (x - y) + (c - d): three values instead of four.
  {
    name: "sub-of-adds",
    match: ["Sub", ["Add", "x", "c"], ["Add", "y", "d"]],
    give: ["Add", ["Sub", "x", "y"], ["Sub", "c", "d"]],
    over: INTEGERS,
  },
  // (x + z) - (y + z) becomes x - y.
  {
    name: "sub-common-summand",
    match: ["Sub", ["Add", "x", "z"], ["Add", "y", "z"]],
    give: ["Sub", "x", "y"],
    over: INTEGERS,
  },
  // (x & y) + (x | y) becomes x + y.
  {
    name: "sum-of-and-or",
    match: ["Add", ["BitAnd", "x", "y"], ["BitOr", "x", "y"]],
    give: ["Add", "x", "y"],
  },
  // (x & y) and (x ^ y) have no bit in common, and their union is x | y.
  {
    name: "union-of-and-xor",
    match: [
      ["Add", "BitOr", "BitXor"],
      ["BitAnd", "x", "y"],
      ["BitXor", "x", "y"],
    ],
    give: ["BitOr", "x", "y"],
  },
  {
    name: "or-without-and",
    match: [
      ["Sub", "BitXor"],
      ["BitOr", "x", "y"],
      ["BitAnd", "x", "y"],
    ],
    give: ["BitXor", "x", "y"],
  },
  // (x ^ y) | y becomes x | y.
  { name: "or-own-xor", match: ["BitOr", ["BitXor", "x", "y"], "y"], give: ["BitOr", "x", "y"] },
  // ~x - ~y becomes y - x.
  {
    name: "sub-of-nots",
    match: ["Sub", ["BitXor", "x", -1], ["BitXor", "y", -1]],
    give: ["Sub", "y", "x"],
  },
  // x - (x & c) becomes x & ~c, because no bit borrows.
  {
    name: "sub-own-mask",
    match: ["Sub", "x", ["BitAnd", "x", "c"]],
    give: ["BitAnd", "x", ["BitXor", "c", -1]],
    over: INTEGERS,
  },
  // (x ^ c) & d becomes x & d if c & d is 0.
  {
    name: "and-of-disjoint-xor",
    match: ["BitAnd", ["BitXor", "x", "c"], "d"],
    give: ["BitAnd", "x", "d"],
    where: [areDisjoint("c", "d")],
  },
  // ((y ? c : 0) ^ x) & d becomes x & d if c & d is 0.
  {
    name: "and-of-disjoint-choice",
    match: ["BitAnd", [["BitXor", "BitOr"], "x", ["Select", "y", "c", 0]], "d"],
    give: ["BitAnd", "x", "d"],
    where: [areDisjoint("c", "d")],
  },
  {
    name: "and-of-disjoint-choice-else",
    match: ["BitAnd", [["BitXor", "BitOr"], "x", ["Select", "y", 0, "c"]], "d"],
    give: ["BitAnd", "x", "d"],
    where: [areDisjoint("c", "d")],
  },
  {
    name: "and-of-disjoint-mask",
    match: ["BitAnd", [["BitXor", "BitOr"], "x", ["BitAnd", "y", "c"]], "d"],
    give: ["BitAnd", "x", "d"],
    where: [areDisjoint("c", "d")],
  },
  // (((y & c) ^ x) >>> d) & e becomes (x >>> d) & e if (c >>> d) & e is 0: bits of a checksum do
  // not wait for the bits before.
  {
    name: "moved-bits-of-disjoint-mask",
    match: ["BitAnd", ["ZShr", [["BitXor", "BitOr"], "x", ["BitAnd", "y", "c"]], "d"], "e"],
    give: ["BitAnd", ["ZShr", "x", "d"], "e"],
    where: [areDisjointMoved("c", "d", "e")],
  },
  {
    name: "moved-bits-of-disjoint-choice",
    match: ["BitAnd", ["ZShr", [["BitXor", "BitOr"], "x", ["Select", "y", "c", 0]], "d"], "e"],
    give: ["BitAnd", ["ZShr", "x", "d"], "e"],
    where: [areDisjointMoved("c", "d", "e")],
  },
  // (x & z) ^ (y & z) becomes (x ^ y) & z.
  {
    name: "bitwise-of-masks",
    match: [
      ["BitXor", "BitOr"],
      ["BitAnd", "x", "z"],
      ["BitAnd", "y", "z"],
    ],
    give: ["BitAnd", [["BitXor", "BitOr"], "x", "y"], "z"],
  },
  // -((x >>> c) & 1) becomes (x << 31 - c) >> 31: copies of one bit.
  {
    name: "neg-of-bit",
    match: ["Neg", ["BitAnd", ["ZShr", "x", "c"], 1]],
    give: ["SShr", ["Shl", "x", ["Sub", 31, "c"]], 31],
    over: ["Int32"],
  },
  // A test of shifted bits becomes a test of the bits in their original position.
  {
    name: "select-by-moved-bits",
    match: ["Select", ["BitAnd", [["ZShr", "SShr"], "x", "c"], "d"], "y", "z"],
    give: ["Select", ["BitAnd", "x", ["Shl", "d", "c"]], "y", "z"],
    where: [shiftsNoneOut("d", "c")],
  },
  {
    name: "equal-of-moved-bits",
    match: [
      ["Equal", "Equal", "NotEqual", "NotEqual"],
      ["BitAnd", [["ZShr", "SShr", "ZShr", "SShr"], "x", "c"], "d"],
      0,
    ],
    give: [["Equal", "Equal", "NotEqual", "NotEqual"], ["BitAnd", "x", ["Shl", "d", "c"]], 0],
    where: [shiftsNoneOut("d", "c")],
  },
  // (x << c) | (x >>> width - c) becomes a rotation.
  {
    name: "rotation-of-shifts",
    match: [
      ["BitOr", "BitXor", "Add"],
      ["Shl", "x", "c"],
      ["ZShr", "x", "d"],
    ],
    give: ["RotL", "x", "c"],
    where: [fillWidth("c", "d")],
  },
  // The same with a variable count; with a count of 0 both shifts give x.
  {
    name: "rotation-by-variable",
    match: ["BitOr", [["Shl", "ZShr"], "x", "y"], [["ZShr", "Shl"], "x", ["Sub", 32, "y"]]],
    give: [["RotL", "RotR"], "x", "y"],
    over: ["Int32"],
  },
  // The counts of two rotations add up modulo the width.
  {
    name: "rotation-of-rotation",
    match: [ROTATIONS, [ROTATIONS, "x", "c"], "d"],
    give: [ROTATIONS, "x", ["Add", "c", "d"]],
  },
  {
    name: "rotation-back",
    match: [["RotL", "RotR"], [["RotR", "RotL"], "x", "y"], "y"],
    give: "x",
  },
  { name: "rotation-of-ones", match: [ROTATIONS, -1, "x"], give: -1 },
  { name: "rotation-of-zero", match: [ROTATIONS, 0, "x"], give: 0 },

  // These operations cannot overflow. 0 - x can.
  {
    name: "overflow-of-zero",
    match: [["AddOverflows", "SubOverflows", "MulOverflows", "AddCarries"], "x", 0],
    give: 0,
  },
  { name: "overflow-of-self", match: ["SubOverflows", "x", "x"], give: 0 },
  { name: "overflow-of-one", match: ["MulOverflows", "x", 1], give: 0 },
  {
    name: "overflow-of-sext",
    match: [
      ["AddOverflows", "SubOverflows", "MulOverflows"],
      ["SExt32", "x"],
      ["SExt32", "y"],
    ],
    give: 0,
  },
  {
    name: "carry-of-zext",
    match: ["AddCarries", ["ZExt32", "x"], ["ZExt32", "y"]],
    give: 0,
  },

  // The low word of a result depends only on the low words of the operands.
  {
    name: "trunc-of-arithmetic",
    match: ["Trunc", [WRAPPING, ["SExt32", "x"], ["SExt32", "y"]]],
    give: [WRAPPING, "x", "y"],
  },
  {
    name: "trunc-of-unsigned-arithmetic",
    match: ["Trunc", [WRAPPING, ["ZExt32", "x"], ["ZExt32", "y"]]],
    give: [WRAPPING, "x", "y"],
  },
  { name: "trunc-of-neg", match: ["Trunc", ["Neg", ["SExt32", "x"]]], give: ["Neg", "x"] },
  // Words that are combined and extracted again.
  { name: "trunc-of-stitch", match: ["Trunc", ["Stitch", "y", "x"]], give: "x" },
  { name: "trunc-high-of-stitch", match: ["TruncHigh", ["Stitch", "x", "y"]], give: "x" },
  { name: "stitch-of-parts", match: ["Stitch", ["TruncHigh", "x"], ["Trunc", "x"]], give: "x" },
  { name: "stitch-of-zero", match: ["Stitch", 0, "x"], give: ["ZExt32", "x"] },
  {
    name: "stitch-of-sign",
    match: ["Stitch", ["SShr", "x", 31], "x"],
    give: ["SExt32", "x"],
  },
  { name: "trunc-high-of-zext", match: ["TruncHigh", ["ZExt32", "x"]], give: 0 },
  {
    name: "trunc-high-of-sext",
    match: ["TruncHigh", ["SExt32", "x"]],
    give: ["SShr", "x", 31],
  },
  // An OR, XOR or sum that combines two words, which have no bit in common.
  {
    name: "halves-to-stitch",
    match: [
      ["BitOr", "BitXor", "Add", "BitOr", "BitXor", "Add"],
      ["Shl", [["ZExt32", "ZExt32", "ZExt32", "SExt32", "SExt32", "SExt32"], "x"], 32],
      ["ZExt32", "y"],
    ],
    give: ["Stitch", "x", "y"],
  },
  // The high word of a tagged value whose payload is zero-extended.
  {
    name: "high-of-tagged",
    match: ["TruncHigh", [["BitOr", "BitXor", "Add"], ["ZExt32", "x"], "c"]],
    give: highWord("c"),
    where: [lowWordIsZero("c")],
  },
  // Moves the high word to the low word.
  {
    name: "shift-of-stitch",
    match: [["ZShr", "SShr"], ["Stitch", "x", "y"], 32],
    give: [["ZExt32", "SExt32"], "x"],
  },
  {
    name: "trunc-of-high-word",
    match: ["Trunc", [["ZShr", "SShr"], "x", 32]],
    give: ["TruncHigh", "x"],
  },
  // If one word is equal, the comparison needs only the other.
  {
    name: "equal-of-tagged",
    match: [EQUALITIES, ["Stitch", "x", "y"], ["Stitch", "x", "z"]],
    give: [EQUALITIES, "y", "z"],
  },
  // Combines two successive extensions.
  {
    name: "sext32-of-narrow",
    match: ["SExt32", [["SExt8", "SExt16"], "x"]],
    give: [["SExt8To64", "SExt16To64"], "x"],
  },
  {
    name: "trunc-of-narrow",
    match: ["Trunc", [["SExt8To64", "SExt16To64"], "x"]],
    give: [["SExt8", "SExt16"], "x"],
  },
  {
    name: "sext-of-narrow",
    match: [
      ["SExt8To64", "SExt8To64", "SExt16To64"],
      [["SExt8", "SExt16", "SExt16"], "x"],
    ],
    give: [["SExt8To64", "SExt8To64", "SExt16To64"], "x"],
  },

  // -x == -y and ~x == ~y become x == y.
  {
    name: "equal-of-negs",
    match: [EQUALITIES, ["Neg", "x"], ["Neg", "y"]],
    give: [EQUALITIES, "x", "y"],
  },
  {
    name: "equal-of-nots",
    match: [EQUALITIES, ["BitXor", "x", -1], ["BitXor", "y", -1]],
    give: [EQUALITIES, "x", "y"],
  },
  // x + z == y + z becomes x == y. Not for floats: both sums may round to one number.
  {
    name: "equal-common-operand",
    match: [
      ["Equal", "Equal", "NotEqual", "NotEqual"],
      [["Add", "BitXor", "Add", "BitXor"], "x", "z"],
      [["Add", "BitXor", "Add", "BitXor"], "y", "z"],
    ],
    give: [["Equal", "Equal", "NotEqual", "NotEqual"], "x", "y"],
    over: INTEGERS,
  },
  // ~x < ~y becomes x > y, in both orders.
  {
    name: "order-of-nots",
    match: [
      ["LessThan", "LessEqual", "Below", "BelowEqual"],
      ["BitXor", "x", -1],
      ["BitXor", "y", -1],
    ],
    give: [["GreaterThan", "GreaterEqual", "Above", "AboveEqual"], "x", "y"],
  },

  // x < y ? x : y becomes the minimum in that order; x < y ? y : x becomes the maximum.
  {
    name: "select-of-order",
    match: ["Select", [ORDERS, "x", "y"], "x", "y"],
    give: [CHOSEN_BY_ORDERS, "x", "y"],
    over: INTEGERS,
  },
  {
    name: "select-of-order-reversed",
    match: ["Select", [ORDERS, "x", "y"], "y", "x"],
    give: [LEFT_BY_ORDERS, "x", "y"],
    over: INTEGERS,
  },
  // x >= c && x <= d becomes one unsigned comparison, because x - c wraps around for x below c.
  {
    name: "range-of-orders",
    match: ["Select", ["GreaterEqual", "x", "c"], ["LessEqual", "x", "d"], 0],
    give: ["BelowEqual", ["Sub", "x", "c"], ["Sub", "d", "c"]],
    over: ["Int32"],
    where: [areOrdered("c", "d")],
  },
  {
    name: "range-of-orders-reversed",
    match: ["Select", ["LessEqual", "x", "d"], ["GreaterEqual", "x", "c"], 0],
    give: ["BelowEqual", ["Sub", "x", "c"], ["Sub", "d", "c"]],
    over: ["Int32"],
    where: [areOrdered("c", "d")],
  },
  // If two ranges of equal length begin a power of two apart, one test without that bit covers
  // both.
  {
    name: "ranges-apart",
    match: [
      "Select",
      ["BelowEqual", ["Add", "x", "c"], "e"],
      1,
      ["BelowEqual", ["Add", "x", "d"], "e"],
    ],
    give: ["BelowEqual", ["BitAnd", ["Add", "x", "c"], ["BitXor", ["Sub", "c", "d"], -1]], "e"],
    over: ["Int32"],
    where: [beginApart("c", "d", "e")],
  },
  {
    name: "ranges-apart-reversed",
    match: [
      "Select",
      ["BelowEqual", ["Add", "x", "d"], "e"],
      1,
      ["BelowEqual", ["Add", "x", "c"], "e"],
    ],
    give: ["BelowEqual", ["BitAnd", ["Add", "x", "c"], ["BitXor", ["Sub", "c", "d"], -1]], "e"],
    over: ["Int32"],
    where: [beginApart("c", "d", "e")],
  },
  // x == c || x == d if c and d differ in one bit.
  {
    name: "equal-to-either",
    match: ["Select", ["Equal", "x", "c"], 1, ["Equal", "x", "d"]],
    give: ["Equal", ["BitAnd", "x", ["BitXor", ["BitXor", "c", "d"], -1]], ["BitAnd", "c", "d"]],
    over: ["Int32"],
    where: [differInOneBit("c", "d")],
  },
  // x >= c && x <= d ? y : z, likewise.
  {
    name: "select-by-range",
    match: [
      "Select",
      ["GreaterEqual", "x", "c"],
      ["Select", ["LessEqual", "x", "d"], "y", "z"],
      "z",
    ],
    give: ["Select", ["BelowEqual", ["Sub", "x", "c"], ["Sub", "d", "c"]], "y", "z"],
    where: [areOrdered("c", "d")],
  },
  { name: "extremum-of-same", match: [EXTREMA, "x", "x"], give: "x" },
  // The minimum of x and a value that is at least x is x.
  {
    name: "extremum-absorbs",
    match: [EXTREMA, [OPPOSITE_EXTREMA, "x", "y"], "x"],
    give: "x",
  },
  {
    name: "extremum-repeats",
    match: [EXTREMA, [EXTREMA, "x", "y"], "x"],
    give: [EXTREMA, "x", "y"],
  },
  // ~ reverses both orders.
  {
    name: "extremum-of-nots",
    match: [EXTREMA, ["BitXor", "x", -1], ["BitXor", "y", -1]],
    give: ["BitXor", [OPPOSITE_EXTREMA, "x", "y"], -1],
  },
  { name: "umin-of-zero", match: ["UMin", "x", 0], give: 0 },
  { name: "umin-of-ones", match: ["UMin", "x", -1], give: "x" },
  { name: "umax-of-zero", match: ["UMax", "x", 0], give: "x" },
  { name: "umax-of-ones", match: ["UMax", "x", -1], give: -1 },
  // Minimum and maximum with a limit of the signed integers.
  { name: "min-of-least", match: ["Min", "x", "c"], give: "c", where: [isLeast("c")] },
  { name: "max-of-least", match: ["Max", "x", "c"], give: "x", where: [isLeast("c")] },
  { name: "min-of-greatest", match: ["Min", "x", "c"], give: "x", where: [isGreatest("c")] },
  { name: "max-of-greatest", match: ["Max", "x", "c"], give: "c", where: [isGreatest("c")] },

  // x == y ? x : y becomes y, and x == y ? y : x becomes x. Not for floats: -0 equals +0.
  {
    name: "select-of-equals",
    match: ["Select", ["Equal", "x", "y"], "x", "y"],
    give: "y",
    over: INTEGERS,
  },
  {
    name: "select-of-different",
    match: ["Select", ["NotEqual", "x", "y"], "x", "y"],
    give: "x",
    over: INTEGERS,
  },
  {
    name: "select-of-neg",
    match: ["Select", ["Neg", "x"], "y", "z"],
    give: ["Select", "x", "y", "z"],
  },
  // The inner Select has the same condition.
  {
    name: "select-own-select",
    match: ["Select", "x", ["Select", "x", "y", "z"], "z"],
    give: ["Select", "x", "y", "z"],
  },
  {
    name: "select-own-select-else",
    match: ["Select", "x", "y", ["Select", "x", "z", "y"]],
    give: "y",
  },
  // x < 0 is the sign bit of x; an arithmetic shift turns it into a number.
  {
    name: "sign-as-number",
    match: ["Select", ["LessThan", "x", 0], -1, 0],
    give: ["SShr", "x", countMax()],
    over: ["Int32"],
    where: [isInt32("x")],
  },
];
