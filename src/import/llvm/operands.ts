// Reads operands, and applies the attributes that constrain values (LangRef, "Parameter Attributes").

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { LlvmError } from "../../llvm/llvm-error.js";
import type { ParameterAttributes, TypedOperand } from "../../llvm/module.js";
import type { LlvmType } from "../../llvm/types.js";
import { constantLeaves } from "./constants.js";
import type { FunctionContext } from "./context.js";
import { type LlvmScalar, type LlvmScalars, registerType, scalarsOf } from "./leaves.js";

export function operandLeaves(c: FunctionContext, { operand, type }: TypedOperand): LlvmScalars {
  if (operand.kind !== "local") return constantLeaves(c, operand, type);
  const leaves = c.frame.get(operand.name);
  const { line } = c.e;
  if (leaves === undefined)
    throw new LlvmError(line, `expected a value that is defined before, found %${operand.name}`);
  const scalars = scalarsOf(type, line);
  const isRight =
    leaves.length === scalars.length &&
    leaves.every(({ value }, i) => value.type === registerType(scalars[i].type, line));
  if (!isRight) throw new LlvmError(line, `%${operand.name} has another type than its use`);
  return leaves;
}

export function operandLeaf(c: FunctionContext, operand: TypedOperand): LlvmScalar {
  const leaves = operandLeaves(c, operand);
  if (leaves.length !== 1)
    throw new LlvmError(c.e.line, `expected a scalar, found ${leaves.length} of them`);
  return leaves[0];
}

/** Checks that operands have the types that the opcode needs, so that no program is malformed. */
export function expectType(c: FunctionContext, { value }: LlvmScalar, type: LlvmType): void {
  if (value.type !== registerType(type, c.e.line))
    throw new LlvmError(c.e.line, `expected a value of the kind ${type.kind}, found another one`);
}

/** Applies attributes: a scalar that breaks one is poison; with `noundef` poison is undefined. */
export function constrained(
  { e }: Pick<FunctionContext, "e">,
  leaves: LlvmScalars,
  type: LlvmType,
  attributes: ParameterAttributes,
): LlvmScalars {
  const { names, range, alignment } = attributes;
  let kept = leaves;
  const broken: Value[] = [];
  const [only] = leaves;
  if (type.kind === "ptr") {
    if (names.has("nonnull")) broken.push(e.compare(Op.Equal, only.value, e.long(0)));
    const needed = Math.min(alignment, 64);
    if (needed > 1) {
      const rest = e.and(only.value, e.long(needed - 1));
      broken.push(e.compare(Op.NotEqual, rest, e.long(0)));
    }
  }
  if (type.kind === "int" && range !== null)
    broken.push(isOutOfRange(e, only.value, type.bits, range));
  if (broken.length > 0) {
    const poison = e.either(only.poison, ...broken);
    kept = [{ value: only.value, poison }];
  }
  if (!names.has("noundef")) return kept;
  const poison = e.either(...kept.map((each) => each.poison));
  if (poison !== null) e.leaveIf(poison, "poison where noundef excludes it");
  return kept.map(({ value }) => ({ value, poison: null }));
}

function isOutOfRange(
  e: FunctionContext["e"],
  x: Value,
  bits: number,
  [from, to]: readonly [bigint, bigint],
): Value {
  const bound = (limit: bigint): bigint => BigInt.asUintN(bits, limit);
  const constant = (limit: bigint): Value => e.integer(x.type, bound(limit));
  // The bounds may wrap: the distance from the first is what counts.
  const mask = e.integer(x.type, BigInt.asUintN(bits, -1n));
  const distance = e.and(e.sub(x, constant(from)), mask);
  const size = bound(to - from);
  return e.compare(Op.AboveEqual, distance, e.integer(x.type, size));
}
