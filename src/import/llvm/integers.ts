// Writes integer instructions on scalars, with the poison that their flags make (LangRef, "Binary Operations", "Bitwise
// Binary Operations", "icmp Instruction"). An integer of N bits is in a register of 32 or 64 bits, with zeroes above.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64 } from "../../ir/types.js";
import { outside } from "../../llvm/llvm-error.js";
import type { LlvmEmitter } from "./emitter.js";
import type { LlvmScalar } from "./leaves.js";

export type InstructionFlags = ReadonlySet<string>;

const registerBits = (x: Value): number => (x.type === Int64 ? 64 : 32);

/** Returns the low bits, with zeroes above. */
export function zeroExtended(e: LlvmEmitter, bits: number, x: Value): Value {
  if (bits === registerBits(x)) return x;
  return e.and(x, e.integer(x.type, (1n << BigInt(bits)) - 1n));
}

/** Returns the integer with its sign in the upper bits of the register. */
export function signExtended(e: LlvmEmitter, bits: number, x: Value): Value {
  const register = registerBits(x);
  if (bits === register) return x;
  if (register === 32 && bits === 8) return e.emit(Op.SExt8, Int32, x);
  if (register === 32 && bits === 16) return e.emit(Op.SExt16, Int32, x);
  const count = e.int(register - bits);
  return e.emit(Op.SShr, x.type, e.emit(Op.Shl, x.type, x, count), count);
}

type Arithmetic = "add" | "sub" | "mul";
const ARITHMETIC: Readonly<Record<Arithmetic, readonly [sum: Opcode, overflows: Opcode]>> = {
  add: [Op.Add, Op.AddOverflows],
  sub: [Op.Sub, Op.SubOverflows],
  mul: [Op.Mul, Op.MulOverflows],
};
export const isArithmetic = (opcode: string): opcode is Arithmetic =>
  Object.hasOwn(ARITHMETIC, opcode);

/** Returns the wrapped result. */
export function arithmetic(
  e: LlvmEmitter,
  opcode: Arithmetic,
  bits: number,
  x: Value,
  y: Value,
): Value {
  return zeroExtended(e, bits, e.emit(ARITHMETIC[opcode][0], x.type, x, y));
}

/** Returns whether the exact result has no representation with a sign. */
export function overflowsSigned(
  e: LlvmEmitter,
  opcode: Arithmetic,
  bits: number,
  x: Value,
  y: Value,
): Value {
  const [compute, overflows] = ARITHMETIC[opcode];
  const [a, b] = [signExtended(e, bits, x), signExtended(e, bits, y)];
  const isWide = e.compare(overflows, a, b);
  if (bits === registerBits(x)) return isWide;
  const exact = e.emit(compute, x.type, a, b);
  const isNarrow = e.compare(Op.NotEqual, exact, signExtended(e, bits, exact));
  return e.emit(Op.BitOr, Int32, isWide, isNarrow);
}

/** Returns whether the exact result has no representation without a sign. */
export function overflowsUnsigned(
  e: LlvmEmitter,
  opcode: Arithmetic,
  bits: number,
  x: Value,
  y: Value,
): Value {
  if (opcode === "sub") return e.compare(Op.Below, x, y);
  const isRegister = bits === registerBits(x);
  if (opcode === "add" && isRegister) return e.compare(Op.AddCarries, x, y);
  const exact = e.emit(ARITHMETIC[opcode][0], x.type, x, y);
  const above = isRegister ? null : e.compare(Op.NotEqual, exact, zeroExtended(e, bits, exact));
  if (opcode === "add") return above ?? e.int(0);
  const high = e.emit(Op.UMulHigh, x.type, x, y);
  const isHigh = e.compare(Op.NotEqual, high, e.integer(x.type, 0n));
  return above === null ? isHigh : e.emit(Op.BitOr, Int32, isHigh, above);
}

