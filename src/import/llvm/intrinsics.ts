// Writes calls of intrinsics (LangRef, "Intrinsic Functions"). One on vectors is written for each lane.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, Void } from "../../ir/types.js";
import { LlvmError, outside } from "../../llvm/llvm-error.js";
import type { LlvmType } from "../../llvm/types.js";
import { zeroLeaves } from "./constants.js";
import type { FunctionContext, WrittenCall } from "./context.js";
import { isNaNValue, relaxed, truncatedToInteger } from "./floats.js";
import {
  arithmetic,
  type InstructionFlags,
  isArithmetic,
  overflowsSigned,
  overflowsUnsigned,
  signExtended,
  zeroExtended,
} from "./integers.js";
import { BYTE_STATES } from "./layout.js";
import { type LlvmScalar, type LlvmScalars, laneType, registerType, widthOf } from "./leaves.js";
import { fillStates } from "./memory.js";

/** Returns `a.b` of `a.b.i32.v4f32`. */
const withoutTypes = (name: string): string =>
  name.replace(/(?:\.(?:v\d+)?(?:[ifp]\d+|s_\w+))+$/, "");

export function writeIntrinsic(
  c: FunctionContext,
  name: string,
  call: WrittenCall,
): LlvmScalars | null {
  const { e } = c;
  const { type } = call.instruction;
  if (/^lifetime\.(?:start|end)\b/.test(name)) return writeLifetime(c, call);
  if (IGNORED.test(name)) return type.kind === "void" ? null : zeroLeaves(c, type);
  if (name === "assume") return writeAssume(c, call.args[0][0]);
  if (name === "trap" || name === "debugtrap" || name === "ubsantrap") {
    e.leaveIf(e.int(1), "a trap");
    return null;
  }
  if (/^(?:stacksave|stackrestore)\b/.test(name))
    return type.kind === "void" ? null : [{ value: e.long(0), poison: null }];
  if (/^(?:objectsize|is\.constant)\./.test(name)) {
    // Passes decide both; what they know is open.
    e.leaveIf(e.int(1), "a choice of the passes");
    return zeroLeaves(c, type);
  }
  const [family] = /^mem(?:cpy|move|set)\b/.exec(name) ?? [];
  if (family !== undefined) return writeBulk(c, family, call);
  return writeComputed(c, withoutTypes(name), call);
}

function writeAssume({ e }: FunctionContext, { value, poison }: LlvmScalar): null {
  const isFalse = e.not(value);
  e.leaveIf(e.either(isFalse, poison) ?? isFalse, "a false assumption");
  return null;
}

/** The contents of a variable are unwritten when it begins, and when it ends. */
function writeLifetime(c: FunctionContext, { args }: WrittenCall): null {
  const { e, base, layout } = c;
  const pointer = args.at(-1)?.[0];
  const size = args.length > 1 ? args[0][0].value : null;
  if (pointer === undefined || size === null || size.type !== Int64) return null;
  const distance = e.sub(pointer.value, e.offset(base, layout.stackAt));
  const isVariable = e.and(
    e.compare(Op.Below, distance, e.long(layout.stackEnd - layout.stackAt)),
    e.compare(Op.BelowEqual, size, e.long(layout.stackEnd - layout.stackAt)),
  );
  const address = e.select(isVariable, pointer.value, base);
  fillStates(c, address, e.select(isVariable, size, e.long(0)), BYTE_STATES.unwritten);
  return null;
}

