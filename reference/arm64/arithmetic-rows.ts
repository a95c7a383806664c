// LIR rows of ARM64 for division, wide products, rotations, counts, overflow flags, halves, and for
// float operations beyond sum, product and root. The instruction set has nearly all of them. As in
// the language, its conversions saturate, and its minimum and maximum order the zeroes and return
// NaN for NaN.
//
// As in instructions.ts, a sequence reads every use before it writes the definition.

import type { ImmediateClass } from "../target/target.js";
import { A64, Cond, type EncodingRow } from "./encodings.js";
import { SCRATCH_GENERAL, SCRATCH_GENERAL_2, SCRATCH_VECTOR, ZR } from "./registers.js";
import {
  type Arm64EmitFunction,
  type Arm64Row,
  binary,
  ENCODED,
  FLOAT_WIDTHS,
  type FloatWidth,
  INTEGER_WIDTHS,
  type IntegerWidth,
  row,
  unary,
} from "./row.js";

const COUNT: ImmediateClass = { name: "rotation count", fits: () => true };

/** Writes the dividend minus the quotient times the divisor. */
const remainder =
  (divide: EncodingRow, w: IntegerWidth): Arm64EmitFunction =>
  (asm, c, i) => {
    const [dividend, divisor] = [c.register(i, 1), c.register(i, 2)];
    asm.dnm(divide, SCRATCH_GENERAL, dividend, divisor);
    asm.dnma(A64[`msub${ENCODED[w]}`], c.register(i, 0), SCRATCH_GENERAL, divisor, dividend);
  };

/**
 * Writes the remainder. If its sign is not the divisor's, the divisor is added, unless the
 * remainder is zero.
 */
const floorModulus =
  (w: IntegerWidth): Arm64EmitFunction =>
  (asm, c, i) => {
    const [dividend, divisor] = [c.register(i, 1), c.register(i, 2)];
    const [left, moved] = [SCRATCH_GENERAL, SCRATCH_GENERAL_2];
    const [compare, select] = [A64[`cmp${ENCODED[w]}i`], A64[`csel${ENCODED[w]}`]];
    asm.dnm(A64[`sdiv${ENCODED[w]}`], left, dividend, divisor);
    asm.dnma(A64[`msub${ENCODED[w]}`], left, left, divisor, dividend);
    asm.dnm(A64[`eor${ENCODED[w]}`], moved, left, divisor);
    asm.ni(compare, moved, 0);
    asm.dnm(A64[`add${ENCODED[w]}`], moved, left, divisor);
    asm.dnmc(select, moved, moved, left, Cond.lt);
    asm.ni(compare, left, 0);
    asm.dnmc(select, c.register(i, 0), left, moved, Cond.eq);
  };

/**
 * The quotient by 0 is 0, so the remainder computed from it would be the dividend; but it must be
 * 0.
 */
const chillRemainder =
  (w: IntegerWidth): Arm64EmitFunction =>
  (asm, c, i) => {
    const [dividend, divisor] = [c.register(i, 1), c.register(i, 2)];
    const left = SCRATCH_GENERAL;
    asm.dnm(A64[`sdiv${ENCODED[w]}`], left, dividend, divisor);
    asm.dnma(A64[`msub${ENCODED[w]}`], left, left, divisor, dividend);
    asm.ni(A64[`cmp${ENCODED[w]}i`], divisor, 0);
    asm.dnmc(A64[`csel${ENCODED[w]}`], c.register(i, 0), ZR, left, Cond.eq);
  };

/** Computes zero from the register, so that users of the zero depend on it. */
const dependence =
  (w: IntegerWidth): Arm64EmitFunction =>
  (asm, c, i) =>
    asm.dnm(A64[`eor${ENCODED[w]}`], c.register(i, 0), c.register(i, 1), c.register(i, 1));

const highProduct32 =
  (multiply: EncodingRow): Arm64EmitFunction =>
  (asm, c, i) => {
    asm.dnm(multiply, SCRATCH_GENERAL, c.register(i, 1), c.register(i, 2));
    asm.dni(A64.lsrx, c.register(i, 0), SCRATCH_GENERAL, 32);
  };

