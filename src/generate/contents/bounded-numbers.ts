// Emits floats whose expression implies bounds, converted to integers. A compiler that converts one
// without a range check must prove that it fits and is not a NaN. Bounds pass through many opcodes,
// and a compiler may get an end wrong for any of them, so each opcode is drawn. Constants and
// bounds are at the ends of the representable ranges.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type } from "../../ir/types.js";
import { aimAt, condition, pickParameter } from "../maker/conditions.js";
import { wordsOfNumber } from "../maker/constants.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { observe } from "../maker/observe.js";

export const BOUNDED_NUMBERS: MakerRow = {
  name: "number in bounds",
  weight: 2,
  make: boundedNumber,
};

const DEPTH_MAX = 3;

function boundedNumber(maker: ProcedureMaker): void {
  const { hasType } = maker.swarm;
  const types = [Double, Float].filter((type) => hasType[type]);
  if (types.length === 0) {
    observe(maker, masked(maker, Int32));
    return;
  }
  const number = bounded(maker, types, types[maker.below(types.length)], DEPTH_MAX);
  const isWide = hasType[Int64] && maker.chance(50);
  const [signed, unsigned] = isWide ? [Op.TruncS64, Op.TruncU64] : [Op.TruncS32, Op.TruncU32];
  const type = isWide ? Int64 : Int32;
  observe(maker, maker.emit(maker.chance(60) ? signed : unsigned, type, number));
}

const ROUNDINGS: readonly Opcode[] = [Op.Floor, Op.Ceil, Op.FTrunc, Op.Nearest];
const UNARY: readonly Opcode[] = [
  ...[Op.Neg, Op.Abs, Op.Sqrt, Op.PurifyNaN, ...ROUNDINGS, ...ROUNDINGS],
];
const BINARY: readonly Opcode[] = [
  ...[Op.Add, Op.Sub, Op.Mul, Op.Div, Op.FMin, Op.FMax, Op.CopySign, Op.Select],
];

function bounded(maker: ProcedureMaker, types: readonly Type[], type: Type, depth: number): Value {
  if (depth === 0 || maker.chance(30)) return leaf(maker, type);
  const within = (of: Type): Value => bounded(maker, types, of, depth - 1);
  if (types.length > 1 && maker.chance(12)) {
    if (type === Double) return maker.append(Op.FloatToDouble, Double, within(Float));
    return maker.append(Op.DoubleToFloat, Float, within(Double));
  }
  if (maker.chance(45)) return maker.append(UNARY[maker.below(UNARY.length)], type, within(type));
  const opcode = BINARY[maker.below(BINARY.length)];
  const [x, y] = [within(type), within(type)];
  if (opcode === Op.Select) return maker.append(opcode, type, condition(maker, Int32), x, y);
  // The sign of a NaN is open.
  if (opcode === Op.CopySign) return maker.append(opcode, type, x, maker.closed(y));
  return maker.append(opcode, type, x, y);
}

/**
 * Ends of integer ranges, fractions next to them, and numbers that move other constants to these
 * ends.
 */
const ENDS: readonly number[] = [
  ...[0, -0, 0.5, -0.5, 0.99, -0.99, 1, -1, 1.5, -1.5, 2, 0.1, 255, 65535, 2 ** 24, 2 ** 53],
  ...[2 ** 31, 2 ** 31 - 0.5, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31) - 0.5, -(2 ** 31) - 1],
  ...[2 ** 32, 2 ** 32 - 0.5, 2 ** 32 - 1, 2 ** 63, 2 ** 63 - 1024, -(2 ** 63), 2 ** 64],
];
const float = (maker: ProcedureMaker, type: Type, number: number): Value =>
  maker.constantOf(type, ...wordsOfNumber(type, number));

/** Fractions between two integers of which only one may fit. */
const FRACTIONS: readonly number[] = [0.25, 0.5, 0.75, 0.99, -0.5, -0.75];

function leaf(maker: ProcedureMaker, type: Type): Value {
  if (maker.chance(30)) return float(maker, type, ENDS[maker.below(ENDS.length)]);
  const from = maker.swarm.hasType[Int64] && maker.chance(40) ? Int64 : Int32;
  const isSigned = maker.chance(60);
  const toDouble = isSigned ? Op.IToD : Op.UToD;
  const toFloat = isSigned ? Op.IToF : Op.UToF;
  const whole = maker.append(type === Double ? toDouble : toFloat, type, integer(maker, from));
  if (maker.chance(60)) return whole;
  const fraction = float(maker, type, FRACTIONS[maker.below(FRACTIONS.length)]);
  return maker.append(Op.Add, type, whole, fraction);
}

/** Returns an integer whose form implies that it is short, or any integer. */
function integer(maker: ProcedureMaker, type: Type): Value {
  const roll = maker.below(8);
  if (roll < 3) return masked(maker, type);
  if (roll < 5) {
    const isNone = maker.chance(15);
    const count = maker.integer(Int32, isNone ? 0 : maker.below(type === Int64 ? 66 : 34));
    return maker.append(roll === 3 ? Op.ZShr : Op.SShr, type, extreme(maker, type), count);
  }
  if (roll === 5 && type === Int64) {
    return maker.append(maker.chance(50) ? Op.SExt32 : Op.ZExt32, type, integer(maker, Int32));
  }
  const { heapBase } = maker;
  if (roll === 5 && heapBase !== null) {
    const address = pickAddress(maker, heapBase);
    const isByte = maker.chance(50);
    const loaded = maker.append(isByte ? Op.Load8Z : Op.Load16Z, Int32, address.value);
    loaded.offset = placeIn(maker, address, isByte ? 1 : 2);
    return loaded;
  }
  return extreme(maker, type);
}

function masked(maker: ProcedureMaker, type: Type): Value {
  const width = type === Int64 ? 64 : 32;
  const bits = maker.chance(40) ? width - 1 : maker.below(width);
  const low = bits < 32 ? 2 ** bits - 1 : -1;
  const high = bits < 32 ? 0 : 2 ** (bits - 32) - 1;
  const mask = maker.constantOf(type, low, type === Int64 ? high : 0);
  return maker.append(Op.BitAnd, type, extreme(maker, type), mask);
}

/**
 * Returns in most cases a parameter that some input sets to all ones or to the sign bit, so that a
 * bound is reached.
 */
function extreme(maker: ProcedureMaker, type: Type): Value {
  if (!maker.chance(60)) return maker.pickValue(type);
  const x = pickParameter(maker, type);
  const isAll = maker.chance(60);
  const sign = -0x8000_0000;
  if (type === Int64) aimAt(maker, x, isAll ? [-1, -1] : [0, sign]);
  else aimAt(maker, x, [isAll ? -1 : sign, 0]);
  return x;
}
