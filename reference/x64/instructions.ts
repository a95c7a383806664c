// The LIR opcode table of x86-64: for each instruction its operands, the constants that it accepts,
// and its code. Two-address forms have `def=0`; memory operands are `use:any`.

import { nameOfType, type Type, VALUE_TYPES } from "../../src/ir/types.js";
import { comparedOnce } from "../emit/compare-once.js";
import type { EmitContext } from "../emit/emit-context.js";
import { emitSwitch, type SwitchKey } from "../emit/emit-switch.js";
import { isSlot, VECTOR } from "../lir/lir.js";
import { ConditionCode, NEGATED } from "../target/conditions.js";
import { needsFrame } from "../target/needs-frame.js";
import type { ImmediateClass, OperandForm } from "../target/target.js";
import { FLOAT_ARITHMETIC, INTEGER_ARITHMETIC } from "./arithmetic-rows.js";
import type { X64Assembler } from "./assembler.js";
import { ATOMIC_ROWS } from "./atomic-rows.js";
import { X64 } from "./encodings.js";
import { FLOAT_REMAINDERS } from "./float-remainder.js";
import { FUSED_MULTIPLY_ADDS } from "./fused-multiply-add.js";
import { PATCHPOINTS } from "./patchpoints.js";
import { Gpr, SCRATCH_GPR, SCRATCH_XMM } from "./registers.js";
import { fresh, loadConstant, regOrSlot, row, type X64EmitFunction, type X64Row } from "./row.js";

/**
 * The rows of x86-64 that preserve the flags, by name: moves, loads, stores, constants, addresses,
 * and all consumers of a comparison of integers in registers, which record the comparison
 * themselves.
 */
const KEEPS: readonly RegExp[] = [
  /^const/,
  /^(framePointer|slotAddress|functionAddress)$/,
  /^mov/,
  /^(zextl|zextlDone|zextlName|truncq)$/,
  /^(load|store)Argument\./,
  // Encoded as an address computation if the sum has a register of its own; otherwise the row
  // declares that it writes flags.
  /^add[lq](Imm)?\.free$/,
  /^add[lq]\.lsl$/,
  /^(branch|check|set|select\w+)\.(cmp|test|bits)[lq](Imm)?$/,
  /^fence\./,
  /^(entry|jump)$/,
];

const keepsFlags = (name: string): boolean => KEEPS.some((rows) => rows.test(name));

const IMM32: ImmediateClass = { name: "imm32", fits: (lo, hi) => hi === lo >> 31 };
const IMM32_OF_32: ImmediateClass = { name: "imm32", fits: () => true };
const ANY: ImmediateClass = { name: "constant", fits: () => true };
const COUNT: ImmediateClass = { name: "shift count", fits: () => true };
const SCALE: ImmediateClass = { name: "scale", fits: (lo) => lo > 0 && lo <= 3 };
const DISPLACEMENT: ImmediateClass = { name: "disp32", fits: () => true };

// Shapes of emission. Operand 0 is the definition if there is one.
const twoAddress =
  (code: number): X64EmitFunction =>
  (asm, c, i) =>
    regOrSlot(asm, c, code, c.register(i, 0), c.location(i, 2));
const inPlace =
  (code: number): X64EmitFunction =>
  (asm, c, i) =>
    asm.r(code, c.register(i, 0));
const zero: X64EmitFunction = (asm, c, i) => asm.rr(X64.xorl, c.register(i, 0), c.register(i, 0));
const load =
  (code: number): X64EmitFunction =>
  (asm, c, i) =>
    asm.rm(code, c.register(i, 0), c.register(i, 1), c.lir.immLo[i]);
const store =
  (code: number): X64EmitFunction =>
  (asm, c, i) =>
    asm.rm(code, c.register(i, 0), c.register(i, 1), c.lir.immLo[i]);

/** Writes arithmetic with an immediate: the short form if the constant is a signed byte. */
const immediateForms =
  (imm8: number, imm32: number): X64EmitFunction =>
  (asm, c, i) => {
    const value = c.lir.immLo[i];
    asm.ri(value === (value << 24) >> 24 ? imm8 : imm32, c.register(i, 0), value);
  };

// The forms of an operand in memory: at an address, at base + index << shift, or in a stack slot.
// immLo is the displacement, and for a slot immHi is its id.
interface MemoryOperand {
  readonly suffix: string;
  readonly operands: readonly OperandForm[];
  /** `first` is the number of the first of these operands. */
  readonly emit: (
    asm: X64Assembler,
    c: EmitContext,
    i: number,
    code: number,
    reg: number,
    first: number,
  ) => void;
}
const SCALES = [0, 1, 2, 3] as const;
const ADDRESSED: readonly MemoryOperand[] = [
  {
    suffix: "",
    operands: ["use"],
    emit: (asm, c, i, code, reg, first) => asm.rm(code, reg, c.register(i, first), c.lir.immLo[i]),
  },
  ...SCALES.map(
    (scale): MemoryOperand => ({
      suffix: `.x${scale}`,
      operands: ["use", "use"],
      emit: (asm, c, i, code, reg, first) => {
        const [base, index] = [c.register(i, first), c.register(i, first + 1)];
        asm.rmx(code, reg, base, index, scale, c.lir.immLo[i]);
      },
    }),
  ),
];
const IN_SLOT: MemoryOperand = {
  suffix: ".slot",
  operands: [],
  emit: (asm, c, i, code, reg) =>
    asm.rm(code, reg, Gpr.rbp, c.frame.offsetOfSlot(c.lir.immHi[i]) + c.lir.immLo[i]),
};