/**
 * Returns rotations. There is no rotation to the left, so it is one to the right by the negated
 * count.
 */
function rotations(w: IntegerWidth): Arm64Row[] {
  const zeroExtends = w === "l";
  const mask = w === "l" ? 31 : 63;
  const byRegister = A64[`rorv${ENCODED[w]}`];
  const left: Arm64EmitFunction = (asm, c, i) => {
    asm.dm(A64.negw, SCRATCH_GENERAL, c.register(i, 2));
    asm.dnm(byRegister, c.register(i, 0), c.register(i, 1), SCRATCH_GENERAL);
  };
  const byConstant =
    (direction: 1 | -1): Arm64EmitFunction =>
    (asm, c, i) => {
      const right = (direction * c.lir.immLo[i]) & mask;
      const x = c.register(i, 1);
      asm.dnmi(A64[`extr${ENCODED[w]}`], c.register(i, 0), x, x, right);
    };
  return [
    row(`rol${w}`, ["def", "use", "use"], left, { zeroExtends }),
    row(`ror${w}`, ["def", "use", "use"], binary(byRegister), { zeroExtends }),
    row(`rol${w}Imm`, ["def", "use"], byConstant(-1), { immediate: COUNT, zeroExtends }),
    row(`ror${w}Imm`, ["def", "use"], byConstant(1), { immediate: COUNT, zeroExtends }),
  ];
}

const trailingZeroes =
  (w: IntegerWidth): Arm64EmitFunction =>
  (asm, c, i) => {
    asm.dn(A64[`rbit${ENCODED[w]}`], SCRATCH_GENERAL, c.register(i, 1));
    asm.dn(A64[`clz${ENCODED[w]}`], c.register(i, 0), SCRATCH_GENERAL);
  };

/**
 * Counts the bits of each of eight bytes, and adds the counts; the register of a Float has zeroes
 * in its upper half.
 */
const populationCount =
  (w: IntegerWidth): Arm64EmitFunction =>
  (asm, c, i) => {
    asm.dn(w === "l" ? A64.fmovsw : A64.fmovdx, SCRATCH_VECTOR, c.register(i, 1));
    asm.dn(A64.cnt, SCRATCH_VECTOR, SCRATCH_VECTOR);
    asm.dn(A64.addv, SCRATCH_VECTOR, SCRATCH_VECTOR);
    asm.dn(A64.fmovws, c.register(i, 0), SCRATCH_VECTOR);
  };

/** Selects the first operand if the condition holds for it and the second, otherwise the second. */
const integerExtremum =
  (w: IntegerWidth, condition: number): Arm64EmitFunction =>
  (asm, c, i) => {
    const [x, y] = [c.register(i, 1), c.register(i, 2)];
    asm.dnm(A64[`subs${ENCODED[w]}`], ZR, x, y);
    asm.dnmc(A64[`csel${ENCODED[w]}`], c.register(i, 0), x, y, condition);
  };

const flagOf =
  (code: EncodingRow, condition: number): Arm64EmitFunction =>
  (asm, c, i) => {
    asm.dnm(code, ZR, c.register(i, 1), c.register(i, 2));
    asm.dc(A64.csetw, c.register(i, 0), condition);
  };

/** Computes the product, and whether its upper half differs from the sign of the lower half. */
const productOverflows =
  (w: IntegerWidth): Arm64EmitFunction =>
  (asm, c, i) => {
    const [x, y] = [c.register(i, 1), c.register(i, 2)];
    if (w === "l") {
      asm.dnm(A64.smull, SCRATCH_GENERAL, x, y);
      asm.dnm(A64.subsxsxtw, ZR, SCRATCH_GENERAL, SCRATCH_GENERAL);
    } else {
      asm.dnm(A64.smulh, SCRATCH_GENERAL, x, y);
      asm.dnm(A64.mulx, SCRATCH_GENERAL_2, x, y);
      asm.dnmi(A64.subsxasr, ZR, SCRATCH_GENERAL, SCRATCH_GENERAL_2, 63);
    }
    asm.dc(A64.csetw, c.register(i, 0), Cond.ne);
  };

