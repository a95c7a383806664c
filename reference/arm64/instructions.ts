// The LIR opcode table of ARM64: for each instruction its operands, the constants that it accepts,
// and its code. Three-address forms, no memory operands. Names have the same endings as those of
// x64: l and q are the widths of Int32 and Int64, ss and sd those of Float and Double.
//
// A use may share the register of the definition. So a sequence reads every use before it writes
// the definition. It keeps intermediate values in x16, x17 and v31, which hold no value across
// instructions.

import type { ValueTypeName } from "../../src/ir/types.js";
import { comparedOnce } from "../emit/compare-once.js";
import type { EmitContext } from "../emit/emit-context.js";
import { emitSwitch, type SwitchKey } from "../emit/emit-switch.js";
import { CONDITION_NAMES, type ConditionName } from "../target/conditions.js";
import { needsFrame } from "../target/needs-frame.js";
import type { ImmediateClass, OperandForm } from "../target/target.js";
import { FLOAT_ARITHMETIC, INTEGER_ARITHMETIC } from "./arithmetic-rows.js";
import type { Arm64Assembler } from "./assembler.js";
import { ATOMIC_ROWS } from "./atomic-rows.js";
import { A64, Cond, type EncodingRow, invertCond } from "./encodings.js";
import type { AccessName } from "./encodings-indexed.js";
import { FLOAT_REMAINDERS } from "./float-remainder.js";
import { accessFrame, addressInFrame } from "./frame-access.js";
import { bitmaskImmediate, isImm12, isShiftedImm12, pieceCount } from "./immediates.js";
import { PATCHPOINTS } from "./patchpoints.js";
import { FP, SCRATCH_GENERAL, SCRATCH_GENERAL_2, SCRATCH_VECTOR, SP, ZR } from "./registers.js";
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
  unaryOfM,
} from "./row.js";

/**
 * The rows of ARM64 that preserve the flags, by name: all rows of one instruction that sets no
 * flags, and all consumers of a comparison of integers, which record the comparison themselves.
 */
const KEEPS: readonly RegExp[] = [
  /^const/,
  /^(framePointer|slotAddress|functionAddress)$/,
  /^(add|sub|and|orr|eor)[lq](Imm|\..*)?$/,
  /^(lsl|asr|lsr)[lq](Imm)?$/,
  /^imul[lq](Imm)?$/,
  /^(neg|mvn|depend)[lq]$/,
  /^fence\./,
  /^[su]div[lq]$/,
  /^[su]mulh[lq]$/,
  /^(sxt|zext|truncq)/,
  /^(ldu?r|stu?r)/,
  /^(load|store)Argument\./,
  /^(branch|check|set|select\w+)\.(cmp|test|bits)[lq](Imm)?$/,
  /^(entry|jump)$/,
];

const keepsFlags = (name: string): boolean => KEEPS.some((rows) => rows.test(name));

// Immediate classes. For a 32-bit constant only the low word is checked.
type ImmediateTest = (value: number) => boolean;
const byWidth = (w: IntegerWidth, name: string, fits: ImmediateTest): ImmediateClass => ({
  name,
  fits: w === "l" ? fits : (lo, hi) => hi === lo >> 31 && fits(lo),
});
const isAddend = (value: number): boolean => isImm12(value) || isShiftedImm12(value);
/** For `add` and `sub`: a negative constant uses the opposite operation. */
const addend = (w: IntegerWidth): ImmediateClass =>
  byWidth(w, "imm12", (value) => isAddend(value) || isAddend(-value));
/** For `cmp` and `cmn`; the table has no shifted form of `cmn`. */
const comparand = (w: IntegerWidth): ImmediateClass =>
  byWidth(w, "imm12", (value) => isAddend(value) || isImm12(-value));
const bitmask = (w: IntegerWidth): ImmediateClass => ({
  name: "bitmask",
  fits: (lo, hi) => bitmaskImmediate(lo, hi, w === "q") >= 0,
});
/** Logical immediates among constants whose high word is the sign of the low word. */
const signExtendedBitmask = (w: IntegerWidth): ImmediateClass =>
  byWidth(w, "bitmask", (value) => bitmaskImmediate(value, value >> 31, w === "q") >= 0);
const ones = (w: IntegerWidth): ImmediateClass => byWidth(w, "ones", (value) => value === -1);
/** 3, 5, 9 and so on: multiplication by them is the sum of the other factor and itself, shifted. */
const powerAndOne = (w: IntegerWidth): ImmediateClass =>
  byWidth(w, "power of two and one", (value) => value > 2 && isPowerOfTwo(value - 1));
const isPowerOfTwo = (value: number): boolean => (value & (value - 1)) === 0;
const COUNT: ImmediateClass = { name: "shift count", fits: () => true };
const scaled = (bytes: number): ImmediateClass => ({
  name: `imm12*${bytes}`,
  fits: (lo) => lo >= 0 && lo < 4096 * bytes && lo % bytes === 0,
});
/** A displacement of zero, and the constant of a store that needs no register for it. */
const ZERO: ImmediateClass = { name: "zero", fits: (lo, hi) => lo === 0 && hi === 0 };
const UNSCALED: ImmediateClass = { name: "simm9", fits: (lo) => lo >= -256 && lo <= 255 };

