// Lists the rules of reduce-strength for rounding, signs and conversions of floats. rules.ts
// describes the format of rows.

import type { OpcodeName } from "../../../src/ir/opcodes.js";
import { isAboveNumbers, isInt32 } from "./conditions.js";
import type { Rule } from "./patterns.js";

type OpcodeNames = readonly OpcodeName[];
const ROUNDINGS: OpcodeNames = ["Ceil", "Floor", "FTrunc", "Nearest"];
const OF_INTEGERS: OpcodeNames = ["IToD", "IToF", "UToD", "UToF"];
const TRUNCATIONS: OpcodeNames = ["TruncS32", "TruncU32", "TruncS64", "TruncU64"];
const COMPARISONS: OpcodeNames = [
  ...(["Equal", "NotEqual", "LessThan", "GreaterThan"] as const),
  ...(["LessEqual", "GreaterEqual", "EqualOrUnordered"] as const),
];

/** The outer and the inner opcodes of all pairs, for a row with two independent lists. */
const outerOf = (outer: OpcodeNames, inner: OpcodeNames): OpcodeNames =>
  outer.flatMap((one) => inner.map(() => one));
const innerOf = (outer: OpcodeNames, inner: OpcodeNames): OpcodeNames => outer.flatMap(() => inner);

const INTEGER_GUARDS: OpcodeNames = ["CheckToInt32", "CheckToInt32Exact"];

