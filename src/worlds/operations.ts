// Defines the operations of worlds: pure rows of OPCODES at their types. They are emitted so that
// each execution is defined and observes no bits of an open NaN.

import type { ProcedureMaker } from "../generate/maker/maker.js";
import { INSTANCES, type OpcodeInstance } from "../generate/maker/swarm.js";
import { COMMUTES, Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64 } from "../ir/types.js";

/** All pure operations at all types, including partial ones. */
export const OPERATIONS: readonly OpcodeInstance[] = INSTANCES.filter(
  ({ kind }) => kind === "pure" || kind === "partial",
);

/** Returns whether the two operands of the operation may be exchanged. */
export const commutes = ({ opcode, operands }: OpcodeInstance): boolean =>
  COMMUTES[opcode] === 1 && operands.length === 2 && operands[0] === operands[1];

/** Appends the operation; for a partial one, the divisor is made valid. */
export function emitOperation(
  maker: ProcedureMaker,
  { opcode, kind, result }: OpcodeInstance,
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
 * Returns all bits of the value as an Int64; a float must not be an open NaN.
 * @param widen extends 32 bits to 64
 */
export function bitsOf(
  maker: ProcedureMaker,
  value: Value,
  widen: typeof Op.SExt32 | typeof Op.ZExt32,
): Value {
  const { type } = value;
  if (type === Int64) return value;
  if (type === Double) return maker.append(Op.BitwiseCast, Int64, value);
  const narrow = type === Float ? maker.append(Op.BitwiseCast, Int32, value) : value;
  return maker.append(widen, Int64, narrow);
}

/** Replaces 0 and -1 by 3; a valid constant is unchanged. */
function signedDivisor(maker: ProcedureMaker, divisor: Value): Value {
  const { type } = divisor;
  if (divisor.isConstant && !isZeroOrMinusOne(divisor)) return divisor;
  const one = maker.integer(type, 1);
  const next = maker.append(Op.Add, type, divisor, one);
  const isUndefined = maker.append(Op.BelowEqual, Int32, next, one);
  return maker.append(Op.Select, type, isUndefined, maker.integer(type, 3), divisor);
}

function unsignedDivisor(maker: ProcedureMaker, divisor: Value): Value {
  const { type } = divisor;
  if (divisor.isConstant && !isNumber(divisor, 0)) return divisor;
  return maker.append(Op.Select, type, divisor, divisor, maker.integer(type, 1));
}

const isZeroOrMinusOne = (value: Value): boolean => isNumber(value, 0) || isNumber(value, -1);
const isNumber = ({ type, constantLow: lo, constantHigh: hi }: Value, number: number): boolean =>
  lo === number && (type === Int32 || hi === number);
