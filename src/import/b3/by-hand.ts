// What stands for code that B3 does not know: patchpoints, whose code the engine writes by hand, and calls of C. B3 knows
// which operands they take and what effects they have, and nothing else; so any function will do that is the same in all
// phases.

import { type HostFunction, hostFunctionNamed } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import type { Emitter } from "../emitter.js";

/** What has no effects: each result is a function of the operands. */
export function writePure(
  emitter: Emitter,
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
 * What may do anything: operands are recorded in order, and each result is what the recorder answers, to a question
 * that depends on them and on the memory.
 * @param seen eight bytes of the memory
 */
export function writeCall(
  emitter: Emitter,
  number: number,
  operands: readonly Value[],
  results: readonly Type[],
  seen: Value,
): readonly Value[] {
  for (const operand of operands) record(emitter, operand);
  return results.map((type, i) => {
    const [mixed] = writePure(emitter, number * 16 + i, [...operands, seen], [Int64]);
    return narrowed(emitter, small(emitter, emitter.call(host("ask"), [mixed])), type);
  });
}

/** The number, or in half of the cases one from 0 to 3: what a call gives is often a choice. */
function small({ emit, long }: Emitter, value: Value): Value {
  const isChoice = emit(Op.BitAnd, Int64, value, long(256));
  return emit(Op.Select, Int64, isChoice, emit(Op.BitAnd, Int64, value, long(3)), value);
}

export function record(emitter: Emitter, operand: Value): void {
  const args = [Int64, Double, Int32, Float].map((type) =>
    type === operand.type ? operand : emitter.constant(type, 0),
  );
  emitter.call(host("logMixed"), args);
}

function asInteger(emitter: Emitter, value: Value): Value {
  if (value.type === Int64) return value;
  return emitter.emit(isFloating(value.type) ? Op.TruncS64 : Op.SExt32, Int64, value);
}

/** A number of the type, made of an Int64. */
function narrowed(emitter: Emitter, value: Value, type: Type): Value {
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