const INDEXED_IN_SLOT: readonly MemoryOperand[] = SCALES.map((scale) => ({
  suffix: `.slotx${scale}`,
  operands: ["use"],
  emit: (asm, c, i, code, reg, first) => {
    const displacement = c.frame.offsetOfSlot(c.lir.immHi[i]) + c.lir.immLo[i];
    asm.rmx(code, reg, Gpr.rbp, c.register(i, first), scale, displacement);
  },
}));

/** The forms of a two-address operation whose second operand is in memory. */
const loadForms = (plain: X64Row, code: number): X64Row[] =>
  [...ADDRESSED, IN_SLOT, ...INDEXED_IN_SLOT].map(({ suffix, operands, emit }) => ({
    ...plain,
    name: `${plain.name}.load${suffix}`,
    operands: ["def=0", "use", ...operands],
    emit: (asm, c, i) => emit(asm, c, i, code, c.register(i, 0), 2),
  }));

type AluOperation = "add" | "sub" | "and" | "or" | "xor";
function alu(name: AluOperation, w: "l" | "q"): X64Row[] {
  const zeroExtends = w === "l";
  const immediate = w === "l" ? IMM32_OF_32 : IMM32;
  const forms = immediateForms(X64[`${name}${w}Imm8`], X64[`${name}${w}Imm`]);
  const code = `${name}${w}` as const;
  const plain = row(code, ["def=0", "use", "use:any"], twoAddress(X64[code]), { zeroExtends });
  return [
    plain,
    ...loadForms(plain, X64[code]),
    row(`${code}Imm`, ["def=0", "use"], forms, { immediate, zeroExtends }),
  ];
}

/**
 * Returns a sum in a register of its own: an address computation of the machine adds without
 * overwriting an operand.
 */
function freeAdditions(w: "l" | "q"): X64Row[] {
  const zeroExtends = w === "l";
  const add = X64[`add${w}`];
  const emit: X64EmitFunction = (asm, c, i) => {
    const [sum, x, y] = [c.register(i, 0), c.register(i, 1), c.location(i, 2)];
    if (isSlot(y)) {
      if (sum !== x) asm.rr(X64[`mov${w}`], sum, x);
      c.flags.clear();
      regOrSlot(asm, c, add, sum, y);
    } else if (sum === x || sum === y) {
      c.flags.clear();
      asm.rr(add, sum, sum === x ? y : x);
    } else asm.rmx(X64[`lea${w}`], sum, x, y, 0, 0);
  };
  const ofImmediate = immediateForms(X64[`add${w}Imm8`], X64[`add${w}Imm`]);
  const emitImmediate: X64EmitFunction = (asm, c, i) => {
    const [sum, x] = [c.register(i, 0), c.register(i, 1)];
    if (sum === x) {
      c.flags.clear();
      ofImmediate(asm, c, i);
    } else asm.rm(X64[`lea${w}`], sum, x, c.lir.immLo[i]);
  };
  const immediate = w === "l" ? IMM32_OF_32 : IMM32;
  return [
    row(`add${w}.free`, ["def", "use", "use:any"], emit, { zeroExtends }),
    row(`add${w}Imm.free`, ["def", "use"], emitImmediate, {
      ...{ immediate, zeroExtends },
      derivable: true,
    }),
  ];
}

/** Returns an addition of a shifted operand, in a register of its own. */
function scaledAddition(w: "l" | "q"): X64Row {
  const emit: X64EmitFunction = (asm, c, i) => {
    const [sum, x, y] = [c.register(i, 0), c.register(i, 1), c.register(i, 2)];
    asm.rmx(X64[`lea${w}`], sum, x, y, c.lir.immLo[i], 0);
  };
  const immediate = SCALE;
  return row(`add${w}.lsl`, ["def", "use", "use"], emit, { immediate, zeroExtends: w === "l" });
}

function multiply(w: "l" | "q"): X64Row[] {
  const zeroExtends = w === "l";
  const immediate = w === "l" ? IMM32_OF_32 : IMM32;
  const emitImmediate: X64EmitFunction = (asm, c, i) => {
    const value = c.lir.immLo[i];
    const code = value === (value << 24) >> 24 ? X64[`imul${w}Imm8`] : X64[`imul${w}Imm`];
    asm.rri(code, c.register(i, 0), c.register(i, 1), value);
  };
  // Without a use of the flags: address computations multiply by 3, 5 and 9.
  const emitFree: X64EmitFunction = (asm, c, i) => {
    const scale = [3, 5, 9].indexOf(c.lir.immLo[i]) + 1;
    if (scale === 0) emitImmediate(asm, c, i);
    else {
      const x = c.register(i, 1);
      asm.rmx(X64[`lea${w}`], c.register(i, 0), x, x, scale, 0);
    }
  };
  const code = X64[`imul${w}`];
  const plain = row(`imul${w}`, ["def=0", "use", "use:any"], twoAddress(code), { zeroExtends });
  return [
    plain,
    ...loadForms(plain, code),
    row(`imul${w}Imm`, ["def", "use"], emitImmediate, { immediate, zeroExtends }),
    row(`imul${w}Imm.free`, ["def", "use"], emitFree, { immediate, zeroExtends }),
  ];
}

