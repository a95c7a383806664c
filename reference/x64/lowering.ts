// How each opcode of the language becomes x86-64 instructions, by type: the first row whose
// immediate fits. Comparisons, Select, guards, control, calls and constants are lowered by shape,
// for every target alike (reference/lower/lower.ts); their rows are found by name.

import type { LoweringTable } from "../lower/target.js";

// biome-ignore format: a table
export const LOWERING: LoweringTable = {
  Add:           { Int32: ["addlImm", "addl"], Int64: ["addqImm", "addq"], Float: ["addss"],     Double: ["addsd"] },
  Sub:           { Int32: ["sublImm", "subl"], Int64: ["subqImm", "subq"], Float: ["subss"],     Double: ["subsd"] },
  Mul:           { Int32: ["imullImm", "imull"], Int64: ["imulqImm", "imulq"], Float: ["mulss"], Double: ["mulsd"] },
  Div:           {                                                         Float: ["divss"],     Double: ["divsd"] },
  Neg:           { Int32: ["negl"],            Int64: ["negq"],            Float: ["negss"],     Double: ["negsd"] },
  BitAnd:        { Int32: ["andlImm", "andl"], Int64: ["andqImm", "andq"] },
  BitOr:         { Int32: ["orlImm", "orl"],   Int64: ["orqImm", "orq"] },
  BitXor:        { Int32: ["xorlImm", "xorl"], Int64: ["xorqImm", "xorq"] },
  Shl:           { Int32: ["shllImm", "shll"], Int64: ["shlqImm", "shlq"] },
  SShr:          { Int32: ["sarlImm", "sarl"], Int64: ["sarqImm", "sarq"] },
  ZShr:          { Int32: ["shrlImm", "shrl"], Int64: ["shrqImm", "shrq"] },
  Abs:           {                                                         Float: ["absss"],     Double: ["abssd"] },
  Ceil:          {                                                         Float: ["ceilss"],    Double: ["ceilsd"] },
  Sqrt:          {                                                         Float: ["sqrtss"],    Double: ["sqrtsd"] },
  PurifyNaN:     {                                                         Float: ["purifyss"],  Double: ["purifysd"] },

  // From one operand of another type: the column is the type of the operand.
  SExt8:         { Int32: ["movsbl"] },
  SExt16:        { Int32: ["movswl"] },
  SExt32:        { Int32: ["movslq"] },
  ZExt32:        { Int32: ["zextl"] },
  Trunc:         {                             Int64: ["truncq"] },
  IToD:          { Int32: ["cvtsi2sdl"],       Int64: ["cvtsi2sdq"] },
  FloatToDouble: {                                                         Float: ["cvtss2sd"] },
  DoubleToFloat: {                                                                               Double: ["cvtsd2ss"] },
  BitwiseCast:   { Int32: ["movdToXmm"],       Int64: ["movqToXmm"],       Float: ["movdFromXmm"], Double: ["movqFromXmm"] },

  // Memory: the column is the type of the value.
  Load8Z:        { Int32: ["movzblLoad"] },
  Load8S:        { Int32: ["movsblLoad"] },
  Load16Z:       { Int32: ["movzwlLoad"] },
  Load16S:       { Int32: ["movswlLoad"] },
  Load:          { Int32: ["movlLoad"],        Int64: ["movqLoad"],        Float: ["movssLoad"], Double: ["movsdLoad"] },
  Store8:        { Int32: ["movbStore"] },
  Store16:       { Int32: ["movwStore"] },
  Store:         { Int32: ["movlStore"],       Int64: ["movqStore"],       Float: ["movssStore"], Double: ["movsdStore"] },

  CheckAdd:      { Int32: ["check.addlImm", "check.addl"],   Int64: ["check.addqImm", "check.addq"] },
  CheckSub:      { Int32: ["check.sublImm", "check.subl"],   Int64: ["check.subqImm", "check.subq"] },
  CheckMul:      { Int32: ["check.imullImm", "check.imull"], Int64: ["check.imulqImm", "check.imulq"] },
};
