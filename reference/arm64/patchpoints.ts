// The code of each kind of patchpoint on ARM64. A result that is not early may share the register
// of an operand that is not late. So results are written last; x16 and x17 are free until then. A kind
// that exits writes its result before, so that an exit that reads an early operand shows it.

import { VECTOR } from "../lir/lir.js";
import {
  type EmitPatchpoint,
  type PatchpointCode,
  type PatchpointOperands,
  type PatchpointRegisters,
  patchpointRows,
} from "../target/patchpoint-rows.js";
import type { Arm64Assembler } from "./assembler.js";
import { A64, Cond } from "./encodings.js";
import { accessFrame, inRegister } from "./frame-access.js";
import {
  ARGUMENTS_GENERAL,
  ARGUMENTS_VECTOR,
  ASKED_GENERAL,
  FP,
  OTHER_GENERAL,
  RESULT_GENERAL,
  RESULT_VECTOR,
  SCRATCH_GENERAL,
  SCRATCH_GENERAL_2,
  SP,
} from "./registers.js";
import type { Arm64Row } from "./row.js";

const X = SCRATCH_GENERAL;
const Y = SCRATCH_GENERAL_2;

/** Returns the register of operand k, an integer; loads it into `scratch` if it is in the frame. */
function take(
  asm: Arm64Assembler,
  p: PatchpointOperands,
  k: number,
  width: "w" | "x",
  scratch: number,
): number {
  return inRegister(asm, A64[`ldr${width}`], scratch, p.context.frame, p.location(k));
}