type IntegerWriter = (
  e: LlvmEmitter,
  bits: number,
  x: Value,
  y: Value,
  flags: InstructionFlags,
) => LlvmScalar;

const arithmeticWriter =
  (opcode: Arithmetic): IntegerWriter =>
  (e, bits, x, y, flags) => {
    const value = arithmetic(e, opcode, bits, x, y);
    const poison = e.either(
      flags.has("nsw") ? overflowsSigned(e, opcode, bits, x, y) : null,
      flags.has("nuw") ? overflowsUnsigned(e, opcode, bits, x, y) : null,
    );
    return { value, poison };
  };

const isTooFar = (e: LlvmEmitter, bits: number, y: Value): Value =>
  e.compare(Op.AboveEqual, y, e.integer(y.type, BigInt(bits)));

const shl: IntegerWriter = (e, bits, x, y, flags) => {
  const count = e.narrowed(y);
  const value = zeroExtended(e, bits, e.emit(Op.Shl, x.type, x, count));
  const back = (opcode: Opcode, shifted: Value, of: Value): Value =>
    e.compare(Op.NotEqual, e.emit(opcode, x.type, shifted, count), of);
  const signed = flags.has("nsw")
    ? back(Op.SShr, signExtended(e, bits, value), signExtended(e, bits, x))
    : null;
  const unsigned = flags.has("nuw") ? back(Op.ZShr, value, x) : null;
  return { value, poison: e.either(isTooFar(e, bits, y), signed, unsigned) };
};

const shiftRight =
  (isSigned: boolean): IntegerWriter =>
  (e, bits, x, y, flags) => {
    const count = e.narrowed(y);
    const from = isSigned ? signExtended(e, bits, x) : x;
    const shifted = e.emit(isSigned ? Op.SShr : Op.ZShr, x.type, from, count);
    const value = isSigned ? zeroExtended(e, bits, shifted) : shifted;
    const back = (): Value => zeroExtended(e, bits, e.emit(Op.Shl, x.type, shifted, count));
    const inexact = flags.has("exact") ? e.compare(Op.NotEqual, back(), x) : null;
    return { value, poison: e.either(isTooFar(e, bits, y), inexact) };
  };

/** The divisor is not zero: the caller has tested it. */
const divideUnsigned: IntegerWriter = (e, _bits, x, y, flags) => {
  const value = e.emit(Op.UDiv, x.type, x, y);
  const rest = (): Value => e.emit(Op.UMod, x.type, x, y);
  const poison = flags.has("exact") ? e.compare(Op.NotEqual, rest(), e.integer(x.type, 0n)) : null;
  return { value, poison };
};

const divideSigned: IntegerWriter = (e, bits, x, y, flags) => {
  const [a, b] = [signExtended(e, bits, x), signExtended(e, bits, y)];
  const value = zeroExtended(e, bits, e.emit(Op.ChillDiv, x.type, a, b));
  const rest = (): Value => e.emit(Op.ChillMod, x.type, a, b);
  const poison = flags.has("exact") ? e.compare(Op.NotEqual, rest(), e.integer(x.type, 0n)) : null;
  return { value, poison };
};

const total =
  (compute: (e: LlvmEmitter, x: Value, y: Value) => Value): IntegerWriter =>
  (e, _bits, x, y) => ({ value: compute(e, x, y), poison: null });

