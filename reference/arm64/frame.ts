// Writes the code of a procedure on ARM64 that belongs to no LIR instruction: prologue, epilogue,
// moves, exit stubs.
//
// The frame is addressed from the stack pointer, which is fixed between prologue and epilogue.
// Offsets from there are positive, and the scaled forms of loads and stores reach 16 KB or 32 KB,
// while the frame pointer would reach 256 bytes.

import { isWide, type Type } from "../../src/ir/types.js";
import type { EmitContext } from "../emit/emit-context.js";
import type { ExternalAddresses } from "../emit/environment.js";
import type { ProcedureFrame } from "../emit/frame.js";
import type { MachineWriter } from "../emit/machine-writer.js";
import { isSlot, isVector, VECTOR } from "../lir/lir.js";
import type { Arm64Assembler } from "./assembler.js";
import { A64 } from "./encodings.js";
import { accessFrame } from "./frame-access.js";
import { FP, LR, SCRATCH_GENERAL, SP } from "./registers.js";

function prologue(asm: Arm64Assembler, { frame }: { readonly frame: ProcedureFrame }): void {
  asm.dani(A64.stpxPre, FP, LR, SP, -16);
  asm.dni(A64.addxi, FP, SP, 0); // `mov x29, sp`
  // A frame is far below 16 MB, so two subtractions are enough for every size.
  const low = frame.size & 0xfff;
  if (frame.size !== low) asm.dni(A64.subxi12, SP, SP, frame.size - low);
  if (low !== 0) asm.dni(A64.subxi, SP, SP, low);
  frame.saved.forEach((register, n) => {
    const code = isVector(register) ? A64.strd : A64.strx;
    accessFrame(asm, code, register, frame, frame.offsetOfSaved(n));
  });
}

function epilogue(asm: Arm64Assembler, context: EmitContext): void {
  if (context.isFramed) leave(asm, context);
  asm.n(A64.ret, LR);
}

function leave(asm: Arm64Assembler, { frame }: { readonly frame: ProcedureFrame }): void {
  frame.saved.forEach((register, n) => {
    const code = isVector(register) ? A64.ldrd : A64.ldrx;
    accessFrame(asm, code, register, frame, frame.offsetOfSaved(n));
  });
  asm.dni(A64.addxi, SP, FP, 0); // `mov sp, x29`
  asm.dani(A64.ldpxPost, FP, LR, SP, 16);
}

/** Writes a move, which preserves the flags, and x16 unless it is an operand. */
function move(
  asm: Arm64Assembler,
  framed: { readonly frame: ProcedureFrame },
  from: number,
  to: number,
  type: Type,
): void {
  const wide = isWide(type);
  if (isSlot(to)) {
    const code = isVector(from) ? (wide ? A64.strd : A64.strs) : wide ? A64.strx : A64.strw;
    accessFrame(asm, code, from, framed.frame, framed.frame.offsetOfSpill(to));
  } else if (isSlot(from)) {
    const code = isVector(to) ? (wide ? A64.ldrd : A64.ldrs) : wide ? A64.ldrx : A64.ldrw;
    accessFrame(asm, code, to, framed.frame, framed.frame.offsetOfSpill(from));
  } else if (isVector(to)) {
    asm.dn(wide ? A64.fmovd : A64.fmovs, to & (VECTOR - 1), from & (VECTOR - 1));
  } else {
    asm.dm(wide ? A64.movx : A64.movw, to, from);
  }
}

// The save area of the common stub, upward from the stack pointer: 31 general registers, the exit's
// index, the low halves of 32 vector registers. At the guard the stack pointer was the address just
// above. x16 and x17 have other values than at the guard; they are never allocated.
const GENERAL_COUNT = 31;
const VECTOR_COUNT = 32;
const SAVE_AREA = {
  general: 0,
  index: 8 * GENERAL_COUNT,
  vector: 8 * (GENERAL_COUNT + 1),
} as const;
const SAVE_AREA_SIZE = SAVE_AREA.vector + 8 * VECTOR_COUNT;

/** Writes an exit stub, which passes the index in x16. */
function exitStub(asm: Arm64Assembler, index: number, common: number): void {
  asm.constant(SCRATCH_GENERAL, index, 0, false);
  asm.branch(A64.b, common);
}

function commonStub(asm: Arm64Assembler, environment: ExternalAddresses): void {
  asm.dni(A64.subxi, SP, SP, SAVE_AREA_SIZE);
  for (let register = 0; register < GENERAL_COUNT; register += 2) {
    // The index comes right after the last register.
    const second = register + 1 < GENERAL_COUNT ? register + 1 : SCRATCH_GENERAL;
    asm.dani(A64.stpx, register, second, SP, SAVE_AREA.general + 8 * register);
  }
  for (let register = 0; register < VECTOR_COUNT; register += 2) {
    asm.dani(A64.stpd, register, register + 1, SP, SAVE_AREA.vector + 8 * register);
  }
  asm.constant(SCRATCH_GENERAL, environment.exit[0], environment.exit[1], true);
  asm.n(A64.br, SCRATCH_GENERAL);
}

export const WRITER: MachineWriter<Arm64Assembler> = {
  prologue,
  epilogue,
  leave,
  move,
  constant: (asm, register, lo, hi) => asm.constant(register, lo, hi, true),
  lowerStack: (asm, bytes) => asm.dni(A64.subxi, SP, SP, bytes),
  jump: (asm, label) => asm.branch(A64.b, label),
  exitStub,
  commonStub,
};