function shifts(name: "shl" | "sar" | "shr" | "rol" | "ror", w: "l" | "q"): X64Row[] {
  const zeroExtends = w === "l";
  const byCl = inPlace(X64[`${name}${w}Cl`]);
  const mask = w === "l" ? 31 : 63;
  const byImmediate: X64EmitFunction = (asm, c, i) =>
    asm.ri(X64[`${name}${w}Imm8`], c.register(i, 0), c.lir.immLo[i] & mask);
  return [
    row(`${name}${w}Imm`, ["def=0", "use"], byImmediate, { immediate: COUNT, zeroExtends }),
    row(`${name}${w}`, ["def=0", "use", { use: Gpr.rcx }], byCl, { zeroExtends }),
  ];
}

const INTEGER_ROWS: X64Row[] = [
  ...(["add", "sub", "and", "or", "xor"] as const).flatMap((name) => [
    ...alu(name, "l"),
    ...alu(name, "q"),
  ]),
  ...freeAdditions("l"),
  ...freeAdditions("q"),
  scaledAddition("l"),
  scaledAddition("q"),
  ...multiply("l"),
  ...multiply("q"),
  ...(["shl", "sar", "shr", "rol", "ror"] as const).flatMap((name) => [
    ...shifts(name, "l"),
    ...shifts(name, "q"),
  ]),
  row("negl", ["def=0", "use"], inPlace(X64.negl), { zeroExtends: true }),
  row("negq", ["def=0", "use"], inPlace(X64.negq)),
  row("bswapl", ["def=0", "use"], inPlace(X64.bswapl), { zeroExtends: true }),
  row("bswapq", ["def=0", "use"], inPlace(X64.bswapq)),
  row("dependl", ["def", "use"], zero, { zeroExtends: true }),
  row("dependq", ["def", "use"], zero, { zeroExtends: true }),
  row(
    "movsbl",
    ["def", "use"],
    (asm, c, i) => asm.rr(X64.movsbl, c.register(i, 0), c.register(i, 1)),
    { zeroExtends: true, derivable: true },
  ),
  row(
    "movswl",
    ["def", "use"],
    (asm, c, i) => asm.rr(X64.movswl, c.register(i, 0), c.register(i, 1)),
    { zeroExtends: true, derivable: true },
  ),
  row("movslq", ["def", "use:any"], fresh(X64.movslq), { derivable: true }),
  // A move of 32 bits clears the upper half, also if source and destination are the same register.
  row("zextl", ["def", "use:any"], fresh(X64.movl), { zeroExtends: true, derivable: true }),
  row("zextlDone", ["def=0", "use"], () => {}),
  row("zextlName", ["redef", "use:any"], () => {}),
  row("truncq", ["redef", "use:any"], () => {}),
];

/**
 * Returns the label of the constant in the pool after the code; the row's immediate is its two
 * halves.
 */
const pooledLabel = (c: EmitContext, i: number, w: "ss" | "sd"): number =>
  c.constants.labelOf(c.code, c.lir.immLo[i], c.lir.immHi[i], w === "sd");
const pooled =
  (w: "ss" | "sd"): X64EmitFunction =>
  (asm, c, i) => {
    const isZero = c.lir.immLo[i] === 0 && (w === "ss" || c.lir.immHi[i] === 0);
    const register = c.register(i, 0);
    if (isZero) asm.rr(X64.xorps, register, register);
    else asm.rmLabel(X64[`mov${w}`], register, pooledLabel(c, i, w));
  };

const rematerializableRow = (name: string, emit: X64EmitFunction): X64Row =>
  row(name, ["def"], emit, { rematerializable: true });

// Constants. Always `mov`, never `xor`: a constant may be computed between a comparison and its
// consumer.
const CONSTANT_ROWS: X64Row[] = [
  row("constl", ["def"], (asm, c, i) => asm.ri(X64.movlImm, c.register(i, 0), c.lir.immLo[i]), {
    zeroExtends: true,
    rematerializable: true,
  }),
  rematerializableRow("constq", (asm, c, i) =>
    loadConstant(asm, c.register(i, 0), c.lir.immLo[i], c.lir.immHi[i]),
  ),
  rematerializableRow("constss", (asm, c, i) => {
    asm.ri(X64.movlImm, SCRATCH_GPR, c.lir.immLo[i]);
    asm.rr(X64.movdToXmm, c.register(i, 0), SCRATCH_GPR);
  }),
  rematerializableRow("constsd", (asm, c, i) => {
    loadConstant(asm, SCRATCH_GPR, c.lir.immLo[i], c.lir.immHi[i]);
    asm.rr(X64.movqToXmm, c.register(i, 0), SCRATCH_GPR);
  }),
  rematerializableRow("framePointer", (asm, c, i) => asm.rr(X64.movq, c.register(i, 0), Gpr.rbp)),
  row("constss.pool", ["def"], pooled("ss"), { immediate: ANY, rematerializable: true }),
  row("constsd.pool", ["def"], pooled("sd"), { immediate: ANY, rematerializable: true }),
  rematerializableRow("slotAddress", (asm, c, i) =>
    asm.rm(X64.leaq, c.register(i, 0), Gpr.rbp, c.frame.offsetOfSlot(c.lir.immLo[i])),
  ),
];

