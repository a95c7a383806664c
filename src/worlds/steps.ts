// Defines steps: an operation on an existing value, and the use of its result.

import { chance } from "../generate/maker/odds.js";
import type { OpcodeInstance } from "../generate/maker/swarm.js";
import { Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, isFloating, type Type, VALUE_TYPES } from "../ir/types.js";
import { bitsOf, commutes, emitOperation, OPERATIONS } from "./operations.js";
import type { WorldSite } from "./world.js";

/** An operation, and the index of the operand that is the existing value. */
export interface OperationStep {
  readonly instance: OpcodeInstance;
  readonly at: number;
}

/** The operations that take a value of a type, by that type. */
export const STEPS: readonly (readonly OperationStep[])[] = [[], ...VALUE_TYPES.map(stepsOn)];

function stepsOn(type: Type): OperationStep[] {
  return OPERATIONS.flatMap((instance) =>
    instance.operands.flatMap((operand, at) =>
      operand === type && !(at > 0 && commutes(instance)) ? [{ instance, at }] : [],
    ),
  );
}

/**
 * Appends an operation on an existing value.
 * @param other makes each other operand, of the given type
 */
export function emitStep(
  { maker }: WorldSite,
  { instance, at }: OperationStep,
  from: Value,
  other: (type: Type) => Value,
): Value {
  const given = instance.operands.map((type, i) => (i === at ? from : other(type)));
  return emitOperation(maker, instance, given);
}

/** Returns all bits of a result, as an Int64. */
export function resultBits({ maker, source }: WorldSite, value: Value): Value {
  if (isFloating(value.type)) return bitsOf(maker, maker.closed(value), Op.ZExt32);
  const isSigned = value.type === Int32 && chance(source, 50);
  return bitsOf(maker, value, isSigned ? Op.SExt32 : Op.ZExt32);
}