/** LangRef, "llvm.memcpy", "llvm.memmove", "llvm.memset". */
function writeBulk(c: FunctionContext, family: string, { args }: WrittenCall): null {
  const { e } = c;
  const [[to], [from], [length]] = args;
  const size = e.widened(length.value);
  const isSet = family === "memset";
  const poison = e.either(to.poison, isSet ? null : from.poison, length.poison);
  if (poison !== null) e.leaveIf(poison, "an access at poison");
  checkRange(c, to.value, size, true);
  if (isSet) {
    const byte = e.narrowed(from.value);
    e.emit(Op.FillBytes, Void, byte, to.value, size);
    const state = from.poison ?? e.int(BYTE_STATES.defined);
    fillStates(c, to.value, size, state);
    return null;
  }
  if (from.value.type !== Int64) throw new LlvmError(e.line, `${family}: expected two pointers`);
  const states = checkRange(c, from.value, size, false);
  if (family === "memcpy") {
    const distance = e.sub(to.value, from.value);
    const isNear = e.emit(
      Op.BitOr,
      Int32,
      e.compare(Op.Below, distance, size),
      e.compare(Op.Below, e.sub(from.value, to.value), size),
    );
    const overlaps = e.and(isNear, e.compare(Op.NotEqual, to.value, from.value));
    e.leaveIf(overlaps, "a memcpy of ranges that overlap");
  }
  const offset = e.long(c.layout.states);
  e.emit(Op.CopyBytes, Void, to.value, from.value, size);
  e.emit(Op.CopyBytes, Void, e.add(to.value, offset), e.add(from.value, offset), size);
  const marked = e.and(states, e.int(BYTE_STATES.constant));
  e.call(c.program.ranges.unmark, [to.value, e.select(marked, size, e.long(0))]);
  return null;
}

/** Exits unless all bytes are in objects that are alive, and returns their states. */
function checkRange(c: FunctionContext, address: Value, size: Value, isStore: boolean): Value {
  const { e, base, program } = c;
  const states = e.call(program.ranges.statesIn, [base, e.select(size, address, base), size]);
  const absent = e.and(states, e.int(BYTE_STATES.absent));
  e.leaveIf(absent, "an access outside of objects");
  if (isStore) {
    const constant = e.and(states, e.int(BYTE_STATES.constant));
    e.leaveIf(constant, "a store to a constant");
  }
  return states;
}

function writeComputed(
  c: FunctionContext,
  name: string,
  { args, instruction }: WrittenCall,
): LlvmScalars {
  const { operands, type, flags, line } = instruction;
  const first = operands[1]?.type ?? type;
  const [, reduced] = /^vector\.reduce\.(\w+)$/.exec(name) ?? [];
  if (reduced !== undefined) return [reduce(c, reduced, args[0], laneType(first))];
  const [, checked] = /^(\w+)\.with\.overflow$/.exec(name) ?? [];
  if (checked !== undefined) return withOverflow(c, checked, args, first);
  const from = laneType(first);
  const to = laneType(type);
  if (!args.every(({ length }) => length === 1 || length === args[0].length))
    throw new LlvmError(line, `llvm.${name}: expected operands with the same number of lanes`);
  return args[0].map((_, lane) => {
    const leaves = args.map((leavesOf) => leavesOf[leavesOf.length === 1 ? 0 : lane]);
    return scalarIntrinsic(c, name, leaves, from, to, flags);
  });
}

function withOverflow(
  c: FunctionContext,
  name: string,
  args: readonly LlvmScalars[],
  type: LlvmType,
): LlvmScalars {
  const { e } = c;
  const [sign, opcode] = [name[0], name.slice(1)];
  if ((sign !== "s" && sign !== "u") || !isArithmetic(opcode) || type.kind !== "int")
    throw outside(e.line, `llvm.${name}.with.overflow`);
  const [[x], [y]] = args;
  const poison = e.either(x.poison, y.poison);
  const value = arithmetic(e, opcode, type.bits, x.value, y.value);
  const overflows = (sign === "s" ? overflowsSigned : overflowsUnsigned)(
    e,
    opcode,
    type.bits,
    x.value,
    y.value,
  );
  return [
    { value, poison },
    { value: overflows, poison },
  ];
}

const REDUCTIONS: Readonly<Record<string, string>> = {
  ...{ add: "add", mul: "mul", and: "and", or: "or", xor: "xor" },
  ...{ smax: "smax", smin: "smin", umax: "umax", umin: "umin" },
};
const BITWISE: Readonly<Record<string, Opcode>> = { and: Op.BitAnd, or: Op.BitOr, xor: Op.BitXor };

