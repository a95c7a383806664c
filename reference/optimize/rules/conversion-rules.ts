// Rules of reduce-strength: rounding, signs and conversions of floats. See rules.ts for the form
// of rows.

import type { OpcodeName } from "../../../src/ir/opcodes.js";
import { isAboveNumbers, isInt32 } from "./conditions.js";
import type { Rule } from "./patterns.js";

type Names = readonly OpcodeName[];
const ROUNDINGS: Names = ["Ceil", "Floor", "FTrunc", "Nearest"];
const OF_INTEGERS: Names = ["IToD", "IToF", "UToD", "UToF"];
const TRUNCATIONS: Names = ["TruncS32", "TruncU32", "TruncS64", "TruncU64"];
const COMPARISONS: Names = [
  ...(["Equal", "NotEqual", "LessThan", "GreaterThan"] as const),
  ...(["LessEqual", "GreaterEqual", "EqualOrUnordered"] as const),
];

/** Every pair of one from each list: all that a row reads for two lists that do not go in step. */
const outerOf = (outer: Names, inner: Names): Names => outer.flatMap((one) => inner.map(() => one));
const innerOf = (outer: Names, inner: Names): Names => outer.flatMap(() => inner);

const INTEGER_GUARDS: Names = ["CheckToInt32", "CheckToInt32Exact"];

export const CONVERSION_RULES: readonly Rule[] = [
  // An integer already, -0 and infinities included; a NaN is open before and after.
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
  // An integer is no NaN.
  {
    name: "purify-of-any-integer",
    match: ["PurifyNaN", [["IToF", "UToD", "UToF"], "x"]],
    give: [["IToF", "UToD", "UToF"], "x"],
  },
  // A number's high word is at most that of minus infinity, unsigned: tags are above.
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
  // No integer is less than 0 when it is read as unsigned.
  {
    name: "abs-of-unsigned",
    match: ["Abs", [["UToD", "UToF"], "x"]],
    give: [["UToD", "UToF"], "x"],
  },
  // Only the sign bit is taken, only the sign bit is given: zeroes and NaN alike.
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
  // The lesser of x and x is x, zeroes too; a NaN was open and now keeps its bits.
  { name: "least-of-same", match: [["FMin", "FMax"], "x", "x"], give: "x" },
  // The lesser of -x and -y is minus the greater, -0 below +0; a NaN is open before and after.
  {
    name: "least-of-negs",
    match: [
      ["FMin", "FMax"],
      ["Neg", "x"],
      ["Neg", "y"],
    ],
    give: ["Neg", [["FMax", "FMin"], "x", "y"]],
  },
  // A comparison sees a NaN, not which; so does a conversion to an integer.
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
  // The same number, or a NaN.
  {
    name: "truncation-of-widened",
    match: [TRUNCATIONS, ["FloatToDouble", "x"]],
    give: [TRUNCATIONS, "x"],
  },
  // A guard on a conversion of what a 32-bit integer has become never fails.
  {
    name: "checked-integer",
    match: [INTEGER_GUARDS, ["IToD", "x"]],
    give: "x",
    where: [isInt32("x")],
  },
  // -0, the opposite of 0, is 0 here.
  {
    name: "checked-negation-of-integer",
    match: ["CheckToInt32", ["Neg", ["IToD", "x"]]],
    give: ["CheckSub", 0, "x"],
    where: [isInt32("x")],
  },
  // No NaN is an integer, whichever it is.
  {
    name: "checked-conversion-of-purified",
    match: [INTEGER_GUARDS, ["PurifyNaN", "x"]],
    give: [INTEGER_GUARDS, "x"],
  },
  // The low 32 bits are the same before and after the fraction is cut off; any NaN gives 0.
  {
    name: "low-bits-of-truncated",
    match: ["ToInt32", [["FTrunc", "PurifyNaN"], "x"]],
    give: ["ToInt32", "x"],
  },
  // A 32-bit integer, signed or not, is its own low bits. One of 64 bits may have been rounded.
  {
    name: "low-bits-of-integer",
    match: ["ToInt32", [["IToD", "UToD"], "x"]],
    give: "x",
    where: [isInt32("x")],
  },
  // Each 32-bit integer is a Double of its own.
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
  // Exact as a Double, so rounded once: only from 32 bits.
  {
    name: "narrow-of-integer",
    match: ["DoubleToFloat", [["IToD", "UToD"], "x"]],
    give: [["IToF", "UToF"], "x"],
    where: [isInt32("x")],
  },
  // Exact: the result is one of the operands, or x with another sign; a NaN is open before.
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
  // An integral Float is one of Double, and the other way round.
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
  // A 32-bit integer extended first is the same number.
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
