// Computes the last operand of a LIR row by the suffix of the row's name: from memory, from the
// immediate, or shifted or extended.

import { Op, type Opcode } from "../../ir/opcodes.js";
import { Int32, Int64, type Type } from "../../ir/types.js";
import { NO_HELP } from "../rule-query.js";
import { apply, bits, signExtend, type Term, zeroExtend } from "../smt.js";
import { operation } from "../symbolic-meanings.js";
import { integer, type SymbolicValue, widthOf } from "../symbolic-value.js";
import type { LirSite } from "./lir-site.js";

/** Returns the value of operand k. */
export type Source = (m: LirSite, type: Type, k: number) => SymbolicValue;
/** Returns the address of a memory operand, the first part of which is operand k. */
export type OperandAddress = (m: LirSite, k: number) => Term;
type BySuffix<T> = readonly (readonly [suffix: string, what: T])[];

/**
 * Computes an opcode of the language for these operands; where it is undefined, the instruction
 * faults.
 */
export const compute = (
  m: LirSite,
  opcode: Opcode,
  result: Type,
  ...operands: readonly SymbolicValue[]
): SymbolicValue =>
  operation(opcode, {
    query: m.query,
    result,
    operands,
    wording: NO_HELP.wording,
    forbid: (claim) => m.faults.push(claim),
  });

const sum = (...terms: readonly Term[]): Term => apply("bvadd", ...terms);
const shifted = (index: Term, scale: number): Term =>
  scale === 0 ? index : apply("bvshl", index, bits(64, scale));
const displacement = (m: LirSite): Term => bits(64, m.lo);

const SCALES = [0, 1, 2, 3] as const;
/** An index of 64 bits, or of 32 bits with an extension. */
const INDICES = [
  ["x", (m, k) => m.wide(k)],
  ["u", (m, k) => zeroExtend(32, m.low(k))],
  ["s", (m, k) => signExtend(32, m.low(k))],
] as const satisfies BySuffix<OperandAddress>;

const indexed = INDICES.flatMap(([kind, index]) =>
  SCALES.map((scale): readonly [string, OperandAddress] => [
    `.${kind}${scale}`,
    (m, k) => sum(m.wide(k), shifted(index(m, k + 1), scale), displacement(m)),
  ]),
);

/** Addresses in a register, with an index; the displacement is the immediate's low word. */
export const ADDRESSED: BySuffix<OperandAddress> = [
  ["", (m, k) => sum(m.wide(k), displacement(m))],
  ...indexed,
];

/** In addition, addresses within a stack slot, whose id is the immediate's high word. */
export const PLACES: BySuffix<OperandAddress> = [
  ...ADDRESSED,
  [".slot", (m) => sum(m.slotAddress(m.hi), displacement(m))],
  ...SCALES.map((scale): readonly [string, OperandAddress] => [
    `.slotx${scale}`,
    (m, k) => sum(m.slotAddress(m.hi), shifted(m.wide(k), scale), displacement(m)),
  ]),
];

const inPlace: Source = (m, type, k) => m.value(type, k);
const immediate: Source = (m, type) => m.immediate(type);

const shiftedOperand =
  (opcode: Opcode): Source =>
  (m, type, k) =>
    compute(m, opcode, type, m.value(type, k), integer(Int32, bits(32, m.lo)));

/** Sources of the second operand of a binary operation. */
export const SOURCES: BySuffix<Source> = [
  ["", inPlace],
  [".free", inPlace],
  ["Imm", immediate],
  ["Imm.free", immediate],
  [".pool", immediate],
  ...PLACES.map(([suffix, place]): readonly [string, Source] => [
    `.load${suffix}`,
    (m, type, k) => m.read(type, place(m, k)),
  ]),
  [".lsl", shiftedOperand(Op.Shl)],
  [".lsr", shiftedOperand(Op.ZShr)],
  [".asr", shiftedOperand(Op.SShr)],
  [".ror", shiftedOperand(Op.RotR)],
  [".not", (m, type, k) => inverted(m, type, k)],
  [".mul", (m, type, k) => compute(m, Op.Mul, type, m.value(type, k), m.value(type, k + 1))],
  ...INDICES.slice(1).flatMap(([kind, index]) =>
    SCALES.map((scale): readonly [string, Source] => [
      `.${kind}${scale}`,
      (m, _type, k) => integer(Int64, shifted(index(m, k), scale)),
    ]),
  ),
];

/** Sources of a shift count, which is an Int32. */
export const COUNTS: BySuffix<Source> = [
  ["", (m, _type, k) => integer(Int32, m.low(k))],
  ["Imm", (m) => integer(Int32, bits(32, m.lo))],
];

export function inverted(m: LirSite, type: Type, k: number): SymbolicValue {
  const ones = integer(type, bits(widthOf(type), -1));
  return compute(m, Op.BitXor, type, m.value(type, k), ones);
}
