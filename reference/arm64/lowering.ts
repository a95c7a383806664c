// How each opcode of the language becomes ARM64 instructions, by type: the first row whose immediate fits.
// Comparisons, Select, guards, control, calls and constants are lowered by shape, for every target alike
// (reference/lower/lower.ts); their rows are found by name.

import type { LoweringTable } from "../lower/target.js";

// biome-ignore format: a table
export const LOWERING: LoweringTable = {
  Add:           { Int32: ["addlImm", "addl"],         Int64: ["addqImm", "addq"],         Float: ["addss"],    Double: ["addsd"] },
  Sub:           { Int32: ["sublImm", "subl"],         Int64: ["subqImm", "subq"],         Float: ["subss"],    Double: ["subsd"] },
  Mul:           { Int32: ["imull"],                   Int64: ["imulq"],                   Float: ["mulss"],    Double: ["mulsd"] },
  Div:           {                                                                         Float: ["divss"],    Double: ["divsd"] },
  Neg:           { Int32: ["negl"],                    Int64: ["negq"],                    Float: ["negss"],    Double: ["negsd"] },
  BitAnd:        { Int32: ["andlImm", "andl"],         Int64: ["andqImm", "andq"] },
  BitOr:         { Int32: ["orrlImm", "orrl"],         Int64: ["orrqImm", "orrq"] },
  BitXor:        { Int32: ["eorlImm", "mvnl", "eorl"], Int64: ["eorqImm", "mvnq", "eorq"] },
  Shl:           { Int32: ["lsllImm", "lsll"],         Int64: ["lslqImm", "lslq"] },
  SShr:          { Int32: ["asrlImm", "asrl"],         Int64: ["asrqImm", "asrq"] },
  ZShr:          { Int32: ["lsrlImm", "lsrl"],         Int64: ["lsrqImm", "lsrq"] },
  Abs:           {                                                                         Float: ["absss"],    Double: ["abssd"] },
  Ceil:          {                                                                         Float: ["ceilss"],   Double: ["ceilsd"] },
  Sqrt:          {                                                                         Float: ["sqrtss"],   Double: ["sqrtsd"] },
  PurifyNaN:     {                                                                         Float: ["purifyss"], Double: ["purifysd"] },

  // From one operand of another type: the column is the type of the operand.
  SExt8:         { Int32: ["sxtbl"] },
  SExt16:        { Int32: ["sxthl"] },
  SExt32:        { Int32: ["sxtlq"] },
  ZExt32:        { Int32: ["zextl"] },
  Trunc:         {                                     Int64: ["truncq"] },
  IToD:          { Int32: ["scvtfsdl"],                Int64: ["scvtfsdq"] },
  FloatToDouble: {                                                                         Float: ["fcvtss2sd"] },
  DoubleToFloat: {                                                                                              Double: ["fcvtsd2ss"] },
  BitwiseCast:   { Int32: ["fmovl2ss"],                Int64: ["fmovq2sd"],                Float: ["fmovss2l"], Double: ["fmovsd2q"] },

  // Memory: the column is the type of the value.
  Load8Z:        { Int32: ["ldrb", "ldurb"] },
  Load8S:        { Int32: ["ldrsb", "ldursb"] },
  Load16Z:       { Int32: ["ldrh", "ldurh"] },
  Load16S:       { Int32: ["ldrsh", "ldursh"] },
  Load:          { Int32: ["ldrl", "ldurl"],           Int64: ["ldrq", "ldurq"],           Float: ["ldrss", "ldurss"], Double: ["ldrsd", "ldursd"] },
  Store8:        { Int32: ["strb", "sturb"] },
  Store16:       { Int32: ["strh", "sturh"] },
  Store:         { Int32: ["strl", "sturl"],           Int64: ["strq", "sturq"],           Float: ["strss", "sturss"], Double: ["strsd", "stursd"] },

  CheckAdd:      { Int32: ["check.addlImm", "check.addl"], Int64: ["check.addqImm", "check.addq"] },
  CheckSub:      { Int32: ["check.sublImm", "check.subl"], Int64: ["check.subqImm", "check.subq"] },
  CheckMul:      { Int32: ["check.imull"],                 Int64: ["check.imulq"] },
};
