// Lists the rewrite rules of reduce-strength as data. patterns.ts describes the format of a row.
// The matcher, the proofs (src/prove) and the counters read the same rows. The generator reads
// copies in corpus/patterns/rules.json, which `node ci/refresh-patterns.mjs` updates.
//
// A rule reduces: fewer values, cheaper values, or the one canonical form. No two rows undo each
// other. If several rows match one value, the first wins. The order only affects quality, not
// correctness: folding comes first, then removal, then canonicalization. The comment above a row
// for floats describes -0 and NaN. A NaN made by arithmetic has open bits. So a rule may replace it
// by an operand's own NaN, but not the reverse. A row for Int64 never decomposes an address that
// only Add may contain (see language, stack slots).

import {
  COMMUTES,
  EFFECTS,
  OPCODE_NAMES,
  OPERAND_COUNTS,
  Op,
  type OpcodeName,
  PARTIAL,
} from "../../../src/ir/opcodes.js";
import { SwitchCases, type Value } from "../../../src/ir/procedure.js";
import { assert } from "../../../src/support/assert.js";
import {
  areDisjoint,
  areExhaustive,
  countBits,
  countMax,
  covers,
  doNotOverflow,
  fitsOffset,
  fitsShift,
  folds,
  goesToOnePlace,
  hasExactReciprocal,
  hasIdleCase,
  isAboveLowWord,
  isBeyondWidth,
  isFollowed,
  isGreatest,
  isInt32,
  isLeast,
  isNotConstant,
  isNotLeast,
  isNotZero,
  isOfIntegers,
  isPowerOfTwo,
  isWithinByte,
  isWithinHalf,
  keepsByte,
  keepsCount,
  keepsHalf,
  log2,
  lowWordIsOnes,
  lowWordIsZero,
  overflow,
  shiftsAllOut,
} from "./conditions.js";
import { CONVERSION_RULES } from "./conversion-rules.js";
import { DIVISION_RULES } from "./division-rules.js";
import { UNFOLDED } from "./fold.js";
import { INTEGER_RULES } from "./integer-rules.js";
import {
  MINUS_ONE,
  NEGATIVE_ZERO,
  NOTHING,
  ONE,
  POSITIVE_ZERO,
  type Rule,
  TWO,
} from "./patterns.js";

const INTEGERS = ["Int32", "Int64"] as const;
const FLOATS = ["Float", "Double"] as const;

type OpcodeNames = readonly OpcodeName[];

// Opcodes that were added to the language later. They only determine an order. The generator draws
// an option of a row by its position, so another order would change the programs of all seeds.
const LATER: ReadonlySet<OpcodeName> = new Set([
  ...(["Clz", "Ctz", "PopCnt", "Floor", "FTrunc", "Nearest", "SExt8To64", "SExt16To64"] as const),
  ...(["TruncHigh", "IToF", "UToD", "UToF", "TruncS32", "TruncU32", "TruncS64"] as const),
  ...(["TruncU64", "Mod", "UDiv", "UMod", "ChillDiv", "ChillMod", "MulHigh", "UMulHigh"] as const),
  ...(["RotL", "RotR", "AddOverflows", "SubOverflows", "MulOverflows", "AddCarries"] as const),
  ...(["FMin", "FMax", "CopySign", "Stitch", "ByteSwap"] as const),
  ...(["Min", "Max", "UMin", "UMax", "FloorMod", "ToInt32", "FusedMulAdd"] as const),
]);
const IN_ORDER: OpcodeNames = [
  ...OPCODE_NAMES.filter((name) => !LATER.has(name)),
  ...OPCODE_NAMES.filter((name) => LATER.has(name)),
];
const FOLDED: OpcodeNames = IN_ORDER.filter(
  (name) => (EFFECTS[Op[name]] & ~PARTIAL) === 0 && !UNFOLDED.includes(name),
);
const UNARY: OpcodeNames = FOLDED.filter((name) => OPERAND_COUNTS[Op[name]] === 1);
const BINARY: OpcodeNames = FOLDED.filter((name) => OPERAND_COUNTS[Op[name]] === 2);
const TERNARY: OpcodeNames = ["FusedMulAdd"];
const COMMUTATIVE: OpcodeNames = IN_ORDER.filter((name) => COMMUTES[Op[name]] === 1);

const SHIFTS: OpcodeNames = ["Shl", "SShr", "ZShr"];
const COUNTED: OpcodeNames = [...SHIFTS, "RotL", "RotR"];
const CHECKED: OpcodeNames = ["CheckAdd", "CheckSub", "CheckMul"];
const UNCHECKED: OpcodeNames = ["Add", "Sub", "Mul"];
const LOADS: OpcodeNames = ["Load8Z", "Load8S", "Load16Z", "Load16S", "Load"];
const STORES: OpcodeNames = ["Store8", "Store16", "Store"];
const TESTS: OpcodeNames = ["Branch", "Check"];