const CODE: PatchpointCode<Arm64Assembler> = {
  addPair(asm, p) {
    asm.dnm(A64.addw, p.result, p.register(0), p.register(1));
  },
  mixAnywhere(asm, p) {
    asm.dm(A64.movx, p.result, take(asm, p, 0, "x", X));
    asm.dm(A64.movw, X, take(asm, p, 1, "w", X));
    asm.dnm(A64.addx, p.result, p.result, X);
    asm.dnm(A64.eorx, p.result, p.result, take(asm, p, 2, "x", X));
  },
  foldAnywhere(asm, p) {
    const sum = p.scratch(0);
    asm.dm(A64.movw, sum, take(asm, p, 1, "x", X));
    asm.dnm(A64.addw, sum, sum, take(asm, p, 2, "w", X));
    asm.dm(A64.movw, p.result, sum);
    asm.dnm(A64.eorw, p.result, p.result, take(asm, p, 0, "w", X));
  },
  subtractNamed(asm, p) {
    asm.dnm(A64.subx, p.result, p.register(0), p.register(1));
  },
  ownConvention(asm, p) {
    asm.dn(A64.sxtwx, X, p.register(1));
    asm.dnm(A64.addx, p.result, p.register(0), X);
    asm.dni(A64.ldrx, X, SP, p.outgoing(3));
    asm.dnm(A64.eorx, p.result, p.result, X);
    asm.dni(A64.ldrsw, X, SP, p.outgoing(2));
    asm.dnm(A64.addx, p.result, p.result, X);
  },
  rotateByConstant(asm, p) {
    const [constant] = p.constant(1);
    asm.dnmi(A64.extrw, p.result, p.result, p.result, -constant & 31);
    asm.constant(X, constant, 0, false);
    asm.dnm(A64.eorw, p.result, p.result, X);
  },
  fromConstant(asm, p) {
    const [lo, hi] = p.constant(1);
    asm.constant(X, lo, hi, true);
    asm.dnm(A64.subx, p.register(0), X, p.register(0));
    asm.dm(A64.movx, p.result, p.register(0));
  },
  copiesApart(asm, p) {
    const sum = p.register(0);
    asm.dnm(A64.addw, sum, sum, sum);
    asm.dn(A64.fmovxd, X, p.register(1));
    asm.dnm(A64.addw, sum, sum, X);
    asm.dm(A64.movw, p.result, sum);
    asm.dnm(A64.subw, p.result, p.result, p.register(2));
  },
  lateRegisters(asm, p) {
    const [sum, bits] = [p.scratch(0), p.scratch(1)];
    asm.dn(A64.sxtwx, sum, p.register(2));
    asm.dn(A64.fmovxd, bits, p.register(0));
    asm.dnm(A64.addx, sum, sum, bits);
    asm.dn(A64.fmovdx, p.result, sum);
    asm.dn(A64.fmovws, bits, p.register(1));
    asm.dnm(A64.eorx, sum, sum, bits);
    asm.dn(A64.fmovdx, p.result, sum);
  },
  lateNamed(asm, p) {
    asm.dm(A64.movw, p.result, p.register(2));
    asm.dnm(A64.addx, p.result, p.result, p.register(0));
    asm.dn(A64.fmovxd, X, p.register(1));
    asm.dnm(A64.subx, p.result, p.result, X);
  },
  fromStack(asm, p) {
    const [sum, float] = [p.scratch(0), p.scratch(1)];
    const { frame } = p.context;
    accessFrame(asm, A64.ldrs, float, frame, frame.offsetOfSpill(p.location(1)));
    asm.dn(A64.fmovws, sum, float);
    asm.dnm(A64.eorx, sum, sum, take(asm, p, 0, "x", X));
    asm.dn(A64.sxtwx, X, p.register(2));
    asm.dnm(A64.addx, p.result, sum, X);
  },
  ontoStack(asm, p) {
    const { frame } = p.context;
    const x = take(asm, p, 0, "x", X); // first: a large frame offset needs x17
    asm.dn(A64.sxtwx, Y, p.register(1));
    asm.dnm(A64.eorx, X, x, Y);
    accessFrame(asm, A64.strx, X, frame, frame.offsetOfSpill(p.resultSlot));
  },
  floatOntoStack(asm, p) {
    const { frame } = p.context;
    const offset = frame.offsetOfSpill(p.resultSlot);
    accessFrame(asm, A64.strw, p.register(1), frame, offset);
    const x = take(asm, p, 0, "w", X); // first, for the same reason
    accessFrame(asm, A64.ldrw, Y, frame, offset);
    asm.dnm(A64.addw, X, x, Y);
    accessFrame(asm, A64.strw, X, frame, offset);
  },
  signFromNamed(asm, p) {
    const sign = p.scratch(0);
    asm.dn(A64.fmovws, sign, p.register(1));
    asm.constant(X, -0x8000_0000, 0, false);
    asm.dnm(A64.andw, sign, sign, X);
    asm.dn(A64.fmovws, Y, p.register(0));
    asm.constant(X, 0x7fff_ffff, 0, false);
    asm.dnm(A64.andw, Y, Y, X);
    asm.dnm(A64.orrw, Y, Y, sign);
    asm.dn(A64.fmovsw, p.scratch(1), Y);
    asm.dn(A64.fmovs, p.result, p.scratch(1));
  },
  fromNothing(asm, p) {
    asm.constant(p.result, 0x1234_5678, 0, false);
  },
  heapFetch: fetch,
  heapExchange(asm, p) {
    asm.dni(A64.ldrw, p.result, p.register(0), 0);
    asm.dni(A64.strw, p.register(1), p.register(0), 0);
  },
  slotFetch: fetch,
  slotExchange(asm, p) {
    asm.dni(A64.ldrx, p.result, p.register(0), 0);
    asm.dni(A64.strx, p.register(1), p.register(0), 0);
  },
  makeReference(asm, p) {
    asm.dn(A64.sxtwx, X, p.register(1));
    asm.dnm(A64.eorx, p.result, p.register(0), X);
  },
  frameDistance(asm, p) {
    asm.dnm(A64.subx, p.result, p.register(0), FP);
  },
  frameParity(asm, p) {
    const address = take(asm, p, 0, "x", X);
    asm.constant(Y, 15, 0, false);
    asm.dnm(A64.andw, X, address, Y);
    asm.dnm(A64.addw, p.result, X, take(asm, p, 1, "w", Y));
  },
  heapAdd(asm, p) {
    asm.dni(A64.ldrw, X, p.register(0), 0);
    asm.dnm(A64.addw, X, X, take(asm, p, 1, "w", Y));
    asm.dni(A64.strw, X, p.register(0), 0);
  },
  slotNegate(asm, p) {
    asm.dni(A64.ldrx, X, p.register(0), 0);
    asm.dm(A64.negx, X, X);
    asm.dni(A64.strx, X, p.register(0), 0);
  },
  destroyOnly() {},
  keepThrough() {},
  negateBeside(asm, p) {
    asm.dm(A64.negw, p.result, p.register(1));
  },
  exitIfOdd(asm, p) {
    asm.constant(X, 1, 0, false);
    asm.dnm(A64.andw, X, X, p.register(0));
    asm.branchReg(A64.cbnzw, X, p.exit);
  },
  addOrExit(asm, p) {
    asm.dnm(A64.addsw, X, p.register(0), take(asm, p, 1, "w", X));
    asm.dm(A64.movw, p.result, X);
    asm.branchCond(A64.bcond, Cond.hs, p.exit);
  },
  exitIfNegative(asm, p) {
    asm.dn(A64.fmovxd, X, p.register(1));
    asm.dnm(A64.eorx, p.result, p.result, X);
    asm.dnm(A64.addx, p.result, p.result, p.register(2));
    asm.dm(A64.movx, p.register(2), X);
    asm.ni(A64.cmpxi, X, 0);
    asm.branchCond(A64.bcond, Cond.mi, p.exit);
  },
  addPassed(asm, p) {
    asm.dn(A64.sxtwx, X, p.register(1));
    asm.dni(A64.ldrx, Y, SP, p.outgoing(0));
    asm.dnm(A64.addx, p.result, X, Y);
    asm.dni(A64.ldrw, X, SP, p.outgoing(2));
    asm.ni(A64.cmpwi, X, 0);
    asm.branchCond(A64.bcond, Cond.mi, p.exit);
  },
  returnSum(asm, p) {
    asm.dnm(A64.addw, p.register(0), p.register(0), p.register(1));
  },
  returnMixed(asm, p) {
    const [lo, hi] = p.constant(2);
    asm.dn(A64.fmovxd, X, p.register(0));
    asm.dn(A64.fmovxd, Y, p.register(1));
    asm.dnm(A64.eorx, X, X, Y);
    asm.constant(Y, lo, hi, true);
    asm.dnm(A64.addx, X, X, Y);
    asm.dn(A64.fmovdx, RESULT_VECTOR, X);
  },
};

function fetch(asm: Arm64Assembler, p: PatchpointOperands): void {
  asm.dni(A64.ldrx, p.result, p.register(0), 0);
}

function load(asm: Arm64Assembler, register: number, lo: number, hi: number): void {
  const isFloat = register >= VECTOR;
  asm.constant(isFloat ? X : register, lo, hi, true);
  if (isFloat) asm.dn(A64.fmovdx, register & (VECTOR - 1), X);
}

/** The registers that kinds name. */
export const ARM64_REGISTERS: PatchpointRegisters = {
  integerArguments: ARGUMENTS_GENERAL,
  floatArguments: ARGUMENTS_VECTOR.map((number) => VECTOR + number),
  integerResult: RESULT_GENERAL,
  floatResult: VECTOR + RESULT_VECTOR,
  asked: ASKED_GENERAL,
  otherGeneral: OTHER_GENERAL,
};

export const PATCHPOINTS: readonly Arm64Row[] = patchpointRows(
  ARM64_REGISTERS,
  CODE,
  load,
  (kind) => kind.arm64 as EmitPatchpoint<Arm64Assembler>, // src/library/patchpoints.ts types it
);