function flipSign(code: "xorps" | "andps", lo: number, hi: number): X64EmitFunction {
  return (asm, c, i) => {
    loadConstant(asm, SCRATCH_GPR, lo, hi);
    asm.rr(X64.movqToXmm, SCRATCH_XMM, SCRATCH_GPR);
    asm.rr(X64[code], c.register(i, 0), SCRATCH_XMM);
  };
}

const round =
  (code: number): X64EmitFunction =>
  (asm, c, i) => {
    const TOWARD_PLUS_INFINITY = 2; // immediate of roundss and roundsd (SDM vol. 2, table 4-18)
    asm.rri(code, c.register(i, 0), c.register(i, 1), TOWARD_PLUS_INFINITY);
  };

function purify(compare: number, lo: number, hi: number): X64EmitFunction {
  return (asm, c, i) => {
    const ordered = c.code.newLabel();
    const register = c.register(i, 0);
    asm.rr(compare, register, register);
    asm.jump(X64.jnp, ordered);
    loadConstant(asm, SCRATCH_GPR, lo, hi);
    asm.rr(X64.movqToXmm, register, SCRATCH_GPR);
    c.code.bind(ordered);
  };
}

const FLOAT_ROWS: X64Row[] = [
  ...(["add", "sub", "mul", "div"] as const).flatMap((name) =>
    (["ss", "sd"] as const).flatMap((w) => {
      const code = X64[`${name}${w}`];
      const plain = row(`${name}${w}`, ["def=0", "use", "use:any"], twoAddress(code));
      return [plain, ...loadForms(plain, code)];
    }),
  ),
  ...(["add", "sub", "mul", "div"] as const).flatMap((name) =>
    (["ss", "sd"] as const).map((w) => {
      const emit: X64EmitFunction = (asm, c, i) =>
        asm.rmLabel(X64[`${name}${w}`], c.register(i, 0), pooledLabel(c, i, w));
      return row(`${name}${w}.pool`, ["def=0", "use"], emit, { immediate: ANY });
    }),
  ),
  row("negss", ["def=0", "use"], flipSign("xorps", -0x8000_0000, 0)),
  row("negsd", ["def=0", "use"], flipSign("xorps", 0, -0x8000_0000)),
  row("absss", ["def=0", "use"], flipSign("andps", 0x7fff_ffff, 0)),
  row("abssd", ["def=0", "use"], flipSign("andps", -1, 0x7fff_ffff)),
  row("ceilss", ["def", "use"], round(X64.roundss)),
  row("ceilsd", ["def", "use"], round(X64.roundsd)),
  row("sqrtss", ["def", "use:any"], fresh(X64.sqrtss)),
  row("sqrtsd", ["def", "use:any"], fresh(X64.sqrtsd)),
  row("purifyss", ["def=0", "use"], purify(X64.ucomiss, 0x7fc0_0000, 0)),
  row("purifysd", ["def=0", "use"], purify(X64.ucomisd, 0, 0x7ff8_0000)),
  row("cvtsi2sdl", ["def", "use:any"], fresh(X64.cvtsi2sdl)),
  row("cvtsi2sdq", ["def", "use:any"], fresh(X64.cvtsi2sdq)),
  row("cvtsi2ssl", ["def", "use:any"], fresh(X64.cvtsi2ssl)),
  row("cvtsi2ssq", ["def", "use:any"], fresh(X64.cvtsi2ssq)),
  row("cvtss2sd", ["def", "use:any"], fresh(X64.cvtss2sd)),
  row("cvtsd2ss", ["def", "use:any"], fresh(X64.cvtsd2ss)),
  row("movdToXmm", ["def", "use:any"], fresh(X64.movdToXmm)),
  row("movqToXmm", ["def", "use:any"], fresh(X64.movqToXmm)),
  row("movdFromXmm", ["def", "use"], (asm, c, i) =>
    asm.rr(X64.movdFromXmm, c.register(i, 1), c.register(i, 0)),
  ),
  row("movqFromXmm", ["def", "use"], (asm, c, i) =>
    asm.rr(X64.movqFromXmm, c.register(i, 1), c.register(i, 0)),
  ),
];

// Memory: [register + displacement].
const LOADS_OF_32 = ["movzbl", "movsbl", "movzwl", "movswl", "movl"] as const;
const LOADS = [...LOADS_OF_32, "movq", "movss", "movsd"] as const;
const STORES = ["movb", "movw", "movl", "movq", "movss", "movsd"] as const;

const loadRow = (code: (typeof LOADS)[number]): X64Row =>
  row(`${code}Load`, ["def", "use"], load(X64[code]), {
    immediate: DISPLACEMENT,
    zeroExtends: LOADS_OF_32.some((narrow) => narrow === code),
  });