/** Writes `add` or `sub` of a constant of class `addend`, or their flag-setting forms. */
function addition(name: "add" | "sub", w: "w" | "x" | "sw" | "sx"): Arm64EmitFunction {
  const opposite = name === "add" ? "sub" : "add";
  const positive = [A64[`${name}${w}i`], A64[`${name}${w}i12`]];
  const negative = [A64[`${opposite}${w}i`], A64[`${opposite}${w}i12`]];
  return (asm, c, i) => {
    const value = c.lir.immLo[i];
    const size = Math.abs(value);
    const codes = value < 0 ? negative : positive;
    asm.dni(codes[isImm12(size) ? 0 : 1], c.register(i, 0), c.register(i, 1), size);
  };
}

const additions = (name: "add" | "sub", w: IntegerWidth): Arm64Row[] => {
  const zeroExtends = w === "l";
  const emitImmediate = addition(name, ENCODED[w]);
  return [
    row(`${name}${w}`, ["def", "use", "use"], binary(A64[`${name}${ENCODED[w]}`]), { zeroExtends }),
    row(`${name}${w}Imm`, ["def", "use"], emitImmediate, {
      ...{ immediate: addend(w), zeroExtends },
      derivable: true,
    }),
  ];
};

/** Writes the product by a power of two plus one. */
const shiftedSum = (w: IntegerWidth): Arm64EmitFunction => {
  const code = A64[`add${ENCODED[w]}Lsl`];
  return (asm, c, i) => {
    const x = c.register(i, 1);
    asm.dnmi(code, c.register(i, 0), x, x, 31 - Math.clz32(c.lir.immLo[i]));
  };
};

const logical = (name: "and" | "orr" | "eor", w: IntegerWidth): Arm64Row[] => {
  const zeroExtends = w === "l";
  const code = A64[`${name}${ENCODED[w]}i`];
  const emitImmediate: Arm64EmitFunction = (asm, c, i) => {
    const field = bitmaskImmediate(c.lir.immLo[i], c.lir.immHi[i], w === "q");
    asm.dni(code, c.register(i, 0), c.register(i, 1), field);
  };
  return [
    row(`${name}${w}`, ["def", "use", "use"], binary(A64[`${name}${ENCODED[w]}`]), { zeroExtends }),
    row(`${name}${w}Imm`, ["def", "use"], emitImmediate, {
      ...{ immediate: bitmask(w), zeroExtends },
      derivable: true,
    }),
  ];
};

const shifts = (name: "lsl" | "asr" | "lsr", w: IntegerWidth): Arm64Row[] => {
  const zeroExtends = w === "l";
  const mask = w === "l" ? 31 : 63;
  const left = A64[`ubfm${ENCODED[w]}`];
  const right = name === "lsl" ? left : A64[`${name}${ENCODED[w]}`];
  const emitImmediate: Arm64EmitFunction = (asm, c, i) => {
    const count = c.lir.immLo[i] & mask;
    if (name === "lsl") asm.shiftLeft(left, c.register(i, 0), c.register(i, 1), count);
    else asm.dni(right, c.register(i, 0), c.register(i, 1), count);
  };
  return [
    row(`${name}${w}Imm`, ["def", "use"], emitImmediate, {
      ...{ immediate: COUNT, zeroExtends },
      derivable: true,
    }),
    row(`${name}${w}`, ["def", "use", "use"], binary(A64[`${name}v${ENCODED[w]}`]), {
      zeroExtends,
    }),
  ];
};

// Forms whose last operand is shifted, extended, or a product.
const SHIFTED: ImmediateClass = { name: "shift", fits: (lo) => lo > 0 && lo < 32 };
const SHIFTED64: ImmediateClass = { name: "shift", fits: (lo) => lo > 0 && lo < 64 };
const SHIFT_KINDS = [
  ["lsl", "Lsl"],
  ["lsr", "Lsr"],
  ["asr", "Asr"],
] as const;
const shiftedRow = (name: string, code: EncodingRow, w: IntegerWidth): Arm64Row => {
  const emit: Arm64EmitFunction = (asm, c, i) => {
    const [x, y] = [c.register(i, 1), c.register(i, 2)];
    asm.dnmi(code, c.register(i, 0), x, y, c.lir.immLo[i]);
  };
  const immediate = w === "l" ? SHIFTED : SHIFTED64;
  return row(name, ["def", "use", "use"], emit, { immediate, zeroExtends: w === "l" });
};
const shiftedRows = (name: "add" | "sub" | "and" | "orr" | "eor", w: IntegerWidth): Arm64Row[] =>
  SHIFT_KINDS.map(([suffix, kind]) =>
    shiftedRow(`${name}${w}.${suffix}`, A64[`${name}${ENCODED[w]}${kind}`], w),
  );

const LOGICAL = ["and", "orr", "eor"] as const;
/** Returns the same row with an inverted second operand. */
const INVERTING = { and: "bic", orr: "orn", eor: "eon" } as const;
const invertedRow = (name: (typeof LOGICAL)[number], w: IntegerWidth): Arm64Row => {
  const code = A64[`${INVERTING[name]}${ENCODED[w]}`];
  return row(`${name}${w}.not`, ["def", "use", "use"], binary(code), { zeroExtends: w === "l" });
};

