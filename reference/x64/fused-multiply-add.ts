// x * y + z on x86-64, rounded once, for processors that have no instruction for it.
//
// Doubles are computed in integers. Each operand is a significand of 64 bits, of which the highest
// is set, and an exponent. The product of two has 128 bits; the summand is extended to as many. The
// one with the lesser exponent is shifted right. If any bit that leaves it is set, its lowest bit
// is set ("with a trace"). That is enough: if bits leave it, the other has at least 20 zeroes at
// its end, the result keeps 126 bits, and at most 53 of these decide.
//
// Floats are computed as Doubles: the product of two is exact. The sum is rounded to odd, which
// records whether anything was lost. So the last rounding is as if it were the only one: 53 bits
// are at least two more than 24 (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums", 2008).

import type { CodeBuffer } from "../emit/code-buffer.js";
import type { X64Assembler } from "./assembler.js";
import { X64 } from "./encodings.js";
import { Gpr, SCRATCH_GPR, SCRATCH_XMM } from "./registers.js";
import { loadConstant, row, type X64EmitFunction, type X64Row } from "./row.js";

/** High words of doubles. */
const INFINITY = 0x7ff0_0000;
const INFINITY_DOUBLED = 0xffe0_0000 | 0;
const SIGN = -0x8000_0000;
const FRACTION_BITS = 52;
/** The encoded exponent of infinities. */
const EXPONENT_MAX = 2047;
/** The difference between the encoded exponent and the exponent. */
const BIAS = 1023;

interface FusedRegisters {
  /** Vector: the first factor, and then the result. */
  readonly x: number;
  /** Vector: preserved. */
  readonly y: number;
  readonly z: number;
  /**
   * General: the summand, high and low word; exponent; the sign of the larger, in the highest bit.
   */
  readonly high: number;
  readonly low: number;
  readonly exponent: number;
  readonly sign: number;
}

/**
 * Also uses rdx and rax, for the high and low word of the product and then of the sum; rcx and the
 * scratch registers.
 */
function fusedMultiplyAdd(asm: X64Assembler, code: CodeBuffer, registers: FusedRegisters): void {
  const { x, y, z, high, sign } = registers;
  const [simple, finite, zero, done] = [0, 0, 0, 0].map(() => code.newLabel());
  loadConstant(asm, SCRATCH_GPR, 0, INFINITY_DOUBLED);
  for (const [vector, general] of [
    [x, Gpr.rax],
    [y, Gpr.rdx],
  ] as const) {
    asm.rr(X64.movqFromXmm, vector, general);
    asm.rr(X64.movq, Gpr.rcx, general);
    asm.rr(X64.addq, Gpr.rcx, Gpr.rcx);
    asm.jump(X64.je, simple); // a product of zero is exact
    asm.rr(X64.cmpq, Gpr.rcx, SCRATCH_GPR);
    asm.jump(X64.jae, simple); // an infinity or a NaN
  }
  asm.rr(X64.movqFromXmm, z, high);
  asm.rr(X64.movq, Gpr.rcx, high);
  asm.rr(X64.addq, Gpr.rcx, Gpr.rcx);
  asm.rr(X64.cmpq, Gpr.rcx, SCRATCH_GPR);
  asm.jump(X64.jb, finite);
  asm.rr(X64.movaps, x, z); // independent of the product, which is finite
  asm.rr(X64.addsd, x, x);
  asm.jump(X64.jmp, done);
  code.bind(simple);
  asm.rr(X64.movaps, SCRATCH_XMM, x); // not in x, since z may be the same register
  asm.rr(X64.mulsd, SCRATCH_XMM, y);
  asm.rr(X64.addsd, SCRATCH_XMM, z);
  asm.rr(X64.movaps, x, SCRATCH_XMM);
  asm.jump(X64.jmp, done);
  code.bind(finite);
  asm.rr(X64.movq, sign, Gpr.rax);
  asm.rr(X64.xorq, sign, Gpr.rdx);
  asm.rr(X64.movqToXmm, SCRATCH_XMM, sign);
  asm.rr(X64.xorps, SCRATCH_XMM, z); // its highest bit: set if the signs are different
  multiply(asm, code, registers);
  align(asm, code, registers);
  addOrSubtract(asm, code, registers, zero);
  normalize(asm, code, registers);
  roundAndCompose(asm, code, registers);
  asm.jump(X64.jmp, done);
  code.bind(zero);
  asm.rr(X64.xorps, x, x);
  code.bind(done);
}

