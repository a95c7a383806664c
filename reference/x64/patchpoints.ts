// The code of each kind of patchpoint on x86-64. A result that is not early may share the register
// of an operand that is not late. So results are written last; r11 is free until then. A kind that
// exits writes its result before, so that an exit that reads an early operand shows it.

import { VECTOR } from "../lir/lir.js";
import {
  type EmitPatchpoint,
  type PatchpointCode,
  type PatchpointOperands,
  type PatchpointRegisters,
  patchpointRows,
} from "../target/patchpoint-rows.js";
import type { X64Assembler } from "./assembler.js";
import { X64 } from "./encodings.js";
import {
  ASKED_GPR,
  FLOAT_ARGUMENTS,
  FLOAT_RESULT,
  Gpr,
  INTEGER_ARGUMENTS,
  INTEGER_RESULT,
  OTHER_GENERAL,
  SCRATCH_GPR,
} from "./registers.js";
import { loadConstant, regOrSlot, type X64Row } from "./row.js";

/** Writes `code reg, operand k`; the operand may be in a register or in the frame. */
const take = (
  asm: X64Assembler,
  p: PatchpointOperands,
  code: number,
  reg: number,
  k: number,
): void => regOrSlot(asm, p.context, code, reg, p.location(k));

const R = SCRATCH_GPR;