// Columns of one matrix: a comparison, the same with exchanged operands, and its inverse for
// integers.
// biome-ignore format: a table
const EQUALITIES: OpcodeNames =         ["Equal",    "NotEqual"];
// biome-ignore format: a table
const EQUALITIES_INVERTED: OpcodeNames = ["NotEqual", "Equal"];
// biome-ignore format: a table
const ORDERS: OpcodeNames =          ["LessThan",     "GreaterThan", "LessEqual",    "GreaterEqual", "Above",      "Below",      "AboveEqual", "BelowEqual"];
// biome-ignore format: a table
const ORDERS_FLIPPED: OpcodeNames =  ["GreaterThan",  "LessThan",    "GreaterEqual", "LessEqual",    "Below",      "Above",      "BelowEqual", "AboveEqual"];
// biome-ignore format: a table
const ORDERS_INVERTED: OpcodeNames = ["GreaterEqual", "LessEqual",   "GreaterThan",  "LessThan",     "BelowEqual", "AboveEqual", "Below",      "Above"];
// biome-ignore format: a table
const ORDERS_UNSIGNED: OpcodeNames = ["Below",        "Above",       "BelowEqual",   "AboveEqual",   "Above",      "Below",      "AboveEqual", "BelowEqual"];
const FLOAT_ORDERS: OpcodeNames = ORDERS.slice(0, 4);
const FLOAT_ORDERS_FLIPPED: OpcodeNames = ORDERS_FLIPPED.slice(0, 4);
const COMPARISONS: OpcodeNames = [...EQUALITIES, ...ORDERS, "EqualOrUnordered"];
const INTEGER_COMPARISONS: OpcodeNames = [...EQUALITIES, ...ORDERS];
const FLOAT_COMPARISONS: OpcodeNames = [...EQUALITIES, ...FLOAT_ORDERS, "EqualOrUnordered"];

const FOLDING: readonly Rule[] = [
  // An operation on constants becomes its result, unless that is an open NaN: see fold.ts.
  { name: "fold-unary", match: [UNARY, "c"], give: [UNARY, "c"], where: [folds()] },
  { name: "fold-binary", match: [BINARY, "c", "d"], give: [BINARY, "c", "d"], where: [folds()] },
  {
    name: "fold-ternary",
    match: [TERNARY, "c", "d", "e"],
    give: [TERNARY, "c", "d", "e"],
    where: [folds()],
  },
  // A checked operation on constants that does not overflow becomes its result.
  {
    name: "fold-checked",
    match: [CHECKED, "c", "d"],
    give: [UNCHECKED, "c", "d"],
    where: [doNotOverflow("c", "d")],
  },
];

const SUMS: readonly Rule[] = [
  // x + 0 becomes x. For integers only: the pattern 0 does not match floats.
  { name: "add-zero", match: ["Add", "x", 0], give: "x" },
  // x + -0.0 becomes x, also for -0. Not with +0.0: -0.0 + 0.0 is +0, and the sign is observable.
  { name: "add-negative-zero", match: ["Add", "x", NEGATIVE_ZERO], give: "x" },
  { name: "sub-zero", match: ["Sub", "x", 0], give: "x" },
  // x - 0.0 becomes x: -0 - 0 is -0. Not with -0.0: -0 - -0 is +0.
  { name: "sub-positive-zero", match: ["Sub", "x", POSITIVE_ZERO], give: "x" },
  // x - x becomes 0. Not for floats: infinities and NaN give NaN.
  { name: "sub-self", match: ["Sub", "x", "x"], give: 0, over: INTEGERS },
  { name: "zero-minus", match: ["Sub", 0, "x"], give: ["Neg", "x"] },
  // -0.0 - x becomes -x, also for both zeroes; a NaN keeps its bits. Not with +0.0: 0.0 - 0.0 is
  // +0.
  { name: "negative-zero-minus", match: ["Sub", NEGATIVE_ZERO, "x"], give: ["Neg", "x"] },
  { name: "add-then-sub", match: ["Sub", ["Add", "x", "y"], "y"], give: "x", over: INTEGERS },
  { name: "sub-then-add", match: ["Add", ["Sub", "x", "y"], "y"], give: "x", over: INTEGERS },
  { name: "sub-own-sub", match: ["Sub", "x", ["Sub", "x", "y"]], give: "y", over: INTEGERS },
  // x - (x + y) becomes -y.
  {
    name: "sub-own-add",
    match: ["Sub", "x", ["Add", "x", "y"]],
    give: ["Neg", "y"],
    over: INTEGERS,
  },
  // (x - y) - x becomes -y.
  {
    name: "sub-of-sub-own",
    match: ["Sub", ["Sub", "x", "y"], "x"],
    give: ["Neg", "y"],
    over: INTEGERS,
  },
  // x - -y becomes x + y. Floats: the same sum by definition, zeroes included; a NaN is open before
  // and after.
  { name: "sub-of-neg", match: ["Sub", "x", ["Neg", "y"]], give: ["Add", "x", "y"] },
  // x + -y becomes x - y. Floats: the same by definition. Not for Int64: x may be the address of a
  // slot.
  {
    name: "add-of-neg",
    match: ["Add", "x", ["Neg", "y"]],
    give: ["Sub", "x", "y"],
    over: ["Int32", "Float", "Double"],
  },
  // -(x - y) becomes y - x. Not for floats: -(x - x) is -0.
  {
    name: "neg-of-sub",
    match: ["Neg", ["Sub", "x", "y"]],
    give: ["Sub", "y", "x"],
    over: INTEGERS,
  },
  // -(-x) becomes x: the sign bit changes twice, for floats too.
  { name: "neg-of-neg", match: ["Neg", ["Neg", "x"]], give: "x" },
  // (x + c) + d becomes x + (c + d). Not for floats, because their sums are rounded twice.
  {
    name: "add-of-add",
    match: ["Add", ["Add", "x", "c"], "d"],
    give: ["Add", "x", ["Add", "c", "d"]],
    over: INTEGERS,
  },
  {
    name: "add-of-constant-minus",
    match: ["Add", ["Sub", "c", "x"], "d"],
    give: ["Sub", ["Add", "c", "d"], "x"],
    over: INTEGERS,
  },
  {
    name: "constant-minus-add",
    match: ["Sub", "c", ["Add", "x", "d"]],
    give: ["Sub", ["Sub", "c", "d"], "x"],
    over: INTEGERS,
  },
  {
    name: "constant-minus-constant-minus",
    match: ["Sub", "c", ["Sub", "d", "x"]],
    give: ["Add", "x", ["Sub", "c", "d"]],
    over: INTEGERS,
  },
  // x - c becomes x + -c: one form for rules and addresses.
  {
    name: "sub-constant",
    match: ["Sub", "x", "c"],
    give: ["Add", "x", ["Neg", "c"]],
    where: [isNotConstant("x")],
    over: INTEGERS,
  },
  // ~x + 1 becomes -x.
  { name: "not-plus-one", match: ["Add", ["BitXor", "x", -1], 1], give: ["Neg", "x"] },
  // ~x + x becomes -1.
  { name: "add-own-not", match: ["Add", ["BitXor", "x", -1], "x"], give: -1 },
  // -~x becomes x + 1.
  { name: "neg-of-not", match: ["Neg", ["BitXor", "x", -1]], give: ["Add", "x", 1] },
  // ~-x becomes x - 1.
  { name: "not-of-neg", match: ["BitXor", ["Neg", "x"], -1], give: ["Add", "x", -1] },
];