/**
 * Splits the bits of a number into its significand, with the highest bit set, and its exponent in
 * rcx. The significand of zero is 0. Overwrites r11.
 */
function split(asm: X64Assembler, code: CodeBuffer, bits: number): void {
  const [subnormal, done] = [code.newLabel(), code.newLabel()];
  asm.rr(X64.movq, Gpr.rcx, bits);
  asm.rr(X64.addq, Gpr.rcx, Gpr.rcx);
  asm.ri(X64.shlqImm8, bits, 11); // the last bit of the exponent becomes the highest
  asm.ri(X64.shrqImm8, Gpr.rcx, FRACTION_BITS + 1);
  asm.jump(X64.je, subnormal);
  loadConstant(asm, SCRATCH_GPR, 0, SIGN);
  asm.rr(X64.orq, bits, SCRATCH_GPR);
  asm.jump(X64.jmp, done);
  code.bind(subnormal);
  asm.rr(X64.lzcntq, Gpr.rcx, bits);
  asm.r(X64.shlqCl, bits);
  asm.r(X64.negl, Gpr.rcx);
  asm.ri(X64.addlImm8, Gpr.rcx, 1);
  code.bind(done);
}

/** Computes the product; its exponent is that of bit 126, and bit 127 is clear. */
function multiply(asm: X64Assembler, code: CodeBuffer, { exponent }: FusedRegisters): void {
  split(asm, code, Gpr.rax);
  asm.rr(X64.movl, exponent, Gpr.rcx);
  split(asm, code, Gpr.rdx);
  asm.ri(X64.shrqImm8, Gpr.rax, 1);
  asm.r(X64.mulq, Gpr.rdx);
  // The product of 2^62 and 2^63 is 2^125: one less than the sum of the exponents, without their
  // bias.
  asm.rr(X64.addl, exponent, Gpr.rcx);
  asm.ri(X64.sublImm, exponent, BIAS - 1);
}

/**
 * Splits the summand likewise; shifts the one with the lesser exponent, which is then in high and
 * low.
 */
function align(asm: X64Assembler, code: CodeBuffer, registers: FusedRegisters): void {
  const { z, high, low, exponent, sign } = registers;
  const [ordered, near, shifted] = [0, 0, 0].map(() => code.newLabel());
  split(asm, code, high);
  asm.ri(X64.shrqImm8, high, 1);
  asm.ri(X64.movlImm, low, 0);
  asm.rr(X64.movl, SCRATCH_GPR, exponent);
  asm.rr(X64.subl, SCRATCH_GPR, Gpr.rcx);
  asm.jump(X64.jns, ordered);
  asm.rr(X64.xchgq, Gpr.rdx, high);
  asm.rr(X64.xchgq, Gpr.rax, low);
  asm.rr(X64.movl, exponent, Gpr.rcx);
  asm.rr(X64.movqFromXmm, z, sign);
  asm.r(X64.negl, SCRATCH_GPR);
  code.bind(ordered);
  asm.rr(X64.movl, Gpr.rcx, SCRATCH_GPR);
  asm.ri(X64.cmplImm8, Gpr.rcx, 64);
  asm.jump(X64.jb, near);
  traceOf(asm, code, low, high);
  asm.rr(X64.movq, low, high);
  asm.ri(X64.movlImm, high, 0);
  asm.ri(X64.sublImm8, Gpr.rcx, 64);
  asm.ri(X64.cmplImm8, Gpr.rcx, 64);
  asm.jump(X64.jb, near);
  asm.rr(X64.movq, SCRATCH_GPR, low); // beyond both words: only a trace remains
  asm.ri(X64.movlImm, low, 0);
  traceOf(asm, code, SCRATCH_GPR, low);
  asm.jump(X64.jmp, shifted);
  code.bind(near);
  asm.rr(X64.testl, Gpr.rcx, Gpr.rcx);
  asm.jump(X64.je, shifted);
  asm.rr(X64.movq, SCRATCH_GPR, low);
  asm.rr(X64.shrdqCl, high, low);
  asm.r(X64.shrqCl, high);
  asm.r(X64.negl, Gpr.rcx);
  asm.r(X64.shlqCl, SCRATCH_GPR); // the bits that have left the low word
  traceOf(asm, code, SCRATCH_GPR, low);
  code.bind(shifted);
}

