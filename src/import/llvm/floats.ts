// Writes floating-point instructions on scalars (LangRef, "Floating-Point Environment", "Fast-Math Flags", "fcmp
// Instruction", "Conversion Operations"). The language computes them as IEEE 754 does, and leaves the bits of a NaN open.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type } from "../../ir/types.js";
import { outside } from "../../llvm/llvm-error.js";
import type { LlvmEmitter } from "./emitter.js";
import { type InstructionFlags, signExtended, zeroExtended } from "./integers.js";
import type { LlvmScalar } from "./leaves.js";

export const isNaNValue = (e: LlvmEmitter, x: Value): Value => e.compare(Op.NotEqual, x, x);

const isInfinite = (e: LlvmEmitter, x: Value): Value =>
  e.compare(Op.Equal, e.emit(Op.Abs, x.type, x), e.float(x.type, Infinity));

/** Flags that allow another result than the one of IEEE 754. */
const INEXACT = ["reassoc", "contract", "arcp", "afn", "fast"];

/**
 * Returns the result under fast-math flags. It is poison where they make it poison, and also where they allow more than
 * one result: then a later text may compute any of them.
 * @param results the values that `nnan` and `ninf` constrain, besides the operands
 */
export function relaxed(
  e: LlvmEmitter,
  value: Value,
  operands: readonly LlvmScalar[],
  flags: InstructionFlags,
  constrained: readonly Value[] = [...operands.map((each) => each.value), value],
): LlvmScalar {
  const has = (flag: string): boolean => flags.has(flag) || flags.has("fast");
  const conditions: (Value | null)[] = operands.map(({ poison }) => poison);
  if (INEXACT.some((flag) => flags.has(flag)) && value.type !== Int32) conditions.push(e.int(1));
  if (has("nnan")) conditions.push(...constrained.map((each) => isNaNValue(e, each)));
  if (has("ninf")) conditions.push(...constrained.map((each) => isInfinite(e, each)));
  if (has("nsz") && value.type !== Int32)
    conditions.push(e.compare(Op.Equal, value, e.float(value.type, 0)));
  return { value, poison: e.either(...conditions) };
}

const BINARY: Readonly<Record<string, Opcode>> = {
  fadd: Op.Add,
  fsub: Op.Sub,
  fmul: Op.Mul,
  fdiv: Op.Div,
  frem: Op.Mod,
};
export const isFloatOpcode = (opcode: string): boolean => Object.hasOwn(BINARY, opcode);

export function writeFloat(
  e: LlvmEmitter,
  opcode: string,
  [x, y]: readonly [LlvmScalar, LlvmScalar],
  flags: InstructionFlags,
): LlvmScalar {
  const value = e.emit(BINARY[opcode], x.value.type, x.value, y.value);
  return relaxed(e, value, [x, y], flags);
}

type FloatComparison = (e: LlvmEmitter, x: Value, y: Value) => Value;

const ordered =
  (opcode: Opcode): FloatComparison =>
  (e, x, y) =>
    e.compare(opcode, x, y);
const negated =
  (compare: FloatComparison): FloatComparison =>
  (e, x, y) =>
    e.not(compare(e, x, y));
const unordered: FloatComparison = (e, x, y) =>
  e.emit(Op.BitOr, Int32, isNaNValue(e, x), isNaNValue(e, y));

const PREDICATES: Readonly<Record<string, FloatComparison>> = {
  false: (e) => e.int(0),
  true: (e) => e.int(1),
  oeq: ordered(Op.Equal),
  ogt: ordered(Op.GreaterThan),
  oge: ordered(Op.GreaterEqual),
  olt: ordered(Op.LessThan),
  ole: ordered(Op.LessEqual),
  one: negated((e, x, y) => e.compare(Op.EqualOrUnordered, x, y)),
  ord: negated(unordered),
  uno: unordered,
  ueq: ordered(Op.EqualOrUnordered),
  ugt: negated(ordered(Op.LessEqual)),
  uge: negated(ordered(Op.LessThan)),
  ult: negated(ordered(Op.GreaterEqual)),
  ule: negated(ordered(Op.GreaterThan)),
  une: ordered(Op.NotEqual),
};

