// Defines replacements for code that B3 does not contain: patchpoints, whose code the engine emits
// itself, and calls of C. B3 only specifies their operands and effects. Any function with these
// operands and effects serves, as long as it is the same in all phases.

import { type HostFunction, hostFunctionNamed } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import type { ProcedureEmitter } from "../emitter.js";

/** Writes a replacement without effects: each result is a hash of the operands. */
export function writePure(
  emitter: ProcedureEmitter,
  number: number,
  operands: readonly Value[],
  results: readonly Type[],
): readonly Value[] {
  const mix = host("mix64");
  let mixed = emitter.long(number);
  for (const [i, operand] of operands.entries()) {
    mixed = emitter.call(mix, [mixed, asInteger(emitter, operand), emitter.int(i)]);
  }
  return results.map((type) => narrowed(emitter, mixed, type));
}

/**
 * Writes a replacement with arbitrary effects. It records the operands in order. Each result comes
 * from the host function `ask`, whose argument depends on the operands and on the memory.
 * @param seen eight bytes of the memory
 */
export function writeCall(
  emitter: ProcedureEmitter,
  number: number,
  operands: readonly Value[],
  results: readonly Type[],
  seen: Value,
): readonly Value[] {
  for (const operand of operands) record(emitter, operand);
  return results.map((type, i) => {
    const [mixed] = writePure(emitter, number * 16 + i, [...operands, seen], [Int64]);
    return narrowed(emitter, choiceOrNumber(emitter, emitter.call(host("ask"), [mixed])), type);
  });
}

/**
 * Returns the number unchanged or, in half of the cases, reduced to the range from 0 to 3. The
 * result of a call often selects a case.
 */
function choiceOrNumber({ emit, long }: ProcedureEmitter, value: Value): Value {
  const isChoice = emit(Op.BitAnd, Int64, value, long(256));
  return emit(Op.Select, Int64, isChoice, emit(Op.BitAnd, Int64, value, long(3)), value);
}

export function record(emitter: ProcedureEmitter, operand: Value): void {
  const args = [Int64, Double, Int32, Float].map((type) =>
    type === operand.type ? operand : emitter.constant(type, 0),
  );
  emitter.call(host("logMixed"), args);
}

function asInteger(emitter: ProcedureEmitter, value: Value): Value {
  if (value.type === Int64) return value;
  return emitter.emit(isFloating(value.type) ? Op.TruncS64 : Op.SExt32, Int64, value);
}

/** Returns a number of the type, derived from an Int64. */
function narrowed(emitter: ProcedureEmitter, value: Value, type: Type): Value {
  if (type === Int64) return value;
  const low = emitter.emit(Op.Trunc, Int32, value);
  if (type === Int32) return low;
  return emitter.emit(type === Double ? Op.IToD : Op.IToF, type, low);
}

function host(name: string): HostFunction {
  const found = hostFunctionNamed(name);
  assert(found !== null, () => `no host function ${name}`);
  return found;
}
