// Records everything that code outside of the function sees: results, calls of other modules, volatile accesses, and the
// memory at a call.
//
// A row is `logInt` with a number of the name, then `logMixed` for each scalar: an integer, a double, whether it is
// poison, and a float. Poison is shown as zero.

import { type HostFunction, hostFunctionNamed } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import type { FunctionContext } from "./context.js";
import { LlvmEmitter } from "./emitter.js";
import { BYTE_STATES, type LlvmLayout } from "./layout.js";
import type { LlvmScalar, LlvmScalars } from "./leaves.js";

/** Returns a number for a name, equal in all texts. */
export function numberOfName(name: string): number {
  let hash = 0x811c_9dc5;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x0100_0193);
  return hash | 0;
}

export function host(name: string): HostFunction {
  const found = hostFunctionNamed(name);
  assert(found !== null, () => `no host function ${name}`);
  return found;
}

export function record(c: FunctionContext, name: string, leaves: LlvmScalars): void {
  const { e } = c;
  e.call(host("logInt"), [e.int(numberOfName(name))]);
  for (const leaf of leaves) recordScalar(e, leaf);
}

function recordScalar(e: LlvmEmitter, { value, poison }: LlvmScalar): void {
  const isFloat = isFloating(value.type);
  const shown = poison === null ? value : e.select(poison, e.constant(value.type, 0, 0), value);
  const args = [
    isFloat ? e.long(0) : e.widened(shown),
    shown.type === Double ? shown : e.constant(Double, 0, 0),
    poison ?? e.int(0),
    shown.type === Float ? shown : e.constant(Float, 0, 0),
  ];
  e.call(host("logMixed"), args);
}

/** Builds a procedure (begin, end) -> a hash of the defined bytes in words of four, and whether one is poison. */
export function digestProcedure({ states }: LlvmLayout): Procedure {
  const e = new LlvmEmitter("$digest", [Int64, Int32], { next: 0 });
  const [begin, end] = [Int64, Int64].map((type) => e.proc.newParameter(type));
  const entry = e.block;
  const head = e.startBlock();
  const [at, hash] = [e.phi(Int64), e.phi(Int64)];
  const open = e.phi(Int32);
  const body = e.startBlock();
  const state = e.load(Op.Load, Int32, at, states);
  const isDefined = e.compare(Op.Equal, state, e.int(0));
  const isAbsent = e.and(state, e.int(0x0101_0101 * BYTE_STATES.absent));
  const isOpen = e.compare(
    Op.Equal,
    e.emit(Op.BitOr, Int32, isDefined, e.compare(Op.NotEqual, isAbsent, e.int(0))),
    e.int(0),
  );
  const seen = e.load(Op.Load, Int32, at, 0);
  const shown = e.select(isDefined, seen, e.int(0));
  const mixed = e.add(
    e.emit(Op.Mul, Int64, hash, e.integer(Int64, 0x9e37_79b9_7f4a_7c15n)),
    e.emit(Op.SExt32, Int64, shown),
  );
  const rotated: Value = e.emit(Op.RotL, Int64, mixed, e.int(23));
  e.upsilon(e.add(at, e.long(4)), at);
  e.upsilon(rotated, hash);
  e.upsilon(e.emit(Op.BitOr, Int32, open, isOpen), open);
  e.jump(head);
  const done = e.startBlock();
  e.return(hash, open);
  e.block = head;
  e.branch(e.compare(Op.Below, at, end), body, done);
  e.block = entry;
  e.upsilon(begin, at);
  e.upsilon(e.long(0), hash);
  e.upsilon(e.int(0), open);
  e.jump(head);
  return e.proc;
}
