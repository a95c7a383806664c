// C's fmod on ARM64, exact.
//
// Let e and f be the exponents of dividend and divisor, as encoded, and m and n their significands
// as integers. The remainder is the integer m * 2^(e - f) mod n, times the unit of the divisor. A
// remainder r is below n, so below 2^53: one division advances it by 11 bits, and 186 iterations
// suffice for any two numbers.
//
// Subnormals need no special case: their exponent counts as 1, and their significand has no hidden
// bit.

import type { CodeBuffer } from "../emit/code-buffer.js";
import type { Arm64Assembler } from "./assembler.js";
import { A64, Cond } from "./encodings.js";
import { SCRATCH_GENERAL, SCRATCH_GENERAL_2, SCRATCH_VECTOR } from "./registers.js";
import { type Arm64EmitFunction, type Arm64Row, row } from "./row.js";

/** High words of doubles. */
const INFINITY_DOUBLED = 0xffe0_0000 | 0;
const HIDDEN_BIT = 0x0010_0000;
const SIGN = -0x8000_0000;
const FRACTION_BITS = 52;
const BITS_A_ROUND = 11;

interface RemainderRegisters {
  /** Vector: dividend, divisor, remainder. The remainder may share the register of either. */
  readonly x: number;
  readonly y: number;
  readonly result: number;
  readonly spare: number;
  /** General: the remainder so far and the significand of the divisor, then the exponents. */
  readonly r: number;
  readonly n: number;
  readonly e: number;
  readonly f: number;
}

/** Uses also the scratch registers. */
function remainder(asm: Arm64Assembler, code: CodeBuffer, registers: RemainderRegisters): void {
  const { x, y, result, r, n } = registers;
  const [noResult, unchanged, done] = [code.newLabel(), code.newLabel(), code.newLabel()];
  // Without their signs, and compared as integers, both are ordered like the numbers.
  asm.dn(A64.fmovxd, r, x);
  asm.dn(A64.fmovxd, n, y);
  asm.shiftLeft(A64.ubfmx, r, r, 1);
  asm.shiftLeft(A64.ubfmx, n, n, 1);
  asm.branchReg(A64.cbzx, n, noResult); // division by zero
  asm.constant(SCRATCH_GENERAL, 0, INFINITY_DOUBLED, true);
  asm.nm(A64.cmpx, n, SCRATCH_GENERAL);
  asm.branchCond(A64.bcond, Cond.hi, noResult); // by a NaN
  asm.nm(A64.cmpx, r, SCRATCH_GENERAL);
  asm.branchCond(A64.bcond, Cond.hs, noResult); // the dividend is an infinity or a NaN
  asm.nm(A64.cmpx, r, n);
  asm.branchCond(A64.bcond, Cond.lo, unchanged);
  reduce(asm, code, registers);
  compose(asm, code, registers);
  asm.branch(A64.b, done);
  code.bind(unchanged);
  asm.dn(A64.fmovd, result, x);
  asm.branch(A64.b, done);
  code.bind(noResult);
  asm.dnm(A64.fmuld, result, x, y); // zero, infinity or NaN
  asm.dnm(A64.fdivd, result, result, result);
  code.bind(done);
}

/** From the doubled bits in r and n, computes the remainder, the significand and the exponents. */
function reduce(asm: Arm64Assembler, code: CodeBuffer, { r, n, e, f }: RemainderRegisters): void {
  const [next, last] = [code.newLabel(), code.newLabel()];
  asm.constant(SCRATCH_GENERAL, 0, HIDDEN_BIT, true);
  split(asm, code, r, e);
  split(asm, code, n, f);
  asm.dnm(A64.subx, e, e, f);
  reduceModulo(asm, r, n);
  code.bind(next);
  asm.ni(A64.cmpxi, e, BITS_A_ROUND);
  asm.branchCond(A64.bcond, Cond.lo, last);
  asm.shiftLeft(A64.ubfmx, r, r, BITS_A_ROUND);
  reduceModulo(asm, r, n);
  asm.dni(A64.subxi, e, e, BITS_A_ROUND);
  asm.branch(A64.b, next);
  code.bind(last);
  asm.dnm(A64.lslvx, r, r, e);
  reduceModulo(asm, r, n);
}

