// Writes calls: of functions of the module, of intrinsics, and of functions of other modules (LangRef, "call
// Instruction", "Function Attributes").

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type } from "../../ir/types.js";
import { LlvmError, outside } from "../../llvm/llvm-error.js";
import type { LlvmFunction, LlvmInstruction } from "../../llvm/module.js";
import type { FunctionContext, WrittenCall } from "./context.js";
import { writeIntrinsic } from "./intrinsics.js";
import { BYTE_STATES, CELLS, EXTERNAL_BYTES, EXTERNAL_OBJECTS, RESULTS_MAX } from "./layout.js";
import { type LlvmScalars, registerType, scalarsOf } from "./leaves.js";
import { isKnownLibrary, isLibraryFunction, writeLibraryCall } from "./library.js";
import { fillStates } from "./memory.js";
import { host, numberOfName, record } from "./observe.js";
import { constrained, operandLeaves } from "./operands.js";

export function writeCall(c: FunctionContext, instruction: LlvmInstruction): LlvmScalars | null {
  const { operands, attributes = [], resultAttributes, type } = instruction;
  const [target, ...given] = operands;
  const args = given.map((operand, i) => {
    if (operand.type.kind === "metadata") return [];
    const leaves = operandLeaves(c, operand);
    return attributes[i] === undefined
      ? leaves
      : constrained(c, leaves, operand.type, attributes[i]);
  });
  const result = writeTarget(c, target.operand, { instruction, args });
  if (result === null || resultAttributes === undefined) return result;
  return constrained(c, result, type, resultAttributes);
}

function writeTarget(
  c: FunctionContext,
  operand: LlvmInstruction["operands"][number]["operand"],
  call: WrittenCall,
): LlvmScalars | null {
  if (operand.kind !== "global") return writeIndirect(c, call);
  const { name } = operand;
  if (name.startsWith("llvm.")) return writeIntrinsic(c, name.slice(5), call);
  const called = c.program.llvm.functions.get(name);
  if (called?.blocks && !called.isVariadic) return writeDirect(c, called, call);
  if (isLibraryFunction(name)) return writeLibraryCall(c, name, call);
  return writeExternal(c, name, called, call);
}

/** A call by an address: the function is one of another module, unless it is the address of a known one. */
function writeIndirect(c: FunctionContext, call: WrittenCall): LlvmScalars | null {
  const { e } = c;
  const [pointer] = operandLeaves(c, call.instruction.operands[0]);
  if (pointer.poison !== null) e.leaveIf(pointer.poison, "an access at poison");
  e.leaveIf(e.int(1), "a call by an address that is not known");
  return placeholder(c, call.instruction.type);
}

/** The scalars of a call that the execution never returns from. */
function placeholder({ e }: FunctionContext, type: LlvmInstruction["type"]): LlvmScalars | null {
  if (type.kind === "void") return null;
  return scalarsOf(type, e.line).map(({ type: scalar }) => {
    return { value: e.constant(registerType(scalar, e.line), 0, 0), poison: null };
  });
}

function writeDirect(
  c: FunctionContext,
  called: LlvmFunction,
  call: WrittenCall,
): LlvmScalars | null {
  const { e, base } = c;
  if (called.outside !== null) {
    e.leaveIf(e.int(1), "a call of a function that is not imported");
    return placeholder(c, call.instruction.type);
  }
  const { parameters, type } = called;
  if (parameters.length !== call.args.length)
    throw new LlvmError(e.line, `expected ${parameters.length} arguments of @${called.name}`);
  const procedure = c.program.procedureOf(called);
  const values = call.args.flatMap((leaves) =>
    leaves.flatMap(({ value, poison }) => [value, poison ?? e.int(0)]),
  );
  const expected = procedure.parameters.slice(1).map((each) => each.type);
  if (values.length !== expected.length || values.some((each, i) => each.type !== expected[i]))
    throw new LlvmError(e.line, `expected arguments with the types of @${called.name}`);
  const result = e.call(procedure, [base, ...values]);
  if (type.kind === "void") return null;
  return resultsOf(
    c,
    result,
    scalarsOf(type, e.line).map((each) => registerType(each.type, e.line)),
  );
}

/** One scalar is returned with its poison; more are in the cells. */
function resultsOf(
  { e, base }: FunctionContext,
  called: Value,
  types: readonly Type[],
): LlvmScalars {
  if (types.length === 1) {
    const poison = e.emit(Op.Extract, Int32, called);
    poison.resultIndex = 1;
    return [{ value: called, poison }];
  }
  return types.map((type, i) => {
    const at = CELLS.results + 16 * i;
    return { value: e.load(Op.Load, type, base, at), poison: e.load(Op.Load, Int32, base, at + 8) };
  });
}