const extendedRows = (name: "add" | "sub"): Arm64Row[] =>
  (
    [
      ["u", "Uxtw"],
      ["s", "Sxtw"],
    ] as const
  ).flatMap(([suffix, kind]) =>
    [0, 1, 2, 3].map((shift) => {
      const code = A64[`${name}x${kind}`];
      const emit: Arm64EmitFunction = (asm, c, i) =>
        asm.dnmi(code, c.register(i, 0), c.register(i, 1), c.register(i, 2), shift);
      return row(`${name}q.${suffix}${shift}`, ["def", "use", "use"], emit);
    }),
  );

/** Operands: definition, the summand, the factors. */
const productRow = (name: "add" | "sub", w: IntegerWidth): Arm64Row => {
  const code = A64[`m${name}${ENCODED[w]}`];
  const emit: Arm64EmitFunction = (asm, c, i) => {
    const [summand, x, y] = [c.register(i, 1), c.register(i, 2), c.register(i, 3)];
    asm.dnma(code, c.register(i, 0), x, y, summand);
  };
  return row(`${name}${w}.mul`, ["def", "use", "use", "use"], emit, { zeroExtends: w === "l" });
};

const INTEGER_ROWS: Arm64Row[] = [
  ...extendedRows("add"),
  ...extendedRows("sub"),
  ...INTEGER_WIDTHS.flatMap((w) => [
    ...(["add", "sub", "and", "orr", "eor"] as const).flatMap((name) => shiftedRows(name, w)),
    ...LOGICAL.flatMap((name) => [
      shiftedRow(`${name}${w}.ror`, A64[`${name}${ENCODED[w]}Ror`], w),
      invertedRow(name, w),
    ]),
    productRow("add", w),
    productRow("sub", w),
  ]),
  ...INTEGER_WIDTHS.flatMap((w) => [
    ...additions("add", w),
    ...additions("sub", w),
    ...logical("and", w),
    ...logical("orr", w),
    ...logical("eor", w),
    ...shifts("lsl", w),
    ...shifts("asr", w),
    ...shifts("lsr", w),
    row(`imul${w}`, ["def", "use", "use"], binary(A64[`mul${ENCODED[w]}`]), {
      zeroExtends: w === "l",
    }),
    row(`imul${w}Imm`, ["def", "use"], shiftedSum(w), {
      immediate: powerAndOne(w),
      zeroExtends: w === "l",
    }),
    row(`neg${w}`, ["def", "use"], unaryOfM(A64[`neg${ENCODED[w]}`]), { zeroExtends: w === "l" }),
    // The exclusive or with all ones, which is not a bitmask immediate.
    row(`mvn${w}`, ["def", "use"], unaryOfM(A64[`mvn${ENCODED[w]}`]), {
      immediate: ones(w),
      zeroExtends: w === "l",
    }),
  ]),
  row("sxtbl", ["def", "use"], unary(A64.sxtbw), { zeroExtends: true, derivable: true }),
  row("sxthl", ["def", "use"], unary(A64.sxthw), { zeroExtends: true, derivable: true }),
  row("sxtlq", ["def", "use"], unary(A64.sxtwx), { derivable: true }),
  // A move of 32 bits clears the upper half, also if source and destination are the same register.
  row("zextl", ["def", "use"], unaryOfM(A64.movw), { zeroExtends: true, derivable: true }),
  row("zextlDone", ["def=0", "use"], () => {}),
  row("zextlName", ["redef", "use:any"], () => {}),
  row("truncq", ["redef", "use:any"], () => {}),
];

// Constants. None of them changes the flags.
const constantOfFloat = (w: FloatWidth): Arm64EmitFunction => {
  const code = w === "ss" ? A64.fmovsw : A64.fmovdx;
  return (asm, c, i) => {
    const [lo, hi] = [c.lir.immLo[i], w === "ss" ? 0 : c.lir.immHi[i]];
    const isZero = lo === 0 && hi === 0;
    if (!isZero) asm.constant(SCRATCH_GENERAL, lo, hi, w === "sd");
    asm.dn(code, c.register(i, 0), isZero ? ZR : SCRATCH_GENERAL);
  };
};

/** A constant that one instruction produces is not loaded. */
const NOT_ZERO: ImmediateClass = { name: "not zero", fits: (lo, hi) => lo !== 0 || hi !== 0 };
const pieces = (w: IntegerWidth): ImmediateClass => ({
  name: "several pieces",
  fits: (lo, hi) => pieceCount(lo, hi, w === "q") > 1,
});

/** Loads a row's immediate from the pool after the code. */
const pooled =
  (code: EncodingRow, isWide: boolean): Arm64EmitFunction =>
  (asm, c, i) => {
    const label = c.constants.labelOf(c.code, c.lir.immLo[i], c.lir.immHi[i], isWide);
    asm.branchReg(code, c.register(i, 0), label);
  };

const rematerializableRow = (
  name: string,
  emit: Arm64EmitFunction,
  more: Partial<Pick<Arm64Row, "immediate" | "zeroExtends">> = {},
): Arm64Row => row(name, ["def"], emit, { ...more, rematerializable: true });