/** Sets the lowest bit of `to` if any bit of `from` is set. */
function traceOf(asm: X64Assembler, code: CodeBuffer, from: number, to: number): void {
  const none = code.newLabel();
  asm.rr(X64.testq, from, from);
  asm.jump(X64.je, none);
  asm.ri(X64.orqImm8, to, 1);
  code.bind(none);
}

/** Adds or subtracts into rdx and rax; jumps if the result is zero. */
function addOrSubtract(
  asm: X64Assembler,
  code: CodeBuffer,
  { high, low, sign }: FusedRegisters,
  zero: number,
): void {
  const [subtract, done] = [code.newLabel(), code.newLabel()];
  asm.rr(X64.movqFromXmm, SCRATCH_XMM, SCRATCH_GPR);
  asm.rr(X64.testq, SCRATCH_GPR, SCRATCH_GPR);
  asm.jump(X64.js, subtract);
  asm.rr(X64.addq, Gpr.rax, low);
  asm.rr(X64.adcq, Gpr.rdx, high);
  asm.jump(X64.jmp, done);
  code.bind(subtract);
  asm.rr(X64.subq, Gpr.rax, low);
  asm.rr(X64.sbbq, Gpr.rdx, high);
  asm.jump(X64.jns, done);
  asm.r(X64.negq, Gpr.rax);
  asm.ri(X64.adcqImm8, Gpr.rdx, 0);
  asm.r(X64.negq, Gpr.rdx);
  asm.r(X64.notq, sign);
  code.bind(done);
  asm.rr(X64.movq, SCRATCH_GPR, Gpr.rax);
  asm.rr(X64.orq, SCRATCH_GPR, Gpr.rdx);
  asm.jump(X64.je, zero);
}

/**
 * Normalizes into rdx alone, the highest bit set, with a trace of the bits below; the exponent is
 * that of bit 62.
 */
function normalize(asm: X64Assembler, code: CodeBuffer, { exponent }: FusedRegisters): void {
  const hasHigh = code.newLabel();
  asm.rr(X64.testq, Gpr.rdx, Gpr.rdx);
  asm.jump(X64.jne, hasHigh);
  asm.rr(X64.movq, Gpr.rdx, Gpr.rax);
  asm.ri(X64.movlImm, Gpr.rax, 0);
  asm.ri(X64.sublImm8, exponent, 64);
  code.bind(hasHigh);
  asm.rr(X64.lzcntq, Gpr.rcx, Gpr.rdx);
  asm.rr(X64.shldqCl, Gpr.rax, Gpr.rdx);
  asm.r(X64.shlqCl, Gpr.rax);
  asm.rr(X64.subl, exponent, Gpr.rcx);
  traceOf(asm, code, Gpr.rax, Gpr.rdx);
}

/**
 * Rounds and encodes the result. One bit further right, the bit of the exponent is the hidden bit,
 * which adds one to the encoded exponent when the two are added. A subnormal is shifted until it
 * has no hidden bit.
 */
function roundAndCompose(asm: X64Assembler, code: CodeBuffer, registers: FusedRegisters): void {
  const { x, exponent, sign } = registers;
  const [normal, shift, infinite, composed] = [0, 0, 0, 0].map(() => code.newLabel());
  asm.rr(X64.movq, Gpr.rax, Gpr.rdx);
  asm.ri(X64.shrqImm8, Gpr.rdx, 1);
  asm.ri(X64.andlImm8, Gpr.rax, 1);
  asm.rr(X64.orq, Gpr.rdx, Gpr.rax);
  asm.ri(X64.cmplImm, exponent, EXPONENT_MAX - 1);
  asm.jump(X64.jge, infinite);
  asm.rr(X64.testl, exponent, exponent);
  asm.jump(X64.jns, normal);
  asm.rr(X64.movl, Gpr.rcx, exponent);
  asm.r(X64.negl, Gpr.rcx);
  asm.ri(X64.cmplImm8, Gpr.rcx, 63);
  asm.jump(X64.jbe, shift);
  asm.ri(X64.movlImm, Gpr.rcx, 63);
  code.bind(shift);
  asm.rr(X64.movq, SCRATCH_GPR, Gpr.rdx);
  asm.r(X64.shrqCl, Gpr.rdx);
  asm.r(X64.negl, Gpr.rcx);
  asm.r(X64.shlqCl, SCRATCH_GPR);
  traceOf(asm, code, SCRATCH_GPR, Gpr.rdx);
  asm.ri(X64.movlImm, exponent, 0);
  code.bind(normal);
  // Ten bits are removed. Below half of the last place they add nothing to it; at half they round
  // to even.
  asm.rr(X64.movq, Gpr.rax, Gpr.rdx);
  asm.ri(X64.shrqImm8, Gpr.rax, 10);
  asm.ri(X64.andlImm8, Gpr.rax, 1);
  asm.rr(X64.addq, Gpr.rdx, Gpr.rax);
  asm.ri(X64.addqImm, Gpr.rdx, 0x1ff);
  asm.ri(X64.shrqImm8, Gpr.rdx, 10);
  asm.ri(X64.shlqImm8, exponent, FRACTION_BITS);
  asm.rr(X64.addq, Gpr.rdx, exponent);
  asm.jump(X64.jmp, composed);
  code.bind(infinite);
  loadConstant(asm, Gpr.rdx, 0, INFINITY);
  code.bind(composed);
  asm.ri(X64.shrqImm8, sign, 63);
  asm.ri(X64.shlqImm8, sign, 63);
  asm.rr(X64.orq, Gpr.rdx, sign);
  asm.rr(X64.movqToXmm, x, Gpr.rdx);
}