function reduceModulo(asm: Arm64Assembler, r: number, n: number): void {
  asm.dnm(A64.udivx, SCRATCH_GENERAL_2, r, n);
  asm.dnma(A64.msubx, r, SCRATCH_GENERAL_2, n, r);
}

/** Splits doubled bits into significand and exponent; x16 has the hidden bit. */
function split(asm: Arm64Assembler, code: CodeBuffer, bits: number, exponent: number): void {
  const [subnormal, done] = [code.newLabel(), code.newLabel()];
  asm.dni(A64.lsrx, exponent, bits, FRACTION_BITS + 1);
  asm.shiftLeft(A64.ubfmx, bits, bits, 11);
  asm.dni(A64.lsrx, bits, bits, 12);
  asm.branchReg(A64.cbzx, exponent, subnormal);
  asm.dnm(A64.orrx, bits, bits, SCRATCH_GENERAL);
  asm.branch(A64.b, done);
  code.bind(subnormal);
  asm.constant(exponent, 1, 0, true);
  code.bind(done);
}

/**
 * Computes the remainder times the unit 2^(f - 1075), with the sign of the dividend. The unit
 * itself is subnormal up to f = 52. Every step is exact.
 */
function compose(asm: Arm64Assembler, code: CodeBuffer, registers: RemainderRegisters): void {
  const { x, result, spare, r, f } = registers;
  const [subnormal, scale] = [code.newLabel(), code.newLabel()];
  const unit = SCRATCH_GENERAL;
  asm.dn(A64.scvtfdx, SCRATCH_VECTOR, r);
  asm.ni(A64.cmpxi, f, FRACTION_BITS);
  asm.branchCond(A64.bcond, Cond.ls, subnormal);
  asm.dni(A64.subxi, unit, f, FRACTION_BITS);
  asm.shiftLeft(A64.ubfmx, unit, unit, FRACTION_BITS);
  asm.branch(A64.b, scale);
  code.bind(subnormal);
  asm.dni(A64.subxi, SCRATCH_GENERAL_2, f, 1);
  asm.constant(unit, 1, 0, true);
  asm.dnm(A64.lslvx, unit, unit, SCRATCH_GENERAL_2);
  code.bind(scale);
  asm.dn(A64.fmovdx, spare, unit);
  asm.dnm(A64.fmuld, SCRATCH_VECTOR, SCRATCH_VECTOR, spare);
  asm.constant(SCRATCH_GENERAL, 0, SIGN, true);
  asm.dn(A64.fmovdx, spare, SCRATCH_GENERAL);
  asm.dnm(A64.bsl, spare, x, SCRATCH_VECTOR);
  asm.dn(A64.fmovd, result, spare);
}

const OF_DOUBLES: Arm64EmitFunction = (asm, c, i) => {
  const [result, x, y] = [c.register(i, 0), c.register(i, 1), c.register(i, 2)];
  const [r, n, e, f] = [3, 4, 5, 6].map((k) => c.register(i, k));
  remainder(asm, c.code, { x, y, result, r, n, e, f, spare: c.register(i, 7) });
};

/** Computes in Doubles: the remainder of two Floats is a Float. */
const OF_FLOATS: Arm64EmitFunction = (asm, c, i) => {
  const [x, y] = [c.register(i, 8), c.register(i, 9)];
  const [r, n, e, f] = [3, 4, 5, 6].map((k) => c.register(i, k));
  asm.dn(A64.fcvtds, x, c.register(i, 1));
  asm.dn(A64.fcvtds, y, c.register(i, 2));
  remainder(asm, c.code, { x, y, result: x, r, n, e, f, spare: c.register(i, 7) });
  asm.dn(A64.fcvtsd, c.register(i, 0), x);
};

const OPERANDS = ["def", "use", "use", "temp", "temp", "temp", "temp", "temp:vector"] as const;
export const FLOAT_REMAINDERS: readonly Arm64Row[] = [
  row("fmodsd", OPERANDS, OF_DOUBLES),
  row("fmodss", [...OPERANDS, "temp:vector", "temp:vector"], OF_FLOATS),
];
