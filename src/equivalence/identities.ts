// Lists alternative computations of each opcode: identities of the language's arithmetic.
//
// They use other opcodes if possible. Otherwise a meaning that is wrong both in the oracle and in
// the compiler's fold would be used on both sides. They depend on no bits on which the operation
// itself does not depend.

import { Op, type Opcode, type OpcodeName } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, isInteger, type Type } from "../ir/types.js";

/** The place of a rewritten operation: its operands, and methods that append values before it. */
interface RewriteSite {
  /** The type of the first operand. */
  readonly type: Type;
  readonly x: Value;
  readonly y: Value;
  readonly z: Value;
  emit(opcode: Opcode, type: Type, a: Value, b?: Value, c?: Value): Value;
  /** Makes an integer constant. */
  integer(type: Type, number: bigint): Value;
}

interface LastOperation {
  readonly opcode: Opcode;
  readonly operands: readonly Value[];
}

type Identity = (site: RewriteSite) => LastOperation;

const result = (opcode: Opcode, ...operands: Value[]): LastOperation => ({ opcode, operands });

/** Makes an operation on integers of the first operand's type. */
const of = (site: RewriteSite, opcode: Opcode, a: Value, b?: Value, c?: Value): Value =>
  site.emit(opcode, a.type, a, b, c);
const choice = (site: RewriteSite, condition: Value, a: Value, b: Value): Value =>
  site.emit(Op.Select, a.type, condition, a, b);
const flag = (site: RewriteSite, opcode: Opcode, a: Value, b: Value): Value =>
  site.emit(opcode, Int32, a, b);
const constant = ({ type, integer }: RewriteSite, number: bigint): Value => integer(type, number);
const count = ({ integer }: RewriteSite, number: number): Value => integer(Int32, BigInt(number));

const widthOf = ({ type }: RewriteSite): number => (type === Int64 ? 64 : 32);
const least = (site: RewriteSite): Value => constant(site, -(1n << BigInt(widthOf(site) - 1)));
const not = (site: RewriteSite, x: Value): Value => of(site, Op.BitXor, x, constant(site, -1n));
const isNegative = (site: RewriteSite, x: Value): Value =>
  flag(site, Op.LessThan, x, constant(site, 0n));
const sizeOf = (site: RewriteSite, x: Value): Value =>
  choice(site, isNegative(site, x), of(site, Op.Neg, x), x);
const moved = (site: RewriteSite, x: Value): Value => of(site, Op.BitXor, x, least(site));

const exchanged =
  (opcode: Opcode): Identity =>
  ({ x, y }) =>
    result(opcode, y, x);
/** Adding half of the range converts between signed and unsigned order. */
const ordered =
  (opcode: Opcode): Identity =>
  (site) =>
    result(opcode, moved(site, site.x), moved(site, site.y));
const chosen =
  (comparison: Opcode): Identity =>
  (site) => {
    const { x, y } = site;
    return result(Op.Select, flag(site, comparison, x, y), x, y);
  };
const remainder =
  (division: Opcode): Identity =>
  (site) => {
    const { x, y } = site;
    return result(Op.Sub, x, of(site, Op.Mul, of(site, division, x, y), y));
  };
const shiftedBack =
  (bits: number): Identity =>
  (site) =>
    result(Op.SShr, of(site, Op.Shl, site.x, count(site, bits)), count(site, bits));
const widened =
  (extension: Opcode, opcode: Opcode): Identity =>
  (site) =>
    result(opcode, site.emit(extension, Int64, site.x));
const inDouble =
  (opcode: Opcode): Identity =>
  (site) =>
    result(opcode, site.emit(Op.FloatToDouble, Double, site.x));
/**
 * Converts between the signed and the unsigned high half of a product, which differ by the
 * operands.
 */
const corrected =
  (high: Opcode, correction: Opcode): Identity =>
  (site) => {
    const { x, y } = site;
    const zero = constant(site, 0n);
    const ofX = of(site, Op.BitAnd, of(site, Op.SShr, x, count(site, widthOf(site) - 1)), y);
    const ofY = choice(site, isNegative(site, y), x, zero);
    return result(correction, of(site, correction, of(site, high, x, y), ofX), ofY);
  };

/**
 * Returns whether the sum overflows: the operands have the same sign, and the sum has the other
 * one.
 */
function differsInSign(site: RewriteSite, x: Value, y: Value, sum: Value): LastOperation {
  const both = of(site, Op.BitAnd, of(site, Op.BitXor, x, sum), of(site, Op.BitXor, y, sum));
  return result(Op.LessThan, both, constant(site, 0n));
}

/** Sets all bits below the highest set bit. */
function smeared(site: RewriteSite): Value {
  let bits = site.x;
  for (let by = 1; by < widthOf(site); by *= 2) {
    bits = of(site, Op.BitOr, bits, of(site, Op.ZShr, bits, count(site, by)));
  }
  return bits;
}