const PRODUCTS: readonly Rule[] = [
  { name: "mul-one", match: ["Mul", "x", 1], give: "x" },
  // x * 1.0 becomes x: exact for every number, both zeroes included. An open NaN now keeps x's
  // bits.
  { name: "mul-one-float", match: ["Mul", "x", ONE], give: "x" },
  // x * 0 becomes 0. Not for floats: infinities, NaN, and the sign of zero.
  { name: "mul-zero", match: ["Mul", "x", 0], give: 0 },
  { name: "mul-minus-one", match: ["Mul", "x", -1], give: ["Neg", "x"] },
  // x * -1.0 becomes -x: zeroes change sign both ways; a NaN was open.
  { name: "mul-minus-one-float", match: ["Mul", "x", MINUS_ONE], give: ["Neg", "x"] },
  {
    name: "mul-power-of-two",
    match: ["Mul", "x", "c"],
    give: ["Shl", "x", log2("c")],
    over: INTEGERS,
    where: [isPowerOfTwo("c"), isNotConstant("x")],
  },
  // x * 2.0 becomes x + x: both are exact, or the same infinity; -0 is unchanged.
  { name: "mul-two-float", match: ["Mul", "x", TWO], give: ["Add", "x", "x"] },
  // (x * c) * d becomes x * (c * d). Not for floats, because their products are rounded twice.
  {
    name: "mul-of-mul",
    match: ["Mul", ["Mul", "x", "c"], "d"],
    give: ["Mul", "x", ["Mul", "c", "d"]],
    over: INTEGERS,
  },
  {
    name: "mul-of-shl",
    match: ["Mul", ["Shl", "x", "c"], "d"],
    give: ["Mul", "x", ["Shl", "d", "c"]],
  },
  {
    name: "shl-of-mul",
    match: ["Shl", ["Mul", "x", "c"], "d"],
    give: ["Mul", "x", ["Shl", "c", "d"]],
  },
  // -x * -y becomes x * y: the sign of a product is the exclusive or of the signs; a NaN is open.
  { name: "mul-of-negs", match: ["Mul", ["Neg", "x"], ["Neg", "y"]], give: ["Mul", "x", "y"] },
  // -x * c becomes x * -c: likewise.
  { name: "mul-of-neg", match: ["Mul", ["Neg", "x"], "c"], give: ["Mul", "x", ["Neg", "c"]] },
  // |x| * |x| becomes x * x: likewise.
  { name: "square-of-abs", match: ["Mul", ["Abs", "x"], ["Abs", "x"]], give: ["Mul", "x", "x"] },
  // x * 1.0 + y becomes x + y: the product is exact. With a factor of -1.0 it becomes -x + y, also
  // for zeroes.
  { name: "fused-one", match: ["FusedMulAdd", "x", ONE, "y"], give: ["Add", "x", "y"] },
  { name: "fused-minus-one", match: ["FusedMulAdd", "x", MINUS_ONE, "y"], give: ["Sub", "y", "x"] },
  // x * y + -0.0 becomes x * y: both round once, and -0.0 changes no zero. +0.0 would change -0.0.
  {
    name: "fused-minus-zero",
    match: ["FusedMulAdd", "x", "y", NEGATIVE_ZERO],
    give: ["Mul", "x", "y"],
  },
  // -x * -y + z becomes x * y + z: as with products.
  {
    name: "fused-of-negs",
    match: ["FusedMulAdd", ["Neg", "x"], ["Neg", "y"], "z"],
    give: ["FusedMulAdd", "x", "y", "z"],
  },
  // -x * c + y becomes x * -c + y: likewise.
  {
    name: "fused-of-neg",
    match: ["FusedMulAdd", ["Neg", "x"], "c", "y"],
    give: ["FusedMulAdd", "x", ["Neg", "c"], "y"],
  },
  // x / 1.0 becomes x: like x * 1.0.
  { name: "div-one", match: ["Div", "x", ONE], give: "x" },
  { name: "div-minus-one", match: ["Div", "x", MINUS_ONE], give: ["Neg", "x"] },
  // x / c becomes x * (1 / c) if 1 / c is exact: both round the same real number once, and signs of
  // zero agree.
  {
    name: "div-power-of-two",
    match: ["Div", "x", "c"],
    give: ["Mul", "x", ["Div", ONE, "c"]],
    where: [hasExactReciprocal("c"), isNotConstant("x")],
    over: FLOATS,
  },
  // -x / -y becomes x / y: like the product. Not for integers: -MIN is MIN.
  {
    name: "div-of-negs",
    match: ["Div", ["Neg", "x"], ["Neg", "y"]],
    give: ["Div", "x", "y"],
    over: FLOATS,
  },
  // Integers: division by 1 is always defined.
  { name: "div-by-one", match: [["Div", "UDiv", "ChillDiv"], "x", 1], give: "x" },
  { name: "mod-by-one", match: [["Mod", "UMod", "ChillMod", "FloorMod"], "x", 1], give: 0 },
  // An unsigned quotient by a power of two becomes a shift. Not a signed one, which rounds toward
  // zero.
  {
    name: "udiv-by-power-of-two",
    match: ["UDiv", "x", "c"],
    give: ["ZShr", "x", log2("c")],
    where: [isPowerOfTwo("c")],
  },
];

