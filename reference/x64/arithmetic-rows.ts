// LIR rows of x86-64 for operations that the machine lacks, or has with operands in fixed
// registers: division, wide products, population count, minimum and maximum, conversions of
// unsigned integers, and conversions into integers with their limits.
//
// A use may share the register of a definition, unless it is the use of a temp. So a sequence reads
// every use before it writes the definition, or the row declares the use late. r11 and xmm15 hold
// no value across instructions.

import type { EmitContext } from "../emit/emit-context.js";
import { isSlot } from "../lir/lir.js";
import type { X64Assembler } from "./assembler.js";
import { X64 } from "./encodings.js";
import { Gpr, SCRATCH_GPR, SCRATCH_XMM } from "./registers.js";
import { fresh, loadConstant, regOrSlot, row, type X64EmitFunction, type X64Row } from "./row.js";

type IntegerWidth = "l" | "q";
type FloatWidth = "ss" | "sd";
const INTEGER_WIDTHS = ["l", "q"] as const;
const FLOAT_WIDTHS = ["ss", "sd"] as const;

/** Writes `code operand` for an operand in a register or a spill slot. */
function oneOperand(asm: X64Assembler, c: EmitContext, code: number, location: number): void {
  if (isSlot(location)) asm.rm(code, 0, Gpr.rbp, c.frame.offsetOfSpill(location));
  else asm.r(code, location);
}

// Division. The dividend is in rdx:rax; the quotient is returned in rax, the remainder in rdx. A
// fault is undefined behavior of the language, which a judged execution never reaches.

function extendDividend(asm: X64Assembler, w: IntegerWidth, isSigned: boolean): void {
  if (isSigned) asm.op(w === "l" ? X64.cdq : X64.cqo);
  else asm.ri(X64.movlImm, Gpr.rdx, 0);
}

function division(w: IntegerWidth, isSigned: boolean): X64Row[] {
  const zeroExtends = w === "l";
  const name = isSigned ? "idiv" : "div";
  const code = X64[`${name}${w}`];
  const quotient: X64EmitFunction = (asm, c, i) => {
    extendDividend(asm, w, isSigned);
    oneOperand(asm, c, code, c.location(i, 2));
  };
  const remainder: X64EmitFunction = (asm, c, i) => {
    extendDividend(asm, w, isSigned);
    asm.r(code, c.register(i, 2));
  };
  return [
    row(
      `${name}${w}`,
      [{ def: Gpr.rax }, { use: Gpr.rax }, "use:any", { temp: Gpr.rdx }],
      quotient,
      {
        zeroExtends,
      },
    ),
    // rdx is written while the divisor is still needed.
    row(
      `${name}${w}.rem`,
      [{ def: Gpr.rdx }, { use: Gpr.rax }, "use:late", { temp: Gpr.rax }],
      remainder,
      {
        zeroExtends,
      },
    ),
  ];
}

// If the remainder is not zero and its sign is not the divisor's, the divisor is added.
function floorModulus(w: IntegerWidth): X64Row {
  const emit: X64EmitFunction = (asm, c, i) => {
    const done = c.code.newLabel();
    const divisor = c.register(i, 2);
    extendDividend(asm, w, true);
    asm.r(X64[`idiv${w}`], divisor);
    asm.rr(X64[`test${w}`], Gpr.rdx, Gpr.rdx);
    asm.jump(X64.je, done);
    asm.rr(X64[`mov${w}`], SCRATCH_GPR, Gpr.rdx);
    asm.rr(X64[`xor${w}`], SCRATCH_GPR, divisor);
    asm.jump(X64.jns, done);
    asm.rr(X64[`add${w}`], Gpr.rdx, divisor);
    c.code.bind(done);
  };
  const operands = [{ def: Gpr.rdx }, { use: Gpr.rax }, "use:late", { temp: Gpr.rax }] as const;
  return row(`floorMod${w}`, operands, emit, { zeroExtends: w === "l" });
}