const CONSTANT_ROWS: Arm64Row[] = [
  rematerializableRow("constl.pool", pooled(A64.ldrwLiteral, false), {
    immediate: pieces("l"),
    zeroExtends: true,
  }),
  rematerializableRow("constq.pool", pooled(A64.ldrxLiteral, true), { immediate: pieces("q") }),
  rematerializableRow("constss.pool", pooled(A64.ldrsLiteral, false), { immediate: NOT_ZERO }),
  rematerializableRow("constsd.pool", pooled(A64.ldrdLiteral, true), { immediate: NOT_ZERO }),
  rematerializableRow(
    "constl",
    (asm, c, i) => asm.constant(c.register(i, 0), c.lir.immLo[i], 0, false),
    {
      zeroExtends: true,
    },
  ),
  rematerializableRow("constq", (asm, c, i) =>
    asm.constant(c.register(i, 0), c.lir.immLo[i], c.lir.immHi[i], true),
  ),
  rematerializableRow("constss", constantOfFloat("ss")),
  rematerializableRow("constsd", constantOfFloat("sd")),
  rematerializableRow("framePointer", (asm, c, i) => asm.dm(A64.movx, c.register(i, 0), FP)),
  rematerializableRow("slotAddress", (asm, c, i) => {
    const offset = c.frame.size + c.frame.offsetOfSlot(c.lir.immLo[i]);
    addressInFrame(asm, c.register(i, 0), offset);
  }),
];

// Floats. In place: for an ordered number only a comparison and a branch are executed.
const purify = (w: FloatWidth): Arm64EmitFunction => {
  const [lo, hi] = w === "ss" ? [0x7fc0_0000, 0] : [0, 0x7ff8_0000];
  const move = w === "ss" ? A64.fmovsw : A64.fmovdx;
  const compare = A64[`fcmp${ENCODED[w]}`];
  return (asm, c, i) => {
    const ordered = c.code.newLabel();
    const register = c.register(i, 0);
    asm.nm(compare, register, register);
    asm.branchCond(A64.bcond, Cond.vc, ordered);
    asm.constant(SCRATCH_GENERAL, lo, hi, w === "sd");
    asm.dn(move, register, SCRATCH_GENERAL);
    c.code.bind(ordered);
  };
};

const FLOAT_ROWS: Arm64Row[] = [
  ...FLOAT_WIDTHS.flatMap((w) => [
    ...(["add", "sub", "mul", "div"] as const).map((name) =>
      row(`${name}${w}`, ["def", "use", "use"], binary(A64[`f${name}${ENCODED[w]}`])),
    ),
    row(`neg${w}`, ["def", "use"], unary(A64[`fneg${ENCODED[w]}`])),
    row(`abs${w}`, ["def", "use"], unary(A64[`fabs${ENCODED[w]}`])),
    row(`ceil${w}`, ["def", "use"], unary(A64[`frintp${ENCODED[w]}`])),
    row(`sqrt${w}`, ["def", "use"], unary(A64[`fsqrt${ENCODED[w]}`])),
    row(`purify${w}`, ["def=0", "use"], purify(w)),
  ]),
  row("scvtfsdl", ["def", "use"], unary(A64.scvtfdw)),
  row("scvtfsdq", ["def", "use"], unary(A64.scvtfdx)),
  row("fcvtss2sd", ["def", "use"], unary(A64.fcvtds)),
  row("fcvtsd2ss", ["def", "use"], unary(A64.fcvtsd)),
  row("fmovl2ss", ["def", "use"], unary(A64.fmovsw)),
  row("fmovq2sd", ["def", "use"], unary(A64.fmovdx)),
  row("fmovss2l", ["def", "use"], unary(A64.fmovws), { zeroExtends: true }),
  row("fmovsd2q", ["def", "use"], unary(A64.fmovxd)),
];

// Memory: [register + displacement], the displacement scaled by the access or a signed number of 9
// bits. Operand 0 is the value, 1 the address, in loads and stores alike.
const access =
  (code: EncodingRow): Arm64EmitFunction =>
  (asm, c, i) =>
    asm.dni(code, c.register(i, 0), c.register(i, 1), c.lir.immLo[i]);

// biome-ignore format: a table
const ACCESSES = [
  // suffix  log2 of    scaled  unscaled   scaled    unscaled    zeroExtends
  // of the  the bytes  store              load
  // row
  ["b",      0,         "strb", "sturb",   "ldrb",   "ldurb",    true],
  ["sb",     0,         null,   null,      "ldrsbw", "ldursbw",  true],
  ["h",      1,         "strh", "sturh",   "ldrh",   "ldurh",    true],
  ["sh",     1,         null,   null,      "ldrshw", "ldurshw",  true],
  ["l",      2,         "strw", "sturw",   "ldrw",   "ldurw",    true],
  ["q",      3,         "strx", "sturx",   "ldrx",   "ldurx",    false],
  ["ss",     2,         "strs", "sturs",   "ldrs",   "ldurs",    false],
  ["sd",     3,         "strd", "sturd",   "ldrd",   "ldurd",    false],
] as const;

/**
 * Returns the same access at base + index, the last two operands, without displacement: an index of
 * 64 bits, or an extended one of 32 bits, unshifted or shifted by the size of the access.
 */
const indexedRows = (name: string, code: AccessName, log2: number, plain: Arm64Row): Arm64Row[] =>
  INDEX_KINDS.flatMap(([suffix, kind]) =>
    (log2 === 0 ? [0] : [0, log2]).map((shift) => {
      const encoding = A64[`${code}${shift === 0 ? kind : (`${kind}Lsl` as const)}`];
      const emit: Arm64EmitFunction = (asm, c, i) =>
        asm.dnm(encoding, c.register(i, 0), c.register(i, 1), c.register(i, 2));
      const operands: OperandForm[] = [...plain.operands, "use"];
      return { ...plain, name: `${name}.${suffix}${shift}`, operands, immediate: ZERO, emit };
    }),
  );