const BITS: readonly Rule[] = [
  { name: "and-self", match: ["BitAnd", "x", "x"], give: "x" },
  { name: "or-self", match: ["BitOr", "x", "x"], give: "x" },
  { name: "xor-self", match: ["BitXor", "x", "x"], give: 0 },
  { name: "and-zero", match: ["BitAnd", "x", 0], give: 0 },
  { name: "or-zero", match: ["BitOr", "x", 0], give: "x" },
  { name: "xor-zero", match: ["BitXor", "x", 0], give: "x" },
  { name: "and-ones", match: ["BitAnd", "x", -1], give: "x" },
  { name: "or-ones", match: ["BitOr", "x", -1], give: -1 },
  {
    name: "and-of-and",
    match: ["BitAnd", ["BitAnd", "x", "c"], "d"],
    give: ["BitAnd", "x", ["BitAnd", "c", "d"]],
  },
  {
    name: "or-of-or",
    match: ["BitOr", ["BitOr", "x", "c"], "d"],
    give: ["BitOr", "x", ["BitOr", "c", "d"]],
  },
  {
    name: "xor-of-xor",
    match: ["BitXor", ["BitXor", "x", "c"], "d"],
    give: ["BitXor", "x", ["BitXor", "c", "d"]],
  },
  { name: "xor-own-xor", match: ["BitXor", ["BitXor", "x", "y"], "y"], give: "x" },
  { name: "and-own-and", match: ["BitAnd", ["BitAnd", "x", "y"], "y"], give: ["BitAnd", "x", "y"] },
  { name: "or-own-or", match: ["BitOr", ["BitOr", "x", "y"], "y"], give: ["BitOr", "x", "y"] },
  { name: "and-own-or", match: ["BitAnd", ["BitOr", "x", "y"], "x"], give: "x" },
  { name: "or-own-and", match: ["BitOr", ["BitAnd", "x", "y"], "x"], give: "x" },
  { name: "and-own-not", match: ["BitAnd", ["BitXor", "x", -1], "x"], give: 0 },
  { name: "or-own-not", match: ["BitOr", ["BitXor", "x", -1], "x"], give: -1 },
  // ~x & ~y becomes ~(x | y): one value fewer.
  {
    name: "and-of-nots",
    match: ["BitAnd", ["BitXor", "x", -1], ["BitXor", "y", -1]],
    give: ["BitXor", ["BitOr", "x", "y"], -1],
  },
  {
    name: "or-of-nots",
    match: ["BitOr", ["BitXor", "x", -1], ["BitXor", "y", -1]],
    give: ["BitXor", ["BitAnd", "x", "y"], -1],
  },
  // (x | c) & d becomes x & d if c & d is 0.
  {
    name: "and-of-disjoint-or",
    match: ["BitAnd", ["BitOr", "x", "c"], "d"],
    give: ["BitAnd", "x", "d"],
    where: [areDisjoint("c", "d")],
  },
  // (x | c) & d becomes d if c contains all bits of d.
  {
    name: "and-of-covering-or",
    match: ["BitAnd", ["BitOr", "x", "c"], "d"],
    give: "d",
    where: [covers("c", "d")],
  },
  // (x & c) | d becomes x | d if c | d has all bits.
  {
    name: "or-of-covered-and",
    match: ["BitOr", ["BitAnd", "x", "c"], "d"],
    give: ["BitOr", "x", "d"],
    where: [areExhaustive("c", "d")],
  },
];

const SHIFT_RULES: readonly Rule[] = [
  { name: "shift-by-zero", match: [COUNTED, "x", 0], give: "x" },
  { name: "shift-of-zero", match: [SHIFTS, 0, "x"], give: 0 },
  { name: "sshr-of-ones", match: ["SShr", -1, "x"], give: -1 },
  // A count beyond the width becomes its used bits.
  {
    name: "shift-count-bits",
    match: [COUNTED, "x", "c"],
    give: [COUNTED, "x", countBits("c")],
    where: [isBeyondWidth("c")],
  },
  // x << (y & 31) becomes x << y: shifts mask their counts.
  {
    name: "shift-by-masked",
    match: [COUNTED, "x", ["BitAnd", "y", "c"]],
    give: [COUNTED, "x", "y"],
    where: [keepsCount("c")],
  },
  {
    name: "shift-of-shift",
    match: [SHIFTS, [SHIFTS, "x", "c"], "d"],
    give: [SHIFTS, "x", ["Add", "c", "d"]],
    where: [fitsShift("c", "d")],
  },
  {
    name: "shift-all-out",
    match: [["Shl", "ZShr"], [["Shl", "ZShr"], "x", "c"], "d"],
    give: 0,
    where: [shiftsAllOut("c", "d")],
  },
  // (x >> c) >> d beyond the width becomes the sign in every bit.
  {
    name: "sshr-all-out",
    match: ["SShr", ["SShr", "x", "c"], "d"],
    give: ["SShr", "x", countMax()],
    where: [shiftsAllOut("c", "d")],
  },
  // (x << c) >>> c becomes x without its high bits.
  {
    name: "zshr-of-shl",
    match: ["ZShr", ["Shl", "x", "c"], "c"],
    give: ["BitAnd", "x", ["ZShr", -1, "c"]],
  },
  // (x >> c) << c becomes x without its low bits.
  {
    name: "shl-of-shr",
    match: ["Shl", [["ZShr", "SShr"], "x", "c"], "c"],
    give: ["BitAnd", "x", ["Shl", -1, "c"]],
  },
  {
    name: "sshr-of-shl-24",
    match: ["SShr", ["Shl", "x", 24], 24],
    give: ["SExt8", "x"],
    over: ["Int32"],
  },
  {
    name: "sshr-of-shl-16",
    match: ["SShr", ["Shl", "x", 16], 16],
    give: ["SExt16", "x"],
    over: ["Int32"],
  },
];