export function writeFloatComparison(
  e: LlvmEmitter,
  predicate: string,
  operands: readonly [LlvmScalar, LlvmScalar],
  flags: InstructionFlags,
): LlvmScalar {
  if (!Object.hasOwn(PREDICATES, predicate)) throw outside(e.line, `fcmp ${predicate}`);
  const [x, y] = operands.map(({ value }) => value);
  const value = PREDICATES[predicate](e, x, y);
  return relaxed(e, value, operands, flags, [x, y]);
}

/** The exact limits between which `fptosi` and `fptoui` are defined, as doubles. */
function limitsOf(
  bits: number,
  isSigned: boolean,
): { least: number; isIncluded: boolean; most: number } {
  if (!isSigned) return { least: -1, isIncluded: false, most: 2 ** bits };
  const least = -(2 ** (bits - 1));
  return bits <= 53
    ? { least: least - 1, isIncluded: false, most: 2 ** (bits - 1) }
    : { least, isIncluded: true, most: 2 ** (bits - 1) };
}

const asDouble = (e: LlvmEmitter, x: Value): Value =>
  x.type === Double ? x : e.emit(Op.FloatToDouble, Double, x);

/** Returns the truncated number, and whether the integer type has none. */
export function truncatedToInteger(
  e: LlvmEmitter,
  x: Value,
  bits: number,
  isSigned: boolean,
): { readonly value: Value; readonly isOutside: Value } {
  const double = asDouble(e, x);
  const { least, isIncluded, most } = limitsOf(bits, isSigned);
  const isAbove = e.compare(
    isIncluded ? Op.GreaterEqual : Op.GreaterThan,
    double,
    e.float(Double, least),
  );
  const isInside = e.and(isAbove, e.compare(Op.LessThan, double, e.float(Double, most)));
  const isUnsignedWord = !isSigned && bits > 32;
  const wide = e.emit(isUnsignedWord ? Op.TruncU64 : Op.TruncS64, Int64, double);
  const value = zeroExtended(e, bits, bits > 32 ? wide : e.narrowed(wide));
  return { value, isOutside: e.not(isInside) };
}

/** Writes `fptosi`, `fptoui`, `sitofp`, `uitofp`, `fpext` and `fptrunc`. */
export function writeFloatConversion(
  e: LlvmEmitter,
  opcode: string,
  from: { readonly leaf: LlvmScalar; readonly bits: number },
  to: { readonly type: Type; readonly bits: number },
  flags: InstructionFlags,
): LlvmScalar {
  const { leaf, bits } = from;
  const { value: x, poison } = leaf;
  switch (opcode) {
    case "fpext":
      return relaxed(e, e.emit(Op.FloatToDouble, Double, x), [leaf], flags, [x]);
    case "fptrunc":
      return relaxed(e, e.emit(Op.DoubleToFloat, Float, x), [leaf], flags, [x]);
    case "fptosi":
    case "fptoui": {
      const { value, isOutside } = truncatedToInteger(e, x, to.bits, opcode === "fptosi");
      return { value, poison: e.either(poison, isOutside) };
    }
    case "sitofp":
      return {
        value: e.emit(to.type === Float ? Op.IToF : Op.IToD, to.type, signExtended(e, bits, x)),
        poison,
      };
    default: {
      const value = e.emit(to.type === Float ? Op.UToF : Op.UToD, to.type, x);
      return { value, poison: e.either(poison, flags.has("nneg") ? isNegative(e, bits, x) : null) };
    }
  }
}

export const isNegative = (e: LlvmEmitter, bits: number, x: Value): Value =>
  e.compare(Op.LessThan, signExtended(e, bits, x), e.integer(x.type, 0n));
