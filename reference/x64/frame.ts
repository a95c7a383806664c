// Writes the code of a procedure on x86-64 that belongs to no LIR instruction: prologue, epilogue,
// moves, exit stubs.

import { isWide, type Type } from "../../src/ir/types.js";
import type { EmitContext } from "../emit/emit-context.js";
import type { ExternalAddresses } from "../emit/environment.js";
import type { ProcedureFrame } from "../emit/frame.js";
import type { MachineWriter } from "../emit/machine-writer.js";
import { isGeneral, isSlot, isVector, VECTOR } from "../lir/lir.js";
import type { X64Assembler } from "./assembler.js";
import { X64 } from "./encodings.js";
import { Gpr, REGISTER_COUNT, SCRATCH_GPR } from "./registers.js";
import { loadConstant } from "./row.js";

function prologue(asm: X64Assembler, { frame }: { readonly frame: ProcedureFrame }): void {
  asm.r(X64.pushq, Gpr.rbp);
  asm.rr(X64.movq, Gpr.rbp, Gpr.rsp);
  if (frame.size > 0) asm.ri(X64.subqImm, Gpr.rsp, frame.size);
  frame.saved.forEach((register, n) => {
    asm.rm(X64.movqStore, register, Gpr.rbp, frame.offsetOfSaved(n));
  });
}

function epilogue(asm: X64Assembler, context: EmitContext): void {
  if (context.isFramed) leave(asm, context);
  asm.op(X64.ret);
}

function leave(asm: X64Assembler, { frame }: { readonly frame: ProcedureFrame }): void {
  frame.saved.forEach((register, n) => {
    asm.rm(X64.movq, register, Gpr.rbp, frame.offsetOfSaved(n));
  });
  asm.op(X64.leave);
}

/** Writes a move, which preserves the flags. */
function move(
  asm: X64Assembler,
  framed: { readonly frame: ProcedureFrame },
  from: number,
  to: number,
  type: Type,
): void {
  const wide = isWide(type);
  if (isSlot(to)) {
    const code = isVector(from)
      ? wide
        ? X64.movsdStore
        : X64.movssStore
      : wide
        ? X64.movqStore
        : X64.movlStore;
    asm.rm(code, from & (VECTOR - 1), Gpr.rbp, framed.frame.offsetOfSpill(to));
  } else if (isSlot(from)) {
    const code = isVector(to) ? (wide ? X64.movsd : X64.movss) : wide ? X64.movq : X64.movl;
    asm.rm(code, to & (VECTOR - 1), Gpr.rbp, framed.frame.offsetOfSpill(from));
  } else if (isGeneral(from) && isGeneral(to)) {
    asm.rr(wide ? X64.movq : X64.movl, to, from);
  } else {
    asm.rr(X64.movaps, to & (VECTOR - 1), from & (VECTOR - 1));
  }
}

// The save area of the common stub, upward from the stack pointer: 16 general registers, the low
// halves of 16 vector registers, and the exit's index, which the stub has pushed. The stack pointer
// itself is not stored: at the guard it was the address just above the index.
const SAVE_AREA = {
  general: 0,
  vector: 8 * REGISTER_COUNT,
  index: 16 * REGISTER_COUNT,
} as const;

/**
 * Writes an exit stub with room for a jump with a distance of 32 bits, which a link writes over it.
 */
function exitStub(asm: X64Assembler, index: number, common: number): void {
  asm.i(X64.pushqImm, index);
  asm.jump(X64.jmp, common);
}

function commonStub(asm: X64Assembler, environment: ExternalAddresses): void {
  asm.rm(X64.leaq, Gpr.rsp, Gpr.rsp, -SAVE_AREA.index);
  for (let register = 0; register < REGISTER_COUNT; register++) {
    if (register !== Gpr.rsp) {
      asm.rm(X64.movqStore, register, Gpr.rsp, SAVE_AREA.general + 8 * register);
    }
    asm.rm(X64.movsdStore, register, Gpr.rsp, SAVE_AREA.vector + 8 * register);
  }
  loadConstant(asm, SCRATCH_GPR, environment.exit[0], environment.exit[1]);
  asm.r(X64.jmpIndirect, SCRATCH_GPR);
}

export const WRITER: MachineWriter<X64Assembler> = {
  prologue,
  epilogue,
  leave,
  move,
  constant: loadConstant,
  lowerStack: (asm, bytes) => asm.rm(X64.leaq, Gpr.rsp, Gpr.rsp, -bytes),
  jump: (asm, label) => asm.jump(X64.jmp, label),
  exitStub,
  commonStub,
};