const CONVERSIONS: readonly Rule[] = [
  {
    name: "sext-of-same",
    match: [
      ["SExt8", "SExt16"],
      [["SExt8", "SExt16"], "x"],
    ],
    give: [["SExt8", "SExt16"], "x"],
  },
  { name: "sext16-of-sext8", match: ["SExt16", ["SExt8", "x"]], give: ["SExt8", "x"] },
  { name: "sext8-of-sext16", match: ["SExt8", ["SExt16", "x"]], give: ["SExt8", "x"] },
  {
    name: "sext8-of-masked",
    match: ["SExt8", ["BitAnd", "x", "c"]],
    give: ["SExt8", "x"],
    where: [keepsByte("c")],
  },
  {
    name: "sext16-of-masked",
    match: ["SExt16", ["BitAnd", "x", "c"]],
    give: ["SExt16", "x"],
    where: [keepsHalf("c")],
  },
  // A mask within the byte removes the extended bits.
  {
    name: "mask-of-sext8",
    match: ["BitAnd", ["SExt8", "x"], "c"],
    give: ["BitAnd", "x", "c"],
    where: [isWithinByte("c")],
  },
  {
    name: "mask-of-sext16",
    match: ["BitAnd", ["SExt16", "x"], "c"],
    give: ["BitAnd", "x", "c"],
    where: [isWithinHalf("c")],
  },
  {
    name: "mask-of-load8",
    match: ["BitAnd", ["Load8Z", "x"], "c"],
    give: ["Load8Z", "x"],
    where: [keepsByte("c")],
  },
  {
    name: "mask-of-load16",
    match: ["BitAnd", ["Load16Z", "x"], "c"],
    give: ["Load16Z", "x"],
    where: [keepsHalf("c")],
  },
  { name: "sext8-of-load", match: ["SExt8", ["Load8S", "x"]], give: ["Load8S", "x"] },
  { name: "sext16-of-load", match: ["SExt16", ["Load16S", "x"]], give: ["Load16S", "x"] },
  {
    name: "trunc-of-extension",
    match: ["Trunc", [["SExt32", "ZExt32"], "x"]],
    give: "x",
  },
  {
    name: "trunc-of-masked",
    match: ["Trunc", ["BitAnd", "x", "c"]],
    give: ["Trunc", "x"],
    where: [lowWordIsOnes("c")],
  },
  // Bits that are set only in the high word do not affect the low word.
  {
    name: "trunc-of-high-bits",
    match: ["Trunc", [["BitOr", "BitXor", "Add"], "x", "c"]],
    give: ["Trunc", "x"],
    where: [lowWordIsZero("c")],
  },
  {
    name: "trunc-of-high-shift",
    match: ["Trunc", ["Shl", "x", "c"]],
    give: 0,
    where: [isAboveLowWord("c")],
  },
  {
    name: "mask-of-zext",
    match: ["BitAnd", ["ZExt32", "x"], "c"],
    give: ["ZExt32", "x"],
    where: [lowWordIsOnes("c")],
  },
  { name: "cast-of-cast", match: ["BitwiseCast", ["BitwiseCast", "x"]], give: "x" },
  // Both conversions are exact. An open NaN now keeps its bits.
  { name: "narrow-of-widened", match: ["DoubleToFloat", ["FloatToDouble", "x"]], give: "x" },
  // Rounding a Double's sum, difference, product or quotient of Floats to Float equals rounding
  // once (53 bits are at least 2 * 24 + 2). Zeroes keep their signs. A NaN is open before and
  // after.
  {
    name: "narrow-arithmetic",
    match: [
      "DoubleToFloat",
      [
        ["Add", "Sub", "Mul", "Div"],
        ["FloatToDouble", "x"],
        ["FloatToDouble", "y"],
      ],
    ],
    give: [["Add", "Sub", "Mul", "Div"], "x", "y"],
  },
  // Rounding a Double's square root of a Float equals rounding once; the other operations are
  // exact. Neg and Abs now keep a NaN's bits, which were open.
  {
    name: "narrow-unary",
    match: [
      "DoubleToFloat",
      [
        ["Sqrt", "Ceil", "Neg", "Abs"],
        ["FloatToDouble", "x"],
      ],
    ],
    give: [["Sqrt", "Ceil", "Neg", "Abs"], "x"],
  },
];

const SIGNS: readonly Rule[] = [
  // Only sign bits change, so the rules also hold for zeroes and NaN.
  { name: "abs-of-abs", match: ["Abs", ["Abs", "x"]], give: ["Abs", "x"] },
  { name: "abs-of-neg", match: ["Abs", ["Neg", "x"]], give: ["Abs", "x"] },
  // The operand is an integer already, -0 included; a NaN is open before and after.
  { name: "ceil-of-ceil", match: ["Ceil", ["Ceil", "x"]], give: ["Ceil", "x"] },
  { name: "ceil-of-integer", match: ["Ceil", ["IToD", "x"]], give: ["IToD", "x"] },
  { name: "purify-of-purify", match: ["PurifyNaN", ["PurifyNaN", "x"]], give: ["PurifyNaN", "x"] },
  // An integer is never a NaN.
  { name: "purify-of-integer", match: ["PurifyNaN", ["IToD", "x"]], give: ["IToD", "x"] },
];

