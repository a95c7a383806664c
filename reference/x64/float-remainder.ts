// C's fmod on x86-64, exact.
//
// Let e and f be the exponents of dividend and divisor, as encoded, and m and n their significands
// as integers. The remainder is the integer m * 2^(e - f) mod n, times the unit of the divisor. The
// machine divides 128 bits by 64: one division of r * 2^64 advances a remainder r below n by 64
// bits, so 32 iterations suffice for any two numbers.
//
// Subnormals need no special case: their exponent counts as 1, and their significand has no hidden
// bit.

import type { CodeBuffer } from "../emit/code-buffer.js";
import type { X64Assembler } from "./assembler.js";
import { X64 } from "./encodings.js";
import { Gpr, SCRATCH_GPR, SCRATCH_XMM } from "./registers.js";
import { loadConstant, row, type X64EmitFunction, type X64Row } from "./row.js";

/** High words of doubles. */
const INFINITY_DOUBLED = 0xffe0_0000 | 0;
const HIDDEN_BIT = 0x0010_0000;
const SIGN = -0x8000_0000;
const FRACTION_BITS = 52;

interface RemainderRegisters {
  /** Vector: the dividend, and then the remainder. */
  readonly x: number;
  /** Vector: the divisor; preserved. */
  readonly y: number;
  readonly spare: number;
  /** General: significand and exponent of the divisor. */
  readonly n: number;
  readonly f: number;
}

/** Uses also rax, rdx, rcx and the scratch registers. */
function remainder(asm: X64Assembler, code: CodeBuffer, registers: RemainderRegisters): void {
  const { x, y, n } = registers;
  const [noResult, done] = [code.newLabel(), code.newLabel()];
  // Without their signs, and compared as integers, both are ordered like the numbers.
  asm.rr(X64.movqFromXmm, x, Gpr.rax);
  asm.rr(X64.movqFromXmm, y, n);
  asm.rr(X64.addq, Gpr.rax, Gpr.rax);
  asm.rr(X64.addq, n, n);
  asm.jump(X64.je, noResult); // division by zero
  loadConstant(asm, SCRATCH_GPR, 0, INFINITY_DOUBLED);
  asm.rr(X64.cmpq, n, SCRATCH_GPR);
  asm.jump(X64.ja, noResult); // by a NaN
  asm.rr(X64.cmpq, Gpr.rax, SCRATCH_GPR);
  asm.jump(X64.jae, noResult); // the dividend is an infinity or a NaN
  asm.rr(X64.cmpq, Gpr.rax, n);
  asm.jump(X64.jb, done); // the dividend is the remainder
  reduce(asm, code, registers);
  compose(asm, code, registers);
  asm.jump(X64.jmp, done);
  code.bind(noResult);
  asm.rr(X64.mulsd, x, y); // zero, infinity or NaN
  asm.rr(X64.divsd, x, x);
  code.bind(done);
}

/**
 * From the doubled bits in rax and n, computes the remainder in rdx, the significand in n, and the
 * exponent in f.
 */
function reduce(asm: X64Assembler, code: CodeBuffer, { n, f }: RemainderRegisters): void {
  const [next, last] = [code.newLabel(), code.newLabel()];
  asm.rr(X64.movq, Gpr.rcx, Gpr.rax);
  asm.rr(X64.movq, f, n);
  loadConstant(asm, SCRATCH_GPR, 0, HIDDEN_BIT);
  split(asm, code, Gpr.rax, Gpr.rcx);
  split(asm, code, n, f);
  asm.rr(X64.subl, Gpr.rcx, f);
  asm.ri(X64.movlImm, Gpr.rdx, 0);
  asm.r(X64.divq, n);
  code.bind(next);
  asm.ri(X64.cmplImm8, Gpr.rcx, 64);
  asm.jump(X64.jb, last);
  asm.ri(X64.movlImm, Gpr.rax, 0);
  asm.r(X64.divq, n);
  asm.ri(X64.sublImm8, Gpr.rcx, 64);
  asm.jump(X64.jmp, next);
  code.bind(last);
  // The remainder, shifted by 0 to 63 bits: the high word gets the bits that leave the low word.
  asm.rr(X64.movq, Gpr.rax, Gpr.rdx);
  asm.r(X64.shlqCl, Gpr.rax);
  asm.ri(X64.shrqImm8, Gpr.rdx, 1);
  asm.ri(X64.xorlImm8, Gpr.rcx, 63);
  asm.r(X64.shrqCl, Gpr.rdx);
  asm.r(X64.divq, n);
}