function reduce(c: FunctionContext, name: string, leaves: LlvmScalars, type: LlvmType): LlvmScalar {
  const { e } = c;
  if (!Object.hasOwn(REDUCTIONS, name) || type.kind !== "int")
    throw outside(e.line, `llvm.vector.reduce.${name}`);
  const { bits } = type;
  return leaves.reduce((x, y) => {
    const poison = e.either(x.poison, y.poison);
    const pair = [x.value, y.value] as const;
    if (isArithmetic(name)) return { value: arithmetic(e, name, bits, ...pair), poison };
    if (Object.hasOwn(BITWISE, name))
      return { value: e.emit(BITWISE[name], x.value.type, ...pair), poison };
    return { value: extreme(e, name, bits, ...pair), poison };
  });
}

const EXTREMES: Readonly<Record<string, Opcode>> = {
  smax: Op.Max,
  smin: Op.Min,
  umax: Op.UMax,
  umin: Op.UMin,
};

function extreme(e: FunctionContext["e"], name: string, bits: number, x: Value, y: Value): Value {
  const opcode = EXTREMES[name];
  if (name.startsWith("u")) return e.emit(opcode, x.type, x, y);
  const [a, b] = [signExtended(e, bits, x), signExtended(e, bits, y)];
  return zeroExtended(e, bits, e.emit(opcode, x.type, a, b));
}

/** The operands of an intrinsic on scalars, and the widths of its first operand and its result. */
interface ScalarCall {
  readonly e: FunctionContext["e"];
  readonly c: FunctionContext;
  readonly leaves: LlvmScalars;
  readonly bits: number;
  readonly to: LlvmType;
  readonly flags: InstructionFlags;
}
type ScalarWriter = (call: ScalarCall) => LlvmScalar;

function scalarIntrinsic(
  c: FunctionContext,
  name: string,
  leaves: LlvmScalars,
  from: LlvmType,
  to: LlvmType,
  flags: InstructionFlags,
): LlvmScalar {
  const { e } = c;
  if (!Object.hasOwn(SCALAR_WRITERS, name)) throw outside(e.line, `llvm.${name}`);
  const [first] = leaves;
  if (isFloating(first.value.type) !== FLOAT_NAMES.has(name))
    throw new LlvmError(e.line, `llvm.${name}: the operand has another type`);
  registerType(from, e.line);
  const made = SCALAR_WRITERS[name]({ e, c, leaves, bits: widthOf(from), to, flags });
  const poison = e.either(...leaves.map((each) => each.poison), made.poison);
  return { value: made.value, poison };
}

const pure =
  (compute: (call: ScalarCall, x: Value, y: Value, z: Value) => Value): ScalarWriter =>
  (call) => {
    const [x, y = x, z = x] = call.leaves.map(({ value }) => value);
    return { value: compute(call, x, y, z), poison: null };
  };

/** A function of floats under the flags of its call. */
const float =
  (compute: (e: FunctionContext["e"], x: Value, y: Value, z: Value) => Value): ScalarWriter =>
  ({ e, leaves, flags }) => {
    const [x, y = x, z = x] = leaves.map(({ value }) => value);
    return relaxed(e, compute(e, x, y, z), leaves, flags);
  };

const unary = (opcode: Opcode): ScalarWriter => float((e, x) => e.emit(opcode, x.type, x));

const zeroOf = (e: FunctionContext["e"], x: Value): Value => e.integer(x.type, 0n);

/** Counts zeroes; 1 as the second operand makes the result for 0 poison. */
const counting =
  (count: (call: ScalarCall, x: Value) => Value): ScalarWriter =>
  (call) => {
    const { e, leaves } = call;
    const [{ value: x }, isPoison] = leaves;
    const isZero = e.compare(Op.Equal, x, zeroOf(e, x));
    return { value: count(call, x), poison: e.and(isZero, isPoison.value) };
  };