const COMPARES: readonly Rule[] = [
  // Not for floats: a NaN does not equal itself.
  {
    name: "equal-self",
    match: [["Equal", "LessEqual", "GreaterEqual", "AboveEqual", "BelowEqual"], "x", "x"],
    give: 1,
    over: INTEGERS,
  },
  { name: "not-equal-self", match: ["NotEqual", "x", "x"], give: 0, over: INTEGERS },
  // For floats too: nothing is less than itself, and a NaN is unordered.
  { name: "less-self", match: [["LessThan", "GreaterThan", "Above", "Below"], "x", "x"], give: 0 },
  // x equals itself if it is a number, and is unordered if it is a NaN.
  { name: "equal-or-unordered-self", match: ["EqualOrUnordered", "x", "x"], give: 1 },
  { name: "below-zero", match: ["Below", "x", 0], give: 0 },
  { name: "above-equal-zero", match: ["AboveEqual", "x", 0], give: 1 },
  { name: "above-zero", match: ["Above", "x", 0], give: ["NotEqual", "x", 0] },
  { name: "below-equal-zero", match: ["BelowEqual", "x", 0], give: ["Equal", "x", 0] },
  { name: "below-one", match: ["Below", "x", 1], give: ["Equal", "x", 0] },
  { name: "above-equal-one", match: ["AboveEqual", "x", 1], give: ["NotEqual", "x", 0] },
  { name: "above-ones", match: ["Above", "x", -1], give: 0 },
  { name: "below-equal-ones", match: ["BelowEqual", "x", -1], give: 1 },
  {
    name: "less-than-least",
    match: ["LessThan", "x", "c"],
    give: 0,
    over: INTEGERS,
    where: [isLeast("c")],
  },
  {
    name: "greater-equal-least",
    match: ["GreaterEqual", "x", "c"],
    give: 1,
    over: INTEGERS,
    where: [isLeast("c")],
  },
  {
    name: "greater-than-greatest",
    match: ["GreaterThan", "x", "c"],
    give: 0,
    over: INTEGERS,
    where: [isGreatest("c")],
  },
  {
    name: "less-equal-greatest",
    match: ["LessEqual", "x", "c"],
    give: 1,
    over: INTEGERS,
    where: [isGreatest("c")],
  },
  // |x| < 0.0 becomes 0: |x| is at least +0, and a NaN is unordered.
  { name: "abs-below-zero", match: ["LessThan", ["Abs", "x"], POSITIVE_ZERO], give: 0 },
  // -x < -y becomes x > y: negation is exact; zeroes are equal whatever their signs; a NaN stays
  // unordered.
  {
    name: "compare-of-negs",
    match: [FLOAT_ORDERS, ["Neg", "x"], ["Neg", "y"]],
    give: [FLOAT_ORDERS_FLIPPED, "x", "y"],
    over: FLOATS,
  },
  // Widening keeps order, equality and NaN.
  {
    name: "compare-of-widened",
    match: [FLOAT_COMPARISONS, ["FloatToDouble", "x"], ["FloatToDouble", "y"]],
    give: [FLOAT_COMPARISONS, "x", "y"],
  },
  // The conversion of Int32 to Double is exact and keeps the order.
  {
    name: "compare-of-integers",
    match: [FLOAT_COMPARISONS, ["IToD", "x"], ["IToD", "y"]],
    give: [[...EQUALITIES, ...FLOAT_ORDERS, "Equal"], "x", "y"],
    where: [isInt32("x"), isInt32("y")],
  },
  // Sign extension keeps both orders.
  {
    name: "compare-of-sext",
    match: [INTEGER_COMPARISONS, ["SExt32", "x"], ["SExt32", "y"]],
    give: [INTEGER_COMPARISONS, "x", "y"],
  },
  // After a zero extension every order is the unsigned one.
  {
    name: "compare-of-zext",
    match: [INTEGER_COMPARISONS, ["ZExt32", "x"], ["ZExt32", "y"]],
    give: [[...EQUALITIES, ...ORDERS_UNSIGNED], "x", "y"],
  },
  {
    name: "zero-of-extension",
    match: [EQUALITIES, ["ZExt32", "x"], 0],
    give: [EQUALITIES, "x", 0],
  },
  {
    name: "zero-of-sign-extension",
    match: [EQUALITIES, ["SExt32", "x"], 0],
    give: [EQUALITIES, "x", 0],
  },
  // x - y == 0 becomes x == y. Not for floats: infinity - infinity is NaN.
  {
    name: "zero-of-difference",
    match: [EQUALITIES, ["Sub", "x", "y"], 0],
    give: [EQUALITIES, "x", "y"],
  },
  {
    name: "zero-of-xor",
    match: [EQUALITIES, ["BitXor", "x", "y"], 0],
    give: [EQUALITIES, "x", "y"],
  },
  { name: "zero-of-neg", match: [EQUALITIES, ["Neg", "x"], 0], give: [EQUALITIES, "x", 0] },
  {
    name: "equal-of-add",
    match: [EQUALITIES, ["Add", "x", "c"], "d"],
    give: [EQUALITIES, "x", ["Sub", "d", "c"]],
    over: INTEGERS,
  },
  {
    name: "equal-of-xor",
    match: [EQUALITIES, ["BitXor", "x", "c"], "d"],
    give: [EQUALITIES, "x", ["BitXor", "c", "d"]],
  },
  // The negation of a comparison becomes the inverse comparison. For orders of integers only: a NaN
  // makes both false.
  {
    name: "not-of-order",
    match: ["Equal", [ORDERS, "x", "y"], 0],
    give: [ORDERS_INVERTED, "x", "y"],
    where: [isOfIntegers("x")],
  },
  // For floats too: NotEqual is the exact opposite of Equal.
  {
    name: "not-of-equality",
    match: ["Equal", [EQUALITIES, "x", "y"], 0],
    give: [EQUALITIES_INVERTED, "x", "y"],
  },
  {
    name: "xor-one-of-order",
    match: ["BitXor", [ORDERS, "x", "y"], 1],
    give: [ORDERS_INVERTED, "x", "y"],
    where: [isOfIntegers("x")],
  },
  {
    name: "xor-one-of-equality",
    match: ["BitXor", [EQUALITIES, "x", "y"], 1],
    give: [EQUALITIES_INVERTED, "x", "y"],
  },
  // A comparison gives 0 or 1 already.
  {
    name: "truth-of-comparison",
    match: ["NotEqual", [COMPARISONS, "x", "y"], 0],
    give: [COMPARISONS, "x", "y"],
  },
  {
    name: "comparison-equals-one",
    match: ["Equal", [COMPARISONS, "x", "y"], 1],
    give: [COMPARISONS, "x", "y"],
  },
  {
    name: "mask-of-comparison",
    match: ["BitAnd", [COMPARISONS, "x", "y"], 1],
    give: [COMPARISONS, "x", "y"],
  },
];