const stitch: Arm64EmitFunction = (asm, c, i) => {
  asm.dm(A64.movw, SCRATCH_GENERAL, c.register(i, 2)); // clears its upper half
  asm.dnmi(A64.orrxLsl, c.register(i, 0), SCRATCH_GENERAL, c.register(i, 1), 32);
};

const TWO_USES = ["def", "use", "use"] as const;
const ONE_USE = ["def", "use"] as const;

export const INTEGER_ARITHMETIC: readonly Arm64Row[] = [
  ...INTEGER_WIDTHS.flatMap((w) => {
    const zeroExtends = w === "l";
    const [sdiv, udiv] = [A64[`sdiv${ENCODED[w]}`], A64[`udiv${ENCODED[w]}`]];
    const [adds, subs] = [A64[`adds${ENCODED[w]}`], A64[`subs${ENCODED[w]}`]];
    return [
      row(`sdiv${w}`, TWO_USES, binary(sdiv), { zeroExtends }),
      row(`udiv${w}`, TWO_USES, binary(udiv), { zeroExtends }),
      row(`smod${w}`, TWO_USES, remainder(sdiv, w), { zeroExtends }),
      row(`umod${w}`, TWO_USES, remainder(udiv, w), { zeroExtends }),
      row(`floorMod${w}`, TWO_USES, floorModulus(w), { zeroExtends }),
      row(`chillMod${w}`, TWO_USES, chillRemainder(w), { zeroExtends }),
      ...rotations(w),
      row(`clz${w}`, ONE_USE, unary(A64[`clz${ENCODED[w]}`]), { zeroExtends: true }),
      row(`ctz${w}`, ONE_USE, trailingZeroes(w), { zeroExtends: true }),
      row(`min${w}`, TWO_USES, integerExtremum(w, Cond.lt), { zeroExtends }),
      row(`max${w}`, TWO_USES, integerExtremum(w, Cond.gt), { zeroExtends }),
      row(`umin${w}`, TWO_USES, integerExtremum(w, Cond.lo), { zeroExtends }),
      row(`umax${w}`, TWO_USES, integerExtremum(w, Cond.hi), { zeroExtends }),
      row(`bswap${w}`, ONE_USE, unary(A64[`rev${ENCODED[w]}`]), { zeroExtends }),
      row(`depend${w}`, ONE_USE, dependence(w), { zeroExtends: true }),
      row(`popcnt${w}`, ONE_USE, populationCount(w), { zeroExtends: true }),
      row(`addOverflows${w}`, TWO_USES, flagOf(adds, Cond.vs), { zeroExtends: true }),
      row(`subOverflows${w}`, TWO_USES, flagOf(subs, Cond.vs), { zeroExtends: true }),
      row(`mulOverflows${w}`, TWO_USES, productOverflows(w), { zeroExtends: true }),
      row(`addCarries${w}`, TWO_USES, flagOf(adds, Cond.hs), { zeroExtends: true }),
    ];
  }),
  row("smulhl", TWO_USES, highProduct32(A64.smull), { zeroExtends: true }),
  row("umulhl", TWO_USES, highProduct32(A64.umull), { zeroExtends: true }),
  row("smulhq", TWO_USES, binary(A64.smulh)),
  row("umulhq", TWO_USES, binary(A64.umulh)),
  row("sxtbq", ONE_USE, unary(A64.sxtbx), { derivable: true }),
  row("sxthq", ONE_USE, unary(A64.sxthx), { derivable: true }),
  row("highl", ONE_USE, (asm, c, i) => asm.dni(A64.lsrx, c.register(i, 0), c.register(i, 1), 32), {
    zeroExtends: true,
  }),
  row("stitch", TWO_USES, stitch),
  row("opaque", ["def=0", "use"], () => {}),
];

/**
 * Uses a mask of the sign bit: takes the bits of the second operand where it is set, otherwise
 * those of the first.
 */