const OF_DOUBLES: X64EmitFunction = (asm, c, i) => {
  const [x, y, z] = [0, 2, 3].map((operand) => c.register(i, operand));
  const [high, low, exponent, sign] = [7, 8, 9, 10].map((operand) => c.register(i, operand));
  fusedMultiplyAdd(asm, c.code, { x, y, z, high, low, exponent, sign });
};

const OF_FLOATS: X64EmitFunction = (asm, c, i) => {
  const [x, y, z] = [0, 2, 3].map((operand) => c.register(i, operand));
  const [factor, b, lost, bits] = [4, 5, 6, 7].map((operand) => c.register(i, operand));
  const [exact, down, odd] = [0, 0, 0].map(() => c.code.newLabel());
  const sum = SCRATCH_XMM;
  asm.rr(X64.cvtss2sd, factor, y);
  asm.rr(X64.cvtss2sd, lost, z);
  asm.rr(X64.cvtss2sd, x, x); // last, since y and z may be the same register
  asm.rr(X64.mulsd, x, factor);
  asm.rr(X64.movaps, sum, x);
  asm.rr(X64.addsd, sum, lost);
  // The exact error of the rounding (Knuth's two-sum).
  asm.rr(X64.movaps, b, sum);
  asm.rr(X64.subsd, b, x);
  asm.rr(X64.subsd, lost, b);
  asm.rr(X64.movaps, factor, sum);
  asm.rr(X64.subsd, factor, b);
  asm.rr(X64.subsd, x, factor);
  asm.rr(X64.addsd, lost, x);
  asm.rr(X64.xorps, b, b);
  asm.rr(X64.ucomisd, lost, b);
  asm.jump(X64.jp, exact); // an infinity or a NaN
  asm.jump(X64.je, exact);
  asm.rr(X64.movqFromXmm, sum, bits);
  asm.ri(X64.testlImm, bits, 1);
  asm.jump(X64.jne, exact); // odd already
  asm.rr(X64.movqFromXmm, lost, SCRATCH_GPR);
  asm.rr(X64.xorq, SCRATCH_GPR, bits);
  asm.jump(X64.js, down);
  asm.ri(X64.addqImm8, bits, 1);
  asm.jump(X64.jmp, odd);
  c.code.bind(down);
  asm.ri(X64.subqImm8, bits, 1);
  c.code.bind(odd);
  asm.rr(X64.movqToXmm, sum, bits);
  c.code.bind(exact);
  asm.rr(X64.cvtsd2ss, x, sum);
};

const OPERANDS = ["def=0", "use", "use", "use"] as const;
const FIXED = [{ temp: Gpr.rax }, { temp: Gpr.rdx }, { temp: Gpr.rcx }] as const;
const VECTORS = ["temp:vector", "temp:vector", "temp:vector"] as const;

export const FUSED_MULTIPLY_ADDS: readonly X64Row[] = [
  row("fmaddsd", [...OPERANDS, ...FIXED, "temp", "temp", "temp", "temp"], OF_DOUBLES),
  row("fmaddss", [...OPERANDS, ...VECTORS, "temp"], OF_FLOATS),
];