const INDEX_KINDS = [
  ["x", "X"],
  ["u", "Uxtw"],
  ["s", "Sxtw"],
] as const;

/** Writes an access in a stack slot, without a register for the address: immHi is the slot's id. */
const inSlot =
  (code: EncodingRow): Arm64EmitFunction =>
  (asm, c, i) => {
    const offset = c.frame.offsetOfSlot(c.lir.immHi[i]) + c.lir.immLo[i];
    accessFrame(asm, code, c.register(i, 0), c.frame, offset);
  };

const zeroStore = (name: string, code: EncodingRow): Arm64Row =>
  row(
    `${name}.constant`,
    ["use"],
    (asm, c, i) => asm.dni(code, ZR, c.register(i, 0), c.lir.immLo[i]),
    { immediate: ZERO },
  );

/** Returns stores of zero at base + index. */
const indexedZeroStores = (name: string, code: AccessName, log2: number): Arm64Row[] =>
  indexedRows(
    name,
    code,
    log2,
    row(name, ["use"], () => {}),
  ).map((plain) => {
    const [, kind] = INDEX_KINDS.find(([suffix]) => plain.name.includes(`.${suffix}`)) ?? ["", "X"];
    const encoding = A64[`${code}${plain.name.endsWith("0") ? kind : (`${kind}Lsl` as const)}`];
    return {
      ...plain,
      name: `${plain.name}.constant`,
      emit: (asm, c, i) => asm.dnm(encoding, ZR, c.register(i, 0), c.register(i, 1)),
    };
  });

/** The integer stores that store the bits of a zero float. */
const GENERAL_STORES = {
  strb: ["strb", "sturb"],
  strh: ["strh", "sturh"],
  strw: ["strw", "sturw"],
  strx: ["strx", "sturx"],
  strs: ["strw", "sturw"],
  strd: ["strx", "sturx"],
} as const;

const MEMORY_ROWS: Arm64Row[] = ACCESSES.flatMap(
  ([suffix, log2, str, stur, ldr, ldur, zeroExtends]) => {
    const immediate = scaled(1 << log2);
    const loaded = row(`ldr${suffix}`, ["def", "use"], access(A64[ldr]), {
      immediate,
      zeroExtends,
    });
    const rows = [
      loaded,
      row(`ldur${suffix}`, ["def", "use"], access(A64[ldur]), { immediate: UNSCALED, zeroExtends }),
      row(`ldr${suffix}.slot`, ["def"], inSlot(A64[ldr]), { immediate, zeroExtends }),
      ...indexedRows(`ldr${suffix}`, ldr, log2, loaded),
    ];
    if (str === null) return rows;
    const stored = row(`str${suffix}`, ["use", "use"], access(A64[str]), { immediate });
    const [zero, unscaledZero] = GENERAL_STORES[str];
    return [
      ...rows,
      stored,
      row(`stur${suffix}`, ["use", "use"], access(A64[stur]), { immediate: UNSCALED }),
      row(`str${suffix}.slot`, ["use"], inSlot(A64[str]), { immediate }),
      ...indexedRows(`str${suffix}`, str, log2, stored),
      zeroStore(`str${suffix}`, A64[zero]),
      zeroStore(`stur${suffix}`, A64[unscaledZero]),
      ...indexedZeroStores(`str${suffix}`, zero, log2),
    ];
  },
);

// Comparisons: each compares in one way and has one kind of consumer; the condition code is in
// immHi.

/**
 * The encoded condition code after `cmp` or `fcmp` (Arm ARM C1.2.4); unordered operands set C and
 * V.
 */
// biome-ignore format: a table
const CODES: { readonly [C in ConditionName]: number } = {
  eq: Cond.eq, ne: Cond.ne, lt: Cond.lt, gt: Cond.gt, le: Cond.le, ge: Cond.ge,
  above: Cond.hi, below: Cond.lo, aboveEqual: Cond.hs, belowEqual: Cond.ls,
  feq: Cond.eq, fne: Cond.ne, flt: Cond.mi, fgt: Cond.gt, fle: Cond.ls, fge: Cond.ge,
  fnlt: Cond.pl, fngt: Cond.le, fnle: Cond.hi, fnge: Cond.lt,
  fequ: Cond.eq, fone: Cond.mi, // and the second codes below
};
const CODE_OF = CONDITION_NAMES.map((name) => CODES[name]);
/** No single code covers these conditions, so each consumer tests a second one. */
const SECOND_CODES: { readonly [C in ConditionName]?: number } = { fequ: Cond.vs, fone: Cond.gt };
const SECOND_CODE_OF = CONDITION_NAMES.map((name) => SECOND_CODES[name] ?? null);

interface ComparisonInstruction {
  readonly name: string;
  readonly operands: readonly OperandForm[];
  readonly immediate: ImmediateClass | null;
  /** `first` is the number of the comparison's first operand. */
  readonly emit: (asm: Arm64Assembler, c: EmitContext, i: number, first: number) => void;
  /** Rows that compare with zero and branch in one instruction, if the code is `eq` or `ne`. */
  readonly branches: { readonly eq: EncodingRow; readonly ne: EncodingRow } | null;
}