const copySign = (w: FloatWidth): Arm64EmitFunction => {
  const [lo, hi] = w === "ss" ? [-0x8000_0000, 0] : [0, -0x8000_0000];
  const [intoVector, move] = w === "ss" ? [A64.fmovsw, A64.fmovs] : [A64.fmovdx, A64.fmovd];
  return (asm, c, i) => {
    asm.constant(SCRATCH_GENERAL, lo, hi, w === "sd");
    asm.dn(intoVector, SCRATCH_VECTOR, SCRATCH_GENERAL);
    asm.dnm(A64.bsl, SCRATCH_VECTOR, c.register(i, 2), c.register(i, 1));
    asm.dn(move, c.register(i, 0), SCRATCH_VECTOR);
  };
};

/** Operands: definition, the factors, the summand. */
const fused =
  (code: EncodingRow): Arm64EmitFunction =>
  (asm, c, i) =>
    asm.dnma(code, c.register(i, 0), c.register(i, 1), c.register(i, 2), c.register(i, 3));

/**
 * Modulo 2^32. From 2^63 on a number is a multiple of 2^11, and its low 32 bits are those of the
 * fraction, shifted by the exponent. They are zero from 2^84 on, and for a NaN or an infinity.
 */
const toInt32: Arm64EmitFunction = (asm, c, i) => {
  const [result, x] = [c.register(i, 0), c.register(i, 1)];
  const [bits, count] = [SCRATCH_GENERAL, SCRATCH_GENERAL_2];
  const [large, none, done] = [c.code.newLabel(), c.code.newLabel(), c.code.newLabel()];
  asm.dn(A64.fmovxd, bits, x);
  asm.dnij(A64.ubfmx, count, bits, 52, 62); // the exponent
  asm.dni(A64.subwi, count, count, EXPONENT_OF_UNIT);
  asm.ni(A64.cmpwi, count, 11);
  asm.branchCond(A64.bcond, Cond.ge, large);
  asm.dn(A64.fcvtzsxd, result, x);
  asm.branch(A64.b, done);
  c.code.bind(large);
  asm.ni(A64.cmpwi, count, 31);
  asm.branchCond(A64.bcond, Cond.gt, none);
  asm.dnm(A64.lslvw, result, bits, count);
  asm.ni(A64.cmpxi, bits, 0);
  asm.dnmc(A64.csnegw, result, result, result, Cond.ge);
  asm.branch(A64.b, done);
  c.code.bind(none);
  asm.constant(result, 0, 0, false);
  c.code.bind(done);
};
/** The encoded exponent of numbers whose last place is 1. */
const EXPONENT_OF_UNIT = 1075;

export const FLOAT_ARITHMETIC: readonly Arm64Row[] = FLOAT_WIDTHS.flatMap((w) => {
  const f = ENCODED[w];
  return [
    ...(w === "sd" ? [row("modsd2sl", ONE_USE, toInt32)] : []),
    row(`floor${w}`, ONE_USE, unary(A64[`frintm${f}`])),
    row(`trunc${w}`, ONE_USE, unary(A64[`frintz${f}`])),
    row(`nearest${w}`, ONE_USE, unary(A64[`frintn${f}`])),
    row(`min${w}`, TWO_USES, binary(A64[`fmin${f}`])),
    row(`max${w}`, TWO_USES, binary(A64[`fmax${f}`])),
    row(`copysign${w}`, TWO_USES, copySign(w)),
    row(`fmadd${w}`, ["def", "use", "use", "use"], fused(A64[`fmadd${f}`])),
    ...(w === "ss" ? INTEGER_WIDTHS : []).map((to) =>
      row(`scvtfss${to}`, ONE_USE, unary(A64[`scvtfs${ENCODED[to]}`])),
    ),
    ...INTEGER_WIDTHS.flatMap((to) => [
      row(`ucvtf${w}${to}`, ONE_USE, unary(A64[`ucvtf${f}${ENCODED[to]}`])),
      ...(["s", "u"] as const).map((sign) =>
        row(`fcvtz${sign}${w}2${to}`, ONE_USE, unary(A64[`fcvtz${sign}${ENCODED[to]}${f}`]), {
          zeroExtends: to === "l",
        }),
      ),
    ]),
  ];
});