const INTEGER_WRITERS: Readonly<Record<string, IntegerWriter>> = {
  add: arithmeticWriter("add"),
  sub: arithmeticWriter("sub"),
  mul: arithmeticWriter("mul"),
  udiv: divideUnsigned,
  urem: total((e, x, y) => e.emit(Op.UMod, x.type, x, y)),
  sdiv: divideSigned,
  srem: (e, bits, x, y) => {
    const [a, b] = [signExtended(e, bits, x), signExtended(e, bits, y)];
    return { value: zeroExtended(e, bits, e.emit(Op.ChillMod, x.type, a, b)), poison: null };
  },
  shl,
  lshr: shiftRight(false),
  ashr: shiftRight(true),
  and: total((e, x, y) => e.and(x, y)),
  or: (e, _bits, x, y, flags) => {
    const both = (): Value => e.compare(Op.NotEqual, e.and(x, y), e.integer(x.type, 0n));
    const value = e.emit(Op.BitOr, x.type, x, y);
    return { value, poison: flags.has("disjoint") ? both() : null };
  },
  xor: total((e, x, y) => e.emit(Op.BitXor, x.type, x, y)),
};
export const isIntegerOpcode = (opcode: string): boolean => Object.hasOwn(INTEGER_WRITERS, opcode);
const isDivision = (opcode: string): boolean => /^[us](?:div|rem)$/.test(opcode);

/** Exits where a division is undefined (LangRef, "udiv Instruction", "sdiv Instruction"). */
function checkDivision(
  e: LlvmEmitter,
  opcode: string,
  bits: number,
  x: LlvmScalar,
  y: LlvmScalar,
): void {
  const { value, poison } = y;
  const isZero = e.compare(Op.Equal, value, e.integer(value.type, 0n));
  e.leaveIf(e.either(isZero, poison) ?? isZero, "a division by zero or poison");
  if (!opcode.startsWith("s")) return;
  const least = e.integer(value.type, 1n << BigInt(bits - 1));
  const isLeast = e.compare(Op.Equal, x.value, least);
  const isMinusOne = e.compare(Op.Equal, value, zeroExtended(e, bits, e.integer(value.type, -1n)));
  const overflows = e.and(isLeast, isMinusOne);
  // A dividend that is poison makes the result poison.
  const isUndefined = x.poison === null ? overflows : e.and(overflows, e.not(x.poison));
  e.leaveIf(isUndefined, "a division that overflows");
}

/** Writes an instruction with two operands. Poison of an operand makes the result poison. */
export function writeInteger(
  e: LlvmEmitter,
  opcode: string,
  bits: number,
  [x, y]: readonly [LlvmScalar, LlvmScalar],
  flags: InstructionFlags,
): LlvmScalar {
  if (isDivision(opcode)) checkDivision(e, opcode, bits, x, y);
  const { value, poison } = INTEGER_WRITERS[opcode](e, bits, x.value, y.value, flags);
  return { value, poison: e.either(x.poison, y.poison, poison) };
}

const PREDICATES: Readonly<Record<string, readonly [Opcode, isSigned: boolean]>> = {
  eq: [Op.Equal, false],
  ne: [Op.NotEqual, false],
  ugt: [Op.Above, false],
  uge: [Op.AboveEqual, false],
  ult: [Op.Below, false],
  ule: [Op.BelowEqual, false],
  sgt: [Op.GreaterThan, true],
  sge: [Op.GreaterEqual, true],
  slt: [Op.LessThan, true],
  sle: [Op.LessEqual, true],
};

export function writeComparison(
  e: LlvmEmitter,
  predicate: string,
  bits: number,
  [x, y]: readonly [LlvmScalar, LlvmScalar],
  flags: InstructionFlags,
): LlvmScalar {
  if (!Object.hasOwn(PREDICATES, predicate)) throw outside(e.line, `icmp ${predicate}`);
  const [opcode, isSigned] = PREDICATES[predicate];
  const operand = (z: Value): Value => (isSigned ? signExtended(e, bits, z) : z);
  const value = e.compare(opcode, operand(x.value), operand(y.value));
  const negative = (z: Value): Value =>
    e.compare(Op.LessThan, signExtended(e, bits, z), e.integer(z.type, 0n));
  const differ = flags.has("samesign")
    ? e.compare(Op.NotEqual, negative(x.value), negative(y.value))
    : null;
  return { value, poison: e.either(x.poison, y.poison, differ) };
}