const storeRow = (code: (typeof STORES)[number]): X64Row =>
  row(`${code}Store`, ["use", "use"], store(X64[`${code}Store`]), { immediate: DISPLACEMENT });

/**
 * Returns the same access in a stack slot, without a register for the address: immHi is the slot's
 * id.
 */
const slotRow = (plain: X64Row, code: number): X64Row => ({
  ...plain,
  name: `${plain.name}.slot`,
  operands: plain.operands.slice(0, 1),
  emit: (asm, c, i) => {
    const offset = c.frame.offsetOfSlot(c.lir.immHi[i]) + c.lir.immLo[i];
    asm.rm(code, c.register(i, 0), Gpr.rbp, offset);
  },
});

/**
 * Returns the same access at base + index << shift, with an index of 64 bits: the last two
 * operands.
 */
const indexedRows = (plain: X64Row, code: number): X64Row[] =>
  SCALES.map((scale) => ({
    ...plain,
    name: `${plain.name}.x${scale}`,
    operands: [...plain.operands, "use"],
    emit: (asm, c, i) =>
      asm.rmx(code, c.register(i, 0), c.register(i, 1), c.register(i, 2), scale, c.lir.immLo[i]),
  }));

/** Returns the same access with a constant: immHi is its low word. */
const constantRow = (plain: X64Row, code: number, immediate: ImmediateClass): X64Row => ({
  ...plain,
  name: `${plain.name}.constant`,
  operands: plain.operands.slice(1),
  immediate,
  emit: (asm, c, i) => asm.rmi(code, c.register(i, 0), c.lir.immLo[i], c.lir.immHi[i]),
});

const indexedConstantRows = (plain: X64Row, code: number, immediate: ImmediateClass): X64Row[] =>
  SCALES.map((scale) => ({
    ...plain,
    name: `${plain.name}.x${scale}.constant`,
    immediate,
    emit: (asm, c, i) => {
      const [base, index] = [c.register(i, 0), c.register(i, 1)];
      asm.rmxi(code, base, index, scale, c.lir.immLo[i], c.lir.immHi[i]);
    },
  }));

// A byte or a word is stored from the low bits of the constant; a float by its bits.
const IMM8: ImmediateClass = { name: "low 8 bits", fits: (lo) => lo === (lo << 24) >> 24 };
const IMM16: ImmediateClass = { name: "low 16 bits", fits: (lo) => lo === (lo << 16) >> 16 };
const CONSTANT_STORES: readonly X64Row[] = (
  [
    ["movb", X64.movbImmStore, IMM8],
    ["movw", X64.movwImmStore, IMM16],
    ["movl", X64.movlImmStore, IMM32_OF_32],
    ["movq", X64.movqImm, IMM32],
    ["movss", X64.movlImmStore, IMM32_OF_32],
    ["movsd", X64.movqImm, IMM32],
  ] as const
).flatMap(([name, code, immediate]) => [
  constantRow(storeRow(name), code, immediate),
  ...indexedConstantRows(storeRow(name), code, immediate),
]);

const accessRows = (plain: X64Row, code: number): X64Row[] => [
  plain,
  slotRow(plain, code),
  ...indexedRows(plain, code),
  ...INDEXED_IN_SLOT.map(({ suffix, emit }) => ({
    ...plain,
    name: `${plain.name}${suffix}`,
    emit: ((asm, c, i) => emit(asm, c, i, code, c.register(i, 0), 1)) satisfies X64EmitFunction,
  })),
];
const MEMORY_ROWS: X64Row[] = [
  ...CONSTANT_STORES,
  ...LOADS.flatMap((code) => accessRows(loadRow(code), X64[code])),
  ...STORES.flatMap((code) => accessRows(storeRow(code), X64[`${code}Store`])),
];

// Outgoing stack arguments, upward from the stack pointer.
const ARGUMENT_ROWS: X64Row[] = (
  [
    ["l", "movl"],
    ["q", "movq"],
    ["ss", "movss"],
    ["sd", "movsd"],
  ] as const
).map(([suffix, code]) =>
  row(`storeArgument.${suffix}`, ["use"], (asm, c, i) =>
    asm.rm(X64[`${code}Store`], c.register(i, 0), Gpr.rsp, c.lir.immLo[i]),
  ),
);

// Comparisons: each compares in one way and has one kind of consumer; the condition code is in
// immHi.

/** Suffixes of `setcc`, `cmovcc` and `jcc`, by condition code of integers. */
const CODES = ["e", "ne", "l", "g", "le", "ge", "a", "b", "ae", "be"] as const;
const SETCC: number[] = CODES.map((code) => X64[`set${code}`]);
const JCC = CODES.map((code) => X64[`j${code}`]);
const CMOVL = CODES.map((code) => X64[`cmov${code}l`]);
const CMOVQ = CODES.map((code) => X64[`cmov${code}q`]);