function leadingZeros({ e, bits }: ScalarCall, x: Value): Value {
  const register = x.type === Int64 ? 64 : 32;
  const count = e.emit(Op.Clz, x.type, x);
  return bits === register ? count : e.sub(count, e.integer(x.type, BigInt(register - bits)));
}

function trailingZeros({ e, bits }: ScalarCall, x: Value): Value {
  const most = e.integer(x.type, BigInt(bits));
  return e.emit(Op.UMin, x.type, e.emit(Op.Ctz, x.type, x), most);
}

function swapped({ e, bits }: ScalarCall, x: Value): Value {
  const register = x.type === Int64 ? 64 : 32;
  const swap = e.emit(Op.ByteSwap, x.type, x);
  return bits === register ? swap : e.emit(Op.ZShr, x.type, swap, e.int(register - bits));
}

function reversed(call: ScalarCall, x: Value): Value {
  const { e, bits } = call;
  const register = x.type === Int64 ? 64 : 32;
  const pattern = (byte: bigint): Value => {
    let word = 0n;
    for (let i = 0; i < register / 8; i++) word = (word << 8n) | byte;
    return e.integer(x.type, word);
  };
  let value = e.emit(Op.ByteSwap, x.type, x);
  for (const [count, byte] of [
    [4, 0x0fn],
    [2, 0x33n],
    [1, 0x55n],
  ] as const) {
    const mask = pattern(byte);
    const high = e.and(e.emit(Op.ZShr, x.type, value, e.int(count)), mask);
    const low = e.emit(Op.Shl, x.type, e.and(value, mask), e.int(count));
    value = e.emit(Op.BitOr, x.type, high, low);
  }
  return bits === register ? value : e.emit(Op.ZShr, x.type, value, e.int(register - bits));
}

/** `llvm.fshl` and `llvm.fshr`: the count is modulo the width. */
const funnel = (isLeft: boolean): ScalarWriter =>
  pure(({ e, bits }, high, low, by) => {
    const width = e.integer(by.type, BigInt(bits));
    const count = e.narrowed(e.emit(Op.UMod, by.type, by, width));
    const rest = e.sub(e.int(bits), count);
    const [up, down] = isLeft ? [count, rest] : [rest, count];
    const type = high.type;
    const both = e.emit(
      Op.BitOr,
      type,
      e.emit(Op.Shl, type, high, up),
      e.emit(Op.ZShr, type, low, down),
    );
    return zeroExtended(e, bits, e.select(count, both, isLeft ? high : low));
  });

const saturated = (opcode: "add" | "sub", isSigned: boolean): ScalarWriter =>
  pure(({ e, bits }, x, y) => {
    const value = arithmetic(e, opcode, bits, x, y);
    const constant = (number: bigint): Value => e.integer(x.type, BigInt.asUintN(bits, number));
    if (!isSigned) {
      const limit = constant(opcode === "add" ? -1n : 0n);
      return e.select(overflowsUnsigned(e, opcode, bits, x, y), limit, value);
    }
    const most = (1n << BigInt(bits - 1)) - 1n;
    const isNegative = e.compare(Op.LessThan, signExtended(e, bits, x), zeroOf(e, x));
    const limit = e.select(isNegative, constant(-most - 1n), constant(most));
    return e.select(overflowsSigned(e, opcode, bits, x, y), limit, value);
  });

const absolute: ScalarWriter = ({ e, bits, leaves: [{ value: x }, isPoison] }) => {
  const least = e.integer(x.type, 1n << BigInt(bits - 1));
  const isNegative = e.compare(Op.LessThan, signExtended(e, bits, x), zeroOf(e, x));
  const value = e.select(isNegative, zeroExtended(e, bits, e.sub(zeroOf(e, x), x)), x);
  return { value, poison: e.and(e.compare(Op.Equal, x, least), isPoison.value) };
};

