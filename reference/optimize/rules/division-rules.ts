// Lists the rules of reduce-strength for division by constants and high halves of products.
// rules.ts describes the format of rows, division.ts computes the multipliers.

import { countMax, isLeast, isNotConstant, isPowerOfTwo, log2 } from "./conditions.js";
import {
  hasLongSignedMagic,
  hasLongUnsignedMagic,
  hasShortSignedMagic,
  hasShortUnsignedMagic,
  highBits,
  isNegative,
  isNegativeDivisor,
  isPositivePowerOfTwo,
  isSafeDivisor,
  signedMultiplier,
  signedShift,
  unsignedMultiplier,
  unsignedShift,
  unsignedShiftLess1,
} from "./division.js";
import type { Rule } from "./patterns.js";

const INTEGERS = ["Int32", "Int64"] as const;

export const DIVISION_RULES: readonly Rule[] = [
  // x / -1 becomes -x. MIN / -1 is undefined, or MIN for ChillDiv, and -MIN is MIN too.
  {
    name: "div-by-minus-one",
    match: [["Div", "ChillDiv"], "x", -1],
    give: ["Neg", "x"],
    over: INTEGERS,
  },
  {
    name: "mod-by-minus-one",
    match: [["Mod", "ChillMod", "FloorMod"], "x", -1],
    give: 0,
    over: INTEGERS,
  },
  { name: "chill-by-zero", match: [["ChillDiv", "ChillMod"], "x", 0], give: 0 },
  // A divisor other than 0 and -1 has no special case.
  {
    name: "chill-by-constant",
    match: [["ChillDiv", "ChillMod"], "x", "c"],
    give: [["Div", "Mod"], "x", "c"],
    where: [isSafeDivisor("c")],
  },
  // x / MIN becomes x == MIN.
  {
    name: "div-by-least",
    match: ["Div", "x", "c"],
    give: ["Equal", "x", "c"],
    over: ["Int32"],
    where: [isLeast("c")],
  },
  {
    name: "div-by-least-wide",
    match: ["Div", "x", "c"],
    give: ["ZExt32", ["Equal", "x", "c"]],
    over: ["Int64"],
    where: [isLeast("c")],
  },
  // x / -c becomes -(x / c).
  {
    name: "div-by-negative",
    match: ["Div", "x", "c"],
    give: ["Neg", ["Div", "x", ["Neg", "c"]]],
    over: INTEGERS,
    where: [isNegativeDivisor("c"), isNotConstant("x")],
  },
  // x / 2^k becomes a shift. Adding 2^k - 1 to a negative x makes it round toward zero.
  {
    name: "div-by-power-of-two",
    match: ["Div", "x", "c"],
    give: ["SShr", ["Add", "x", ["ZShr", ["SShr", "x", countMax()], highBits("c")]], log2("c")],
    over: INTEGERS,
    where: [isPositivePowerOfTwo("c"), isNotConstant("x")],
  },
  {
    name: "div-by-multiplication",
    match: ["Div", "x", "c"],
    give: [
      "Add",
      ["SShr", ["MulHigh", "x", signedMultiplier("c")], signedShift("c")],
      ["ZShr", "x", countMax()],
    ],
    over: INTEGERS,
    where: [hasShortSignedMagic("c"), isNotConstant("x")],
  },
  {
    name: "div-by-multiplication-and-sum",
    match: ["Div", "x", "c"],
    give: [
      "Add",
      ["SShr", ["Add", ["MulHigh", "x", signedMultiplier("c")], "x"], signedShift("c")],
      ["ZShr", "x", countMax()],
    ],
    over: INTEGERS,
    where: [hasLongSignedMagic("c"), isNotConstant("x")],
  },
  // x % c becomes x - x / c * c, for all signs.
  {
    name: "mod-by-constant",
    match: ["Mod", "x", "c"],
    give: ["Sub", "x", ["Mul", ["Div", "x", "c"], "c"]],
    over: INTEGERS,
    where: [isSafeDivisor("c"), isNotConstant("x")],
  },
  {
    name: "umod-by-power-of-two",
    match: ["UMod", "x", "c"],
    give: ["BitAnd", "x", ["Add", "c", -1]],
    where: [isPowerOfTwo("c"), isNotConstant("x")],
  },
  // The floored modulus by 2^k becomes the low bits, for both signs of the dividend. Not for the
  // least integer, which is a negated power of two.
  {
    name: "floor-mod-by-power-of-two",
    match: ["FloorMod", "x", "c"],
    give: ["BitAnd", "x", ["Add", "c", -1]],
    where: [isPositivePowerOfTwo("c"), isNotConstant("x")],
  },
  // Unsigned x / c becomes x >= c if c is more than half of the range.
  {
    name: "udiv-by-negative",
    match: ["UDiv", "x", "c"],
    give: ["AboveEqual", "x", "c"],
    over: ["Int32"],
    where: [isNegative("c"), isNotConstant("x")],
  },
  {
    name: "udiv-by-negative-wide",
    match: ["UDiv", "x", "c"],
    give: ["ZExt32", ["AboveEqual", "x", "c"]],
    over: ["Int64"],
    where: [isNegative("c"), isNotConstant("x")],
  },
  {
    name: "udiv-by-multiplication",
    match: ["UDiv", "x", "c"],
    give: ["ZShr", ["UMulHigh", "x", unsignedMultiplier("c")], unsignedShift("c")],
    where: [hasShortUnsignedMagic("c"), isNotConstant("x")],
  },
  // The sum of x and the high half may have one bit too many, so half of their difference is added
  // instead.
  {
    name: "udiv-by-multiplication-and-sum",
    match: ["UDiv", "x", "c"],
    give: [
      "ZShr",
      [
        "Add",
        ["ZShr", ["Sub", "x", ["UMulHigh", "x", unsignedMultiplier("c")]], 1],
        ["UMulHigh", "x", unsignedMultiplier("c")],
      ],
      unsignedShiftLess1("c"),
    ],
    where: [hasLongUnsignedMagic("c"), isNotConstant("x")],
  },
  {
    name: "umod-by-constant",
    match: ["UMod", "x", "c"],
    give: ["Sub", "x", ["Mul", ["UDiv", "x", "c"], "c"]],
    where: [isSafeDivisor("c"), isNotConstant("x")],
  },
  { name: "high-of-zero", match: [["MulHigh", "UMulHigh"], "x", 0], give: 0 },
  // The high half of x * 1 is the sign of x.
  { name: "high-of-one", match: ["MulHigh", "x", 1], give: ["SShr", "x", countMax()] },
  { name: "unsigned-high-of-one", match: ["UMulHigh", "x", 1], give: 0 },
  // The high half of x * 2^k consists of the bits that a left shift by k moves out.
  {
    name: "high-of-power-of-two",
    match: [["MulHigh", "UMulHigh"], "x", "c"],
    give: [["SShr", "ZShr"], "x", highBits("c")],
    where: [isPositivePowerOfTwo("c"), isNotConstant("x")],
  },
];