// Chill division branches around the divisors 0 and -1. One comparison finds both, and the product
// with the divisor is the quotient for both: 0, and the negated dividend. The remainder of both is
// 0.
function chillDivision(w: IntegerWidth): X64Row[] {
  const zeroExtends = w === "l";
  const goIfOrdinary = (asm: X64Assembler, divisor: number, ordinary: number): void => {
    asm.rm(X64[`lea${w}`], SCRATCH_GPR, divisor, 1);
    asm.ri(X64[`cmp${w}Imm8`], SCRATCH_GPR, 1);
    asm.jump(X64.ja, ordinary);
  };
  const quotient: X64EmitFunction = (asm, c, i) => {
    const [ordinary, done] = [c.code.newLabel(), c.code.newLabel()];
    const divisor = c.register(i, 2);
    goIfOrdinary(asm, divisor, ordinary);
    asm.rr(X64[`imul${w}`], Gpr.rax, divisor);
    asm.jump(X64.jmp, done);
    c.code.bind(ordinary);
    extendDividend(asm, w, true);
    asm.r(X64[`idiv${w}`], divisor);
    c.code.bind(done);
  };
  const remainder: X64EmitFunction = (asm, c, i) => {
    const [ordinary, done] = [c.code.newLabel(), c.code.newLabel()];
    const divisor = c.register(i, 2);
    goIfOrdinary(asm, divisor, ordinary);
    asm.ri(X64.movlImm, Gpr.rdx, 0);
    asm.jump(X64.jmp, done);
    c.code.bind(ordinary);
    extendDividend(asm, w, true);
    asm.r(X64[`idiv${w}`], divisor);
    c.code.bind(done);
  };
  return [
    row(`chillDiv${w}`, [{ def: Gpr.rax }, { use: Gpr.rax }, "use", { temp: Gpr.rdx }], quotient, {
      zeroExtends,
    }),
    row(
      `chillMod${w}`,
      [{ def: Gpr.rdx }, { use: Gpr.rax }, "use:late", { temp: Gpr.rax }],
      remainder,
      { zeroExtends },
    ),
  ];
}

/** Returns the row for the upper half of the product with rax, which is in rdx. */
function highProduct(w: IntegerWidth, isSigned: boolean): X64Row {
  const code = isSigned ? X64[`imul${w}Wide`] : X64[`mul${w}`];
  const emit: X64EmitFunction = (asm, c, i) => oneOperand(asm, c, code, c.location(i, 2));
  const name = `${isSigned ? "imul" : "mul"}${w}.high`;
  return row(name, [{ def: Gpr.rdx }, { use: Gpr.rax }, "use:any", { temp: Gpr.rax }], emit, {
    zeroExtends: w === "l",
  });
}

// Population count without POPCNT: sums of neighbours in 2, 4 and 8 bits, and a product that adds
// up the bytes in the highest one (Warren, Hacker's Delight, 5-1).
const populationCount32: X64EmitFunction = (asm, c, i) => {
  const sum = c.register(i, 0);
  asm.rr(X64.movl, SCRATCH_GPR, sum);
  asm.ri(X64.shrlImm8, SCRATCH_GPR, 1);
  asm.ri(X64.andlImm, SCRATCH_GPR, 0x5555_5555);
  asm.rr(X64.subl, sum, SCRATCH_GPR);
  asm.rr(X64.movl, SCRATCH_GPR, sum);
  asm.ri(X64.shrlImm8, SCRATCH_GPR, 2);
  asm.ri(X64.andlImm, SCRATCH_GPR, 0x3333_3333);
  asm.ri(X64.andlImm, sum, 0x3333_3333);
  asm.rr(X64.addl, sum, SCRATCH_GPR);
  asm.rr(X64.movl, SCRATCH_GPR, sum);
  asm.ri(X64.shrlImm8, SCRATCH_GPR, 4);
  asm.rr(X64.addl, sum, SCRATCH_GPR);
  asm.ri(X64.andlImm, sum, 0x0f0f_0f0f);
  asm.rri(X64.imullImm, sum, sum, 0x0101_0101);
  asm.ri(X64.shrlImm8, sum, 24);
};

/**
 * Counts the set bits of 64 bits. The masks do not fit an immediate, so a temp holds the other
 * summand.
 */
