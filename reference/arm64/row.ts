// How rows of the LIR opcode table of ARM64 are made, and what all of them use.

import { type LirRow, rowMaker } from "../target/target.js";
import type { Arm64Assembler } from "./assembler.js";
import type { Row } from "./encodings.js";

export type Arm64Row = LirRow<Arm64Assembler>;
export type Emit = Arm64Row["emit"];
export type IntegerWidth = "l" | "q";
export type FloatWidth = "ss" | "sd";

/** How the encoding table names the widths. */
export const ENCODED = { l: "w", q: "x", ss: "s", sd: "d" } as const;
export const INTEGER_WIDTHS = ["l", "q"] as const;
export const FLOAT_WIDTHS = ["ss", "sd"] as const;

export const row = rowMaker<Arm64Assembler>();

// Shapes of emission. Operand 0 is the definition where there is one.
export const binary =
  (code: Row): Emit =>
  (asm, c, i) =>
    asm.dnm(code, c.register(i, 0), c.register(i, 1), c.register(i, 2));
export const unary =
  (code: Row): Emit =>
  (asm, c, i) =>
    asm.dn(code, c.register(i, 0), c.register(i, 1));
/** Unary, for aliases whose operand stands in Rm. */
export const unaryOfM =
  (code: Row): Emit =>
  (asm, c, i) =>
    asm.dm(code, c.register(i, 0), c.register(i, 1));