/**
 * Splits doubled bits, in both registers, into significand and exponent; r11 has the hidden bit.
 */
function split(asm: X64Assembler, code: CodeBuffer, bits: number, exponent: number): void {
  const [subnormal, done] = [code.newLabel(), code.newLabel()];
  asm.ri(X64.shlqImm8, bits, 11);
  asm.ri(X64.shrqImm8, bits, 12);
  asm.ri(X64.shrqImm8, exponent, FRACTION_BITS + 1);
  asm.jump(X64.je, subnormal);
  asm.rr(X64.orq, bits, SCRATCH_GPR);
  asm.jump(X64.jmp, done);
  code.bind(subnormal);
  asm.ri(X64.movlImm, exponent, 1);
  code.bind(done);
}

/**
 * Computes the integer in rdx times the unit 2^(f - 1075), with the sign of the dividend. The unit
 * itself is subnormal up to f = 52. Every step is exact.
 */
function compose(asm: X64Assembler, code: CodeBuffer, { x, spare, f }: RemainderRegisters): void {
  const [subnormal, scale] = [code.newLabel(), code.newLabel()];
  asm.rr(X64.cvtsi2sdq, SCRATCH_XMM, Gpr.rdx);
  asm.rr(X64.movl, Gpr.rcx, f);
  asm.ri(X64.sublImm8, Gpr.rcx, FRACTION_BITS);
  asm.jump(X64.jbe, subnormal);
  asm.rr(X64.movl, SCRATCH_GPR, Gpr.rcx);
  asm.ri(X64.shlqImm8, SCRATCH_GPR, FRACTION_BITS);
  asm.jump(X64.jmp, scale);
  code.bind(subnormal);
  asm.ri(X64.addlImm8, Gpr.rcx, FRACTION_BITS - 1);
  asm.ri(X64.movlImm, SCRATCH_GPR, 1);
  asm.r(X64.shlqCl, SCRATCH_GPR);
  code.bind(scale);
  asm.rr(X64.movqToXmm, spare, SCRATCH_GPR);
  asm.rr(X64.mulsd, SCRATCH_XMM, spare);
  loadConstant(asm, SCRATCH_GPR, 0, SIGN);
  asm.rr(X64.movqToXmm, spare, SCRATCH_GPR);
  asm.rr(X64.andps, spare, x);
  asm.rr(X64.orps, SCRATCH_XMM, spare);
  asm.rr(X64.movaps, x, SCRATCH_XMM);
}

const OF_DOUBLES: X64EmitFunction = (asm, c, i) => {
  const [x, y] = [c.register(i, 0), c.register(i, 2)];
  const [n, f, spare] = [c.register(i, 6), c.register(i, 7), c.register(i, 8)];
  remainder(asm, c.code, { x, y, n, f, spare });
};

/** Computes in Doubles: the remainder of two Floats is a Float. */
const OF_FLOATS: X64EmitFunction = (asm, c, i) => {
  const [x, y] = [c.register(i, 0), c.register(i, 9)];
  const [n, f, spare] = [c.register(i, 6), c.register(i, 7), c.register(i, 8)];
  asm.rr(X64.cvtss2sd, y, c.register(i, 2));
  asm.rr(X64.cvtss2sd, x, x);
  remainder(asm, c.code, { x, y, n, f, spare });
  asm.rr(X64.cvtsd2ss, x, x);
};

const OPERANDS = [
  ...(["def=0", "use", "use"] as const),
  ...[{ temp: Gpr.rax }, { temp: Gpr.rdx }, { temp: Gpr.rcx }],
  ...(["temp", "temp", "temp:vector"] as const),
];
export const FLOAT_REMAINDERS: readonly X64Row[] = [
  row("fmodsd", OPERANDS, OF_DOUBLES),
  row("fmodss", [...OPERANDS, "temp:vector"], OF_FLOATS),
];