const CHOICES: readonly Rule[] = [
  { name: "select-same", match: ["Select", "x", "y", "y"], give: "y" },
  { name: "select-of-zero", match: ["Select", 0, "x", "y"], give: "y" },
  {
    name: "select-of-constant",
    match: ["Select", "c", "x", "y"],
    give: "x",
    where: [isNotZero("c")],
  },
  // x == 0 ? y : z becomes x ? z : y.
  {
    name: "select-of-equal-zero",
    match: ["Select", ["Equal", "x", 0], "y", "z"],
    give: ["Select", "x", "z", "y"],
  },
  {
    name: "select-of-not-equal-zero",
    match: ["Select", ["NotEqual", "x", 0], "y", "z"],
    give: ["Select", "x", "y", "z"],
  },
  {
    name: "select-of-extension",
    match: ["Select", [["ZExt32", "SExt32"], "x"], "y", "z"],
    give: ["Select", "x", "y", "z"],
  },
  {
    name: "select-one-zero",
    match: ["Select", [COMPARISONS, "x", "y"], 1, 0],
    give: [COMPARISONS, "x", "y"],
    over: ["Int32"],
  },
  // c ? 0 : 1 becomes the exclusive or of c with 1, which other rules turn into the inverse
  // comparison.
  {
    name: "select-zero-one",
    match: ["Select", [COMPARISONS, "x", "y"], 0, 1],
    give: ["BitXor", [COMPARISONS, "x", "y"], 1],
    over: ["Int32"],
  },
];

const GUARDS: readonly Rule[] = [
  // A guard that cannot fail is removed.
  { name: "check-of-zero", match: ["Check", 0], give: NOTHING },
  { name: "check-add-zero", match: ["CheckAdd", "x", 0], give: "x" },
  { name: "check-sub-zero", match: ["CheckSub", "x", 0], give: "x" },
  { name: "check-sub-self", match: ["CheckSub", "x", "x"], give: 0 },
  { name: "check-mul-one", match: ["CheckMul", "x", 1], give: "x" },
  { name: "check-mul-zero", match: ["CheckMul", "x", 0], give: 0 },
  // Sums, differences and products of 32-bit integers fit in 64 bits.
  {
    name: "check-of-sext",
    match: [CHECKED, ["SExt32", "x"], ["SExt32", "y"]],
    give: [UNCHECKED, ["SExt32", "x"], ["SExt32", "y"]],
  },
  // These rules keep the set of operands for which the guard fails.
  { name: "check-mul-minus-one", match: ["CheckMul", "x", -1], give: ["CheckSub", 0, "x"] },
  { name: "check-mul-two", match: ["CheckMul", "x", 2], give: ["CheckAdd", "x", "x"] },
  {
    name: "check-sub-constant",
    match: ["CheckSub", "x", "c"],
    give: ["CheckAdd", "x", ["Neg", "c"]],
    where: [isNotLeast("c"), isNotConstant("x")],
  },
  {
    name: "test-of-not-equal-zero",
    match: [TESTS, ["NotEqual", "x", 0]],
    give: [TESTS, "x"],
  },
  { name: "test-of-zext", match: [TESTS, ["ZExt32", "x"]], give: [TESTS, "x"] },
  { name: "test-of-sext", match: [TESTS, ["SExt32", "x"]], give: [TESTS, "x"] },
  { name: "test-of-neg", match: [TESTS, ["Neg", "x"]], give: [TESTS, "x"] },
  {
    name: "test-of-difference",
    match: [TESTS, ["Sub", "x", "y"]],
    give: [TESTS, ["NotEqual", "x", "y"]],
  },
  {
    name: "test-of-xor",
    match: [TESTS, ["BitXor", "x", "y"]],
    give: [TESTS, ["NotEqual", "x", "y"]],
  },
];