const populationCount64: X64EmitFunction = (asm, c, i) => {
  const [sum, other] = [c.register(i, 0), c.register(i, 2)];
  const mask = (word: number): void => loadConstant(asm, SCRATCH_GPR, word, word);
  asm.rr(X64.movq, other, sum);
  asm.ri(X64.shrqImm8, other, 1);
  mask(0x5555_5555);
  asm.rr(X64.andq, other, SCRATCH_GPR);
  asm.rr(X64.subq, sum, other);
  asm.rr(X64.movq, other, sum);
  asm.ri(X64.shrqImm8, other, 2);
  mask(0x3333_3333);
  asm.rr(X64.andq, other, SCRATCH_GPR);
  asm.rr(X64.andq, sum, SCRATCH_GPR);
  asm.rr(X64.addq, sum, other);
  asm.rr(X64.movq, other, sum);
  asm.ri(X64.shrqImm8, other, 4);
  asm.rr(X64.addq, sum, other);
  mask(0x0f0f_0f0f);
  asm.rr(X64.andq, sum, SCRATCH_GPR);
  mask(0x0101_0101);
  asm.rr(X64.imulq, sum, SCRATCH_GPR);
  asm.ri(X64.shrqImm8, sum, 56);
};

/**
 * Returns a minimum or maximum: it takes the second operand if the condition `take` holds after the
 * comparison with it.
 */
function integerExtremum(name: string, w: IntegerWidth, take: "g" | "l" | "a" | "b"): X64Row {
  const emit: X64EmitFunction = (asm, c, i) => {
    const [x, y] = [c.register(i, 0), c.location(i, 2)];
    regOrSlot(asm, c, X64[`cmp${w}`], x, y);
    regOrSlot(asm, c, X64[`cmov${take}${w}`], x, y);
  };
  return row(`${name}${w}`, ["def=0", "use", "use:any"], emit, { zeroExtends: w === "l" });
}

/**
 * Returns a row that runs the operation in a copy, and sets the result to one of its flags as 0 or
 * 1.
 */
function flagOf(name: string, w: IntegerWidth, code: number, set: number): X64Row {
  const emit: X64EmitFunction = (asm, c, i) => {
    regOrSlot(asm, c, code, c.register(i, 1), c.location(i, 2));
    asm.r(set, c.register(i, 0));
    asm.rr(X64.movzbl, c.register(i, 0), c.register(i, 0));
  };
  const operands = ["def", "use:copy", "use:any", "temp:copy"] as const;
  return row(`${name}${w}`, operands, emit, { zeroExtends: true });
}

/** The halves may be in any location; the low one is read before the definition is written. */
const stitch: X64EmitFunction = (asm, c, i) => {
  const whole = c.register(i, 0);
  regOrSlot(asm, c, X64.movl, SCRATCH_GPR, c.location(i, 2));
  regOrSlot(asm, c, X64.movl, whole, c.location(i, 1));
  asm.ri(X64.shlqImm8, whole, 32);
  asm.rr(X64.orq, whole, SCRATCH_GPR);
};

const highWord: X64EmitFunction = (asm, c, i) => {
  regOrSlot(asm, c, X64.movq, c.register(i, 0), c.location(i, 1));
  asm.ri(X64.shrqImm8, c.register(i, 0), 32);
};

export const INTEGER_ARITHMETIC: readonly X64Row[] = [
  ...INTEGER_WIDTHS.flatMap((w) => [
    ...division(w, true),
    ...division(w, false),
    floorModulus(w),
    ...chillDivision(w),
    highProduct(w, true),
    highProduct(w, false),
    integerExtremum("min", w, "g"),
    integerExtremum("max", w, "l"),
    integerExtremum("umin", w, "a"),
    integerExtremum("umax", w, "b"),
    row(`lzcnt${w}`, ["def", "use:any"], fresh(X64[`lzcnt${w}`]), { zeroExtends: true }),
    row(`tzcnt${w}`, ["def", "use:any"], fresh(X64[`tzcnt${w}`]), { zeroExtends: true }),
    flagOf("addOverflows", w, X64[`add${w}`], X64.seto),
    flagOf("subOverflows", w, X64[`sub${w}`], X64.seto),
    flagOf("mulOverflows", w, X64[`imul${w}`], X64.seto),
    flagOf("addCarries", w, X64[`add${w}`], X64.setb),
  ]),
  row("popcntl", ["def=0", "use"], populationCount32, { zeroExtends: true }),
  row("popcntq", ["def=0", "use", "temp"], populationCount64),
  row("movsbq", ["def", "use"], fresh(X64.movsbq), { derivable: true }),
  row("movswq", ["def", "use"], fresh(X64.movswq), { derivable: true }),
  row("highl", ["def", "use:any"], highWord, { zeroExtends: true }),
  row("stitch", ["def", "use:any", "use:any"], stitch),
  row("opaque", ["def=0", "use"], () => {}),
];