const compare = (name: string, code: EncodingRow): ComparisonInstruction => ({
  name,
  operands: ["use", "use"],
  immediate: null,
  emit: (asm, c, i, first) => asm.nm(code, c.register(i, first), c.register(i, first + 1)),
  branches: null,
});

const compareImmediate = (w: IntegerWidth): ComparisonInstruction => {
  const [plain, shifted] = [A64[`cmp${ENCODED[w]}i`], A64[`cmp${ENCODED[w]}i12`]];
  const negative = A64[`cmn${ENCODED[w]}i`];
  return {
    name: `cmp${w}Imm`,
    operands: ["use"],
    immediate: comparand(w),
    emit: (asm, c, i, first) => {
      const value = c.lir.immLo[i];
      const code = value < 0 ? negative : isImm12(value) ? plain : shifted;
      asm.ni(code, c.register(i, first), Math.abs(value));
    },
    branches: null,
  };
};

const test = (w: IntegerWidth): ComparisonInstruction => ({
  name: `test${w}`,
  operands: ["use"],
  immediate: null,
  emit: (asm, c, i, first) => asm.ni(A64[`cmp${ENCODED[w]}i`], c.register(i, first), 0),
  branches: { eq: A64[`cbz${ENCODED[w]}`], ne: A64[`cbnz${ENCODED[w]}`] },
});

/**
 * Tests whether the operands have a common bit. The condition code occupies the field of a mask's
 * upper word.
 */
const bits = (w: IntegerWidth): ComparisonInstruction[] => [
  {
    name: `bits${w}Imm`,
    operands: ["use"],
    immediate: signExtendedBitmask(w),
    emit: (asm, c, i, first) => {
      const mask = c.lir.immLo[i];
      const field = bitmaskImmediate(mask, mask >> 31, w === "q");
      asm.ni(A64[`tst${ENCODED[w]}i`], c.register(i, first), field);
    },
    branches: null,
  },
  compare(`bits${w}`, A64[`tst${ENCODED[w]}`]),
];

const WRITTEN: readonly ComparisonInstruction[] = [
  compareImmediate("l"),
  compare("cmpl", A64.cmpw),
  compareImmediate("q"),
  compare("cmpq", A64.cmpx),
  compare("ucomiss", A64.fcmps),
  compare("ucomisd", A64.fcmpd),
  test("l"),
  test("q"),
  ...bits("l"),
  ...bits("q"),
];
const COMPARISONS = WRITTEN.map(comparedOnce<Arm64Assembler, ComparisonInstruction>);

function consumers(comparison: ComparisonInstruction): Arm64Row[] {
  const { name, operands, immediate, branches } = comparison;

  /** Compares and jumps to the label if the code holds; the comparison's operands are the first. */
  const goIf = (asm: Arm64Assembler, c: EmitContext, i: number, code: number, label: number) => {
    if (branches !== null && (code === Cond.eq || code === Cond.ne)) {
      asm.branchReg(code === Cond.eq ? branches.eq : branches.ne, c.register(i, 0), label);
      return;
    }
    comparison.emit(asm, c, i, 0);
    asm.branchCond(A64.bcond, code, label);
  };

  const branchEmit: Arm64EmitFunction = (asm, c, i) => {
    const condition = c.lir.immHi[i];
    const [taken, other] = [c.blockLabels[c.successor(0)], c.blockLabels[c.successor(1)]];
    const next = c.nextLabel;
    const second = SECOND_CODE_OF[condition];
    if (taken === next && second === null) {
      goIf(asm, c, i, invertCond(CODE_OF[condition]), other);
      return;
    }
    goIf(asm, c, i, CODE_OF[condition], taken);
    if (second !== null) asm.branchCond(A64.bcond, second, taken);
    if (other !== next) asm.branch(A64.b, other);
  };
  const checkEmit: Arm64EmitFunction = (asm, c, i) => {
    goIf(asm, c, i, CODE_OF[c.lir.immHi[i]], c.stubLabel(i));
    const second = SECOND_CODE_OF[c.lir.immHi[i]];
    if (second !== null) asm.branchCond(A64.bcond, second, c.stubLabel(i));
  };
  const setEmit: Arm64EmitFunction = (asm, c, i) => {
    const register = c.register(i, 0);
    comparison.emit(asm, c, i, 1);
    asm.dc(A64.csetw, register, CODE_OF[c.lir.immHi[i]]);
    const second = SECOND_CODE_OF[c.lir.immHi[i]];
    // If the second code holds: zero plus one.
    if (second !== null) asm.dnmc(A64.csincw, register, register, ZR, invertCond(second));
  };
  return [
    row(`branch.${name}`, operands, branchEmit, { immediate, isTerminator: true }),
    row(`check.${name}`, operands, checkEmit, { immediate }),
    row(`set.${name}`, ["def", ...operands], setEmit, { immediate, zeroExtends: true }),
    ...SELECTS.map(([typeName, code, scratch]) => select(comparison, typeName, code, scratch)),
  ];
}

const SELECTS = [
  ["Int32", A64.cselw, SCRATCH_GENERAL],
  ["Int64", A64.cselx, SCRATCH_GENERAL],
  ["Float", A64.fcsels, SCRATCH_VECTOR],
  ["Double", A64.fcseld, SCRATCH_VECTOR],
] as const;