// For floats, as for the jumps below; `feq` and `fne` also test the parity flag.
SETCC[ConditionCode.flt] = X64.seta;
SETCC[ConditionCode.fgt] = X64.seta;
SETCC[ConditionCode.fle] = X64.setae;
SETCC[ConditionCode.fge] = X64.setae;
SETCC[ConditionCode.fequ] = X64.sete;
SETCC[ConditionCode.fone] = X64.setne;
SETCC[ConditionCode.fnlt] = X64.setbe;
SETCC[ConditionCode.fngt] = X64.setbe;
SETCC[ConditionCode.fnle] = X64.setb;
SETCC[ConditionCode.fnge] = X64.setb;

/** The jump on a condition code and that on its negation; `jp` is separate. */
const JUMPS: (readonly [number, number])[] = CODES.map((code, condition) => [
  X64[`j${code}`],
  JCC[NEGATED[condition]],
]);
JUMPS[ConditionCode.feq] = [X64.je, X64.jne];
JUMPS[ConditionCode.fne] = [X64.jne, X64.je];
JUMPS[ConditionCode.flt] = [X64.ja, X64.jbe];
JUMPS[ConditionCode.fgt] = [X64.ja, X64.jbe];
JUMPS[ConditionCode.fle] = [X64.jae, X64.jb];
JUMPS[ConditionCode.fge] = [X64.jae, X64.jb];
JUMPS[ConditionCode.fequ] = [X64.je, X64.jne];
JUMPS[ConditionCode.fone] = [X64.jne, X64.je];
JUMPS[ConditionCode.fnlt] = [X64.jbe, X64.ja];
JUMPS[ConditionCode.fngt] = [X64.jbe, X64.ja];
JUMPS[ConditionCode.fnle] = [X64.jb, X64.jae];
JUMPS[ConditionCode.fnge] = [X64.jb, X64.jae];

interface ComparisonInstruction {
  readonly name: string;
  readonly operands: readonly OperandForm[];
  readonly immediate: ImmediateClass | null;
  /** `first` is the number of the comparison's first operand. */
  readonly emit: (asm: X64Assembler, c: EmitContext, i: number, first: number) => void;
}

const compare = (name: "cmpl" | "cmpq" | "ucomiss" | "ucomisd"): ComparisonInstruction => ({
  name,
  operands: ["use", "use:any"],
  immediate: null,
  emit: (asm, c, i, first) => {
    // `a < b` for floats is compared as `b > a`, so that an unordered result, which sets the carry,
    // is false.
    const mirrored = isMirrored(c.lir.immHi[i]);
    const x = c.location(i, mirrored ? first + 1 : first);
    const y = c.location(i, mirrored ? first : first + 1);
    regOrSlot(asm, c, X64[name], x & (VECTOR - 1), y);
  },
});
const MIRRORED: readonly number[] = [
  ...[ConditionCode.flt, ConditionCode.fle],
  ...[ConditionCode.fnlt, ConditionCode.fnle],
];
const isMirrored = (condition: number): boolean => MIRRORED.includes(condition);

/** A comparison of floats: both operands in registers, because either may come first. */
const compareFloats = (name: "ucomiss" | "ucomisd"): ComparisonInstruction => ({
  ...compare(name),
  operands: ["use", "use"],
});

const compareImmediate = (w: "l" | "q"): ComparisonInstruction => ({
  name: `cmp${w}Imm`,
  operands: ["use"],
  immediate: w === "l" ? IMM32_OF_32 : IMM32,
  emit: (asm, c, i, first) => {
    const value = c.lir.immLo[i];
    const code = value === (value << 24) >> 24 ? X64[`cmp${w}Imm8`] : X64[`cmp${w}Imm`];
    asm.ri(code, c.register(i, first), value);
  },
});

/**
 * The second operand is in memory, but not in a slot, as the condition code occupies the field of
 * its id.
 */
const compareLoads = (name: "cmpl" | "cmpq"): ComparisonInstruction[] =>
  ADDRESSED.map(({ suffix, operands, emit }) => ({
    name: `${name}.load${suffix}`,
    operands: ["use", ...operands],
    immediate: null,
    emit: (asm, c, i, first) => emit(asm, c, i, X64[name], c.register(i, first), first + 1),
  }));

const test = (w: "l" | "q"): ComparisonInstruction => ({
  name: `test${w}`,
  operands: ["use"],
  immediate: null,
  emit: (asm, c, i, first) => asm.rr(X64[`test${w}`], c.register(i, first), c.register(i, first)),
});

/** Tests whether the operands have a common bit. */
const bits = (w: "l" | "q"): ComparisonInstruction[] => [
  {
    name: `bits${w}Imm`,
    operands: ["use"],
    immediate: w === "l" ? IMM32_OF_32 : IMM32,
    emit: (asm, c, i, first) => asm.ri(X64[`test${w}Imm`], c.register(i, first), c.lir.immLo[i]),
  },
  {
    name: `bits${w}`,
    operands: ["use", "use:any"],
    immediate: null,
    emit: (asm, c, i, first) =>
      regOrSlot(asm, c, X64[`test${w}`], c.register(i, first), c.location(i, first + 1)),
  },
];

