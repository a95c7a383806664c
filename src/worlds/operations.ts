// Operations of worlds: rows of OPCODES at their types that compute and do nothing else, emitted so
// that each execution is defined and no bits of an open NaN are looked at.

import type { Maker } from "../generate/maker/maker.js";
import { INSTANCES, type Instance } from "../generate/maker/swarm.js";
import { COMMUTES, Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64 } from "../ir/types.js";

/** All of them, partial ones included. */
export const OPERATIONS: readonly Instance[] = INSTANCES.filter(
  ({ kind }) => kind === "pure" || kind === "partial",
);

/** True if its two operands may be exchanged. */
export const commutes = ({ opcode, operands }: Instance): boolean =>
  COMMUTES[opcode] === 1 && operands.length === 2 && operands[0] === operands[1];

/** Appends the operation; where it is partial its divisor is made one that it is defined for. */
export function emitOperation(
  maker: Maker,
  { opcode, kind, result }: Instance,
  operands: readonly Value[],
): Value {
  const given = [...operands];
  if (opcode === Op.BitwiseCast) given[0] = maker.closed(given[0]);
  if (opcode === Op.CopySign) given[1] = maker.closed(given[1]);
  if (kind === "partial") {
    const isUnsigned = opcode === Op.UDiv || opcode === Op.UMod;
    given[1] = isUnsigned ? unsignedDivisor(maker, given[1]) : signedDivisor(maker, given[1]);
  }
  const [a, b = null, c = null] = given;
  return maker.append(opcode, result, a, b, c);
}

/**
 * All bits of the value as an Int64; of a float that is no open NaN.
 * @param widen what makes 64 bits of 32
 */
export function bitsOf(
  maker: Maker,
  value: Value,
  widen: typeof Op.SExt32 | typeof Op.ZExt32,
): Value {
  const { type } = value;
  if (type === Int64) return value;
  if (type === Double) return maker.append(Op.BitwiseCast, Int64, value);
  const narrow = type === Float ? maker.append(Op.BitwiseCast, Int32, value) : value;
  return maker.append(widen, Int64, narrow);
}

/** What is 0 or -1 becomes 3; a constant that is neither stays. */
function signedDivisor(maker: Maker, divisor: Value): Value {
  const { type } = divisor;
  if (divisor.isConstant && !isZeroOrMinusOne(divisor)) return divisor;
  const one = maker.integer(type, 1);
  const next = maker.append(Op.Add, type, divisor, one);
  const isUndefined = maker.append(Op.BelowEqual, Int32, next, one);
  return maker.append(Op.Select, type, isUndefined, maker.integer(type, 3), divisor);
}

function unsignedDivisor(maker: Maker, divisor: Value): Value {
  const { type } = divisor;
  if (divisor.isConstant && !isNumber(divisor, 0)) return divisor;
  return maker.append(Op.Select, type, divisor, divisor, maker.integer(type, 1));
}

const isZeroOrMinusOne = (value: Value): boolean => isNumber(value, 0) || isNumber(value, -1);
const isNumber = ({ type, lo, hi }: Value, number: number): boolean =>
  lo === number && (type === Int32 || hi === number);