const CODE: PatchpointCode<X64Assembler> = {
  addPair(asm, p) {
    asm.rr(X64.movl, R, p.register(0));
    asm.rr(X64.addl, R, p.register(1));
    asm.rr(X64.movl, p.result, R);
  },
  mixAnywhere(asm, p) {
    take(asm, p, X64.movq, p.result, 0);
    take(asm, p, X64.movl, R, 1);
    asm.rr(X64.addq, p.result, R);
    take(asm, p, X64.xorq, p.result, 2);
  },
  foldAnywhere(asm, p) {
    const sum = p.scratch(0);
    take(asm, p, X64.movl, sum, 1);
    take(asm, p, X64.addl, sum, 2);
    asm.rr(X64.movl, p.result, sum);
    take(asm, p, X64.xorl, p.result, 0);
  },
  subtractNamed(asm, p) {
    asm.rr(X64.movq, p.result, p.register(0));
    asm.rr(X64.subq, p.result, p.register(1));
  },
  ownConvention(asm, p) {
    asm.rr(X64.movslq, p.result, p.register(1));
    asm.rr(X64.addq, p.result, p.register(0));
    asm.rm(X64.xorq, p.result, Gpr.rsp, p.outgoing(3));
    asm.rm(X64.movslq, R, Gpr.rsp, p.outgoing(2));
    asm.rr(X64.addq, p.result, R);
  },
  rotateByConstant(asm, p) {
    const [constant] = p.constant(1);
    asm.ri(X64.rollImm8, p.result, constant & 31);
    asm.ri(X64.xorlImm, p.result, constant);
  },
  fromConstant(asm, p) {
    const [lo, hi] = p.constant(1);
    asm.r(X64.negq, p.register(0));
    loadConstant(asm, R, lo, hi);
    asm.rr(X64.addq, p.register(0), R);
    asm.rr(X64.movq, p.result, p.register(0));
  },
  copiesApart(asm, p) {
    const sum = p.register(0);
    asm.rr(X64.addl, sum, sum);
    asm.rr(X64.movdFromXmm, p.register(1), R);
    asm.rr(X64.addl, sum, R);
    asm.rr(X64.subl, sum, p.register(2));
    asm.rr(X64.movl, p.result, sum);
  },
  lateRegisters(asm, p) {
    const [sum, bits] = [p.scratch(0), p.scratch(1)];
    asm.rr(X64.movslq, sum, p.register(2));
    asm.rr(X64.movqFromXmm, p.register(0), bits);
    asm.rr(X64.addq, sum, bits);
    asm.rr(X64.movqToXmm, p.result, sum);
    asm.rr(X64.movdFromXmm, p.register(1), bits);
    asm.rr(X64.xorq, sum, bits);
    asm.rr(X64.movqToXmm, p.result, sum);
  },
  lateNamed(asm, p) {
    asm.rr(X64.movl, p.result, p.register(2));
    asm.rr(X64.addq, p.result, p.register(0));
    asm.rr(X64.movqFromXmm, p.register(1), R);
    asm.rr(X64.subq, p.result, R);
  },
  fromStack(asm, p) {
    const [sum, float] = [p.scratch(0), p.scratch(1)];
    take(asm, p, X64.movss, float, 1);
    asm.rr(X64.movdFromXmm, float, sum);
    take(asm, p, X64.xorq, sum, 0);
    asm.rr(X64.movslq, R, p.register(2));
    asm.rr(X64.addq, sum, R);
    asm.rr(X64.movq, p.result, sum);
  },
  ontoStack(asm, p) {
    asm.rr(X64.movslq, R, p.register(1));
    take(asm, p, X64.xorq, R, 0);
    asm.rm(X64.movqStore, R, Gpr.rbp, p.context.frame.offsetOfSpill(p.resultSlot));
  },
  floatOntoStack(asm, p) {
    const offset = p.context.frame.offsetOfSpill(p.resultSlot);
    asm.rm(X64.movlStore, p.register(1), Gpr.rbp, offset);
    take(asm, p, X64.movl, R, 0);
    asm.rm(X64.addl, R, Gpr.rbp, offset);
    asm.rm(X64.movlStore, R, Gpr.rbp, offset);
  },
  signFromNamed(asm, p) {
    const sign = p.scratch(0);
    asm.rr(X64.movdFromXmm, p.register(1), sign);
    asm.ri(X64.andlImm, sign, -0x8000_0000);
    asm.rr(X64.movdFromXmm, p.register(0), R);
    asm.ri(X64.andlImm, R, 0x7fff_ffff);
    asm.rr(X64.orl, R, sign);
    asm.rr(X64.movdToXmm, p.scratch(1), R);
    asm.rr(X64.movaps, p.result, p.scratch(1));
  },
  fromNothing(asm, p) {
    asm.ri(X64.movlImm, p.result, 0x1234_5678);
  },
  heapFetch: fetch,
  heapExchange(asm, p) {
    asm.rm(X64.movl, p.result, p.register(0), 0);
    asm.rm(X64.movlStore, p.register(1), p.register(0), 0);
  },
  slotFetch: fetch,
  slotExchange(asm, p) {
    asm.rm(X64.movq, p.result, p.register(0), 0);
    asm.rm(X64.movqStore, p.register(1), p.register(0), 0);
  },
  makeReference(asm, p) {
    asm.rr(X64.movslq, R, p.register(1));
    asm.rr(X64.xorq, R, p.register(0));
    asm.rr(X64.movq, p.result, R);
  },
  frameDistance(asm, p) {
    asm.rr(X64.movq, R, p.register(0));
    asm.rr(X64.subq, R, Gpr.rbp);
    asm.rr(X64.movq, p.result, R);
  },
  frameParity(asm, p) {
    take(asm, p, X64.movl, R, 0);
    asm.ri(X64.andlImm, R, 15);
    take(asm, p, X64.addl, R, 1);
    asm.rr(X64.movl, p.result, R);
  },
  heapAdd(asm, p) {
    asm.rm(X64.movl, R, p.register(0), 0);
    take(asm, p, X64.addl, R, 1);
    asm.rm(X64.movlStore, R, p.register(0), 0);
  },
  slotNegate(asm, p) {
    asm.rm(X64.movq, R, p.register(0), 0);
    asm.r(X64.negq, R);
    asm.rm(X64.movqStore, R, p.register(0), 0);
  },
  destroyOnly() {},
  keepThrough() {},
  negateBeside(asm, p) {
    asm.rr(X64.movl, R, p.register(1));
    asm.r(X64.negl, R);
    asm.rr(X64.movl, p.result, R);
  },
  exitIfOdd(asm, p) {
    asm.rr(X64.movl, R, p.register(0));
    asm.ri(X64.andlImm, R, 1);
    asm.jump(X64.jne, p.exit);
  },
  addOrExit(asm, p) {
    asm.rr(X64.movl, R, p.register(0));
    take(asm, p, X64.addl, R, 1);
    asm.rr(X64.movl, p.result, R); // keeps the carry
    asm.jump(X64.jb, p.exit);
  },
  exitIfNegative(asm, p) {
    asm.rr(X64.movqFromXmm, p.register(1), R);
    asm.rr(X64.xorq, p.result, R);
    asm.rr(X64.addq, p.result, p.register(2));
    asm.rr(X64.movq, p.register(2), R);
    asm.rr(X64.testq, R, R);
    asm.jump(X64.js, p.exit);
  },
  addPassed(asm, p) {
    asm.rr(X64.movslq, R, p.register(1));
    asm.rm(X64.addq, R, Gpr.rsp, p.outgoing(0));
    asm.rr(X64.movq, p.result, R);
    asm.rm(X64.movl, R, Gpr.rsp, p.outgoing(2));
    asm.rr(X64.testl, R, R);
    asm.jump(X64.js, p.exit);
  },
  returnSum(asm, p) {
    asm.rr(X64.addl, p.register(0), p.register(1));
  },
  returnMixed(asm, p) {
    const [lo, hi] = p.constant(2);
    asm.rr(X64.movqFromXmm, p.register(0), R);
    asm.rr(X64.movqFromXmm, p.register(1), Gpr.rax);
    asm.rr(X64.xorq, R, Gpr.rax);
    loadConstant(asm, Gpr.rax, lo, hi);
    asm.rr(X64.addq, R, Gpr.rax);
    asm.rr(X64.movqToXmm, FLOAT_RESULT, R);
  },
};

function fetch(asm: X64Assembler, p: PatchpointOperands): void {
  asm.rm(X64.movq, p.result, p.register(0), 0);
}

function load(asm: X64Assembler, register: number, lo: number, hi: number): void {
  const isFloat = register >= VECTOR;
  loadConstant(asm, isFloat ? R : register, lo, hi);
  if (isFloat) asm.rr(X64.movqToXmm, register & (VECTOR - 1), R);
}

/** The registers that kinds name. */
export const X64_REGISTERS: PatchpointRegisters = {
  integerArguments: INTEGER_ARGUMENTS,
  floatArguments: FLOAT_ARGUMENTS.map((number) => VECTOR + number),
  integerResult: INTEGER_RESULT,
  floatResult: VECTOR + FLOAT_RESULT,
  asked: ASKED_GPR,
  otherGeneral: OTHER_GENERAL,
};

export const PATCHPOINTS: readonly X64Row[] = patchpointRows(
  X64_REGISTERS,
  CODE,
  load,
  (kind) => kind.x64 as EmitPatchpoint<X64Assembler>, // src/library/patchpoints.ts types it
);
