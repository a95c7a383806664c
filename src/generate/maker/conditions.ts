// Emits conditions: comparisons that some inputs make true and others false, and conditions that
// are never true.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Int32, Int64, isFloating, isWide, type Type } from "../../ir/types.js";
import { type WordPair, wideBits, wideWords } from "../../ir/words.js";
import { drawRelated, drawSpecial, isSpecial } from "./constants.js";
import type { ParameterAim, ProcedureMaker } from "./maker.js";
import { drawType } from "./swarm.js";

/** Comparisons of two values; the orders that only integers have are last. */
export const COMPARISONS: readonly Opcode[] = [
  Op.Equal,
  Op.NotEqual,
  Op.LessThan,
  Op.GreaterThan,
  Op.LessEqual,
  Op.GreaterEqual,
  Op.Above,
  Op.Below,
  Op.AboveEqual,
  Op.BelowEqual,
];
/** The comparisons of COMPARISONS that floats have, and one that only floats have. */
export const FLOAT_COMPARISONS: readonly Opcode[] = [
  ...COMPARISONS.slice(0, 6),
  Op.EqualOrUnordered,
];

/** Returns any comparison of two values of the type. */
export function drawComparison(maker: ProcedureMaker, type: Type): Opcode {
  const opcodes = isFloating(type) ? FLOAT_COMPARISONS : COMPARISONS;
  return opcodes[maker.below(opcodes.length)];
}

/** Returns a value of the integer type to branch on. */
export function condition(maker: ProcedureMaker, type: Type): Value {
  if (maker.chance(5)) return widenFlag(maker, type, compare(maker));
  if (type === Int64) {
    if (maker.chance(50)) return maker.pickValue(Int64);
    if (maker.chance(50)) {
      return someBits(maker, Int64);
    }
    return maker.emit(Op.ZExt32, Int64, condition(maker, Int32));
  }
  const { flags } = maker;
  const roll = maker.below(20);
  if (roll >= 18) return maker.pickValue(Int32);
  if (roll >= 15) return someBits(maker, Int32);
  if (roll >= 9 && flags.length > 0) return pickFlag(maker);
  if (roll === 8) {
    return maker.emit(Op.Equal, Int32, compare(maker), maker.integer(Int32, maker.below(2)));
  }
  if (roll === 7) {
    const opcode = maker.chance(50) ? Op.BitAnd : Op.BitOr;
    return maker.emit(opcode, Int32, compare(maker), compare(maker));
  }
  return compare(maker);
}

// Returns a flag, preferably one that was not tested yet.
function pickFlag(maker: ProcedureMaker): Value {
  const { flags } = maker;
  if (maker.chance(70)) {
    for (let i = flags.length - 1; i >= 0; i--) if (flags[i].uses === 0) return flags[i];
  }
  return flags[maker.below(flags.length)];
}

/** Returns some bits of a value, or the bits that it has in common with another. */
function someBits(maker: ProcedureMaker, type: Type): Value {
  const x = maker.pickValue(type);
  return maker.emit(
    Op.BitAnd,
    type,
    x,
    maker.chance(30) ? maker.pickValue(type) : bit(maker, type),
  );
}

// Returns a constant with one bit.
function bit(maker: ProcedureMaker, type: Type): Value {
  return maker.integer(type, maker.chance(50) ? 1 : 2 ** maker.below(type === Int64 ? 53 : 32));
}

/** Returns a comparison whose result depends on the input. */
export function compare(maker: ProcedureMaker): Value {
  const related = maker.chance(maker.dials.relation) ? compareBeside(maker) : null;
  if (related !== null) return related;
  const type = drawType(maker.source, maker.swarm);
  if (!isFloating(type) && maker.chance(8)) return compareBits(maker, type);
  const opcode = drawComparison(maker, type);
  const x = maker.chance(45) ? pickParameter(maker, type) : maker.pickValue(type);
  const y = maker.chance(55) ? maker.constant(type) : maker.pickBeside(type, x);
  if (y.isConstant) aimAtEqual(maker, x, y);
  const flag = maker.markFree(maker.emit(opcode, Int32, x, y));
  maker.flags.push(flag);
  return flag;
}

const isComparison = ({ opcode }: Value): boolean =>
  COMPARISONS.includes(opcode) || FLOAT_COMPARISONS.includes(opcode);

/**
 * Returns a comparison of the operands of another one: mostly with a bound next to its bound, or in
 * another order. Returns null if there is no other one.
 */
export function compareBeside(maker: ProcedureMaker): Value | null {
  const known = maker.flags.filter(isComparison);
  if (known.length === 0) return null;
  const old = known[maker.below(known.length)];
  let { a, b } = old;
  if (a === null || b === null) return null;
  const opcode = maker.chance(40) ? old.opcode : drawComparison(maker, a.type);
  if (b.isConstant && maker.chance(70)) b = neighbourOf(maker, b);
  else if (maker.chance(25)) [a, b] = [b, a];
  if (b.isConstant) aimAtEqual(maker, a, b);
  const flag = maker.emit(opcode, Int32, a, b);
  maker.flags.push(flag);
  return flag;
}

