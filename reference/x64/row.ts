// Makes rows of the LIR opcode table of x86-64, and has the helpers that all of them use.

import type { EmitContext } from "../emit/emit-context.js";
import { isSlot, VECTOR } from "../lir/lir.js";
import { type LirRow, rowMaker } from "../target/target.js";
import type { X64Assembler } from "./assembler.js";
import { X64 } from "./encodings.js";
import { Gpr } from "./registers.js";

export type X64Row = LirRow<X64Assembler>;
export type X64EmitFunction = X64Row["emit"];

export const row = rowMaker<X64Assembler>();

/** Writes `code reg, operand` for an operand in a register or a spill slot. */
export function regOrSlot(
  asm: X64Assembler,
  c: EmitContext,
  code: number,
  reg: number,
  location: number,
): void {
  if (isSlot(location)) asm.rm(code, reg, Gpr.rbp, c.frame.offsetOfSpill(location));
  else asm.rr(code, reg, location & (VECTOR - 1));
}

/** Writes `code definition, use`, in distinct registers or the same. */
export const fresh =
  (code: number): X64EmitFunction =>
  (asm, c, i) =>
    regOrSlot(asm, c, code, c.register(i, 0), c.location(i, 1));

/** Writes the shortest move of a 64-bit constant: zero-extended, sign-extended or full. */
export function loadConstant(asm: X64Assembler, register: number, lo: number, hi: number): void {
  if (hi === 0) asm.ri(X64.movlImm, register, lo);
  else if (hi === lo >> 31) asm.ri(X64.movqImm, register, lo);
  else asm.r64(X64.movabsq, register, lo, hi);
}