/** Sums the bits of each byte by halves, then all bytes by one product. */
function bitCount(site: RewriteSite): LastOperation {
  const mask = (byte: bigint): Value => {
    const all = BigInt(
      `0x${byte
        .toString(16)
        .padStart(2, "0")
        .repeat(widthOf(site) / 8)}`,
    );
    return constant(site, all);
  };
  const and = (x: Value, y: Value): Value => of(site, Op.BitAnd, x, y);
  const down = (x: Value, by: number): Value => of(site, Op.ZShr, x, count(site, by));
  const pairs = of(site, Op.Sub, site.x, and(down(site.x, 1), mask(0x55n)));
  const fours = of(site, Op.Add, and(pairs, mask(0x33n)), and(down(pairs, 2), mask(0x33n)));
  const bytes = and(of(site, Op.Add, fours, down(fours, 4)), mask(0x0fn));
  const all = of(site, Op.Mul, bytes, mask(0x01n));
  return result(Op.ZShr, all, count(site, widthOf(site) - 8));
}

function division(site: RewriteSite): LastOperation {
  const { x, y } = site;
  const size = of(site, Op.UDiv, sizeOf(site, x), sizeOf(site, y));
  const isOther = isNegative(site, of(site, Op.BitXor, x, y));
  return result(Op.Select, isOther, of(site, Op.Neg, size), size);
}

function bytesReversed(site: RewriteSite): LastOperation {
  const { x, type } = site;
  if (type === Int64) {
    const half = (opcode: Opcode): Value =>
      site.emit(Op.ByteSwap, Int32, site.emit(opcode, Int32, x));
    return result(Op.Stitch, half(Op.Trunc), half(Op.TruncHigh));
  }
  const left = of(
    site,
    Op.BitAnd,
    of(site, Op.RotL, x, count(site, 8)),
    constant(site, 0x00ff00ffn),
  );
  const right = of(
    site,
    Op.BitAnd,
    of(site, Op.RotR, x, count(site, 8)),
    constant(site, -0x00ff0100n),
  );
  return result(Op.BitOr, left, right);
}