const IN_REGISTERS: readonly ComparisonInstruction[] = [
  compareImmediate("l"),
  compare("cmpl"),
  compareImmediate("q"),
  compare("cmpq"),
  compareFloats("ucomiss"),
  compareFloats("ucomisd"),
  test("l"),
  test("q"),
  ...bits("l"),
  ...bits("q"),
];
const COMPARISONS: readonly ComparisonInstruction[] = [
  ...IN_REGISTERS.map(comparedOnce<X64Assembler, ComparisonInstruction>),
  ...compareLoads("cmpl"),
  ...compareLoads("cmpq"),
];

/**
 * Jumps after a comparison: to `taken` if the condition holds, otherwise to `other`. It writes no
 * jump to `next`, the code after it. Unordered floats set ZF, PF and CF.
 */
function branch(
  asm: X64Assembler,
  condition: number,
  taken: number,
  other: number,
  next: number,
): void {
  const { feq, fne } = ConditionCode;
  if (condition === feq) {
    asm.jump(X64.jp, other);
  } else if (condition === fne) {
    asm.jump(X64.jp, taken);
  }
  const [jump, negation] = JUMPS[condition];
  if (taken === next) {
    asm.jump(negation, other);
    return;
  }
  asm.jump(jump, taken);
  if (other !== next) asm.jump(X64.jmp, other);
}

/** Sets the register to 1 or 0 after a comparison. */
function setCondition(asm: X64Assembler, condition: number, register: number): void {
  const { feq, fne } = ConditionCode;
  if (condition === feq || condition === fne) {
    const isEqual = condition === feq;
    asm.r(isEqual ? X64.sete : X64.setne, register);
    asm.r(isEqual ? X64.setnp : X64.setp, SCRATCH_GPR);
    asm.rr(isEqual ? X64.andl : X64.orl, register, SCRATCH_GPR);
  } else asm.r(SETCC[condition], register);
  asm.rr(X64.movzbl, register, register);
}

// The comparison reads the definition's register only before `setcc` writes it, so all uses are at
// start.
function consumers(comparison: ComparisonInstruction): X64Row[] {
  const { name, operands, immediate } = comparison;
  const branchEmit: X64EmitFunction = (asm, c, i) => {
    comparison.emit(asm, c, i, 0);
    const [taken, other] = [c.blockLabels[c.successor(0)], c.blockLabels[c.successor(1)]];
    branch(asm, c.lir.immHi[i], taken, other, c.nextLabel);
  };
  const checkEmit: X64EmitFunction = (asm, c, i) => {
    comparison.emit(asm, c, i, 0);
    const stay = c.code.newLabel();
    branch(asm, c.lir.immHi[i], c.stubLabel(i), stay, stay);
    c.code.bind(stay);
  };
  const setEmit: X64EmitFunction = (asm, c, i) => {
    comparison.emit(asm, c, i, 1);
    setCondition(asm, c.lir.immHi[i], c.register(i, 0));
  };
  return [
    row(`branch.${name}`, operands, branchEmit, { immediate, isTerminator: true }),
    row(`check.${name}`, operands, checkEmit, { immediate }),
    row(`set.${name}`, ["def", ...operands], setEmit, { immediate, zeroExtends: true }),
    ...VALUE_TYPES.map((type) => select(comparison, type)),
  ];
}

/**
 * Operands: definition, the value for false (reused), the value for true, then the comparison's.
 */
function select(comparison: ComparisonInstruction, type: Type): X64Row {
  const typeName = nameOfType(type);
  const cmov = typeName === "Int32" ? CMOVL : typeName === "Int64" ? CMOVQ : null;
  const move = { Int32: X64.movl, Int64: X64.movq, Float: X64.movss, Double: X64.movsd, Void: 0 };
  const emit: X64EmitFunction = (asm, c, i) => {
    const condition = c.lir.immHi[i];
    comparison.emit(asm, c, i, 3);
    if (cmov !== null && condition < CODES.length) {
      regOrSlot(asm, c, cmov[condition], c.register(i, 0), c.location(i, 2));
      return;
    }
    const [take, keep] = [c.code.newLabel(), c.code.newLabel()];
    branch(asm, condition, take, keep, take);
    c.code.bind(take);
    regOrSlot(asm, c, move[typeName], c.register(i, 0), c.location(i, 2));
    c.code.bind(keep);
  };
  const operands: OperandForm[] = ["def=0", "use", "use:any", ...comparison.operands];
  const { immediate } = comparison;
  return row(`select${typeName}.${comparison.name}`, operands, emit, { immediate });
}

// Guards on overflow: the operation and its exit are one instruction, so no other code changes the
// flags between them.
const overflow =
  (emitOperation: X64EmitFunction): X64EmitFunction =>
  (asm, c, i) => {
    emitOperation(asm, c, i);
    asm.jump(X64.jo, c.stubLabel(i));
  };

/**
 * Converts and checks: the integer, converted back, must equal the number; a NaN is unordered. A
 * zero may have a sign.
 */
const conversion =
  (isExact: boolean): X64EmitFunction =>
  (asm, c, i) => {
    const [result, x] = [c.register(i, 0), c.register(i, 1)];
    asm.rr(X64.cvttsd2sil, result, x);
    asm.rr(X64.cvtsi2sdl, SCRATCH_XMM, result);
    asm.rr(X64.ucomisd, x, SCRATCH_XMM);
    asm.jump(X64.jp, c.stubLabel(i));
    asm.jump(X64.jne, c.stubLabel(i));
    if (!isExact) return;
    const done = c.code.newLabel();
    asm.rr(X64.testl, result, result);
    asm.jump(X64.jne, done);
    asm.rr(X64.movmskpd, SCRATCH_GPR, x);
    asm.ri(X64.testlImm, SCRATCH_GPR, 1);
    asm.jump(X64.jne, c.stubLabel(i));
    c.code.bind(done);
  };