const ordering = (isSigned: boolean): ScalarWriter =>
  pure(({ e, bits, to }, x, y) => {
    const [a, b] = isSigned ? [signExtended(e, bits, x), signExtended(e, bits, y)] : [x, y];
    const isAbove = e.compare(isSigned ? Op.GreaterThan : Op.Above, a, b);
    const isBelow = e.compare(isSigned ? Op.LessThan : Op.Below, a, b);
    const order = e.sub(isAbove, isBelow);
    const register = registerType(to, e.line);
    const wide = register === Int64 ? e.emit(Op.SExt32, Int64, order) : order;
    return zeroExtended(e, widthOf(to), wide);
  });

/** `minnum` and `maxnum`: the other operand if one is a NaN; the sign of zero is open. */
const minimumOrMaximum =
  (opcode: Opcode, isZeroOpen: boolean): ScalarWriter =>
  ({ e, leaves, flags, c }) => {
    const [x, y] = leaves.map(({ value }) => value);
    const best = e.emit(opcode, x.type, x, y);
    const value = e.select(isNaNValue(e, x), y, e.select(isNaNValue(e, y), x, best));
    const made = relaxed(e, value, leaves, flags);
    if (!isZeroOpen || c.side === "after") return made;
    const zero = e.float(x.type, 0);
    const areZero = e.and(e.compare(Op.Equal, x, zero), e.compare(Op.Equal, y, zero));
    return { value, poison: e.either(made.poison, areZero) };
  };

/** Fused or not: before a pass, the result is open where both differ. */
const multiplyAdd: ScalarWriter = ({ e, leaves, flags, c }) => {
  const [x, y, z] = leaves.map(({ value }) => value);
  const product = e.emit(Op.Mul, x.type, x, y);
  const value = e.emit(Op.Add, x.type, product, z);
  const made = relaxed(e, value, leaves, flags);
  if (c.side === "after") return made;
  const fused = e.emit(Op.FusedMulAdd, x.type, x, y, z);
  const differ = e.not(e.compare(Op.EqualOrUnordered, fused, value));
  const zero = e.float(x.type, 0);
  const isZero = e.compare(Op.Equal, value, zero);
  const oneIsNaN = e.compare(Op.NotEqual, isNaNValue(e, fused), isNaNValue(e, value));
  return { value, poison: e.either(made.poison, differ, isZero, oneIsNaN) };
};

/** Rounded half away from zero. */
const rounded = float((e, x) => {
  const half = e.emit(Op.CopySign, x.type, e.float(x.type, 0.5), x);
  const whole = e.emit(Op.FTrunc, x.type, x);
  const fraction = e.emit(Op.Abs, x.type, e.sub(x, whole));
  const isFar = e.compare(Op.GreaterEqual, fraction, e.float(x.type, 0.5));
  const one = e.add(half, half);
  return e.select(isFar, e.emit(Op.CopySign, x.type, e.add(whole, one), x), whole);
});

const saturatedInteger = (isSigned: boolean): ScalarWriter =>
  pure(({ e, to }, x) => {
    const bits = widthOf(to);
    const register = registerType(to, e.line);
    const { value, isOutside } = truncatedToInteger(e, x, bits, isSigned);
    const constant = (number: bigint): Value => e.integer(register, BigInt.asUintN(bits, number));
    const most = isSigned ? (1n << BigInt(bits - 1)) - 1n : (1n << BigInt(bits)) - 1n;
    const least = isSigned ? -most - 1n : 0n;
    const isNegative = e.compare(Op.LessThan, x, e.float(x.type, 0));
    const limit = e.select(isNegative, constant(least), constant(most));
    const far = e.select(isNaNValue(e, x), constant(0n), limit);
    return e.select(isOutside, far, value);
  });

