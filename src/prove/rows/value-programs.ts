// Makes programs that compute one value: every pure opcode at every type, with operands in
// registers, with equal operands, and with constants on both sides of the immediate limits; and
// operations with an operand that is folded into the instruction.

import {
  EFFECTS,
  isValueOperand,
  OPCODE_NAMES,
  Op,
  type OpcodeName,
  PARTIAL,
  specOf,
  typeOfName,
  typesAlso,
  typesOver,
} from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  otherBank,
  type Type,
  typeNamed,
  Void,
} from "../../ir/types.js";
import type { ProgramDraft, ProgramSketch } from "./sketch.js";

/** Opcodes without an instruction of their own, or that their user computes. */
const EXCLUDED_OPCODES: readonly OpcodeName[] = ["Nop", "Identity", "ArgumentReg"];
const OPCODES = OPCODE_NAMES.filter((name) => {
  const { args } = specOf(Op[name]);
  const isComputed = (EFFECTS[Op[name]] & ~PARTIAL) === 0 && args.length > 0;
  return isComputed && args.every(isValueOperand) && !EXCLUDED_OPCODES.includes(name);
});

/** Constants by type, on both sides of the limits of immediates. */
const CONSTANTS: { readonly [type: number]: readonly bigint[] } = {
  [Int32]: [5n, -1n, 4096n, 0x1234_5678n, 0n],
  [Int64]: [5n, -1n, 0x7fff_ffffn, 0x8000_0000n, 0n, 0x1234_5678_9abc_def0n],
  [Float]: [0x3fc0_0000n, 0n],
  [Double]: [0x3ff8_0000_0000_0000n, 0n],
};
export const constantsOf = (type: Type): readonly bigint[] => CONSTANTS[type];

const orVoid = (types: readonly Type[]): readonly Type[] => (types.length === 0 ? [Void] : types);

/** Returns the operand types, for each choice of T and U. */
function typingsOf(name: OpcodeName): Type[][] {
  const kinds = specOf(Op[name]).args.filter(isValueOperand);
  return orVoid(typesOver(Op[name])).flatMap((t) =>
    orVoid(typesAlso(Op[name])).map((u) =>
      kinds.map((kind) => (kind === "T" ? t : kind === "U" ? u : typeOfName(kind))),
    ),
  );
}

type OperandDraft = (s: ProgramSketch, type: Type) => Value;
const named =
  (name: string): OperandDraft =>
  (s, type) =>
    s.parameter(name, type);
const constant =
  (bits: bigint): OperandDraft =>
  (s, type) =>
    s.constant(type, bits);
const [x, y, z] = ["x", "y", "z"].map(named);

/** Returns the combinations of operand kinds of an operation. */
function arrangementsOf(types: readonly Type[]): (readonly OperandDraft[])[] {
  if (types.length === 1) return [[x], [constant(constantsOf(types[0])[0])]];
  if (types.length === 3)
    return [
      [x, y, z],
      [x, y, y],
      [x, y, constant(constantsOf(types[2])[0])],
    ];
  const same = types[0] === types[1] ? [[x, x]] : [];
  return [
    [x, y],
    ...same,
    ...constantsOf(types[1]).map((bits) => [x, constant(bits)]),
    ...constantsOf(types[0])
      .slice(0, 2)
      .map((bits) => [constant(bits), y]),
  ];
}

const make = (
  s: ProgramSketch,
  name: OpcodeName,
  types: readonly Type[],
  operands: readonly OperandDraft[],
): Value => s.op(name, ...types.map((type, i) => operands[i](s, type)));

export function* valueDrafts(): Generator<ProgramDraft> {
  for (const name of OPCODES) {
    for (const types of typingsOf(name)) {
      for (const operands of arrangementsOf(types)) yield (s) => make(s, name, types, operands);
    }
  }
}

function resultOf(name: OpcodeName, types: readonly Type[]): Type {
  const { args, result } = specOf(Op[name]);
  const t = types[args.indexOf("T")] ?? Void;
  if (result === "Bits") return otherBank(t);
  return result === "T" ? t : (typeNamed(result) ?? Void);
}

/** Yields programs that rely on a cleared upper half of a 32-bit value. */
export function* extensionDrafts(): Generator<ProgramDraft> {
  for (const name of OPCODES) {
    for (const types of typingsOf(name)) {
      if (resultOf(name, types) !== Int32) continue;
      const [first] = arrangementsOf(types);
      yield (s) => s.op("ZExt32", make(s, name, types, first));
    }
  }
}

// Shift counts of operands that are folded into the instruction.

const COUNTS = [1n, 3n, 31n, 63n, 0n] as const;
const TAKING = ["Add", "Sub", "BitAnd", "BitOr", "BitXor"] as const;
const MOVING = ["Shl", "ZShr", "SShr", "RotR"] as const;

type InnerDraft = (s: ProgramSketch) => Value;
function innersOf(type: Type): InnerDraft[] {
  const y_ = (s: ProgramSketch): Value => s.parameter("y", type);
  const moved = MOVING.flatMap((name) =>
    COUNTS.map(
      (count): InnerDraft =>
        (s) =>
          s.op(name, y_(s), s.constant(Int32, count)),
    ),
  );
  const wide = (name: OpcodeName) => (s: ProgramSketch) => s.op(name, s.parameter("y", Int32));
  const scaled = (name: OpcodeName, shift: bigint) => (s: ProgramSketch) =>
    s.op("Shl", wide(name)(s), s.constant(Int32, shift));
  const extended = type === Int64 ? (["SExt32", "ZExt32"] as const) : [];
  return [
    ...moved,
    (s) => s.op("BitXor", y_(s), s.constant(type, -1n)),
    (s) => s.op("Mul", y_(s), s.parameter("z", type)),
    ...extended.flatMap((name) => [
      wide(name),
      ...[1n, 2n, 3n].map((shift) => scaled(name, shift)),
    ]),
  ];
}

export function* foldedDrafts(): Generator<ProgramDraft> {
  for (const type of [Int32, Int64]) {
    for (const name of TAKING) {
      for (const inner of innersOf(type)) {
        yield (s) => s.op(name, s.parameter("x", type), inner(s));
        yield (s) => {
          const first = s.parameter("x", type);
          return s.op(name, inner(s), first);
        };
      }
    }
  }
}

/** Yields conversions whose operand is provably in range. */
export function* provedDrafts(): Generator<ProgramDraft> {
  const conversions = ["TruncS32", "TruncU32", "TruncS64", "TruncU64"] as const;
  for (const name of conversions) {
    for (const from of ["IToD", "UToD", "IToF", "UToF"] as const) {
      yield (s) => s.op(name, s.op(from, s.op("SExt8", s.parameter("x", Int32))));
      yield (s) =>
        s.op(name, s.op(from, s.op("BitAnd", s.parameter("x", Int32), s.constant(Int32, 255n))));
      yield (s) => s.op(name, s.op(from, s.parameter("x", Int32)));
    }
  }
}