/** Writes the return of a procedure. */
export function returnLeaves({ e, base }: FunctionContext, leaves: LlvmScalars): void {
  if (leaves.length > RESULTS_MAX) throw outside(e.line, `a result of ${leaves.length} scalars`);
  if (leaves.length === 1) {
    e.return(leaves[0].value, leaves[0].poison ?? e.int(0));
    return;
  }
  leaves.forEach(({ value, poison }, i) => {
    e.store(Op.Store, value, base, CELLS.results + 16 * i);
    e.store(Op.Store, poison ?? e.int(0), base, CELLS.results + 16 * i + 8);
  });
  e.return();
}

/** The types of a procedure's results. */
export function resultTypes(types: readonly Type[]): readonly Type[] {
  return types.length === 1 ? [types[0], Int32] : [];
}

/**
 * A function of another module: its operands and the memory that it sees are observable. Its result depends on its name
 * and the number of earlier calls. It writes nothing.
 */
function writeExternal(
  c: FunctionContext,
  name: string,
  called: LlvmFunction | undefined,
  { instruction, args }: WrittenCall,
): LlvmScalars | null {
  const { e, base } = c;
  const { type, callAttributes = new Set<string>() } = instruction;
  if (isKnownLibrary(name)) {
    e.leaveIf(e.int(1), "a call of a function that is not imported");
    return placeholder(c, type);
  }
  const has = (word: string): boolean =>
    callAttributes.has(word) || (called?.attributes.has(word) ?? false);
  const operands = args.flat();
  if (has("memory(none)") || has("memory(read)")) return pureResult(c, name, operands, type);
  const isPartial = [...callAttributes, ...(called?.attributes ?? [])].some((word) =>
    word.startsWith("memory("),
  );
  record(c, name, operands);
  if (!isPartial) c.program.recordMemory(c);
  if (has("noreturn")) {
    e.leaveIf(e.int(1), "a call that does not return");
    return placeholder(c, type);
  }
  const count = e.load(Op.Load, Int64, base, CELLS.callCount);
  e.store(Op.Store, e.add(count, e.long(1)), base, CELLS.callCount);
  if (type.kind === "void") return null;
  if (type.kind === "ptr") return [{ value: externalObject(c, count), poison: null }];
  return hashed(c, e.add(count, e.long(numberOfName(name))), type);
}

function pureResult(
  c: FunctionContext,
  name: string,
  operands: LlvmScalars,
  type: LlvmInstruction["type"],
): LlvmScalars | null {
  const { e } = c;
  if (type.kind === "void") return null;
  const poison = e.either(...operands.map((each) => each.poison));
  if (poison !== null && c.side === "before")
    e.leaveIf(poison, "poison as an operand of a pure function");
  const mixed = operands.reduce<Value>(
    (hash, { value }, i) => e.call(host("mix64"), [hash, asWord(e, value), e.int(i)]),
    e.long(numberOfName(name)),
  );
  return hashed(c, mixed, type);
}

function asWord(e: FunctionContext["e"], value: Value): Value {
  if (value.type === Double) return e.emit(Op.TruncS64, Int64, value);
  if (value.type === Float) return e.emit(Op.TruncS64, Int64, value);
  return e.widened(value);
}

/** Small numbers are frequent: results of calls often decide. */
function hashed({ e }: FunctionContext, seed: Value, type: LlvmInstruction["type"]): LlvmScalars {
  return scalarsOf(type, e.line).map(({ type: scalar }, i) => {
    const register = registerType(scalar, e.line);
    const word = e.call(host("mix64"), [seed, e.long(i), e.int(i)]);
    const small = e.and(word, e.long(15));
    if (register === Double || register === Float)
      return {
        value: e.emit(register === Float ? Op.IToF : Op.IToD, register, small),
        poison: null,
      };
    const isSmall = e.and(word, e.long(256));
    const chosen = e.select(isSmall, small, word);
    if (scalar.kind === "ptr") return { value: e.long(0), poison: null };
    const bits = scalar.kind === "int" ? scalar.bits : 64;
    const masked =
      bits === 64 ? chosen : e.and(chosen, e.integer(Int64, (1n << BigInt(bits)) - 1n));
    return { value: register === Int32 ? e.narrowed(masked) : masked, poison: null };
  });
}

/** Returns the object that a call of another module returns: the calls have the same numbers in all texts. */
function externalObject({ e, base, layout }: FunctionContext, count: Value): Value {
  const isFull = e.compare(Op.AboveEqual, count, e.long(EXTERNAL_OBJECTS));
  e.leaveIf(isFull, "objects that are too large");
  const distance = e.emit(Op.Mul, Int64, count, e.long(layout.externalStride));
  const address = e.add(e.offset(base, layout.externalAt), distance);
  fillStates(
    { e, base, layout, side: "before" },
    address,
    e.long(EXTERNAL_BYTES),
    BYTE_STATES.defined,
  );
  return address;
}
