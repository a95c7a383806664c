// Writes constants (LangRef, "Constants", "Undefined Values", "Poison Values", "Constant Expressions").

import { outside } from "../../llvm/llvm-error.js";
import type { LlvmOperand } from "../../llvm/module.js";
import type { LlvmType } from "../../llvm/types.js";
import type { FunctionContext } from "./context.js";
import { type LlvmScalar, type LlvmScalars, registerType, scalarsOf } from "./leaves.js";

export function constantLeaves(
  c: FunctionContext,
  operand: LlvmOperand,
  type: LlvmType,
): LlvmScalars {
  const { e } = c;
  switch (operand.kind) {
    case "int":
    case "float":
      return [scalarConstant(c, operand, type)];
    case "null":
      return [{ value: e.long(0), poison: null }];
    case "zero":
      return zeroLeaves(c, type);
    case "poison":
      return poisonLeaves(c, type);
    case "undef":
      return c.side === "before" ? poisonLeaves(c, type) : zeroLeaves(c, type);
    case "elements":
      return operand.elements.flatMap((each) => constantLeaves(c, each.operand, each.type));
    case "global":
      return [addressOf(c, operand.name)];
    case "expression": {
      const made = c.program.expression(c, operand.instruction);
      if (made === null) throw outside(e.line, "a constant expression without a value");
      return made;
    }
    default:
      throw outside(e.line, `the constant %${operand.name}`);
  }
}

function scalarConstant(
  { e }: FunctionContext,
  operand: Extract<LlvmOperand, { kind: "int" | "float" }>,
  type: LlvmType,
): LlvmScalar {
  const register = registerType(type, e.line);
  if (operand.kind === "float") return { value: e.float(register, operand.value), poison: null };
  const bits = type.kind === "int" ? BigInt.asUintN(type.bits, operand.value) : operand.value;
  return { value: e.integer(register, bits), poison: null };
}

export function zeroLeaves({ e }: FunctionContext, type: LlvmType): LlvmScalars {
  return scalarsOf(type, e.line).map(({ type: scalar }) => {
    return { value: e.constant(registerType(scalar, e.line), 0, 0), poison: null };
  });
}

export function poisonLeaves(c: FunctionContext, type: LlvmType): LlvmScalars {
  return zeroLeaves(c, type).map(({ value }) => ({ value, poison: c.e.int(1) }));
}

function addressOf({ e, base, program }: FunctionContext, name: string): LlvmScalar {
  const global = program.llvm.globals.get(name);
  const isKnown = global !== undefined || program.llvm.functions.has(name);
  if (!isKnown) throw outside(e.line, `the global @${name}`);
  const place = program.layout.placeOf(name, global?.type ?? null);
  if (place === null) throw outside(e.line, `the space for the global @${name}`);
  if (global !== undefined) program.useGlobal(global);
  return { value: e.offset(base, place.at), poison: null };
}