/** Alternatives of operations on integers of both widths. */
const OF_INTEGERS: Readonly<Partial<Record<OpcodeName, Identity>>> = {
  Add: (s) => result(Op.Sub, s.x, of(s, Op.Neg, s.y)),
  Sub: (s) => result(Op.Add, s.x, of(s, Op.Add, not(s, s.y), constant(s, 1n))),
  Neg: (s) => result(Op.Add, not(s, s.x), constant(s, 1n)),
  Mul: (s) => result(Op.Neg, of(s, Op.Mul, of(s, Op.Neg, s.x), s.y)),
  BitAnd: (s) => result(Op.Sub, of(s, Op.Add, s.x, s.y), of(s, Op.BitOr, s.x, s.y)),
  BitOr: (s) => result(Op.Add, of(s, Op.BitAnd, s.x, s.y), of(s, Op.BitXor, s.x, s.y)),
  BitXor: (s) => result(Op.Sub, of(s, Op.BitOr, s.x, s.y), of(s, Op.BitAnd, s.x, s.y)),
  Shl: (s) => result(Op.RotL, of(s, Op.BitAnd, s.x, of(s, Op.ZShr, constant(s, -1n), s.y)), s.y),
  ZShr: (s) => result(Op.RotR, of(s, Op.BitAnd, s.x, of(s, Op.Shl, constant(s, -1n), s.y)), s.y),
  SShr: (s) => {
    const down = (x: Value): Value => of(s, Op.ZShr, x, s.y);
    return result(Op.Select, isNegative(s, s.x), not(s, down(not(s, s.x))), down(s.x));
  },
  RotL: (s) => result(Op.RotR, s.x, of(s, Op.Neg, s.y)),
  RotR: (s) => result(Op.RotL, s.x, of(s, Op.Neg, s.y)),
  Clz: (s) => result(Op.PopCnt, not(s, smeared(s))),
  Ctz: (s) => result(Op.PopCnt, of(s, Op.BitAnd, not(s, s.x), of(s, Op.Sub, s.x, constant(s, 1n)))),
  PopCnt: bitCount,
  ByteSwap: bytesReversed,
  Div: division,
  Mod: remainder(Op.Div),
  UMod: remainder(Op.UDiv),
  FloorMod: (s) => {
    const rest = of(s, Op.Mod, s.x, s.y);
    const isOther = isNegative(s, of(s, Op.BitXor, rest, s.y));
    const isPartial = flag(s, Op.NotEqual, rest, constant(s, 0n));
    const both = flag(s, Op.BitAnd, isOther, isPartial);
    return result(Op.Select, both, of(s, Op.Add, rest, s.y), rest);
  },
  ChillMod: (s) => {
    const rest = of(s, Op.Sub, s.x, of(s, Op.Mul, of(s, Op.ChillDiv, s.x, s.y), s.y));
    return result(Op.Select, s.y, rest, constant(s, 0n));
  },
  MulHigh: corrected(Op.UMulHigh, Op.Sub),
  UMulHigh: corrected(Op.MulHigh, Op.Add),
  AddOverflows: (s) => differsInSign(s, s.x, s.y, of(s, Op.Add, s.x, s.y)),
  SubOverflows: (s) => differsInSign(s, s.x, not(s, s.y), of(s, Op.Sub, s.x, s.y)),
  MulOverflows: (s) => {
    const low = of(s, Op.Mul, s.x, s.y);
    const sign = of(s, Op.SShr, low, count(s, widthOf(s) - 1));
    return result(Op.NotEqual, of(s, Op.MulHigh, s.x, s.y), sign);
  },
  AddCarries: (s) => result(Op.Below, of(s, Op.Add, s.x, s.y), s.x),
  Min: chosen(Op.LessThan),
  Max: chosen(Op.GreaterThan),
  UMin: chosen(Op.Below),
  UMax: chosen(Op.Above),
  Equal: (s) => result(Op.BelowEqual, of(s, Op.BitXor, s.x, s.y), constant(s, 0n)),
  NotEqual: (s) => result(Op.Above, of(s, Op.BitXor, s.x, s.y), constant(s, 0n)),
  LessThan: ordered(Op.Below),
  LessEqual: ordered(Op.BelowEqual),
  GreaterThan: ordered(Op.Above),
  GreaterEqual: ordered(Op.AboveEqual),
  Below: ordered(Op.LessThan),
  BelowEqual: ordered(Op.LessEqual),
  Above: ordered(Op.GreaterThan),
  AboveEqual: ordered(Op.GreaterEqual),
  SExt8: shiftedBack(24),
  SExt16: shiftedBack(16),
  SExt8To64: (s) => result(Op.SExt32, of(s, Op.SExt8, s.x)),
  SExt16To64: (s) => result(Op.SExt32, of(s, Op.SExt16, s.x)),
  SExt32: (s) => result(Op.Stitch, of(s, Op.SShr, s.x, count(s, 31)), s.x),
  ZExt32: (s) => result(Op.Stitch, constant(s, 0n), s.x),
  Trunc: (s) => result(Op.TruncHigh, of(s, Op.Shl, s.x, count(s, 32))),
  TruncHigh: (s) => result(Op.Trunc, of(s, Op.ZShr, s.x, count(s, 32))),
  Select: (s) => result(Op.Select, flag(s, Op.Equal, s.x, constant(s, 0n)), s.z, s.y),
};

/** Alternatives of operations on Int32 that compute in 64 bits. */
const IN_64_BITS: Readonly<Partial<Record<OpcodeName, Identity>>> = {
  IToD: widened(Op.SExt32, Op.IToD),
  IToF: widened(Op.SExt32, Op.IToF),
  UToD: widened(Op.ZExt32, Op.IToD),
  UToF: widened(Op.ZExt32, Op.IToF),
};

/** For floats. NaN is unordered, so only Equal and NotEqual are opposites. */
const OF_FLOATS: Readonly<Partial<Record<OpcodeName, Identity>>> = {
  Equal: exchanged(Op.Equal),
  NotEqual: (s) => {
    const isEqual = flag(s, Op.Equal, s.x, s.y);
    return result(Op.BitXor, isEqual, s.integer(Int32, 1n));
  },
  LessThan: exchanged(Op.GreaterThan),
  LessEqual: exchanged(Op.GreaterEqual),
  GreaterThan: exchanged(Op.LessThan),
  GreaterEqual: exchanged(Op.LessEqual),
};

/** Alternatives of operations on Float that compute in Double. */
const IN_DOUBLE: Readonly<Partial<Record<OpcodeName, Identity>>> = {
  TruncS32: inDouble(Op.TruncS32),
  TruncU32: inDouble(Op.TruncU32),
  TruncS64: inDouble(Op.TruncS64),
  TruncU64: inDouble(Op.TruncU64),
};

/** Returns the alternative of the opcode for operands of that type; null if there is none. */
export function identityOf(name: OpcodeName, type: Type): Identity | null {
  if (type === Float) return OF_FLOATS[name] ?? IN_DOUBLE[name] ?? null;
  if (!isInteger(type)) return OF_FLOATS[name] ?? null;
  return OF_INTEGERS[name] ?? (type === Int32 ? IN_64_BITS[name] : undefined) ?? null;
}
