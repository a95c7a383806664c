// Makes rows of the LIR opcode table of ARM64, and has the helpers that all of them use.

import { type LirRow, rowMaker } from "../target/target.js";
import type { Arm64Assembler } from "./assembler.js";
import type { EncodingRow } from "./encodings.js";

export type Arm64Row = LirRow<Arm64Assembler>;
export type Arm64EmitFunction = Arm64Row["emit"];
export type IntegerWidth = "l" | "q";
export type FloatWidth = "ss" | "sd";

/** The names of the widths in the encoding table. */
export const ENCODED = { l: "w", q: "x", ss: "s", sd: "d" } as const;
export const INTEGER_WIDTHS = ["l", "q"] as const;
export const FLOAT_WIDTHS = ["ss", "sd"] as const;

export const row = rowMaker<Arm64Assembler>();

// Shapes of emission. Operand 0 is the definition if there is one.
export const binary =
  (code: EncodingRow): Arm64EmitFunction =>
  (asm, c, i) =>
    asm.dnm(code, c.register(i, 0), c.register(i, 1), c.register(i, 2));
export const unary =
  (code: EncodingRow): Arm64EmitFunction =>
  (asm, c, i) =>
    asm.dn(code, c.register(i, 0), c.register(i, 1));
/** Unary, for aliases whose operand is in Rm. */
export const unaryOfM =
  (code: EncodingRow): Arm64EmitFunction =>
  (asm, c, i) =>
    asm.dm(code, c.register(i, 0), c.register(i, 1));