/** Returns a constant that is one more or one less, or otherwise related. */
export function neighbourOf(
  maker: ProcedureMaker,
  { type, constantLow, constantHigh }: Value,
): Value {
  const words: WordPair = [constantLow, constantHigh];
  if (maker.chance(25)) return maker.constantOf(type, ...drawRelated(maker.source, type, words));
  const [low, high] = wideWords(wideBits(...words) + (maker.chance(50) ? 1n : -1n));
  return maker.constantOf(type, low, isWide(type) ? high : 0);
}

/** Returns whether bits of a value are set, or whether two values have a common bit. */
function compareBits(maker: ProcedureMaker, type: Type): Value {
  const opcode = maker.chance(50) ? Op.NotEqual : Op.Equal;
  const flag = maker.emit(opcode, Int32, someBits(maker, type), maker.integer(type, 0));
  maker.flags.push(flag);
  return flag;
}

/** Returns a parameter of the type if there is one, otherwise any value. */
export function pickParameter(maker: ProcedureMaker, type: Type): Value {
  const { parameters } = maker.proc;
  if (parameters.length === 0) return maker.pickValue(type);
  const first = maker.below(parameters.length);
  for (let i = 0; i < parameters.length; i++) {
    const parameter = parameters[(first + i) % parameters.length];
    if (parameter.type === type && parameter !== maker.heapBase) return parameter;
  }
  return maker.pickValue(type);
}

/**
 * Records that inputs should set the value to these words or near them, if it is a parameter of the
 * entry.
 */
export function aimAt(maker: ProcedureMaker, value: Value, words: WordPair): void {
  if (isGiven(maker, value))
    maker.context.aims.push({ parameter: value.parameterIndex, words, like: null });
}

/** Aims the value at the constant, and at both zeroes if the constant is one of them. */
export function aimAtEqual(
  maker: ProcedureMaker,
  value: Value,
  { type, constantLow: lo, constantHigh: hi }: Value,
): void {
  aimAt(maker, value, [lo, hi]);
  const [low, high] = type === Double ? [lo, hi] : [0, lo];
  const isZero = isFloating(type) && low === 0 && (high & 0x7fff_ffff) === 0;
  if (isZero) aimAt(maker, value, type === Double ? [0, high ^ SIGN] : [high ^ SIGN, 0]);
}
const SIGN = -0x8000_0000;

/** Returns whether inputs determine the value directly. */
const isGiven = ({ proc, context }: ProcedureMaker, { opcode }: Value): boolean =>
  opcode === Op.Parameter && proc === context.module.entry;

/**
 * Returns a parameter that some inputs make special (-0, a NaN, an end of the integers). If inputs
 * do not reach it, returns a value that is always special.
 */
export function pickSpecial(maker: ProcedureMaker, type: Type): Value {
  const value = pickParameter(maker, type);
  if (!isGiven(maker, value) || maker.chance(75)) {
    const [lo, hi] = drawSpecial(maker.source, type);
    return maker.append(Op.Opaque, type, maker.constantOf(type, lo, hi));
  }
  // Mostly reuses an existing aim: an input reaches few of many aims.
  const known = maker.chance(80) && maker.context.aims.some((aim) => isSpecialAim(aim, value));
  if (!known) aimAt(maker, value, drawSpecial(maker.source, type));
  return value;
}

const isSpecialAim = (
  { parameter, words, like }: ParameterAim,
  { parameterIndex, type }: Value,
): boolean => parameter === parameterIndex && like === null && isSpecial(type, words);

/** Returns the flag with an end of the integers or -1 in place of 1. */
export function widenFlag(maker: ProcedureMaker, type: Type, flag: Value): Value {
  const [lo, hi] = drawSpecial(maker.source, type);
  const zero = maker.integer(type, 0);
  return maker.append(Op.Select, type, flag, maker.constantOf(type, lo, hi), zero);
}

/** Returns a condition that is zero in every execution, which few compilers can prove. */
export function neverTrue(maker: ProcedureMaker): Value {
  const { heapBase } = maker;
  if (heapBase !== null && maker.chance(70)) {
    // The low bits of the heap's address are zero.
    const low = maker.append(Op.Trunc, Int32, heapBase);
    const bits = maker.append(
      Op.BitAnd,
      Int32,
      low,
      maker.integer(Int32, [1, 7, 0xfff, 64][maker.below(4)]),
    );
    if (maker.chance(40)) return bits;
    return maker.append(Op.NotEqual, Int32, bits, maker.integer(Int32, 0));
  }
  const masked = maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 15));
  return maker.append(Op.GreaterThan, Int32, masked, maker.integer(Int32, 15 + maker.below(3)));
}