/** Operands: definition, the value for false, the value for true, then the comparison's. */
function select(
  comparison: ComparisonInstruction,
  typeName: ValueTypeName,
  code: EncodingRow,
  scratch: number,
): Arm64Row {
  const emit: Arm64EmitFunction = (asm, c, i) => {
    const condition = c.lir.immHi[i];
    const ifTrue = c.register(i, 2);
    let ifFalse = c.register(i, 1);
    comparison.emit(asm, c, i, 3);
    const second = SECOND_CODE_OF[condition];
    if (second !== null) {
      asm.dnmc(code, scratch, ifTrue, ifFalse, second);
      ifFalse = scratch;
    }
    asm.dnmc(code, c.register(i, 0), ifTrue, ifFalse, CODE_OF[condition]);
  };
  const operands: OperandForm[] = ["def", "use", "use", ...comparison.operands];
  const { immediate } = comparison;
  const zeroExtends = typeName === "Int32";
  return row(`select${typeName}.${comparison.name}`, operands, emit, { immediate, zeroExtends });
}

// Guards on overflow: the operation and its exit are one instruction, so no other code changes the
// flags between them.
const overflow =
  (emitOperation: Arm64EmitFunction): Arm64EmitFunction =>
  (asm, c, i) => {
    emitOperation(asm, c, i);
    asm.branchCond(A64.bcond, Cond.vs, c.stubLabel(i));
  };

const overflowing = (name: "add" | "sub", w: IntegerWidth): Arm64Row[] => {
  const zeroExtends = w === "l";
  const plain = overflow(binary(A64[`${name}s${ENCODED[w]}`]));
  const ofImmediate = overflow(addition(name, `s${ENCODED[w]}`));
  return [
    row(`check.${name}${w}`, ["def", "use", "use"], plain, { zeroExtends }),
    row(`check.${name}${w}Imm`, ["def", "use"], ofImmediate, { immediate: addend(w), zeroExtends }),
  ];
};

/** Returns the row of the difference from zero. */
const negation = (w: IntegerWidth): Arm64Row => {
  const negate: Arm64EmitFunction = (asm, c, i) =>
    asm.dnm(A64[`subs${ENCODED[w]}`], c.register(i, 0), ZR, c.register(i, 1));
  return row(`check.neg${w}`, ["def", "use"], overflow(negate), { zeroExtends: w === "l" });
};

/**
 * Converts and checks: the integer, converted back, must equal the number, which excludes NaN. A
 * zero may have a sign.
 */
const conversion =
  (isExact: boolean): Arm64EmitFunction =>
  (asm, c, i) => {
    const [result, x] = [c.register(i, 0), c.register(i, 1)];
    asm.dn(A64.fcvtzswd, result, x);
    asm.dn(A64.scvtfdw, SCRATCH_VECTOR, result);
    asm.nm(A64.fcmpd, x, SCRATCH_VECTOR);
    asm.branchCond(A64.bcond, Cond.ne, c.stubLabel(i));
    if (!isExact) return;
    const done = c.code.newLabel();
    asm.branchReg(A64.cbnzw, result, done);
    asm.dn(A64.fmovxd, SCRATCH_GENERAL, x);
    asm.branchReg(A64.cbnzx, SCRATCH_GENERAL, c.stubLabel(i));
    c.code.bind(done);
  };

const OVERFLOW_ROWS: Arm64Row[] = [
  row("check.sd2sl", ["def", "use"], conversion(false), { zeroExtends: true }),
  row("check.sd2sl.exact", ["def", "use"], conversion(true), { zeroExtends: true }),
  row("check.always", [], (asm, c, i) => asm.branch(A64.b, c.stubLabel(i))),
  ...INTEGER_WIDTHS.flatMap((w) => [
    ...overflowing("add", w),
    ...overflowing("sub", w),
    negation(w),
  ]),
  // The whole product is in the definition, so its upper half is not zero: compare it with its low
  // half.
  row("check.imull", ["def", "use", "use"], (asm, c, i) => {
    const product = c.register(i, 0);
    asm.dnm(A64.smull, product, c.register(i, 1), c.register(i, 2));
    asm.dnm(A64.subsxsxtw, ZR, product, product);
    asm.branchCond(A64.bcond, Cond.ne, c.stubLabel(i));
  }),
  // The upper half of the product must be the sign of the lower.
  row("check.imulq", ["def", "use", "use"], (asm, c, i) => {
    const product = c.register(i, 0);
    asm.dnm(A64.smulh, SCRATCH_GENERAL, c.register(i, 1), c.register(i, 2));
    asm.dnm(A64.mulx, product, c.register(i, 1), c.register(i, 2));
    asm.dnmi(A64.subsxasr, ZR, SCRATCH_GENERAL, product, 63);
    asm.branchCond(A64.bcond, Cond.ne, c.stubLabel(i));
  }),
];