const MEMORY: readonly Rule[] = [
  // Only the low byte, or the low 16 bits, are stored.
  {
    name: "store8-of-masked",
    match: ["Store8", ["BitAnd", "x", "c"], "y"],
    give: ["Store8", "x", "y"],
    where: [keepsByte("c")],
  },
  {
    name: "store16-of-masked",
    match: ["Store16", ["BitAnd", "x", "c"], "y"],
    give: ["Store16", "x", "y"],
    where: [keepsHalf("c")],
  },
  {
    name: "store8-of-sext",
    match: ["Store8", [["SExt8", "SExt16"], "x"], "y"],
    give: ["Store8", "x", "y"],
  },
  {
    name: "store16-of-sext",
    match: ["Store16", ["SExt16", "x"], "y"],
    give: ["Store16", "x", "y"],
  },
  // A constant part of the address moves into the offset, because offsets are sign-extended and
  // added modulo 2^64. The rules use functions, because a pattern cannot contain the offset.
  {
    name: "fold-load-address",
    match: [LOADS, ["Add", "x", "c"]],
    apply: foldLoadAddress,
    where: [fitsOffset("c")],
  },
  {
    name: "fold-store-address",
    match: [STORES, "y", ["Add", "x", "c"]],
    apply: foldStoreAddress,
    where: [fitsOffset("c")],
  },
];

// The rules for branches, Switches and failing guards. They use functions, because a pattern cannot
// contain the successors of a block.
const CONTROL_FLOW: readonly Rule[] = [
  // A guard on a non-zero constant always fails, so the rest of its block is unreachable.
  {
    name: "check-always-fails",
    match: ["Check", "c"],
    apply: endBlock,
    where: [isNotZero("c"), isFollowed()],
    endsBlock: true,
  },
  {
    name: "overflow-always-fails",
    match: [CHECKED, "c", "d"],
    apply: endBlock,
    where: [overflow("c", "d"), isFollowed()],
    endsBlock: true,
  },
  // A branch on a constant, or with equal successors, becomes a jump.
  { name: "branch-of-constant", match: ["Branch", "c"], apply: jumpByConstant },
  {
    name: "branch-to-one-place",
    match: ["Branch", "x"],
    apply: jumpToFirst,
    where: [goesToOnePlace()],
  },
  // A Switch on a constant, or with equal successors, becomes a jump. A pattern cannot match a
  // variable number of cases.
  { name: "switch-of-constant", match: ["Switch", "c"], apply: jumpToCase },
  {
    name: "switch-to-one-place",
    match: ["Switch", "x"],
    apply: jumpToFirst,
    where: [goesToOnePlace()],
  },
  // A case with the same target as the default is removed.
  {
    name: "switch-idle-case",
    match: ["Switch", "x"],
    apply: dropIdleCases,
    where: [hasIdleCase()],
  },
  // if (x == 0) A else B becomes if (x) B else A.
  { name: "branch-of-equal-zero", match: ["Branch", ["Equal", "x", 0]], apply: exchangeSuccessors },
];

const CANONICAL: readonly Rule[] = [
  // Constants move to the right. Floats too: sums, products and equality commute, and a NaN is
  // open.
  {
    name: "constant-to-right",
    match: [COMMUTATIVE, "c", "x"],
    give: [COMMUTATIVE, "x", "c"],
    where: [isNotConstant("x")],
    inOrder: true,
  },
  {
    name: "compared-constant-to-right",
    match: [ORDERS, "c", "x"],
    give: [ORDERS_FLIPPED, "x", "c"],
    where: [isNotConstant("x")],
  },
];

export const RULES: readonly Rule[] = [
  ...FOLDING,
  ...CONTROL_FLOW,
  ...SUMS,
  ...PRODUCTS,
  ...BITS,
  ...SHIFT_RULES,
  ...CONVERSIONS,
  ...SIGNS,
  ...COMPARES,
  ...CHOICES,
  ...GUARDS,
  ...MEMORY,
  ...DIVISION_RULES,
  ...INTEGER_RULES,
  ...CONVERSION_RULES,
  ...CANONICAL,
];

function foldLoadAddress(load: Value, x: Value, c: Value): void {
  load.a = x;
  load.offset += c.constantLow;
}

function foldStoreAddress(store: Value, x: Value, c: Value): void {
  store.b = x;
  store.offset += c.constantLow;
}

// Leaves the guard unchanged: the runner removes the values after it, because the rule has
// `endsBlock`.
function endBlock(): void {}

function jumpByConstant(branch: Value, _x: Value, c: Value): void {
  jumpTo(branch, (c.constantLow | c.constantHigh) !== 0 ? 0 : 1);
}

function jumpToCase(branch: Value, _x: Value, c: Value): void {
  const { lo, hi } = branch.cases;
  let k = 0;
  while (k < lo.length && (lo[k] !== c.constantLow || hi[k] !== c.constantHigh)) k++;
  jumpTo(branch, k);
}

function dropIdleCases(root: Value): void {
  const { block, cases } = root;
  assert(block !== null, () => `switch @${root.id} is in no block`);
  const { successors } = block;
  const otherwise = successors[cases.count];
  const isKept = (_: unknown, k: number): boolean => successors[k] !== otherwise;
  root.extra = new SwitchCases(cases.lo.filter(isKept), cases.hi.filter(isKept));
  block.successors = [...successors.slice(0, cases.count).filter(isKept), otherwise];
}

function jumpToFirst(branch: Value): void {
  jumpTo(branch, 0);
}

function jumpTo(branch: Value, taken: number): void {
  const { block } = branch;
  assert(block !== null, () => `branch @${branch.id} is in no block`);
  block.successors = [block.successors[taken]];
  branch.opcode = Op.Jump;
  branch.a = null;
  branch.extra = null;
}

function exchangeSuccessors(branch: Value, x: Value): void {
  if (branch.block !== null) branch.block.successors = branch.block.successors.toReversed();
  branch.a = x;
}
