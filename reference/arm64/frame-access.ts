// Accesses the frame. It is addressed from the stack pointer, which is fixed between prologue and
// epilogue. Offsets from there are positive, and the scaled forms of loads and stores reach 16 KB
// or 32 KB, while the frame pointer would reach 256 bytes.

import type { ProcedureFrame } from "../emit/frame.js";
import { isSlot, VECTOR } from "../lir/lir.js";
import type { Arm64Assembler } from "./assembler.js";
import { A64, type EncodingRow } from "./encodings.js";
import { SCRATCH_GENERAL_2, SP } from "./registers.js";

/**
 * Writes an access at an offset from the frame pointer; beyond the reach of the form it uses x17
 * for the address.
 */
export function accessFrame(
  asm: Arm64Assembler,
  code: EncodingRow,
  register: number,
  frame: ProcedureFrame,
  offset: number,
): void {
  const fromStack = frame.size + offset;
  const isNear = asm.fits(code, fromStack);
  if (!isNear) addressInFrame(asm, SCRATCH_GENERAL_2, fromStack);
  const base = isNear ? SP : SCRATCH_GENERAL_2;
  asm.dni(code, register & (VECTOR - 1), base, isNear ? fromStack : 0);
}

/** Returns the register of an operand; loads it by `code` into `scratch` if it is in the frame. */
export function inRegister(
  asm: Arm64Assembler,
  code: EncodingRow,
  scratch: number,
  frame: ProcedureFrame,
  location: number,
): number {
  if (!isSlot(location)) return location;
  accessFrame(asm, code, scratch, frame, frame.offsetOfSpill(location));
  return scratch;
}

/**
 * Computes the address `offset` bytes above the stack pointer, below 16 MB; preserves the flags.
 */
export function addressInFrame(asm: Arm64Assembler, register: number, offset: number): void {
  const low = offset & 0xfff;
  const high = offset - low;
  if (high !== 0) asm.dni(A64.addxi12, register, SP, high);
  if (low !== 0 || high === 0) asm.dni(A64.addxi, register, high === 0 ? SP : register, low);
}