/** Immediate of roundss and roundsd (SDM vol. 2, table 4-18). */
const ROUNDING = { nearest: 0, floor: 1, trunc: 3 } as const;

const round =
  (code: number, mode: number): X64EmitFunction =>
  (asm, c, i) =>
    asm.rri(code, c.register(i, 0), c.register(i, 1), mode);

/**
 * minss and maxss return the second operand if either is a NaN or both are zero. So for unordered
 * operands the result is their sum, a NaN. For equal operands the bits are combined: by `or` for a
 * minimum, which has the sign if either has it, otherwise by `and`.
 */
function extremum(name: "min" | "max", w: FloatWidth): X64Row {
  const emit: X64EmitFunction = (asm, c, i) => {
    const [x, y] = [c.register(i, 0), c.register(i, 2)];
    const [unordered, equal, done] = [c.code.newLabel(), c.code.newLabel(), c.code.newLabel()];
    asm.rr(w === "ss" ? X64.ucomiss : X64.ucomisd, x, y);
    asm.jump(X64.jp, unordered);
    asm.jump(X64.je, equal);
    asm.rr(X64[`${name}${w}`], x, y);
    asm.jump(X64.jmp, done);
    c.code.bind(equal);
    asm.rr(name === "min" ? X64.orps : X64.andps, x, y);
    asm.jump(X64.jmp, done);
    c.code.bind(unordered);
    asm.rr(X64[`add${w}`], x, y);
    c.code.bind(done);
  };
  return row(`${name}${w}`, ["def=0", "use", "use"], emit);
}

/**
 * Copies the sign of the second operand, via xmm15. The first loses its own sign by being shifted
 * out and in.
 */
function copySign(w: FloatWidth): X64Row {
  const [left, right] =
    w === "ss" ? [X64.pslldImm8, X64.psrldImm8] : [X64.psllqImm8, X64.psrlqImm8];
  const [lo, hi] = w === "ss" ? [-0x8000_0000, 0] : [0, -0x8000_0000];
  const emit: X64EmitFunction = (asm, c, i) => {
    const [x, y] = [c.register(i, 0), c.register(i, 2)];
    loadConstant(asm, SCRATCH_GPR, lo, hi);
    asm.rr(X64.movqToXmm, SCRATCH_XMM, SCRATCH_GPR);
    asm.rr(X64.andps, SCRATCH_XMM, y);
    asm.ri(left, x, 1);
    asm.ri(right, x, 1);
    asm.rr(X64.orps, x, SCRATCH_XMM);
  };
  return row(`copysign${w}`, ["def=0", "use", "use"], emit);
}

/** Zero-extended, an unsigned 32-bit integer is a signed one of 64 bits. */
const fromUnsigned32 =
  (w: FloatWidth): X64EmitFunction =>
  (asm, c, i) => {
    regOrSlot(asm, c, X64.movl, SCRATCH_GPR, c.location(i, 1));
    asm.rr(X64[`cvtsi2${w}q`], c.register(i, 0), SCRATCH_GPR);
  };

/**
 * If the sign bit of the integer is set, it is halved. The lowest bit stays set if either of the
 * two lowest was, so that rounding accounts for it (round to odd). The result is doubled, which is
 * exact.
 */