const OVERFLOW_ROWS: X64Row[] = [
  row("check.sd2sl", ["def", "use"], conversion(false), { zeroExtends: true }),
  row("check.sd2sl.exact", ["def", "use"], conversion(true), { zeroExtends: true }),
  ...INTEGER_ROWS.filter(({ name }) => /^((add|sub|imul)[lq](Imm)?|neg[lq])$/.test(name)).map(
    (plain) => ({ ...plain, name: `check.${plain.name}`, emit: overflow(plain.emit) }),
  ),
  row("check.always", [], (asm, c, i) => asm.jump(X64.jmp, c.stubLabel(i))),
];

// Switch: the operand, and a temp for the index of a table.
function switchOf(w: "l" | "q"): X64EmitFunction {
  return (asm, c, i) => {
    const [operand, index] = [c.register(i, 0), c.register(i, 1)];
    const isWide = w === "q";
    const withKey = (name: "cmp" | "sub", register: number, { lo, hi }: SwitchKey): void => {
      if (isWide && hi !== lo >> 31) {
        loadConstant(asm, SCRATCH_GPR, lo, hi);
        asm.rr(X64[`${name}q`], register, SCRATCH_GPR);
      } else {
        asm.ri(X64[`${name}${w}${lo === (lo << 24) >> 24 ? "Imm8" : "Imm"}`], register, lo);
      }
    };
    emitSwitch(c, i, isWide, {
      goIfEqual: (key, label, isCompared) => {
        if (!isCompared) withKey("cmp", operand, key);
        asm.jump(X64.je, label);
      },
      goIfLess: (key, label) => {
        withKey("cmp", operand, key);
        asm.jump(X64.jl, label);
      },
      go: (label) => asm.jump(X64.jmp, label),
      goByTable: (least, count, table, otherwise) => {
        // A 32-bit move or subtraction clears the upper half, which is part of the index.
        asm.rr(isWide ? X64.movq : X64.movl, index, operand);
        if (least.lo !== 0 || least.hi !== 0) withKey("sub", index, least);
        withKey("cmp", index, { lo: count - 1, hi: 0 });
        asm.jump(X64.ja, otherwise);
        asm.rmLabel(X64.leaq, SCRATCH_GPR, table);
        asm.rmx(X64.movslq, index, SCRATCH_GPR, index, 2, 0);
        asm.rr(X64.addq, index, SCRATCH_GPR);
        asm.r(X64.jmpIndirect, index);
      },
    });
  };
}

// Control, calls, and the two ends of a procedure. Lowering adds their fixed operands.
const CONTROL_ROWS: X64Row[] = [
  row("entry", [], () => {}),
  row(
    "jump",
    [],
    (asm, c) => {
      const target = c.blockLabels[c.successor(0)];
      if (target !== c.nextLabel) asm.jump(X64.jmp, target);
    },
    { isTerminator: true },
  ),
  // The operand is late: the search reads it after a table's temp may have been written.
  row("switchl", ["use:late", "temp"], switchOf("l"), { isTerminator: true }),
  row("switchq", ["use:late", "temp"], switchOf("q"), { isTerminator: true }),
  row("return", [], (_asm, c) => c.epilogue(), { isTerminator: true }),
  // Stores are performed in order, and so are loads; only a load may overtake a store.
  row("fence.loads", [], () => {}),
  row("fence.stores", [], () => {}),
  row("fence.all", [], (asm) => asm.op(X64.mfence)),
  row("oops", [], (asm) => asm.op(X64.ud2), { isTerminator: true }),
  row("call", [], (asm, c, i) => asm.jump(X64.call, c.procedureLabels[c.lir.immLo[i]]), {
    isCall: true,
  }),
  row("callIndirect", [], (asm, c, i) => asm.r(X64.callIndirect, c.register(i, c.lir.immLo[i])), {
    isCall: true,
  }),
  rematerializableRow("functionAddress", (asm, c, i) =>
    asm.rmLabel(X64.leaq, c.register(i, 0), c.procedureLabels[c.lir.immLo[i]]),
  ),
  row(
    "callHost",
    [],
    (asm, c, i) => {
      const [lo, hi] = c.environment.hostFunction(c.lir.immLo[i]);
      loadConstant(asm, SCRATCH_GPR, lo, hi);
      asm.r(X64.callIndirect, SCRATCH_GPR);
    },
    { isCall: true },
  ),
];

export const ROWS: readonly X64Row[] = [
  ...CONSTANT_ROWS,
  ...INTEGER_ROWS,
  ...INTEGER_ARITHMETIC,
  ...ATOMIC_ROWS,
  ...FLOAT_ROWS,
  ...FLOAT_ARITHMETIC,
  ...FLOAT_REMAINDERS,
  ...FUSED_MULTIPLY_ADDS,
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