/** Bits of `llvm.is.fpclass`: NaNs, then classes from minus infinity to plus infinity. */
const isOfClass: ScalarWriter = ({ e, leaves: [{ value: x }, mask] }) => {
  const register = x.type === Float ? Int32 : Int64;
  const magnitude = e.emit(Op.Abs, x.type, x);
  const least = e.float(x.type, x.type === Double ? 2 ** -1022 : 2 ** -126);
  const bits = e.emit(Op.BitwiseCast, register, e.select(isNaNValue(e, x), e.float(x.type, 1), x));
  const isNegative = e.compare(Op.LessThan, bits, zeroOf(e, bits));
  const bit = (negative: number, positive: number): Value =>
    e.select(isNegative, e.int(1 << negative), e.int(1 << positive));
  const isZero = e.compare(Op.Equal, x, e.float(x.type, 0));
  const isSmall = e.compare(Op.LessThan, magnitude, least);
  const isInfinite = e.compare(Op.Equal, magnitude, e.float(x.type, Infinity));
  const finite = e.select(isZero, bit(5, 6), e.select(isSmall, bit(4, 7), bit(3, 8)));
  const number = e.select(isInfinite, bit(2, 9), finite);
  const found = e.select(isNaNValue(e, x), e.int(3), number);
  const isIn = e.compare(Op.NotEqual, e.and(found, mask.value), e.int(0));
  return { value: isIn, poison: null };
};

const integerExtreme = (name: string): ScalarWriter =>
  pure(({ e, bits }, x, y) => extreme(e, name, bits, x, y));

const FLOAT_WRITERS: Readonly<Record<string, ScalarWriter>> = {
  fabs: unary(Op.Abs),
  sqrt: unary(Op.Sqrt),
  floor: unary(Op.Floor),
  ceil: unary(Op.Ceil),
  trunc: unary(Op.FTrunc),
  rint: unary(Op.Nearest),
  nearbyint: unary(Op.Nearest),
  roundeven: unary(Op.Nearest),
  round: rounded,
  copysign: float((e, x, y) => e.emit(Op.CopySign, x.type, x, y)),
  fma: float((e, x, y, z) => e.emit(Op.FusedMulAdd, x.type, x, y, z)),
  fmuladd: multiplyAdd,
  minimum: float((e, x, y) => e.emit(Op.FMin, x.type, x, y)),
  maximum: float((e, x, y) => e.emit(Op.FMax, x.type, x, y)),
  minnum: minimumOrMaximum(Op.FMin, true),
  maxnum: minimumOrMaximum(Op.FMax, true),
  minimumnum: minimumOrMaximum(Op.FMin, false),
  maximumnum: minimumOrMaximum(Op.FMax, false),
  "fptosi.sat": saturatedInteger(true),
  "fptoui.sat": saturatedInteger(false),
  "is.fpclass": isOfClass,
  canonicalize: unary(Op.Identity),
  "arithmetic.fence": unary(Op.Identity),
};
const FLOAT_NAMES = new Set(Object.keys(FLOAT_WRITERS));

const SCALAR_WRITERS: Readonly<Record<string, ScalarWriter>> = {
  ...FLOAT_WRITERS,
  abs: absolute,
  smax: integerExtreme("smax"),
  smin: integerExtreme("smin"),
  umax: integerExtreme("umax"),
  umin: integerExtreme("umin"),
  "sadd.sat": saturated("add", true),
  "uadd.sat": saturated("add", false),
  "ssub.sat": saturated("sub", true),
  "usub.sat": saturated("sub", false),
  ctpop: pure(({ e }, x) => e.emit(Op.PopCnt, x.type, x)),
  ctlz: counting(leadingZeros),
  cttz: counting(trailingZeros),
  bswap: pure(swapped),
  bitreverse: pure(reversed),
  fshl: funnel(true),
  fshr: funnel(false),
  scmp: ordering(true),
  ucmp: ordering(false),
  expect: pure((_, x) => x),
  "expect.with.probability": pure((_, x) => x),
  "ssa.copy": pure((_, x) => x),
  ptrmask: pure(({ e }, x, y) => e.and(x, y)),
};

/** Intrinsics that have no effect on an execution. */
const IGNORED =
  /^(?:lifetime\.(?:start|end)|dbg\.\w+|experimental\.noalias\.scope\.decl|donothing|sideeffect|invariant\.(?:start|end)|pseudoprobe|var\.annotation|prefetch|codeview\.annotation)\b/;