const fromUnsigned64 =
  (w: FloatWidth): X64EmitFunction =>
  (asm, c, i) => {
    const [result, x] = [c.register(i, 0), c.register(i, 1)];
    const [positive, even, done] = [c.code.newLabel(), c.code.newLabel(), c.code.newLabel()];
    asm.rr(X64.testq, x, x);
    asm.jump(X64.jns, positive);
    asm.ri(X64.shrqImm8, x, 1);
    asm.jump(X64.jae, even); // the bit that was shifted out is in the carry
    asm.ri(X64.orqImm8, x, 1);
    c.code.bind(even);
    asm.rr(X64[`cvtsi2${w}q`], result, x);
    asm.rr(X64[`add${w}`], result, result);
    asm.jump(X64.jmp, done);
    c.code.bind(positive);
    asm.rr(X64[`cvtsi2${w}q`], result, x);
    c.code.bind(done);
  };

// Conversions into integers. cvtt returns the least integer if there is no result; then the number
// is compared with zero. The following `jbe` is taken for numbers that are not above zero, and for
// a NaN.

function compareWithZero(asm: X64Assembler, w: FloatWidth, x: number): void {
  asm.rr(X64.xorps, SCRATCH_XMM, SCRATCH_XMM);
  asm.rr(w === "ss" ? X64.ucomiss : X64.ucomisd, x, SCRATCH_XMM);
}

const toSigned =
  (w: FloatWidth, to: IntegerWidth): X64EmitFunction =>
  (asm, c, i) => {
    const [result, x] = [c.register(i, 0), c.register(i, 1)];
    const [unordered, done] = [c.code.newLabel(), c.code.newLabel()];
    asm.rr(X64[`cvtt${w}2si${to}`], result, x);
    asm.ri(X64[`cmp${to}Imm8`], result, 1); // overflows for the least integer only
    asm.jump(X64.jno, done);
    compareWithZero(asm, w, x);
    asm.jump(X64.jp, unordered);
    asm.jump(X64.jbe, done);
    loadConstant(asm, result, to === "l" ? 0x7fff_ffff : -1, to === "l" ? 0 : 0x7fff_ffff);
    asm.jump(X64.jmp, done);
    c.code.bind(unordered);
    asm.ri(X64.movlImm, result, 0);
    c.code.bind(done);
  };

const truncate =
  (w: FloatWidth, to: IntegerWidth): X64EmitFunction =>
  (asm, c, i) =>
    asm.rr(X64[`cvtt${w}2si${to}`], c.register(i, 0), c.register(i, 1));

/**
 * Modulo 2^32. If 64 bits do not hold the number, it is a multiple of 2^11. Then its low 32 bits
 * are those of the fraction, shifted by the exponent. They are zero from 2^84 on, and for a NaN or
 * an infinity.
 */
const toInt32: X64EmitFunction = (asm, c, i) => {
  const [result, x, count] = [c.register(i, 0), c.register(i, 1), Gpr.rcx];
  const [none, done] = [c.code.newLabel(), c.code.newLabel()];
  asm.rr(X64.cvttsd2siq, result, x);
  asm.ri(X64.cmpqImm8, result, 1); // overflows for the least integer only
  asm.jump(X64.jno, done);
  asm.rr(X64.movqFromXmm, x, SCRATCH_GPR);
  asm.rr(X64.movl, result, SCRATCH_GPR);
  asm.ri(X64.shrqImm8, SCRATCH_GPR, 52); // the sign and the exponent
  asm.rr(X64.movl, count, SCRATCH_GPR);
  asm.ri(X64.andlImm, count, EXPONENT_MASK);
  asm.ri(X64.sublImm, count, EXPONENT_OF_UNIT);
  asm.ri(X64.cmplImm8, count, 31);
  asm.jump(X64.ja, none);
  asm.r(X64.shllCl, result);
  asm.ri(X64.testlImm, SCRATCH_GPR, EXPONENT_MASK + 1);
  asm.jump(X64.je, done);
  asm.r(X64.negl, result);
  asm.jump(X64.jmp, done);
  c.code.bind(none);
  asm.ri(X64.movlImm, result, 0);
  c.code.bind(done);
};
const EXPONENT_MASK = 0x7ff;
/** The encoded exponent of numbers whose last place is 1. */
const EXPONENT_OF_UNIT = 1075;