// Switch: index and address of a table are in the scratch registers.
function switchOf(w: IntegerWidth): Arm64EmitFunction {
  const isWide = w === "q";
  const [compare, plain, shifted, negative, subtract] = isWide
    ? [A64.cmpx, A64.cmpxi, A64.cmpxi12, A64.cmnxi, A64.subx]
    : [A64.cmpw, A64.cmpwi, A64.cmpwi12, A64.cmnwi, A64.subw];
  const { fits } = comparand(w);
  return (asm, c, i) => {
    const operand = c.register(i, 0);
    const compareWith = (register: number, { lo, hi }: SwitchKey, scratch: number): void => {
      if (fits(lo, hi)) {
        const code = lo < 0 ? negative : isImm12(lo) ? plain : shifted;
        asm.ni(code, register, Math.abs(lo));
      } else {
        asm.constant(scratch, lo, hi, isWide);
        asm.nm(compare, register, scratch);
      }
    };
    emitSwitch(c, i, isWide, {
      goIfEqual: (key, label, isCompared) => {
        if (!isCompared) compareWith(operand, key, SCRATCH_GENERAL);
        asm.branchCond(A64.bcond, Cond.eq, label);
      },
      goIfLess: (key, label) => {
        compareWith(operand, key, SCRATCH_GENERAL);
        asm.branchCond(A64.bcond, Cond.lt, label);
      },
      go: (label) => asm.branch(A64.b, label),
      goByTable: (least, count, table, otherwise) => {
        let index = operand;
        if (least.lo !== 0 || least.hi !== 0) {
          index = SCRATCH_GENERAL;
          asm.constant(index, least.lo, least.hi, isWide);
          asm.dnm(subtract, index, operand, index);
        }
        compareWith(index, { lo: count - 1, hi: 0 }, SCRATCH_GENERAL_2);
        asm.branchCond(A64.bcond, Cond.hi, otherwise);
        asm.branchReg(A64.adr, SCRATCH_GENERAL_2, table);
        // For an Int32 only these bits are used: the access extends them.
        const entry = isWide ? A64.ldrswXLsl : A64.ldrswUxtwLsl;
        asm.dnm(entry, SCRATCH_GENERAL, SCRATCH_GENERAL_2, index);
        asm.dnm(A64.addx, SCRATCH_GENERAL_2, SCRATCH_GENERAL_2, SCRATCH_GENERAL);
        asm.n(A64.br, SCRATCH_GENERAL_2);
      },
    });
  };
}

// Outgoing stack arguments, upward from the stack pointer.
const ARGUMENT_ROWS: Arm64Row[] = (
  [
    ["l", A64.strw],
    ["q", A64.strx],
    ["ss", A64.strs],
    ["sd", A64.strd],
  ] as const
).map(([suffix, store]) =>
  row(`storeArgument.${suffix}`, ["use"], (asm, c, i) =>
    asm.dni(store, c.register(i, 0), SP, c.lir.immLo[i]),
  ),
);

// Control, calls, and the two ends of a procedure. Lowering adds their fixed operands.
const CONTROL_ROWS: Arm64Row[] = [
  row("entry", [], () => {}),
  row(
    "jump",
    [],
    (asm, c) => {
      const target = c.blockLabels[c.successor(0)];
      if (target !== c.nextLabel) asm.branch(A64.b, target);
    },
    { isTerminator: true },
  ),
  row("switchl", ["use"], switchOf("l"), { isTerminator: true }),
  row("switchq", ["use"], switchOf("q"), { isTerminator: true }),
  row("return", [], (_asm, c) => c.epilogue(), { isTerminator: true }),
  row("fence.loads", [], (asm) => asm.op(A64.dmbishld)),
  row("fence.stores", [], (asm) => asm.op(A64.dmbishst)),
  row("fence.all", [], (asm) => asm.op(A64.dmbish)),
  row("oops", [], (asm) => asm.i(A64.brk, 0), { isTerminator: true }),
  row("call", [], (asm, c, i) => asm.branch(A64.bl, c.procedureLabels[c.lir.immLo[i]]), {
    isCall: true,
  }),
  row("callIndirect", [], (asm, c, i) => asm.n(A64.blr, c.register(i, c.lir.immLo[i])), {
    isCall: true,
  }),
  rematerializableRow("functionAddress", (asm, c, i) =>
    asm.branchReg(A64.adr, c.register(i, 0), c.procedureLabels[c.lir.immLo[i]]),
  ),
  row(
    "callHost",
    [],
    (asm, c, i) => {
      const [lo, hi] = c.environment.hostFunction(c.lir.immLo[i]);
      asm.constant(SCRATCH_GENERAL, lo, hi, true);
      asm.n(A64.blr, SCRATCH_GENERAL);
    },
    { isCall: true },
  ),
  row(
    "callHost.pool",
    [],
    (asm, c, i) => {
      const [lo, hi] = c.environment.hostFunction(c.lir.immLo[i]);
      asm.branchReg(A64.ldrxLiteral, SCRATCH_GENERAL, c.constants.labelOf(c.code, lo, hi, true));
      asm.n(A64.blr, SCRATCH_GENERAL);
    },
    { isCall: true },
  ),
];

export const ROWS: readonly Arm64Row[] = [
  ...CONSTANT_ROWS,
  ...INTEGER_ROWS,
  ...INTEGER_ARITHMETIC,
  ...ATOMIC_ROWS,
  ...FLOAT_ROWS,
  ...FLOAT_ARITHMETIC,
  ...FLOAT_REMAINDERS,
  ...MEMORY_ROWS,
  ...ARGUMENT_ROWS,
  ...COMPARISONS.flatMap(consumers),
  ...OVERFLOW_ROWS,
  ...CONTROL_ROWS,
  ...PATCHPOINTS,
].map((given) => ({
  ...given,
  keepsFlags: keepsFlags(given.name),
  needsFrame: needsFrame(given.name),
}));