export const CONVERSION_RULES: readonly Rule[] = [
  // The operand is an integer already, -0 and infinities included; a NaN is open before and after.
  {
    name: "rounding-of-rounded",
    match: [outerOf(ROUNDINGS, ROUNDINGS), [innerOf(ROUNDINGS, ROUNDINGS), "x"]],
    give: [innerOf(ROUNDINGS, ROUNDINGS), "x"],
  },
  {
    name: "rounding-of-integer",
    match: [outerOf(ROUNDINGS, OF_INTEGERS), [innerOf(ROUNDINGS, OF_INTEGERS), "x"]],
    give: [innerOf(ROUNDINGS, OF_INTEGERS), "x"],
  },
  // An integer is never a NaN.
  {
    name: "purify-of-any-integer",
    match: ["PurifyNaN", [["IToF", "UToD", "UToF"], "x"]],
    give: [["IToF", "UToD", "UToF"], "x"],
  },
  // The high word of a number is at most the high word of minus infinity in unsigned order, and
  // tags are above that.
  {
    name: "tag-of-number",
    match: [["Above", "AboveEqual"], ["TruncHigh", ["BitwiseCast", ["PurifyNaN", "x"]]], "c"],
    give: 0,
    where: [isAboveNumbers("c")],
  },
  {
    name: "number-below-tags",
    match: [["Below", "BelowEqual"], ["TruncHigh", ["BitwiseCast", ["PurifyNaN", "x"]]], "c"],
    give: 1,
    where: [isAboveNumbers("c")],
  },
  // An unsigned integer is never negative.
  {
    name: "abs-of-unsigned",
    match: ["Abs", [["UToD", "UToF"], "x"]],
    give: [["UToD", "UToF"], "x"],
  },
  // CopySign reads and writes sign bits only, so the rules also hold for zeroes and NaN.
  { name: "copy-own-sign", match: ["CopySign", "x", "x"], give: "x" },
  {
    name: "copy-sign-to-signed",
    match: ["CopySign", [["Neg", "Abs"], "x"], "y"],
    give: ["CopySign", "x", "y"],
  },
  {
    name: "copy-sign-to-copied",
    match: ["CopySign", ["CopySign", "x", "z"], "y"],
    give: ["CopySign", "x", "y"],
  },
  {
    name: "copy-copied-sign",
    match: ["CopySign", "x", ["CopySign", "z", "y"]],
    give: ["CopySign", "x", "y"],
  },
  { name: "abs-of-copied", match: ["Abs", ["CopySign", "x", "y"]], give: ["Abs", "x"] },
  { name: "copy-positive-sign", match: ["CopySign", "x", ["Abs", "y"]], give: ["Abs", "x"] },
  // The lesser of x and x is x, also for zeroes. An open NaN now keeps x's bits.
  { name: "least-of-same", match: [["FMin", "FMax"], "x", "x"], give: "x" },
  // The lesser of -x and -y is minus the greater, because -0 is below +0; a NaN is open before and
  // after.
  {
    name: "least-of-negs",
    match: [
      ["FMin", "FMax"],
      ["Neg", "x"],
      ["Neg", "y"],
    ],
    give: ["Neg", [["FMax", "FMin"], "x", "y"]],
  },
  // Comparisons and conversions to integers treat all NaNs alike.
  {
    name: "compare-of-purified",
    match: [COMPARISONS, ["PurifyNaN", "x"], "y"],
    give: [COMPARISONS, "x", "y"],
  },
  {
    name: "compare-with-purified",
    match: [COMPARISONS, "x", ["PurifyNaN", "y"]],
    give: [COMPARISONS, "x", "y"],
  },
  {
    name: "truncation-of-purified",
    match: [TRUNCATIONS, ["PurifyNaN", "x"]],
    give: [TRUNCATIONS, "x"],
  },
  {
    name: "truncation-of-truncated",
    match: [TRUNCATIONS, ["FTrunc", "x"]],
    give: [TRUNCATIONS, "x"],
  },
  // The operand is the same number, or a NaN.
  {
    name: "truncation-of-widened",
    match: [TRUNCATIONS, ["FloatToDouble", "x"]],
    give: [TRUNCATIONS, "x"],
  },
  // A guard on the conversion of a converted 32-bit integer never fails.
  {
    name: "checked-integer",
    match: [INTEGER_GUARDS, ["IToD", "x"]],
    give: "x",
    where: [isInt32("x")],
  },
  // This guard accepts -0 (the negation of 0) as 0.
  {
    name: "checked-negation-of-integer",
    match: ["CheckToInt32", ["Neg", ["IToD", "x"]]],
    give: ["CheckSub", 0, "x"],
    where: [isInt32("x")],
  },
  // A NaN fails the guard, whatever its bits.
  {
    name: "checked-conversion-of-purified",
    match: [INTEGER_GUARDS, ["PurifyNaN", "x"]],
    give: [INTEGER_GUARDS, "x"],
  },
  // Truncation does not change the low 32 bits; any NaN gives 0.
  {
    name: "low-bits-of-truncated",
    match: ["ToInt32", [["FTrunc", "PurifyNaN"], "x"]],
    give: ["ToInt32", "x"],
  },
  // A 32-bit integer, signed or unsigned, is its own low bits. A 64-bit integer may have been
  // rounded.
  {
    name: "low-bits-of-integer",
    match: ["ToInt32", [["IToD", "UToD"], "x"]],
    give: "x",
    where: [isInt32("x")],
  },
  // The conversion of a 32-bit integer to Double is exact.
  {
    name: "truncation-of-integer",
    match: [
      ["TruncS32", "TruncU32"],
      [["IToD", "UToD"], "x"],
    ],
    give: "x",
    where: [isInt32("x")],
  },
  {
    name: "wide-truncation-of-integer",
    match: [
      ["TruncS64", "TruncS64", "TruncU64"],
      [["IToD", "UToD", "UToD"], "x"],
    ],
    give: [["SExt32", "ZExt32", "ZExt32"], "x"],
    where: [isInt32("x")],
  },
  // The conversion to Double is exact, so the value is rounded once. For 32-bit integers only.
  {
    name: "narrow-of-integer",
    match: ["DoubleToFloat", [["IToD", "UToD"], "x"]],
    give: [["IToF", "UToF"], "x"],
    where: [isInt32("x")],
  },
  // The result is exact: one of the operands, or x with another sign. A NaN is open before.
  {
    name: "narrow-choice",
    match: [
      "DoubleToFloat",
      [
        ["FMin", "FMax", "CopySign"],
        ["FloatToDouble", "x"],
        ["FloatToDouble", "y"],
      ],
    ],
    give: [["FMin", "FMax", "CopySign"], "x", "y"],
  },
  // Floats and Doubles round to the same integer.
  {
    name: "narrow-rounding",
    match: [
      "DoubleToFloat",
      [
        ["Floor", "FTrunc", "Nearest"],
        ["FloatToDouble", "x"],
      ],
    ],
    give: [["Floor", "FTrunc", "Nearest"], "x"],
  },
  // Extending a 32-bit integer first does not change the number.
  {
    name: "integer-of-extended",
    match: [
      ["IToD", "IToF", "UToD", "UToF"],
      [["SExt32", "SExt32", "ZExt32", "ZExt32"], "x"],
    ],
    give: [["IToD", "IToF", "UToD", "UToF"], "x"],
  },
  {
    name: "signed-of-zero-extended",
    match: [
      ["IToD", "IToF"],
      ["ZExt32", "x"],
    ],
    give: [["UToD", "UToF"], "x"],
  },
];