const toUnsigned32 =
  (w: FloatWidth): X64EmitFunction =>
  (asm, c, i) => {
    const [result, x] = [c.register(i, 0), c.register(i, 1)];
    const done = c.code.newLabel();
    asm.rr(X64[`cvtt${w}2siq`], result, x);
    asm.rr(X64.movl, SCRATCH_GPR, result);
    asm.rr(X64.cmpq, SCRATCH_GPR, result);
    asm.jump(X64.je, done); // it fits 32 bits
    compareWithZero(asm, w, x);
    asm.ri(X64.movlImm, result, 0);
    asm.jump(X64.jbe, done);
    asm.ri(X64.movlImm, result, -1);
    c.code.bind(done);
  };

/** From 2^63 on, 2^63 is subtracted first, and the sign bit is set afterwards. */
const toUnsigned64 =
  (w: FloatWidth): X64EmitFunction =>
  (asm, c, i) => {
    const [result, x] = [c.register(i, 0), c.register(i, 1)];
    const [fits, done] = [c.code.newLabel(), c.code.newLabel()];
    asm.rr(X64[`cvtt${w}2siq`], result, x);
    asm.rr(X64.testq, result, result);
    asm.jump(X64.jns, done);
    compareWithZero(asm, w, x);
    asm.ri(X64.movlImm, result, 0);
    asm.jump(X64.jbe, done);
    const [lo, hi] = w === "ss" ? [0xdf00_0000 | 0, 0] : [0, 0xc3e0_0000 | 0]; // -2^63
    loadConstant(asm, SCRATCH_GPR, lo, hi);
    asm.rr(X64.movqToXmm, SCRATCH_XMM, SCRATCH_GPR);
    asm.rr(X64[`add${w}`], SCRATCH_XMM, x); // exact
    asm.rr(X64[`cvtt${w}2siq`], result, SCRATCH_XMM);
    asm.rr(X64.testq, result, result);
    asm.jump(X64.jns, fits);
    asm.ri(X64.movqImm, result, -1);
    asm.jump(X64.jmp, done);
    c.code.bind(fits);
    loadConstant(asm, SCRATCH_GPR, 0, -0x8000_0000);
    asm.rr(X64.xorq, result, SCRATCH_GPR);
    c.code.bind(done);
  };

export const FLOAT_ARITHMETIC: readonly X64Row[] = FLOAT_WIDTHS.flatMap((w) => [
  ...(w === "sd" ? [row("modsd2sl", ["def", "use", { temp: Gpr.rcx }], toInt32)] : []),
  row(`floor${w}`, ["def", "use"], round(X64[`round${w}`], ROUNDING.floor)),
  row(`trunc${w}`, ["def", "use"], round(X64[`round${w}`], ROUNDING.trunc)),
  row(`nearest${w}`, ["def", "use"], round(X64[`round${w}`], ROUNDING.nearest)),
  extremum("min", w),
  extremum("max", w),
  copySign(w),
  row(`cvtu2${w}l`, ["def", "use:any"], fromUnsigned32(w)),
  row(`cvtu2${w}q`, ["def", "use:copy", "temp:copy"], fromUnsigned64(w)),
  row(`sat${w}2sl`, ["def", "use"], toSigned(w, "l"), { zeroExtends: true }),
  row(`sat${w}2sq`, ["def", "use"], toSigned(w, "q")),
  row(`sat${w}2ul`, ["def", "use"], toUnsigned32(w), { zeroExtends: true }),
  row(`sat${w}2uq`, ["def", "use"], toUnsigned64(w)),
  // A number that fits an unsigned type and is below 2^63 converts like a signed number of 64 bits.
  row(`sat${w}2sl.proved`, ["def", "use"], truncate(w, "l"), { zeroExtends: true }),
  row(`sat${w}2sq.proved`, ["def", "use"], truncate(w, "q")),
  row(`sat${w}2ul.proved`, ["def", "use"], truncate(w, "q"), { zeroExtends: true }),
  row(`sat${w}2uq.proved`, ["def", "use"], truncate(w, "q")),
]);
